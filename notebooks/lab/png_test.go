package lab

import (
	"bytes"
	"image/png"
	"testing"

	"github.com/inferlab/inferlab/report/figure"
)

// A figure loses bytes and no size, and the same figure gives the same bytes.
func TestCompactPNG(t *testing.T) {
	whole, err := figure.TTFT(sampleRun()).PNG(figure.Options{Scale: 1})
	if err != nil {
		t.Fatal(err)
	}
	small := compactPNG(whole)
	if 2*len(small) > len(whole) {
		t.Errorf("%d of %d bytes stay", len(small), len(whole))
	}
	if !bytes.Equal(small, compactPNG(whole)) {
		t.Error("twice gives other bytes")
	}
	before, err := png.Decode(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	after, err := png.Decode(bytes.NewReader(small))
	if err != nil || after.Bounds() != before.Bounds() {
		t.Fatalf("bounds %v, %v (%v)", after.Bounds(), before.Bounds(), err)
	}
	for _, p := range [][2]int{{0, 0}, {400, 200}, {40, 30}} {
		r1, g1, b1, _ := before.At(p[0], p[1]).RGBA()
		r2, g2, b2, _ := after.At(p[0], p[1]).RGBA()
		for _, d := range []int{int(r1>>8) - int(r2>>8), int(g1>>8) - int(g2>>8), int(b1>>8) - int(b2>>8)} {
			if d < -8 || d > 8 {
				t.Errorf("pixel %v moved by %d", p, d)
			}
		}
	}
	if got := compactPNG([]byte("no picture")); string(got) != "no picture" {
		t.Errorf("what is no picture became %q", got)
	}
}
