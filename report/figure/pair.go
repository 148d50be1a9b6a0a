package figure

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/simcore/evidence"
)

// Pair shows two distributions beside each other, or above each other below 600
// px of plot. An empty half says why.
type Pair struct{ Left, Right Distribution }

// Text gives the figure's words: both findings.
func (f Pair) Text() Text {
	l, r := f.Left.Text(), f.Right.Text()
	t := Text{Run: l.Run, Confidence: evidence.Weakest(l.Confidence, r.Confidence)}
	t.Title = l.Title + "; " + r.Title
	t.What = l.What + "; " + r.What
	t.Alt = alternative(l) + " " + alternative(r)
	t.Caption = l.Caption
	if r.Caption != l.Caption && r.Caption != "" {
		t.Caption += " " + f.Right.Name + ": " + r.Caption
	}
	if l.Empty != "" && r.Empty != "" {
		t.Empty = l.Empty + " " + r.Empty
	}
	return t
}

// SVG renders the figure.
func (f Pair) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f Pair) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f Pair) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives the bins of both halves, the left one's first.
func (f Pair) Table() Table {
	l, r := f.Left.Table(), f.Right.Table()
	return Table{
		Columns: append([]Column{{"distribution", "", false}}, []Column{{"from", "ns", true}, {"to", "ns", true}, {"samples", "", true}, {"at or below", "", true}}...),
		Len:     l.Len + r.Len,
		Row: func(i int) []string {
			if i < l.Len {
				return append([]string{f.Left.Name}, l.Row(i)...)
			}
			return append([]string{f.Right.Name}, r.Row(i-l.Len)...)
		},
	}
}

const (
	pairGap  = 28.0
	sideFrom = 600.0 // px from which on the halves stand beside each other
)

func (f Pair) half(width float64) float64 {
	if width < sideFrom {
		return width
	}
	return (width - pairGap) / 2
}

func (f Pair) plotHeight(width float64) float64 {
	half := f.half(width)
	heights := [2]float64{64, 64}
	for i, d := range [2]Distribution{f.Left, f.Right} {
		if d.Text().Empty == "" {
			heights[i] = d.plotHeight(half)
		}
	}
	if width < sideFrom {
		return heights[0] + heights[1] + pairGap
	}
	return max(heights[0], heights[1])
}

func (f Pair) paint(c draw.Canvas) {
	width := (c.Max.X - c.Min.X).Points()
	a, b := c, c
	if width >= sideFrom {
		half := vg.Length(f.half(width))
		a.Max.X, b.Min.X = c.Min.X+half, c.Max.X-half
	} else {
		middle := c.Center().Y
		a.Min.Y, b.Max.Y = middle+pairGap/2, middle-pairGap/2
	}
	paintHalf(a, f.Left)
	paintHalf(b, f.Right)
}

func paintHalf(c draw.Canvas, d Distribution) {
	if t := d.Text(); t.Empty != "" {
		frame{words: t}.drawEmpty(c)
		return
	}
	d.paint(c)
}
