package figure

import (
	"fmt"

	"gonum.org/v1/plot/vg/draw"

	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/trace"
)

// ExpertOutcomes shows where accesses found their experts and what was copied for
// them: shares of all accesses by tier, and of all loads by kind (contract 09, V12).
type ExpertOutcomes struct {
	Source
	Metrics trace.ExpertMetrics
}

// Outcomes reads a figure from a cache's final snapshot.
func Outcomes(src Source, s *trace.ExpertSnapshot) ExpertOutcomes {
	return ExpertOutcomes{Source: src, Metrics: s.Metrics}
}

// Text gives the figure's words.
func (f ExpertOutcomes) Text() Text {
	t, m := f.words(), &f.Metrics
	t.What = "Tier in which accesses found their expert; loads by kind"
	if m.RoutedExperts == 0 {
		t.Title, t.Empty = "No access to show", "No expert was accessed."
		return t
	}
	t.Title = fmt.Sprintf("%s of %s are hot, %s cold", unit.Percent(m.HotHitRate()), unit.Plural(m.RoutedExperts, "access"),
		unit.Percent(share(m.ColdMisses, m.RoutedExperts)))
	t.Alt = fmt.Sprintf("%s of %s accesses are hot hits, %s warm misses and %s cold misses; %s and %s moved %s.",
		unit.Count(m.HotHits), unit.Count(m.RoutedExperts), unit.Count(m.WarmMisses), unit.Count(m.ColdMisses),
		unit.Plural(m.DemandLoads, "demand load"), unit.Plural(m.PrefetchLoads, "prefetch"), unit.Bytes(float64(m.BytesMoved)))
	t.Caption = fmt.Sprintf("%s moved; %s; %s of the adaptive policy chose %s; a modeled stall of %s in all.", unit.Bytes(float64(m.BytesMoved)),
		unit.Plural(m.Evictions, "eviction"), unit.Plural(m.AdaptivePrefetchDecisions, "decision"), unit.Plural(m.AdaptivePrefetchSelections, "expert"), dur(m.StallNs))
	return t
}

// share is a part of a whole, 0 of nothing.
func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// SVG renders the figure.
func (f ExpertOutcomes) SVG(o Options) ([]byte, error) { return renderSVG(f, o) }

// PNG renders the figure.
func (f ExpertOutcomes) PNG(o Options) ([]byte, error) { return renderPNG(f, o) }

// PDF renders the figure.
func (f ExpertOutcomes) PDF(o Options) ([]byte, error) { return renderPDF(f, o) }

// Table gives one row a count of the cache.
func (f ExpertOutcomes) Table() Table {
	m := &f.Metrics
	rows := []struct {
		name, unit string
		value      int64
	}{
		{"routes", "", m.Routes}, {"routed experts", "", m.RoutedExperts}, {"hot hits", "", m.HotHits}, {"warm misses", "", m.WarmMisses},
		{"cold misses", "", m.ColdMisses}, {"demand loads", "", m.DemandLoads}, {"prefetch loads", "", m.PrefetchLoads},
		{"adaptive decisions", "", m.AdaptivePrefetchDecisions}, {"adaptive selections", "", m.AdaptivePrefetchSelections},
		{"evictions", "", m.Evictions}, {"moved", "bytes", m.BytesMoved}, {"stall", "ns", m.StallNs},
		{"hot high water", "bytes", m.HighWaterHotBytes}, {"warm high water", "bytes", m.HighWaterWarmBytes},
	}
	return Table{
		Columns: []Column{{"count", "", false}, {"value", "", true}, {"unit", "", false}},
		Len:     len(rows),
		Row:     func(i int) []string { return []string{rows[i].name, decimals(rows[i].value)[0], rows[i].unit} },
	}
}

func (f ExpertOutcomes) bars(width float64) barRows {
	m := &f.Metrics
	part := func(what string, n, of int64, ink Ink) barPart {
		return barPart{size: share(n, of), ink: ink, hover: fmt.Sprintf("%s: %s, %s", what, unit.Count(n), unit.Percent(share(n, of)))}
	}
	of := func(n, whole int64, what string) string {
		return fmt.Sprintf("%s %s (%s)", unit.Count(n), what, unit.Percent(share(n, whole)))
	}
	b := barRows{
		x: percentAxis("Share of accesses and of loads", width-20, 60),
		keys: []key{{ink: Hot, label: "hot"}, {ink: Warm, label: "warm"}, {ink: Cold, label: "cold"},
			{ink: Series, label: "demand"}, {ink: Waiting, label: "prefetch"}},
		rows: []barLine{{
			name:  "accesses",
			words: of(m.HotHits, m.RoutedExperts, "hot") + ", " + of(m.WarmMisses, m.RoutedExperts, "warm") + ", " + of(m.ColdMisses, m.RoutedExperts, "cold"),
			parts: []barPart{part("hot", m.HotHits, m.RoutedExperts, Hot), part("warm", m.WarmMisses, m.RoutedExperts, Warm), part("cold", m.ColdMisses, m.RoutedExperts, Cold)},
			whole: 1,
		}},
	}
	loads := m.DemandLoads + m.PrefetchLoads
	b.rows = append(b.rows, barLine{
		name: "loads", whole: 1,
		words: of(m.DemandLoads, loads, "on demand") + ", " + of(m.PrefetchLoads, loads, "prefetched"),
		parts: []barPart{part("demand loads", m.DemandLoads, loads, Series), part("prefetches", m.PrefetchLoads, loads, Waiting)},
	})
	return b
}

func (f ExpertOutcomes) plotHeight(width float64) float64 {
	b := f.bars(width)
	return b.height(width)
}

func (f ExpertOutcomes) paint(c draw.Canvas) {
	b := f.bars((c.Max.X - c.Min.X).Points())
	b.paint(c)
}
