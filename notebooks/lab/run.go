package lab

import (
	"fmt"
	"html"
	"strings"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/serving"
)

// number is one figure of a run's head: a value with its unit and a line of
// context.
type number struct{ name, value, context string }

// runBundles shows a run by its verdict, its numbers and one figure.
func runBundles(run *serving.Run) []bundle {
	return []bundle{runHead(run), figureBundle(figure.Latency(run))}
}

// runHead is verdict, numbers and badges.
func runHead(run *serving.Run) bundle {
	verdict := runVerdict(run)
	numbers := runNumbers(run)
	replay := fmt.Sprintf("replay verified, %s", unit.Plural(run.Replay.AppliedEvents, "event"))
	var text, cards strings.Builder
	text.WriteString(verdict + "\n")
	for _, n := range numbers {
		fmt.Fprintf(&text, "  %-22s %s (%s)\n", n.name, n.value, n.context)
		fmt.Fprintf(&cards, `<div><div style="font-size:13px">%s</div>`+
			`<div style="font-size:20px;font-variant-numeric:tabular-nums">%s</div>`+
			`<div style="font-size:13px;opacity:.75">%s</div></div>`,
			html.EscapeString(n.name), html.EscapeString(n.value), html.EscapeString(n.context))
	}
	fmt.Fprintf(&text, "  %s; %s", run.Confidence, replay)
	return bundle{
		mimeText: text.String(),
		mimeHTML: `<p style="font-weight:600;max-width:72ch">` + html.EscapeString(verdict) + "</p>\n" +
			`<div style="display:grid;grid-template-columns:repeat(auto-fit,minmax(200px,1fr));gap:8px 24px;max-width:760px">` + cards.String() + "</div>\n" +
			"<p>" + badge(string(run.Confidence), figure.ConfidenceInk(run.Confidence)) + " " + badge(replay, figure.Accepted) + "</p>",
	}
}

// runVerdict is the run in one sentence.
func runVerdict(run *serving.Run) string {
	m := &run.Metrics
	if m.Requests == 0 {
		return fmt.Sprintf("No requests were served on %s.", machine(run))
	}
	return fmt.Sprintf("%s served on %s in a modeled %s: p95 TTFT %s, p95 ITL %s, %s tokens/s.",
		unit.Plural(m.Requests, "request"), machine(run), spell(m.TotalDurationNs),
		spell(m.P95TimeToFirstTokenNs), spell(m.P95InterTokenLatencyNs), unit.Number(m.ThroughputTokensPerSecond))
}

// machine names what the run ran on.
func machine(run *serving.Run) string {
	if run.Scenario == nil {
		return "a machine without a name"
	}
	return run.Scenario.ID()
}

// runNumbers are the figures a reader looks for first; times are modeled.
func runNumbers(run *serving.Run) []number {
	m := &run.Metrics
	kv := fmt.Sprintf("of %s tokens", unit.Count(run.Config.MaxKVTokens))
	if run.Config.MaxKVTokens > 0 {
		kv = unit.Percent(float64(m.KVHighWaterTokens)/float64(run.Config.MaxKVTokens)) + " " + kv
	}
	return []number{
		{"TTFT p50", spell(m.P50TimeToFirstTokenNs), "modeled; p95 " + spell(m.P95TimeToFirstTokenNs)},
		{"ITL p50", spell(m.P50InterTokenLatencyNs), "modeled; p95 " + spell(m.P95InterTokenLatencyNs)},
		{"Throughput", unit.Number(m.ThroughputTokensPerSecond) + " tokens/s", "modeled; " + unit.Count(m.OutputTokens) + " output tokens"},
		{"Duration", spell(m.TotalDurationNs), "modeled; first arrival to last token"},
		{"Batches", unit.Count(m.Batches), unit.Percent(m.TokenBatchUtilization) + " of the token limit used"},
		{"KV high water", unit.Count(m.KVHighWaterTokens) + " tokens", kv},
	}
}

func spell(ns int64) string { return unit.Duration(float64(ns)) }

// badge is a word in an outline of its ink; the text keeps the page's colour.
func badge(word string, ink figure.Ink) string {
	return `<span style="border:1px solid ` + ink.Hex(figure.Light) + `;border-radius:4px;padding:1px 6px;font-size:13px">` +
		html.EscapeString(word) + `</span>`
}
