package speculative

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Binding says what a checkpoint belongs to beside the transaction's own counters.
type Binding struct {
	SequenceID    string
	TopologyEpoch int64
	RowMapping    int64 // identity of the mapping of batch rows to the sequence
}

// Handle is a checkpoint's identity. It serves once: for one restore and its
// commit, in its own generation, binding and base length.
type Handle struct {
	Binding
	CheckpointID int64
	Generation   int64
	BaseTokens   int64
}

// phase is the state of the stepwise form (contract 04 section 13.8).
type phase uint8

const (
	idle phase = iota
	captured
	drafted
	verified
	restored
)

func (p phase) String() string {
	return [...]string{"idle", "captured", "drafted", "verified", "restored"}[p]
}

// group is one state group with its live lengths.
type group struct {
	workload.StateGroup
	logical, highWater, recorded int64
}

// Transaction is the composite checkpoint transaction over all state groups of one
// sequence (contract 04 sections 5 and 13.8). It knows counts only: how many
// tokens match is decided by its caller. It belongs to one caller.
type Transaction struct {
	binding        Binding
	groups         []group // in id order
	committed      int64
	generation     int64
	nextCheckpoint int64
	nextIteration  int64

	phase    phase
	handle   Handle
	declared Proposal // upper bounds of the open checkpoint
	draft    int64    // D of the open checkpoint
	accepted int64    // A after restore
}

// NewTransaction starts a sequence at an initial length. Groups need unique
// non-empty ids, a target-owned one among them, and capacities that suit the
// initial length; defaults of role and lifetime are filled in. Errors name the
// group.
func NewTransaction(b Binding, initialTokens int64, groups []workload.StateGroup) (*Transaction, error) {
	if !quantity.IsCount(initialTokens) {
		return nil, issue.New("non_negative_integer", "", "the initial length %d is no non-negative safe integer", initialTokens)
	}
	t := &Transaction{binding: b, committed: initialTokens, nextCheckpoint: 1, nextIteration: 1,
		groups: make([]group, len(groups))}
	target := false
	for i := range groups {
		g := groups[i].WithDefaults()
		if err := checkGroup(&g, initialTokens); err != nil {
			return nil, err
		}
		target = target || g.Owner == workload.OwnedByTarget
		t.groups[i] = group{StateGroup: g}
		if g.Lifetime == workload.CommittedPrefix {
			t.groups[i].logical, t.groups[i].highWater = initialTokens, initialTokens
		}
	}
	if !target {
		return nil, issue.New("state_group", "", "no state group is owned by the target")
	}
	slices.SortFunc(t.groups, func(a, b group) int { return quantity.CompareIDs(a.ID, b.ID) })
	for i := 1; i < len(t.groups); i++ {
		if t.groups[i].ID == t.groups[i-1].ID {
			return nil, issue.New("duplicate_id", "", "two state groups have the id %q", t.groups[i].ID)
		}
	}
	return t, nil
}

func checkGroup(g *workload.StateGroup, initialTokens int64) error {
	switch {
	case g.ID == "":
		return issue.New("empty_id", "", "a state group has an empty id")
	case g.Owner != workload.OwnedByTarget && g.Owner != workload.OwnedByProposer:
		return issue.New("state_group", "", "state group %q: owner %q is not target or proposer", g.ID, g.Owner)
	case g.Lifetime != workload.CommittedPrefix && g.Lifetime != workload.ProposalLocal && g.Lifetime != workload.Borrowed:
		return issue.New("state_group", "", "state group %q: unknown lifetime %q", g.ID, g.Lifetime)
	case !quantity.IsCount(g.CapacityTokens):
		return issue.New("state_group", "", "state group %q: capacity %d is no non-negative safe integer", g.ID, g.CapacityTokens)
	case g.Rollback.Bounded && !quantity.IsCount(g.Rollback.MaxRollbackTokens):
		return issue.New("state_group", "", "state group %q: rollback bound %d is no non-negative safe integer", g.ID, g.Rollback.MaxRollbackTokens)
	case g.Lifetime == workload.CommittedPrefix && g.CapacityTokens < initialTokens:
		return issue.New("capacity", "", "state group %q: capacity %d is below the initial length %d", g.ID, g.CapacityTokens, initialTokens)
	}
	return nil
}

