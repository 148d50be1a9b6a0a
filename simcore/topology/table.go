package topology

import (
	"strconv"
	"strings"
)

// Table is one part of a scenario as text cells for a terminal or a page.
type Table struct {
	Title   string
	Columns []string // headings with units
	Rows    [][]string
}

// Tables lists the scenario's parts for reading: memory with its reservations,
// devices, links, network resources when there are any, and placements.
func (s *Scenario) Tables() []Table {
	tables := []Table{s.memoryTable(), s.deviceTable(), s.linkTable()}
	if len(s.spec.NetworkResources) > 0 {
		tables = append(tables, s.networkTable())
	}
	return append(tables, s.placementTable())
}

func (s *Scenario) memoryTable() Table {
	t := Table{Title: "Memory", Columns: []string{"domain", "node", "kind", "installed", "limit", "reserved", "free", "bandwidth", "latency (ns)"}}
	for _, e := range s.Ledger() {
		d := s.Domain(e.DomainID)
		limit := GiB(e.CapacityBytes)
		if !e.Enabled {
			limit = "off"
		}
		t.Rows = append(t.Rows, []string{d.ID, d.NodeID, string(d.Kind), GiB(e.PhysicalCapacityBytes), limit, GiB(e.ReservedBytes),
			GiB(e.FreeBytes), GBps(d.BandwidthBytesPerSec), strconv.FormatInt(d.LatencyNs, 10)})
	}
	return t
}

func (s *Scenario) deviceTable() Table {
	t := Table{Title: "Devices", Columns: []string{"device", "node", "kind", "lanes", "provider", "compute", "capabilities", "memory"}}
	for i := range s.spec.Devices {
		d := &s.spec.Devices[i]
		compute := d.ComputeProfileID
		if d.HasCustomPeaks {
			compute = "custom"
		}
		t.Rows = append(t.Rows, []string{d.ID, d.NodeID, string(d.Kind), strconv.FormatInt(d.MaxConcurrentCompute, 10),
			d.ExecutionProvider, compute, strings.Join(list(d.Capabilities), " "), strings.Join(d.MemoryDomainIDs, " ")})
	}
	return t
}

func (s *Scenario) linkTable() Table {
	t := Table{Title: "Links", Columns: []string{"link", "from", "to", "kind", "bandwidth", "latency (ns)", "lanes", "transport", "through"}}
	for i := range s.spec.Links {
		l := &s.spec.Links[i]
		rate, latency := s.LinkRate(i)
		t.Rows = append(t.Rows, []string{l.ID, l.SourceDomainID, l.TargetDomainID, string(l.Kind), GBps(rate),
			strconv.FormatInt(latency, 10), strconv.FormatInt(l.ConcurrencyLanes, 10), string(l.Transport), strings.Join(l.NetworkResourceIDs, " ")})
	}
	return t
}

func (s *Scenario) networkTable() Table {
	t := Table{Title: "Network", Columns: []string{"resource", "node", "kind", "bandwidth", "latency (ns)", "lanes", "transports", "direct memory"}}
	for i := range s.spec.NetworkResources {
		r := &s.spec.NetworkResources[i]
		t.Rows = append(t.Rows, []string{r.ID, r.NodeID, string(r.Kind), GBps(r.BandwidthBytesPerSec), strconv.FormatInt(r.LatencyNs, 10),
			strconv.FormatInt(r.ConcurrencyLanes, 10), strings.Join(list(r.SupportedTransports), " "), strings.Join(r.DirectMemoryDomainIDs, " ")})
	}
	return t
}

func (s *Scenario) placementTable() Table {
	t := Table{Title: "Placements", Columns: []string{"partition", "device", "allocation", "domain", "class", "purpose", "size"}}
	for i := range s.spec.Placements {
		p := &s.spec.Placements[i]
		for j := range p.Allocations {
			a := &p.Allocations[j]
			t.Rows = append(t.Rows, []string{p.PartitionID, p.DeviceID, a.PhysicalAllocationID, a.DomainID, string(a.AllocationClass), string(a.Purpose), GiB(a.Bytes)})
		}
	}
	return t
}

// GiB spells a number of bytes for people, in GiB with at most three decimals.
func GiB(bytes int64) string { return decimals(float64(bytes)/bytesPerGiB) + " GiB" }

// GBps spells a rate for people, in 10^9 bytes per second with at most three
// decimals.
func GBps(bytesPerSecond int64) string { return decimals(float64(bytesPerSecond)/bytesPerGB) + " GB/s" }

func decimals(f float64) string {
	s := strconv.FormatFloat(f, 'f', 3, 64)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}
