package figure

import (
	"bytes"
	"errors"
	"image/color"
	"math"
	"strconv"
	"strings"

	stdfont "golang.org/x/image/font"
	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"

	"github.com/inferlab/inferlab/simcore/evidence"
)

// Theme chooses literal colours.
type Theme int

// The two themes.
const (
	Light Theme = iota
	Dark
)

// Options says how a figure is rendered. The zero value is the notebook's figure:
// 760 px wide, light, with title and caption inside the image.
type Options struct {
	Width  float64 // CSS px; 0: 760
	Height float64 // CSS px of the whole image; 0: what the figure needs
	Theme  Theme   // literal colours; ignored with Page
	Page   bool    // for a report page: inks as class names, words left to the page
	Scale  float64 // PNG pixels per CSS px; 0: 2
}

// The widths that a figure can have, in px.
const (
	DefaultWidth = 760
	minWidth     = 240
	maxWidth     = 8000
)

// ErrSize reports a width or height that no figure can have.
var ErrSize = errors.New("figure: width must be 240 to 8000 px, height 0 or 60 to 8000 px, scale 0 to 8")

// Text is a figure in words.
type Text struct {
	Title      string // the finding
	What       string // what is plotted, of which part of the run
	Run        string // which run
	Confidence evidence.Class
	Caption    string // reductions, references out of range, conventions
	Alt        string // the finding in one sentence with numbers
	Empty      string // the reason why nothing is drawn; empty when something is
}

// Subtitle joins what, run and confidence. Only exact facts, which timing never is,
// go without the word modeled.
func (t Text) Subtitle() string {
	s, modeled := t.What, "modeled"
	if t.Confidence == evidence.Exact {
		modeled = ""
	}
	for _, part := range []string{t.Run, modeled, string(t.Confidence)} {
		if part == "" {
			continue
		}
		if s != "" {
			s += " · "
		}
		s += part
	}
	return s
}

// Figure is what a page or a notebook needs to know of a figure.
type Figure interface {
	// SVG renders the figure as one SVG element, without an XML declaration.
	SVG(Options) ([]byte, error)
	// PNG renders the figure as an image of Scale times its CSS size.
	PNG(Options) ([]byte, error)
	// PDF renders the figure on one page of its size, one point per px.
	PDF(Options) ([]byte, error)
	// Text gives the figure's words.
	Text() Text
	// Table gives the plotted numbers in base units and full precision.
	Table() Table
}

// Table holds a figure's numbers by row, made on demand.
type Table struct {
	Columns []Column
	Len     int
	Row     func(i int) []string // one cell a column
}

// Column names a column and, when its cells are numbers, their unit.
type Column struct {
	Name    string
	Unit    string // "ns", "bytes", "tokens", …; empty for text and plain counts
	Numeric bool   // set flush right
}

// content is what render needs of a figure.
type content interface {
	Text() Text
	// plotHeight is the height that the plot itself needs at the width that paint
	// will have, in px.
	plotHeight(width float64) float64
	// paint draws the plot into c; never called when the figure is empty.
	paint(c draw.Canvas)
}

func (o Options) validate() (Options, error) {
	if o.Width == 0 {
		o.Width = DefaultWidth
	}
	if o.Scale == 0 {
		o.Scale = 2
	}
	ok := o.Width >= minWidth && o.Width <= maxWidth && o.Scale > 0 && o.Scale <= 8 &&
		(o.Height == 0 || o.Height >= 60 && o.Height <= maxWidth)
	if !ok {
		return o, ErrSize
	}
	return o, nil
}

// layout fixes the height of an image and what stands above and below the plot.
func layout(f content, o Options) (frame, float64) {
	words := f.Text()
	fr := newFrame(words, o)
	plot := 64.0
	if words.Empty == "" {
		plot = f.plotHeight(o.Width - 2*fr.padding)
	}
	if o.Height != 0 {
		return fr, o.Height
	}
	return fr, math.Ceil(fr.above + plot + fr.below)
}

func drawOn(f content, fr frame, canvas vg.CanvasSizer) {
	c := draw.New(canvas)
	inner := fr.draw(c)
	if fr.words.Empty != "" {
		fr.drawEmpty(inner)
		return
	}
	f.paint(inner)
}

