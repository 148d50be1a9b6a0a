package figure_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/internal/sample"
	"github.com/inferlab/inferlab/simcore/evidence"
)

func roofline() figure.Roofline {
	return figure.Roofline{
		Source: figure.Source{Run: "multi-gpu", Confidence: evidence.Heuristic},
		Roofs: []figure.Roof{
			{ID: "aggregate:device-memory", Kind: "device_memory", BytesPerSecond: 6.7e12, Confidence: evidence.Bounded},
			{ID: "memory:vram0", Kind: "device_memory", BytesPerSecond: 3.35e12, Confidence: evidence.Bounded},
			{ID: "link:pcie0", Kind: "interconnect", BytesPerSecond: 64e9, Confidence: evidence.Heuristic},
			{ID: "link:dead", Kind: "interconnect", BytesPerSecond: 0, Confidence: evidence.Heuristic},
		},
		Compute: &figure.ComputeRoof{FlopsPerSecond: 1.979e15, DType: "bf16", Evidence: figure.HeuristicEffective},
		Points: []figure.RoofPoint{
			{ID: "serving-prefill", Phase: "prefill", Intensity: 412, FlopsPerSecond: 8.8e14, Confidence: evidence.Heuristic},
			{ID: "serving-decode", Phase: "decode", Intensity: 2, FlopsPerSecond: 9.1e12, TokensPerSecond: 2100, Confidence: evidence.Heuristic},
		},
	}
}

// paired is two hand-made runs of the same requests at other rates.
func paired(t *testing.T) figure.Paired {
	t.Helper()
	o := sample.Options{Requests: 40, Output: 12, Rate: 30, Scenario: preset(t, "multi-gpu")}
	a := sample.Run(o)
	o.Rate = 60
	return figure.PairTTFT(a, sample.Run(o), "calm", "busy")
}

func TestStudiesGolden(t *testing.T) {
	for name, f := range map[string]figure.Figure{"roofline": roofline(), "paired": paired(t)} {
		for variant, o := range map[string]figure.Options{"": {}, "-dark": {Theme: figure.Dark, Width: 600}, "-page": {Page: true, Width: 350}} {
			svg, err := f.SVG(o)
			if err != nil {
				t.Fatal(err)
			}
			wellFormed(t, name+variant, svg)
			path := filepath.Join("testdata", name+variant+".svg")
			if *update {
				if err := os.WriteFile(path, svg, 0o644); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if string(want) != string(svg) {
				t.Errorf("%s differs from the golden picture:\n%s", path, cmp.Diff(string(want), string(svg)))
			}
		}
		for _, render := range []func(figure.Options) ([]byte, error){f.PNG, f.PDF} {
			if out, err := render(figure.Options{}); err != nil || len(out) < 1000 {
				t.Errorf("%s: %d bytes, %v", name, len(out), err)
			}
		}
	}
}

func TestKnee(t *testing.T) {
	f := roofline()
	if got, want := f.Knee(0), 1.979e15/6.7e12; math.Abs(got-want) > 1e-9 {
		t.Errorf("knee at %v, want %v", got, want)
	}
	if got := f.Knee(3); got != 0 {
		t.Errorf("a dead link has a knee at %v", got)
	}
	f.Compute = nil
	if got := f.Knee(0); got != 0 {
		t.Errorf("without a compute roof the knee is at %v", got)
	}
}

// TestRooflineEmpty: unavailable, filtered away, and values no axis can hold.
func TestRooflineEmpty(t *testing.T) {
	unavailable, filtered, bad, none := roofline(), roofline(), roofline(), figure.Roofline{Points: roofline().Points}
	unavailable.Unavailable = "the execution profile is empty"
	filtered.Phase = "moe"
	bad.Points = []figure.RoofPoint{{ID: "a", Intensity: math.NaN(), FlopsPerSecond: 1}, {ID: "b", Intensity: 1, FlopsPerSecond: math.Inf(1)}}
	for want, f := range map[string]figure.Roofline{"the execution profile is empty": unavailable, "No work passes": filtered, "positive intensity": bad, "No roof is known": none} {
		if got := f.Text().Empty; !strings.Contains(got, want) {
			t.Errorf("empty text %q, want %q in it", got, want)
		}
		svg, err := f.SVG(figure.Options{})
		if err != nil || !strings.Contains(string(svg), "No ro") && !strings.Contains(string(svg), "No work") {
			t.Errorf("the empty figure does not say why: %v", err)
		}
	}
	one := roofline()
	one.Points, one.Roofs = one.Points[:1], one.Roofs[:1]
	if svg, err := one.SVG(figure.Options{}); err != nil || strings.Contains(string(svg), "NaN") {
		t.Errorf("a single point: %v", err)
	}
}

func TestPaired(t *testing.T) {
	f := paired(t)
	sooner, later, equal := f.Sides()
	if len(f.Requests) != 40 || sooner+later+equal != 40 || later == 0 {
		t.Errorf("%d pairs: %d sooner, %d later, %d equal", len(f.Requests), sooner, later, equal)
	}
	if row := f.Table().Row(0); len(row) != 4 || row[0] != f.Requests[0].ID {
		t.Errorf("row %v", row)
	}
	if text := (figure.Paired{}).Text(); text.Empty == "" {
		t.Error("no pair and no reason")
	}
}
