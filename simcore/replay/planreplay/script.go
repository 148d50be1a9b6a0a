package planreplay

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

// script is what one plan demands of its trace. It belongs to one machine and is
// read-only once made.
type script struct {
	machine *machine
	plan    *plan.Plan

	index     map[int64]int32 // step id to plan index
	needs     [][]int32       // dependencies of a step
	unblocks  [][]int32       // steps that depend on a step
	resources [][]int32       // in reservation order
	reads     [][]int32
	writes    [][]int32
	ranks     [][]int32 // participants of a step, as positions in rankIDs
	rankIDs   []string  // every participating rank, ascending
}

// newScript resolves the plan. A plan that was never validated may refer to
// nothing; that is a mismatch before the first event.
func newScript(m *machine, p *plan.Plan) (*script, *Mismatch) {
	n := len(p.Steps)
	s := &script{
		machine: m, plan: p, index: make(map[int64]int32, n),
		needs: make([][]int32, n), unblocks: make([][]int32, n), resources: make([][]int32, n),
		reads: make([][]int32, n), writes: make([][]int32, n), ranks: make([][]int32, n),
	}
	uses := 0
	for i := range p.Steps {
		step := &p.Steps[i]
		s.index[step.ID] = int32(i)
		uses += len(step.Dependencies) + len(step.Reads) + len(step.Writes) + 1
	}
	s.collectRanks()
	memory := make(pool, 0, uses)
	for i := range p.Steps {
		if bad := s.resolve(int32(i), &memory); bad != nil {
			return nil, bad
		}
	}
	s.invert()
	return s, nil
}

// pool is the memory that many short lists share.
type pool []int32

// taken returns what was added since a length as a list of its own.
func (p pool) taken(from int) []int32 { return p[from:len(p):len(p)] }

// invert lists, for every step, the steps that depend on it, ascending.
func (s *script) invert() {
	count := make([]int32, len(s.needs))
	total := 0
	for _, needs := range s.needs {
		for _, d := range needs {
			count[d]++
		}
		total += len(needs)
	}
	memory := make([]int32, total)
	for d, n := range count {
		s.unblocks[d], memory = memory[:0:n], memory[n:]
	}
	for i, needs := range s.needs {
		for _, d := range needs {
			s.unblocks[d] = append(s.unblocks[d], int32(i))
		}
	}
}

// collectRanks numbers the participating ranks in ascending order of their ids.
func (s *script) collectRanks() {
	number := make(map[string]int32)
	for i := range s.plan.Steps {
		for _, id := range s.plan.Steps[i].Participants {
			if _, known := number[id]; !known {
				number[id] = 0
				s.rankIDs = append(s.rankIDs, id)
			}
		}
	}
	quantity.SortIDs(s.rankIDs)
	for k, id := range s.rankIDs {
		number[id] = int32(k)
	}
	var last []string // consecutive collectives usually share one list
	var lastRanks []int32
	var memory pool
	for i := range s.plan.Steps {
		ids := s.plan.Steps[i].Participants
		if !sameTexts(ids, last) || len(ids) == 0 {
			from := len(memory)
			for _, id := range ids {
				memory = append(memory, number[id])
			}
			last, lastRanks = ids, memory.taken(from)
		}
		s.ranks[i] = lastRanks
	}
}

func (s *script) resolve(i int32, p *pool) *Mismatch {
	step := &s.plan.Steps[i]
	from := len(*p)
	for _, id := range step.Dependencies {
		d, ok := s.index[id]
		if !ok {
			return mismatch(0, RulePlan, "step %d depends on step %d, which does not exist", step.ID, id)
		}
		*p = append(*p, d)
	}
	s.needs[i] = p.taken(from)
	from = len(*p)
	if !s.claims(&step.Operation, p) {
		return mismatch(0, RulePlan, "step %d uses a resource that does not exist", step.ID)
	}
	s.resources[i] = p.taken(from)
	for _, list := range [2]struct {
		ids []string
		to  *[]int32
	}{{step.Reads, &s.reads[i]}, {step.Writes, &s.writes[i]}} {
		from = len(*p)
		for _, id := range list.ids {
			b, known := s.machine.buffers[id]
			if !known {
				return mismatch(0, RulePlan, "step %d uses allocation %q, which does not exist", step.ID, id)
			}
			*p = append(*p, b)
		}
		*list.to = p.taken(from)
	}
	return nil
}

