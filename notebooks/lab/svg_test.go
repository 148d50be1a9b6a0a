package lab

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestCompactSVG(t *testing.T) {
	in := "<svg>\n<g><title>a &lt; b</title><path d=\"M0 0\"/>\n</g>\n<g><title>c</title>\n<g><path d=\"M1 1\"/></g></g>\n<text>d</text></svg>"
	want := "<svg>\n<path d=\"M0 0\"/>\n<g><title>c</title>\n<g><path d=\"M1 1\"/></g></g>\n<text>d</text></svg>"
	if got := string(compactSVG([]byte(in))); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What a notebook shows of any result's figure is sound XML, and no larger.
func TestCompactFigures(t *testing.T) {
	for _, result := range results(t) {
		shown, ok := resultBundles(result)
		if !ok {
			t.Fatalf("%T", result)
		}
		svg := shown[1].text(mimeSVG)
		d := xml.NewDecoder(strings.NewReader(svg))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Errorf("%T: %v", result, err)
				break
			}
		}
		if n := strings.Count(svg, "<g><title>"); n > 0 {
			t.Errorf("%T: %d marks keep their words", result, n)
		}
	}
}
