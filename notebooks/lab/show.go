package lab

import (
	"errors"
	"fmt"
	"html"
	"strings"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/topology"
)

// Markdown is text that Show displays as Markdown.
type Markdown string

// Drawing is anything that draws itself as one SVG element. Figures of package
// figure are shown with their words as well; this is the door for drawings of
// your own.
type Drawing interface {
	SVG() ([]byte, error)
}

// Show displays each value in the notebook, in order:
//
//   - a result by its verdict, its numbers and one figure: a serving run with or
//     without an expert cache, a comparison, an executed plan, a fault campaign, a
//     failover, a speculative run, an expert cache, a calibration;
//   - a figure or Drawing as SVG, with its finding as plain text; figures also
//     as PNG;
//   - a machine as a drawing of its parts and links;
//   - a Chart as lines or bars (Interactive adds a form that answers to the
//     mouse);
//   - a table (of arrowio, of a figure, or a lab.Table) by its first ten rows,
//     with units, and in JupyterLab with a pager and sorting;
//   - a confidence class as a badge, an error as its text, Markdown as such;
//   - anything else as fmt prints it.
//
// A figure that cannot be drawn shows the reason.
func Show(values ...any) {
	for _, v := range values {
		for _, b := range bundles(v) {
			b.send()
		}
	}
}

// bundles renders one value.
func bundles(v any) []bundle {
	switch v := v.(type) {
	case nil:
		return []bundle{plainText("nothing to show")}
	case *topology.Scenario:
		return []bundle{figureBundle(figure.Machine(v))}
	case *Chart:
		return []bundle{chartBundle(v)}
	case figure.Figure:
		return []bundle{figureBundle(v)}
	case Drawing:
		return []bundle{drawingBundle(v)}
	case *arrowio.Table:
		return []bundle{tableBundle(arrowTable{v})}
	case figure.Table:
		return []bundle{tableBundle(figureTable{v})}
	case *Table:
		return []bundle{tableBundle(v)}
	case evidence.Class:
		return []bundle{{mimeText: string(v), mimeHTML: badge(string(v), figure.ConfidenceInk(v))}}
	case Markdown:
		return []bundle{{mimeText: string(v), mimeMarkdown: string(v)}}
	case error:
		return []bundle{errorBundle(v)}
	case string:
		return []bundle{plainText(v)}
	}
	if shown, ok := resultBundles(v); ok {
		return shown
	}
	if holdsNothing(v) {
		return []bundle{plainText(fmt.Sprintf("%T: nothing to show", v))}
	}
	return []bundle{plainText(fmt.Sprintf("%+v", v))}
}

// holdsNothing reports whether v is a result without anything to tell, of a run
// without requests for instance, whose memory says nothing to a reader.
func holdsNothing(v any) bool {
	switch v.(type) {
	case *simcore.ServingRun, *simcore.ExpertServingRun, *serving.Comparison, *simcore.ExpertCacheRun, *simcore.SpeculativeRun,
		*simcore.SpeculativeExecution, *simcore.Result, *run.Comparison, *simcore.Executed, *simcore.FaultCampaign,
		*simcore.ConcurrentCampaign, *simcore.NodeFailure, *simcore.Failover, *calibration.Result:
		return true
	}
	return false
}

func plainText(s string) bundle { return bundle{mimeText: s} }

// figureBundle draws a figure with title and caption inside, 760 px wide, and
// says the finding in plain text. PNG stands in where SVG is not shown.
func figureBundle(f figure.Figure) bundle {
	svg, err := f.SVG(figure.Options{})
	if err != nil {
		return errorBundle(fmt.Errorf("the figure cannot be drawn: %w", err))
	}
	b := bundle{mimeSVG: string(compactSVG(svg)), mimeText: figureText(f.Text())}
	if png, err := f.PNG(figure.Options{Scale: 1}); err == nil {
		b[mimePNG] = compactPNG(png)
	}
	return b
}

// figureText is a figure in words: finding, what it shows, details.
func figureText(t figure.Text) string {
	var parts []string
	for _, s := range []string{t.Title, t.Subtitle(), t.Alt, t.Empty, t.Caption} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "\n")
}

func drawingBundle(d Drawing) bundle {
	svg, err := d.SVG()
	if err != nil {
		return errorBundle(fmt.Errorf("the drawing cannot be made: %w", err))
	}
	if len(svg) == 0 {
		return errorBundle(errors.New("the drawing is empty"))
	}
	return bundle{mimeSVG: string(svg), mimeText: "a drawing in SVG"}
}

// errorBundle shows an error without ending the cell.
func errorBundle(err error) bundle {
	text := errorText(err)
	return bundle{
		mimeText: text,
		mimeHTML: `<pre style="border-left:3px solid ` + figure.Fault.Hex(figure.Light) + `;padding:4px 12px;white-space:pre-wrap">` + html.EscapeString(text) + `</pre>`,
	}
}
