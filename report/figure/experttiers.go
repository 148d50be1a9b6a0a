package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/trace"
)

// TierTimeline shows resident, reserved and free bytes of every partition of an
// expert cache over time: one panel a partition, hot ones first, all on one time
// axis, each with its capacity as a line (contract 09, V5.3).
//
// More changes than half the pixels are reduced to columns: the areas are the means
// over time.
type TierTimeline struct {
	Source
	Window     Window
	Partitions []PartitionLevel
	EndNs      int64
}

// PartitionLevel is the level of one partition: from AtNs[i] on it holds
// ResidentBytes[i] and has ReservedBytes[i] promised to loads.
type PartitionLevel struct {
	Tier                         trace.Tier
	ID                           string
	CapacityBytes                int64
	AtNs                         []int64 // ascending, not strictly; the first is the beginning
	ResidentBytes, ReservedBytes []int64
}

// Tiers reads a figure from a cache's lossless trace; endNs is the time of its final
// snapshot. Partitions without capacity are left out.
func Tiers(src Source, tr *trace.Experts, endNs int64) TierTimeline {
	w := tierWalk{tr: tr}
	f := TierTimeline{Source: src, EndNs: endNs}
	index := make(map[string]int, len(tr.Config.Experts))
	for i := range tr.Config.Experts {
		index[tr.Config.Experts[i].ID] = i
	}
	for tier, initial := range [][]string{tr.Config.InitialHotExpertIDs, tr.Config.InitialWarmExpertIDs} {
		table := tr.Config.HotTable()
		if trace.Tier(tier) == trace.TierWarm {
			table = tr.Config.WarmTable()
		}
		w.owner[tier] = make([]int, len(tr.Config.Experts))
		for _, p := range table {
			for _, id := range p.ExpertIDs {
				w.owner[tier][index[id]] = len(w.levels)
			}
			w.levels = append(w.levels, PartitionLevel{Tier: trace.Tier(tier), ID: p.ID, CapacityBytes: p.CapacityBytes,
				AtNs: []int64{0}, ResidentBytes: []int64{0}, ReservedBytes: []int64{0}})
		}
		for _, id := range initial {
			x := index[id]
			w.levels[w.owner[tier][x]].ResidentBytes[0] += tr.Config.Experts[x].Bytes
		}
	}
	for i := range tr.Events {
		w.apply(&tr.Events[i])
	}
	for _, p := range w.levels {
		if p.CapacityBytes > 0 {
			f.Partitions = append(f.Partitions, p)
		}
	}
	return f
}

// tierWalk follows the extents of partitions through a trace.
type tierWalk struct {
	tr     *trace.Experts
	owner  [2][]int // tier, expert -> its partition in levels
	levels []PartitionLevel
}

func (w *tierWalk) apply(e *trace.ExpertEvent) {
	switch e.Kind {
	case trace.ExpertEvicted:
		v := &w.tr.Evictions[e.Ref]
		w.change(e.AtNs, v.Tier, v.Expert, -v.Bytes, 0)
	case trace.ExpertLoadStarted:
		l := &w.tr.Loads[e.Ref]
		w.change(e.AtNs, l.Target, l.Expert, 0, l.Bytes)
	case trace.ExpertLoadCompleted:
		c := &w.tr.Completions[e.Ref]
		bytes := w.tr.Config.Experts[c.Expert].Bytes
		w.change(e.AtNs, c.Target, c.Expert, bytes, -bytes)
	}
}

func (w *tierWalk) change(atNs int64, tier trace.Tier, expert int32, resident, reserved int64) {
	p := &w.levels[w.owner[tier][expert]]
	last := len(p.AtNs) - 1
	p.AtNs = append(p.AtNs, atNs)
	p.ResidentBytes = append(p.ResidentBytes, p.ResidentBytes[last]+resident)
	p.ReservedBytes = append(p.ReservedBytes, p.ReservedBytes[last]+reserved)
}

// peak is the highest extent of a partition, resident and reserved.
func (p *PartitionLevel) peak() (bytes, atNs int64) {
	for i := range p.AtNs {
		if sum := p.ResidentBytes[i] + p.ReservedBytes[i]; sum > bytes {
			bytes, atNs = sum, p.AtNs[i]
		}
	}
	return bytes, atNs
}

// maxTierPanels is how many partitions are drawn.
const maxTierPanels = 12

func (f TierTimeline) shown() []PartitionLevel {
	return f.Partitions[:min(maxTierPanels, len(f.Partitions))]
}

// Text gives the figure's words.
func (f TierTimeline) Text() Text {
	t := f.words()
	t.What = f.Window.say() + "Resident and reserved bytes of each partition over time"
	if len(f.Partitions) == 0 {
		t.Title, t.Empty = "No tier to show", "No partition of the expert cache has capacity."
		return t
	}
	fullest, high, at := &f.Partitions[0], -1.0, int64(0)
	for i := range f.Partitions {
		bytes, when := f.Partitions[i].peak()
		if s := share(bytes, f.Partitions[i].CapacityBytes); s > high {
			fullest, high, at = &f.Partitions[i], s, when
		}
	}
	bytes, _ := fullest.peak()
	t.Title = fmt.Sprintf("The %s partition %s peaks at %s of its capacity", fullest.Tier, brief(fullest.ID), unit.Percent(high))
	t.Alt = fmt.Sprintf("Of %s, %s %s is fullest: %s of %s resident or reserved at %s of modeled time.", unit.Plural(int64(len(f.Partitions)), "partition"),
		fullest.Tier, brief(fullest.ID), unit.Bytes(float64(bytes)), unit.Bytes(float64(fullest.CapacityBytes)), dur(at))
	t.Caption = "Resident below, reserved by loads on their way above it; the dashed line is the capacity."
	if n := len(f.Partitions); n > maxTierPanels {
		t.Caption += fmt.Sprintf(" Showing %d of %d partitions.", maxTierPanels, n)
	}
	for i := range f.shown() {
		if f.reduced(&f.Partitions[i], DefaultWidth) {
			t.Caption += " Where there are more changes than pixels, columns two pixels wide show the mean over time."
			break
		}
	}
	return t
}

