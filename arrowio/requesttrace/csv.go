package requesttrace

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/inferlab/inferlab/simcore/issue"
)

// layout turns the header of a CSV file into a reader of its rows. The header's
// cells have their places.
type layout func(header []cell) (rowReader, error)

// rowReader turns the cells of one line into a row.
type rowReader func(c *collector, cells []cell) (row, error)

// readCSV reads a header and then rows until the end or the limit. Line ends may
// be LF or CRLF; a byte order mark is skipped.
func (c *collector) readCSV(r io.Reader, choose layout) error {
	cr := csv.NewReader(skipMark(r))
	cr.ReuseRecord = true
	cells, err := c.csvCells(cr, nil)
	if err == io.EOF {
		return issue.New("trace_empty", c.name, "is empty; expected a header")
	}
	if err != nil {
		return err
	}
	read, err := choose(cells)
	if err != nil {
		return c.inHeader(err)
	}
	for !c.full() {
		if cells, err = c.csvCells(cr, cells); err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		row, err := read(c, cells)
		if err != nil {
			return err
		}
		if err := c.add(row); err != nil {
			return err
		}
	}
	return nil
}

// inHeader places an error of a layout into the first line.
func (c *collector) inHeader(err error) error {
	var refusal *issue.Error
	if errors.As(err, &refusal) && refusal.Path == "" {
		refusal.Path = c.path(place{1, 1})
	}
	return err
}

// csvCells reads one line into cells, reusing the given slice.
func (c *collector) csvCells(cr *csv.Reader, cells []cell) ([]cell, error) {
	fields, err := cr.Read()
	var syntax *csv.ParseError
	if errors.As(err, &syntax) {
		return nil, c.fail("trace_syntax", place{syntax.Line, max(syntax.Column, 1)}, "%v", syntax.Err)
	}
	if err != nil {
		return nil, err
	}
	cells = cells[:0]
	for i, text := range fields {
		line, column := cr.FieldPos(i)
		if !utf8.ValidString(text) {
			return nil, c.fail("trace_syntax", place{line, column}, "holds bytes that are no UTF-8")
		}
		cells = append(cells, cell{text, place{line, column}})
	}
	return cells, nil
}

// skipMark drops a UTF-8 byte order mark.
func skipMark(r io.Reader) io.Reader {
	br := bufio.NewReaderSize(r, 64<<10)
	if mark, _ := br.Peek(3); string(mark) == "\xef\xbb\xbf" {
		br.Discard(3)
	}
	return br
}

// azureHeader is the header of the Azure traces.
var azureHeader = []string{"TIMESTAMP", "ContextTokens", "GeneratedTokens"}

// azureLayout takes the Azure header and nothing else.
func azureLayout(header []cell) (rowReader, error) {
	names := texts(header)
	if !slices.Equal(names, azureHeader) {
		return nil, issue.New("trace_header", "", "header is %.120q; expected %q", names, azureHeader)
	}
	return func(c *collector, cells []cell) (row, error) {
		at, ok := parseTimestamp(cells[0].text)
		if !ok {
			return row{}, c.fail("trace_time", cells[0].at, "TIMESTAMP is %s; expected a form like 2023-11-16 18:17:03.9799600", quote(cells[0].text))
		}
		return row{at: cells[0].at, arrival: at, arrivalAt: cells[0].at, relative: true,
			prompt: cells[1], output: cells[2]}, nil
	}, nil
}

// namedLayout finds columns by name.
func (c *collector) namedLayout(header []cell) (rowReader, error) {
	names := texts(header)
	cols := mapColumns(c.opt.Columns)
	for i, h := range header {
		if slices.Contains(names[:i], h.text) {
			return nil, issue.New("trace_header", c.path(h.at), "column %s appears twice", quote(h.text))
		}
		if _, known := cols.role[h.text]; !known {
			c.warnUnknown(h.at, h.text)
		}
	}
	if err := cols.chooseUnit(func(name string) bool { return slices.Contains(names, name) }); err != nil {
		return nil, err
	}
	position := func(role string) int { return slices.Index(names, cols.name[role]) }
	for _, role := range []string{"prompt_tokens", "output_tokens"} {
		if position(role) < 0 {
			return nil, issue.New("trace_header", "", "has no column %s; the header is %.120q", quote(cols.name[role]), names)
		}
	}
	unit := cols.unit
	arrival, prompt, output := position(unit), position("prompt_tokens"), position("output_tokens")
	id, priority := position("id"), position("priority")
	return func(c *collector, cells []cell) (row, error) {
		at, err := c.decimalArrival(cells[arrival], unit)
		r := row{at: cells[0].at, arrival: at, arrivalAt: cells[arrival].at, prompt: cells[prompt], output: cells[output]}
		if id >= 0 {
			r.id = &cells[id]
		}
		if priority >= 0 {
			r.priority = &cells[priority]
		}
		return r, err
	}, nil
}

func texts(cells []cell) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = c.text
	}
	return out
}
