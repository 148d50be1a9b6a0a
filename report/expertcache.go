package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/experts"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/trace"
)

// ExpertCache makes the page of an expert cache that stands alone (contract 09, views
// V0, V11, V5.3 and V12). The sweep, when there is one, shows what other hot
// capacities would have done. It refuses a run without a trace with ErrNoRun; a page
// above its size bound drops the embedded result first, then shortens its tables.
func ExpertCache(run *experts.Run, sweep []experts.WhatIf, meta Meta) ([]byte, error) {
	if run == nil || run.Trace == nil || len(run.Trace.Events) == 0 {
		return nil, ErrNoRun
	}
	if meta.WhatIf == nil {
		for i := range sweep {
			meta.WhatIf = append(meta.WhatIf, sweep[i].HotCapacityBytes)
		}
	}
	story := &cacheStory{
		source: figure.Source{Run: "expert-cache", Confidence: run.Confidence()}, trace: run.Trace, snapshot: &run.Snapshot,
		applied: run.AppliedEvents, sweep: sweep,
	}
	return within(meta, func(meta Meta, rows int) ([]byte, error) { return expertCachePage(story, meta, rows) })
}

func expertCachePage(s *cacheStory, meta Meta, rows int) ([]byte, error) {
	c, m := &s.trace.Config, &s.snapshot.Metrics
	p := &page{
		Title:      "expert-cache · " + unit.Plural(int64(len(c.Experts)), "expert") + " · " + unit.Bytes(float64(c.HotCapacityBytes)) + " hot, " + unit.Bytes(float64(c.WarmCapacityBytes)) + " warm",
		Verdict:    s.verdict(),
		Confidence: s.source.Confidence,
		Replay:     fmt.Sprintf("replay verified, %s", unit.Plural(s.applied, "event")),
		Cards:      s.cards(),
		Evidence:   s.evidence(meta),
		Assumptions: []string{
			"Latencies are the configuration's own numbers: a load takes the latency of its source and target, whatever else is under way.",
			"Routes are drawn from declared weights, without replacement; timing does not influence them.",
			"A token waits for its predecessor; the adaptive policy sees completed accesses only.",
		},
		Limits: []string{
			"No topology is bound: transfers do not contend, and a load's bytes do not influence its latency.",
			"Routing is synthetic: weights say nothing about a particular model.",
		},
		Reproduction: reproduction{CommandLine: meta.CommandLine, Inputs: meta.Inputs},
	}
	if err := p.keep(viewResult, &meta, s.standIn()); err != nil {
		return nil, err
	}
	if m.Routes == 0 {
		p.Verdict = "No route was executed."
	}
	sections, err := s.sections(rows)
	p.Sections = sections
	if err != nil {
		return nil, err
	}
	return p.render()
}

// cacheStory is what pages say about an expert cache.
type cacheStory struct {
	source   figure.Source
	trace    *trace.Experts
	snapshot *trace.ExpertSnapshot
	applied  int64 // events that the cache's replay applied
	sweep    []experts.WhatIf
	waits    *batchWaits // of a composed run
}

// batchWaits is what experts cost the batches of a composed run.
type batchWaits struct {
	constraintNs, serviceNs                  int64
	demandPlans, batchPlans, physicalApplied int64
	atOnce, drainNs                          int64
}

func (s *cacheStory) verdict() string {
	m := &s.snapshot.Metrics
	return fmt.Sprintf("%s of %s found their expert hot; routes stalled a modeled %s in all and %s moved.",
		unit.Percent(m.HotHitRate()), unit.Plural(m.RoutedExperts, "access"), dur(m.StallNs), unit.Bytes(float64(m.BytesMoved)))
}

// cards are the headline numbers of an expert cache (contract 09, V0).
func (s *cacheStory) cards() []card {
	m := &s.snapshot.Metrics
	perRoute := "no route"
	if m.Routes > 0 {
		perRoute = unit.Duration(float64(m.StallNs)/float64(m.Routes)) + " a route"
	}
	cards := []card{
		{"Hot hit rate", unit.Percent(m.HotHitRate()), "", fmt.Sprintf("%s warm, %s cold misses", unit.Count(m.WarmMisses), unit.Count(m.ColdMisses))},
		{"Stall, modeled", dur(m.StallNs), "", perRoute},
		{"Moved", unit.Bytes(float64(m.BytesMoved)), "", fmt.Sprintf("%s, %s", unit.Plural(m.DemandLoads, "demand load"), unit.Plural(m.PrefetchLoads, "prefetch"))},
		{"Evictions", unit.Count(m.Evictions), "", "of both tiers"},
	}
	for _, tier := range []struct {
		name           string
		high, capacity int64
	}{{"hot", m.HighWaterHotBytes, s.snapshot.Hot.CapacityBytes}, {"warm", m.HighWaterWarmBytes, s.snapshot.Warm.CapacityBytes}} {
		if tier.capacity > 0 {
			cards = append(cards, card{"High water, " + tier.name, unit.Bytes(float64(tier.high)), "",
				fmt.Sprintf("%s of %s", unit.Percent(float64(tier.high)/float64(tier.capacity)), unit.Bytes(float64(tier.capacity)))})
		}
	}
	return cards
}

