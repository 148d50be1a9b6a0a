package topology

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/simcore/canonical"
	"pgregory.net/rapid"
)

// randomMachine draws a built-in machine, a ring, a LAN with random options, or an
// edit of one: random valid topologies.
func randomMachine(t *rapid.T) *Scenario {
	var s *Scenario
	var err error
	switch rapid.IntRange(0, 2).Draw(t, "source") {
	case 0:
		s, err = Preset(rapid.SampledFrom(TargetNames()).Draw(t, "preset"))
	case 1:
		s, err = Ring(rapid.IntRange(MinRing, 9).Draw(t, "gpus"))
	case 2:
		o := LANOptions{Advanced: rapid.Bool().Draw(t, "advanced"), LinkKind: rapid.SampledFrom([]LinkKind{Ethernet, InfiniBand}).Draw(t, "kind"),
			BandwidthBytesPerSec: rapid.Int64Range(1e6, 1e12).Draw(t, "rate"), LatencyNs: rapid.Int64Range(0, 1e6).Draw(t, "latency")}
		o.Transport = rapid.SampledFrom([]Transport{"", TCP, RDMAHost, GPUDirectRDMA}).Draw(t, "transport")
		if o.Transport == GPUDirectRDMA {
			o.Advanced = true
		}
		s, err = LAN(rapid.IntRange(MinLAN, MaxLAN).Draw(t, "systems"), o)
	}
	if err == nil && rapid.Bool().Draw(t, "edit") {
		d := s.Spec().MemoryDomains[0]
		s, err = s.With(MemoryLatencyNs(d.ID, rapid.Int64Range(0, 1e6).Draw(t, "memory latency")), SSDStreaming(rapid.Bool().Draw(t, "ssd")))
	}
	if err != nil {
		t.Fatalf("a random machine is refused: %v", err)
	}
	return s
}

// mutation spoils one item; want is one of the refusals it must give.
type mutation struct {
	edit edit
	want string
}

// randomMutation draws an item of the document and a way to spoil it.
func randomMutation(t *rapid.T, s *Scenario) mutation {
	collection := rapid.SampledFrom([]string{"memoryDomains", "devices", "links", "placements"}).Draw(t, "collection")
	items := map[string]int{"memoryDomains": len(s.spec.MemoryDomains), "devices": len(s.spec.Devices), "links": len(s.spec.Links), "placements": len(s.spec.Placements)}
	i := rapid.IntRange(0, items[collection]-1).Draw(t, "item")
	item := fmt.Sprintf("%s[%d]", collection, i)
	set := func(field string, value any, code string) mutation {
		return mutation{edit{item + field, value}, code + "@" + item + field}
	}
	ways := []mutation{
		{edit{item + ".surprise", 1}, "unknown_key@" + item},
		{edit{item, nil}, "type@" + item},
	}
	switch collection {
	case "memoryDomains":
		ways = append(ways, set(".kind", "dram", "enum_value"), set(".bandwidthBytesPerSec", 0, "positive_integer"), set(".latencyNs", -1, "non_negative_integer"),
			set(".capacityBytes", "1", "type"), set(".coherent", absent{}, "missing"), set(".governor.kind", "x", "governor_kind"),
			mutation{edit{item + ".capacityBytes", s.spec.MemoryDomains[i].ResourceLimitBytes - 1}, "resource_limit@" + item + ".resourceLimitBytes"},
			set(".provenance.confidence", "sure", "enum_value"), set(".accessibleBy", added{"ghost"}, "unknown_device"), set(".id", "", "type"))
	case "devices":
		ways = append(ways, set(".kind", "tpu", "enum_value"), set(".maxConcurrentCompute", 0.5, "positive_integer"), set(".memoryDomainIds", added{"void"}, "unknown_domain"),
			set(".computeProfileId", "abacus", "unknown_compute_profile"), set(".capabilities", added{""}, "duplicate_value"), set(".provenance.source", "", "type"),
			set(".memoryDomainIds", []any{}, "no_memory"), set(".executionProvider", nil, "type"))
	case "links":
		l := &s.spec.Links[i]
		ways = append(ways, set(".kind", "rope", "enum_value"), set(".latencyNs", 1.5, "non_negative_integer"), set(".concurrencyLanes", -1, "positive_integer"),
			set(".sourceDomainId", "void", "unknown_domain"), set(".networkResourceIds", []any{"ghost"}, "unknown_network_resource"), set(".bandwidthBytesPerSec", 9007199254740992.0, "positive_integer"),
			mutation{edit{item + ".targetDomainId", l.SourceDomainID}, "self_link@" + item}, set(".id", absent{}, "missing"), set(".transport", "", "type"))
	case "placements":
		ways = append(ways, set(".deviceId", "ghost", "unknown_device"), set(".requiredCapabilities", added{"dream"}, "missing_capability"),
			set(".allocations[0].bytes", 0, "positive_integer"), set(".allocations[0].domainId", "void", "unknown_domain"), set(".allocations[0].purpose", "fun", "enum_value"),
			set(".allocations[0].allocationClass", "slab", "unsupported_allocation_class"), set(".sharedAllocationIds", []any{"ghost"}, "unknown_allocation"),
			set(".allocations[0].purpose", absent{}, "missing"))
	}
	return rapid.SampledFrom(ways).Draw(t, "way")
}

func TestRandomMutationsAreRefused(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := randomMachine(rt)
		m := randomMutation(rt, s)
		got, err := verdict(t, s, m.edit)
		for _, one := range strings.Split(got, " ") {
			if one == m.want {
				return
			}
		}
		rt.Fatalf("%v gives %q (%v), want %s", m.edit, got, err, m.want)
	})
}

func TestRandomMachinesRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := randomMachine(rt)
		checkRoundTrip(rt, s)
		if _, err := canonical.Text(s.Projection().Object()); err != nil {
			rt.Fatal(err)
		}
	})
}
