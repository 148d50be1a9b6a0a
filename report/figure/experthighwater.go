package figure

import (
	"fmt"

	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/trace"
)

// TierHighWater shows the highest extent of each tier of an expert cache, resident
// and reserved, beside its capacity and what it holds at the end.
type TierHighWater struct {
	Source
	Tiers []TierUse // hot, then warm when it has capacity
}

// TierUse is one tier; extents in bytes.
type TierUse struct {
	Tier                                     trace.Tier
	CapacityBytes, HighWaterBytes, FinalSize int64
}

// HighWater reads a figure from a cache's final snapshot.
func HighWater(src Source, s *trace.ExpertSnapshot) TierHighWater {
	f := TierHighWater{Source: src, Tiers: []TierUse{
		{trace.TierHot, s.Hot.CapacityBytes, s.Metrics.HighWaterHotBytes, s.Hot.ResidentBytes + s.Hot.ReservedBytes}}}
	if s.Warm.CapacityBytes > 0 {
		f.Tiers = append(f.Tiers, TierUse{trace.TierWarm, s.Warm.CapacityBytes, s.Metrics.HighWaterWarmBytes, s.Warm.ResidentBytes + s.Warm.ReservedBytes})
	}
	return f
}

// Text gives the figure's words.
func (f TierHighWater) Text() Text {
	t := f.words()
	t.What = "Highest resident and reserved bytes of each tier"
	if len(f.Tiers) == 0 {
		t.Title, t.Empty = "No tier to show", "The expert cache has no tier with capacity."
		return t
	}
	for i, u := range f.Tiers {
		if i > 0 {
			t.Title += ", "
			t.Alt += " "
		}
		t.Title += fmt.Sprintf("%s %s of its capacity", []string{"Hot peaks at", "warm at"}[min(i, 1)], unit.Percent(share(u.HighWaterBytes, u.CapacityBytes)))
		t.Alt += fmt.Sprintf("The %s tier held at most %s of %s (%s) and ends with %s.", u.Tier, unit.Bytes(float64(u.HighWaterBytes)),
			unit.Bytes(float64(u.CapacityBytes)), unit.Percent(share(u.HighWaterBytes, u.CapacityBytes)), unit.Bytes(float64(u.FinalSize)))
	}
	t.Caption = "A tier's high water is taken over all its partitions together, at its beginning and at every start of a load. The line marks what it holds at the end."
	return t
}

// SVG renders the figure.
func (f TierHighWater) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f TierHighWater) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f TierHighWater) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a tier.
func (f TierHighWater) Table() Table {
	return Table{
		Columns: []Column{{"tier", "", false}, {"capacity", "bytes", true}, {"high water", "bytes", true}, {"at the end", "bytes", true}},
		Len:     len(f.Tiers),
		Row: func(i int) []string {
			u := &f.Tiers[i]
			return append([]string{u.Tier.String()}, decimals(u.CapacityBytes, u.HighWaterBytes, u.FinalSize)...)
		},
	}
}

func (f TierHighWater) bars(width float64) barRows {
	top := int64(1)
	for _, u := range f.Tiers {
		top = max(top, u.CapacityBytes)
	}
	b := barRows{x: bytesAxis("Size", float64(top), width-20, xTickSpace),
		keys: []key{{ink: Hot, label: "hot, highest"}, {ink: Warm, label: "warm, highest"}, {ink: inkText, label: "at the end", shape: keyTick}, {ink: Muted, label: "capacity", shape: keyOutline}}}
	for _, u := range f.Tiers {
		words := fmt.Sprintf("%s of %s, %s", unit.Bytes(float64(u.HighWaterBytes)), unit.Bytes(float64(u.CapacityBytes)), unit.Percent(share(u.HighWaterBytes, u.CapacityBytes)))
		b.rows = append(b.rows, barLine{name: u.Tier.String(), words: words, whole: float64(u.CapacityBytes),
			parts: []barPart{{size: float64(u.HighWaterBytes), ink: tierInks[u.Tier], hover: u.Tier.String() + " high water: " + words}},
			mark:  float64(u.FinalSize), markName: fmt.Sprintf("%s at the end: %s", u.Tier, unit.Bytes(float64(u.FinalSize)))})
	}
	return b
}

func (f TierHighWater) plotHeight(width float64) float64 {
	b := f.bars(width)
	return b.height(width)
}

func (f TierHighWater) paint(c draw.Canvas) {
	b := f.bars((c.Max.X - c.Min.X).Points())
	b.paint(c)
}