// claims adds the resources of an operation in reservation order (section 6), and
// answers false when one does not exist.
func (s *script) claims(op *plan.Operation, p *pool) bool {
	m, from := s.machine, len(*p)
	switch op.Kind {
	case plan.Compute:
		r, ok := m.computes[op.DeviceID]
		*p = append(*p, r)
		return ok
	case plan.Transfer:
		uses, ok := m.linkUses[op.LinkID]
		*p = append(*p, uses...)
		return ok
	case plan.Collective:
		own, ok := m.collectives[op.GroupID]
		*p = append(*p, own)
		for _, id := range op.LinkIDs {
			uses, known := m.linkUses[id]
			ok = ok && known
			for _, r := range uses {
				if !slices.Contains((*p)[from:], r) {
					*p = append(*p, r)
				}
			}
		}
		return ok
	}
	return false
}

// content compares everything in an event that the plan alone decides.
func (s *script) content(at int, e *trace.Operation, sequence int64) (int32, *Mismatch) {
	p := s.plan
	if e.ContractRevision != plan.ContractRevision {
		return 0, mismatch(at, RuleRevision, "contractRevision is %d, expected %d", e.ContractRevision, plan.ContractRevision)
	}
	if e.ExecutionID != p.ExecutionID {
		return 0, mismatch(at, RuleExecution, "executionId is %q, expected %q", e.ExecutionID, p.ExecutionID)
	}
	if e.TopologyEpoch != p.TopologyEpoch {
		return 0, mismatch(at, RuleEpoch, "topologyEpoch is %d, expected %d", e.TopologyEpoch, p.TopologyEpoch)
	}
	if e.SourceSequence != sequence {
		return 0, mismatch(at, RuleSequence, "sourceSequence is %d, expected %d", e.SourceSequence, sequence)
	}
	i, known := s.index[e.StepID]
	if !known {
		return 0, mismatch(at, RuleStep, "the plan has no step %d", e.StepID)
	}
	if field := s.differs(&p.Steps[i], e); field != "" {
		return 0, mismatch(at, RuleContent, "%s differs from that of step %d", field, e.StepID)
	}
	if bad := s.sameResources(at, i, e); bad != nil {
		return 0, bad
	}
	return i, plausibleTimes(at, &p.Steps[i], e)
}

// differs names the first field in which an event departs from its step.
func (s *script) differs(step *plan.Step, e *trace.Operation) string {
	op := &step.Operation
	var group string
	var sequence int64
	var algorithm plan.Algorithm
	if op.Kind == plan.Collective {
		group, sequence, algorithm = op.GroupID, op.CommSequenceID, op.Algorithm
		if !sameTexts(e.Participants, s.machine.members[group]) {
			return "participants"
		}
	}
	switch {
	case e.Kind != op.Kind:
		return "kind"
	case !sameTexts(e.Participants, step.Participants):
		return "participants"
	case !sameTexts(e.Reads, step.Reads):
		return "reads"
	case !sameTexts(e.Writes, step.Writes):
		return "writes"
	case e.GroupID != group:
		return "groupId"
	case e.CommSequenceID != sequence:
		return "commSequenceId"
	case e.CollectiveAlgorithm != algorithm:
		return "collectiveAlgorithm"
	}
	return ""
}

func (s *script) sameResources(at int, i int32, e *trace.Operation) *Mismatch {
	want := s.resources[i]
	if len(e.Resources) != len(want) {
		return mismatch(at, RuleResources, "%d resources, expected %d", len(e.Resources), len(want))
	}
	for k, r := range want {
		if e.Resources[k].ResourceID != s.machine.names[r] {
			return mismatch(at, RuleResources, "resource %d is %q, expected %q", k, e.Resources[k].ResourceID, s.machine.names[r])
		}
	}
	return nil
}

func plausibleTimes(at int, step *plan.Step, e *trace.Operation) *Mismatch {
	if !quantity.IsCount(e.SubmittedAtNs) || !quantity.IsCount(e.StartNs) || !quantity.IsCount(e.FinishNs) {
		return mismatch(at, RuleTimes, "submission %d, start %d and finish %d must be counts of ns", e.SubmittedAtNs, e.StartNs, e.FinishNs)
	}
	if e.FinishNs-e.StartNs != step.Operation.DurationNs {
		return mismatch(at, RuleDuration, "start %d to finish %d is not the step's duration %d", e.StartNs, e.FinishNs, step.Operation.DurationNs)
	}
	return nil
}

// sameTexts compares two lists of ids; traces usually share their plan's lists.
func sameTexts(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) == 0 || &a[0] == &b[0] {
		return true
	}
	return slices.Equal(a, b)
}
