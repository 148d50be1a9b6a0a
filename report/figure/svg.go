package figure

import (
	"bytes"
	"image"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// svgCanvas is a vg.Canvas that writes compact SVG: absolute coordinates rounded
// to a hundredth of a pixel, text as text, no style attributes (a page's content
// security policy forbids them) and, on a page, inks as class names.
//
// One vg point is one CSS pixel.
type svgCanvas struct {
	width, height float64
	theme         Theme
	classes       bool // inks as class names of the page's style sheet
	body          bytes.Buffer
	stack         []svgState
}

// svgState is what Push saves. The transform maps user to canvas coordinates, both
// with y upward: x' = a·x + c·y + e, y' = b·x + d·y + f.
type svgState struct {
	a, b, c, d, e, f float64
	ink              Ink
	line             float64
	dash             []vg.Length
	offset           vg.Length
}

func newSVGCanvas(width, height float64, theme Theme, classes bool) *svgCanvas {
	c := &svgCanvas{width: width, height: height, theme: theme, classes: classes}
	c.stack = []svgState{{a: 1, d: 1, ink: inkText, line: 1}}
	return c
}

func (s *svgCanvas) top() *svgState { return &s.stack[len(s.stack)-1] }

// Size gives the canvas size.
func (s *svgCanvas) Size() (w, h vg.Length) { return vg.Length(s.width), vg.Length(s.height) }

// SetColor sets the ink of fills, strokes and text; a colour that is no Ink is
// drawn as text ink.
func (s *svgCanvas) SetColor(c color.Color) {
	ink, ok := c.(Ink)
	if !ok {
		ink = inkText
	}
	s.top().ink = ink
}

// SetLineWidth sets the stroke width.

func (s *svgCanvas) SetLineWidth(w vg.Length) { s.top().line = w.Points() }

// SetLineDash sets the dash pattern.
func (s *svgCanvas) SetLineDash(dashes []vg.Length, offset vg.Length) {
	s.top().dash, s.top().offset = dashes, offset
}

// Push saves the drawing state.
func (s *svgCanvas) Push() { s.stack = append(s.stack, *s.top()) }

// Pop restores the drawing state.
func (s *svgCanvas) Pop() { s.stack = s.stack[:len(s.stack)-1] }

// Translate moves the origin.
func (s *svgCanvas) Translate(p vg.Point) { s.concat(1, 0, 0, 1, p.X.Points(), p.Y.Points()) }

// Scale scales both axes.
func (s *svgCanvas) Scale(x, y float64) { s.concat(x, 0, 0, y, 0, 0) }

// Rotate turns counter-clockwise by an angle in radians.
func (s *svgCanvas) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	s.concat(cos, sin, -sin, cos, 0, 0)
}

func (s *svgCanvas) concat(a, b, c, d, e, f float64) {
	t := s.top()
	*t = svgState{
		a: float64(t.a*a) + float64(t.c*b), b: float64(t.b*a) + float64(t.d*b),
		c: float64(t.a*c) + float64(t.c*d), d: float64(t.b*c) + float64(t.d*d),
		e: float64(t.a*e) + float64(t.c*f) + t.e, f: float64(t.b*e) + float64(t.d*f) + t.f,
		ink: t.ink, line: t.line, dash: t.dash, offset: t.offset,
	}
}

// at maps a point to SVG coordinates, y downward.
func (s *svgCanvas) at(p vg.Point) (x, y float64) {
	t := s.top()
	px, py := p.X.Points(), p.Y.Points()
	x = float64(t.a*px) + float64(t.c*py) + t.e
	y = float64(t.b*px) + float64(t.d*py) + t.f
	return x, s.height - y
}

// number writes a coordinate rounded to a hundredth.
func (s *svgCanvas) number(v float64) {
	r := math.Round(v*100) / 100
	if r == 0 {
		r = 0 // drop the sign of a negative zero
	}
	s.body.Write(strconv.AppendFloat(nil, r, 'f', -1, 64))
}

// Stroke draws the outline of a path.
func (s *svgCanvas) Stroke(p vg.Path) {
	t := s.top()
	if t.line <= 0 || len(p) == 0 || t.ink.opacity == 0 {
		return
	}
	s.body.WriteString(`<path `)
	s.paint("s", "stroke")
	if !s.classes {
		s.body.WriteString(` fill="none"`)
	}
	if t.line != 1 {
		s.body.WriteString(` stroke-width="`)
		s.number(t.line)
		s.body.WriteByte('"')
	}
	s.dashes(t)
	s.data(p)
	s.body.WriteString("/>\n")
}

func (s *svgCanvas) dashes(t *svgState) {
	if len(t.dash) == 0 {
		return
	}
	s.body.WriteString(` stroke-dasharray="`)
	for i, d := range t.dash {
		if i > 0 {
			s.body.WriteByte(' ')
		}
		s.number(d.Points())
	}
	s.body.WriteByte('"')
}