// CommittedTokens is the committed length of the sequence.
func (t *Transaction) CommittedTokens() int64 { return t.committed }

// Generation is the number of iterations that were committed or aborted.
func (t *Transaction) Generation() int64 { return t.generation }

// Groups is the current snapshot, in id order.
func (t *Transaction) Groups() []trace.StateGroup {
	list := make([]trace.StateGroup, len(t.groups))
	for i := range t.groups {
		g := &t.groups[i]
		list[i] = trace.StateGroup{ID: g.ID, Owner: g.Owner, Role: g.Role, Lifetime: g.Lifetime,
			LogicalLength: g.logical, HighWaterLength: g.highWater, CapacityTokens: g.CapacityTokens}
	}
	return list
}

// Proposal bounds one iteration.
type Proposal struct {
	DraftTokens  int64 // D, the full proposal
	LocalTokens  int64 // rows of proposal-local state, at most D; workloads pass k
	CommitTokens int64 // the output budget: accepted plus the target's own token
}

// preflight checks capacity and rollback horizon of every group before anything is
// written (contract 04 section 5.3, step 3).
func (t *Transaction) preflight(p Proposal) error {
	candidate, err := quantity.Add(t.committed, p.DraftTokens)
	if err != nil {
		return issue.New("overflow", "", "%d committed + %d draft tokens: %v", t.committed, p.DraftTokens, err)
	}
	final, err := quantity.Add(t.committed, p.CommitTokens)
	if err != nil {
		return issue.New("overflow", "", "%d committed + %d tokens to commit: %v", t.committed, p.CommitTokens, err)
	}
	for i := range t.groups {
		g := &t.groups[i]
		required, horizon := max(candidate, final), p.DraftTokens
		switch g.Lifetime {
		case workload.ProposalLocal:
			required, horizon = p.LocalTokens, p.LocalTokens
		case workload.Borrowed:
			horizon = 0
		}
		if required > g.CapacityTokens {
			return issue.New("capacity", "", "state group %q: %d rows are needed and its capacity is %d", g.ID, required, g.CapacityTokens)
		}
		if g.Rollback.Bounded && horizon > g.Rollback.MaxRollbackTokens {
			return issue.New("rollback_horizon", "", "state group %q: %d rows may have to be rolled back and its snapshot holds %d",
				g.ID, horizon, g.Rollback.MaxRollbackTokens)
		}
	}
	return nil
}

// write makes the candidate lengths visible (step 4).
func (t *Transaction) write(draft, local int64) {
	for i := range t.groups {
		g := &t.groups[i]
		switch g.Lifetime {
		case workload.CommittedPrefix:
			g.logical = t.committed + draft
		case workload.Borrowed:
			g.logical = t.committed
		default:
			g.logical = local
		}
		g.highWater = max(g.highWater, g.logical)
	}
}

// retreat restores every group to the accepted prefix (step 5): proposal-local
// rows and leases end here.
func (t *Transaction) retreat(accepted int64) {
	for i := range t.groups {
		g := &t.groups[i]
		g.logical = 0
		if g.Lifetime == workload.CommittedPrefix {
			g.logical = t.committed + accepted
		}
	}
}

// append writes the target's own token, if any, over the accepted prefix (step 6).
func (t *Transaction) append(accepted, authoritative int64) {
	t.committed += accepted + authoritative
	for i := range t.groups {
		if g := &t.groups[i]; g.Lifetime == workload.CommittedPrefix {
			g.logical = t.committed
			g.highWater = max(g.highWater, g.logical)
		}
	}
	t.generation++
	t.nextIteration++
}

