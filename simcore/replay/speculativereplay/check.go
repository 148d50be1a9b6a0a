package speculativereplay

import (
	"fmt"
	"slices"

	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/replay/kvreplay"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Rule names what differs.
type Rule string

// The rules.
const (
	Configuration Rule = "configuration" // family or initial length differ
	IterationRow  Rule = "iteration"     // an iteration differs, is missing or surplus
	Acceptance    Rule = "acceptance"    // the model has no answer at this iteration
	FinalLength   Rule = "final_length"
	StateGroups   Rule = "state_groups"
	PagedKV       Rule = "paged_kv"
	Metrics       Rule = "metrics"
)

// Mismatch is the first difference. Iteration is the number of the iteration, or
// the number of iterations when the end state differs.
type Mismatch struct {
	Iteration int64
	Rule      Rule
	Detail    string
	Cause     error // of the page trace, or nil
}

// Error states iteration, rule and difference.
func (m *Mismatch) Error() string {
	s := fmt.Sprintf("speculative record: iteration %d breaks %s: %s", m.Iteration, m.Rule, m.Detail)
	if m.Cause != nil {
		s += ": " + m.Cause.Error()
	}
	return s
}

// Unwrap gives the cause.
func (m *Mismatch) Unwrap() error { return m.Cause }

// Result counts a record that follows the rules.
type Result struct {
	Iterations      int64
	CommittedTokens int64
	PagedKVEvents   int64
}

// Check derives a workload again and compares it with its record. The
// configuration must be valid. The error, when there is one, is a *Mismatch.
func Check(cfg *workload.SpeculativeRun, t *trace.Speculative) (Result, error) {
	contract, err := workload.ContractOf(cfg.Family)
	if err != nil || t.Family != cfg.Family || t.InitialTokens != cfg.InitialTokens {
		return Result{}, &Mismatch{Rule: Configuration, Detail: "family or initial length differ from the configuration"}
	}
	c := &checker{cfg: cfg, t: t, length: cfg.InitialTokens, prefix: contract.GuaranteedTokens(), highest: cfg.InitialTokens,
		draws: newStream(&cfg.Acceptance, cfg.Acceptance.Accepted, workload.SpeculativeStream)}
	if err := c.walk(); err != nil {
		return Result{}, err
	}
	if err := c.end(); err != nil {
		return Result{}, err
	}
	r := Result{Iterations: c.number, CommittedTokens: cfg.OutputTokens}
	if t.PagedKV != nil {
		r.PagedKVEvents = int64(len(t.PagedKV.Events))
	}
	return r, nil
}

// checker is the derived state. Group lengths are not kept: they follow from the
// committed length and the three largest extents.
type checker struct {
	cfg    *workload.SpeculativeRun
	t      *trace.Speculative
	draws  stream
	prefix int64
	number int64 // of the iteration under examination
	length int64

	highest  int64 // candidate or final length of any iteration, initial length at least
	borrowed int64 // largest base length
	local    int64 // largest additional width
}

func (c *checker) bad(rule Rule, format string, args ...any) error {
	return &Mismatch{Iteration: c.number, Rule: rule, Detail: fmt.Sprintf(format, args...)}
}

// walk derives the iterations until the output is complete.
func (c *checker) walk() error {
	for left := c.cfg.OutputTokens; left > 0; c.number++ {
		if c.number >= int64(len(c.t.Iterations)) {
			return c.bad(IterationRow, "the record ends, and %s of output left", quantity.Counted(left, "token"))
		}
		n := c.cfg.MaxAdditionalTokens
		if c.cfg.Widths != nil {
			if c.number >= int64(len(c.cfg.Widths)) {
				return c.bad(IterationRow, "the replayed widths end")
			}
			n = c.cfg.Widths[c.number]
		}
		const unlimited = quantity.MaxSafe + 1
		g, k := widthOf(c.prefix, left, n, unlimited)
		accepted, ok := c.draws.next(k, c.length, -1)
		if !ok {
			return c.bad(Acceptance, "the model has no valid answer for %d additional tokens", k)
		}
		s := settle(g, k, accepted, left)
		want := trace.SpeculativeIteration{BaseTokens: c.length, ProposedAdditional: k, AcceptedAdditional: accepted,
			Guaranteed: uint8(g), Authoritative: uint8(s.own), Outcome: s.outcome}
		if got := c.t.Iterations[c.number]; got != want {
			return c.bad(IterationRow, "found %+v, want %+v", got, want)
		}
		c.borrowed, c.local = max(c.borrowed, c.length), max(c.local, k)
		c.highest = max(c.highest, c.length+g+k, c.length+s.committed())
		c.length += s.committed()
		left -= s.committed()
	}
	if extra := int64(len(c.t.Iterations)) - c.number; extra > 0 {
		return c.bad(IterationRow, "after the last token: %s", quantity.Counted(extra, "iteration"))
	}
	return nil
}

// end compares what the run has led to.
func (c *checker) end() error {
	if c.length != c.cfg.InitialTokens+c.cfg.OutputTokens || c.t.FinalTokens != c.length {
		return c.bad(FinalLength, "the record ends at %d tokens, want %d", c.t.FinalTokens, c.cfg.InitialTokens+c.cfg.OutputTokens)
	}
	want := c.groups()
	if len(c.t.Groups) != len(want) {
		return c.bad(StateGroups, "found %d groups, want %d", len(c.t.Groups), len(want))
	}
	for i := range want {
		if c.t.Groups[i] != want[i] {
			return c.bad(StateGroups, "found %s, want %s", groupText(&c.t.Groups[i]), groupText(&want[i]))
		}
	}
	for i := range want {
		if want[i].HighWaterLength > want[i].CapacityTokens {
			return c.bad(StateGroups, "group %q reached %d rows and holds %d", want[i].ID, want[i].HighWaterLength, want[i].CapacityTokens)
		}
	}
	if err := c.pages(); err != nil {
		return err
	}
	return c.metrics(want)
}

// groups derives the final snapshot.
func (c *checker) groups() []trace.StateGroup {
	declared := c.cfg.Groups()
	list := make([]trace.StateGroup, 0, len(declared))
	for _, g := range declared {
		s := trace.StateGroup{ID: g.ID, Owner: g.Owner, Role: g.Role, Lifetime: g.Lifetime, CapacityTokens: g.CapacityTokens}
		switch g.Lifetime {
		case workload.CommittedPrefix:
			s.LogicalLength, s.HighWaterLength = c.length, c.highest
		case workload.Borrowed:
			s.HighWaterLength = c.borrowed
		default:
			s.HighWaterLength = c.local
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b trace.StateGroup) int { return quantity.CompareIDs(a.ID, b.ID) })
	return list
}

// pages checks the page trace by itself and against the iterations: checkpoint,
// append of the proposal, restore to the accepted part, append of the target's own
// token.
func (c *checker) pages() error {
	if (c.cfg.PagedKV == nil) != (c.t.PagedKV == nil) {
		return c.bad(PagedKV, "paging differs from the configuration")
	}
	if c.cfg.PagedKV == nil {
		return nil
	}
	cfg := *c.cfg.PagedKV
	cfg.InitialTokenLength = c.cfg.InitialTokens
	end, err := kvreplay.Check(cfg, c.t.PagedKV)
	if err != nil {
		return &Mismatch{Iteration: c.number, Rule: PagedKV, Detail: "the page trace", Cause: err}
	}
	events := c.t.PagedKV.Events
	if int64(len(events)) != 1+4*c.number {
		return c.bad(PagedKV, "%s for %s", quantity.Counted(int64(len(events)), "event"), quantity.Counted(c.number, "iteration"))
	}
	for i := range c.t.Iterations {
		it, four := &c.t.Iterations[i], events[1+4*i:5+4*i]
		drafted := int64(it.Guaranteed) + it.ProposedAdditional
		accepted := int64(it.Guaranteed) + it.AcceptedAdditional
		if four[0].Kind != trace.PagedKVCheckpoint || four[1].Kind != trace.PagedKVAppend || four[1].Tokens != drafted ||
			four[2].Kind != trace.PagedKVRestore || four[2].Tokens != accepted ||
			four[3].Kind != trace.PagedKVAppend || four[3].Tokens != int64(it.Authoritative) {
			return &Mismatch{Iteration: int64(i), Rule: PagedKV, Detail: "the page events are not those of the iteration"}
		}
	}
	got, want := &c.t.PagedKVSnapshot, &end.Snapshot
	if got.LogicalTokens != c.length || want.LogicalTokens != c.length || got.HighWaterTokens != want.HighWaterTokens ||
		got.Generation != want.Generation || got.LivePageCount != want.LivePageCount || got.ActiveCheckpoint != nil || want.ActiveCheckpoint != nil {
		return c.bad(PagedKV, "the final state of the page cache differs")
	}
	return nil
}

// groupText describes a state group; its words may be anybody's.
func groupText(g *trace.StateGroup) string {
	return fmt.Sprintf("the group %q (owner %q, role %q, lifetime %q, %d rows, at most %d of %d)",
		g.ID, g.Owner, g.Role, g.Lifetime, g.LogicalLength, g.HighWaterLength, g.CapacityTokens)
}
