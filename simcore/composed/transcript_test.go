package composed_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/inferlab/inferlab/simcore/composed"
	"github.com/inferlab/inferlab/simcore/trace"
)

// TestTranscripts tells small composed runs as one story on one clock: batches, the
// routes that had to wait, and every plan from admission to terminal. Command:
//
//	run scenario=NAME experts=N hot=N warm=N arrivals=(NS,…)
//
// with capacities in experts of 16 MiB. A batch's lines come before the plans'.
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata/composed", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var n int
			var hot, warm int64
			var name string
			d.ScanArgs(t, "scenario", &name)
			d.ScanArgs(t, "experts", &n)
			d.ScanArgs(t, "hot", &hot)
			d.ScanArgs(t, "warm", &warm)
			var arrivals []int64
			for _, a := range d.CmdArgs {
				if a.Key == "arrivals" {
					for i := range a.Vals {
						var at int64
						if _, err := fmt.Sscan(a.Vals[i], &at); err != nil {
							t.Fatal(err)
						}
						arrivals = append(arrivals, at)
					}
				}
			}
			return story(simulate(t, preset(t, name), requests(arrivals...), cacheOf(n, hot, warm), composed.Options{}))
		})
	})
}

// line is one moment of a story.
type line struct {
	atNs int64
	text string
}

func story(run *composed.Run) string {
	var lines []line
	add := func(at int64, format string, args ...any) {
		lines = append(lines, line{at, fmt.Sprintf(format, args...)})
	}
	for i := range run.Batches {
		b, s := &run.Batches[i], &run.Serving.Trace.Batches[i]
		add(s.StartNs, "batch %d starts with %d tokens", i, s.TokenWork)
		if b.CacheConstraintNs > 0 {
			add(b.ReadyNs, "batch %d has its experts after %d ns", i, b.CacheConstraintNs)
		}
		add(s.FinishNs(), "batch %d ends after %d ns", i, s.DurationNs)
	}
	cacheStory(run, add)
	for i := range run.Physical.Requests {
		r := &run.Physical.Requests[i]
		add(r.ArrivalNs, "plan %s of %d steps is admitted", short(r.Plan.ExecutionID), len(r.Plan.Steps))
	}
	for i := range run.Physical.Trace.Terminals {
		e := &run.Physical.Trace.Terminals[i]
		add(e.TimestampNs, "plan %s is done", short(e.ExecutionID))
	}
	slices.SortStableFunc(lines, func(a, b line) int { return int(a.atNs - b.atNs) })
	var out strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&out, "@%d %s\n", l.atNs, l.text)
	}
	m := run.Snapshot.Metrics
	fmt.Fprintf(&out, "%d hot, %d warm, %d cold; stall %d ns; drain %d ns; at most %d plans at once\n",
		m.HotHits, m.WarmMisses, m.ColdMisses, m.StallNs, run.Serving.Topology.BackgroundDrainNs, run.Physical.MaximumConcurrentExecutions)
	return out.String()
}

// cacheStory tells stalled accesses, wanted copies and their arrival.
func cacheStory(run *composed.Run, add func(int64, string, ...any)) {
	tr := run.Cache
	for i := range tr.Events {
		e := &tr.Events[i]
		switch e.Kind {
		case trace.ExpertAccessed:
			if a := &tr.Accesses[e.Ref]; a.StallNs > 0 {
				add(e.AtNs, "route %d has waited %d ns", a.Request, a.StallNs)
			}
		case trace.ExpertLoadStarted:
			l := &tr.Loads[e.Ref]
			add(e.AtNs, "load %d: %s, %s to %s, %s", l.Load, tr.ExpertID(l.Expert), l.Source, l.Target, l.Kind)
		case trace.ExpertLoadCompleted:
			c := &tr.Completions[e.Ref]
			add(e.AtNs, "load %d: %s is %s", c.Load, tr.ExpertID(c.Expert), c.Target)
		}
	}
}

// short leaves out the scenario.
func short(executionID string) string {
	_, id, _ := strings.Cut(executionID, ":")
	return id
}
