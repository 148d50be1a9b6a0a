package arrowio

import (
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
)

// Kind is the type of a column. The set is small on purpose: every reader that
// the tables are tested with (pandas, pyarrow, polars, DuckDB) has all of them.
type Kind uint8

// The kinds of column.
const (
	Int64   Kind = iota // counts, extents and times; never beyond 2^53 - 1 in magnitude
	Float64             // ratios and means
	Text                // free text, plain UTF-8
	Label               // an id or a word of a closed set: dictionary-encoded UTF-8
	Int64s              // list of Int64
	Labels              // list of Label
)

// String names the kind as the documentation of the tables does.
func (k Kind) String() string {
	return [...]string{"int64", "float64", "text", "label", "list<int64>", "list<label>"}[k]
}

// Units that columns carry in the metadata key "unit".
const (
	UnitNs       = "ns"       // nanoseconds on the simulated clock, or a span of them
	UnitNsToken  = "ns/token" // a mean of spans
	UnitTokens   = "tokens"   // token positions
	UnitBytes    = "bytes"    //
	UnitCount    = "1"        // a pure number: counts, ordinals, ratios
	UnitTokensPS = "tokens/s" //
	UnitID       = "id"       // names an entity; equal ids in two tables are the same entity
	UnitWord     = "word"     // one of a closed set of words
	UnitText     = "text"     // free text
)

// Field declares one column: its name, its type, what it means and in which unit.
type Field struct {
	Name        string // snake_case; int64 times end in _ns
	Kind        Kind
	Nullable    bool // null where the fact does not exist, never for zero
	Unit        string
	Description string // one sentence; says when the value is null
}

// Definition fixes the meaning of a figure, so that two figures are compared only
// when they are the same thing.
type Definition struct {
	Figure string // for example "ttft"
	Text   string
}

// Declaration is the one schema of a table.
type Declaration struct {
	Table       string // name and file stem
	Revision    int64  // raised when a column is removed or changes its meaning
	Contract    string // the contract and the section that the rows restate
	Description string // what one row is, and the order of rows
	Fields      []Field
	Definitions []Definition // of the figures in the table
}

// Field returns the field with the given name, and false when there is none.
func (d *Declaration) Field(name string) (Field, bool) {
	for _, f := range d.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// Options choose between equivalent forms of the same table.
type Options struct {
	// PlainStrings writes ids and words as plain UTF-8 instead of dictionaries,
	// for readers that lack them.
	PlainStrings bool
}

// Schema is the Arrow schema of the table for a run of the given provenance.
func (d *Declaration) Schema(p Provenance, opt Options) *arrow.Schema {
	fields := make([]arrow.Field, len(d.Fields))
	for i, f := range d.Fields {
		fields[i] = f.arrow(opt)
	}
	meta := d.metadata(p)
	return arrow.NewSchema(fields, &meta)
}

// metadata is the schema metadata: the table's own keys, then the run's.
func (d *Declaration) metadata(p Provenance) arrow.Metadata {
	keys := []string{"inferlab.table", "inferlab.table_revision", "inferlab.contract", "inferlab.description"}
	values := []string{d.Table, strconv.FormatInt(d.Revision, 10), d.Contract, d.Description}
	for _, def := range d.Definitions {
		keys = append(keys, "inferlab.definition."+def.Figure)
		values = append(values, def.Text)
	}
	keys, values = p.appendMetadata(keys, values)
	return arrow.NewMetadata(keys, values)
}

// arrow is the Arrow field with unit and description in its metadata.
func (f Field) arrow(opt Options) arrow.Field {
	return arrow.Field{
		Name:     f.Name,
		Type:     f.Kind.arrow(opt),
		Nullable: f.Nullable,
		Metadata: arrow.NewMetadata([]string{"description", "unit"}, []string{f.Description, f.Unit}),
	}
}

// labelType is the dictionary type of every id and word. All columns share one
// index type, because readers that meet two of them refuse to join or concatenate.
var labelType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}

func (k Kind) arrow(opt Options) arrow.DataType {
	var label arrow.DataType = labelType
	if opt.PlainStrings {
		label = arrow.BinaryTypes.String
	}
	switch k {
	case Int64:
		return arrow.PrimitiveTypes.Int64
	case Float64:
		return arrow.PrimitiveTypes.Float64
	case Text:
		return arrow.BinaryTypes.String
	case Label:
		return label
	case Int64s:
		return listOf(arrow.PrimitiveTypes.Int64)
	}
	return listOf(label)
}

// listOf is a list without null elements. The name of the element is the one that
// Parquet prescribes, so that a schema is the same before and after a file.
func listOf(t arrow.DataType) arrow.DataType {
	return arrow.ListOfField(arrow.Field{Name: "element", Type: t})
}
