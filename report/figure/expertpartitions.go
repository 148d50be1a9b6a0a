package figure

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

// ExpertPartitions shows what every partition of a cache holds at the end, as a
// share of its own capacity: hot owners first, then warm nodes, by id; partitions
// without capacity are left out. With HighWater a line marks the whole tier's
// highest extent where a tier has one partition (contract 09, V12).
type ExpertPartitions struct {
	Source
	Rows      []PartitionUse
	Evictions int64
}

// PartitionUse is one partition; extents in bytes.
type PartitionUse struct {
	Tier                                   trace.Tier
	ID                                     string
	CapacityBytes, ResidentBytes, Reserved int64
	HighWaterBytes                         int64    // of the tier, when this is its only partition; 0 otherwise
	ExpertIDs                              []string // least recently used first
}

func (p *PartitionUse) full() float64 { return share(p.ResidentBytes+p.Reserved, p.CapacityBytes) }

// Partitions reads a figure from a cache's final snapshot; the trace gives the ids.
func Partitions(src Source, tr *trace.Experts, s *trace.ExpertSnapshot) ExpertPartitions {
	f := ExpertPartitions{Source: src, Evictions: s.Metrics.Evictions}
	for tier, state := range []*trace.ExpertTierState{&s.Hot, &s.Warm} {
		high := []int64{s.Metrics.HighWaterHotBytes, s.Metrics.HighWaterWarmBytes}[tier]
		var rows []PartitionUse
		for _, p := range state.Partitions {
			u := PartitionUse{Tier: trace.Tier(tier), ID: p.ID, CapacityBytes: p.CapacityBytes, ResidentBytes: p.ResidentBytes, Reserved: p.ReservedBytes}
			if len(state.Partitions) == 1 {
				u.HighWaterBytes = high
			}
			for _, x := range p.Experts {
				u.ExpertIDs = append(u.ExpertIDs, tr.ExpertID(x))
			}
			rows = append(rows, u)
		}
		slices.SortStableFunc(rows, func(a, b PartitionUse) int { return quantity.CompareIDs(a.ID, b.ID) })
		f.Rows = append(f.Rows, rows...)
	}
	return f
}

// shown lists the partitions with capacity.
func (f ExpertPartitions) shown() []PartitionUse {
	return slices.DeleteFunc(slices.Clone(f.Rows), func(p PartitionUse) bool { return p.CapacityBytes == 0 })
}

// pressed is the fullness from which a partition is under pressure.
const pressed = 0.9

// Text gives the figure's words.
func (f ExpertPartitions) Text() Text {
	t := f.words()
	t.What = "Resident and reserved bytes of each partition at the end, as a share of its capacity"
	rows := f.shown()
	if len(rows) == 0 {
		t.Title, t.Empty = "No partition to show", "No partition of the expert cache has capacity."
		return t
	}
	fullest := 0
	var under []string
	for i := range rows {
		if rows[i].full() > rows[fullest].full() {
			fullest = i
		}
		if rows[i].full() >= pressed {
			under = append(under, fmt.Sprintf("%s %s (%s)", rows[i].Tier, brief(rows[i].ID), unit.Percent(rows[i].full())))
		}
	}
	r := &rows[fullest]
	t.Title = fmt.Sprintf("The %s partition %s ends %s full", r.Tier, brief(r.ID), unit.Percent(r.full()))
	if len(rows) > 1 && r.full() == rows[0].full() && fullest == 0 && allAs(rows, r.full()) {
		t.Title = fmt.Sprintf("Every partition ends %s full", unit.Percent(r.full()))
	}
	t.Alt = fmt.Sprintf("Of %s with capacity, the fullest, %s %s, ends with %s of %s resident or reserved (%s).", unit.Plural(int64(len(rows)), "partition"),
		r.Tier, brief(r.ID), unit.Bytes(float64(r.ResidentBytes+r.Reserved)), unit.Bytes(float64(r.CapacityBytes)), unit.Percent(r.full()))
	if f.Evictions > 0 && len(under) > 0 {
		t.Caption = fmt.Sprintf("Under pressure: %s happened, and %s at 90 %% or more of its capacity: %s.", unit.Plural(f.Evictions, "eviction"),
			unit.Plural(int64(len(under)), "partition"), enumerate(under, 6))
	}
	return t
}

func allAs(rows []PartitionUse, full float64) bool {
	return !slices.ContainsFunc(rows, func(p PartitionUse) bool { return p.full() != full })
}

// SVG renders the figure.
func (f ExpertPartitions) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f ExpertPartitions) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f ExpertPartitions) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a partition, those without capacity included.
func (f ExpertPartitions) Table() Table {
	return Table{
		Columns: []Column{{"tier", "", false}, {"partition", "", false}, {"capacity", "bytes", true}, {"resident", "bytes", true},
			{"reserved", "bytes", true}, {"experts, oldest first", "", false}},
		Len: len(f.Rows),
		Row: func(i int) []string {
			p := &f.Rows[i]
			return append(append([]string{p.Tier.String(), p.ID}, decimals(p.CapacityBytes, p.ResidentBytes, p.Reserved)...), enumerate(p.ExpertIDs, 64))
		},
	}
}

func (f ExpertPartitions) bars(width float64) barRows {
	b := barRows{x: percentAxis("Share of the partition's capacity", width-20, 60),
		keys: []key{{ink: Hot, label: "resident hot"}, {ink: Warm, label: "resident warm"}, {ink: Staging, label: "reserved by a load", shape: keyHatch},
			{ink: Muted, label: "free", shape: keyOutline}}}
	for _, p := range f.shown() {
		line := barLine{name: p.Tier.String() + " " + p.ID, whole: 1,
			words: fmt.Sprintf("%s of %s, %s", unit.Bytes(float64(p.ResidentBytes+p.Reserved)), unit.Bytes(float64(p.CapacityBytes)), unit.Percent(p.full()))}
		for _, part := range []struct {
			what    string
			bytes   int64
			ink     Ink
			hatched bool
		}{{"resident", p.ResidentBytes, tierInks[p.Tier], false}, {"reserved", p.Reserved, Staging, true}} {
			line.parts = append(line.parts, barPart{size: share(part.bytes, p.CapacityBytes), ink: part.ink, hatched: part.hatched,
				hover: fmt.Sprintf("%s %s: %s %s of %s", p.Tier, p.ID, unit.Bytes(float64(part.bytes)), part.what, unit.Bytes(float64(p.CapacityBytes)))})
		}
		if p.HighWaterBytes > 0 {
			line.mark = share(p.HighWaterBytes, p.CapacityBytes)
			line.markName = fmt.Sprintf("%s high water: %s, %s of the capacity", p.Tier, unit.Bytes(float64(p.HighWaterBytes)), unit.Percent(line.mark))
			line.words += ", high water " + unit.Bytes(float64(p.HighWaterBytes))
		}
		b.rows = append(b.rows, line)
	}
	return b
}

func (f ExpertPartitions) plotHeight(width float64) float64 {
	b := f.bars(width)
	return b.height(width)
}

func (f ExpertPartitions) paint(c draw.Canvas) {
	b := f.bars((c.Max.X - c.Min.X).Points())
	b.paint(c)
}
