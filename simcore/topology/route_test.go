package topology

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferlab/inferlab/simcore/quantity"
	"pgregory.net/rapid"
)

// graph is a scenario of host domains on one node each and the links given as
// "id source target bandwidth latency [resource…]"; domains in capitals offer
// pinned memory.
func graph(domains string, links ...string) Spec {
	s := assemble("graph", Custom).Spec
	for _, id := range strings.Fields(domains) {
		classes := []AllocationClass{Pageable}
		if id == strings.ToUpper(id) {
			classes = append(classes, Pinned)
		}
		s.MemoryDomains = append(s.MemoryDomains, MemoryDomain{ID: id, NodeID: "n", Kind: HostMemory,
			CapacityBytes: 1, ResourceLimitBytes: 1, BandwidthBytesPerSec: 1, AllocationClasses: classes,
			Governor: Governor{Kind: HostGovernor, NodeID: "n"}, Provenance: builtIn()})
	}
	for _, text := range links {
		l := Link{Kind: OnChip, ConcurrencyLanes: 1, Provenance: builtIn()}
		fmt.Sscan(text, &l.ID, &l.SourceDomainID, &l.TargetDomainID, &l.BandwidthBytesPerSec, &l.LatencyNs)
		l.NetworkResourceIDs = strings.Fields(text)[5:]
		s.Links = append(s.Links, l)
	}
	return s
}

// resource adds a switch.
func resource(s Spec, id string, bandwidth, latency int64) Spec {
	s.NetworkResources = append(s.NetworkResources, NetworkResource{ID: id, Kind: Switch, BandwidthBytesPerSec: bandwidth,
		LatencyNs: latency, ConcurrencyLanes: 1, Provenance: builtIn()})
	return s
}

