package parquetio

import (
	"errors"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// levels are the definition and repetition levels of one column's rows. They are
// nil where the format has none: rep of a column without lists, both of a column
// without lists and nulls.
type levels struct {
	def, rep []int16

	// Scratch for def and rep.
	defs, reps []int16
}

// hasColumns reports whether every field is one Parquet column: a plain type, or a
// list of one whose elements are never null and have the name that the format prescribes.
func hasColumns(s *arrow.Schema) bool {
	for _, f := range s.Fields() {
		t := f.Type
		if list, ok := t.(*arrow.ListType); ok && list.ElemField().Name == "element" && !list.ElemField().Nullable {
			t = list.Elem()
		}
		if dict, ok := t.(*arrow.DictionaryType); ok {
			t = dict.ValueType
		}
		switch t.ID() {
		case arrow.INT64, arrow.FLOAT64, arrow.STRING:
		default:
			return false
		}
	}
	return true
}

// errNullList refuses a list that is null and has elements, which no reader could
// tell from the elements of its neighbours.
var errNullList = errors.New("write parquet: a list is null and has elements")

// of sets the levels of the values of a field, which hold until the next call, and
// returns the values without their lists. The caller releases them.
func (l *levels) of(values arrow.Array, nullable bool) (arrow.Array, error) {
	if list, ok := values.(*array.List); ok {
		return l.ofLists(list, nullable)
	}
	values.Retain()
	l.def, l.rep = nil, nil
	if nullable {
		l.def = l.room(&l.defs, values.Len())
		presence(l.def, values)
	}
	return values, nil
}

// ofLists lays out lists. A definition level counts what is there: of a list that can
// be null the list, and then the element; a repetition level is 0 where a row begins.
func (l *levels) ofLists(list *array.List, nullable bool) (arrow.Array, error) {
	empty := int16(0)
	if nullable {
		empty = 1
	}
	offsets := list.Offsets()[list.Data().Offset():][:list.Len()+1]
	from, to := int64(offsets[0]), int64(offsets[list.Len()])
	rows := list.Len() + int(to-from)
	l.def, l.rep = l.room(&l.defs, rows)[:0], l.room(&l.reps, rows)[:0]
	for i := range list.Len() {
		n := int(offsets[i+1] - offsets[i])
		switch {
		case nullable && list.IsNull(i):
			if n > 0 {
				return nil, errNullList
			}
			l.def, l.rep = append(l.def, 0), append(l.rep, 0)
		case n == 0:
			l.def, l.rep = append(l.def, empty), append(l.rep, 0)
		default:
			at := len(l.def)
			l.def, l.rep = l.def[:at+n], l.rep[:at+n]
			fill(l.def[at:], empty+1)
			fill(l.rep[at:], 1)
			l.rep[at] = 0
		}
	}
	return array.NewSlice(list.ListValues(), from, to), nil
}

// presence writes a level for each value: 0 for a null, 1 for others.
func presence(def []int16, values arrow.Array) {
	bits, from := values.NullBitmapBytes(), values.Data().Offset()
	if len(bits) == 0 {
		fill(def, 1)
		return
	}
	for i := range def {
		k := from + i
		def[i] = int16(bits[k>>3] >> (k & 7) & 1)
	}
}

func fill(levels []int16, level int16) {
	for i := range levels {
		levels[i] = level
	}
}

// room is n levels of a scratch slice.
func (l *levels) room(scratch *[]int16, n int) []int16 {
	*scratch = slices.Grow((*scratch)[:0], n)
	return (*scratch)[:n]
}
