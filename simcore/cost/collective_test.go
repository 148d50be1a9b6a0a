package cost_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
	"pgregory.net/rapid"
)

// ranks lists the workspace domains of a ring's devices in rank order.
func ranks(s *topology.Scenario) []string {
	var domains []string
	for _, r := range s.Spec().Groups[0].OrderedRanks {
		p := s.Spec().Placements
		for i := range p {
			if p[i].DeviceID != r.DeviceID {
				continue
			}
			for _, a := range p[i].Allocations {
				if a.Purpose == topology.Workspace && len(domains) < len(s.Spec().Groups[0].OrderedRanks) {
					domains = append(domains, a.DomainID)
				}
			}
		}
	}
	return domains
}

func service(bytes, bandwidth int64) int64 {
	ns, _ := quantity.ServiceNs(bytes, bandwidth)
	return ns
}

// On n equal links a ring takes 2(n - 1) times the duration of one share.
func TestRingClosedForm(t *testing.T) {
	for n := 2; n <= 16; n++ {
		s, err := topology.Ring(n)
		if err != nil {
			t.Fatal(err)
		}
		f := cost.NewFabric(s)
		domains := ranks(s)
		for _, bytes := range []int64{1, 3, 524288, 524289, 100_000_007} {
			x, err := f.RingAllReduce(domains, bytes)
			if err != nil {
				t.Fatal(err)
			}
			got, err := f.ExchangeNs(x)
			if err != nil {
				t.Fatal(err)
			}
			link := s.Link(f.LinkIDs(x)[0])
			share := (bytes + int64(n) - 1) / int64(n)
			want := 2 * int64(n-1) * (link.LatencyNs + service(share, link.BandwidthBytesPerSec))
			if got != want {
				t.Errorf("%d ranks, %d bytes: got %d ns, want %d", n, bytes, got, want)
			}
			if len(f.LinkIDs(x)) != n {
				t.Errorf("%d ranks use %d links", n, len(f.LinkIDs(x)))
			}
		}
	}
}

func TestRingOfTwoWorkedExample(t *testing.T) {
	s, err := topology.Preset("multi-gpu")
	if err != nil {
		t.Fatal(err)
	}
	f := cost.NewFabric(s)
	x, err := f.RingAllReduce(ranks(s), 524288)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.ExchangeNs(x); err != nil || got != 1874 {
		t.Errorf("got %d (%v), want 2 x (500 + 437)", got, err)
	}
	if d := cmp.Diff([]string{"node0:nvlink:forward", "node0:nvlink:reverse"}, f.LinkIDs(x)); d != "" {
		t.Error(d)
	}
}

// In phase p of an all-to-all on a ring every message crosses p + 1 links, and
// every link serves p + 1 messages: both bounds are (p + 1) links long.
func TestAllToAllOnARingClosedForm(t *testing.T) {
	const n, bytes = 4, int64(1 << 20)
	s, err := topology.Ring(n)
	if err != nil {
		t.Fatal(err)
	}
	f := cost.NewFabric(s)
	domains := ranks(s)
	one := cost.NewMatrix(n)
	one[0][1] = bytes
	x, err := f.AllToAllV(domains, one)
	if err != nil {
		t.Fatal(err)
	}
	link := s.Link(f.LinkIDs(x)[0])
	hop := link.LatencyNs + service(bytes, link.BandwidthBytesPerSec)
	if got, err := f.ExchangeNs(x); err != nil || got != hop {
		t.Errorf("one message to the neighbour: got %d (%v), want %d", got, err, hop)
	}
	full := cost.NewMatrix(n)
	for r := range full {
		for c := range full[r] {
			full[r][c] = bytes
		}
	}
	x, err = f.AllToAllV(domains, full)
	if err != nil {
		t.Fatal(err)
	}
	var want int64
	for p := range x.Phases {
		longest := int64(0)
		for _, m := range x.Phases[p].Messages {
			longest = max(longest, int64(len(m.Links)))
		}
		want += phaseByHand(s, x.Phases[p])
		if longest < 1 || len(x.Phases[p].Messages) != n {
			t.Errorf("phase %d has %d messages of at most %d links", p, len(x.Phases[p].Messages), longest)
		}
	}
	if got, err := f.ExchangeNs(x); err != nil || got != want {
		t.Errorf("full exchange: got %d (%v), want %d", got, err, want)
	}
}

// phaseByHand is the phase rule in its plainest form: maxima over maps.
func phaseByHand(s *topology.Scenario, p cost.Phase) int64 {
	links := make(map[int32]int64)
	resources := make(map[string]int64)
	var longest int64
	for _, m := range p.Messages {
		var path int64
		for _, at := range m.Links {
			ns, _ := s.LinkDuration(int(at), m.Bytes)
			path += ns
			links[at] += ns
			longest = max(longest, links[at])
			for _, id := range s.Spec().Links[at].NetworkResourceIDs {
				r := s.NetworkResource(id)
				resources[id] += r.LatencyNs + service(m.Bytes, r.BandwidthBytesPerSec)
				longest = max(longest, resources[id])
			}
		}
		longest = max(longest, path)
	}
	return longest
}

