package planreplay_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/plan/plantest"
	"github.com/inferlab/inferlab/simcore/replay/planreplay"
	"github.com/inferlab/inferlab/simcore/trace"
)

// written makes one document of every kind.
func written(t testing.TB) map[string]document.Value {
	t.Helper()
	scn := plantest.Scenario(plantest.Small)
	fabric := plan.Bind(scn)
	p := plantest.Plan(plantest.Small, "x", plantest.Mix{Steps: 9, MaxDuration: 4, Shuffle: true}, plantest.Generator(2))
	f, err := fabric.Validate(p)
	if err != nil {
		t.Fatal(err)
	}
	docs := make(map[string]document.Value)
	add := func(kind string, write func(*jsondoc.Writer)) {
		w := jsondoc.NewWriter(nil)
		write(w)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		doc, err := document.Parse(w.Bytes(), "trace.json")
		if err != nil {
			t.Fatal(err)
		}
		docs[kind] = doc
	}
	must := func(r *executor.Result, err error) *trace.Plan {
		if err != nil {
			t.Fatal(err)
		}
		return &r.Trace
	}
	base := must(executor.Run(f, executor.Options{}))
	end := base.Terminal.TimestampNs
	add(trace.PlanDocumentKind, func(w *jsondoc.Writer) { trace.WritePlanDocument(w, scn, p, base) })
	add(trace.FaultDocumentKind, func(w *jsondoc.Writer) {
		d := trace.OpenFaultDocument(w, scn, p)
		d.Case("", base)
		for _, c := range executor.FaultCases(f, base.Operations)[:3] {
			d.Case(c.ID, must(executor.Run(f, executor.Options{Fault: &c.Fault})))
		}
		d.Case("injection", must(executor.Run(f, executor.Options{Injection: &executor.Injection{StepID: p.Steps[5].ID, Status: trace.Aborted, Reason: "test"}})))
		d.Close()
	})
	requests, err := executor.Campaign(f, executor.CampaignOptions{ExecutionCount: 3, Seed: 4, ArrivalWindowNs: 3})
	if err != nil {
		t.Fatal(err)
	}
	requests[0].NotBefore = []plan.NotBefore{{StepID: p.Steps[3].ID, AtNs: requests[0].ArrivalNs + 5}}
	r, err := executor.RunConcurrent(fabric, requests)
	if err != nil {
		t.Fatal(err)
	}
	add(trace.ConcurrentDocumentKind, func(w *jsondoc.Writer) { trace.WriteConcurrentDocument(w, scn, requests, nil, &r.Trace) })
	fault := &trace.Fault{Kind: trace.NodeFailure, NodeID: "n1", AtNs: end / 2, Reason: "power", HasQuiesceTimeout: true, QuiesceTimeoutNs: 4}
	failed, err := executor.RunConcurrentNodeFailure(fabric, requests, fault)
	if err != nil {
		t.Fatal(err)
	}
	add(trace.NodeFailureDocumentKind, func(w *jsondoc.Writer) {
		trace.WriteConcurrentDocument(w, scn, requests, fault, &failed.Trace)
	})
	q := failover(t)
	over, err := executor.RunFailover(q)
	if err != nil {
		t.Fatal(err)
	}
	add(trace.FailoverDocumentKind, func(w *jsondoc.Writer) { trace.WriteFailoverDocument(w, q, &over.Trace) })
	return docs
}

func verify(doc document.Value) error {
	d, err := planreplay.ReadDocument(doc)
	if err != nil {
		return err
	}
	return d.Verify()
}

