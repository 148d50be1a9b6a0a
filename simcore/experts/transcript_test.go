package experts_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/replay/expertsreplay"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// TestTranscripts drives caches by hand and shows every event that a command
// leaves in the trace, or its refusal. Commands:
//
//	cache hot=N warm=N [w2h=N] [c2h=N] [c2w=N] [seed=N] [adaptive=(MIN,INTERVAL,MAX)]
//	expert ID BYTES [WEIGHT]
//	hot ID... | warm ID...
//	hot-partition ID CAPACITY EXPERT... | warm-partition ID CAPACITY EXPERT...
//
//	begin token=N topk=N at=N
//	complete [request=N]
//	prefetch to=TIER at=N ids=(A,B)
//	retime load=N to=N [physical=N] [prefetch]
//	advance to=N
//	snapshot
//	replay
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata/protocol", func(t *testing.T, path string) {
		var s session
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string { return s.run(t, d) })
	})
}

// session is the cache of a file and how much of its trace has been shown.
type session struct {
	cache  *experts.Cache
	shown  int
	active int32
}

func (s *session) run(t *testing.T, d *datadriven.TestData) string {
	var err error
	note := ""
	switch d.Cmd {
	case "cache":
		s.shown = 0
		s.cache, err = experts.New(parseCache(t, d))
	case "begin":
		var a experts.Admission
		a, err = s.cache.Begin(arg(t, d, "token"), arg(t, d, "topk"), arg(t, d, "at"))
		if err == nil {
			s.active = a.Request
			note = fmt.Sprintf("waits for %v, started %v, ready at %d\n", a.RequiredLoads, a.NewDemandLoads, a.EarliestReadyNs)
		}
	case "complete":
		request := s.active
		if d.HasArg("request") {
			request = int32(arg(t, d, "request"))
		}
		_, err = s.cache.Complete(request)
	case "prefetch":
		tiers := map[string]trace.Tier{"hot": trace.TierHot, "warm": trace.TierWarm, "cold": trace.TierCold}
		_, err = s.cache.Prefetch(list(t, d, "ids"), tiers[list(t, d, "to")[0]], arg(t, d, "at"))
	case "retime":
		retime := s.cache.Retime
		if d.HasArg("prefetch") {
			retime = s.cache.RetimePrefetch
		}
		var physical *int64
		if d.HasArg("physical") {
			v := arg(t, d, "physical")
			physical = &v
		}
		err = retime(int32(arg(t, d, "load")), arg(t, d, "to"), physical)
	case "advance":
		err = s.cache.Advance(arg(t, d, "to"))
	case "snapshot":
		return describe(s.cache)
	case "replay":
		return s.replay()
	default:
		d.Fatalf(t, "unknown command %q", d.Cmd)
	}
	if err != nil {
		return "refused: " + err.Error() + "\n"
	}
	return s.news() + note
}

// replay checks what has been traced and compares it with the live state.
func (s *session) replay() string {
	r, err := expertsreplay.Check(expertsreplay.Input{Trace: s.cache.Trace(), EndNs: s.cache.Now()})
	if err == nil {
		live := s.cache.Snapshot()
		err = r.Confirm(&live)
	}
	if err != nil {
		return "refused: " + err.Error() + "\n"
	}
	return fmt.Sprintf("replayed %d events\n", r.AppliedEvents)
}

// news spells the events since the last command.
func (s *session) news() string {
	var out strings.Builder
	tr := s.cache.Trace()
	for ; s.shown < len(tr.Events); s.shown++ {
		fmt.Fprintf(&out, "%d %s\n", s.shown, spell(tr, &tr.Events[s.shown]))
	}
	if out.Len() == 0 {
		return "no event\n"
	}
	return out.String()
}

func names(tr *trace.Experts, indices []int32) string {
	ids := make([]string, len(indices))
	for i, e := range indices {
		ids[i] = tr.ExpertID(e)
	}
	return "[" + strings.Join(ids, " ") + "]"
}

