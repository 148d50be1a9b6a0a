package plan

import "github.com/inferlab/inferlab/simcore/topology"

// Frozen is a plan that Validate accepted, bound to its scenario, with every id
// resolved: steps are plan indices, everything else indices of the Fabric. It is
// immutable and may be executed any number of times.
type Frozen struct {
	plan   *Plan
	fabric *Fabric

	dependencies Rows
	dependents   Rows
	resources    Rows
	participants Rows
	reads        Rows
	writes       Rows
	group        []int32 // communicator of a collective, otherwise -1

	stepByID map[int64]int32
	order    []int32 // topological
	ranks    []int32 // participating ranks, ascending
}

// Plan returns the plan as plain data, which must not be written to.
func (f *Frozen) Plan() *Plan { return f.plan }

// Fabric returns the interned scenario.
func (f *Frozen) Fabric() *Fabric { return f.fabric }

// Spec returns the scenario that the plan was validated against.
func (f *Frozen) Spec() *topology.Spec { return f.fabric.spec }

// Len is the number of steps.
func (f *Frozen) Len() int { return len(f.plan.Steps) }

// Step returns the step with a plan index.
func (f *Frozen) Step(i int32) *Step { return &f.plan.Steps[i] }

// StepIndex finds the plan index of a step id.
func (f *Frozen) StepIndex(id int64) (int32, bool) { i, ok := f.stepByID[id]; return i, ok }

// Dependencies lists the steps that step i waits for, in the order of the plan's
// list.
func (f *Frozen) Dependencies(i int32) []int32 { return f.dependencies.Row(i) }

// Dependents lists the steps that wait for step i, ascending by plan index.
func (f *Frozen) Dependents(i int32) []int32 { return f.dependents.Row(i) }

// Resources lists the resources that step i reserves, in reservation order.
func (f *Frozen) Resources(i int32) []int32 { return f.resources.Row(i) }

// ResourceUses is the number of reservations of all steps together.
func (f *Frozen) ResourceUses() int { return f.resources.Total() }

// Participants lists the ranks of step i in the order of the plan.
func (f *Frozen) Participants(i int32) []int32 { return f.participants.Row(i) }

// Reads lists the allocations that step i holds shared.
func (f *Frozen) Reads(i int32) []int32 { return f.reads.Row(i) }

// Writes lists the allocations that step i holds exclusively.
func (f *Frozen) Writes(i int32) []int32 { return f.writes.Row(i) }

// Group returns the communicator of step i, or -1 when it is no collective.
func (f *Frozen) Group(i int32) int32 { return f.group[i] }

// Order lists the plan indices in topological order: repeatedly the least one
// whose dependencies are all placed.
func (f *Frozen) Order() []int32 { return f.order }

// Ranks lists the ranks that participate in any step, ascending.
func (f *Frozen) Ranks() []int32 { return f.ranks }
