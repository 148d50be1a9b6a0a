package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/serving"
)

// Paired shows one quantity of every request of two runs of the same workload
// against each other: below the diagonal the run is faster for that request, above
// it the reference is (contract 09, V14).
type Paired struct {
	Source
	Name      string // "TTFT"
	Reference string // label of the reference, on the x axis
	Other     string // label of the run, on the y axis
	Requests  []PairedRequest
}

// PairedRequest is one request in both runs; times in ns.
type PairedRequest struct {
	ID                   string
	ReferenceNs, OtherNs int64
}

// PairTTFT pairs the time to first token of the requests of two runs by id.
// Requests that only one of them has are left out.
func PairTTFT(reference, other *serving.Run, referenceLabel, otherLabel string) Paired {
	f := Paired{Source: sourceOfAll([]*serving.Run{reference, other}), Name: "TTFT", Reference: referenceLabel, Other: otherLabel}
	at := make(map[string]int64, len(other.Requests))
	for i := range other.Requests {
		at[other.Config.Requests[other.Requests[i].Request].ID] = other.Requests[i].TimeToFirstTokenNs
	}
	for i := range reference.Requests {
		id := reference.Config.Requests[reference.Requests[i].Request].ID
		if ns, ok := at[id]; ok {
			f.Requests = append(f.Requests, PairedRequest{ID: id, ReferenceNs: reference.Requests[i].TimeToFirstTokenNs, OtherNs: ns})
		}
	}
	return f
}

// Sides counts the requests that the run serves sooner, later and equally.
func (f Paired) Sides() (sooner, later, equal int64) {
	for i := range f.Requests {
		switch r := &f.Requests[i]; {
		case r.OtherNs < r.ReferenceNs:
			sooner++
		case r.OtherNs > r.ReferenceNs:
			later++
		default:
			equal++
		}
	}
	return sooner, later, equal
}

// Text gives the figure's words.
func (f Paired) Text() Text {
	t := f.words()
	t.What = "Modeled " + f.Name + " of every request in both runs; below the diagonal " + brief(f.Other) + " is sooner"
	if len(f.Requests) == 0 {
		t.Title, t.Empty = "No request to pair", "The two runs have no request in common."
		return t
	}
	sooner, later, equal := f.Sides()
	n := float64(len(f.Requests))
	t.Title = fmt.Sprintf("%s is sooner for %s of requests, later for %s", brief(f.Other), unit.Percent(float64(sooner)/n), unit.Percent(float64(later)/n))
	t.Alt = fmt.Sprintf("Of %s, %s sooner, %s later and %s equal in %s against %s.", unit.Plural(int64(len(f.Requests)), "request"),
		unit.Count(sooner), unit.Count(later), unit.Count(equal), brief(f.Other), brief(f.Reference))
	t.Caption = "Requests that fall on the same half pixel are drawn once. Both axes have the same range."
	return t
}

// SVG renders the figure.
func (f Paired) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f Paired) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f Paired) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a request, in the reference's order.
func (f Paired) Table() Table {
	return Table{
		Columns: []Column{{"request", "", false}, {f.Reference, "ns", true}, {f.Other, "ns", true}, {"difference", "ns", true}},
		Len:     len(f.Requests),
		Row: func(i int) []string {
			r := &f.Requests[i]
			return append([]string{r.ID}, decimals(r.ReferenceNs, r.OtherNs, r.OtherNs-r.ReferenceNs)...)
		},
	}
}

func (f Paired) plotHeight(width float64) float64 { return math.Min(width*0.8, 400) }

func (f Paired) paint(c draw.Canvas) {
	least, most := math.Inf(1), 0.0
	points := make([]point, len(f.Requests))
	for i := range f.Requests {
		p := point{float64(f.Requests[i].ReferenceNs), float64(f.Requests[i].OtherNs)}
		points[i] = p
		least, most = math.Min(least, math.Min(p.x, p.y)), math.Max(most, math.Max(p.x, p.y))
	}
	width, height := (c.Max.X-c.Min.X).Points()-60, (c.Max.Y-c.Min.Y).Points()-60
	from, to := 0.0, math.Max(most*1.05, 1)
	p := panel{x: durationAxis(brief(f.Reference), from, to, width, xTickSpace), y: durationAxis(brief(f.Other), from, to, height, yTickSpace)}
	if least > 0 && most > 30*least {
		from, to = least/1.3, most*1.3
		p.x, p.y = logDurationAxis(brief(f.Reference), from, to, width, xTickSpace), logDurationAxis(brief(f.Other), from, to, height, yTickSpace)
	}
	p.marks = []plot.Plotter{
		line{ink: Muted, width: 1, dash: []vg.Length{4, 3}, points: []point{{from, from}, {to, to}}},
		dots{points: points, ink: Series, radius: 2.2},
	}
	p.draw(c)
}