func spell(tr *trace.Experts, e *trace.ExpertEvent) string {
	at := fmt.Sprintf("@%d %s", e.AtNs, e.Kind)
	switch e.Kind {
	case trace.ExpertRouted:
		r := tr.Routes[e.Ref]
		return fmt.Sprintf("%s %d: token %d %s", at, r.Request, r.TokenIndex, names(tr, tr.ExpertLists[r.From:r.To]))
	case trace.ExpertPrefetched:
		p := tr.Prefetches[e.Ref]
		return fmt.Sprintf("%s to %s %s, %s", at, p.Target, names(tr, tr.ExpertLists[p.From:p.To]), p.Trigger)
	case trace.ExpertDecided:
		d := tr.Decisions[e.Ref]
		return fmt.Sprintf("%s token %d after %d routes: %s", at, d.TokenIndex, d.ObservedRoutes, names(tr, tr.ExpertLists[d.From:d.To]))
	case trace.ExpertEvicted:
		v := tr.Evictions[e.Ref]
		return fmt.Sprintf("%s %s from %s partition %s, %d bytes", at, tr.ExpertID(v.Expert), v.Tier, tr.Partition(v.Tier, v.Partition), v.Bytes)
	case trace.ExpertLoadStarted:
		return at + " " + spellLoad(tr, &tr.Loads[e.Ref])
	case trace.ExpertLoadRetimed:
		r := tr.Retimes[e.Ref]
		physical := ""
		if r.HasPhysical {
			physical = fmt.Sprintf(", physically %d", r.PhysicalCompletesAtNs)
		}
		return fmt.Sprintf("%s %d: %d to %d%s", at, r.Load, r.PriorCompletesAtNs, r.CompletesAtNs, physical)
	case trace.ExpertLoadCompleted:
		c := tr.Completions[e.Ref]
		return fmt.Sprintf("%s %d: %s in %s", at, c.Load, tr.ExpertID(c.Expert), c.Target)
	case trace.ExpertAccessed:
		a := tr.Accesses[e.Ref]
		return fmt.Sprintf("%s %d: %s %v, requested %d, stall %d", at, a.Request, names(tr, tr.ExpertLists[a.From:a.To]),
			tr.TierLists[a.TierFrom:a.TierTo], a.RequestedAtNs, a.StallNs)
	}
	return at
}

func spellLoad(tr *trace.Experts, l *trace.ExpertLoad) string {
	return fmt.Sprintf("%d: %s, %s to %s, %s, until %d, %d bytes", l.Load, tr.ExpertID(l.Expert), l.Source, l.Target, l.Kind, l.CompletesAtNs, l.Bytes)
}

func describe(c *experts.Cache) string {
	var out strings.Builder
	tr, s := c.Trace(), c.Snapshot()
	fmt.Fprintf(&out, "time %d\n", s.CurrentTimeNs)
	for i, t := range []*trace.ExpertTierState{&s.Hot, &s.Warm} {
		fmt.Fprintf(&out, "%s %s: %d resident, %d reserved of %d bytes\n",
			trace.Tier(i), names(tr, t.Experts), t.ResidentBytes, t.ReservedBytes, t.CapacityBytes)
		for _, p := range t.Partitions {
			fmt.Fprintf(&out, "  %s %s: %d resident, %d reserved of %d bytes\n",
				p.ID, names(tr, p.Experts), p.ResidentBytes, p.ReservedBytes, p.CapacityBytes)
		}
	}
	for i := range s.PendingLoads {
		fmt.Fprintf(&out, "pending %s\n", spellLoad(tr, &s.PendingLoads[i]))
	}
	fmt.Fprintf(&out, "%+v hit rate %v\n", s.Metrics, s.Metrics.HotHitRate())
	return out.String()
}

func arg(t *testing.T, d *datadriven.TestData, key string) int64 {
	return number(t, list(t, d, key)[0])
}

func list(t *testing.T, d *datadriven.TestData, key string) []string {
	for _, a := range d.CmdArgs {
		if a.Key == key {
			return a.Vals
		}
	}
	d.Fatalf(t, "%s needs %s", d.Cmd, key)
	return nil
}

func number(t *testing.T, s string) int64 {
	t.Helper()
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func parseCache(t *testing.T, d *datadriven.TestData) workload.ExpertCache {
	c := workload.ExpertCache{RoutingSeed: workload.DefaultRoutingSeed}
	for key, field := range map[string]*int64{
		"hot": &c.HotCapacityBytes, "warm": &c.WarmCapacityBytes, "seed": &c.RoutingSeed,
		"w2h": &c.WarmToHotLatencyNs, "c2h": &c.ColdToHotLatencyNs, "c2w": &c.ColdToWarmLatencyNs,
	} {
		if d.HasArg(key) {
			*field = arg(t, d, key)
		}
	}
	if d.HasArg("adaptive") {
		v := list(t, d, "adaptive")
		c.AdaptivePrefetch = &workload.AdaptivePrefetch{TargetTier: workload.Warm,
			MinObservations: number(t, v[0]), IntervalTokens: number(t, v[1]), MaxExpertsPerDecision: number(t, v[2])}
	}
	for _, line := range strings.Split(d.Input, "\n") {
		f := strings.Fields(line)
		switch f[0] {
		case "expert":
			e := workload.Expert{ID: f[1], Bytes: number(t, f[2]), RoutingWeight: 1}
			if len(f) > 3 {
				e.RoutingWeight, _ = strconv.ParseFloat(f[3], 64)
			}
			c.Experts = append(c.Experts, e)
		case "hot":
			c.InitialHotExpertIDs = f[1:]
		case "warm":
			c.InitialWarmExpertIDs = f[1:]
		case "hot-partition":
			c.HotPartitions = append(c.HotPartitions, workload.ExpertPartition{ID: f[1], CapacityBytes: number(t, f[2]), ExpertIDs: f[3:]})
		case "warm-partition":
			c.WarmPartitions = append(c.WarmPartitions, workload.ExpertPartition{ID: f[1], CapacityBytes: number(t, f[2]), ExpertIDs: f[3:]})
		default:
			d.Fatalf(t, "unknown line %q", line)
		}
	}
	return c
}
