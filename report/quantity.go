package report

import (
	"math"
	"slices"
	"strings"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/serving"
)

// quantity is one number by which results of a kind are compared.
type quantity[R any] struct {
	name, card string // card empty: no headline
	unit       string // "ns", "tokens", "tokens/s" or empty
	higher     bool   // is better
	of         func(R) float64
}

// quantities compare serving runs.
var quantities = []quantity[*serving.Run]{
	{"duration", "Shortest run, modeled", "ns", false, func(r *serving.Run) float64 { return float64(r.Metrics.TotalDurationNs) }},
	{"throughput", "Highest predicted throughput", "tokens/s", true, func(r *serving.Run) float64 { return r.Metrics.ThroughputTokensPerSecond }},
	{"p95 TTFT", "Lowest modeled p95 TTFT", "ns", false, func(r *serving.Run) float64 { return float64(r.Metrics.P95TimeToFirstTokenNs) }},
	{"p95 ITL", "Lowest modeled p95 ITL", "ns", false, func(r *serving.Run) float64 { return float64(r.Metrics.P95InterTokenLatencyNs) }},
	{"latency, mean", "", "ns", false, func(r *serving.Run) float64 { return r.Metrics.AverageRequestLatencyNs }},
	{"KV high water", "", "tokens", false, func(r *serving.Run) float64 { return float64(r.Metrics.KVHighWaterTokens) }},
	{"batches", "", "", false, func(r *serving.Run) float64 { return float64(r.Metrics.Batches) }},
}

// planQuantities compare executed workloads. Service times add up over all lanes.
var planQuantities = []quantity[*run.Result]{
	{"duration", "Shortest run, modeled", "ns", false, func(r *run.Result) float64 { return float64(r.Metrics.TotalDurationNs) }},
	{"throughput", "Highest predicted throughput", "tokens/s", true, func(r *run.Result) float64 { return r.Metrics.TokensPerSecond }},
	{"background drain", "", "ns", false, func(r *run.Result) float64 { return float64(r.Metrics.BackgroundDrainNs) }},
	{"compute", "Least compute service, modeled", "ns", false, func(r *run.Result) float64 { return float64(r.Metrics.ComputeServiceNs) }},
	{"transfers", "", "ns", false, func(r *run.Result) float64 { return float64(r.Metrics.TransferServiceNs) }},
	{"collectives", "", "ns", false, func(r *run.Result) float64 { return float64(r.Metrics.CollectiveServiceNs) }},
	{"steps", "Fewest steps", "", false, func(r *run.Result) float64 { return float64(len(r.Compiled.Plan.Steps)) }},
}

func (q *quantity[R]) better(a, b float64) bool {
	if q.higher {
		return a > b
	}
	return a < b
}

func (q *quantity[R]) spell(v float64) string {
	switch q.unit {
	case "ns":
		return unit.Duration(v)
	case "tokens/s":
		return unit.Number(v) + " tokens/s"
	}
	return strings.TrimSpace(unit.Count(int64(v)) + " " + q.unit)
}

func (q *quantity[R]) signed(d float64) string {
	if d >= 0 {
		return "+" + q.spell(d)
	}
	return "−" + q.spell(-d)
}

func relative(v, base float64) string {
	if base == 0 || math.IsNaN(v/base) {
		return ""
	}
	p, sign := v/base-1, "+"
	if p < 0 {
		sign, p = "−", -p
	}
	return ", " + sign + unit.Percent(p)
}

// compared is one of several results.
type compared[R any] struct {
	name       string
	run        R
	confidence evidence.Class
}

// bestCards name the best result in each quantity.
func bestCards[R any](quantities []quantity[R], list []compared[R]) (out []card) {
	for i := range quantities {
		q := &quantities[i]
		if q.card == "" {
			continue
		}
		best := list[0]
		for _, c := range list {
			if q.better(q.of(c.run), q.of(best.run)) {
				best = c
			}
		}
		out = append(out, card{Label: q.card, Value: q.spell(q.of(best.run)), Context: best.name})
	}
	return out
}

// deltaTable compares every result with the reference, absolute and relative, in all
// quantities that are not 0 everywhere.
func deltaTable[R any](quantities []quantity[R], list []compared[R], reference int) table {
	ref := &list[reference]
	quantities = slices.DeleteFunc(slices.Clone(quantities), func(q quantity[R]) bool {
		return !slices.ContainsFunc(list, func(c compared[R]) bool { return q.of(c.run) != 0 })
	})
	t := table{Caption: "Every run against " + ref.name, Open: true, Total: len(list), Columns: []figure.Column{{Name: "run"}}}
	for i := range quantities {
		t.Columns = append(t.Columns, figure.Column{Name: quantities[i].name, Numeric: true})
	}
	t.Columns = append(t.Columns, figure.Column{Name: "confidence"})
	for i, c := range list {
		row := []string{c.name}
		for k := range quantities {
			q := &quantities[k]
			v, base := q.of(c.run), q.of(ref.run)
			cell := q.spell(v)
			if i != reference {
				cell += " (" + q.signed(v-base) + relative(v, base) + ")"
			}
			row = append(row, cell)
		}
		t.Head = append(t.Head, append(row, string(c.confidence)))
	}
	return t
}
