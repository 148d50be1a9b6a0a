package figure

import (
	"math"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/simcore/trace"
)

// frame is the part of an image around its plot: title and subtitle above, the
// caption below. On a page it is empty, because the page says these words.
type frame struct {
	words                    Text
	title, subtitle, caption []string
	above, below             float64
	padding                  float64
}

const (
	titleLine = 20.0
	textLine  = 16.0
)

func newFrame(words Text, o Options) frame {
	f := frame{words: words}
	if o.Page {
		return f
	}
	f.padding = 16
	width := o.Width - 2*f.padding
	f.title = wrap(words.Title, strong(titleSize), width)
	f.subtitle = wrap(words.Subtitle(), plain(textSize), width)
	f.above = f.padding + titleLine*float64(len(f.title)) + textLine*float64(len(f.subtitle)) + 8
	if words.Caption != "" {
		f.caption = wrap(words.Caption, plain(textSize), width)
		f.below = 6 + textLine*float64(len(f.caption))
	}
	f.below += 12
	return f
}

// draw writes the words and returns the canvas that is left for the plot.
func (f frame) draw(c draw.Canvas) draw.Canvas {
	x := c.Min.X + vg.Length(f.padding)
	y := c.Max.Y - vg.Length(f.padding)
	for _, line := range f.title {
		y -= titleLine
		put(c, strong(titleSize), inkText, x, y+5, left, line)
	}
	for _, line := range f.subtitle {
		y -= textLine
		put(c, plain(textSize), Muted, x, y+4, left, line)
	}
	y = c.Min.Y + vg.Length(f.below) - 6
	for _, line := range f.caption {
		y -= textLine
		put(c, plain(textSize), Muted, x, y+4, left, line)
	}
	p := vg.Length(f.padding)
	return draw.Crop(c, p, -p, vg.Length(f.below), -vg.Length(f.above))
}

// drawEmpty writes the reason why there is nothing to see.
func (f frame) drawEmpty(c draw.Canvas) {
	width := (c.Max.X - c.Min.X).Points()
	lines := wrap(f.words.Empty, plain(13), width)
	y := c.Center().Y + vg.Length(float64(len(lines))*9) - 13
	for _, line := range lines {
		put(c, plain(13), Muted, c.Min.X, y, left, line)
		y -= 18
	}
}

// align places a text relative to its point.
type align int

const (
	left align = iota
	middle
	right
)

// put writes text with its baseline at y.
func put(c draw.Canvas, f font.Face, ink Ink, x, y vg.Length, a align, text string) {
	switch a {
	case middle:
		x -= f.Width(text) / 2
	case right:
		x -= f.Width(text)
	}
	c.SetColor(ink)
	c.FillString(f, vg.Point{X: x, Y: y}, text)
}

// widthOf is the width of text in px.
func widthOf(f font.Face, text string) float64 { return f.Width(text).Points() }

// wrap breaks text between words so that no line is wider than width; a single
// word that is wider is elided.
func wrap(text string, f font.Face, width float64) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		word = elide(word, f, width)
		next := word
		if line != "" {
			next = line + " " + word
		}
		if line != "" && widthOf(f, next) > width {
			lines = append(lines, line)
			next = word
		}
		line = next
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// elide shortens text in its middle to fit width. Ids often differ at their ends,
// so both ends are kept.
func elide(text string, f font.Face, width float64) string {
	runes := []rune(text)
	const longest = 400 // beyond this no label fits any figure; saves measuring
	if len(runes) > longest {
		runes = append(append(append([]rune{}, runes[:longest/2]...), '…'), runes[len(runes)-longest/2:]...)
	}
	if widthOf(f, string(runes)) <= width {
		return string(runes)
	}
	lo, hi := 0, len(runes)-1 // kept runes: lo fits, hi is assumed not to
	cut := func(n int) string {
		head := (n + 1) / 2
		return string(runes[:head]) + "…" + string(runes[len(runes)-(n-head):])
	}
	for lo < hi-1 {
		n := (lo + hi) / 2
		if widthOf(f, cut(n)) <= width {
			lo = n
		} else {
			hi = n
		}
	}
	return cut(lo)
}

// rect is the path of an axis-parallel rectangle.
func rect(x0, y0, x1, y1 vg.Length) vg.Path {
	var p vg.Path
	addRect(&p, x0, y0, x1, y1)
	return p
}

func addRect(p *vg.Path, x0, y0, x1, y1 vg.Length) {
	p.Move(vg.Point{X: x0, Y: y0})
	p.Line(vg.Point{X: x1, Y: y0})
	p.Line(vg.Point{X: x1, Y: y1})
	p.Line(vg.Point{X: x0, Y: y1})
	p.Close()
}

// circle is the path of a circle in four curves: every canvas draws these alike,
// while arcs are the backends' weak spot.
func circle(x, y, r vg.Length) vg.Path {
	k := r * 0.5522847498
	var p vg.Path
	at := func(dx, dy vg.Length) vg.Point { return vg.Point{X: x + dx, Y: y + dy} }
	p.Move(at(r, 0))
	p.CubeTo(at(r, k), at(k, r), at(0, r))
	p.CubeTo(at(-k, r), at(-r, k), at(-r, 0))
	p.CubeTo(at(-r, -k), at(-k, -r), at(0, -r))
	p.CubeTo(at(k, -r), at(r, -k), at(r, 0))
	p.Close()
	return p
}

