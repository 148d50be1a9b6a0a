package cost

import (
	"math"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// Exchange is a collective broken into phases that run one after another. In
// every phase each rank sends at most one message to one neighbour.
type Exchange struct {
	Phases []Phase
}

// Phase is one round of messages, repeated Times times in a row.
type Phase struct {
	Messages []Message
	Times    int64
}

// Message is one routed transfer of a phase.
type Message struct {
	Links []int32 // indices into the scenario's links, in route order
	Bytes int64
}

// RingAllReduce lays out an all_reduce_ring of the given bytes over the memory
// domains of a communicator's ranks, in rank order (contract 06 section 10.1):
// 2(N - 1) equal phases in which every rank sends max(1, ceil(bytes / N)) to the
// next. It needs at least two ranks.
func (f *Fabric) RingAllReduce(domains []string, bytes int64) (*Exchange, error) {
	n := len(domains)
	share := max(1, CeilShare(bytes, int64(n)))
	phase := Phase{Messages: make([]Message, 0, n), Times: 2 * int64(n-1)}
	for r := range domains {
		m, err := f.message(domains[r], domains[(r+1)%n], share)
		if err != nil {
			return nil, err
		}
		phase.Messages = append(phase.Messages, m)
	}
	return &Exchange{Phases: []Phase{phase}}, nil
}

// AllToAllV lays out a pairwise exchange of the matrix over the domains of a
// communicator's ranks (contract 06 section 10.1): in phase p every rank r sends
// its cell for rank (r + p + 1) mod N. Zero cells and the diagonal send nothing.
func (f *Fabric) AllToAllV(domains []string, traffic Matrix) (*Exchange, error) {
	n := len(domains)
	if err := traffic.validate(); err != nil {
		return nil, err
	}
	if len(traffic) != n {
		return nil, issue.New("matrix_shape", "", "a %d x %d traffic matrix for %d ranks", len(traffic), len(traffic), n)
	}
	x := &Exchange{Phases: make([]Phase, n-1)}
	for p := range x.Phases {
		phase := Phase{Times: 1}
		for r := range domains {
			to := (r + p + 1) % n
			bytes := traffic[r][to]
			if bytes == 0 {
				continue
			}
			m, err := f.message(domains[r], domains[to], bytes)
			if err != nil {
				return nil, err
			}
			phase.Messages = append(phase.Messages, m)
		}
		x.Phases[p] = phase
	}
	return x, nil
}

// Spread is the traffic of an all_to_all_v of which only the total is known: the
// off-diagonal cells, row by row, share the bytes evenly and the first of them
// take one more until the remainder is used up.
func Spread(ranks int, bytes int64) Matrix {
	m := NewMatrix(ranks)
	cells := int64(ranks) * int64(ranks-1)
	each, rest := bytes/cells, bytes%cells
	for r := range m {
		for c := range m[r] {
			if r == c {
				continue
			}
			m[r][c] = each
			if rest > 0 {
				m[r][c]++
				rest--
			}
		}
	}
	return m
}

func (f *Fabric) message(source, target string, bytes int64) (Message, error) {
	if source == target {
		return Message{}, issue.New("shared_domain", "",
			"ranks with memory in domain %s and domain %s cannot exchange over links: they share it", source, target)
	}
	links, err := f.Route(source, target, bytes)
	return Message{Links: links, Bytes: bytes}, err
}

// LinkIDs is the union of the links that an exchange uses, in order of first use
// (contract 06 section 10.1): what the collective reserves.
func (f *Fabric) LinkIDs(x *Exchange) []string {
	ids := make([]string, 0, 8)
	f.load.next()
	for i := range x.Phases {
		for _, m := range x.Phases[i].Messages {
			for _, link := range m.Links {
				if f.load.touchLink(link) {
					ids = append(ids, f.LinkID(link))
				}
			}
		}
	}
	return ids
}

// ExchangeNs is the uncalibrated duration of a collective (contract 06 section
// 10.2): the sum over phases of the longest of any path, the accumulated service
// of any link, and the accumulated service of any NIC or switch.
func (f *Fabric) ExchangeNs(x *Exchange) (int64, error) {
	var total int64
	for i := range x.Phases {
		p := &x.Phases[i]
		one, err := f.phaseNs(p)
		if err != nil {
			return 0, err
		}
		all, err := quantity.Mul(one, p.Times)
		if err != nil {
			return 0, tooLong()
		}
		if total, err = quantity.Add(total, all); err != nil {
			return 0, tooLong()
		}
	}
	return total, nil
}

func tooLong() error {
	return issue.New("overflow", "", "the duration of a collective is not a safe integer")
}

func (f *Fabric) phaseNs(p *Phase) (int64, error) {
	var longest int64
	f.load.next()
	for _, m := range p.Messages {
		var path int64
		for _, link := range m.Links {
			ns, err := f.LinkNs(link, m.Bytes)
			if err != nil {
				return 0, err
			}
			if path, err = quantity.Add(path, ns); err != nil {
				return 0, tooLong()
			}
			busy, err := f.load.addLink(link, ns)
			if err != nil {
				return 0, err
			}
			longest = max(longest, busy)
			if busy, err = f.addResources(link, m.Bytes); err != nil {
				return 0, err
			}
			longest = max(longest, busy)
		}
		longest = max(longest, path)
	}
	return longest, nil
}

// addResources charges a message to every NIC and switch of a link and returns
// the busiest of them.
func (f *Fabric) addResources(link int32, bytes int64) (int64, error) {
	var busiest int64
	for _, resource := range f.resources[link] {
		ns, err := f.resourceNs(resource, bytes)
		if err != nil {
			return 0, err
		}
		busy, err := f.load.addResource(resource, ns)
		if err != nil {
			return 0, err
		}
		busiest = max(busiest, busy)
	}
	return busiest, nil
}

// loadSums accumulates service per link and per resource for one phase at a
// time; a round counter makes the reset of a large fabric free.
type loadSums struct {
	round               uint32
	linkRound, resRound []uint32
	linkNs, resNs       []int64
}

func newLoadSums(links, resources int) loadSums {
	return loadSums{
		linkRound: make([]uint32, links), linkNs: make([]int64, links),
		resRound: make([]uint32, resources), resNs: make([]int64, resources),
	}
}

func (l *loadSums) next() {
	if l.round == math.MaxUint32 {
		clear(l.linkRound)
		clear(l.resRound)
		l.round = 0
	}
	l.round++
}

// touchLink reports the first mention of a link in this round.
func (l *loadSums) touchLink(link int32) bool {
	if l.linkRound[link] == l.round {
		return false
	}
	l.linkRound[link], l.linkNs[link] = l.round, 0
	return true
}

func (l *loadSums) addLink(link int32, ns int64) (int64, error) {
	l.touchLink(link)
	return accumulate(&l.linkNs[link], ns)
}

func (l *loadSums) addResource(resource int32, ns int64) (int64, error) {
	if l.resRound[resource] != l.round {
		l.resRound[resource], l.resNs[resource] = l.round, 0
	}
	return accumulate(&l.resNs[resource], ns)
}

func accumulate(sum *int64, ns int64) (int64, error) {
	total, err := quantity.Add(*sum, ns)
	if err != nil {
		return 0, tooLong()
	}
	*sum = total
	return total, nil
}
