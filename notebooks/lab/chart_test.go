package lab

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/inferlab/inferlab/simcore"
)

// sampleChart has a long line, one that lies upon it, hostile names and values
// that have no place.
func sampleChart() *Chart {
	return &Chart{
		Title: "p95 TTFT & <more>", What: "two machines, modeled",
		X: Axis{Name: "batch size", Unit: "sequences"}, Y: Axis{Name: "p95 TTFT", Unit: "ms"},
		Series: []Series{
			{"ring <4>", []float64{4, 8, 16}, []float64{40, 20, 12}},
			{"tree", []float64{4, 8, 16, 32}, []float64{41, 21, 12, math.NaN()}},
		},
		Limit: 25, LimitName: "limit 25 ms",
	}
}

// texts returns the text elements of an SVG document, which must be well formed.
func texts(t *testing.T, svg string) []string {
	t.Helper()
	var found []string
	for d, inside := xml.NewDecoder(strings.NewReader(svg)), false; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatalf("not well formed: %v\n%s", err, svg)
		}
		switch e := token.(type) {
		case xml.StartElement:
			inside = e.Name.Local == "text"
		case xml.EndElement:
			inside = false
		case xml.CharData:
			if inside {
				found = append(found, string(e))
			}
		}
	}
}

func TestChartLines(t *testing.T) {
	b := chartBundle(sampleChart())
	want := []string{"p95 TTFT & <more>", "two machines, modeled", "0", "10", "20", "30", "40", "50", "5", "10", "15",
		"batch size, sequences", "p95 TTFT, ms", "limit 25 ms", "ring <4>", "tree"}
	if diff := cmp.Diff(want, texts(t, b.text(mimeSVG))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, want := range []string{"ring <4>                       4             40\n", "tree                          32            NaN\n", "p95 TTFT & <more>, 7 rows"} {
		if !strings.Contains(b.text(mimeText), want) {
			t.Errorf("the words lack %q:\n%s", want, b.text(mimeText))
		}
	}
}

func TestChartLogAxes(t *testing.T) {
	c := &Chart{X: Axis{Name: "n", Log: true}, Y: Axis{Name: "t", Log: true},
		Series: []Series{{"a", []float64{0, 1, 1000}, []float64{5, 0.02, 30}}}}
	want := []string{"0.01", "0.1", "1", "10", "100", "1", "10", "100", "1,000", "n (log)", "t (log)", "a"}
	svg, err := c.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, texts(t, string(svg))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := strings.Count(string(svg), "<circle"); n != 2 {
		t.Errorf("%d points, want the 2 with a logarithm", n)
	}
}

func TestChartBars(t *testing.T) {
	c := &Chart{Title: "t", Y: Axis{Name: "duration", Unit: "ms"}, Bars: []Bar{{"ring", 12.3456}, {"star", math.Inf(1)}, {"mesh", 3}}}
	svg, err := c.SVG()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"t", "0", "5", "10", "15", "duration, ms", "ring", "12.35", "star", "mesh", "3"}
	if diff := cmp.Diff(want, texts(t, string(svg))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestChartWithoutNumbers(t *testing.T) {
	for _, c := range []*Chart{{}, {Series: []Series{{"a", []float64{math.NaN()}, []float64{1}}}}} {
		svg, err := c.SVG()
		if err != nil {
			t.Fatal(err)
		}
		if got := texts(t, string(svg)); got[len(got)-1] != "There are no numbers to draw." {
			t.Errorf("%q", got)
		}
	}
}

func TestInteractive(t *testing.T) {
	spec := sampleChart().vega()
	data, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"series":"ring \u003c4\u003e","x":4,"y":40`, `"select":"interval"`, `"title":"p95 TTFT, ms"`, `"tooltip":"limit 25 ms"`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the specification lacks %s:\n%s", want, data)
		}
	}
	if n := strings.Count(string(data), `"series":`); n != 6 {
		t.Errorf("%d rows, want the 6 with a number", n)
	}
	// The structure survives the way to the kernel.
	var wire bytes.Buffer
	sent := &protocol.DisplayData{Data: map[protocol.MIMEType]any{mimeVega: spec, mimePNG: []byte{1}}}
	if err := gob.NewEncoder(&wire).Encode(sent); err != nil {
		t.Fatal(err)
	}
	var got protocol.DisplayData
	if err := gob.NewDecoder(&wire).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(got.Data[mimeVega]); err != nil || !bytes.Equal(again, data) {
		t.Errorf("after the way: %v\n%s", err, again)
	}
	shown, _, _ := captured(t, func() { Interactive(sampleChart()) })
	if !strings.Contains(shown, "p95 TTFT & <more>, 7 rows") {
		t.Errorf("outside a notebook:\n%s", shown)
	}
}

func TestShowMachine(t *testing.T) {
	scenario, err := simcore.Scenario("multi-gpu")
	if err != nil {
		t.Fatal(err)
	}
	b := bundles(scenario)[0]
	if !strings.HasPrefix(b.text(mimeSVG), "<svg") || !strings.Contains(b.text(mimeText), "multi-gpu") {
		t.Errorf("shown as %q", b.text(mimeText))
	}
	if png, ok := b[mimePNG].([]byte); !ok || !bytes.HasPrefix(png, []byte("\x89PNG")) {
		t.Error("there is no PNG beside the drawing")
	}
}
