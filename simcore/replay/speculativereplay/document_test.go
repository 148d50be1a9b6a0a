package speculativereplay_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/replay/speculativereplay"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

func written(t testing.TB, d *trace.SpeculativeDocument) []byte {
	t.Helper()
	w := jsondoc.NewWriter(nil)
	d.Write(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Bytes()
}

func simulated(t testing.TB, cfg workload.SpeculativeRun) *trace.SpeculativeDocument {
	t.Helper()
	contract, err := workload.ContractOf(cfg.Family)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Eligibility = contract.DefaultEligibility()
	s, err := speculative.Simulate(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &trace.SpeculativeDocument{Config: &s.Config, Trace: &s.Trace}
}

// rejected is a token that the target refuses.
const rejected = 99

// tokenDocument is of a draft model that is corrected once and accepted to the end.
func tokenDocument(t testing.TB) *trace.SpeculativeDocument {
	t.Helper()
	tokens := &trace.TokenTrace{ID: "t", Family: workload.DraftModel, MaxAdditionalTokens: 2, Prompt: []int64{1, 2}, ExpectedOutput: []int64{5, 6, 7, 8},
		Provenance: trace.TokenProvenance{Source: "s", RuntimeRevision: "r", ModelFingerprint: "m", ProposerFingerprint: "p",
			TokenizerFingerprint: "k", GenerationConfigFingerprint: "g", TargetOnlyRunID: "a", SpeculativeRunID: "b"},
		Iterations: []trace.TokenIteration{{ID: "i0", Proposal: []int64{5, rejected}, Target: []int64{5, 6}}, {ID: "i1", Proposal: []int64{7, 8}, Target: []int64{7, 8}}}}
	r, err := speculative.CheckTokens(tokens)
	if err != nil {
		t.Fatal(err)
	}
	return &trace.SpeculativeDocument{Config: &r.Workload.Config, Trace: &r.Workload.Trace, Tokens: tokens, Committed: r.Committed}
}

// onMachine adds the trace of the plan that carries the iterations out.
func onMachine(t testing.TB, d *trace.SpeculativeDocument) *trace.SpeculativeDocument {
	t.Helper()
	s, err := topology.Preset("single-gpu-cpu")
	if err != nil {
		t.Fatal(err)
	}
	profile, err := d.Trace.Profile()
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Execute(s, profile, cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	d.Execution = func(w *jsondoc.Writer) { trace.WritePlanDocument(w, s, r.Compiled.Plan, r.Trace) }
	return d
}

func documents(t testing.TB) map[string]*trace.SpeculativeDocument {
	replay := workload.Acceptance{Kind: workload.AcceptReplay, Accepted: []float64{2, 0, 1, 1}, Seed: 42}
	buckets := workload.Acceptance{Kind: workload.AcceptEmpirical, Seed: 7, Buckets: []workload.AcceptanceBucket{
		{Probabilities: []float64{0.9, 0.5}}, {MinContextTokens: 12, Probabilities: []float64{0.25, 1}}}}
	return map[string]*trace.SpeculativeDocument{
		"paged": simulated(t, workload.SpeculativeRun{Family: workload.MTP, InitialTokens: 5, OutputTokens: 11, MaxAdditionalTokens: 3, Acceptance: replay,
			PagedKV: &workload.PagedKV{SequenceID: "target", PageSizeTokens: 4, BytesPerToken: 2, CapacityBytes: 400}}),
		"buckets": simulated(t, workload.SpeculativeRun{Family: workload.SharedKV, InitialTokens: 9, OutputTokens: 8, MaxAdditionalTokens: 2, Acceptance: buckets}),
		"groups": simulated(t, workload.SpeculativeRun{Family: workload.PromptLookup, OutputTokens: 4, MaxAdditionalTokens: 1,
			Acceptance:  workload.Acceptance{Kind: workload.AcceptHeuristic, Probabilities: []float64{0.5}},
			StateGroups: []workload.StateGroup{{ID: "kv", Owner: workload.OwnedByTarget, CapacityTokens: 6}}}),
		"layers": simulated(t, workload.SpeculativeRun{Family: workload.SelfSpeculative, OutputTokens: 4, MaxAdditionalTokens: 1,
			Acceptance: workload.Acceptance{Kind: workload.AcceptHeuristic, Probabilities: []float64{0.5}}}),
		"tokens":  tokenDocument(t),
		"machine": onMachine(t, tokenDocument(t)),
	}
}

func read(t testing.TB, text []byte) (*speculativereplay.Document, error) {
	t.Helper()
	root, err := document.ParseJSON(text, "trace.json")
	if err != nil {
		t.Fatal(err)
	}
	return speculativereplay.ReadDocument(root)
}

func TestDocumentsComeBack(t *testing.T) {
	for name, want := range documents(t) {
		text := written(t, want)
		d, err := read(t, text)
		if err != nil {
			t.Fatalf("%s: %v in\n%s", name, err, text)
		}
		r, err := d.Verify()
		if err != nil || r.Iterations != int64(len(want.Trace.Iterations)) || r.CommittedTokens != want.Config.OutputTokens {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		again := &trace.SpeculativeDocument{Config: &d.Config, Trace: &d.Trace, Tokens: d.Tokens, Committed: d.Committed, Execution: want.Execution}
		if got := written(t, again); string(got) != string(text) {
			t.Errorf("%s became\n%s\nof\n%s", name, got, text)
		}
	}
}

// TestNoChangedScalarPasses changes every number and every text of the record, of the
// token values and of the plan's trace.
func TestNoChangedScalarPasses(t *testing.T) {
	for name, d := range documents(t) {
		root, err := document.ParseJSON(written(t, d), "trace.json")
		if err != nil {
			t.Fatal(err)
		}
		tree := root.Canonical()
		tried := 0
		walk(tree, "", func(path string, slot *any) {
			if !judged(path) {
				return
			}
			before := *slot
			switch v := before.(type) {
			case float64:
				if v == rejected {
					return // another token would have been rejected too
				}
				*slot = v + 1
			case string:
				*slot = v + "x"
			default:
				return
			}
			tried++
			doc, err := speculativereplay.ReadDocument(document.From(tree))
			if err == nil {
				_, err = doc.Verify()
				var bad *speculativereplay.Mismatch
				if !errors.As(err, &bad) {
					t.Errorf("%s: %s was %v, is %v: %v", name, path, before, *slot, err)
				}
			}
			*slot = before
		})
		if tried < 40 {
			t.Errorf("%s: only %d scalars were changed", name, tried)
		}
	}
}

// judged reports whether a scalar is part of what the replay judges: texts of the
// provenance and of ids say nothing about the run.
func judged(path string) bool {
	if strings.HasPrefix(path, ".execution.trace") || strings.HasPrefix(path, ".trace") {
		return true
	}
	return strings.HasPrefix(path, ".inputs.tokens.iterations") && strings.HasSuffix(path, "TokenIds")
}

func walk(tree any, path string, f func(string, *any)) {
	switch x := tree.(type) {
	case canonical.Object:
		for i := range x {
			visit(&x[i].Value, path+"."+x[i].Key, f)
		}
	case []any:
		for i := range x {
			visit(&x[i], path, f)
		}
	}
}

func visit(slot *any, path string, f func(string, *any)) {
	f(path, slot)
	walk(*slot, path, f)
}

// TestDocumentRefusals: what cannot be read is placed at its iteration, and what lies
// around the trace is refused by its path.
func TestDocumentRefusals(t *testing.T) {
	text := string(written(t, documents(t)["paged"]))
	for _, c := range []struct{ old, new, want string }{
		{`"contractRevision": 1`, `"contractRevision": 2`, "contractRevision"},
		{`"family": "mtp"`, `"family": "medusa"`, "inputs.workload.family"},
		{`"maxIterations": 11`, `"maxIterations": 0`, "inputs.workload.maxIterations"},
		{`"capacityBytes": 400`, `"capacityBytes": 2`, "inputs.workload: speculative.initial_token_length"},
		{`"decoding": "greedy"`, `"decoding": "sampling"`, "inputs.workload: speculative.eligibility.decoding"},
	} {
		changed := strings.Replace(text, c.old, c.new, 1)
		if changed == text {
			t.Fatalf("%s is not in the document", c.old)
		}
		if _, err := read(t, []byte(changed)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want a refusal of %s", c.new, err, c.want)
		}
	}
	for _, c := range []struct {
		old, new string
		index    int64
		rule     speculativereplay.Rule
	}{
		{`"iteration": 2,`, `"iteration": "2",`, 2, speculativereplay.Unreadable},
		{`"iteration": 1,`, `"surplus": 0, "iteration": 1,`, 1, speculativereplay.Unreadable},
		{`"metrics": {`, `"metrics": {"surplus": 0,`, 4, speculativereplay.Unreadable},
	} {
		changed := strings.Replace(text, c.old, c.new, 1)
		d, err := read(t, []byte(changed))
		if err != nil {
			t.Fatalf("%s: %v", c.new, err)
		}
		_, err = d.Verify()
		var bad *speculativereplay.Mismatch
		if !errors.As(err, &bad) || bad.Iteration != c.index || bad.Rule != c.rule {
			t.Errorf("%s: %v, want %s at %d", c.new, err, c.rule, c.index)
		}
	}
}
