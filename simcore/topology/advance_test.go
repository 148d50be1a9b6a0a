package topology

import (
	"strings"
	"testing"
)

func TestAdvance(t *testing.T) {
	simple := built(t)(LAN(3, LANOptions{BandwidthBytesPerSec: 3 * gB, LatencyNs: NoLatency, LinkConcurrencyLanes: 5}))
	s := built(t)(Advance(simple))
	if len(s.Spec().NetworkResources) != 4 || s.ID() != simple.ID() {
		t.Fatalf("the LAN has %d network resources", len(s.Spec().NetworkResources))
	}
	l := s.Link("lan:node2:node0")
	if l.BandwidthBytesPerSec != 3*gB || l.LatencyNs != 0 || l.ConcurrencyLanes != 5 || l.Transport != TCP ||
		strings.Join(l.NetworkResourceIDs, " ") != "node2:nic0 lan:fabric0 node0:nic0" {
		t.Errorf("the link is %+v", l)
	}
	if again := built(t)(Advance(s)); again != s {
		t.Error("an advanced LAN changes")
	}
	preset := built(t)(Preset("multi-node")) // declares no transport
	if got := built(t)(Advance(preset)); got != preset {
		t.Error("a network without a transport changes")
	}
}

func TestCheckFree(t *testing.T) {
	s := built(t)(Preset("rtx-4090-desktop"))
	if err := CheckFree(s.Ledger()); err != nil {
		t.Error(err)
	}
	entries, err := s.LedgerWith(map[string]int64{"target-weights": 20 * giB})
	if err != nil {
		t.Fatal(err)
	}
	err = CheckFree(entries)
	if want := "memory ledger: 1 issue: [ledger_over_limit] memoryDomains.desktop:rtx4090:vram: reservations of 32480690176 bytes exceed the limit of 23622320128 bytes"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}
