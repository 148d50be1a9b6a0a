package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
)

// Validate checks every rule of contract 03 section 3 that speaks of the plan and
// returns the plan frozen on this fabric, or an *issue.List of all violations:
// first the plan's head, then each step in plan order, then the graph. The plan
// must not be changed afterwards.
func (f *Fabric) Validate(p *Plan) (*Frozen, error) {
	v := newValidator(f, p)
	v.head()
	for i := range p.Steps {
		v.step(i)
	}
	v.graph()
	if err := v.issues.Err(); err != nil {
		return nil, err
	}
	v.frozen.ranks = v.participatingRanks()
	return v.frozen, nil
}

type validator struct {
	fabric *Fabric
	plan   *Plan
	frozen *Frozen
	issues issue.List

	seenAllocation []int32 // by allocation: step that read it last, plus one
	unknownReads   []string
	texts          map[string]struct{} // of one long list
}

func newValidator(f *Fabric, p *Plan) *validator {
	n := len(p.Steps)
	var deps, ranks, reads, writes, resources int
	for i := range p.Steps {
		s := &p.Steps[i]
		deps += len(s.Dependencies)
		ranks += len(s.Participants)
		reads += len(s.Reads)
		writes += len(s.Writes)
		resources += 2 + len(s.Operation.LinkIDs)
	}
	frozen := &Frozen{
		plan: p, fabric: f,
		dependencies: newRows(n, deps), participants: newRows(n, ranks),
		reads: newRows(n, reads), writes: newRows(n, writes), resources: newRows(n, resources),
		group: make([]int32, n), stepByID: make(map[int64]int32, n),
	}
	for i := range p.Steps {
		if _, used := frozen.stepByID[p.Steps[i].ID]; !used {
			frozen.stepByID[p.Steps[i].ID] = int32(i)
		}
	}
	return &validator{
		fabric: f, plan: p, frozen: frozen,
		issues:         issue.List{Subject: "plan " + strconv.Quote(p.ID)},
		seenAllocation: make([]int32, len(f.allocationIDs)),
		texts:          make(map[string]struct{}),
	}
}

func (v *validator) head() {
	p := v.plan
	if p.ContractRevision != ContractRevision {
		v.issues.Add("contract_revision", "contractRevision", "is %d; this product reads revision %d", p.ContractRevision, ContractRevision)
	}
	if p.ID == "" {
		v.issues.Add("empty_id", "id", "the plan's id is empty")
	}
	if p.ExecutionID == "" {
		v.issues.Add("empty_id", "id", "the plan's executionId is empty")
	}
	if epoch := v.fabric.spec.Execution.TopologyEpoch; p.TopologyEpoch != epoch {
		v.issues.Add("topology_epoch", "topologyEpoch", "is %d; the scenario's epoch is %d", p.TopologyEpoch, epoch)
	}
	if len(p.Steps) == 0 {
		v.issues.Add("empty_plan", "steps", "the plan has no steps")
	}
}

// at names a place in step i.
func at(i int, rest string) string { return "steps[" + strconv.Itoa(i) + "]" + rest }

func (v *validator) step(i int) {
	s := &v.plan.Steps[i]
	if first := v.frozen.stepByID[s.ID]; int(first) != i {
		v.issues.Add("duplicate_step", at(i, ".id"), "step id %d is already used by steps[%d]", s.ID, first)
	} else if !quantity.IsCount(s.ID) {
		v.issues.Add("duplicate_step", at(i, ".id"), "step id %d is not a count", s.ID)
	}
	v.participants(i, s)
	v.distinctIDs(i, ".dependencies", s.Dependencies)
	v.distinctTexts(i, ".reads", s.Reads)
	v.distinctTexts(i, ".writes", s.Writes)
	v.leases(i, s)
	if !quantity.IsCount(s.Operation.DurationNs) {
		v.issues.Add("duration", at(i, ".operation.durationNs"), "%d is not a count of nanoseconds", s.Operation.DurationNs)
	}
	v.frozen.group[i] = -1
	switch s.Operation.Kind {
	case Compute:
		v.compute(i, s)
	case Transfer:
		v.transfer(i, s)
	case Collective:
		v.collective(i, s)
	default:
		v.issues.Add("operation_kind", at(i, ".operation.kind"), "%q is not compute, transfer or collective", s.Operation.Kind)
	}
	v.dependencies(i, s)
	v.closeRows()
}

func (v *validator) closeRows() {
	f := v.frozen
	for _, r := range []*Rows{&f.dependencies, &f.participants, &f.reads, &f.writes, &f.resources} {
		r.end()
	}
}

