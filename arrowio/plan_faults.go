package arrowio

import (
	"github.com/inferlab/inferlab/simcore/campaign"
	"github.com/inferlab/inferlab/simcore/trace"
)

const faultContract = "contract 03 sections 12 and 19 (plan revision 5)"

// PlanFaultsDeclaration declares the table plan_faults.
var PlanFaultsDeclaration = Declaration{
	Table: "plan_faults", Revision: 1, Contract: faultContract,
	Description: "one row a case of a fault campaign, the run without a fault first, then in case order",
	Fields: []Field{
		{"case_id", Label, true, UnitID, "node:, device:, link: or epoch: and the id; null for the run without a fault"},
		{"fault_kind", Label, true, UnitWord, "kind of the fault; null without one"},
		{"fault_target", Label, true, UnitID, "node, device or link that failed; null for a change of epoch and without a fault"},
		{"at_ns", Int64, true, UnitNs, "time of the fault; null without one"},
		{"status", Label, false, UnitWord, "succeeded, failed or aborted"},
		{"completed_at_ns", Int64, false, UnitNs, "completion or quiescence"},
		{"quiescence_ns", Int64, true, UnitNs, "completed_at_ns minus at_ns; null without a fault"},
		{"submitted_steps", Int64, false, UnitCount, "operations in the trace"},
		{"unsubmitted_steps", Int64, false, UnitCount, "steps without an operation"},
		{"unsubmitted_step_ids", Int64s, false, UnitID, "these steps, in plan order"},
		{"ranks_succeeded", Int64, false, UnitCount, "ranks that succeeded"},
		{"ranks_aborted", Int64, false, UnitCount, "ranks that were aborted"},
		{"ranks_failed", Int64, false, UnitCount, "ranks that failed"},
		{"replay_applied_events", Int64, false, UnitCount, "events that the independent replay applied"},
	},
}

// PlanFaultRanksDeclaration declares the table plan_fault_ranks.
var PlanFaultRanksDeclaration = Declaration{
	Table: "plan_fault_ranks", Revision: 1, Contract: faultContract,
	Description: "one row a rank of a case of a fault campaign, in the order of plan_faults, then by rank_id",
	Fields: []Field{
		{"case_id", Label, true, UnitID, "plan_faults.case_id; null for the run without a fault"},
		{"rank_id", Label, false, UnitID, "rank"},
		{"status", Label, false, UnitWord, "succeeded, failed or aborted"},
		{"terminal_at_ns", Int64, false, UnitNs, "time at which the rank ended"},
	},
}

// FaultTables are the tables of a fault campaign.
type FaultTables struct {
	f          *campaign.Faults
	cases      []*campaign.Case // the baseline first
	ids        *dictionary
	provenance Provenance
	opt        Options
}

// FaultCampaign prepares the tables of a fault campaign.
func FaultCampaign(f *campaign.Faults, opt Options) *FaultTables {
	t := &FaultTables{f: f, cases: []*campaign.Case{&f.Baseline}, ids: newDictionary(),
		provenance: planProvenance("fault-campaign", f.Scenario, f.Confidence), opt: opt}
	for i := range f.Cases {
		t.cases = append(t.cases, &f.Cases[i])
		t.ids.code(f.Cases[i].ID)
	}
	return t
}

// All returns the cases, their ranks, and the tables of the run without a fault.
func (t *FaultTables) All() []*Table {
	return append([]*Table{t.Faults(), t.Ranks()}, Plan(t.f.Scenario, t.f.Plan, t.f.Trace, t.provenance, t.opt).All()...)
}

// Faults is the table plan_faults.
func (t *FaultTables) Faults() *Table {
	type caseOf = *campaign.Case
	kinds, targets := newDictionary(), newDictionary()
	for _, c := range t.cases {
		kind, target := faultWords(c.Fault)
		kinds.optional(kind)
		targets.optional(target)
	}
	ranks := func(status trace.Status) column {
		return intsOf(t.cases, func(c *caseOf) (n int64) {
			for _, s := range (*c).RankStates {
				if s.Status == status {
					n++
				}
			}
			return n
		})
	}
	return newTable(&PlanFaultsDeclaration, t.provenance, t.opt, int64(len(t.cases)), []column{
		labelsOf(t.cases, t.ids.words, func(c *caseOf) int32 { return t.ids.optional((*c).ID) }),
		labelsOf(t.cases, kinds.words, func(c *caseOf) int32 { kind, _ := faultWords((*c).Fault); return kinds.optional(kind) }),
		labelsOf(t.cases, targets.words, func(c *caseOf) int32 { _, target := faultWords((*c).Fault); return targets.optional(target) }),
		optionalOf(t.cases, func(c *caseOf) (int64, bool) {
			if (*c).Fault == nil {
				return 0, false
			}
			return (*c).Fault.AtNs, true
		}),
		labelsOf(t.cases, statusWords, func(c *caseOf) int32 { return wordIndex(statusWords, string((*c).Status)) }),
		intsOf(t.cases, func(c *caseOf) int64 { return (*c).CompletedAtNs }),
		optionalOf(t.cases, func(c *caseOf) (int64, bool) {
			if (*c).Fault == nil {
				return 0, false
			}
			return (*c).CompletedAtNs - (*c).Fault.AtNs, true
		}),
		intsOf(t.cases, func(c *caseOf) int64 { return (*c).SubmittedSteps }),
		intsOf(t.cases, func(c *caseOf) int64 { return int64(len((*c).UnsubmittedStepIDs)) }),
		intListsOf(t.cases, func(c *caseOf) []int64 { return (*c).UnsubmittedStepIDs }),
		ranks(trace.Succeeded), ranks(trace.Aborted), ranks(trace.Failed),
		intsOf(t.cases, func(c *caseOf) int64 { return (*c).AppliedEvents }),
	})
}

// Ranks is the table plan_fault_ranks.
func (t *FaultTables) Ranks() *Table {
	type rankRow struct {
		id    int32
		state trace.RankState
	}
	ranks := newDictionary()
	var rows []rankRow
	for _, c := range t.cases {
		for _, s := range c.RankStates {
			ranks.code(s.RankID)
			rows = append(rows, rankRow{t.ids.optional(c.ID), s})
		}
	}
	return newTable(&PlanFaultRanksDeclaration, t.provenance, t.opt, int64(len(rows)), []column{
		labelsOf(rows, t.ids.words, func(r *rankRow) int32 { return r.id }),
		labelsOf(rows, ranks.words, func(r *rankRow) int32 { return ranks.codes[r.state.RankID] }),
		labelsOf(rows, statusWords, func(r *rankRow) int32 { return wordIndex(statusWords, string(r.state.Status)) }),
		intsOf(rows, func(r *rankRow) int64 { return r.state.TerminalAtNs }),
	})
}
