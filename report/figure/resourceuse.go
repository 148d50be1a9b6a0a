package figure

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
)

// ResourceUse shows how busy each resource was: horizontal bars from 0 to 100 %,
// the busiest first (contract 09, V8).
type ResourceUse struct {
	Source
	Rows     []Resource // utilisation descending, then id
	WindowNs int64      // observation window
	DrainNs  int64      // part of it after the last request
	Top      int        // bars drawn; 0: 8
	Class    string     // only this class, "compute", "link" or "network"; empty: all
}

// Resource is one row of ResourceUse.
type Resource struct {
	ID     string // with its class before the first colon
	BusyNs int64
	Lanes  int64
	Share  float64 // busyNs / (window × lanes), 0 to 1
}

// class is compute, link or network, from the id's prefix.
func (r Resource) class() string {
	class, _, _ := strings.Cut(r.ID, ":")
	return class
}

func (r Resource) name() string {
	_, name, ok := strings.Cut(r.ID, ":")
	if !ok {
		return r.ID
	}
	return name
}

// classes are the kinds of resource with the words and inks of their bars.
var classes = []struct {
	id, label string
	ink       Ink
}{{"compute", "compute", Compute}, {"link", "link", Transfer}, {"network", "network resource", Collective}}

func classInk(id string) Ink {
	for _, c := range classes {
		if c.id == id {
			return c.ink
		}
	}
	return Waiting
}

// rows lists what passes the filter, and how many of them are drawn.
func (f ResourceUse) rows() (all []Resource, drawn int) {
	for _, r := range f.Rows {
		if f.Class == "" || r.class() == f.Class {
			all = append(all, r)
		}
	}
	top := f.Top
	if top <= 0 {
		top = 8
	}
	return all, min(top, len(all))
}

// Text gives the figure's words.
func (f ResourceUse) Text() Text {
	t := f.words()
	all, drawn := f.rows()
	t.What = "Busy share of each resource's lanes"
	if len(all) == 0 {
		t.Title, t.Empty = "No resource was used", "No resource was used."
		return t
	}
	first := all[0]
	t.Title = fmt.Sprintf("%s is busiest, %s of the time", brief(first.name()), unit.Percent(first.Share))
	if first.Share > 1 {
		t.Title = fmt.Sprintf("Error in the result: %s is busy %s of its time", brief(first.name()), unit.Percent(first.Share))
	}
	t.Alt = fmt.Sprintf("Predicted utilisation of %s: %s %s", unit.Plural(int64(len(all)), "resource"), brief(first.name()), unit.Percent(first.Share))
	if len(all) > 1 {
		last := all[len(all)-1]
		t.Alt += fmt.Sprintf(" down to %s %s", brief(last.name()), unit.Percent(last.Share))
	}
	t.Alt += "."
	t.Caption = fmt.Sprintf("Observation window %s", dur(f.WindowNs))
	if f.DrainNs > 0 {
		t.Caption += fmt.Sprintf(", of which %s background drain after the last request", dur(f.DrainNs))
	}
	t.Caption += "."
	if drawn < len(all) {
		t.Caption += fmt.Sprintf(" Showing the %d busiest of %d resources.", drawn, len(all))
	}
	return t
}

// brief shortens an id for a sentence.
func brief(id string) string { return elide(id, plain(textSize), 260) }

// SVG renders the figure.
func (f ResourceUse) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f ResourceUse) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f ResourceUse) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a resource.
func (f ResourceUse) Table() Table {
	all, _ := f.rows()
	return Table{
		Columns: []Column{{"resource", "", false}, {"busy", "ns", true}, {"lanes", "", true}, {"utilisation", "", true}},
		Len:     len(all),
		Row: func(i int) []string {
			r := all[i]
			return append(append([]string{r.ID}, decimals(r.BusyNs, r.Lanes)...), exact(r.Share))
		},
	}
}

const barRow = 26.0

func (f ResourceUse) plotHeight(float64) float64 {
	_, drawn := f.rows()
	return keyLineHeight + 8 + barRow*float64(drawn) + tickHeight + xNameSpace
}

func (f ResourceUse) paint(c draw.Canvas) {
	all, drawn := f.rows()
	rows := all[:drawn]
	c = drawKeys(c, f.keys(rows))
	width := (c.Max.X - c.Min.X).Points()
	names := 0.0
	for _, r := range rows {
		names = max(names, widthOf(plain(textSize), elide(r.name(), plain(textSize), width*0.34)))
	}
	p := panel{x: percentAxis("Predicted utilisation", width-names-80, 60), left: names + 10, right: 52,
		y: axis{max: float64(drawn)}}
	p.marks = nil
	p.draw(c)
	area := draw.Crop(c, vg.Length(p.left), -vg.Length(p.right), tickHeight+xNameSpace, -8)
	row := (area.Max.Y - area.Min.Y) / vg.Length(drawn)
	for i, r := range rows {
		y := area.Max.Y - row*vg.Length(float64(i)+0.5)
		f.bar(area, r, y, width)
	}
}

func (f ResourceUse) keys(rows []Resource) []key {
	var keys []key
	for _, c := range classes {
		for _, r := range rows {
			if r.class() == c.id {
				keys = append(keys, key{ink: c.ink, label: c.label})
				break
			}
		}
	}
	return keys
}

// bar draws one resource; a share above 1 is an error in the result and is drawn
// as one.
func (f ResourceUse) bar(c draw.Canvas, r Resource, y vg.Length, width float64) {
	ink := classInk(r.class())
	if r.Share > 1 {
		ink = Fault
	}
	end := c.Min.X + (c.Max.X-c.Min.X)*vg.Length(min(max(r.Share, 0), 1))
	hover := fmt.Sprintf("%s: busy %s of %s on %s, %s", r.ID, dur(r.BusyNs), dur(f.WindowNs),
		unit.Plural(r.Lanes, "lane"), unit.Percent(r.Share))
	marked(c, hover, func() {
		fill(c, ink, rect(c.Min.X, y-7, max(end, c.Min.X+1), y+7))
	})
	put(c, plain(textSize), inkText, c.Min.X-8, y-4, right, elide(r.name(), plain(textSize), width*0.34))
	put(c, plain(textSize), inkText, end+6, y-4, left, unit.Percent(r.Share))
}
