package experts

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/replay/expertsreplay"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Run is a finished, verified run of a cache that stands alone. It is read-only.
type Run struct {
	Config        workload.ExpertRun
	Trace         *trace.Experts
	Snapshot      trace.ExpertSnapshot
	AppliedEvents int64 // by the independent replay
}

// ReadConfig reads the file of the command expert-cache (contract 05 section 3).
// Keys that are not known become warnings, or refusals in a strict pass. The
// error is an *issue.Error of one field or an *issue.List of rules between fields.
func ReadConfig(root document.Value, strict bool) (*workload.ExpertRun, []document.Warning, error) {
	return workload.ReadExpertRun(root, strict)
}

// Simulate drives a cache with a workload (contract 05 section 2.17), replays the
// trace independently, and compares the replayed state with the cache's own.
//
// Errors are those of ExpertRun.Validate, refusals of the cache (*issue.Error),
// and *expertsreplay.Mismatch.
func Simulate(cfg workload.ExpertRun) (*Run, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	c, err := New(cfg.Cache)
	if err != nil {
		return nil, err
	}
	if err := c.Drive(&cfg.Workload); err != nil {
		return nil, err
	}
	run := &Run{Config: cfg, Trace: c.Trace(), Snapshot: c.Snapshot()}
	replayed, err := expertsreplay.Check(expertsreplay.Input{Trace: run.Trace, Workload: &cfg.Workload})
	if err != nil {
		return nil, err
	}
	if err := replayed.Confirm(&run.Snapshot); err != nil {
		return nil, err
	}
	run.AppliedEvents = replayed.AppliedEvents
	return run, nil
}

// Drive runs a workload on a cache: an optional prefetch, then one route a token,
// none before its planned time and none before its predecessor is done. Loads that
// complete later stay pending.
func (c *Cache) Drive(w *workload.ExpertWorkload) error {
	first := w.StartAtNs
	if p := w.InitialPrefetch; p != nil {
		target := trace.TierWarm
		if p.TargetTier == workload.Hot {
			target = trace.TierHot
		}
		if _, err := c.Prefetch(p.ExpertIDs, target, w.StartAtNs); err != nil {
			return err
		}
		var err error
		if first, err = quantity.Add(w.StartAtNs, p.LeadTimeNs); err != nil {
			return issue.New(CodeOverflow, "initial_prefetch.lead_time_ns", "the first token would start beyond the safe integers")
		}
		if err := c.Advance(first); err != nil {
			return err
		}
	}
	c.expect(w.TokenCount, min(w.TopK, int64(len(c.bytes))))
	for i := range w.TokenCount {
		planned, err := plannedAt(first, i, w.TokenIntervalNs)
		if err != nil {
			return err
		}
		a, err := c.Begin(i, w.TopK, max(c.now, planned))
		if err != nil {
			return err
		}
		if _, err := c.Complete(a.Request); err != nil {
			return err
		}
	}
	return nil
}

// expect makes room in the trace for the records that every token leaves, so that
// a long run does not copy them over and over.
func (c *Cache) expect(tokens, topK int64) {
	const most = 1 << 20 // tokens; longer runs grow on their way
	n := int(min(tokens, most))
	c.tr.Events = slices.Grow(c.tr.Events, 4*n)
	c.tr.Routes = slices.Grow(c.tr.Routes, n)
	c.tr.Accesses = slices.Grow(c.tr.Accesses, n)
	c.tr.ExpertLists = slices.Grow(c.tr.ExpertLists, n*int(topK))
	c.tr.TierLists = slices.Grow(c.tr.TierLists, n*int(topK))
}

// plannedAt is the earliest time of a token, in ns.
func plannedAt(first, token, interval int64) (int64, error) {
	after, err := quantity.Mul(token, interval)
	if err == nil {
		after, err = quantity.Add(first, after)
	}
	if err != nil {
		return 0, issue.New(CodeOverflow, "workload.token_interval_ns", "token %d would be planned beyond the safe integers", token)
	}
	return after, nil
}