// Fill fills a path.
func (s *svgCanvas) Fill(p vg.Path) {
	if len(p) == 0 || s.top().ink.opacity == 0 {
		return
	}
	s.body.WriteString(`<path `)
	s.paint("f", "fill")
	s.data(p)
	s.body.WriteString("/>\n")
}

// paint writes the current ink as the class or the literal value of a property.
func (s *svgCanvas) paint(class, property string) {
	ink := s.top().ink
	if s.classes {
		s.body.WriteString(`class="` + class + "-" + ink.name + `"`)
	} else {
		s.body.WriteString(property + `="` + ink.Hex(s.theme) + `"`)
	}
	if ink.opacity != 1 {
		s.body.WriteString(" " + property + `-opacity="` + ink.opacityText() + `"`)
	}
}

// data writes the path, horizontal and vertical lines in their short form.
func (s *svgCanvas) data(p vg.Path) {
	s.body.WriteString(` d="`)
	var lastX, lastY float64
	for _, comp := range p {
		x, y := s.at(comp.Pos)
		switch comp.Type {
		case vg.MoveComp:
			s.command('M', x, y)
		case vg.LineComp:
			switch {
			case math.Abs(y-lastY) < 0.005:
				s.body.WriteByte('H')
				s.number(x)
				y = lastY
			case math.Abs(x-lastX) < 0.005:
				s.body.WriteByte('V')
				s.number(y)
				x = lastX
			default:
				s.command('L', x, y)
			}
		case vg.CurveComp:
			op := byte('Q')
			if len(comp.Control) == 2 {
				op = 'C'
			}
			for _, q := range comp.Control {
				cx, cy := s.at(q)
				s.command(op, cx, cy)
				op = ' '
			}
			s.command(' ', x, y)
		case vg.ArcComp:
			x, y = s.arc(comp)
		case vg.CloseComp:
			s.body.WriteByte('Z')
			continue
		}
		lastX, lastY = x, y
	}
	s.body.WriteByte('"')
}

func (s *svgCanvas) command(op byte, x, y float64) {
	s.body.WriteByte(op)
	s.number(x)
	s.body.WriteByte(' ')
	s.number(y)
}

// arc writes an arc as two half arcs, because SVG cannot draw a full circle in one.
func (s *svgCanvas) arc(comp vg.PathComp) (x, y float64) {
	r := comp.Radius.Points()
	on := func(angle float64) (float64, float64) {
		sin, cos := math.Sincos(angle)
		return s.at(vg.Point{X: comp.Pos.X + vg.Length(r*cos), Y: comp.Pos.Y + vg.Length(r*sin)})
	}
	x, y = on(comp.Start)
	if s.body.Bytes()[s.body.Len()-1] == '"' {
		s.command('M', x, y)
	} else {
		s.command('L', x, y)
	}
	sweep := " 0 0 0 "
	if comp.Angle < 0 {
		sweep = " 0 0 1 "
	}
	for _, part := range []float64{0.5, 1} {
		x, y = on(comp.Start + float64(comp.Angle*part))
		s.body.WriteByte('A')
		s.number(r)
		s.body.WriteByte(' ')
		s.number(r)
		s.body.WriteString(sweep)
		s.number(x)
		s.body.WriteByte(' ')
		s.number(y)
	}
	return x, y
}

// FillString writes text; the family is set once for the document.
func (s *svgCanvas) FillString(f font.Face, p vg.Point, text string) {
	if f.Font.Size == 0 || text == "" {
		return
	}
	t := s.top()
	x, y := s.at(p)
	s.body.WriteString(`<text x="`)
	s.number(x)
	s.body.WriteString(`" y="`)
	s.number(y)
	s.body.WriteString(`" `)
	s.paint("f", "fill")
	s.body.WriteString(` font-size="`)
	s.number(f.Font.Size.Points())
	s.body.WriteByte('"')
	if f.Font.Weight > 0 {
		s.body.WriteString(` font-weight="bold"`)
	}
	if turn := math.Atan2(t.b, t.a); math.Abs(turn) > 1e-9 {
		s.body.WriteString(` transform="rotate(`)
		s.number(-turn * 180 / math.Pi)
		s.body.WriteByte(' ')
		s.number(x)
		s.body.WriteByte(' ')
		s.number(y)
		s.body.WriteString(`)"`)
	}
	s.body.WriteByte('>')
	escapeXML(&s.body, text)
	s.body.WriteString("</text>\n")
}

// DrawImage does nothing: no figure holds a raster image.
func (s *svgCanvas) DrawImage(vg.Rectangle, image.Image) {}

