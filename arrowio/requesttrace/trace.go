package requesttrace

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Format names a file format.
type Format string

// The formats.
const (
	Azure    Format = "azure"
	Mooncake Format = "mooncake"
	CSV      Format = "csv"
	JSONL    Format = "jsonl"
)

// Formats lists the formats in the order of the documentation.
func Formats() []Format { return []Format{Azure, Mooncake, CSV, JSONL} }

// ParseFormat finds a format by name; an unknown name is refused with the nearest
// known ones.
func ParseFormat(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if string(f) == name {
			return f, nil
		}
		names = append(names, string(f))
	}
	return "", issue.New("trace_format", "", "unknown trace format %s; known formats are %s%s",
		quote(name), strings.Join(names, ", "), document.Suggest(name, names))
}

// Options steer an import.
type Options struct {
	Format    Format
	Limit     int               // stop after so many requests; 0 reads all
	SkipEmpty bool              // drop rows with zero prompt or output tokens instead of refusing them
	Columns   map[string]string // csv and jsonl: role (arrival_ns, prompt_tokens, …) -> name in the file
}

// Trace is an imported trace.
type Trace struct {
	Requests []workload.Request // in the order of the file
	Skipped  int                // rows dropped by Options.SkipEmpty
	Warnings []*issue.Error     // columns that were not understood, once each
}

// Read imports a trace. The name stands for the file in errors. Errors are
// *issue.Error with the path FILE:LINE:COLUMN; columns count bytes from 1.
func Read(r io.Reader, name string, opt Options) (*Trace, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	c := &collector{name: name, opt: opt}
	var err error
	switch opt.Format {
	case Azure:
		err = c.readCSV(r, azureLayout)
	case CSV:
		err = c.readCSV(r, c.namedLayout)
	case Mooncake:
		err = c.readLines(r, mooncakeLayout)
	case JSONL:
		err = c.readLines(r, c.lineLayout())
	default:
		_, err = ParseFormat(string(opt.Format))
	}
	if err != nil {
		return nil, err
	}
	return c.finish()
}

// check refuses options that mean nothing.
func (o *Options) check() error {
	if o.Limit < 0 {
		return issue.New("trace_limit", "limit", "is %d; expected at least 0", o.Limit)
	}
	return checkMapping(o.Columns)
}

// ReadFile imports the trace in a file.
func ReadFile(path string, opt Options) (*Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", issue.New("trace_file", path, "cannot be read"), err)
	}
	defer f.Close()
	return Read(f, path, opt)
}

// place is where a cell stands in the file.
type place struct{ line, column int }

// cell is the text of one value and where it stands.
type cell struct {
	text string
	at   place
}

// row is one request before it is checked. Cells of absent columns are nil.
type row struct {
	at             place
	arrival        instant
	arrivalAt      place
	prompt, output cell
	id, priority   *cell
	relative       bool // arrival counts from the first row's
}

// collector checks rows and gathers requests.
type collector struct {
	name  string
	opt   Options
	out   Trace
	rows  int
	first instant
	ids   map[string]int // id -> line
}

// finish returns the trace, which must not be empty.
func (c *collector) finish() (*Trace, error) {
	if len(c.out.Requests) == 0 {
		return nil, issue.New("trace_empty", c.name, "holds no requests")
	}
	return &c.out, nil
}

// full reports whether the limit is reached.
func (c *collector) full() bool { return c.opt.Limit > 0 && len(c.out.Requests) >= c.opt.Limit }

// add checks one row and appends its request.
func (c *collector) add(r row) error {
	c.rows++
	if c.rows == 1 && r.relative {
		c.first = r.arrival
	}
	arrival, ok := r.arrival.since(c.first)
	if !ok {
		return c.fail("trace_time", r.arrivalAt, "arrival is before the first row or beyond 2^53 - 1 ns after it")
	}
	prompt, err := c.count(r.prompt, "prompt tokens")
	if err != nil {
		return err
	}
	output, err := c.count(r.output, "output tokens")
	if err != nil {
		return err
	}
	if prompt == 0 || output == 0 {
		return c.empty(r, prompt)
	}
	if !quantity.IsSafe(prompt + output - 1) {
		return c.fail("trace_tokens", r.output.at, "prompt and output tokens together exceed 2^53 - 1")
	}
	req := workload.Request{ArrivalNs: arrival, PromptTokens: prompt, OutputTokens: output}
	if req.ID, err = c.identify(r); err != nil {
		return err
	}
	if r.priority != nil {
		if req.Priority, err = c.integer(*r.priority, "priority"); err != nil {
			return err
		}
	}
	c.out.Requests = append(c.out.Requests, req)
	return nil
}

// empty refuses or skips a row that asks for nothing.
func (c *collector) empty(r row, prompt int64) error {
	if c.opt.SkipEmpty {
		c.out.Skipped++
		return nil
	}
	at, what := r.output.at, "output"
	if prompt == 0 {
		at, what = r.prompt.at, "prompt"
	}
	return c.fail("trace_tokens", at, "request has 0 %s tokens; expected at least 1", what)
}

// identify gives the row's own id, which must be new, or one made of its number.
func (c *collector) identify(r row) (string, error) {
	id, at := fmt.Sprintf("request-%06d", c.rows), r.at
	if r.id != nil {
		id, at = r.id.text, r.id.at
	}
	if id == "" {
		return "", c.fail("trace_id", at, "id is empty")
	}
	if c.ids == nil {
		c.ids = map[string]int{}
	}
	if line, seen := c.ids[id]; seen {
		return "", c.fail("trace_id", at, "id %s is already used in line %d", quote(id), line)
	}
	c.ids[id] = r.at.line
	return id, nil
}

// warnUnknown notes a column that no role takes, with the nearest role.
func (c *collector) warnUnknown(at place, column string) {
	c.out.Warnings = append(c.out.Warnings, issue.New("unknown_column", c.path(at),
		"column %s is not used%s", quote(column), document.Suggest(column, roles)))
}

func (c *collector) path(at place) string {
	return fmt.Sprintf("%s:%d:%d", c.name, at.line, at.column)
}

func (c *collector) fail(code string, at place, format string, args ...any) error {
	return issue.New(code, c.path(at), format, args...)
}

// quote shows input text in a message, shortened.
func quote(s string) string {
	const most = 48
	if len(s) > most {
		return fmt.Sprintf("%q…", s[:most])
	}
	return fmt.Sprintf("%q", s)
}