func (v *validator) participants(i int, s *Step) {
	if len(s.Participants) == 0 {
		v.issues.Add("empty_participants", at(i, ".participants"), "a step needs at least one rank")
	}
	v.distinctTexts(i, ".participants", s.Participants)
	for _, id := range s.Participants {
		rank, ok := v.fabric.ranks[id]
		if !ok {
			v.issues.Add("unknown_rank", at(i, ".participants"), "no group has rank %q", id)
			continue
		}
		v.frozen.participants.add(rank)
	}
}

// leases resolves reads and writes and refuses an allocation that stands in both.
func (v *validator) leases(i int, s *Step) {
	stamp := int32(i + 1)
	v.unknownReads = v.unknownReads[:0]
	for _, id := range s.Reads {
		if a, ok := v.allocation(i, id); ok {
			v.seenAllocation[a] = stamp
			v.frozen.reads.add(a)
		} else {
			v.unknownReads = append(v.unknownReads, id)
		}
	}
	for _, id := range s.Writes {
		a, ok := v.allocation(i, id)
		overlap := !ok && slices.Contains(v.unknownReads, id)
		if ok {
			overlap = v.seenAllocation[a] == stamp
			v.frozen.writes.add(a)
		}
		if overlap {
			v.issues.Add("read_write_overlap", at(i, ""), "allocation %q is both read and written; work in place lists it in writes only", id)
		}
	}
}

func (v *validator) allocation(i int, id string) (int32, bool) {
	a, ok := v.fabric.allocations[id]
	if !ok {
		v.issues.Add("unknown_allocation", at(i, ""), "no placement has allocation %q", id)
	}
	return a, ok
}

func (v *validator) dependencies(i int, s *Step) {
	for _, id := range s.Dependencies {
		switch j, ok := v.frozen.stepByID[id]; {
		case id == s.ID:
			v.issues.Add("self_dependency", at(i, ".dependencies"), "step %d depends on itself", id)
		case !ok:
			v.issues.Add("unknown_dependency", at(i, ".dependencies"), "no step has id %d", id)
		default:
			v.frozen.dependencies.add(j)
		}
	}
}

// distinctTexts refuses a list of ids with an empty or repeated entry, once.
func (v *validator) distinctTexts(i int, field string, values []string) {
	indexed := len(values) > indexedFrom
	if indexed {
		clear(v.texts)
	}
	for k, value := range values {
		repeated := false
		if indexed {
			_, repeated = v.texts[value]
			v.texts[value] = struct{}{}
		} else {
			repeated = slices.Contains(values[:k], value)
		}
		switch {
		case value == "":
			v.issues.Add("duplicate_value", at(i, field), "entry %d is empty", k)
			return
		case repeated:
			v.issues.Add("duplicate_value", at(i, field), "%q stands twice", value)
			return
		}
	}
}

// distinctIDs refuses a list of step ids with a repeated entry or one that is not
// a count, once.
func (v *validator) distinctIDs(i int, field string, values []int64) {
	var index map[int64]struct{}
	if len(values) > indexedFrom {
		index = make(map[int64]struct{}, len(values))
	}
	for k, value := range values {
		repeated := false
		if index != nil {
			_, repeated = index[value]
			index[value] = struct{}{}
		} else {
			repeated = slices.Contains(values[:k], value)
		}
		switch {
		case !quantity.IsCount(value):
			v.issues.Add("duplicate_value", at(i, field), "%d is not a count", value)
			return
		case repeated:
			v.issues.Add("duplicate_value", at(i, field), "%d stands twice", value)
			return
		}
	}
}

func (v *validator) compute(i int, s *Step) {
	op := &s.Operation
	device, ok := v.fabric.devices[op.DeviceID]
	if !ok {
		v.issues.Add("unknown_device", at(i, ".operation.deviceId"), "no device %q", op.DeviceID)
	} else if !v.fabric.hasCapability(device, op.Capability) {
		v.issues.Add("missing_capability", at(i, ".operation.capability"), "device %q lacks capability %q", op.DeviceID, op.Capability)
	}
	if len(s.Participants) != 1 {
		v.issues.Add("compute_participant", at(i, ".participants"), "a compute step has exactly one participant, not %d", len(s.Participants))
	} else if rank, known := v.fabric.ranks[s.Participants[0]]; !ok || !known || v.fabric.rankDevice[rank] != device {
		v.issues.Add("compute_participant", at(i, ".participants"), "rank %q is not on device %q", s.Participants[0], op.DeviceID)
	}
	if !ok {
		return
	}
	v.accessible(i, []int32{device})
	v.frozen.resources.add(device)
}

