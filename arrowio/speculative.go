package arrowio

import (
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// speculativeContract is what the tables of a speculative run restate.
const speculativeContract = "contract 04 sections 3, 7 and 13.7 (family contract 2, iterations 1)"

// Definitions of the acceptance figures, the same words wherever a figure stands.
const (
	definitionConditional = "conditional acceptance: of the iterations that reached a draft position (it was proposed and all earlier ones were accepted), the share that accepted it"
	definitionInterval    = "95 % Wilson score interval of the conditional acceptance"
)

// SpeculativeIterationsDeclaration declares the table speculative_iterations.
var SpeculativeIterationsDeclaration = Declaration{
	Table: "speculative_iterations", Revision: 1, Contract: speculativeContract,
	Description: "one row an iteration (one verification forward of the target), in order",
	Fields: []Field{
		{"iteration", Int64, false, UnitID, "number of the iteration, from 0"},
		{"outcome", Label, false, UnitWord, "target_only, correction, bonus or accepted_tail"},
		{"base_tokens", Int64, false, UnitTokens, "committed context before the iteration"},
		{"guaranteed_target_tokens", Int64, false, UnitTokens, "target token that the proposal begins with, 0 or 1"},
		{"proposed_additional_tokens", Int64, false, UnitTokens, "tokens that the proposer drafted"},
		{"accepted_additional_tokens", Int64, false, UnitTokens, "of these, tokens accepted"},
		{"proposed_draft_tokens", Int64, false, UnitTokens, "full proposal: guaranteed and additional tokens"},
		{"accepted_draft_tokens", Int64, false, UnitTokens, "of the full proposal, tokens accepted"},
		{"rejected_draft_tokens", Int64, false, UnitTokens, "of the full proposal, tokens thrown away"},
		{"target_token_width", Int64, false, UnitTokens, "rows of the verification forward"},
		{"target_authoritative_tokens", Int64, false, UnitTokens, "token that the target itself decided: a correction, a bonus, or its only one; 0 for an accepted tail"},
		{"committed_tokens", Int64, false, UnitTokens, "tokens added to the output"},
		{"final_tokens", Int64, false, UnitTokens, "committed context after the iteration"},
		{"proposer_ns", Int64, true, UnitNs, "service time of the proposer step; null without a machine"},
		{"compute_ns", Int64, true, UnitNs, "service time of the target's compute operations; null without a machine"},
		{"communication_ns", Int64, true, UnitNs, "service time of transfers and collectives; null without a machine"},
		{"proposer_start_ns", Int64, true, UnitNs, "start of the proposer step; null without a machine or a proposer step"},
		{"verify_start_ns", Int64, true, UnitNs, "start of the first operation of the verification; null without a machine"},
		{"finish_ns", Int64, true, UnitNs, "end of the last operation of the iteration; null without a machine"},
	},
}

// AcceptanceByPositionDeclaration declares the table acceptance_by_position.
var AcceptanceByPositionDeclaration = Declaration{
	Table: "acceptance_by_position", Revision: 1, Contract: speculativeContract,
	Description: "one row a draft position of the proposer, ascending; the guaranteed token has no position",
	Fields: []Field{
		{"position", Int64, false, UnitCount, "draft position, from 1"},
		{"proposals", Int64, false, UnitCount, "iterations that proposed a token here"},
		{"trials", Int64, false, UnitCount, "of these, iterations in which all earlier positions were accepted"},
		{"accepted", Int64, false, UnitCount, "of these, iterations in which this one was accepted"},
		{"conditional_acceptance", Float64, true, UnitCount, "accepted over trials; null without a trial"},
		{"interval_low", Float64, false, UnitCount, "lower end of the 95 % interval of conditional_acceptance; 0 without a trial"},
		{"interval_high", Float64, false, UnitCount, "upper end of the 95 % interval of conditional_acceptance; 1 without a trial"},
		{"share_of_proposals", Float64, true, UnitCount, "accepted over proposals, which is not conditional on earlier positions; null without a proposal"},
		{"declared_probability", Float64, true, UnitCount, "conditional acceptance that the configuration declares; null for a replay and for context buckets"},
	},
	Definitions: []Definition{{"conditional_acceptance", definitionConditional}, {"interval", definitionInterval}},
}

// SpeculativeDeclarations lists the schemas of the tables of speculative runs, in
// the order of SpeculativeTables.All.
func SpeculativeDeclarations() []*Declaration {
	return []*Declaration{&SpeculativeIterationsDeclaration, &AcceptanceByPositionDeclaration}
}

// SpeculativeTables are the tables of one finished speculative workload.
type SpeculativeTables struct {
	run        *speculative.Run
	units      []run.UnitTime // by iteration; nil without a machine
	opt        Options
	provenance Provenance
}

// Speculative prepares the tables of a workload without a machine.
func Speculative(s *speculative.Run, opt Options) *SpeculativeTables {
	p := Provenance{Command: "speculative", Confidence: evidence.Heuristic, Revisions: speculativeRevisions(s)}
	if s.Config.Acceptance.Kind == workload.AcceptReplay {
		p.Confidence = evidence.Exact
	}
	return &SpeculativeTables{run: s, opt: opt, provenance: p}
}

// SpeculativeOn prepares the tables of a workload that ran on a machine: iterations
// have times.
func SpeculativeOn(s *speculative.Run, r *run.Result, split *run.Speculation, opt Options) *SpeculativeTables {
	return &SpeculativeTables{run: s, units: split.Units, opt: opt, provenance: Provenance{
		Command: "run", Confidence: r.Confidence, ScenarioID: r.Scenario.ID(), ScenarioFingerprint: r.Scenario.Fingerprint(),
		Revisions: append(speculativeRevisions(s), run.Revisions()...),
	}}
}

// SpeculativeDocument prepares the tables of a workload that was read from a result
// document, whose configuration is not in it.
func SpeculativeDocument(s *speculative.Run, p Provenance, opt Options) *SpeculativeTables {
	return &SpeculativeTables{run: s, opt: opt, provenance: p}
}

func speculativeRevisions(s *speculative.Run) []jsondoc.Revision {
	list := []jsondoc.Revision{
		{Name: "proposerFamily", Revision: workload.FamilyContractRevision},
		{Name: "speculativeIteration", Revision: trace.SpeculativeIterationRevision},
	}
	if s.Trace.PagedKV != nil {
		list = append(list, jsondoc.Revision{Name: "pagedKv", Revision: trace.PagedKVContractRevision})
	}
	return list
}

// All returns every table in a fixed order: the iterations, acceptance by position
// and, of a run with paged KV, the events and pages of its cache.
func (t *SpeculativeTables) All() []*Table {
	tables := []*Table{t.Iterations(), t.AcceptanceByPosition()}
	if t.run.Trace.PagedKV != nil {
		tables = append(tables, PagedKV(t.run.Trace.PagedKV, t.provenance, t.opt).All()...)
	}
	return tables
}

// outcomeLabels are the dictionary words of speculative_iterations.outcome, by
// trace.DecodeOutcome.
var outcomeLabels = []string{
	trace.OutcomeTargetOnly.String(), trace.OutcomeCorrection.String(), trace.OutcomeBonus.String(), trace.OutcomeAcceptedTail.String(),
}

// Iterations is the table speculative_iterations.
func (t *SpeculativeTables) Iterations() *Table {
	its := t.run.Trace.Iterations
	ints := func(value func(it *trace.SpeculativeIteration) int64) column {
		return column{ints: func(dst []int64, from int64) {
			for i := range dst {
				dst[i] = value(&its[from+int64(i)])
			}
		}}
	}
	times := func(value func(u *run.UnitTime) (int64, bool)) column {
		return column{opt: func(dst []int64, ok []bool, from int64) {
			for i := range dst {
				dst[i], ok[i] = 0, false
				if t.units != nil {
					dst[i], ok[i] = value(&t.units[from+int64(i)])
				}
			}
		}}
	}
	return newTable(&SpeculativeIterationsDeclaration, t.provenance, t.opt, int64(len(its)), []column{
		{ints: func(dst []int64, from int64) {
			for i := range dst {
				dst[i] = from + int64(i)
			}
		}},
		{words: outcomeLabels, codes: func(dst []int32, from int64) {
			for i := range dst {
				dst[i] = int32(its[from+int64(i)].Outcome)
			}
		}},
		ints(func(it *trace.SpeculativeIteration) int64 { return it.BaseTokens }),
		ints(func(it *trace.SpeculativeIteration) int64 { return int64(it.Guaranteed) }),
		ints(func(it *trace.SpeculativeIteration) int64 { return it.ProposedAdditional }),
		ints(func(it *trace.SpeculativeIteration) int64 { return it.AcceptedAdditional }),
		ints((*trace.SpeculativeIteration).ProposedDraftTokens),
		ints((*trace.SpeculativeIteration).AcceptedDraftTokens),
		ints((*trace.SpeculativeIteration).RejectedDraftTokens),
		ints((*trace.SpeculativeIteration).TargetTokenWidth),
		ints(func(it *trace.SpeculativeIteration) int64 { return int64(it.Authoritative) }),
		ints((*trace.SpeculativeIteration).CommittedTokens),
		ints((*trace.SpeculativeIteration).FinalTokens),
		times(func(u *run.UnitTime) (int64, bool) { return u.ProposerNs, true }),
		times(func(u *run.UnitTime) (int64, bool) { return u.ComputeNs, true }),
		times(func(u *run.UnitTime) (int64, bool) { return u.CommunicationNs, true }),
		times(func(u *run.UnitTime) (int64, bool) { return u.ProposerStartNs, u.ProposerNs > 0 }),
		times(func(u *run.UnitTime) (int64, bool) { return u.VerifyStartNs, true }),
		times(func(u *run.UnitTime) (int64, bool) { return u.FinishNs, true }),
	})
}

// AcceptanceByPosition is the table acceptance_by_position.
func (t *SpeculativeTables) AcceptanceByPosition() *Table {
	return acceptanceTable(speculative.Positions(t.run.Trace.Iterations), t.run.Config.Acceptance.Probabilities, t.provenance, t.opt)
}

// AcceptanceByPosition is the table acceptance_by_position of a served run, over
// the decode steps of all requests. Its iterations are rows of batch_members.
func (t *ServingTables) AcceptanceByPosition() *Table {
	return acceptanceTable(speculative.ServingPositions(t.run.Trace.Decode), declaredProbabilities(t.run), t.provenance, t.opt)
}

func declaredProbabilities(run *serving.Run) []float64 {
	if run.Speculation == nil {
		return nil
	}
	return run.Speculation.Acceptance.Probabilities
}

func acceptanceTable(rows []speculative.Position, declared []float64, p Provenance, opt Options) *Table {
	ints := func(value func(i int64) int64) column {
		return column{ints: func(dst []int64, from int64) {
			for i := range dst {
				dst[i] = value(from + int64(i))
			}
		}}
	}
	floats := func(value func(i int64) (float64, bool)) column {
		return column{floats: func(dst []float64, ok []bool, from int64) {
			for i := range dst {
				v, has := value(from + int64(i))
				dst[i] = v
				if ok != nil {
					ok[i] = has
				}
			}
		}}
	}
	return newTable(&AcceptanceByPositionDeclaration, p, opt, int64(len(rows)), []column{
		ints(func(i int64) int64 { return i + 1 }),
		ints(func(i int64) int64 { return rows[i].Proposals }),
		ints(func(i int64) int64 { return rows[i].Trials }),
		ints(func(i int64) int64 { return rows[i].Accepted }),
		floats(func(i int64) (float64, bool) { return rows[i].Conditional() }),
		floats(func(i int64) (float64, bool) { low, _ := rows[i].Interval(); return low, true }),
		floats(func(i int64) (float64, bool) { _, high := rows[i].Interval(); return high, true }),
		floats(func(i int64) (float64, bool) {
			return float64(rows[i].Accepted) / max(1, float64(rows[i].Proposals)), rows[i].Proposals > 0
		}),
		floats(func(i int64) (float64, bool) {
			if i >= int64(len(declared)) {
				return 0, false
			}
			return declared[i], true
		}),
	})
}
