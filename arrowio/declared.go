package arrowio

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// DeclarationOf reads the declaration of a table back from its schema, as
// Declaration.Schema wrote it there. A schema of another writer is an error.
func DeclarationOf(s *arrow.Schema) (*Declaration, error) {
	meta := s.Metadata()
	get := func(key string) string {
		v, _ := meta.GetValue("inferlab." + key)
		return v
	}
	d := &Declaration{Table: get("table"), Contract: get("contract"), Description: get("description"), Fields: make([]Field, s.NumFields())}
	revision, err := strconv.ParseInt(get("table_revision"), 10, 64)
	if err != nil || d.Table == "" {
		return nil, fmt.Errorf("the schema declares no table")
	}
	d.Revision = revision
	for i, key := range meta.Keys() {
		if figure, ok := strings.CutPrefix(key, "inferlab.definition."); ok {
			d.Definitions = append(d.Definitions, Definition{Figure: figure, Text: meta.Values()[i]})
		}
	}
	for i, f := range s.Fields() {
		unit, _ := f.Metadata.GetValue("unit")
		description, _ := f.Metadata.GetValue("description")
		kind, err := kindOf(f.Type, unit)
		if err != nil {
			return nil, fmt.Errorf("table %s, field %s: %w", d.Table, f.Name, err)
		}
		d.Fields[i] = Field{Name: f.Name, Kind: kind, Nullable: f.Nullable, Unit: unit, Description: description}
	}
	return d, nil
}

// kindOf is the kind of a type. Plain strings are labels when they name something.
func kindOf(t arrow.DataType, unit string) (Kind, error) {
	kinds := []Kind{Int64, Float64, Text, Label, Int64s, Labels}
	if unit == UnitID || unit == UnitWord {
		kinds = []Kind{Int64, Float64, Label, Text, Int64s, Labels}
	}
	for _, k := range kinds {
		for _, opt := range []Options{{}, {PlainStrings: true}} {
			if arrow.TypeEqual(k.arrow(opt), t) {
				return k, nil
			}
		}
	}
	return 0, fmt.Errorf("no kind of column is %v", t)
}
