package run

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/internal/wholefile"
)

// Notebook is a notebook document of nbformat 4. The zero value is not usable;
// Parse and ReadFile make one.
type Notebook struct {
	root  *object
	cells []*Cell
}

// Cell is one cell of a notebook. It stays tied to its document.
type Cell struct {
	fields *object
}

// Output is one output of a code cell, in the form a reader wants: joined text
// instead of lists of lines.
type Output struct {
	// Type is "stream", "display_data", "execute_result" or "error".
	Type string
	// Name is "stdout" or "stderr"; only a stream has one.
	Name string
	// Text is what a stream wrote.
	Text string
	// Data holds the representations of displayed data by MIME type. JSON
	// bundles are given as JSON text.
	Data map[string]string
	// ErrName, ErrValue and Traceback describe an error.
	ErrName, ErrValue string
	Traceback         []string
}

// Parse reads a notebook. It accepts nbformat 4 with any minor revision and
// returns a *FormatError otherwise.
func Parse(data []byte) (*Notebook, error) {
	v, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	root, ok := v.(*object)
	if !ok {
		return nil, &FormatError{Reason: "a notebook is a JSON object"}
	}
	if err := checkRevision(root); err != nil {
		return nil, err
	}
	list, ok := root.get("cells").([]any)
	if !ok {
		return nil, &FormatError{Path: "cells", Reason: "a list of cells is expected"}
	}
	nb := &Notebook{root: root}
	for i, item := range list {
		fields, ok := item.(*object)
		path := fmt.Sprintf("cells[%d]", i)
		if !ok {
			return nil, &FormatError{Path: path, Reason: "a cell is a JSON object"}
		}
		cell := &Cell{fields}
		if err := cell.check(path); err != nil {
			return nil, err
		}
		nb.cells = append(nb.cells, cell)
	}
	return nb, nil
}

func checkRevision(root *object) error {
	major, ok := root.get("nbformat").(json.Number)
	if !ok {
		return &FormatError{Path: "nbformat", Reason: "the notebook's format revision is missing"}
	}
	if n, err := strconv.Atoi(major.String()); err != nil || n != 4 {
		return &FormatError{Path: "nbformat", Reason: fmt.Sprintf("revision %s is not supported, 4 is", major)}
	}
	if minor := root.get("nbformat_minor"); minor != nil {
		n, ok := minor.(json.Number)
		if !ok {
			return &FormatError{Path: "nbformat_minor", Reason: "an integer is expected"}
		}
		if v, err := strconv.Atoi(n.String()); err != nil || v < 0 {
			return &FormatError{Path: "nbformat_minor", Reason: "a non-negative integer is expected"}
		}
	}
	return nil
}

// check refuses cells whose parts that execution reads have the wrong shape.
func (c *Cell) check(path string) error {
	if _, ok := c.fields.get("cell_type").(string); !ok {
		return &FormatError{Path: path + ".cell_type", Reason: `"code", "markdown" or "raw" is expected`}
	}
	if _, ok := text(c.fields.get("source")); !ok {
		return &FormatError{Path: path + ".source", Reason: "a string or a list of strings is expected"}
	}
	if m := c.fields.get("metadata"); m != nil {
		if _, ok := m.(*object); !ok {
			return &FormatError{Path: path + ".metadata", Reason: "an object is expected"}
		}
	}
	return nil
}

// ReadFile reads the notebook at path. Errors name the file.
func ReadFile(path string) (*Notebook, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	nb, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return nb, nil
}

// Bytes returns the document as Jupyter would save it: indented by one space,
// with a final newline. Equal documents give equal bytes.
func (nb *Notebook) Bytes() []byte {
	list := make([]any, len(nb.cells))
	for i, c := range nb.cells {
		list[i] = c.fields
	}
	nb.root.set("cells", list)
	return append(appendJSON(nil, nb.root, 0), '\n')
}

// WriteFile writes the document to path, whole or not at all.
func (nb *Notebook) WriteFile(path string) error {
	return wholefile.Write(path, func(w io.Writer) error {
		_, err := w.Write(nb.Bytes())
		return err
	})
}

// Cells returns the cells in document order.
func (nb *Notebook) Cells() []*Cell { return slices.Clone(nb.cells) }

