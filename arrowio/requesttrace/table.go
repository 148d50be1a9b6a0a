package requesttrace

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/simcore/issue"
)

// FromTable imports a trace from a table, for example one that was read from a
// Parquet or Arrow file. Columns are those of the format csv, mapped by
// Options.Columns; Options.Format is not read.
//
// Counts and priorities are integers of any width. An arrival is an integer in the
// unit of its role, or a timestamp, whatever its role, which then counts from the
// first row. Floating-point columns are refused. Ids are texts or integers. Errors
// name the row and the column, both counted from 1, as NAME:ROW:COLUMN.
func FromTable(t *arrowio.Table, name string, opt Options) (*Trace, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	c := &collector{name: name, opt: opt}
	read, err := c.tableLayout(t.Schema())
	if err != nil {
		return nil, c.inHeader(err)
	}
	line := 0
	for rec := range t.Batches(memory.DefaultAllocator) {
		for i := 0; i < int(rec.NumRows()) && !c.full(); i++ {
			line++
			row, err := read(rec, i, line)
			if err != nil {
				return nil, err
			}
			if err := c.add(row); err != nil {
				return nil, err
			}
		}
		if c.full() {
			break
		}
	}
	return c.finish()
}

// tableReader turns one row of a batch into a request.
type tableReader func(rec arrow.RecordBatch, i, line int) (row, error)

// tableLayout finds the columns of the roles.
func (c *collector) tableLayout(s *arrow.Schema) (tableReader, error) {
	cols := mapColumns(c.opt.Columns)
	for i, f := range s.Fields() {
		if _, known := cols.role[f.Name]; !known {
			c.warnUnknown(place{1, i + 1}, f.Name)
		}
	}
	position := func(role string) int {
		at := s.FieldIndices(cols.name[role])
		if len(at) == 0 {
			return -1
		}
		return at[0]
	}
	if err := cols.chooseUnit(func(name string) bool { return len(s.FieldIndices(name)) > 0 }); err != nil {
		return nil, err
	}
	for _, role := range []string{"prompt_tokens", "output_tokens"} {
		if position(role) < 0 {
			return nil, issue.New("trace_header", "", "has no column %s", quote(cols.name[role]))
		}
	}
	unit := cols.unit
	arrival, prompt, output := position(unit), position("prompt_tokens"), position("output_tokens")
	id, priority := position("id"), position("priority")
	return func(rec arrow.RecordBatch, i, line int) (r row, err error) {
		at := func(column int) place { return place{line, column + 1} }
		r.at, r.arrivalAt = place{line, 1}, at(arrival)
		if r.arrival, r.relative, err = c.tableArrival(rec.Column(arrival), i, at(arrival), unit); err != nil {
			return row{}, err
		}
		if r.prompt, err = c.tableCell(rec.Column(prompt), i, at(prompt), false); err != nil {
			return row{}, err
		}
		if r.output, err = c.tableCell(rec.Column(output), i, at(output), false); err != nil {
			return row{}, err
		}
		if r.id, err = c.optionalCell(rec, id, i, line, true); err != nil {
			return row{}, err
		}
		r.priority, err = c.optionalCell(rec, priority, i, line, false)
		return r, err
	}, nil
}

// optionalCell reads a column that may be absent or null.
func (c *collector) optionalCell(rec arrow.RecordBatch, column, i, line int, textual bool) (*cell, error) {
	if column < 0 || rec.Column(column).IsNull(i) {
		return nil, nil
	}
	v, err := c.tableCell(rec.Column(column), i, place{line, column + 1}, textual)
	return &v, err
}

// tableArrival reads an integer in the role's unit, or a timestamp.
func (c *collector) tableArrival(a arrow.Array, i int, at place, unit string) (instant, bool, error) {
	stamps, ok := a.(*array.Timestamp)
	if !ok {
		v, err := c.tableCell(a, i, at, false)
		if err != nil {
			return instant{}, false, err
		}
		when, err := c.decimalArrival(v, unit)
		return when, false, err
	}
	if stamps.IsNull(i) {
		return instant{}, false, c.fail("trace_time", at, "arrival is null")
	}
	perSecond := int64(nsPerSecond / stamps.DataType().(*arrow.TimestampType).Unit.Multiplier())
	v := int64(stamps.Value(i))
	sec, rest := v/perSecond, v%perSecond
	if rest < 0 {
		sec, rest = sec-1, rest+perSecond
	}
	return instant{sec: sec, ns: rest * (nsPerSecond / perSecond)}, true, nil
}

// tableCell spells an integer in decimal, and a text as it is where textual.
func (c *collector) tableCell(a arrow.Array, i int, at place, textual bool) (cell, error) {
	if a.IsNull(i) {
		return cell{}, c.fail("trace_null", at, "is null; expected a value")
	}
	switch a := a.(type) {
	case *array.Int64:
		return cell{strconv.FormatInt(a.Value(i), 10), at}, nil
	case *array.Int32:
		return cell{strconv.FormatInt(int64(a.Value(i)), 10), at}, nil
	case *array.Int16:
		return cell{strconv.FormatInt(int64(a.Value(i)), 10), at}, nil
	case *array.Uint64:
		return cell{strconv.FormatUint(a.Value(i), 10), at}, nil
	case *array.Uint32:
		return cell{strconv.FormatUint(uint64(a.Value(i)), 10), at}, nil
	case *array.Uint16:
		return cell{strconv.FormatUint(uint64(a.Value(i)), 10), at}, nil
	case *array.Dictionary:
		return c.tableCell(a.Dictionary(), a.GetValueIndex(i), at, textual)
	case *array.String:
		if textual {
			return cell{a.Value(i), at}, nil
		}
	case *array.LargeString:
		if textual {
			return cell{a.Value(i), at}, nil
		}
	}
	return cell{}, c.fail("trace_type", at, "column is of type %s; expected integers", a.DataType())
}
