package lab

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/unit"
)

// pageRows is how many rows of a table are shown.
const pageRows = 10

// Column is one column of a Table.
type Column struct {
	// Name stands at the head of the column.
	Name string
	// Unit stands below the name; "" for text and plain counts.
	Unit string
	// Description appears on hovering over the head.
	Description string
	// Numeric columns are set flush right.
	Numeric bool
}

// Table is a table of your own, for instance of the figures of several runs.
// A row may be shorter than the columns.
type Table struct {
	// Name stands above the table; it may be empty.
	Name string
	// Columns says what the cells are.
	Columns []Column
	// Rows holds the text of the cells.
	Rows [][]string
}

// NewTable makes a table from values. A head may carry a unit, as in
// "p95 TTFT (ms)". Columns that hold nothing but numbers are set flush right;
// floats are written with four significant digits, everything else as fmt
// writes it.
func NewTable(name string, heads []string, rows ...[]any) *Table {
	t := &Table{Name: name}
	for i, head := range heads {
		c := Column{Name: head, Numeric: len(rows) > 0}
		if open := strings.LastIndex(head, " ("); open > 0 && strings.HasSuffix(head, ")") {
			c.Name, c.Unit = head[:open], head[open+2:len(head)-1]
		}
		for _, row := range rows {
			c.Numeric = c.Numeric && i < len(row) && isNumber(row[i])
		}
		t.Columns = append(t.Columns, c)
	}
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = cellText(v)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

func isNumber(v any) bool {
	switch v.(type) {
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, float32, float64:
		return true
	}
	return false
}

func cellText(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'g', 4, 64)
	case float32:
		return strconv.FormatFloat(float64(v), 'g', 4, 32)
	}
	return fmt.Sprint(v)
}

// rows is what is shown of any table.
type rows interface {
	title() string
	columns() []Column
	count() int64
	// cells returns rows [0, n) as text.
	cells(n int64) [][]string
}

func (t *Table) title() string            { return t.Name }
func (t *Table) columns() []Column        { return t.Columns }
func (t *Table) count() int64             { return int64(len(t.Rows)) }
func (t *Table) cells(n int64) [][]string { return t.Rows[:n] }

// arrowTable shows an Arrow table in base units.
type arrowTable struct{ *arrowio.Table }

func (t arrowTable) title() string            { return t.Name() }
func (t arrowTable) count() int64             { return t.NumRows() }
func (t arrowTable) cells(n int64) [][]string { return t.Cells(0, n) }

func (t arrowTable) columns() []Column {
	var out []Column
	for _, c := range t.Columns() {
		u := c.Unit
		switch u {
		case arrowio.UnitCount, arrowio.UnitID, arrowio.UnitWord, arrowio.UnitText:
			u = "" // the name says it
		}
		out = append(out, Column{Name: c.Name, Unit: u, Description: c.Description, Numeric: c.Numeric})
	}
	return out
}

// figureTable shows the numbers that a figure plots.
type figureTable struct{ figure.Table }

func (t figureTable) title() string { return "" }
func (t figureTable) count() int64  { return int64(t.Len) }

func (t figureTable) columns() []Column {
	var out []Column
	for _, c := range t.Columns {
		out = append(out, Column{Name: c.Name, Unit: c.Unit, Numeric: c.Numeric})
	}
	return out
}

func (t figureTable) cells(n int64) [][]string {
	out := make([][]string, n)
	for i := range out {
		out[i] = t.Row(i)
	}
	return out
}

// pagedRows is how many rows a pager can turn to, and pagedBytes how much text
// they may hold: a notebook must stay small. The whole table is for files.
const (
	pagedRows  = 500
	pagedBytes = 24 << 10
)

// pagerScript turns pages and sorts, where scripts run. It takes the place of
// the first rows, which stand in the page for every other reader.
//
//go:embed pager.js
var pagerScript string

// tableBundle shows the first rows of a table, with a pager for more.
func tableBundle(t rows) bundle {
	cols := t.columns()
	shown := min(t.count(), pageRows)
	var cells [][]string
	size := 0
	for _, row := range t.cells(min(t.count(), pagedRows)) {
		p := presentable(row, cols)
		for _, s := range p {
			size += len(s) + 3
		}
		if int64(len(cells)) >= shown && size > pagedBytes {
			break
		}
		cells = append(cells, p)
	}
	caption := tableCaption(t, shown)
	return bundle{
		mimeHTML: tableHTML(cols, cells[:shown], caption, pager(cells, t.count())),
		mimeText: tableText(cols, cells[:shown], caption),
	}
}