func renderSVG(f content, o Options) ([]byte, error) {
	o, err := o.validate()
	if err != nil {
		return nil, err
	}
	fr, height := layout(f, o)
	c := newSVGCanvas(o.Width, height, o.Theme, o.Page)
	if !o.Page {
		dc := draw.New(c)
		c.SetColor(Ground)
		c.Fill(dc.Rectangle.Path())
	}
	drawOn(f, fr, c)
	var out bytes.Buffer
	name := fr.words.Title
	if sub := fr.words.Subtitle(); sub != "" {
		name += ". " + sub
	}
	if err := c.document(&out, name, alternative(fr.words)); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// alternative is the sentence that stands for the picture.
func alternative(t Text) string {
	switch {
	case t.Empty != "":
		return t.Empty
	case t.Alt != "":
		return t.Alt
	}
	return t.Title
}

func renderPNG(f content, o Options) ([]byte, error) {
	o, err := o.validate()
	if err != nil {
		return nil, err
	}
	fr, height := layout(f, o)
	dpi := int(math.Round(72 * o.Scale))
	img := vgimg.NewWith(vgimg.UseWH(vg.Length(o.Width), vg.Length(height)), vgimg.UseDPI(dpi),
		vgimg.UseBackgroundColor(Ground.in(o.Theme)))
	drawOn(f, fr, themed{img, o.Theme})
	var out bytes.Buffer
	_, err = vgimg.PngCanvas{Canvas: img}.WriteTo(&out)
	return out.Bytes(), err
}

func renderPDF(f content, o Options) ([]byte, error) {
	o, err := o.validate()
	if err != nil {
		return nil, err
	}
	fr, height := layout(f, o)
	pdf := vgpdf.New(vg.Length(o.Width), vg.Length(height))
	c := themed{straight{pdfText{pdf}}, o.Theme}
	dc := draw.New(c)
	c.SetColor(Ground)
	c.Fill(dc.Rectangle.Path())
	drawOn(f, fr, c)
	var out bytes.Buffer
	_, err = pdf.WriteTo(&out)
	return timeless(out.Bytes()), err
}

// timeless overwrites the clock's time that the PDF library leaves in its document
// information by a fixed one of the same length, so that equal figures are equal
// files.
func timeless(pdf []byte) []byte {
	for _, mark := range []string{"/CreationDate (D:", "/ModDate (D:"} {
		if at := bytes.LastIndex(pdf, []byte(mark)); at >= 0 {
			copy(pdf[at+len(mark):], "20000101000000")
		}
	}
	return pdf
}

// themed turns inks into the literal colours of a theme.
type themed struct {
	vg.CanvasSizer
	theme Theme
}

// SetColor sets the ink's colour in the theme.
func (t themed) SetColor(c color.Color) {
	if ink, ok := c.(Ink); ok {
		c = ink.in(t.theme)
	}
	t.CanvasSizer.SetColor(c)
}

// straight hands colours to the PDF canvas as it takes them: with the parts of the full
// colour beside its opacity, where a color.Color holds them already multiplied.
type straight struct{ pdfText }

// SetColor sets the colour.
func (s straight) SetColor(c color.Color) {
	if n, ok := c.(color.NRGBA); ok {
		c = unmultiplied(n)
	}
	s.pdfText.SetColor(c)
}

type unmultiplied color.NRGBA

// RGBA gives the parts of the full colour and the opacity.
func (u unmultiplied) RGBA() (r, g, b, a uint32) {
	wide := func(v uint8) uint32 { return uint32(v) * 0x101 }
	return wide(u.R), wide(u.G), wide(u.B), wide(u.A)
}

// pdfText hands text to the PDF canvas in the form it can write: in code page 1252
// (other characters become question marks), and in the regular face only, because
// the canvas embeds one font file a document.
type pdfText struct{ *vgpdf.Canvas }

// FillString writes text.
func (p pdfText) FillString(f font.Face, pt vg.Point, text string) {
	f = plain(f.Font.Size.Points())
	page := make([]byte, 0, len(text))
	for _, r := range text {
		b, ok := charmap.Windows1252.EncodeRune(r)
		if !ok || b < 0x20 {
			b = '?'
		}
		page = append(page, b)
	}
	p.Canvas.FillString(f, pt, string(page))
}

// marked draws one mark with its hover text, where the canvas knows of hovering.
func marked(c draw.Canvas, title string, paint func()) { related(c, title, "", nil, paint) }

// A page lights the batches of a selected request and the requests of a selected
// batch. Both say when they were at work, in ns of run time: as batches never overlap,
// a batch belongs to a request when one of the request's spans holds it.
const (
	markedRequest = "t=" // spans of a request follow
	markedBatch   = "b=" // the span of a batch follows
	markedAll     = "b=all"
)

// joined draws one mark that belongs to marks of other drawings of the page: when
// is one of the words above with its spans.
func joined(c draw.Canvas, title, when string, paint func()) {
	svg, ok := svgOf(c)
	if ok {
		svg.openJoined(title, when)
	}
	paint()
	if ok {
		svg.closeMark()
	}
}

// spell writes spans of run time for a page's script.
func spell(spans ...Span) string {
	var b strings.Builder
	for i, s := range spans {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.FormatInt(s.FromNs, 10) + "-" + strconv.FormatInt(s.ToNs, 10))
	}
	return b.String()
}

// related draws one mark of which a page knows what belongs to it: its key and the
// keys of others, none of them taken from an input.
func related(c draw.Canvas, title, key string, others []string, paint func()) {
	svg, ok := svgOf(c)
	if ok {
		svg.openMark(title, key, others)
	}
	paint()
	if ok {
		svg.closeMark()
	}
}

// Type sizes in px.
const (
	titleSize = 15
	textSize  = 12
)

var (
	fonts   = font.NewCache(liberation.Collection())
	regular = font.Font{Typeface: "Liberation", Variant: "Sans"}
	bold    = font.Font{Typeface: "Liberation", Variant: "Sans", Weight: stdfont.WeightBold}
)

// plain and strong are the two faces of every figure at a size in px.
func plain(size float64) font.Face  { return fonts.Lookup(regular, vg.Length(size)) }
func strong(size float64) font.Face { return fonts.Lookup(bold, vg.Length(size)) }
