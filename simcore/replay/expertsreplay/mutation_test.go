package expertsreplay_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/replay/expertsreplay"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// universe is a cache in which everything happens: partitions, evictions, warm and
// cold sources, decisions with and without a choice.
func universe() workload.ExpertCache {
	c := workload.ExpertCache{
		HotCapacityBytes: 70, WarmCapacityBytes: 62,
		WarmToHotLatencyNs: 4, ColdToHotLatencyNs: 20, ColdToWarmLatencyNs: 13, RoutingSeed: 11,
		InitialHotExpertIDs: []string{"a", "b"}, InitialWarmExpertIDs: []string{"c"},
		AdaptivePrefetch: &workload.AdaptivePrefetch{TargetTier: workload.Warm, MinObservations: 2, IntervalTokens: 2, MaxExpertsPerDecision: 2},
		HotPartitions: []workload.ExpertPartition{
			{ID: "h0", ExpertIDs: []string{"a", "c", "e"}, CapacityBytes: 40}, {ID: "h1", ExpertIDs: []string{"b", "d"}, CapacityBytes: 30}},
		WarmPartitions: []workload.ExpertPartition{
			{ID: "w0", ExpertIDs: []string{"a", "b"}, CapacityBytes: 30}, {ID: "w1", ExpertIDs: []string{"c", "d", "e"}, CapacityBytes: 32}},
	}
	for i, id := range []string{"a", "b", "c", "d", "e"} {
		c.Experts = append(c.Experts, workload.Expert{ID: id, Bytes: 12 + int64(i), RoutingWeight: 1 + float64(i)/3})
	}
	return c
}

