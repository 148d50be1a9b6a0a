package kvcache_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/kvcache"
	"github.com/inferlab/inferlab/simcore/replay/kvreplay"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

var documentConfig = workload.PagedKV{SequenceID: "s", PageSizeTokens: 4, BytesPerToken: 1, CapacityBytes: 40, InitialTokenLength: 5}

// documentTrace is a trace of two iterations as its document.
func documentTrace(t testing.TB) (*kvcache.Cache, string) {
	t.Helper()
	c, err := kvcache.New(documentConfig)
	if err != nil {
		t.Fatal(err)
	}
	for _, accepted := range []int64{1, 6} {
		h, err := c.Checkpoint()
		if err == nil {
			err = c.Append(9)
		}
		if err == nil {
			err = c.Restore(h, accepted)
		}
		if err == nil {
			err = c.Append(1)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	w := jsondoc.NewWriter(nil)
	c.Trace().WriteEvents(w)
	return c, string(w.Bytes())
}

func checkDocument(t testing.TB, text string) (kvreplay.Result, *trace.PagedKV, error) {
	t.Helper()
	doc, err := document.Parse([]byte(text), "trace.json")
	if err != nil {
		t.Fatal(err)
	}
	return kvreplay.CheckDocument(documentConfig, &doc)
}

// TestDocumentsReplay: a trace that went through its document is the same trace.
func TestDocumentsReplay(t *testing.T) {
	c, text := documentTrace(t)
	got, again, err := checkDocument(t, text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c.Metrics(), got.Metrics); diff != "" {
		t.Errorf("metrics (-cache +document):\n%s", diff)
	}
	w := jsondoc.NewWriter(nil)
	again.WriteEvents(w)
	if diff := cmp.Diff(text, string(w.Bytes())); diff != "" {
		t.Errorf("written again (-first +second):\n%s", diff)
	}
}

// TestDocumentOffences: the first offending event and its code; the state is the
// one before it.
func TestDocumentOffences(t *testing.T) {
	_, text := documentTrace(t)
	for _, m := range []struct {
		old, now string
		code     kvreplay.Code
		at       int64
	}{
		{`"contractRevision": 1`, `"contractRevision": 2`, kvreplay.ContractRevision, 0},
		{`"sourceId": "paged-kv:s"`, `"sourceId": "paged-kv:t"`, kvreplay.SourceID, 0},
		{`"sourceSequence": 3`, `"sourceSequence": 4`, kvreplay.SourceSequence, 3},
		{`"kind": "append"`, `"kind": "grow"`, kvreplay.UnknownKind, 2},
		{`"kind": "initialize"`, `"kind": "append"`, kvreplay.InitializePosition, 0},
		{`"capacityBytes": 40`, `"capacityBytes": 41`, kvreplay.InitializeMismatch, 0},
		{`"initialTokenLength": 5`, `"initialTokenLength": 6`, kvreplay.InitializeMismatch, 0},
		{`"generation": 0`, `"generation": 0, "extra": 1`, kvreplay.MalformedEvent, 1},
		{`"appendedTokens": 9`, `"appendedTokens": "9"`, kvreplay.MalformedEvent, 2},
		{`"appendedTokens": 9`, `"appendedTokens": 8.5`, kvreplay.InvalidTokens, 2},
		{`"appendedTokens": 9`, `"appendedTokens": 9, "extra": 0`, kvreplay.MalformedEvent, 2},
		{`"baseTokenLength": 5`, `"baseTokenLength": 4`, kvreplay.CheckpointMismatch, 1},
		{`"s:kv-page-4"`, `"s:kv-page-1"`, kvreplay.PageIdentityReused, 2},
		{`"s:kv-page-4"`, `""`, kvreplay.PageIdentityReused, 2},
		{`"acceptedTokens": 1`, `"acceptedTokens": 2`, kvreplay.LengthMismatch, 3},
		{`"kv-checkpoint-2"`, `"kv-checkpoint-1"`, kvreplay.CheckpointMismatch, 5},
	} {
		broken := strings.Replace(text, m.old, m.now, 1)
		if broken == text {
			t.Fatalf("the document does not hold %s", m.old)
		}
		got, _, err := checkDocument(t, broken)
		var mismatch *kvreplay.Mismatch
		if !errors.As(err, &mismatch) || mismatch.Code != m.code || mismatch.Index != m.at || got.AppliedEvents != m.at {
			t.Errorf("%s: %v after %d events, want %s at event %d", m.now, err, got.AppliedEvents, m.code, m.at)
		}
	}
	if got, _, err := checkDocument(t, "[]"); err == nil || got.AppliedEvents != 0 {
		t.Errorf("an empty trace: %v", err)
	}
	// The state before a refused append is untouched by it.
	got, _, _ := checkDocument(t, strings.Replace(text, `"s:kv-page-4"`, `"s:kv-page-1"`, 1))
	if got.Snapshot.LogicalTokens != 5 || got.Snapshot.LivePageCount != 2 || got.Snapshot.HighWaterTokens != 5 || got.Snapshot.ActiveCheckpoint == nil {
		t.Errorf("the state before the offence is %+v", got.Snapshot)
	}
}

// FuzzCheckDocument: no document makes the replay panic.
func FuzzCheckDocument(f *testing.F) {
	_, text := documentTrace(f)
	f.Add(text)
	f.Fuzz(func(t *testing.T, text string) {
		if doc, err := document.Parse([]byte(text), "trace.json"); err == nil {
			_, _, _ = kvreplay.CheckDocument(documentConfig, &doc)
		}
	})
}
