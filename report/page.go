package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/evidence"
)

// page is the content of a report in reading order; the template only sets it.
type page struct {
	Style  template.CSS
	Script template.JS
	Policy string

	Title, Subtitle string
	Verdict         string
	Confidence      evidence.Class
	Replay          string // "replay verified" with the number of events, or what stands in its place
	Standing        string // how that reads: "" verified, "fault" refused, "plain" neither
	Cards           []card
	Inspector       *table
	Sections        []section
	Evidence        []fact
	Assumptions     []string
	Limits          []string
	Reproduction    reproduction
	Result          result
	More            []result // further results of a comparison
	Source          string   // what Rebuild needs
}

// card is one headline number.
type card struct{ Label, Value, Unit, Context string }

// fact is one line of the evidence block. Code facts are set in a fixed pitch.
type fact struct {
	Label, Value string
	Code         bool
}

// section answers one question.
type section struct {
	ID, Question, Answer string
	Figures              []picture
	Tables               []table
	Note                 string // reason when the section has nothing to draw
}

// picture is one figure with its words and numbers.
type picture struct {
	Wide, Narrow template.HTML // Narrow empty: Wide serves every width
	Half         bool
	Text         figure.Text
	Provenance   string
	Table        table
}

// table is a table cut to the rows that are shown.
type table struct {
	Caption string
	Columns []figure.Column
	Head    [][]string
	Tail    [][]string // after an ellipsis row, when rows were left out
	Total   int
	Open    bool
	ID      string
}

// Omitted is the number of rows between head and tail.
func (t table) Omitted() int { return t.Total - len(t.Head) - len(t.Tail) }

// Note states what is shown of a long table.
func (t table) Note() string {
	if t.Omitted() == 0 {
		return ""
	}
	return fmt.Sprintf("Showing the first %d and the last %d of %s rows.", len(t.Head), len(t.Tail), unit.Count(int64(t.Total)))
}

// printedRows is how many rows of a table print at most, half of them from its end.
const printedRows = 40

// Printed states what print shows of a table that is longer than printedRows. The style
// sheet hides the other rows there.
func (t table) Printed() string {
	if len(t.Head)+len(t.Tail) <= printedRows {
		return ""
	}
	return fmt.Sprintf("In print: the first %d and the last %d of %s rows.", printedRows/2, printedRows/2, unit.Count(int64(t.Total)))
}

// cut makes a table of a figure's numbers, at most rows of them.
func cut(caption string, t figure.Table, rows int) table {
	out := table{Caption: caption, Columns: t.Columns, Total: t.Len}
	head, tail := t.Len, t.Len
	if t.Len > rows {
		head, tail = rows/2, t.Len-rows/2
	}
	for i := 0; i < head; i++ {
		out.Head = append(out.Head, t.Row(i))
	}
	for i := tail; i < t.Len; i++ {
		out.Tail = append(out.Tail, t.Row(i))
	}
	return out
}

// reproduction is how to repeat the run.
type reproduction struct {
	CommandLine string
	Inputs      []Input
	Travels     []string
}

// result is the embedded result document, or its fingerprint.
type result struct {
	Name        string
	Link        template.URL // data URL; empty: not embedded
	Size        string
	Fingerprint string
	Reason      string // why it is not embedded
}

// Widths at which figures are drawn, in px.
const (
	wideWidth   = 900
	halfWidth   = 440
	narrowWidth = 350
)

// draw renders a figure for the page at full or half width, and in a narrow form for
// small screens, whose words keep their size.
func draw(f figure.Figure, half bool, rows int) (picture, error) {
	p := picture{Text: f.Text(), Half: half}
	width := float64(wideWidth)
	if half {
		width = halfWidth
	}
	svg, err := f.SVG(figure.Options{Width: width, Page: true})
	if err != nil {
		return p, err
	}
	p.Wide = template.HTML(svg) //nolint: the canvas escapes every text
	if svg, err = f.SVG(figure.Options{Width: narrowWidth, Page: true}); err != nil {
		return p, err
	}
	p.Narrow = template.HTML(svg)
	p.Table = cut("Numbers of this figure, in base units", f.Table(), rows)
	return p, nil
}

//go:embed page.css
var baseStyle string

//go:embed page.js
var script string

//go:embed page.html
var pageSource string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"header": header, "cell": cell,
	"badge": func(c evidence.Class) string { return "badge-" + string(c) },
}).Parse(pageSource))

// header names a column with its unit.
func header(c figure.Column) string {
	if c.Unit == "" {
		return c.Name
	}
	return c.Name + ", " + c.Unit
}

// render writes the page.
func (p *page) render() ([]byte, error) {
	style := styleSheet()
	p.Style, p.Script = template.CSS(style), template.JS(script)
	p.Policy = "default-src 'none'; style-src '" + hash(style) + "'; script-src '" + hash(script) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, p); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// hash is the source expression of an inline style sheet or script in a content
// security policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// styleSheet is the page's whole style: the inks of both schemes, the rules that
// paint with them, and the fixed part.
func styleSheet() string {
	var b strings.Builder
	scheme := func(t figure.Theme) {
		for _, ink := range figure.Inks() {
			b.WriteString("--" + ink.Name() + ":" + ink.Hex(t) + ";")
		}
	}
	b.WriteString(":root{color-scheme:light dark;")
	scheme(figure.Light)
	b.WriteString("}\n:root[data-theme=light]{color-scheme:light}\n@media (prefers-color-scheme:dark){:root:not([data-theme=light]){")
	scheme(figure.Dark)
	b.WriteString("}}\n:root[data-theme=dark]{color-scheme:dark;")
	scheme(figure.Dark)
	b.WriteString("}\n@media print{:root:root:root{color-scheme:light;")
	scheme(figure.Light)
	b.WriteString("}}\n")
	for _, ink := range figure.Inks() {
		n := ink.Name()
		b.WriteString(".f-" + n + "{fill:var(--" + n + ")}.s-" + n + "{stroke:var(--" + n + ");fill:none}\n")
	}
	for _, c := range evidence.Classes {
		b.WriteString(".badge-" + string(c) + "{color:var(--" + string(c) + ")}\n")
	}
	b.WriteString(baseStyle)
	return b.String()
}