// Three systems behind NICs and one switch: the path, the NIC that serves two
// messages and the switch that serves three compete.
func TestRingOverNICsAndSwitch(t *testing.T) {
	s, err := topology.LAN(3, topology.LANOptions{Advanced: true,
		BandwidthBytesPerSec: 12e9, LatencyNs: 8000, NICBandwidthBytesPerSec: 9e9, NICLatencyNs: 650,
		FabricBandwidthBytesPerSec: 20e9, FabricLatencyNs: 450})
	if err != nil {
		t.Fatal(err)
	}
	f := cost.NewFabric(s)
	x, err := f.RingAllReduce(ranks(s), 524288)
	if err != nil {
		t.Fatal(err)
	}
	const share = 174763
	var bus *topology.Link
	for i := range s.Spec().Links {
		if l := &s.Spec().Links[i]; l.Kind == topology.PCIe {
			bus = l
			break
		}
	}
	path := 2*(bus.LatencyNs+service(share, bus.BandwidthBytesPerSec)) + 8000 + 650 + 450 + 650 + service(share, 9e9)
	nic := 2 * (650 + service(share, 9e9))
	fabric := 3 * (450 + service(share, 20e9))
	if nic != 40138 || fabric != 27567 {
		t.Errorf("by hand: NIC %d, switch %d; the contract's example has 40138 and 27567", nic, fabric)
	}
	want := 4 * max(path, nic, fabric)
	if got, err := f.ExchangeNs(x); err != nil || got != want {
		t.Errorf("got %d (%v), want 4 x max(%d, %d, %d)", got, err, path, nic, fabric)
	}
}

func TestExchangeProperties(t *testing.T) {
	s, err := topology.LAN(4, topology.LANOptions{Advanced: true})
	if err != nil {
		t.Fatal(err)
	}
	f := cost.NewFabric(s)
	domains := ranks(s)
	rapid.Check(t, func(t *rapid.T) {
		m := cost.NewMatrix(len(domains))
		for r := range m {
			for c := range m[r] {
				m[r][c] = rapid.Int64Range(0, 1<<30).Draw(t, "bytes")
			}
		}
		x, err := f.AllToAllV(domains, m)
		if err != nil {
			t.Fatal(err)
		}
		var want int64
		for _, p := range x.Phases {
			want += phaseByHand(s, p)
		}
		if got, err := f.ExchangeNs(x); err != nil || got != want {
			t.Fatalf("got %d (%v), want %d", got, err, want)
		}
	})
}

func TestSpreadKeepsTheTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(t, "ranks")
		bytes := rapid.Int64Range(0, 1<<40).Draw(t, "bytes")
		var total, least, most int64 = 0, 1 << 62, 0
		for r, row := range cost.Spread(n, bytes) {
			for c, v := range row {
				if r == c {
					if v != 0 {
						t.Fatalf("rank %d sends %d bytes to itself", r, v)
					}
					continue
				}
				total, least, most = total+v, min(least, v), max(most, v)
			}
		}
		if total != bytes || most-least > 1 {
			t.Fatalf("%d bytes became %d, cells from %d to %d", bytes, total, least, most)
		}
	})
}

func TestSharedDomainIsRefused(t *testing.T) {
	s, err := topology.Preset("multi-gpu")
	if err != nil {
		t.Fatal(err)
	}
	domain := ranks(s)[0]
	_, err = cost.NewFabric(s).RingAllReduce([]string{domain, domain}, 100)
	if err == nil || strings.Count(err.Error(), domain) != 2 {
		t.Errorf("both domains must be named: %v", err)
	}
}

// The shortcut for dominant links gives what the search gives, at every size.
func TestRoutesAgreeWithTheSearch(t *testing.T) {
	var all []*topology.Scenario
	for _, name := range topology.PresetNames() {
		s, err := topology.Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	for _, o := range []topology.LANOptions{{}, {Advanced: true}, {LinkKind: topology.InfiniBand, Advanced: true, Transport: topology.GPUDirectRDMA}} {
		s, err := topology.LAN(3, o)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(all).Draw(t, "scenario")
		domains := s.Spec().MemoryDomains
		a := rapid.SampledFrom(domains).Draw(t, "source").ID
		b := rapid.SampledFrom(domains).Draw(t, "target").ID
		bytes := rapid.Int64Range(1, 1<<36).Draw(t, "bytes")
		got, err := cost.NewFabric(s).Route(a, b, bytes)
		want, ok := s.Route(a, b, bytes, false)
		if ok != (err == nil) {
			t.Fatalf("%s to %s: %v, search says %v", a, b, err, ok)
		}
		if err != nil {
			if !strings.Contains(err.Error(), a) || !strings.Contains(err.Error(), b) {
				t.Fatalf("both domains must be named: %v", err)
			}
			return
		}
		if len(got) != len(want.Links) {
			t.Fatalf("%s to %s: %v, search says %v", a, b, got, want.Links)
		}
		for i := range got {
			if int(got[i]) != want.Links[i] {
				t.Fatalf("%s to %s: %v, search says %v", a, b, got, want.Links)
			}
		}
	})
}