// svgOf is the SVG canvas under a drawing area, if it is one: cropping an area wraps
// its canvas once more.
func svgOf(c draw.Canvas) (*svgCanvas, bool) {
	for {
		switch inner := c.Canvas.(type) {
		case *svgCanvas:
			return inner, true
		case draw.Canvas:
			c = inner
		case *draw.Canvas:
			c = *inner
		default:
			return nil, false
		}
	}
}

// openMark starts a group that a browser describes with title on hover. A key and
// the keys of related marks let a page's script highlight what belongs together.
func (s *svgCanvas) openMark(title, key string, related []string) {
	s.body.WriteString("<g")
	if key != "" && s.classes {
		s.body.WriteString(` data-k="` + key + `"`)
		if len(related) > 0 {
			s.body.WriteString(` data-r="` + strings.Join(related, " ") + `"`)
		}
	}
	s.body.WriteByte('>')
	s.title(title)
}

// openJoined starts a mark that is lit with marks of other drawings: when names the
// kind of mark, then "=", then its spans of run time.
func (s *svgCanvas) openJoined(title, when string) {
	s.body.WriteString("<g")
	if kind, spans, _ := strings.Cut(when, "="); s.classes {
		s.body.WriteString(" data-" + kind + `="` + spans + `"`)
	}
	s.body.WriteByte('>')
	s.title(title)
}

func (s *svgCanvas) title(text string) {
	s.body.WriteString("<title>")
	escapeXML(&s.body, text)
	s.body.WriteString("</title>")
}

func (s *svgCanvas) closeMark() { s.body.WriteString("</g>\n") }

// openArea starts the part of a timeline that a page may stretch along the time
// axis: a nested drawing that shows exactly its own rectangle, with the times of
// its left and right end and the unit of its labels in ns.
func (s *svgCanvas) openArea(r vg.Rectangle, x axis) {
	x0, y0 := s.at(vg.Point{X: r.Min.X, Y: r.Max.Y})
	x1, y1 := s.at(vg.Point{X: r.Max.X, Y: r.Min.Y})
	box := func() {
		for i, v := range []float64{x0, y0 - 2, x1 - x0, y1 - y0 + 4} {
			if i > 0 {
				s.body.WriteByte(' ')
			}
			s.number(v)
		}
	}
	s.body.WriteString(`<svg class="area" data-from="` + exact(x.min) + `" data-to="` + exact(x.max) +
		`" data-unit="` + exact(x.size) + `" data-box="`)
	box()
	s.body.WriteString(`" x="`)
	s.number(x0)
	s.body.WriteString(`" y="`)
	s.number(y0 - 2)
	s.body.WriteString(`" width="`)
	s.number(x1 - x0)
	s.body.WriteString(`" height="`)
	s.number(y1 - y0 + 4)
	s.body.WriteString(`" viewBox="`)
	box()
	s.body.WriteString(`" preserveAspectRatio="none">` + "\n")
}

func (s *svgCanvas) closeArea() { s.body.WriteString("</svg>\n") }

// openGroup starts a group that a page's script finds by its class.
func (s *svgCanvas) openGroup(class string) { s.body.WriteString(`<g class="` + class + `">` + "\n") }

func (s *svgCanvas) closeGroup() { s.body.WriteString("</g>\n") }

// document wraps the drawing. The text alternative becomes title and desc.
func (s *svgCanvas) document(w io.Writer, name, description string) error {
	var head bytes.Buffer
	head.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 `)
	size := strconv.FormatFloat(s.width, 'f', -1, 64) + " " + strconv.FormatFloat(s.height, 'f', -1, 64)
	head.WriteString(size + `"`)
	if s.classes {
		head.WriteString(` class="figure"`)
	} else {
		head.WriteString(` width="` + strconv.FormatFloat(s.width, 'f', -1, 64) +
			`" height="` + strconv.FormatFloat(s.height, 'f', -1, 64) +
			`" font-family="'Liberation Sans', Arial, Helvetica, sans-serif"`)
	}
	head.WriteString(` role="img" aria-label="`)
	escapeXML(&head, description)
	head.WriteString(`"><desc>`)
	escapeXML(&head, name)
	head.WriteString("</desc>\n")
	if _, err := w.Write(head.Bytes()); err != nil {
		return err
	}
	if _, err := w.Write(s.body.Bytes()); err != nil {
		return err
	}
	_, err := io.WriteString(w, "</svg>\n")
	return err
}

// escapeXML writes text with the characters that markup gives a meaning escaped,
// and those that XML cannot hold at all replaced.
func escapeXML(b *bytes.Buffer, text string) {
	for _, r := range text {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case r == '"':
			b.WriteString("&#34;")
		case r == '\'':
			b.WriteString("&#39;")
		case r < 0x20 && r != '\t' && r != '\n', r == 0x7f, r == 0xFFFE, r == 0xFFFF:
			b.WriteRune('\uFFFD')
		default:
			b.WriteRune(r)
		}
	}
}