func TestRoute(t *testing.T) {
	diamond := graph("a b C d", "ab a b 1000000000 0", "bd b d 1000000000 0", "aC a C 1000000000 5", "Cd C d 1000000000 5", "ad a d 100000000 0")
	for _, c := range []struct {
		name           string
		spec           Spec
		source, target string
		bytes          int64
		staged         bool
		want           string // links and duration, or "none"
	}{
		{"cheapest of three", diamond, "a", "d", 1000, false, "ab bd 2000"},
		{"direct when small", diamond, "a", "d", 1, false, "ab bd 2"},
		{"staged", diamond, "a", "d", 1000, true, "aC Cd 2010"},
		{"same domain", diamond, "a", "a", 5, false, " 0"},
		{"same domain staged", diamond, "a", "a", 5, true, "none"},
		{"nothing to move", diamond, "a", "d", 0, false, "none"},
		{"negative", diamond, "a", "d", -1, false, "none"},
		{"too much", diamond, "a", "d", quantity.MaxSafe + 1, false, "none"},
		{"unknown", diamond, "a", "z", 1, false, "none"},
		{"unknown itself", diamond, "z", "z", 1, false, " 0"},
		{"against the arrows", diamond, "d", "a", 1, false, "none"},
		{"pinned ends do not count", graph("A B", "x A B 1000000000 0"), "A", "B", 1, true, "none"},
		{"61 MiB at 4 GB/s", graph("a b", "x a b 4000000000 0"), "a", "b", 61 * miB, false, "x 15990785"},
		{"size decides", graph("a b", "fast a b 100000000000 10000", "near a b 1000000000 10"), "a", "b", 1000, false, "near 1010"},
		{"size decides otherwise", graph("a b", "fast a b 100000000000 10000", "near a b 1000000000 10"), "a", "b", 1_000_000, false, "fast 20000"},
		{"ties by id, code units", graph("a b", "gpu1: a b 1000000000 0", "gpu10: a b 1000000000 0"), "a", "b", 7, false, "gpu10: 7"},
		{"ties by tuple, not by hops", graph("a b c", "z a c 1000000000 7", "y a b 1000000000 0", "x b c 1000000000 0"), "a", "c", 7, false, "y x 14"},
		{"tuple of two against a longer first id", graph("a b c", "a! a c 1000000000 7", "a a b 1000000000 0", "z b c 1000000000 0"), "a", "c", 7, false, "a z 14"},
		{"a NIC slows the link", resource(graph("a b c", "direct a b 4000000000 0 nic", "ac a c 2000000000 0", "cb c b 2000000000 0"), "nic", 500_000_000, 3), "a", "b", 1000, false, "ac cb 1000"},
		{"a fast NIC does not", resource(graph("a b", "direct a b 4000000000 7 nic"), "nic", 9_000_000_000, 3), "a", "b", 1000, false, "direct 260"},
		{"duration beyond safe integers", graph("a b", "slow a b 1 0"), "a", "b", 1 << 40, false, "none"},
		{"the cheap way to the relay passes the target", graph("s t P", "st s t 1000000000 0", "tP t P 1000000000 0", "sP s P 100000000 0", "Pt P t 1000000000 0"), "s", "t", 10, true, "sP Pt 110"},
		{"the cheap prefix blocks the way", graph("s a P t", "sa s a 1000000000 0", "aP a P 1000000000 0", "sP s P 1000000000 90", "Pa P a 1000000000 0", "at a t 1000000000 0"), "s", "t", 10, true, "sP Pa at 120"},
	} {
		s, err := New(c.spec)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := "none"
		if r, ok := s.Route(c.source, c.target, c.bytes, c.staged); ok {
			got = fmt.Sprint(strings.Join(r.LinkIDs, " "), " ", r.DurationNs)
			checkRoute(t, s, r, c.source, c.target, c.bytes)
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// checkRoute proves a route a simple path with the sum of its links' durations.
func checkRoute(t interface{ Errorf(string, ...any) }, s *Scenario, r Route, source, target string, bytes int64) {
	if len(r.DomainIDs) != len(r.LinkIDs)+1 || len(r.Links) != len(r.LinkIDs) || r.DomainIDs[0] != source || r.DomainIDs[len(r.DomainIDs)-1] != target {
		t.Errorf("route %v from %s to %s has another shape", r, source, target)
		return
	}
	var sum int64
	for i, at := range r.Links {
		l := &s.Spec().Links[at]
		d, ok := s.LinkDuration(at, bytes)
		sum += d
		if !ok || l.ID != r.LinkIDs[i] || l.SourceDomainID != r.DomainIDs[i] || l.TargetDomainID != r.DomainIDs[i+1] {
			t.Errorf("link %d of route %v does not join its domains", i, r)
		}
		if slices.Contains(r.DomainIDs[:i+1], r.DomainIDs[i+1]) {
			t.Errorf("route %v visits %s twice", r, r.DomainIDs[i+1])
		}
	}
	if sum != r.DurationNs {
		t.Errorf("route %v lasts %d", r, sum)
	}
}

// randomGraph draws up to seven domains and up to sixteen links, with few
// distinct rates so that ties are common.
func randomGraph(t *rapid.T) Spec {
	names := rapid.SampledFrom([]string{"a b c D", "a B c D e", "a b c d E F g", "A B C"}).Draw(t, "domains")
	domains := strings.Fields(names)
	n := rapid.IntRange(1, 16).Draw(t, "links")
	var links []string
	for i := range n {
		from := rapid.SampledFrom(domains).Draw(t, "from")
		to := rapid.SampledFrom(domains).Draw(t, "to")
		if from == to {
			continue
		}
		text := fmt.Sprintf("l%d %s %s %d %d", (i*7)%n, from, to,
			rapid.SampledFrom([]int64{1, 1_000_000_000, 2_000_000_000}).Draw(t, "rate"), rapid.SampledFrom([]int64{0, 1, 10, 1 << 52}).Draw(t, "latency"))
		if rapid.Bool().Draw(t, "through") {
			text += " nic"
		}
		if !slices.ContainsFunc(links, func(l string) bool { return strings.Fields(l)[0] == strings.Fields(text)[0] }) {
			links = append(links, text)
		}
	}
	return resource(graph(names, links...), "nic", rapid.SampledFrom([]int64{1_000_000_000, 3_000_000_000}).Draw(t, "nic"), rapid.Int64Range(0, 3).Draw(t, "wait"))
}

// bestPath tries every simple path, in the words of contract 02 section 7.2.
func bestPath(s *Scenario, source, target string, bytes int64, staged bool) (ids []string, best int64, ok bool) {
	best = math.MaxInt64
	var walk func(at string, visited []string, path []string, cost int64, pinned bool)
	walk = func(at string, visited, path []string, cost int64, pinned bool) {
		if at == target {
			if (staged && !pinned) || cost > best || (cost == best && slices.CompareFunc(path, ids, quantity.CompareIDs) >= 0) {
				return
			}
			ids, best, ok = slices.Clone(path), cost, true
			return
		}
		for i := range s.Spec().Links {
			l := &s.Spec().Links[i]
			if l.SourceDomainID != at || slices.Contains(visited, l.TargetDomainID) {
				continue
			}
			rate, wait := l.BandwidthBytesPerSec, l.LatencyNs
			for _, id := range l.NetworkResourceIDs {
				rate, wait = min(rate, s.NetworkResource(id).BandwidthBytesPerSec), wait+s.NetworkResource(id).LatencyNs
			}
			service := math.Ceil(float64(bytes) / float64(rate) * 1e9)
			total := float64(cost) + float64(wait) + service
			if wait > quantity.MaxSafe || service > float64(quantity.MaxSafe) || total > float64(quantity.MaxSafe) {
				continue
			}
			walk(l.TargetDomainID, append(visited, l.TargetDomainID), append(path, l.ID), cost+wait+int64(service),
				pinned || (l.TargetDomainID != target && s.Domain(l.TargetDomainID).Offers(Pinned)))
		}
	}
	walk(source, []string{source}, nil, 0, false)
	return ids, best, ok
}

func TestRouteEqualsBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := New(randomGraph(t))
		if err != nil {
			t.Fatal(err)
		}
		bytes := rapid.SampledFrom([]int64{1, 2, 1000, 1 << 40}).Draw(t, "bytes")
		staged := rapid.Bool().Draw(t, "staged")
		for i := range s.Spec().MemoryDomains {
			for j := range s.Spec().MemoryDomains {
				source, target := s.Spec().MemoryDomains[i].ID, s.Spec().MemoryDomains[j].ID
				if source == target {
					continue
				}
				ids, duration, want := bestPath(s, source, target, bytes, staged)
				r, ok := s.Route(source, target, bytes, staged)
				if ok != want || (ok && (r.DurationNs != duration || !slices.Equal(r.LinkIDs, ids))) {
					t.Fatalf("from %s to %s, %d bytes, staged %t: got %v %t, want %v %d %t", source, target, bytes, staged, r, ok, ids, duration, want)
				}
				if ok {
					checkRoute(t, s, r, source, target, bytes)
				}
			}
		}
	})
}