// Language returns the language of the cells in lower case, as the metadata
// names it, or "" when it does not say.
func (nb *Notebook) Language() string {
	metadata, _ := nb.root.get("metadata").(*object)
	for _, key := range []string{"kernelspec", "language_info"} {
		fields, _ := metadata.get(key).(*object)
		for _, name := range []string{"language", "name"} {
			if s, _ := fields.get(name).(string); s != "" && (key != "kernelspec" || name == "language") {
				return strings.ToLower(s)
			}
		}
	}
	return ""
}

// Append adds a copy of a cell at the end, with an id of its own.
func (nb *Notebook) Append(c *Cell) {
	fields := clone(c.fields).(*object)
	if c.ID() != "" {
		fields.set("id", nb.freeID(c.ID()))
	}
	nb.cells = append(nb.cells, &Cell{fields})
}

// Truncate drops all cells after the first n.
func (nb *Notebook) Truncate(n int) { nb.cells = nb.cells[:min(max(n, 0), len(nb.cells))] }

// freeID returns id, or id with a number when a cell has it already.
func (nb *Notebook) freeID(id string) string {
	const longest = 64 // of nbformat
	free := id
	for n := 2; slices.ContainsFunc(nb.cells, func(c *Cell) bool { return c.ID() == free }); n++ {
		suffix := "-" + strconv.Itoa(n)
		free = id[:min(len(id), longest-len(suffix))] + suffix
	}
	return free
}

// Type returns "code", "markdown" or "raw".
func (c *Cell) Type() string {
	s, _ := c.fields.get("cell_type").(string)
	return s
}

// Source returns the cell's text.
func (c *Cell) Source() string {
	s, _ := text(c.fields.get("source"))
	return s
}

// SetSource replaces the cell's text.
func (c *Cell) SetSource(source string) { c.fields.set("source", lines(source)) }

// ID returns the cell's id, or "" before nbformat 4.5.
func (c *Cell) ID() string {
	s, _ := c.fields.get("id").(string)
	return s
}

// Tags returns the tags in the cell's metadata.
func (c *Cell) Tags() []string {
	metadata, _ := c.fields.get("metadata").(*object)
	list, _ := metadata.get("tags").([]any)
	var tags []string
	for _, item := range list {
		if s, ok := item.(string); ok {
			tags = append(tags, s)
		}
	}
	return tags
}

// ExecutionCount returns the count Jupyter shows in brackets, or 0 when the
// cell has not been executed.
func (c *Cell) ExecutionCount() int {
	n, _ := c.fields.get("execution_count").(json.Number)
	count, err := strconv.Atoi(n.String())
	if err != nil {
		return 0
	}
	return count
}

// Outputs returns the outputs of a code cell in order. Entries that are not
// outputs of nbformat 4 are left out.
func (c *Cell) Outputs() []Output {
	list, _ := c.fields.get("outputs").([]any)
	var outputs []Output
	for _, item := range list {
		if fields, ok := item.(*object); ok {
			outputs = append(outputs, readOutput(fields))
		}
	}
	return outputs
}

func readOutput(fields *object) Output {
	var o Output
	o.Type, _ = fields.get("output_type").(string)
	o.Name, _ = fields.get("name").(string)
	o.Text, _ = text(fields.get("text"))
	o.ErrName, _ = fields.get("ename").(string)
	o.ErrValue, _ = fields.get("evalue").(string)
	if list, ok := fields.get("traceback").([]any); ok {
		for _, item := range list {
			if s, ok := item.(string); ok {
				o.Traceback = append(o.Traceback, s)
			}
		}
	}
	if data, ok := fields.get("data").(*object); ok {
		o.Data = map[string]string{}
		for _, m := range data.members {
			s, ok := text(m.value)
			if !ok {
				s = string(appendJSON(nil, m.value, 0))
			}
			o.Data[m.key] = s
		}
	}
	return o
}

// clear forgets outputs, execution count and recorded times.
func (c *Cell) clear() {
	c.fields.set("execution_count", nil)
	c.fields.set("outputs", []any{})
	if metadata, ok := c.fields.get("metadata").(*object); ok {
		metadata.remove("execution")
	}
}
