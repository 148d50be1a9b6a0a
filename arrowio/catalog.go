package arrowio

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
)

// catalog holds the operations of all templates in flat form, in relative time,
// with their words as codes of the tables' dictionaries. Batches refer to it.
type catalog struct {
	*operationWords
	rows      []operationRow
	firstRow  []int // template -> its first row; one more entry than templates
	held      []held
	firstHeld []int // template -> its first reservation; likewise
}

// operationRow is one operation of a template.
type operationRow struct {
	op                                 *trace.Operation
	kind                               int32
	algorithm, group, component, phase int32 // -1 when absent
	resources, participants            []int32
	lanes                              []int64
}

// held is one lane held by an operation of a template.
type held struct {
	op       *trace.Operation
	lane     int64
	resource int32
	kind     int32
}

func newCatalog(scn *topology.Scenario) *catalog {
	return &catalog{operationWords: newOperationWords(scn), firstRow: []int{0}, firstHeld: []int{0}}
}

// extend adds the templates that are not in the catalog yet.
func (c *catalog) extend(templates []serving.Template) {
	for k := len(c.firstRow) - 1; k < len(templates); k++ {
		c.add(templates[k].Plan, templates[k].Trace)
		c.firstRow = append(c.firstRow, len(c.rows))
		c.firstHeld = append(c.firstHeld, len(c.held))
	}
}

// add appends the operations of one template.
func (c *catalog) add(p *plan.Plan, tr *trace.Plan) {
	steps := make(map[int64]*plan.Step, len(p.Steps))
	for i := range p.Steps {
		steps[p.Steps[i].ID] = &p.Steps[i]
	}
	for i := range tr.Operations {
		op := &tr.Operations[i]
		row := operationRow{
			op:        op,
			kind:      int32(slices.Index(operationKinds, string(op.Kind))),
			algorithm: int32(slices.Index(algorithmWords, string(op.CollectiveAlgorithm))),
			group:     c.groups.optional(op.GroupID),
			component: -1, phase: -1,
		}
		if s := steps[op.StepID]; s != nil {
			row.component = c.components.optional(s.Operation.ComponentID)
			row.phase = c.phases.optional(s.Operation.PipelinePhase)
		}
		for _, r := range op.Resources {
			code := c.resources.code(r.ResourceID)
			row.resources = append(row.resources, code)
			row.lanes = append(row.lanes, r.ResourceLane)
			c.held = append(c.held, held{op, r.ResourceLane, code, row.kind})
		}
		for _, rank := range op.Participants {
			row.participants = append(row.participants, c.ranks.code(rank))
		}
		c.rows = append(c.rows, row)
	}
}

// operationWords are the dictionaries of the operations. Ids of the scenario come
// first, so that they are the same whichever operations a run, or a window of it,
// happens to have.
type operationWords struct{ resources, groups, components, phases, ranks *dictionary }

func newOperationWords(scn *topology.Scenario) *operationWords {
	w := &operationWords{newDictionary(), newDictionary(), newDictionary(), newDictionary(), newDictionary()}
	if scn == nil {
		return w
	}
	spec := scn.Spec()
	for i := range spec.Devices {
		w.resources.code("compute:" + spec.Devices[i].ID)
	}
	for i := range spec.Links {
		w.resources.code("link:" + spec.Links[i].ID)
	}
	for i := range spec.NetworkResources {
		w.resources.code("network:" + spec.NetworkResources[i].ID)
	}
	for i := range spec.Groups {
		w.resources.code("collective:" + spec.Groups[i].ID)
		w.groups.code(spec.Groups[i].ID)
		for _, rank := range spec.Groups[i].OrderedRanks {
			w.ranks.code(rank.RankID)
		}
	}
	return w
}

// dictionary gives words codes in order of first appearance.
type dictionary struct {
	words []string
	codes map[string]int32
}

func newDictionary() *dictionary { return &dictionary{codes: map[string]int32{}} }

// code returns the word's code, adding the word when it is new.
func (d *dictionary) code(word string) int32 {
	if c, ok := d.codes[word]; ok {
		return c
	}
	c := int32(len(d.words))
	d.codes[word] = c
	d.words = append(d.words, word)
	return c
}

// optional is code, with -1 for the empty word.
func (d *dictionary) optional(word string) int32 {
	if word == "" {
		return -1
	}
	return d.code(word)
}

// all returns the codes of words in order.
func (d *dictionary) all(words []string) []int32 {
	codes := make([]int32, len(words))
	for i, w := range words {
		codes[i] = d.code(w)
	}
	return codes
}
