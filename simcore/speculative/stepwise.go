package speculative

import (
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Capture opens a checkpoint for an iteration of at most the declared extent and
// checks that it fits. A failed check spends the checkpoint id and nothing else.
func (t *Transaction) Capture(p Proposal) (Handle, error) {
	if t.phase != idle {
		return Handle{}, t.misuse("capture")
	}
	if !quantity.IsCount(p.DraftTokens) || !quantity.IsCount(p.LocalTokens) || !quantity.IsPositive(p.CommitTokens) || p.LocalTokens > p.DraftTokens {
		return Handle{}, issue.New("arguments", "", "a proposal of %d tokens, %d of them proposal-local, for a budget of %d",
			p.DraftTokens, p.LocalTokens, p.CommitTokens)
	}
	p.CommitTokens = min(p.CommitTokens, p.DraftTokens+1)
	h := Handle{Binding: t.binding, CheckpointID: t.nextCheckpoint, Generation: t.generation, BaseTokens: t.committed}
	t.nextCheckpoint++
	if err := t.preflight(p); err != nil {
		return Handle{}, err
	}
	for i := range t.groups {
		t.groups[i].recorded = t.groups[i].logical
	}
	t.handle, t.declared, t.phase = h, p, captured
	return h, nil
}

// Draft writes the candidate rows: draft of the full proposal, local of them in
// proposal-local state.
func (t *Transaction) Draft(draft, local int64) error {
	if t.phase != captured {
		return t.misuse("draft")
	}
	switch {
	case draft < 0 || draft > t.declared.DraftTokens:
		return issue.New("arguments", "", "%d draft tokens, the checkpoint was taken for %d", draft, t.declared.DraftTokens)
	case local < 0 || local > draft || local > t.declared.LocalTokens:
		return issue.New("arguments", "", "%d proposal-local rows for %d draft tokens, the checkpoint was taken for %d",
			local, draft, t.declared.LocalTokens)
	}
	t.write(draft, local)
	t.draft, t.phase = draft, drafted
	return nil
}

// Verify is the one authoritative target forward, of a row for every draft token
// and one more.
func (t *Transaction) Verify(rows int64) error {
	if t.phase != drafted {
		return t.misuse("verify")
	}
	if rows != t.draft+1 {
		return issue.New("arguments", "", "%d rows do not verify %d draft tokens", rows, t.draft)
	}
	t.phase = verified
	return nil
}

// Restore goes back to the checkpoint plus the accepted part of the proposal.
func (t *Transaction) Restore(h Handle, accepted int64) error {
	if err := t.current(h, "restore"); err != nil {
		return err
	}
	if t.phase != verified {
		return t.misuse("restore")
	}
	if accepted < 0 || accepted > t.draft {
		return issue.New("arguments", "", "%d of %d draft tokens cannot be accepted", accepted, t.draft)
	}
	for i := range t.groups {
		if g := &t.groups[i]; g.recorded != t.boundary(g) {
			return issue.New("invariant", "", "state group %q: the checkpoint recorded length %d at base length %d", g.ID, g.recorded, t.committed)
		}
	}
	t.retreat(accepted)
	t.accepted, t.phase = accepted, restored
	return nil
}

// Commit appends the target's own token, if any, after the accepted prefix, and
// ends the iteration.
func (t *Transaction) Commit(h Handle, authoritative int64) (Outcome, error) {
	if err := t.current(h, "commit"); err != nil {
		return Outcome{}, err
	}
	if t.phase != restored {
		return Outcome{}, t.misuse("commit")
	}
	if err := checkAuthoritative(authoritative, t.draft, t.accepted); err != nil {
		return Outcome{}, err
	}
	if t.accepted+authoritative > t.declared.CommitTokens {
		return Outcome{}, issue.New("output_budget", "", "%d accepted and %d target-authoritative tokens exceed the output budget of %d",
			t.accepted, authoritative, t.declared.CommitTokens)
	}
	out := Outcome{
		IterationID: t.nextIteration, CheckpointID: h.CheckpointID, BaseTokens: h.BaseTokens,
		RejectedDraft: t.draft - t.accepted, Committed: t.accepted + authoritative,
	}
	t.append(t.accepted, authoritative)
	t.close()
	out.FinalTokens = t.committed
	return out, t.check()
}

// Abort gives up an iteration before its restore: every group returns to its
// length at the checkpoint, and the generation ends.
func (t *Transaction) Abort(h Handle) error {
	if err := t.current(h, "abort"); err != nil {
		return err
	}
	if t.phase == restored {
		return t.misuse("abort")
	}
	t.abandon()
	return nil
}

// Rebind moves the sequence to another topology epoch or row mapping. An open
// checkpoint belongs to the old one and is abandoned: its handle is spent.
func (t *Transaction) Rebind(topologyEpoch, rowMapping int64) error {
	if !quantity.IsCount(topologyEpoch) || topologyEpoch < t.binding.TopologyEpoch || !quantity.IsCount(rowMapping) {
		return issue.New("arguments", "", "epoch %d and row mapping %d cannot follow epoch %d", topologyEpoch, rowMapping, t.binding.TopologyEpoch)
	}
	if t.phase != idle {
		t.abandon()
	}
	t.binding.TopologyEpoch, t.binding.RowMapping = topologyEpoch, rowMapping
	return nil
}

// Read reads one row of a group. Rows at or beyond the logical length may
// physically exist, stale or speculative, and are masked from every reader.
func (t *Transaction) Read(groupID string, row int64) error {
	for i := range t.groups {
		g := &t.groups[i]
		if g.ID != groupID {
			continue
		}
		if row < 0 || row >= g.logical {
			return issue.New("masked_row", "", "state group %q: row %d is not below the logical length %d", groupID, row, g.logical)
		}
		return nil
	}
	return issue.New("unknown_group", "", "there is no state group %q", groupID)
}

// current refuses every handle but that of the open checkpoint, whole.
func (t *Transaction) current(h Handle, call string) error {
	switch {
	case t.phase == idle:
		return issue.New("handle", "", "%s: checkpoint %d is spent or was never taken; none is open", call, h.CheckpointID)
	case h != t.handle:
		return issue.New("handle", "", "%s: checkpoint %d (sequence %q, epoch %d, generation %d, row mapping %d, base %d) is not the open checkpoint %d (sequence %q, epoch %d, generation %d, row mapping %d, base %d)",
			call, h.CheckpointID, h.SequenceID, h.TopologyEpoch, h.Generation, h.RowMapping, h.BaseTokens,
			t.handle.CheckpointID, t.handle.SequenceID, t.handle.TopologyEpoch, t.handle.Generation, t.handle.RowMapping, t.handle.BaseTokens)
	}
	return nil
}

// boundary is a group's length between iterations.
func (t *Transaction) boundary(g *group) int64 {
	if g.Lifetime == workload.CommittedPrefix {
		return t.committed
	}
	return 0
}

func (t *Transaction) abandon() {
	for i := range t.groups {
		t.groups[i].logical = t.groups[i].recorded
	}
	t.generation++
	t.close()
}

func (t *Transaction) close() {
	t.phase, t.handle, t.declared, t.draft, t.accepted = idle, Handle{}, Proposal{}, 0, 0
}
