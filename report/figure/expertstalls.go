package figure

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/trace"
)

// ExpertStalls divides the time that routes waited for their experts by the slowest
// tier that held one of them: a route waits for its slowest copy, so that is what
// it waited for.
type ExpertStalls struct {
	Source
	Groups [3]StallGroup // by slowest tier: hot, warm, cold
}

// StallGroup are the routes with one slowest tier. Their stalls are in ns, ascending.
type StallGroup struct{ SortedNs []int64 }

// total is the sum of the stalls.
func (g *StallGroup) total() (sum int64) {
	for _, ns := range g.SortedNs {
		sum += ns
	}
	return sum
}

// quantile is the element number ceil(n*num/den), counted from 1; 0 without any.
func (g *StallGroup) quantile(num, den int) int64 {
	n := len(g.SortedNs)
	if n == 0 {
		return 0
	}
	return g.SortedNs[max((n*num+den-1)/den, 1)-1]
}

// Stalls reads a figure from a cache's lossless trace.
func Stalls(src Source, tr *trace.Experts) ExpertStalls {
	f := ExpertStalls{Source: src}
	for i := range tr.Accesses {
		a := &tr.Accesses[i]
		slowest := trace.TierHot
		for _, tier := range tr.TierLists[a.TierFrom:a.TierTo] {
			slowest = max(slowest, tier)
		}
		g := &f.Groups[slowest]
		g.SortedNs = append(g.SortedNs, a.StallNs)
	}
	for i := range f.Groups {
		slices.Sort(f.Groups[i].SortedNs)
	}
	return f
}

var stallNames = [...]string{"all experts hot", "slowest expert warm", "slowest expert cold"}

func (f ExpertStalls) total() (routes int, ns int64) {
	for i := range f.Groups {
		routes += len(f.Groups[i].SortedNs)
		ns += f.Groups[i].total()
	}
	return routes, ns
}

// Text gives the figure's words.
func (f ExpertStalls) Text() Text {
	t := f.words()
	t.What = "Stall of all routes by the slowest tier that held one of their experts"
	routes, total := f.total()
	if routes == 0 {
		t.Title, t.Empty = "No route to show", "No route was executed."
		return t
	}
	cold := f.Groups[trace.TierCold].total()
	t.Title = fmt.Sprintf("Routes stall %s in all, %s of it for cold experts", dur(total), unit.Percent(share(cold, total)))
	if total == 0 {
		t.Title = "No route stalls"
	}
	t.Alt = fmt.Sprintf("Of %s, %s waited for a cold expert (%s in all), %s for a warm one (%s), and %s found all experts hot.",
		unit.Plural(int64(routes), "route"), unit.Count(int64(len(f.Groups[trace.TierCold].SortedNs))), dur(cold),
		unit.Count(int64(len(f.Groups[trace.TierWarm].SortedNs))), dur(f.Groups[trace.TierWarm].total()), unit.Count(int64(len(f.Groups[trace.TierHot].SortedNs))))
	t.Caption = "A copy that is on its way counts as the tier that it comes from. p95 by nearest rank over the routes of a group."
	return t
}

// SVG renders the figure.
func (f ExpertStalls) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f ExpertStalls) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f ExpertStalls) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a group.
func (f ExpertStalls) Table() Table {
	return Table{
		Columns: []Column{{"slowest tier", "", false}, {"routes", "", true}, {"stall", "ns", true}, {"p50", "ns", true}, {"p95", "ns", true}, {"longest", "ns", true}},
		Len:     len(f.Groups),
		Row: func(i int) []string {
			g := &f.Groups[i]
			return append([]string{trace.Tier(i).String()}, decimals(int64(len(g.SortedNs)), g.total(), g.quantile(1, 2), g.quantile(19, 20), g.quantile(1, 1))...)
		},
	}
}

func (f ExpertStalls) bars(width float64) barRows {
	top := int64(1)
	for i := range f.Groups {
		top = max(top, f.Groups[i].total())
	}
	b := barRows{x: durationAxis("Modeled stall, sum", 0, float64(top), width-20, xTickSpace),
		keys: []key{{ink: Hot, label: "hot"}, {ink: Warm, label: "warm"}, {ink: Cold, label: "cold"}}}
	for i := range f.Groups {
		g := &f.Groups[i]
		words := fmt.Sprintf("%s, %s", unit.Plural(int64(len(g.SortedNs)), "route"), dur(g.total()))
		if len(g.SortedNs) > 0 && g.total() > 0 {
			words += ", p95 " + dur(g.quantile(19, 20))
		}
		b.rows = append(b.rows, barLine{name: stallNames[i], words: words,
			parts: []barPart{{size: float64(g.total()), ink: tierInks[i], hover: stallNames[i] + ": " + words}}})
	}
	return b
}

func (f ExpertStalls) plotHeight(width float64) float64 {
	b := f.bars(width)
	return b.height(width)
}

func (f ExpertStalls) paint(c draw.Canvas) {
	b := f.bars((c.Max.X - c.Min.X).Points())
	b.paint(c)
}
