package figure

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/inferlab/inferlab/report/unit"
)

// TestLogTicks: whatever the range, a logarithmic axis has at least two labelled
// ticks inside it, in ascending order and not more than fit.
func TestLogTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		min := math.Pow(10, rapid.Float64Range(0, 14).Draw(t, "min"))
		max := min * math.Pow(10, rapid.Float64Range(0.02, 9).Draw(t, "decades"))
		pixels := rapid.Float64Range(180, 1200).Draw(t, "pixels")
		ticks := logTicks(min, max, pixels, 72, unit.Duration)
		if len(ticks) < 2 {
			t.Fatalf("%g to %g on %g px: ticks %v", min, max, pixels, ticks)
		}
		last := 0.0
		for _, k := range ticks {
			if k.Label == "" || k.Value <= last || k.Value < min*(1-1e-6) || k.Value > max*(1+1e-6) {
				t.Fatalf("%g to %g on %g px: bad tick %+v", min, max, pixels, k)
			}
			last = k.Value
		}
		if float64(len(ticks)) > pixels/20 {
			t.Fatalf("%d ticks on %g px", len(ticks), pixels)
		}
	})
}

func TestLinearTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		min := rapid.Float64Range(0, 1e12).Draw(t, "min")
		max := min + rapid.Float64Range(1, 1e13).Draw(t, "span")
		pixels := rapid.Float64Range(150, 1200).Draw(t, "pixels")
		a := durationAxis("t", min, max, pixels, xTickSpace)
		// A step that places one tick in the range may be followed by one 2.5 times finer,
		// which places up to five.
		if len(a.ticks) == 0 || float64(len(a.ticks)) > math.Max(pixels/xTickSpace+3, 5) {
			t.Fatalf("%g to %g on %g px: %d ticks", min, max, pixels, len(a.ticks))
		}
		for i, k := range a.ticks {
			if i > 0 && a.ticks[i-1].Label == k.Label {
				t.Fatalf("two ticks read %q", k.Label)
			}
		}
	})
}

// TestContrast checks R5 against the page's ground in both themes: marks 3:1, text
// 4.5:1.
func TestContrast(t *testing.T) {
	text := map[string]bool{"ink": true, "muted": true, "fault": true, "exact": true, "bounded": true, "calibrated": true, "heuristic": true}
	seen := map[string]bool{}
	for _, ink := range Inks() {
		if seen[ink.name] {
			t.Errorf("ink %s is listed twice", ink.name)
		}
		seen[ink.name] = true
		if ink == Hairline || ink == Ground || ink == Panel {
			continue
		}
		want := 3.0
		if text[ink.name] {
			want = 4.5
		}
		for _, theme := range []Theme{Light, Dark} {
			for _, ground := range []Ink{Ground, Panel} {
				if ground == Panel && !text[ink.name] {
					continue
				}
				if got := contrast(ink.value(theme), ground.value(theme)); got < want {
					t.Errorf("%s on %s, theme %d: contrast %.2f, want %.1f", ink.name, ground.name, theme, got, want)
				}
			}
		}
	}
}

// contrast is the WCAG contrast ratio of two colours.
func contrast(a, b uint32) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(rgb uint32) float64 {
	channel := func(v uint32) float64 {
		f := float64(v&255) / 255
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(rgb>>16) + 0.7152*channel(rgb>>8) + 0.0722*channel(rgb)
}

// TestReduceKeepsExtremes: the envelope holds every value that the function takes,
// and its mean integrates to the same area.
func TestReduceKeepsExtremes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(t, "n")
		var at, v []int64
		x := int64(0)
		for range n {
			x += rapid.Int64Range(1, 50).Draw(t, "gap")
			at, v = append(at, x), append(v, rapid.Int64Range(0, 1000).Draw(t, "value"))
		}
		end := float64(x + 10)
		columns := rapid.IntRange(1, 60).Draw(t, "columns")
		e := reduce(at, v, 0, 0, end, columns)
		area, most := 0.0, 0.0
		for i := range v {
			until := end
			if i+1 < n {
				until = float64(at[i+1])
			}
			area += float64(v[i]) * (until - float64(at[i]))
			most = math.Max(most, float64(v[i]))
		}
		sum, top := 0.0, 0.0
		for i, m := range e.mean {
			sum += m * end / float64(columns)
			top = math.Max(top, e.high[i])
			if e.low[i] > m+1e-6 || e.high[i] < m-1e-6 {
				t.Fatalf("column %d: mean %g outside %g to %g", i, m, e.low[i], e.high[i])
			}
		}
		if math.Abs(sum-area) > 1e-6*math.Max(1, area) || top != most {
			t.Fatalf("area %g, want %g; top %g, want %g", sum, area, top, most)
		}
	})
}

// TestQuantileLabels: labels never cover each other as long as there is room.
func TestQuantileLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "n")
		ns := make([]int64, n)
		for i := range ns {
			ns[i] = rapid.Int64Range(0, 5_000_000_000).Draw(t, "ns")
		}
		d := NewDistribution(Source{}, "TTFT", "", "request", ns)
		qs, rows := d.placed(rapid.Float64Range(420, 1000).Draw(t, "width"))
		if k := conflicts(qs); k != 0 || rows > 3 {
			t.Fatalf("%d conflicts in %d rows: %+v", k, rows, qs)
		}
	})
}
