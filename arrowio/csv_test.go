package arrowio

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/arrowio/internal/samplerun"
	"github.com/inferlab/inferlab/simcore/issue"
)

// TestCSVRoundTrip reads every table back to the same cells, in both forms of
// strings and over several batches.
func TestCSVRoundTrip(t *testing.T) {
	for _, opt := range []Options{{}, {PlainStrings: true}} {
		tables := Serving(samplerun.Small(), opt).All()
		tables = append(tables, Serving(samplerun.Large(500, 150), opt).Tokens())
		for i, want := range tables {
			mem := checked(t)
			var out bytes.Buffer
			if err := WriteCSV(&out, want); err != nil {
				t.Fatal(err)
			}
			decl := Declarations()[min(i, 7)]
			if i == 8 {
				decl = &TokensDeclaration
			}
			got, err := ReadCSV(&out, "f", decl, ProvenanceOf(want.Schema()), opt, mem)
			if err != nil {
				t.Fatal(want.Name(), err)
			}
			if !got.Schema().Equal(want.Schema()) || got.NumRows() != want.NumRows() {
				t.Errorf("%s: schema or length differs", want.Name())
			}
			x, y := want.Cells(0, want.NumRows()), got.Cells(0, got.NumRows())
			if !reflect.DeepEqual(x, y) {
				t.Errorf("%s:\n%s", want.Name(), cmp.Diff(x, y))
			}
			got.Release()
		}
	}
}

var pairs = Declaration{Table: "pairs", Fields: []Field{
	{Name: "n", Kind: Int64, Nullable: true}, {Name: "x", Kind: Float64}, {Name: "ids", Kind: Labels, Nullable: true}, {Name: "ns", Kind: Int64s},
}}

func TestCSVRefusals(t *testing.T) {
	const header = "n,x,ids,ns\n"
	for text, want := range map[string]string{
		"":                                    "csv_header f",
		"n,x\n":                               "csv_header f:1:1",
		header + "1,2\n":                      "csv_syntax f:2:1",
		header + "1.0,2,[],[]\n":              "csv_cell f:2:1",
		header + "9007199254740992,2,[],[]\n": "csv_cell f:2:1",
		header + ",,[],[]\n":                  "csv_cell f:2:2",
		header + ",1,[1],[]\n":                "csv_cell f:2:4",
		header + ",1,null,[]\n":               "csv_cell f:2:4",
		header + ",1,[],\n":                   "csv_cell f:2:7",
		header + ",1,[],[1.5]\n":              "csv_cell f:2:7",
		header + ",1,[],[]\n\"x,1,[],[]\n":    "csv_syntax f:3:12",
	} {
		_, err := ReadCSV(strings.NewReader(text), "f", &pairs, Provenance{}, Options{}, checked(t))
		var got *issue.Error
		if !errors.As(err, &got) || got.Code+" "+got.Path != want {
			t.Errorf("%q: error %v; want %s", text, err, want)
		}
	}
}

// FuzzReadCSV: no text makes the reader panic, and what it accepts it reads again
// from its own writing.
func FuzzReadCSV(f *testing.F) {
	f.Add("n,x,ids,ns\n1,2.5,\"[\"\"a\"\"]\",\"[1,2]\"\n,NaN,,[]\n")
	f.Fuzz(func(t *testing.T, text string) {
		mem := checked(t)
		got, err := ReadCSV(strings.NewReader(text), "f", &pairs, Provenance{}, Options{}, mem)
		if err != nil {
			return
		}
		defer got.Release()
		var out bytes.Buffer
		if err := WriteCSV(&out, got); err != nil {
			t.Fatal(err)
		}
		again, err := ReadCSV(&out, "f", &pairs, Provenance{}, Options{}, mem)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Release()
		if diff := cmp.Diff(got.Cells(0, got.NumRows()), again.Cells(0, again.NumRows())); diff != "" {
			t.Fatal(diff)
		}
	})
}