func TestTraceDocumentsComeBackAndVerify(t *testing.T) {
	docs := written(t)
	if len(docs) != 5 {
		t.Fatalf("%d documents, expected one of each of the 5 kinds", len(docs))
	}
	for kind, doc := range docs {
		d, err := planreplay.ReadDocument(doc)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if d.Kind != kind || d.Events < 10 {
			t.Errorf("%s: read as %s with %d events", kind, d.Kind, d.Events)
		}
		if err := d.Verify(); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestEveryValueOfATraceDocumentMatters changes every value under "trace" and
// takes away every key; each document must then be malformed or refused.
func TestEveryValueOfATraceDocumentMatters(t *testing.T) {
	count := 0
	for kind, doc := range written(t) {
		tree := doc.Canonical().(canonical.Object)
		at := -1
		for i := range tree {
			if tree[i].Key == "trace" {
				at = i
			}
		}
		edits(tree[at].Value, "trace", func(path string, changed any) {
			copied := append(canonical.Object{}, tree...)
			copied[at].Value = changed
			count++
			err := verify(document.From(copied))
			if err == nil && !inputOnly(path) {
				t.Errorf("%s: accepted with another %s", kind, path)
			}
		})
	}
	t.Logf("%d changes", count)
	if count < 2000 {
		t.Errorf("%d changes, expected at least 2000", count)
	}
}

// inputOnly tells values that a trace document records as inputs of a run rather
// than as what followed from them: the label of a fault case, and what only the
// terminal of a single plan says of its fault or injection.
func inputOnly(path string) bool {
	return strings.HasSuffix(path, "].id") || strings.HasSuffix(path, "terminal.reason") ||
		strings.HasSuffix(path, "fault.nextTopologyEpoch") || strings.HasSuffix(path, "fault.quiesceTimeoutNs")
}

// edits calls try with copies of a tree in which one value is changed or one
// member is missing.
func edits(v any, path string, try func(path string, changed any)) {
	switch x := v.(type) {
	case canonical.Object:
		for i := range x {
			edits(x[i].Value, path+"."+x[i].Key, func(p string, changed any) {
				c := append(canonical.Object{}, x...)
				c[i].Value = changed
				try(p, c)
			})
			try(path+"."+x[i].Key+" (missing)", append(append(canonical.Object{}, x[:i]...), x[i+1:]...))
		}
		try(path+" with one more key", append(append(canonical.Object{}, x...), canonical.Member{Key: "extra", Value: true}))
	case []any:
		for i := range x {
			edits(x[i], fmt.Sprintf("%s[%d]", path, i), func(p string, changed any) {
				c := append([]any{}, x...)
				c[i] = changed
				try(p, c)
			})
		}
	case float64:
		try(path, x+1)
		try(path, "1")
	case string:
		try(path, x+"x")
		try(path, nil)
	}
}

// TestCasesAreNamedAfterTheirFaults renames cases of a fault campaign.
func TestCasesAreNamedAfterTheirFaults(t *testing.T) {
	doc := written(t)[trace.FaultDocumentKind]
	tried := 0
	edits(doc.Canonical().(canonical.Object), "", func(path string, changed any) {
		if !strings.Contains(path, ".trace[1].id") {
			return
		}
		tried++
		if err := verify(document.From(changed)); err == nil || !strings.Contains(err.Error(), "trace[1].id") && !strings.Contains(err.Error(), "trace[1]: ") {
			t.Errorf("%s: %v", path, err)
		}
	})
	if tried == 0 {
		t.Error("no case was renamed")
	}
}

func TestUnreadableEventsAreReportedAtTheirPlace(t *testing.T) {
	doc := written(t)[trace.FaultDocumentKind]
	tree := doc.Canonical().(canonical.Object)
	second := doc.Get("trace").At(1).Get("trace").Get("operations")
	first := doc.Get("trace").At(0).Get("trace").Get("operations").Len() + 1
	if second.Len() < 2 {
		t.Fatal("the first case has fewer than 2 operations")
	}
	tried := 0
	edits(tree, "", func(path string, changed any) {
		if !strings.HasSuffix(path, ".trace[1].trace.operations[1].startNs (missing)") {
			return
		}
		tried++
		err := verify(document.From(changed))
		var bad *planreplay.Mismatch
		if !errors.As(err, &bad) || bad.Index != int64(first)+1 || bad.Rule != planreplay.RuleUnreadable {
			t.Errorf("%v, expected %s at %d", err, planreplay.RuleUnreadable, first+1)
		}
	})
	if tried != 1 {
		t.Errorf("%d documents tried, expected 1", tried)
	}
}

func FuzzReadDocument(f *testing.F) {
	for _, doc := range written(f) {
		text, err := canonical.Text(doc.Canonical())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"kind": "inferlab/plan-trace", "revision": 1, "contractRevision": 5, "inputs": {}, "trace": {"operations": [], "terminal": {}}}`))
	f.Add([]byte(`{"kind": "inferlab/failover-trace", "revision": 1, "contractRevision": 5, "inputs": {"fault": {"kind": "node_failure"}}, "trace": []}`))
	f.Fuzz(func(_ *testing.T, text []byte) {
		if doc, err := document.Parse(text, "trace.json"); err == nil {
			_ = verify(doc) // any error will do; a panic will not
		}
	})
}
