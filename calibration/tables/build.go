package tables

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlab/inferlab/arrowio"
)

// column is a declared field with the values of all rows. Exactly one of the value
// lists is used, by the kind of the field; nulls, when given, marks absent values.
type column struct {
	field  arrowio.Field
	ints   []int64
	reals  []float64
	labels []string
	nulls  []bool
}

// integers, reals and labels make a column of one value a row.
func integers[T any](rows []T, name, unit, description string, get func(*T) int64) column {
	c := column{field: arrowio.Field{Name: name, Kind: arrowio.Int64, Unit: unit, Description: description}, ints: make([]int64, len(rows))}
	for i := range rows {
		c.ints[i] = get(&rows[i])
	}
	return c
}

func reals[T any](rows []T, name, unit, description string, get func(*T) float64) column {
	c := column{field: arrowio.Field{Name: name, Kind: arrowio.Float64, Unit: unit, Description: description}, reals: make([]float64, len(rows))}
	for i := range rows {
		c.reals[i] = get(&rows[i])
	}
	return c
}

func labels[T any](rows []T, name, unit, description string, get func(*T) string) column {
	c := column{field: arrowio.Field{Name: name, Kind: arrowio.Label, Unit: unit, Description: description}, labels: make([]string, len(rows))}
	for i := range rows {
		c.labels[i] = get(&rows[i])
	}
	return c
}

// orNull makes empty texts null.
func (c column) orNull() column {
	c.field.Nullable = true
	c.nulls = make([]bool, len(c.labels))
	for i, s := range c.labels {
		c.nulls[i] = s == ""
	}
	return c
}

// table declares and fills a table.
func table(name, description string, p arrowio.Provenance, opt arrowio.Options, definitions []arrowio.Definition, columns ...column) *arrowio.Table {
	d := arrowio.Declaration{
		Table: name, Revision: 1, Contract: contract, Description: description, Definitions: definitions,
		Fields: make([]arrowio.Field, len(columns)),
	}
	for i := range columns {
		d.Fields[i] = columns[i].field
	}
	schema := d.Schema(p, opt)
	arrays := make([]arrow.Array, len(columns))
	rows := int64(0)
	for i := range columns {
		arrays[i] = columns[i].array(schema.Field(i).Type)
		rows = int64(arrays[i].Len())
	}
	whole := array.NewRecordBatch(schema, arrays, rows)
	for _, a := range arrays {
		a.Release()
	}
	defer whole.Release()
	var batches []arrow.RecordBatch
	for from := int64(0); from < rows; from += arrowio.BatchRows {
		batches = append(batches, whole.NewSlice(from, min(rows, from+arrowio.BatchRows)))
	}
	return arrowio.FromBatches(name, schema, batches)
}

// array makes the Arrow array of a column. All rows share one dictionary.
func (c *column) array(t arrow.DataType) arrow.Array {
	switch c.field.Kind {
	case arrowio.Int64:
		b := array.NewInt64Builder(memory.DefaultAllocator)
		defer b.Release()
		b.AppendValues(c.ints, nil)
		return b.NewArray()
	case arrowio.Float64:
		b := array.NewFloat64Builder(memory.DefaultAllocator)
		defer b.Release()
		b.AppendValues(c.reals, nil)
		return b.NewArray()
	}
	if dictionary, ok := t.(*arrow.DictionaryType); ok {
		return c.dictionary(dictionary)
	}
	b := array.NewStringBuilder(memory.DefaultAllocator)
	defer b.Release()
	for i, s := range c.labels {
		if c.nulls != nil && c.nulls[i] {
			b.AppendNull()
			continue
		}
		b.Append(s)
	}
	return b.NewArray()
}

// dictionary encodes labels by words in order of first appearance.
func (c *column) dictionary(t *arrow.DictionaryType) arrow.Array {
	codes := make(map[string]int32)
	words := array.NewStringBuilder(memory.DefaultAllocator)
	defer words.Release()
	indices := array.NewInt32Builder(memory.DefaultAllocator)
	defer indices.Release()
	for i, s := range c.labels {
		if c.nulls != nil && c.nulls[i] {
			indices.AppendNull()
			continue
		}
		code, known := codes[s]
		if !known {
			code = int32(len(codes))
			codes[s] = code
			words.Append(s)
		}
		indices.Append(code)
	}
	index, dictionary := indices.NewArray(), words.NewArray()
	defer index.Release()
	defer dictionary.Release()
	return array.NewDictionaryArray(t, index, dictionary)
}