// alone is the trace document of a cache that a workload drove.
func alone(t *testing.T) canonical.Object {
	run, err := experts.Simulate(workload.ExpertRun{
		Cache: universe(),
		Workload: workload.ExpertWorkload{TokenCount: 9, TopK: 2, StartAtNs: 5, TokenIntervalNs: 9,
			InitialPrefetch: &workload.InitialPrefetch{ExpertIDs: []string{"d", "b", "d"}, TargetTier: workload.Warm, LeadTimeNs: 6}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := run.TraceDocument(&file); err != nil {
		t.Fatal(err)
	}
	return tree(t, file.Bytes())
}

// driven is the trace document of a cache that a caller drove with retimings, as a
// composition with physical plans does.
func driven(t *testing.T) canonical.Object {
	c, err := experts.New(universe())
	if err != nil {
		t.Fatal(err)
	}
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err = c.Prefetch([]string{"d", "e"}, trace.TierWarm, 3)
	ok(err)
	for token := range int64(8) {
		a, err := c.Begin(token, 2, c.Now()+4)
		ok(err)
		for i, load := range a.NewDemandLoads {
			physical := a.RequestedAtNs + 7 + int64(i)
			ok(c.Retime(load, physical, &physical))
		}
		done, err := c.Complete(a.Request)
		ok(err)
		for _, load := range done.Prefetches {
			ok(c.RetimePrefetch(load, 1<<53-1, nil))
			if token != 7 {
				ok(c.RetimePrefetch(load, c.Now()+11, nil))
			}
		}
	}
	ok(c.Advance(c.Now() + 30))
	w := jsondoc.NewWriter(nil)
	s := c.Snapshot()
	experts.WriteTrace(w, c.Trace(), &s, nil)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return tree(t, w.Bytes())
}

func tree(t *testing.T, file []byte) canonical.Object {
	v, err := document.ParseJSON(file, "trace.json")
	if err != nil {
		t.Fatal(err)
	}
	return v.Canonical().(canonical.Object)
}

// verify reads and verifies a document; a refusal of the document is one as well.
func verify(doc canonical.Object) error {
	d, err := expertsreplay.ReadDocument(document.From(doc))
	if err != nil {
		return err
	}
	_, err = d.Verify()
	return err
}

// edit copies a document with another list of events.
func edit(doc canonical.Object, events []any) canonical.Object {
	doc = slices.Clone(doc)
	for i := range doc {
		if doc[i].Key == "trace" {
			doc[i].Value = events
		}
	}
	return doc
}

func events(doc canonical.Object) []any { return member(doc, "trace").([]any) }

func member(o canonical.Object, key string) any {
	for _, m := range o {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

// renumber gives events the sequence of their places.
func renumber(list []any) []any {
	list = slices.Clone(list)
	for i := range list {
		o := slices.Clone(list[i].(canonical.Object))
		for k := range o {
			if o[k].Key == "sourceSequence" {
				o[k].Value = float64(i)
			}
		}
		list[i] = o
	}
	return list
}

// mutants calls yield with every small change of a value and the path to it.
func mutants(path string, v any, yield func(path string, v any)) {
	switch x := v.(type) {
	case float64:
		for _, d := range []float64{1, -1, 1 << 40} {
			yield(fmt.Sprintf("%s%+g", path, d), x+d)
		}
		yield(path+" as text", fmt.Sprint(x))
	case string:
		for _, s := range []string{"", "a", "d", "hot", "warm", "cold", "demand", "prefetch", "manual", "adaptive",
			"h0", "w1", "expert-load-1", "expert-load-3", "expert-request-2", "expert-load-01"} {
			if s != x {
				yield(path+"="+s, s)
			}
		}
	case []any:
		for i := range x {
			mutants(fmt.Sprintf("%s[%d]", path, i), x[i], func(p string, v any) {
				c := slices.Clone(x)
				c[i] = v
				yield(p, c)
			})
			yield(fmt.Sprintf("%s without %d", path, i), slices.Delete(slices.Clone(x), i, i+1))
			yield(fmt.Sprintf("%s with %d twice", path, i), slices.Insert(slices.Clone(x), i, x[i]))
			if i > 0 && !cmp.Equal(x[i-1], x[i]) {
				c := slices.Clone(x)
				c[i-1], c[i] = c[i], c[i-1]
				yield(fmt.Sprintf("%s swapped at %d", path, i), c)
			}
		}
		yield(path+" and more", append(slices.Clone(x), "a"))
	case canonical.Object:
		for i := range x {
			mutants(path+"."+x[i].Key, x[i].Value, func(p string, v any) {
				c := slices.Clone(x)
				c[i].Value = v
				yield(p, c)
			})
			yield(path+" without "+x[i].Key, slices.Delete(slices.Clone(x), i, i+1))
		}
		yield(path+" with a stranger", append(slices.Clone(x), canonical.Member{Key: "stranger", Value: 1.0}))
	}
}

// accepted says why a changed event may pass, or is empty: then it must not.
func accepted(doc canonical.Object, i int, path string) string {
	ev := events(doc)[i].(canonical.Object)
	standsAlone := member(member(doc, "inputs").(canonical.Object), "workload") != nil
	switch kind := member(ev, "kind"); {
	case kind == "initialize" && strings.Contains(path, ".config"):
		return "the configuration is the input: under a like one the same events follow"
	case kind == "load_retime" && strings.Contains(path, "physicalCompletesAtNs"):
		return "physical time is evidence from outside, bounded by start and completion only"
	case kind == "load_retime" && strings.Contains(path, ".atNs"):
		return "a cache may advance without an event, so the time of a retiming is free between its neighbours"
	case kind == "prefetch" && !standsAlone && member(ev, "trigger") == "manual" && strings.Contains(path, ".atNs"):
		return "the time of a manual prefetch is the caller's, if its loads agree"
	}
	return ""
}

// TestEveryFieldMatters changes every field of every event, and finds the change
// refused or covered by a named reason.
func TestEveryFieldMatters(t *testing.T) {
	for name, doc := range map[string]canonical.Object{"alone": alone(t), "driven": driven(t)} {
		t.Run(name, func(t *testing.T) {
			if err := verify(doc); err != nil {
				t.Fatal(err)
			}
			list := events(doc)
			tried, passed, kinds := 0, 0, map[any]int{}
			for i := range list {
				kinds[member(list[i].(canonical.Object), "kind")]++
				mutants("", list[i], func(path string, v any) {
					c := slices.Clone(list)
					c[i] = v
					tried++
					if verify(edit(doc, c)) != nil {
						return
					}
					passed++
					if accepted(doc, i, path) == "" {
						t.Errorf("event %d%s is accepted: %v", i, path, list[i])
					}
				})
			}
			t.Logf("%d changes of %d events, %d accepted for a named reason; kinds %v", tried, len(list), passed, kinds)
			for _, kind := range []string{"initialize", "route", "prefetch", "prefetch_decision", "evict", "load_start", "load_complete", "access"} {
				if kinds[kind] == 0 {
					t.Errorf("the trace has no %s event", kind)
				}
			}
		})
	}
}

// TestEveryEventMatters drops, repeats and swaps events, with their sequence
// numbers put right, and finds that refused or covered by a named reason.
func TestEveryEventMatters(t *testing.T) {
	for name, doc := range map[string]canonical.Object{"alone": alone(t), "driven": driven(t)} {
		t.Run(name, func(t *testing.T) {
			list := events(doc)
			refused := func(what string, i int, c []any) {
				if verify(edit(doc, renumber(c))) == nil {
					t.Errorf("%s at event %d is accepted: %v", what, i, list[i])
				}
			}
			for i := range list {
				refused("a missing event", i, slices.Delete(slices.Clone(list), i, i+1))
				refused("a repeated event", i, slices.Insert(slices.Clone(list), i, list[i]))
				if i > 0 && !commute(list[i-1], list[i]) {
					c := slices.Clone(list)
					c[i-1], c[i] = c[i], c[i-1]
					refused("a swap", i, c)
				}
			}
			for i := range list {
				if i > 0 {
					refused("a truncation", i, slices.Clone(list[:i]))
				}
			}
		})
	}
}

// commute names the one pair whose order is the caller's: retimings of different
// loads at one time.
func commute(a, b any) bool {
	x, y := a.(canonical.Object), b.(canonical.Object)
	return member(x, "kind") == "load_retime" && member(y, "kind") == "load_retime" && member(x, "loadId") != member(y, "loadId")
}

// TestExportedStateMatters changes every field of the exported state.
func TestExportedStateMatters(t *testing.T) {
	doc := alone(t)
	for i := range doc {
		if doc[i].Key != "snapshot" {
			continue
		}
		mutants("snapshot", doc[i].Value, func(path string, v any) {
			c := slices.Clone(doc)
			c[i].Value = v
			if verify(c) == nil {
				t.Errorf("%s is accepted", path)
			}
		})
	}
}

// TestOffendersAreNamed pins position and rule of typical corruptions.
func TestOffendersAreNamed(t *testing.T) {
	doc := alone(t)
	list := events(doc)
	first := func(kind string) int {
		return slices.IndexFunc(list, func(e any) bool { return member(e.(canonical.Object), "kind") == kind })
	}
	for _, c := range []struct {
		kind, key string
		value     any
		rule      expertsreplay.Rule
	}{
		{"initialize", "contractRevision", 4.0, "contract_revision"},
		{"route", "sourceId", "another", "source_id"},
		{"route", "sourceSequence", 999.0, "source_sequence"},
		{"route", "kind", "routes", "unknown_kind"},
		{"route", "expertIds", []any{"a", "a"}, expertsreplay.RouteSelection},
		{"route", "requestId", "expert-request-2", expertsreplay.RouteIdentity},
		{"evict", "partitionId", "nowhere", expertsreplay.EvictionNeed},
		{"evict", "expertId", "nobody", expertsreplay.EvictionVictim},
		{"evict", "bytes", 1.0, expertsreplay.EvictionBytes},
		{"load_complete", "completedAtNs", 90071992547409.0, expertsreplay.Completion},
		{"prefetch_decision", "observedRoutes", 90.0, expertsreplay.Decision},
		{"prefetch", "trigger", "adaptive", expertsreplay.PrefetchRequest},
		{"access", "stallNs", 12345.0, expertsreplay.AccessTime},
		{"access", "sourceTiers", []any{"hot", "cold"}, expertsreplay.AccessExperts},
	} {
		at := first(c.kind)
		ev := slices.Clone(list[at].(canonical.Object))
		for k := range ev {
			if ev[k].Key == c.key {
				ev[k].Value = c.value
			}
		}
		changed := slices.Clone(list)
		changed[at] = ev
		err := verify(edit(doc, changed))
		m, ok := err.(*expertsreplay.Mismatch)
		if !ok || m.Index != int64(at) || m.Rule != c.rule {
			t.Errorf("%s.%s = %v: %v; want event %d, %s", c.kind, c.key, c.value, err, at, c.rule)
		}
	}
}

// FuzzDocument: no document makes the reader or the checker panic.
func FuzzDocument(f *testing.F) {
	cfg := workload.ExpertRun{Cache: universe(), Workload: workload.ExpertWorkload{TokenCount: 3, TopK: 2, TokenIntervalNs: 9}}
	run, err := experts.Simulate(cfg)
	if err != nil {
		f.Fatal(err)
	}
	var file bytes.Buffer
	if err := run.TraceDocument(&file); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Add([]byte(`{"kind":"inferlab/expert-cache-trace","revision":1,"contractRevision":5,"inputs":{},"trace":[{"kind":"initialize","config":{},"contractRevision":5,"sourceId":"x","sourceSequence":0}]}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		v, err := document.ParseJSON(file, "trace.json")
		if err != nil {
			return
		}
		d, err := expertsreplay.ReadDocument(v)
		if err != nil {
			return
		}
		if r, err := d.Verify(); err == nil && r.AppliedEvents == 0 {
			t.Fatal("an empty trace is accepted")
		}
	})
}
