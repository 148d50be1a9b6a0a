package lab

import (
	"fmt"
	"html"
	"strings"

	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/simcore"
)

// resultBundles shows a result by its verdict, its numbers and one figure, and
// reports whether v is a result that has them. They are those of its page.
func resultBundles(v any) ([]bundle, bool) {
	b, ok := report.BriefOf(storied(v))
	if !ok {
		return nil, false
	}
	return []bundle{resultHead(b), figureBundle(b.Figure)}, true
}

// storied is a result in the form in which package report knows it.
func storied(v any) any {
	if x, ok := v.(*simcore.SpeculativeExecution); ok && x != nil {
		return report.SpeculativeResult{Workload: x.Workload, Run: x.Run, Speculation: x.Speculation}
	}
	return v
}

// resultHead is verdict, numbers and badges.
func resultHead(b report.Brief) bundle {
	var text, cards strings.Builder
	text.WriteString(b.Verdict + "\n")
	for _, n := range b.Numbers {
		value := strings.TrimSpace(n.Value + " " + n.Unit)
		context := ""
		if n.Context != "" {
			context = " (" + n.Context + ")"
		}
		fmt.Fprintf(&text, "  %-30s %s%s\n", n.Label, value, context)
		fmt.Fprintf(&cards, `<div><div style="font-size:13px">%s</div>`+
			`<div style="font-size:20px;font-variant-numeric:tabular-nums">%s</div>`+
			`<div style="font-size:13px;opacity:.75">%s</div></div>`,
			html.EscapeString(n.Label), html.EscapeString(value), html.EscapeString(n.Context))
	}
	fmt.Fprintf(&text, "  %s; %s", b.Confidence, b.Replay)
	return bundle{
		mimeText: text.String(),
		mimeHTML: `<p style="font-weight:600;max-width:72ch">` + html.EscapeString(b.Verdict) + "</p>\n" +
			`<div style="display:grid;grid-template-columns:repeat(auto-fit,minmax(200px,1fr));gap:8px 24px;max-width:760px">` + cards.String() + "</div>\n" +
			"<p>" + badge(string(b.Confidence), figure.ConfidenceInk(b.Confidence)) + " " + badge(b.Replay, replayInk(b.Replay)) + "</p>",
	}
}

// replayInk marks what was not confirmed.
func replayInk(replay string) figure.Ink {
	if strings.Contains(replay, "not verified") || strings.HasSuffix(replay, "refused") {
		return figure.Fault
	}
	return figure.Accepted
}

// badge is a word in an outline of its ink; the text keeps the page's colour.
func badge(word string, ink figure.Ink) string {
	return `<span style="border:1px solid ` + ink.Hex(figure.Light) + `;border-radius:4px;padding:1px 6px;font-size:13px">` +
		html.EscapeString(word) + `</span>`
}