// pager is the script element with the rows it turns to, when there are more
// than the first. JSON in it cannot end
// the element: the encoder writes < as an escape.
func pager(cells [][]string, count int64) string {
	if len(cells) <= pageRows {
		return ""
	}
	left := int64(0)
	if int64(len(cells)) < count {
		left = count
	}
	data, err := json.Marshal(map[string]any{"rows": cells, "left": left})
	if err != nil {
		return "" // strings and a number always marshal
	}
	return "<script>" + strings.Replace(pagerScript, "DATA", string(data), 1) + "</script>"
}

// presentable returns one text a column, fit to be seen.
func presentable(row []string, cols []Column) []string {
	out := make([]string, len(cols))
	for i := range min(len(row), len(cols)) {
		out[i] = shorten(row[i])
		if cols[i].Numeric {
			out[i] = readable(out[i])
		}
	}
	return out
}

// tableCaption says which table it is and how much of it is shown.
func tableCaption(t rows, shown int64) string {
	s := unit.Plural(t.count(), "row")
	if shown < t.count() {
		s = fmt.Sprintf("first %d of %s rows", shown, unit.Count(t.count()))
	}
	if t.title() != "" {
		s = shorten(t.title()) + ", " + s
	}
	return s
}

// readable writes a whole number with a comma between thousands, and a long
// fraction with six significant digits; files and figures keep all of them.
func readable(s string) string {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return unit.Count(n)
	}
	const digits, largest = 6, 1e15
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil || math.IsInf(v, 0) || math.IsNaN(v) || math.Abs(v) >= largest:
		return s
	case math.Abs(v) >= 100_000:
		return unit.Count(int64(math.Round(v)))
	}
	if short := strconv.FormatFloat(v, 'g', digits, 64); len(short) < len(s) {
		return short
	}
	return s
}

// tableHTML uses style attributes and no style sheet: notebook viewers drop
// sheets, and a sheet would leak into other outputs of the page. Colours are
// the page's own, so that light and dark both read.
func tableHTML(cols []Column, cells [][]string, caption, script string) string {
	var b strings.Builder
	b.WriteString(`<div style="overflow-x:auto"><table style="font-size:13px;font-variant-numeric:tabular-nums">`)
	b.WriteString(`<caption style="caption-side:bottom;text-align:left;opacity:.75">` + html.EscapeString(caption) + "</caption>\n<thead><tr>")
	for _, c := range cols {
		fmt.Fprintf(&b, `<th style="%s;vertical-align:bottom"`, cellStyle(c))
		if c.Description != "" {
			fmt.Fprintf(&b, ` title="%s"`, html.EscapeString(c.Description))
		}
		b.WriteString(">" + html.EscapeString(shorten(c.Name)))
		if c.Unit != "" {
			b.WriteString(`<br><span style="font-weight:normal;opacity:.75">` + html.EscapeString(shorten(c.Unit)) + `</span>`)
		}
		b.WriteString("</th>")
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for _, row := range cells {
		b.WriteString("<tr>")
		for i, c := range cols {
			fmt.Fprintf(&b, `<td style="%s"><bdi>%s</bdi></td>`, cellStyle(c), html.EscapeString(row[i]))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table>" + script + "</div>")
	return b.String()
}

func cellStyle(c Column) string {
	if c.Numeric {
		return "text-align:right;padding:2px 8px"
	}
	return "text-align:left;padding:2px 8px"
}

// cellRunes is the longest cell that is shown whole.
const cellRunes = 60

// shorten cuts long cells and makes control characters visible, so that one
// strange id cannot break a table.
func shorten(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r < 0x20:
			return 0x2400 + r // its picture
		case r == 0x7f:
			return 0x2421
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if utf8.RuneCountInString(s) <= cellRunes {
		return s
	}
	return string([]rune(s)[:cellRunes-1]) + "…"
}

// tableText sets the table in columns of equal width.
func tableText(cols []Column, cells [][]string, caption string) string {
	var grid [][]string
	head := make([]string, len(cols))
	for i, c := range cols {
		head[i] = shorten(c.Name)
		if c.Unit != "" {
			head[i] += " (" + shorten(c.Unit) + ")"
		}
	}
	grid = append(grid, head)
	for _, row := range cells {
		grid = append(grid, slices.Clone(row)) // padded below
	}
	width := make([]int, len(cols))
	for _, line := range grid {
		for i, s := range line {
			width[i] = max(width[i], utf8.RuneCountInString(s))
		}
	}
	var b strings.Builder
	for _, line := range grid {
		for i, s := range line {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(s))
			if cols[i].Numeric {
				line[i] = pad + s
			} else {
				line[i] = s + pad
			}
		}
		b.WriteString(strings.TrimRight(strings.Join(line, "  "), " ") + "\n")
	}
	return b.String() + caption
}