func (f TierTimeline) reduced(p *PartitionLevel, width float64) bool {
	return len(p.AtNs) > int(width-60)
}

// SVG renders the figure.
func (f TierTimeline) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f TierTimeline) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f TierTimeline) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a change of a partition.
func (f TierTimeline) Table() Table {
	type place struct{ partition, at int }
	var rows []place
	for i := range f.Partitions {
		for k := range f.Partitions[i].AtNs {
			rows = append(rows, place{i, k})
		}
	}
	return Table{
		Columns: []Column{{"tier", "", false}, {"partition", "", false}, {"at", "ns", true}, {"resident", "bytes", true}, {"reserved", "bytes", true}, {"capacity", "bytes", true}},
		Len:     len(rows),
		Row: func(i int) []string {
			p, k := &f.Partitions[rows[i].partition], rows[i].at
			return append([]string{p.Tier.String(), p.ID}, decimals(p.AtNs[k], p.ResidentBytes[k], p.ReservedBytes[k], p.CapacityBytes)...)
		},
	}
}

const (
	tierPanel = 104.0
	tierFoot  = tickHeight + xNameSpace
)

func (f TierTimeline) keys() []key {
	return []key{{ink: Hot.Faint(heatFill), label: "resident hot"}, {ink: Warm.Faint(heatFill), label: "resident warm"}, {ink: Staging.Faint(heatFill), label: "reserved"},
		{ink: Fault, label: "capacity", shape: keyDash}}
}

func (f TierTimeline) plotHeight(width float64) float64 {
	return keyLineHeight*float64(len(keyRows(f.keys(), width))) + 6 + tierPanel*float64(len(f.shown())) + tierFoot
}

func (f TierTimeline) paint(c draw.Canvas) {
	c = drawKeys(c, f.keys())
	c.Max.Y -= 6
	shown := f.shown()
	panels := make([]*panel, len(shown))
	for i := range shown {
		panels[i] = f.panel(&shown[i], (c.Max.X - c.Min.X).Points())
		panels[i].hideX = i < len(shown)-1
	}
	alignPanels(panels...)
	for i, p := range panels {
		top := c.Max.Y - vg.Length(tierPanel*float64(i))
		area := c
		area.Max.Y, area.Min.Y = top, top-tierPanel+4
		if !p.hideX {
			area.Min.Y = c.Min.Y
		}
		p.draw(area)
	}
}

// panel draws one partition.
func (f TierTimeline) panel(l *PartitionLevel, width float64) *panel {
	from, to := f.Window.over(f.EndNs)
	total := make([]int64, len(l.AtNs))
	for i := range total {
		total[i] = l.ResidentBytes[i] + l.ReservedBytes[i]
	}
	p := &panel{x: timeAxis(from, to, width), noGridX: true,
		y: bytesAxis(l.Tier.String()+" "+l.ID, float64(l.CapacityBytes)*1.08, tierPanel-nameHeight-8, 24)}
	var at, low, high []float64
	if f.reduced(l, width) {
		columns := int((width - 60) / 2)
		resident, all := reduce(l.AtNs, l.ResidentBytes, 0, from, to, columns), reduce(l.AtNs, total, 0, from, to, columns)
		at, low, high = resident.at, resident.mean, all.mean
	} else {
		at, low, high = f.exact(l, from, to)
	}
	p.marks = []plot.Plotter{
		band{at: at, high: low, end: to, ink: tierInks[l.Tier].Faint(heatFill), about: most(l.Tier.String()+" "+l.ID+" resident", low)},
		band{at: at, low: low, high: high, end: to, ink: Staging.Faint(heatFill), about: most(l.Tier.String()+" "+l.ID+" resident and reserved", high)},
		reference{y: float64(l.CapacityBytes), ink: Fault, dash: []vg.Length{5, 3}, label: unit.Bytes(float64(l.CapacityBytes)), below: true},
	}
	return p
}

// most tells of the highest level of a band.
func most(what string, bytes []float64) string {
	if len(bytes) == 0 {
		return ""
	}
	return what + ": up to " + unit.Bytes(slices.Max(bytes))
}

// exact lists the levels of a partition within a window, one an instant.
func (f TierTimeline) exact(l *PartitionLevel, from, to float64) (at, resident, total []float64) {
	for i := range l.AtNs {
		x := math.Max(float64(l.AtNs[i]), from)
		if x >= to {
			break
		}
		low, high := float64(l.ResidentBytes[i]), float64(l.ResidentBytes[i]+l.ReservedBytes[i])
		if n := len(at); n > 0 && at[n-1] == x {
			resident[n-1], total[n-1] = low, high
			continue
		}
		at, resident, total = append(at, x), append(resident, low), append(total, high)
	}
	return at, resident, total
}
