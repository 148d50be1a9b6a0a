package arrowio

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore/kvcache"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// paged is a cache of pages of four tokens that takes five tokens, drafts four of
// which one is kept, and commits a checkpoint.
func paged(t *testing.T) *trace.PagedKV {
	t.Helper()
	c, err := kvcache.New(workload.PagedKV{SequenceID: "s", PageSizeTokens: 4, BytesPerToken: 10, CapacityBytes: 400, InitialTokenLength: 5})
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	h, err := c.Checkpoint()
	must(err)
	must(c.Append(4)) // 9 tokens: a third page
	must(c.Restore(h, 1))
	must(c.Append(3)) // 9 tokens again: the fourth page
	h, err = c.Checkpoint()
	must(err)
	must(c.Commit(h))
	return c.Trace()
}

func TestPagedKVTables(t *testing.T) {
	tables := PagedKV(paged(t), Provenance{}, Options{})
	events, pages := tables.Events(), tables.Pages()
	// sequence, place, kind, checkpoint, generation, base, tokens, length, +pages, -pages, live, bytes, tail
	want := [][]string{
		{"s", "0", "initialize", "", "", "", "", "5", "2", "0", "2", "80", "3"},
		{"s", "1", "checkpoint", "kv-checkpoint-1", "0", "5", "", "5", "0", "0", "2", "80", "3"},
		{"s", "2", "append", "", "", "5", "4", "9", "1", "0", "3", "120", "3"},
		{"s", "3", "restore", "kv-checkpoint-1", "1", "", "1", "6", "0", "1", "2", "80", "2"},
		{"s", "4", "append", "", "", "6", "3", "9", "1", "0", "3", "120", "3"},
		{"s", "5", "checkpoint", "kv-checkpoint-2", "1", "9", "", "9", "0", "0", "3", "120", "3"},
		{"s", "6", "commit", "kv-checkpoint-2", "2", "", "", "9", "0", "0", "3", "120", "3"},
	}
	if diff := cmp.Diff(want, events.Cells(0, events.NumRows())); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	want = [][]string{
		{"s", "s:kv-page-1", "0", "0", "4", "40", "0", ""},
		{"s", "s:kv-page-2", "1", "4", "4", "40", "0", ""},
		{"s", "s:kv-page-3", "2", "8", "4", "40", "2", "3"},
		{"s", "s:kv-page-4", "2", "8", "4", "40", "4", ""},
	}
	if diff := cmp.Diff(want, pages.Cells(0, pages.NumRows())); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}

// TestPagedKVTablesRoundTrip reads both tables back from CSV to the same cells.
func TestPagedKVTablesRoundTrip(t *testing.T) {
	for _, opt := range []Options{{}, {PlainStrings: true}} {
		for i, want := range PagedKV(paged(t), Provenance{Command: "speculative"}, opt).All() {
			var out bytes.Buffer
			if err := WriteCSV(&out, want); err != nil {
				t.Fatal(err)
			}
			got, err := ReadCSV(&out, "f", KVDeclarations()[i], ProvenanceOf(want.Schema()), opt, checked(t))
			if err != nil {
				t.Fatal(want.Name(), err)
			}
			if x, y := want.Cells(0, want.NumRows()), got.Cells(0, got.NumRows()); !reflect.DeepEqual(x, y) {
				t.Errorf("%s:\n%s", want.Name(), cmp.Diff(x, y))
			}
			got.Release()
		}
	}
}
