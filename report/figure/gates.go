package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
)

// Gates compares the errors of every group and transport of a calibration with the
// bounds that the dataset sets itself: normalized RMSE and P95 relative error, each
// as a share of its gate (contract 09, V17).
type Gates struct {
	Source
	MaxRMSE, MaxP95 float64
	Rows            []Gate
}

// Gate is one group or transport.
type Gate struct {
	Name      string
	RMSE, P95 float64
}

// share is the nearer of the two errors to its gate.
func (f Gates) share(g Gate) float64 { return math.Max(g.RMSE/f.MaxRMSE, g.P95/f.MaxP95) }

// Text gives the figure's words.
func (f Gates) Text() Text {
	t := f.words()
	t.What = "Errors of each fit as a share of their gates"
	if len(f.Rows) == 0 {
		t.Title, t.Empty = "Nothing was fitted", "The dataset has no group and no transport."
		return t
	}
	refused, worst := 0, f.Rows[0]
	for _, g := range f.Rows {
		if f.share(g) > 1 {
			refused++
		}
		if f.share(g) > f.share(worst) {
			worst = g
		}
	}
	t.Title = fmt.Sprintf("All %d fits keep their gates; %s comes nearest, at %s of its gate", len(f.Rows), brief(worst.Name), unit.Percent(f.share(worst)))
	if refused > 0 {
		t.Title = fmt.Sprintf("%d of %d fits refused: %s is at %s its gate", refused, len(f.Rows), brief(worst.Name), unit.Factor(f.share(worst)))
	}
	t.Alt = t.Title + "."
	t.Caption = fmt.Sprintf("Gates: normalized RMSE at most %s, P95 relative error at most %s; equality passes.", unit.Percent(f.MaxRMSE), unit.Percent(f.MaxP95))
	if f.clipped() {
		t.Caption += fmt.Sprintf(" Bars end at %s of the gate; their labels have the whole value.", unit.Percent(gateClip))
	}
	return t
}

// gateClip is the share of a gate beyond which bars are cut, so that one bad group
// does not hide the others.
const gateClip = 4.0

func (f Gates) clipped() bool {
	for _, g := range f.Rows {
		if f.share(g) > gateClip {
			return true
		}
	}
	return false
}

// SVG renders the figure.
func (f Gates) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f Gates) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f Gates) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a group or transport.
func (f Gates) Table() Table {
	return Table{
		Columns: []Column{{"fit", "", false}, {"normalized RMSE", "", true}, {"gate", "", true}, {"P95 relative error", "", true}, {"gate", "", true}},
		Len:     len(f.Rows),
		Row: func(i int) []string {
			g := f.Rows[i]
			return []string{g.Name, exact(g.RMSE), exact(f.MaxRMSE), exact(g.P95), exact(f.MaxP95)}
		},
	}
}

const gateRow = 24.0

func (f Gates) plotHeight(float64) float64 {
	return keyLineHeight + 8 + gateRow*float64(len(f.Rows)) + tickHeight + xNameSpace
}

func (f Gates) paint(c draw.Canvas) {
	keys := []key{{Series, "normalized RMSE", keyBox}, {Transfer, "P95 relative error", keyBox}}
	if slices.ContainsFunc(f.Rows, func(g Gate) bool { return f.share(g) > 1 }) {
		keys = append(keys, key{Fault, "beyond the gate", keyBox})
	}
	c = drawKeys(c, keys)
	width := (c.Max.X - c.Min.X).Points()
	names, most := 0.0, 1.2
	for _, g := range f.Rows {
		names = math.Max(names, widthOf(plain(textSize), elide(g.Name, plain(textSize), width*0.38)))
		most = math.Max(most, f.share(g)*1.05)
	}
	most = math.Min(most, gateClip)
	x := axis{max: most, name: "Share of the gate, %", ticks: linearTicks(0, most, 0.01, width-names-80, 60, true)}
	p := panel{x: x, left: names + 10, right: 58, y: axis{max: float64(len(f.Rows))}}
	p.draw(c)
	area := draw.Crop(c, vg.Length(p.left), -vg.Length(p.right), tickHeight+xNameSpace, -8)
	row := (area.Max.Y - area.Min.Y) / vg.Length(len(f.Rows))
	for i, g := range f.Rows {
		y := area.Max.Y - row*vg.Length(float64(i)+0.5)
		put(area, plain(textSize), inkText, area.Min.X-8, y-4, right, elide(g.Name, plain(textSize), width*0.38))
		f.bar(area, g.Name+": normalized RMSE", g.RMSE, f.MaxRMSE, Series, y+1, y+8, most)
		f.bar(area, g.Name+": P95 relative error", g.P95, f.MaxP95, Transfer, y-8, y-1, most)
	}
	gate := crisp(area.Min.X + (area.Max.X-area.Min.X)*vg.Length(1/most))
	stroke(area, inkText, 1, segment(gate, area.Min.Y, gate, area.Max.Y), 4, 3)
}

func (f Gates) bar(c draw.Canvas, name string, value, bound float64, ink Ink, y0, y1 vg.Length, most float64) {
	share := value / bound
	if share > 1 {
		ink = Fault
	}
	end := c.Min.X + (c.Max.X-c.Min.X)*vg.Length(math.Min(share, most)/most)
	hover := fmt.Sprintf("%s %s of at most %s", name, unit.Percent(value), unit.Percent(bound))
	marked(c, hover, func() { fill(c, ink, rect(c.Min.X, y0, max(end, c.Min.X+1), y1)) })
	if share > 1 {
		put(c, plain(10), Fault, end+4, y0, left, unit.Percent(share))
	}
}
