package speculative

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/workload"
)

func drawFamily(t *rapid.T) *workload.FamilyContract {
	c, err := workload.ContractOf(rapid.SampledFrom(workload.Families[:]).Draw(t, "family"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func begin(t rapid.TB, c *workload.FamilyContract, initial, capacity, bound int64) *Transaction {
	tx, err := NewTransaction(Binding{SequenceID: "s", TopologyEpoch: 3, RowMapping: 1}, initial, c.Groups(capacity, bound))
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

// TestStepwiseEqualsSingleCall: capture, draft, verify, restore, commit is the
// single-call form, and both keep the invariants of an iteration boundary.
func TestStepwiseEqualsSingleCall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawFamily(t)
		bound := rapid.Int64Range(0, 6).Draw(t, "bound")
		initial := rapid.Int64Range(0, 9).Draw(t, "initial")
		capacity := initial + rapid.Int64Range(0, 40).Draw(t, "room")
		one, steps := begin(t, c, initial, capacity, bound), begin(t, c, initial, capacity, bound)
		for range rapid.IntRange(0, 12).Draw(t, "iterations") {
			it := Iteration{DraftTokens: rapid.Int64Range(0, 7).Draw(t, "D"), AuthoritativeTokens: 1}
			it.AcceptedDraftTokens = rapid.Int64Range(0, it.DraftTokens).Draw(t, "A")
			it.LocalTokens = rapid.Int64Range(0, it.DraftTokens).Draw(t, "l")
			if it.DraftTokens > 0 && it.AcceptedDraftTokens == it.DraftTokens {
				it.AuthoritativeTokens = rapid.Int64Range(0, 1).Draw(t, "t")
			}
			a, errA := one.Iterate(it)
			b, errB := iterateStepwise(steps, it)
			if (errA == nil) != (errB == nil) {
				t.Fatalf("%+v: single call %v, stepwise %v", it, errA, errB)
			}
			if diff := cmp.Diff(a, b); diff != "" {
				t.Fatalf("outcomes differ:\n%s", diff)
			}
			if diff := cmp.Diff(one.Groups(), steps.Groups()); diff != "" {
				t.Fatalf("groups differ:\n%s", diff)
			}
			checkBoundary(t, one)
		}
		if one.CommittedTokens() != steps.CommittedTokens() || one.Generation() != steps.Generation() {
			t.Fatalf("%d tokens of generation %d, stepwise %d of %d", one.CommittedTokens(), one.Generation(), steps.CommittedTokens(), steps.Generation())
		}
	})
}

func iterateStepwise(tx *Transaction, it Iteration) (Outcome, error) {
	h, err := tx.Capture(Proposal{it.DraftTokens, it.LocalTokens, it.AcceptedDraftTokens + it.AuthoritativeTokens})
	if err != nil {
		return Outcome{}, err
	}
	if err := tx.Draft(it.DraftTokens, it.LocalTokens); err != nil {
		return Outcome{}, err
	}
	if err := tx.Verify(it.DraftTokens + 1); err != nil {
		return Outcome{}, err
	}
	if err := tx.Restore(h, it.AcceptedDraftTokens); err != nil {
		return Outcome{}, err
	}
	return tx.Commit(h, it.AuthoritativeTokens)
}

// checkBoundary holds the invariants of design section 9.7 at a boundary.
func checkBoundary(t rapid.TB, tx *Transaction) {
	for _, g := range tx.Groups() {
		want := int64(0)
		if g.Lifetime == workload.CommittedPrefix {
			want = tx.CommittedTokens()
		}
		if g.LogicalLength != want || g.LogicalLength > g.HighWaterLength || g.HighWaterLength > g.CapacityTokens {
			t.Fatalf("group %+v at committed length %d", g, tx.CommittedTokens())
		}
		if err := tx.Read(g.ID, g.LogicalLength); err == nil {
			t.Fatalf("group %s: the row at its logical length is readable", g.ID)
		}
	}
}

// TestMisuseIsRefusedWithoutEffect walks every state and every wrong call in it
// (contract 04 section 13.8).
func TestMisuseIsRefusedWithoutEffect(t *testing.T) {
	contract, err := workload.ContractOf(workload.SharedKV)
	if err != nil {
		t.Fatal(err)
	}
	tx := begin(t, contract, 5, 40, 3)
	spent, err := tx.Capture(Proposal{4, 3, 5})
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.Abort(spent); err != nil {
		t.Fatal(err)
	}
	refused := func(name string, calls map[string]func() error) {
		t.Helper()
		for call, do := range calls {
			before := cmp.Diff(snapshotOf(tx), nil)
			err := do()
			var e *issue.Error
			if !errors.As(err, &e) {
				t.Errorf("%s: %s gives %v, want a refusal", name, call, err)
			}
			if after := cmp.Diff(snapshotOf(tx), nil); before != after {
				t.Errorf("%s: %s has an effect", name, call)
			}
		}
	}
	commit := func(h Handle, own int64) func() error {
		return func() error { _, err := tx.Commit(h, own); return err }
	}
	capture := func(p Proposal) func() error {
		return func() error { _, err := tx.Capture(p); return err }
	}
	iterate := func() error { _, err := tx.Iterate(Iteration{AuthoritativeTokens: 1}); return err }

	refused("idle", map[string]func() error{
		"draft":                       func() error { return tx.Draft(1, 1) },
		"verify":                      func() error { return tx.Verify(1) },
		"restore with a spent handle": func() error { return tx.Restore(spent, 0) },
		"commit with a spent handle":  commit(spent, 1),
		"abort with a spent handle":   func() error { return tx.Abort(spent) },
		"local above the proposal":    capture(Proposal{2, 3, 3}),
		"no output budget":            capture(Proposal{2, 2, 0}),
		"an older epoch":              func() error { return tx.Rebind(2, 1) },
	})
	h, err := tx.Capture(Proposal{4, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	refused("captured", map[string]func() error{
		"second capture": capture(Proposal{1, 1, 2}), "iterate": iterate,
		"verify before draft":  func() error { return tx.Verify(1) },
		"restore before draft": func() error { return tx.Restore(h, 0) },
		"commit before draft":  commit(h, 1),
		"a wider draft":        func() error { return tx.Draft(5, 3) },
		"more local rows":      func() error { return tx.Draft(4, 4) },
		"local above draft":    func() error { return tx.Draft(1, 2) },
		"abort by a spent one": func() error { return tx.Abort(spent) },
	})
	if err := tx.Draft(4, 3); err != nil {
		t.Fatal(err)
	}
	refused("drafted", map[string]func() error{
		"draft again": func() error { return tx.Draft(4, 3) }, "restore before verification": func() error { return tx.Restore(h, 1) },
		"a row too few": func() error { return tx.Verify(4) }, "a row too many": func() error { return tx.Verify(6) },
		"commit before restore": commit(h, 1),
	})
	if err := tx.Verify(5); err != nil {
		t.Fatal(err)
	}
	forged := map[string]func() error{
		"accepted above the proposal": func() error { return tx.Restore(h, 5) },
		"accepted below zero":         func() error { return tx.Restore(h, -1) },
		"commit before restore":       commit(h, 1),
	}
	for name, spoil := range map[string]func(*Handle){
		"another sequence":    func(h *Handle) { h.SequenceID = "other" },
		"another epoch":       func(h *Handle) { h.TopologyEpoch++ },
		"another row mapping": func(h *Handle) { h.RowMapping++ },
		"another generation":  func(h *Handle) { h.Generation-- },
		"another base":        func(h *Handle) { h.BaseTokens++ },
		"another checkpoint":  func(h *Handle) { h.CheckpointID-- },
	} {
		other := h
		spoil(&other)
		forged["restore of "+name] = func() error { return tx.Restore(other, 1) }
		forged["abort of "+name] = func() error { return tx.Abort(other) }
	}
	refused("verified", forged)
	if err := tx.Restore(h, 4); err != nil {
		t.Fatal(err)
	}
	refused("restored", map[string]func() error{
		"restore again":                  func() error { return tx.Restore(h, 4) },
		"abort":                          func() error { return tx.Abort(h) },
		"beyond the output budget":       commit(h, 1),
		"two tokens of the target":       commit(h, 2),
		"reading a rejected row":         func() error { return tx.Read("shared_kv:target_kv:0", 9) },
		"reading a proposal-local row":   func() error { return tx.Read("shared_kv:recurrent_state:2", 0) },
		"reading through a past lease":   func() error { return tx.Read("shared_kv:shared_kv_lease:1", 0) },
		"reading a group that is not":    func() error { return tx.Read("nobody", 0) },
		"commit of another row mapping":  commit(Handle{Binding: Binding{"s", 3, 2}, CheckpointID: h.CheckpointID, Generation: h.Generation, BaseTokens: h.BaseTokens}, 0),
		"commit of the spent checkpoint": commit(spent, 0),
	})
	out, err := tx.Commit(h, 0) // an accepted tail appends nothing
	if err != nil || out.FinalTokens != 9 || tx.CommittedTokens() != 9 {
		t.Fatalf("commit: %+v, %v", out, err)
	}
	refused("idle again", map[string]func() error{"restore": func() error { return tx.Restore(h, 4) }, "commit": commit(h, 1)})
}

// snapshotOf is everything a refused call might have changed.
func snapshotOf(tx *Transaction) any {
	return struct {
		Groups                            any
		Committed, Generation, Checkpoint int64
		Phase                             string
	}{tx.Groups(), tx.committed, tx.generation, tx.nextCheckpoint, tx.phase.String()}
}

// TestRebindSpendsTheOpenCheckpoint: a handle does not survive a change of topology.
func TestRebindSpendsTheOpenCheckpoint(t *testing.T) {
	contract, err := workload.ContractOf(workload.DraftModel)
	if err != nil {
		t.Fatal(err)
	}
	tx := begin(t, contract, 5, 40, 3)
	before := tx.Groups()
	h, err := tx.Capture(Proposal{3, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.Draft(3, 3); err != nil {
		t.Fatal(err)
	}
	if err := tx.Rebind(4, 1); err != nil {
		t.Fatal(err)
	}
	if err := tx.Restore(h, 1); err == nil {
		t.Error("a handle of the old epoch restores")
	}
	after := tx.Groups()
	for i := range after {
		if after[i].LogicalLength != before[i].LogicalLength || after[i].HighWaterLength != 8 {
			t.Errorf("group %s: %d/%d rows after the change, %d before", after[i].ID, after[i].LogicalLength, after[i].HighWaterLength, before[i].LogicalLength)
		}
	}
	if tx.Generation() != 1 {
		t.Errorf("generation %d, want 1", tx.Generation())
	}
	h, err = tx.Capture(Proposal{1, 1, 2})
	if want := (Handle{Binding{"s", 4, 1}, 2, 1, 5}); err != nil || h != want {
		t.Errorf("captured %+v, %v; want %+v", h, err, want)
	}
}