// accessible checks that one of the devices addresses the domain of every
// allocation of the step under construction.
func (v *validator) accessible(i int, devices []int32) {
	for _, list := range [2][]int32{v.frozen.reads.open(), v.frozen.writes.open()} {
		for _, a := range list {
			domain := v.fabric.allocationDomain[a]
			if !slices.ContainsFunc(devices, func(d int32) bool { return v.fabric.addresses(d, domain) }) {
				v.issues.Add("inaccessible_allocation", at(i, ""), "allocation %q lies in domain %q, which no device of the step addresses",
					v.fabric.allocationIDs[a], v.fabric.domainID(domain))
			}
		}
	}
}

func (v *validator) transfer(i int, s *Step) {
	if len(s.Reads) == 0 || len(s.Writes) == 0 {
		v.issues.Add("transfer_buffers", at(i, ""), "a transfer reads and writes at least one allocation each")
	}
	link, ok := v.fabric.links[s.Operation.LinkID]
	if !ok {
		v.issues.Add("unknown_link", at(i, ".operation.linkId"), "no link %q", s.Operation.LinkID)
		return
	}
	ends := v.fabric.linkEnds[link]
	v.inDomain(i, "transfer_source", ".reads", v.frozen.reads.open(), ends[0])
	v.inDomain(i, "transfer_target", ".writes", v.frozen.writes.open(), ends[1])
	for _, r := range v.fabric.linkResources[link] {
		v.reserve(r)
	}
}

func (v *validator) inDomain(i int, code, field string, allocations []int32, domain int32) {
	for _, a := range allocations {
		if own := v.fabric.allocationDomain[a]; own != domain || own < 0 {
			v.issues.Add(code, at(i, field), "allocation %q lies in domain %q, not at that end of the link (%q)",
				v.fabric.allocationIDs[a], v.fabric.domainID(own), v.fabric.domainID(domain))
		}
	}
}

// reserve adds a resource to the step under construction unless it has it.
func (v *validator) reserve(resource int32) {
	if !slices.Contains(v.frozen.resources.open(), resource) {
		v.frozen.resources.add(resource)
	}
}

func (v *validator) collective(i int, s *Step) {
	op := &s.Operation
	group, ok := v.fabric.groups[op.GroupID]
	if !ok {
		v.issues.Add("unknown_group", at(i, ".operation.groupId"), "no group %q", op.GroupID)
	} else {
		v.frozen.group[i] = group
		v.frozen.resources.add(v.fabric.groupResource(group))
		v.membership(i, s, group)
	}
	if !quantity.IsCount(op.CommSequenceID) {
		v.issues.Add("collective_sequence", at(i, ".operation.commSequenceId"), "%d is not a count", op.CommSequenceID)
	}
	if op.Algorithm != AllReduceRing && op.Algorithm != AllToAllV {
		v.issues.Add("collective_algorithm", at(i, ".operation.algorithm"), "%q is not %s or %s", op.Algorithm, AllReduceRing, AllToAllV)
	}
	v.distinctTexts(i, ".operation.linkIds", op.LinkIDs)
	for _, id := range op.LinkIDs {
		link, known := v.fabric.links[id]
		if !known {
			v.issues.Add("unknown_link", at(i, ".operation.linkIds"), "no link %q", id)
			continue
		}
		for _, r := range v.fabric.linkResources[link] {
			v.reserve(r)
		}
	}
}

func (v *validator) membership(i int, s *Step, group int32) {
	ranks, devices := v.fabric.groupRanks[group], v.fabric.groupDevices[group]
	if len(s.Participants) != len(ranks) || !slices.Equal(v.frozen.participants.open(), ranks) {
		expected := make([]string, len(ranks))
		for k, r := range ranks {
			expected[k] = v.fabric.rankIDs[r]
		}
		v.issues.Add("collective_participants", at(i, ".participants"), "must be exactly the ranks of group %q in its order: %s",
			s.Operation.GroupID, strings.Join(expected, ","))
	}
	for _, d := range devices {
		if !v.fabric.hasCapability(d, topology.Collective) {
			v.issues.Add("missing_capability", at(i, ".participants"), "device %q lacks capability %q", v.fabric.spec.Devices[d].ID, topology.Collective)
		}
	}
	v.accessible(i, devices)
}

func (v *validator) participatingRanks() []int32 {
	taking := make([]bool, len(v.fabric.rankIDs))
	for _, r := range v.frozen.participants.values {
		taking[r] = true
	}
	var ranks []int32
	for r, yes := range taking {
		if yes {
			ranks = append(ranks, int32(r))
		}
	}
	return ranks
}
