package arrowio

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// ReadCSV reads a table that WriteCSV wrote, with the types of its declaration. The
// header must be the declared columns in order. An empty cell is null where the
// field is nullable. The provenance of the run is not in the file; p is put into
// the schema. Errors are *issue.Error with the path NAME:LINE:COLUMN. The caller
// releases the table.
func ReadCSV(r io.Reader, name string, decl *Declaration, p Provenance, opt Options, mem memory.Allocator) (*Table, error) {
	c := csvReader{name: name, decl: decl, r: csv.NewReader(r)}
	c.r.ReuseRecord = true
	if err := c.header(); err != nil {
		return nil, err
	}
	schema := decl.Schema(p, opt)
	t := FromBatches(decl.Table, schema, nil)
	rb := array.NewRecordBuilder(mem, schema)
	defer rb.Release()
	for rows := int64(0); ; {
		err := c.row(rb)
		if err != nil && err != io.EOF {
			t.Release()
			return nil, err
		}
		if err == nil {
			rows++
		}
		if rows == BatchRows || (err == io.EOF && rows > 0) {
			t.keep(rb.NewRecordBatch())
			rows = 0
		}
		if err == io.EOF {
			return t, nil
		}
	}
}

// csvReader reads rows into builders.
type csvReader struct {
	name string
	decl *Declaration
	r    *csv.Reader
}

func (c *csvReader) read() ([]string, error) {
	cells, err := c.r.Read()
	var syntax *csv.ParseError
	if errors.As(err, &syntax) {
		return nil, issue.New("csv_syntax", fmt.Sprintf("%s:%d:%d", c.name, syntax.Line, max(syntax.Column, 1)), "%v", syntax.Err)
	}
	return cells, err
}

func (c *csvReader) header() error {
	cells, err := c.read()
	if err == io.EOF {
		return issue.New("csv_header", c.name, "is empty; expected a header")
	}
	if err != nil {
		return err
	}
	want := make([]string, len(c.decl.Fields))
	for i, f := range c.decl.Fields {
		want[i] = f.Name
	}
	if !slices.Equal(cells, want) {
		return issue.New("csv_header", c.name+":1:1", "header is %.200q; expected the columns of %s: %q", cells, c.decl.Table, want)
	}
	return nil
}

func (c *csvReader) row(rb *array.RecordBuilder) error {
	cells, err := c.read()
	if err != nil {
		return err
	}
	for i, text := range cells {
		if err := appendCell(rb.Field(i), c.decl.Fields[i], text); err != nil {
			line, column := c.r.FieldPos(i)
			return issue.New("csv_cell", fmt.Sprintf("%s:%d:%d", c.name, line, column), "%s is %.60q; expected %v", c.decl.Fields[i].Name, text, err)
		}
	}
	return nil
}

// appendCell parses one cell; its error says what was expected.
func appendCell(b array.Builder, f Field, text string) error {
	if text == "" && f.Nullable {
		b.AppendNull()
		return nil
	}
	switch f.Kind {
	case Int64:
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil || !quantity.IsSafe(v) {
			return errors.New("an integer")
		}
		b.(*array.Int64Builder).Append(v)
	case Float64:
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return errors.New("a number")
		}
		b.(*array.Float64Builder).Append(v)
	case Text, Label:
		return appendText(b, text)
	case Int64s:
		var list []int64
		if json.Unmarshal([]byte(text), &list) != nil || list == nil {
			return errors.New("a JSON array of integers")
		}
		lb := b.(*array.ListBuilder)
		lb.Append(true)
		lb.ValueBuilder().(*array.Int64Builder).AppendValues(list, nil)
	case Labels:
		var list []string
		if json.Unmarshal([]byte(text), &list) != nil || list == nil {
			return errors.New("a JSON array of texts")
		}
		lb := b.(*array.ListBuilder)
		lb.Append(true)
		for _, s := range list {
			if err := appendText(lb.ValueBuilder(), s); err != nil {
				return err
			}
		}
	}
	return nil
}

func appendText(b array.Builder, s string) error {
	if dict, ok := b.(*array.BinaryDictionaryBuilder); ok {
		return dict.AppendString(s)
	}
	b.(*array.StringBuilder).Append(s)
	return nil
}