// sections answers what a reader asks of an expert cache.
func (s *cacheStory) sections(rows int) ([]section, error) {
	src, end := s.source, s.snapshot.CurrentTimeNs
	heat, stalls, tiers := figure.ExpertHeat(src, s.trace, end), figure.Stalls(src, s.trace), figure.Tiers(src, s.trace, end)
	outcomes, partitions := figure.Outcomes(src, s.snapshot), figure.Partitions(src, s.trace, s.snapshot)
	list := []section{
		{ID: "experts", Question: "Where were the experts when tokens needed them?", Answer: heat.Text().Alt},
		{ID: "expert-outcomes", Question: "What did the cache do?", Answer: outcomes.Text().Alt},
		{ID: "expert-stalls", Question: "What did tokens wait for?", Answer: s.waited() + stalls.Text().Alt},
		{ID: "expert-tiers", Question: "How full were the tiers, and when?", Answer: tiers.Text().Alt},
	}
	wide := [][]figure.Figure{{heat}, nil, nil, {tiers}}
	half := [][]figure.Figure{nil, {outcomes, partitions}, {stalls}, {figure.HighWater(src, s.snapshot)}}
	if len(s.sweep) > 0 {
		whatIf := figure.WhatIf(src, s.sweep, s.trace.Config.HotCapacityBytes)
		list = append(list, section{ID: "expert-what-if", Question: "What would another hot capacity have done?", Answer: whatIf.Text().Alt})
		wide, half = append(wide, []figure.Figure{whatIf}), append(half, nil)
	}
	for i := range list {
		for isHalf, figures := range [][]figure.Figure{wide[i], half[i]} {
			for _, f := range figures {
				p, err := draw(f, isHalf == 1, rows)
				if err != nil {
					return nil, err
				}
				list[i].Figures = append(list[i].Figures, p)
			}
		}
	}
	if s.waits != nil {
		list[2].Tables = []table{s.waitTable()}
	}
	return list, nil
}

// waited says what experts cost batches, in a composed run.
func (s *cacheStory) waited() string {
	w := s.waits
	if w == nil {
		return ""
	}
	return fmt.Sprintf("Batches lasted a modeled %s, of which %s (%s) passed before their experts were hot. ", dur(w.serviceNs), dur(w.constraintNs),
		unit.Percent(float64(w.constraintNs)/math.Max(1, float64(w.serviceNs))))
}

// waitTable is each kind of waiting as an amount and a share of its total.
func (s *cacheStory) waitTable() table {
	w, m := s.waits, &s.snapshot.Metrics
	percent := func(part, whole int64) string { return unit.Percent(float64(part) / math.Max(1, float64(whole))) }
	return table{
		Caption: "What experts cost: amounts and shares", Open: true,
		Columns: []figure.Column{{Name: "what"}, {Name: "amount", Numeric: true}, {Name: "share", Numeric: true}, {Name: "of"}},
		Head: [][]string{
			{"waiting for experts, before batches computed", dur(w.constraintNs), percent(w.constraintNs, w.serviceNs), "time of batches"},
			{"stall of routes", dur(m.StallNs), percent(m.StallNs, w.serviceNs), "time of batches"},
			{"background drain", dur(w.drainNs), percent(w.drainNs, w.serviceNs+w.drainNs), "time of batches and drain"},
			{"demand plans", unit.Count(w.demandPlans), percent(w.demandPlans, w.demandPlans+w.batchPlans), "plans on the shared clock"},
		},
		Total: 4,
	}
}

// facts identify the cache and what checked it.
func (s *cacheStory) facts() []fact {
	facts := []fact{{Label: "Replay of the expert cache", Value: fmt.Sprintf("verified: an independent checker applied %s and reached the same state", unit.Plural(s.applied, "event"))},
		{Label: "Routing seed", Value: strconv.FormatInt(s.trace.Config.RoutingSeed, 10)}}
	if w := s.waits; w != nil {
		facts = append(facts, fact{Label: "Replay of all plans", Value: fmt.Sprintf("verified: an independent checker applied %s of %s on one clock, at most %d at once",
			unit.Plural(w.physicalApplied, "event"), unit.Plural(w.demandPlans+w.batchPlans, "plan"), w.atOnce)})
	}
	return facts
}

func (s *cacheStory) evidence(meta Meta) []fact {
	facts := append([]fact{{Label: "Confidence", Value: string(s.source.Confidence) + ": counts and extents follow from the protocol, but the latencies that decide them are declared"}}, s.facts()...)
	return append(facts, fact{Label: "Contract revisions", Value: "expertCache " + strconv.FormatInt(trace.ExpertsContractRevision, 10)},
		fact{Label: "Input fingerprint", Value: orUnknown(meta.InputFingerprint), Code: true},
		fact{Label: "Output fingerprint", Value: orUnknown(outputFingerprint(meta)), Code: true})
}

// standIn is the final state, which stands for a result that is not embedded.
func (s *cacheStory) standIn() *standIn {
	w := jsondoc.NewWriter(nil)
	s.trace.WriteSnapshot(w, s.snapshot)
	if w.Close() != nil {
		return nil // a snapshot holds finite numbers only
	}
	return &standIn{"snapshot.json", w.Bytes()}
}

// join adds the cache to the page of a serving run: its sections after those of
// serving, its replays to the evidence, and the hit rate and the stall in place of
// the last headline numbers.
func (s *cacheStory) join(p *page, rows int) error {
	sections, err := s.sections(rows)
	if err != nil {
		return err
	}
	p.Sections = append(p.Sections, sections...)
	p.Evidence = append(p.Evidence, s.facts()...)
	const most = 8 // headline numbers
	mine := s.cards()[:2]
	p.Cards = append(p.Cards[:min(len(p.Cards), most-len(mine))], mine...)
	p.Title = strings.Replace(p.Title, "continuous batching, ", "continuous batching with an expert cache, ", 1)
	p.Verdict += " " + s.verdict()
	return nil
}