// Remembering routes, and forgetting them, changes no answer.
func TestRoutesAreRememberedUnchanged(t *testing.T) {
	s := built(t)(Ring(8))
	fresh := func(bytes int64) Route {
		r, _ := s.Fork().Route("node0:gpu0:vram", "node0:gpu4:vram", bytes, true)
		return r
	}
	for bytes := int64(1); bytes < 3*mostSizes; bytes += 7 {
		for range 2 {
			r, ok := s.Route("node0:gpu0:vram", "node0:gpu4:vram", bytes, true)
			if want := fresh(bytes); !ok || !cmp.Equal(r, want) {
				t.Fatalf("%d bytes: %s", bytes, cmp.Diff(r, want))
			}
			s.Route("node0:gpu0:vram", "node0:gpu4:vram", bytes, false)
		}
	}
	if len(s.router.duration) > mostSizes+1 || s.router.size > mostReached+100 || len(s.router.staged) > mostStaged+1 {
		t.Errorf("the router remembers %d sizes, %d domains, %d staged routes", len(s.router.duration), s.router.size, len(s.router.staged))
	}
}

// Routes of one source share room; none of them changes when others are asked for,
// in whatever order, and a caller that appends to one disturbs no other.
func TestRoutesShareNoChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := New(randomGraph(t))
		if err != nil {
			t.Fatal(err)
		}
		domains := s.Spec().MemoryDomains
		pick := rapid.IntRange(0, len(domains)-1)
		type asked struct{ got, want Route }
		var all []asked
		for range rapid.IntRange(1, 40).Draw(t, "questions") {
			source, target := domains[pick.Draw(t, "source")].ID, domains[pick.Draw(t, "target")].ID
			got, ok := s.Route(source, target, 1000, false)
			want, alone := s.Fork().Route(source, target, 1000, false)
			if ok != alone {
				t.Fatalf("%s to %s: %v, alone %v", source, target, ok, alone)
			}
			_ = append(got.DomainIDs, "x")
			_ = append(got.LinkIDs, "x")
			_ = append(got.Links, -1)
			all = append(all, asked{got, want})
		}
		for _, a := range all {
			if !cmp.Equal(a.got, a.want) {
				t.Errorf("a route changed: %s", cmp.Diff(a.got, a.want))
			}
		}
	})
}
