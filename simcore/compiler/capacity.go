package compiler

import (
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
)

// DomainWeights is the weight bytes that a bound model puts into one memory
// domain.
type DomainWeights struct {
	DomainID string
	Bytes    int64
}

// CheckModelCapacity refuses a bound model whose weights do not fit: in each of
// the domains, the model's bytes take the place of the scenario's own weight
// reservations, and together with all other reservations they must stay within the
// domain's resource limit (contract 06 section 19.3). The *issue.List names every
// domain that overflows.
func CheckModelCapacity(s *topology.Scenario, weights []DomainWeights) error {
	l := &issue.List{Subject: "model on scenario " + s.ID()}
	for _, w := range weights {
		d := s.Domain(w.DomainID)
		if d == nil {
			l.Add("unknown_domain", "", "scenario %s has no memory domain %s", s.ID(), w.DomainID)
			continue
		}
		if !quantity.IsCount(w.Bytes) {
			l.Add("weight_bytes", "", "domain %s: %d weight bytes are no count", w.DomainID, w.Bytes)
			continue
		}
		others := reservedBesideWeights(s.Spec(), w.DomainID)
		if total, err := quantity.Add(others, w.Bytes); err != nil || total > d.ResourceLimitBytes {
			l.Add("model_capacity", "", "domain %s: %d weight bytes beside %d reserved bytes exceed its resource limit of %d bytes",
				w.DomainID, w.Bytes, others, d.ResourceLimitBytes)
		}
	}
	return l.Err()
}

// reservedBesideWeights sums the reservations of a domain that a model does not
// replace. Validation keeps the sum within the domain's limit, so it is safe.
func reservedBesideWeights(spec *topology.Spec, domainID string) int64 {
	var total int64
	for i := range spec.Placements {
		for j := range spec.Placements[i].Allocations {
			a := &spec.Placements[i].Allocations[j]
			if a.DomainID == domainID && a.Purpose != topology.Weights {
				total += a.Bytes
			}
		}
	}
	return total
}