// Iteration is the input of the single-call form.
type Iteration struct {
	DraftTokens         int64 // D
	AcceptedDraftTokens int64 // A
	LocalTokens         int64 // l
	AuthoritativeTokens int64 // t
}

// Outcome is the result of one iteration.
type Outcome struct {
	IterationID   int64
	CheckpointID  int64
	BaseTokens    int64
	RejectedDraft int64
	Committed     int64
	FinalTokens   int64
}

// Iterate runs one iteration in one call: capture, draft, verify, restore, commit.
// Wrong arguments change nothing; a failed preflight spends a checkpoint id and
// changes nothing else.
func (t *Transaction) Iterate(it Iteration) (Outcome, error) {
	if t.phase != idle {
		return Outcome{}, t.misuse("iterate")
	}
	if err := checkIteration(it); err != nil {
		return Outcome{}, err
	}
	out := Outcome{
		CheckpointID: t.nextCheckpoint, BaseTokens: t.committed,
		RejectedDraft: it.DraftTokens - it.AcceptedDraftTokens,
		Committed:     it.AcceptedDraftTokens + it.AuthoritativeTokens,
	}
	t.nextCheckpoint++
	if err := t.preflight(Proposal{it.DraftTokens, it.LocalTokens, out.Committed}); err != nil {
		return Outcome{}, err
	}
	t.write(it.DraftTokens, it.LocalTokens)
	t.retreat(it.AcceptedDraftTokens)
	out.IterationID = t.nextIteration
	t.append(it.AcceptedDraftTokens, it.AuthoritativeTokens)
	out.FinalTokens = t.committed
	return out, t.check()
}

func checkIteration(it Iteration) error {
	for _, v := range [...]int64{it.DraftTokens, it.AcceptedDraftTokens, it.LocalTokens} {
		if !quantity.IsCount(v) {
			return issue.New("arguments", "", "draft %d, accepted %d, proposal-local %d: every count must be a non-negative safe integer",
				it.DraftTokens, it.AcceptedDraftTokens, it.LocalTokens)
		}
	}
	switch {
	case it.AcceptedDraftTokens > it.DraftTokens:
		return issue.New("arguments", "", "%d of %d draft tokens cannot be accepted", it.AcceptedDraftTokens, it.DraftTokens)
	case it.LocalTokens > it.DraftTokens:
		return issue.New("arguments", "", "%d proposal-local rows for %d draft tokens", it.LocalTokens, it.DraftTokens)
	}
	return checkAuthoritative(it.AuthoritativeTokens, it.DraftTokens, it.AcceptedDraftTokens)
}

// checkAuthoritative: only a full proposal may be committed without a token of the
// target's own.
func checkAuthoritative(authoritative, draft, accepted int64) error {
	switch {
	case authoritative != 0 && authoritative != 1:
		return issue.New("arguments", "", "%d target-authoritative tokens, must be 0 or 1", authoritative)
	case authoritative == 0 && (draft == 0 || accepted != draft):
		return issue.New("arguments", "", "nothing is appended only after a full proposal that was accepted whole; %d of %d were", accepted, draft)
	}
	return nil
}

// check holds the invariants of an iteration boundary (contract 04 section 5.3).
func (t *Transaction) check() error {
	for i := range t.groups {
		g := &t.groups[i]
		want := int64(0)
		if g.Lifetime == workload.CommittedPrefix {
			want = t.committed
		}
		if g.logical != want || g.logical > g.highWater || g.highWater > g.CapacityTokens {
			return issue.New("invariant", "", "state group %q: length %d, high water %d, capacity %d at committed length %d",
				g.ID, g.logical, g.highWater, g.CapacityTokens, t.committed)
		}
	}
	return nil
}

func (t *Transaction) misuse(call string) error {
	return issue.New("misuse", "", "%s is not possible while the transaction is %s", call, t.phase)
}
