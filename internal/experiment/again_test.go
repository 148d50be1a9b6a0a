package experiment_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/internal/experiment"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/topology"
)

// ran is the document of two tokens on two GPUs.
func ran(t testing.TB) []byte {
	t.Helper()
	s, err := topology.Preset("multi-gpu")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := document.Parse([]byte("target_only: {token_count: 2}\n"), "work.yaml")
	if err != nil {
		t.Fatal(err)
	}
	in := &experiment.Inputs{Scenario: s}
	in.Add(experiment.WorkloadFile, "work.yaml", doc)
	_, m, err := experiment.Run(in)
	if err != nil {
		t.Fatal(err)
	}
	return text(t, m)
}

func text(t testing.TB, m *experiment.Made) []byte {
	t.Helper()
	w := jsondoc.NewWriter(nil)
	m.WriteDocument(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
}

// TestAgain: a document gives itself, however it is laid out.
func TestAgain(t *testing.T) {
	doc := ran(t)
	for _, spelled := range [][]byte{doc, bytes.ReplaceAll(doc, []byte("\n"), []byte("\n  ")), bytes.Replace(doc, []byte(`"planSteps": 10`), []byte(`"planSteps": 1e1`), 1)} {
		m, err := experiment.Again(spelled)
		if err != nil {
			t.Fatal(err)
		}
		if m.Command != "run" || len(m.Machines) != 1 || m.Confidence != "heuristic" || !bytes.Equal(text(t, m), doc) {
			t.Errorf("%s on %d machines, %s", m.Command, len(m.Machines), m.Confidence)
		}
	}
}

// TestAgainRefusals: every refusal names the place and what is wrong there.
func TestAgainRefusals(t *testing.T) {
	doc := string(ran(t))
	for _, c := range []struct{ old, now, code, path string }{
		{`"planSteps": `, `"planSteps": 1`, "result_replay", "planSteps"},
		{`"status": "succeeded"`, `"status": "failed"`, "result_replay", "status"},
		{`"token_count": 2`, `"token_count": 3`, "result_replay", ""},
		{`"profileId": `, `"profile": `, "result_replay", "profileId"},
		{`"inputs": `, `"input": `, "result_inputs", "inputs"},
		{"\"workload\": {\n      \"target_only\"", "\"work\": {\n      \"target_only\"", "experiment_inputs", "workload"},
		{`"command": "run"`, `"command": "presets"`, "result_command", "command"},
		{`"kind": "inferlab/result"`, `"kind": "inferlab/page"`, "result_kind", "kind"},
	} {
		changed := strings.Replace(doc, c.old, c.now, 1)
		if changed == doc {
			t.Fatalf("the document does not hold %q", c.old)
		}
		_, err := experiment.Again([]byte(changed))
		found := issue.All(err)
		if len(found) == 0 || found[0].Code != c.code || c.path != "" && found[0].Path != c.path {
			t.Errorf("%s: %v", c.now, err)
		}
	}
}

// TestCommands: the names are those of the documents, each once.
func TestCommands(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range experiment.Commands() {
		if seen[name] {
			t.Errorf("%s is listed twice", name)
		}
		seen[name] = true
	}
	if len(seen) != 13 {
		t.Errorf("%d commands", len(seen))
	}
}

// FuzzAgain: no text makes the reader panic.
func FuzzAgain(f *testing.F) {
	f.Add(ran(f))
	for _, name := range experiment.Commands() {
		f.Add([]byte(`{"kind":"inferlab/result","command":"` + name + `","inputs":{"config":{},"workload":{},"dataset":{},"tokenTrace":{},"artifact":{}}}`))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if m, err := experiment.Again(text); err == nil && m == nil {
			t.Error("no result and no error")
		}
	})
}
