package arrowio

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/google/go-cmp/cmp"
)

// TestDeclarationOf: every declaration is read back from its schema, with
// dictionaries and with plain strings.
func TestDeclarationOf(t *testing.T) {
	for _, want := range AllDeclarations() {
		for _, opt := range []Options{{}, {PlainStrings: true}} {
			got, err := DeclarationOf(want.Schema(Provenance{Command: "serving"}, opt))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, plain %v: %s", want.Table, opt.PlainStrings, diff)
			}
		}
	}
	meta := arrow.NewMetadata([]string{"inferlab.table", "inferlab.table_revision"}, []string{"t", "1"})
	for _, s := range []*arrow.Schema{
		arrow.NewSchema(nil, nil),
		arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int32}}, &meta),
	} {
		if d, err := DeclarationOf(s); err == nil {
			t.Errorf("%v declares %v", s, d)
		}
	}
}
