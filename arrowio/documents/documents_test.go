package documents_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/documents"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/kvcache"
	"github.com/inferlab/inferlab/simcore/workload"
)

func refused(t *testing.T, text, code string) {
	t.Helper()
	_, err := documents.Tables(strings.NewReader(text), arrowio.Options{})
	if found := issue.All(err); len(found) == 0 || found[0].Code != code {
		t.Errorf("%.60s: %v, want %s", text, err, code)
	}
}

// TestRefusals: what is no document, and documents without tables.
func TestRefusals(t *testing.T) {
	refused(t, "", "export_syntax")
	refused(t, "[]", "export_syntax")
	refused(t, `{"kind":`, "export_syntax")
	refused(t, `{"kind":7}`, "export_syntax")
	refused(t, `{}`, "export_kind")
	refused(t, `{"kind":"inferlab/plan"}`, "export_kind")
	refused(t, `{"kind":"inferlab/result","command":"compare"}`, "export_command")
	refused(t, `{"kind":"inferlab/serving-trace","revision":2}`, "result_kind")
	refused(t, `{"kind":"inferlab/serving-trace","revision":1,"trace":[]}`, "result_inputs")
}

// speculativeDocument is the result of one iteration with its page cache; kept is
// what the iteration says that it committed.
func speculativeDocument(t testing.TB, committed string) string {
	t.Helper()
	c, err := kvcache.New(workload.PagedKV{SequenceID: "s", PageSizeTokens: 4, BytesPerToken: 10, CapacityBytes: 400, InitialTokenLength: 5})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Append(2); err != nil {
		t.Fatal(err)
	}
	w := jsondoc.NewWriter(nil)
	c.Trace().WriteEvents(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return `{"kind":"inferlab/result","revision":1,"command":"speculative","contractRevisions":{"proposerFamily":2,"speculativeIteration":1,"pagedKv":1},
		"confidence":"exact","initialTokenLength":5,"finalTokenLength":7,"iterations":[{"iteration":0,"baseTokenLength":5,"guaranteedTargetTokens":0,
		"proposedAdditionalTokens":2,"acceptedAdditionalTokens":1,"proposedDraftTokens":2,"acceptedDraftTokens":1,"rejectedDraftTokens":1,
		"targetAuthoritativeTokens":1,"committedTokens":` + committed + `,"finalTokenLength":7,"outcome":"correction"}],
		"pagedKv":{"snapshot":{},"trace":` + string(w.Bytes()) + `}}`
}

func TestSpeculativeResult(t *testing.T) {
	tables, err := documents.Tables(strings.NewReader(speculativeDocument(t, "2")), arrowio.Options{})
	if err != nil || len(tables) != 4 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	for i, rows := range []int64{1, 2, 2, 2} { // iterations, positions, events, pages
		if tables[i].NumRows() != rows {
			t.Errorf("%s has %d rows, want %d", tables[i].Name(), tables[i].NumRows(), rows)
		}
	}
	if p := arrowio.ProvenanceOf(tables[0].Schema()); p.Command != "speculative" || p.Confidence != "exact" || len(p.Revisions) != 3 {
		t.Errorf("provenance %+v", p)
	}
	refused(t, speculativeDocument(t, "3"), "speculative_result")
}

// FuzzTables: no text makes the readers panic, and every table of what they accept
// is the same after it was written and read.
func FuzzTables(f *testing.F) {
	f.Add([]byte(speculativeDocument(f, "2")))
	plain, withInputs, protocol := expertDocuments(f)
	for _, text := range []string{plain, withInputs, protocol} {
		f.Add([]byte(text))
	}
	for _, kind := range documents.Kinds() {
		f.Add([]byte(`{"kind":"` + kind + `","revision":1,"contractRevision":5,"inputs":{},"trace":[]}`))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		tables, err := documents.Tables(bytes.NewReader(text), arrowio.Options{})
		if err == nil && len(tables) == 0 {
			t.Error("no table and no error")
		}
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		defer mem.AssertSize(t, 0)
		for _, table := range tables {
			var out bytes.Buffer
			if err := arrowio.WriteIPC(&out, table); err != nil {
				t.Fatalf("%s: %v", table.Name(), err)
			}
			again, err := arrowio.ReadIPC(bytes.NewReader(out.Bytes()), mem)
			if err != nil {
				t.Fatalf("%s: %v", table.Name(), err)
			}
			if diff := cmp.Diff(table.Cells(0, table.NumRows()), again.Cells(0, again.NumRows())); diff != "" {
				t.Errorf("%s: %s", table.Name(), diff)
			}
			again.Release()
		}
	})
}
