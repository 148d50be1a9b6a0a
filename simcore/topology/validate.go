package topology

import (
	"slices"
	"strconv"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// Validate proves the semantic rules of the sketched scenario (contract 02 section
// 5). All violations are collected, in the contract's order, into one
// *issue.List.
func (d *Sketch) Validate() (*Scenario, error) {
	s := d.spec
	v := validator{spec: s, odd: d.odd, index: newIndex(s), issues: issue.List{Subject: "scenario " + s.ID}}
	v.router = newRouter(s, v.index, d.odd)
	v.header()
	v.identity()
	for i := range s.MemoryDomains {
		v.domain(at("memoryDomains", i), &s.MemoryDomains[i])
	}
	for i := range s.Devices {
		v.device(at("devices", i), &s.Devices[i])
	}
	for i := range s.Links {
		v.link(at("links", i), &s.Links[i])
	}
	for i := range s.NetworkResources {
		v.resource(at("networkResources", i), &s.NetworkResources[i])
	}
	v.placements()
	for i := range s.Transfers {
		v.transfer(at("transfers", i), &s.Transfers[i])
	}
	v.groups()
	v.parallelism()
	v.calibration()
	if err := v.issues.Err(); err != nil {
		return nil, err
	}
	return &Scenario{spec: s, index: v.index, router: v.router}, nil
}

// validator is one semantic pass.
type validator struct {
	spec   *Spec
	odd    map[*int64]float64
	index  *index
	router *router
	nodes  map[string]bool // of devices and domains, made when a NIC needs it
	issues issue.List
}

// place is a path that is written only when an issue needs it.
type place struct {
	collection string
	i          int
	inner      string // ".allocations", ".orderedRanks" or empty
	j          int
}

func at(collection string, i int) place { return place{collection: collection, i: i} }

func (p place) within(inner string, j int) place {
	p.inner, p.j = inner, j
	return p
}

func (p place) path(field string) string {
	s := p.collection
	if p.i >= 0 {
		s += "[" + strconv.Itoa(p.i) + "]"
	}
	if p.inner != "" {
		s += p.inner + "[" + strconv.Itoa(p.j) + "]"
	}
	return s + field
}

// num is the true value of a numeric field.
func (v *validator) num(field *int64) float64 {
	if f, ok := v.odd[field]; ok {
		return f
	}
	return float64(*field)
}

// show spells a number for a message.
func show(f float64) string { return canonical.Number(f) }

func (v *validator) positive(p place, name string, field *int64) {
	if i, ok := quantity.FromFloat(v.num(field)); !ok || i < 1 {
		v.issues.Add("positive_integer", p.path(name), "expected a positive integer up to %d, found %s", quantity.MaxSafe, show(v.num(field)))
	}
}

func (v *validator) nonNegative(p place, name string, field *int64) {
	if i, ok := quantity.FromFloat(v.num(field)); !ok || i < 0 {
		v.issues.Add("non_negative_integer", p.path(name), "expected a non-negative integer up to %d, found %s", quantity.MaxSafe, show(v.num(field)))
	}
}

// enum refuses a text outside its vocabulary.
func enum[T ~string](v *validator, p place, name string, value T, known []T) {
	if !slices.Contains(known, value) {
		v.issues.Add("enum_value", p.path(name), "%q is not one of %v", string(value), known)
	}
}

// enums refuses each element of a list that is outside the vocabulary.
func enums[T ~string](v *validator, p place, name string, values, known []T) {
	for j, value := range values {
		if !slices.Contains(known, value) {
			v.issues.Add("enum_value", p.path(name)+"["+strconv.Itoa(j)+"]", "%q is not one of %v", string(value), known)
		}
	}
}

// distinct refuses a list with a repeated or empty element, once.
func distinct[T ~string](v *validator, p place, name string, values []T) {
	if bad, found := repeated(values); found {
		v.issues.Add("duplicate_value", p.path(name), "elements must be unique and not empty; %q is not", string(bad))
	}
}

// repeated finds the first element that is empty or stands earlier in the list.
func repeated[T ~string](values []T) (T, bool) {
	const few = 16
	var seen map[T]struct{}
	if len(values) > few {
		seen = make(map[T]struct{}, len(values))
	}
	for i, value := range values {
		if value == "" {
			return value, true
		}
		if seen == nil {
			if slices.Contains(values[:i], value) {
				return value, true
			}
			continue
		}
		if _, again := seen[value]; again {
			return value, true
		}
		seen[value] = struct{}{}
	}
	return "", false
}

func (v *validator) provenance(p place, prov *evidence.Provenance) {
	enum(v, p, ".provenance.confidence", prov.Confidence, confidences)
	if prov.Source == "" {
		v.issues.Add("empty_provenance", p.path(".provenance.source"), "a source must be given")
	}
}

// header checks section 5.1.
func (v *validator) header() {
	s := v.spec
	whole := place{i: -1}
	if s.SchemaVersion != SchemaVersion {
		v.issues.Add("schema_version", "schemaVersion", "expected %d, found %d", SchemaVersion, s.SchemaVersion)
	}
	if s.ID == "" {
		v.issues.Add("empty_id", "id", "a scenario needs an id")
	}
	enum(v, whole, "family", s.Family, families)
	w, e := &s.Workload, &s.Execution
	v.positive(whole, "workload.batchSize", &w.BatchSize)
	v.nonNegative(whole, "workload.inputSequenceLength", &w.InputSequenceLength)
	v.nonNegative(whole, "workload.outputSequenceLength", &w.OutputSequenceLength)
	if w.Speculative != nil {
		enum(v, whole, "workload.speculative.family", w.Speculative.Family, proposerFamilies)
		v.nonNegative(whole, "workload.speculative.maxAdditionalTokens", &w.Speculative.MaxAdditionalTokens)
	}
	v.nonNegative(whole, "execution.topologyEpoch", &e.TopologyEpoch)
	v.nonNegative(whole, "execution.seed", &e.Seed)
	v.positive(whole, "execution.maxEvents", &e.MaxEvents)
	v.positive(whole, "execution.parallelism.tensor", &e.Parallelism.Tensor)
	v.positive(whole, "execution.parallelism.pipeline", &e.Parallelism.Pipeline)
	v.positive(whole, "execution.parallelism.expert", &e.Parallelism.Expert)
	v.positive(whole, "execution.parallelism.data", &e.Parallelism.Data)
}

// identity checks section 5.2: the index holds the first holder of every id.
func (v *validator) identity() {
	s, x := v.spec, v.index
	v.unique("memoryDomains", ".id", len(s.MemoryDomains), x.domains, func(i int) string { return s.MemoryDomains[i].ID })
	v.unique("devices", ".id", len(s.Devices), x.devices, func(i int) string { return s.Devices[i].ID })
	v.unique("networkResources", ".id", len(s.NetworkResources), x.resources, func(i int) string { return s.NetworkResources[i].ID })
	v.unique("links", ".id", len(s.Links), x.links, func(i int) string { return s.Links[i].ID })
	v.unique("placements", ".partitionId", len(s.Placements), x.placements, func(i int) string { return s.Placements[i].PartitionID })
	transfers := first(len(s.Transfers), func(i int) string { return s.Transfers[i].ID })
	v.unique("transfers", ".id", len(s.Transfers), transfers, func(i int) string { return s.Transfers[i].ID })
	v.unique("groups", ".id", len(s.Groups), x.groups, func(i int) string { return s.Groups[i].ID })
}

func (v *validator) unique(collection, field string, n int, holders map[string]int, id func(int) string) {
	for i := range n {
		if name := id(i); name == "" || holders[name] != i {
			v.issues.Add("duplicate_id", at(collection, i).path(field), "the id %q is empty or already used in %s", name, collection)
		}
	}
}

// domainByID, deviceByID: look-ups that give nil for unknown ids.
func (v *validator) domainByID(id string) *MemoryDomain {
	if i, ok := v.index.domains[id]; ok {
		return &v.spec.MemoryDomains[i]
	}
	return nil
}

func (v *validator) deviceByID(id string) *Device {
	if i, ok := v.index.devices[id]; ok {
		return &v.spec.Devices[i]
	}
	return nil
}