// fill paints a path, stroke draws its outline.
func fill(c draw.Canvas, ink Ink, p vg.Path) {
	c.SetColor(ink)
	c.Fill(p)
}

func stroke(c draw.Canvas, ink Ink, width float64, p vg.Path, dash ...vg.Length) {
	c.SetColor(ink)
	c.SetLineWidth(vg.Length(width))
	c.SetLineDash(dash, 0)
	c.Stroke(p)
}

// segment is the path of a straight line.
func segment(x0, y0, x1, y1 vg.Length) vg.Path {
	var p vg.Path
	p.Move(vg.Point{X: x0, Y: y0})
	p.Line(vg.Point{X: x1, Y: y1})
	return p
}

// crisp moves a coordinate to the middle of a pixel, so that hairlines are sharp.
func crisp(v vg.Length) vg.Length { return vg.Length(math.Floor(v.Points()) + 0.5) }

// key is one entry of a row of direct labels above a plot.
type key struct {
	ink   Ink
	label string
	shape keyShape
}

type keyShape int

const (
	keyBox keyShape = iota
	keyLine
	keyDash
	keyDot
	keyHatch
	keyOutline
	keyHeavyDash
	keyTick
	keyHatchBack
	keyUnder
	keyRing
	keyCross
	keyTriangle
	keyOpenTriangle
	keySeries // keySeries + i: a curve in the style of series i; the last constant
)

const keyLineHeight = 18.0

// keyRows breaks keys into rows that fit a width.
func keyRows(keys []key, width float64) [][]key {
	var rows [][]key
	x := math.Inf(1)
	for _, k := range keys {
		w := 16 + widthOf(plain(textSize), k.label) + 18
		if x+w-18 > width {
			rows, x = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], k)
		x += w
	}
	return rows
}

// drawKeys writes the rows below the top of c and returns the canvas under them.
func drawKeys(c draw.Canvas, keys []key) draw.Canvas {
	width := (c.Max.X - c.Min.X).Points()
	y := c.Max.Y
	for _, row := range keyRows(keys, width) {
		y -= keyLineHeight
		x := c.Min.X
		for _, k := range row {
			k.draw(c, x, y+5)
			label := elide(k.label, plain(textSize), width-16)
			put(c, plain(textSize), Muted, x+16, y+5, left, label)
			x += vg.Length(16 + widthOf(plain(textSize), label) + 18)
		}
	}
	c.Max.Y = y
	return c
}

func (k key) draw(c draw.Canvas, x, y vg.Length) {
	mid := crisp(y + 4)
	if k.shape >= keySeries {
		stroke(c, k.ink, 2, segment(x-6, mid, x+12, mid), seriesStyles[int(k.shape-keySeries)%len(seriesStyles)].dash...)
		return
	}
	switch k.shape {
	case keyBox:
		fill(c, k.ink, rect(x, y-1, x+10, y+9))
	case keyOutline:
		stroke(c, k.ink, 1, rect(x+0.5, y-0.5, x+9.5, y+8.5))
	case keyHatch:
		hatch(c, k.ink, x, y-1, x+10, y+9)
	case keyHatchBack:
		hatchBack(c, k.ink, x, y-1, x+10, y+9)
	case keyUnder:
		fill(c, k.ink, rect(x, y-1, x+12, y+1))
	case keyLine:
		stroke(c, k.ink, 2, segment(x, mid, x+12, mid))
	case keyHeavyDash:
		stroke(c, k.ink, 2.25, segment(x, mid, x+12, mid), 3, 3)
	case keyDash:
		stroke(c, k.ink, 1, segment(x, mid, x+12, mid), 3, 3)
	case keyDot:
		fill(c, k.ink, circle(x+5, mid, 3))
	case keyRing:
		choice(c, trace.TierWarm, x+5, mid, 3)
	case keyCross:
		choice(c, trace.TierCold, x+5, mid, 3)
	case keyTriangle, keyOpenTriangle:
		triangle(c, k.ink, x+5, y+1, 3.5, k.shape == keyTriangle)
	case keyTick:
		stroke(c, k.ink, 1.5, segment(x+5, y-2, x+5, y+10))
	}
}

// hatch fills a rectangle with diagonal lines and an outline.
func hatch(c draw.Canvas, ink Ink, x0, y0, x1, y1 vg.Length) {
	const gap = 4
	var p vg.Path
	for d := gap - (y1 - y0); d < x1-x0; d += gap {
		from, to := max(d, 0), min(d+(y1-y0), x1-x0)
		if to > from {
			p.Move(vg.Point{X: x0 + from, Y: y0 + from - d})
			p.Line(vg.Point{X: x0 + to, Y: y0 + to - d})
		}
	}
	stroke(c, ink, 1, p)
	stroke(c, ink, 1, rect(x0, y0, x1, y1))
}
