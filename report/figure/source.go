package figure

import (
	"fmt"
	"math"

	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/evidence"
)

// Source says which run a figure was made from and how far its times may be
// trusted.
type Source struct {
	Run        string         // short name, for example the scenario id
	Confidence evidence.Class // of the weakest input
}

// words starts a figure's text.
func (s Source) words() Text { return Text{Run: s.Run, Confidence: s.Confidence} }

// Window is a half-open interval of run time in ns. The zero value is the whole
// run.
type Window struct{ FromNs, ToNs int64 }

// over completes the window for a run that lasts from 0 to end.
func (w Window) over(end int64) (from, to float64) {
	from, to = float64(w.FromNs), float64(w.ToNs)
	if to <= from {
		to = float64(end)
	}
	if to <= from {
		to = from + 1
	}
	return from, to
}

// say tells of a window that is not the whole run.
func (w Window) say() string {
	if w == (Window{}) {
		return ""
	}
	return fmt.Sprintf("Window %s to %s. ", dur(w.FromNs), dur(w.ToNs))
}

func dur(ns int64) string { return unit.Duration(float64(ns)) }

// timeAxis is the x axis of every timeline.
func timeAxis(from, to, width float64) axis {
	a := durationAxis("Modeled time", from, to, width-60, xTickSpace)
	a.time = true
	return a
}

// envelope reduces a step function to columns of equal width: per column the
// smallest and largest value that holds in it for any time, and the mean over
// time.
type envelope struct {
	at              []float64 // column starts
	end             float64
	low, high, mean []float64
}

// reduce computes the envelope over [from, to) of the function that has value v[i]
// from at[i] on and start before at[0].
func reduce(at []int64, v []int64, start int64, from, to float64, columns int) envelope {
	columns = max(columns, 1)
	e := envelope{end: to}
	i, value := 0, float64(start)
	for i < len(at) && float64(at[i]) <= from {
		value = float64(v[i])
		i++
	}
	for k := 0; k < columns; k++ {
		x0 := from + float64((to-from)*float64(k))/float64(columns)
		x1 := from + float64((to-from)*float64(k+1))/float64(columns)
		low, high, sum, t := value, value, 0.0, x0
		for i < len(at) && float64(at[i]) < x1 {
			next := float64(at[i])
			sum += float64(value * (next - t))
			value, t = float64(v[i]), next
			low, high = math.Min(low, value), math.Max(high, value)
			i++
		}
		sum += float64(value * (x1 - t))
		e.at = append(e.at, x0)
		e.low, e.high = append(e.low, low), append(e.high, high)
		e.mean = append(e.mean, sum/(x1-x0))
	}
	return e
}

// steps lists the exact step function over [from, to).
func stepsWithin(at []int64, v []int64, start int64, from, to float64) (xs, ys []float64) {
	value := float64(start)
	xs, ys = append(xs, from), append(ys, value)
	for i := range at {
		x := float64(at[i])
		if x >= to {
			break
		}
		if x <= from {
			ys[0] = float64(v[i])
			continue
		}
		if x == xs[len(xs)-1] {
			ys[len(ys)-1] = float64(v[i])
			continue
		}
		xs, ys = append(xs, x), append(ys, float64(v[i]))
	}
	return xs, ys
}
