package compiler

import (
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/topology"
)

// copyWork is bytes to be moved between two domains over the fastest declared
// path.
type copyWork struct {
	source, target *topology.MemoryDomain
	bytes          int64
	after          []int64
	participants   []string
	from, to       string // buffers at the ends; empty: the domain's default
}

// copied is the steps of a copy, one a link; none within one domain.
type copied struct{ first, last int64 }

func (c copied) empty() bool { return c.last < c.first }

// ids lists the steps.
func (c copied) ids() []int64 {
	ids := make([]int64, 0, c.last-c.first+1)
	for id := c.first; id <= c.last; id++ {
		ids = append(ids, id)
	}
	return ids
}

// copy emits a transfer path (contract 06 section 7.3): one transfer a link, each
// carrying all bytes and waiting for the one before.
func (b *builder) copy(w copyWork) (copied, error) {
	result := copied{first: int64(len(b.steps)), last: int64(len(b.steps)) - 1}
	if w.source == w.target {
		return result, nil
	}
	route, err := b.fabric.Route(w.source.ID, w.target.ID, w.bytes)
	if err != nil {
		return result, err
	}
	after := w.after
	for i, link := range route {
		step, err := b.hop(&w, link, after, i == 0, i == len(route)-1)
		if err != nil {
			return result, err
		}
		result.last = step
		after = []int64{step}
	}
	return result, nil
}

func (b *builder) hop(w *copyWork, link int32, after []int64, first, last bool) (int64, error) {
	spec := &b.machine.spec.Links[link]
	from, to := "", ""
	if first {
		from = w.from
	}
	if last {
		to = w.to
	}
	var err error
	if from == "" {
		if from, err = b.machine.buffer(spec.SourceDomainID); err != nil {
			return 0, err
		}
	}
	if to == "" {
		if to, err = b.machine.buffer(spec.TargetDomainID); err != nil {
			return 0, err
		}
	}
	ns, err := b.transferNs(link, w.bytes)
	if err != nil {
		return 0, err
	}
	return b.add(after, w.participants, []string{from}, []string{to},
		plan.Operation{Kind: plan.Transfer, LinkID: spec.ID, DurationNs: ns})
}

// transferNs prices bytes over one link: its measured curve when the model has
// curves, else the declared duration (contract 06 section 10.3).
func (b *builder) transferNs(link int32, bytes int64) (int64, error) {
	if !b.model.HasCurves {
		return b.fabric.LinkNs(link, bytes)
	}
	return b.model.TransportNs(&cost.CurveKey{
		ScenarioID: b.machine.spec.ID, Operation: cost.TransferOperation, Algorithm: cost.PointToPoint,
		ParticipantCount: 2, LinkIDs: []string{b.fabric.LinkID(link)},
	}, bytes)
}

type ringKey struct {
	group int
	bytes int64
}

// ringCost is a priced all-reduce; its links are shared by the steps that use it.
type ringCost struct {
	links []string
	ns    int64
}

// mostRings bounds the memory of priced all-reduces.
const mostRings = 1 << 14

// allReduce emits a ring all-reduce over a communicator.
func (b *builder) allReduce(g *communicator, bytes int64, after []int64, reads []string) (int64, error) {
	key := ringKey{b.groupIndex(g), bytes}
	ring, ok := b.rings[key]
	if !ok {
		x, err := b.exchange(g, func() (*cost.Exchange, error) { return b.fabric.RingAllReduce(g.domains, bytes) })
		if err != nil {
			return 0, err
		}
		if ring, err = b.price(g, plan.AllReduceRing, bytes, x, ""); err != nil {
			return 0, err
		}
		if len(b.rings) >= mostRings {
			clear(b.rings)
		}
		b.rings[key] = ring
	}
	return b.collective(g, plan.AllReduceRing, ring, after, reads)
}

// allToAll emits a pairwise exchange of a traffic matrix over a communicator.
// Bytes are all bytes of the matrix, those that stay on their rank included.
func (b *builder) allToAll(g *communicator, bytes int64, traffic cost.Matrix, after []int64, reads []string) (int64, error) {
	x, err := b.exchange(g, func() (*cost.Exchange, error) { return b.fabric.AllToAllV(g.domains, traffic) })
	if err != nil {
		return 0, err
	}
	signature := ""
	if b.model.HasCurves {
		if signature, err = traffic.Signature(); err != nil {
			return 0, err
		}
	}
	priced, err := b.price(g, plan.AllToAllV, bytes, x, signature)
	if err != nil {
		return 0, err
	}
	return b.collective(g, plan.AllToAllV, priced, after, reads)
}

// exchange checks that a group can run a collective before it lays one out.
func (b *builder) exchange(g *communicator, layOut func() (*cost.Exchange, error)) (*cost.Exchange, error) {
	if len(g.ranks) < 2 {
		return nil, issue.New("small_group", "", "group %s of scenario %s has %d ranks; a collective needs at least two",
			g.spec.ID, b.machine.spec.ID, len(g.ranks))
	}
	for i, domain := range g.domains {
		if domain == "" {
			return nil, issue.New("rank_without_target", "", "rank %s of group %s has no target placement with a workspace on its device",
				g.ranks[i], g.spec.ID)
		}
	}
	return layOut()
}

func (b *builder) price(g *communicator, algorithm plan.Algorithm, bytes int64, x *cost.Exchange, signature string) (ringCost, error) {
	links := b.fabric.LinkIDs(x)
	var ns int64
	var err error
	switch {
	case !b.model.HasCurves:
		ns, err = b.fabric.ExchangeNs(x)
	case len(links) > 0:
		ns, err = b.model.TransportNs(&cost.CurveKey{
			ScenarioID: b.machine.spec.ID, Operation: cost.CollectiveOperation, Algorithm: string(algorithm),
			ParticipantCount: int64(len(g.ranks)), LinkIDs: links, TrafficSignature: signature,
		}, bytes)
	}
	return ringCost{links: links, ns: ns}, err
}

func (b *builder) collective(g *communicator, algorithm plan.Algorithm, priced ringCost, after []int64, reads []string) (int64, error) {
	group := b.groupIndex(g)
	sequence := b.sequences[group]
	b.sequences[group]++
	return b.add(after, g.ranks, reads, nil, plan.Operation{
		Kind: plan.Collective, GroupID: g.spec.ID, CommSequenceID: sequence,
		Algorithm: algorithm, LinkIDs: priced.links, DurationNs: priced.ns,
	})
}

func (b *builder) groupIndex(g *communicator) int {
	for i := range b.machine.groups {
		if &b.machine.groups[i] == g {
			return i
		}
	}
	return -1
}
