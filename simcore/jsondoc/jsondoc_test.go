package jsondoc_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/jsondoc"
)

func TestDocumentForm(t *testing.T) {
	w := jsondoc.NewWriter(nil)
	w.Object()
	w.Key("a").Int(-3)
	w.Key("list").Array()
	w.Element().Text("x\n\"<")
	w.Element().Object().End()
	w.Element().Array().End()
	w.End()
	w.Key("f").Float(0.1)
	w.Key("whole").Float(1e20)
	w.Key("huge").Float(1e21)
	w.Key("zero").Float(math.Copysign(0, -1))
	w.Key("tree").Value(canonical.Object{{Key: "b", Value: true}, {Key: "a", Value: nil}})
	w.Key("ids").Texts([]string{"p", "q"})
	w.Key("ns").Ints([]int64{1, 2})
	w.End()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := `{
  "a": -3,
  "list": [
    "x\n\"<",
    {},
    []
  ],
  "f": 0.1,
  "whole": 100000000000000000000,
  "huge": 1e+21,
  "zero": 0,
  "tree": {
    "b": true,
    "a": null
  },
  "ids": [
    "p",
    "q"
  ],
  "ns": [
    1,
    2
  ]
}
`
	if got := string(w.Bytes()); got != want {
		t.Errorf("document:\n%s\nwant:\n%s", got, want)
	}
}

func TestLargeDocumentStreamsWhole(t *testing.T) {
	var out bytes.Buffer
	w := jsondoc.NewWriter(&out)
	w.Array()
	const rows = 60_000
	for i := range int64(rows) {
		w.Element().Object().Key("i").Int(i).End()
	}
	w.End()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var back []struct{ I int64 }
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if len(back) != rows || back[rows-1].I != rows-1 {
		t.Errorf("read back %d rows, last %+v", len(back), back[len(back)-1])
	}
}

func TestDeepNestingIndents(t *testing.T) {
	w := jsondoc.NewWriter(nil)
	const depth = 40
	for range depth {
		w.Array().Element()
	}
	w.Int(1)
	for range depth {
		w.End()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if line := "\n" + strings.Repeat("  ", depth) + "1\n"; !strings.Contains(string(w.Bytes()), line) {
		t.Errorf("innermost value is not indented by %d levels", depth)
	}
}

type failing struct{}

var errFull = errors.New("no space")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestErrorsStick(t *testing.T) {
	w := jsondoc.NewWriter(failing{})
	w.Object().End()
	if err := w.Close(); !errors.Is(err, errFull) {
		t.Errorf("write error: got %v", err)
	}
	w = jsondoc.NewWriter(nil)
	w.Object().Key("x").Float(math.Inf(1)).End()
	if err := w.Close(); !errors.Is(err, jsondoc.ErrNotFinite) {
		t.Errorf("non-finite number: got %v", err)
	}
	w = jsondoc.NewWriter(nil)
	w.Object()
	if err := w.Close(); err == nil {
		t.Error("an unclosed document was accepted")
	}
}

func TestHead(t *testing.T) {
	w := jsondoc.NewWriter(nil)
	w.Object().Head(jsondoc.Head{
		Command:             "run",
		ContractRevisions:   []jsondoc.Revision{{Name: "plan", Revision: 5}},
		ScenarioFingerprint: "fnv1a32:00000001",
		Confidence:          evidence.Heuristic,
	}).End()
	var got map[string]any
	if err := json.Unmarshal(w.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{"kind": "inferlab/result", "command": "run", "revision": 1.0,
		"scenarioFingerprint": "fnv1a32:00000001", "confidence": "heuristic"} {
		if got[key] != want {
			t.Errorf("%s = %v, want %v", key, got[key], want)
		}
	}
}

func BenchmarkRows(b *testing.B) {
	b.ReportAllocs()
	var out discard
	for b.Loop() {
		w := jsondoc.NewWriter(&out)
		w.Array()
		for i := range int64(10_000) {
			w.Element().Object()
			w.Key("requestId").Text("request-000123")
			w.Key("tokenIndex").Int(i)
			w.Key("source").Text("target_decode")
			w.End()
		}
		w.End()
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(out) / int64(b.N))
}

type discard int

func (d *discard) Write(p []byte) (int, error) { *d += discard(len(p)); return len(p), nil }
