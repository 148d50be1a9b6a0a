package arrowio

import (
	"bytes"
	"strings"
	"testing"
)

func TestDescribe(t *testing.T) {
	decl := Declaration{
		Table: "beans", Revision: 3, Contract: "contract 99", Description: "one row a bean",
		Fields: []Field{
			{"bean_id", Label, false, UnitID, "id of the bean | or pea"},
			{"cooked_ns", Int64, true, UnitNs, "time of cooking; null when raw"},
			{"spots", Int64s, false, UnitCount, "spots"},
		},
		Definitions: []Definition{{"doneness", "soft within"}},
	}
	var got bytes.Buffer
	if err := Describe(&got, &decl); err != nil {
		t.Fatal(err)
	}
	want := "## beans\n\nRevision 3, contract 99. One row a bean.\n\n" +
		"| field | type | unit | meaning |\n|---|---|---|---|\n" +
		"| `bean_id` | label | id | id of the bean \\| or pea |\n" +
		"| `cooked_ns` | int64, nullable | ns | time of cooking; null when raw |\n" +
		"| `spots` | list&lt;int64> | 1 | spots |\n\n" +
		"- **doneness**: soft within.\n"
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
}

// TestDescribeAll: every declared table is in the page, and no cell is empty.
func TestDescribeAll(t *testing.T) {
	var page bytes.Buffer
	if err := Describe(&page, AllDeclarations()...); err != nil {
		t.Fatal(err)
	}
	for _, d := range AllDeclarations() {
		if !strings.Contains(page.String(), "## "+d.Table+"\n") {
			t.Errorf("%s is not described", d.Table)
		}
	}
	if strings.Contains(page.String(), "|  |") {
		t.Error("a cell is empty")
	}
}
