package report_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/jsondoc"
)

// numbers is a document of n members; most of its text is layout.
func numbers(n int) func(*jsondoc.Writer) {
	return func(w *jsondoc.Writer) {
		w.Object()
		w.Key("text").Text(` a "quoted" text \\ with  spaces `)
		w.Key("list").Array()
		for range n {
			w.Element().Object()
			w.Key("n").Int(1)
			w.End()
		}
		w.End()
		w.End()
	}
}

// TestEmbeddable: layout does not count, texts do, and what is too large is
// fingerprinted as a whole.
func TestEmbeddable(t *testing.T) {
	for _, c := range []struct {
		n    int
		kept bool
	}{{10, true}, {600_000, true}, {700_000, false}} { // 8 bytes a member without layout
		w := jsondoc.NewWriter(nil)
		numbers(c.n)(w)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		doc, fingerprint, err := report.Embeddable(numbers(c.n))
		if err != nil || fingerprint != canonical.FingerprintBytes(w.Bytes()) {
			t.Errorf("%d members: fingerprint %s, %v", c.n, fingerprint, err)
		}
		if kept := doc != nil; kept != c.kept || kept && !bytes.Equal(doc, w.Bytes()) {
			t.Errorf("%d members, %d bytes: %d bytes are kept", c.n, len(w.Bytes()), len(doc))
		}
	}
	doc, _, err := report.Embeddable(func(w *jsondoc.Writer) { w.Object().Key("blank").Text(strings.Repeat(" ", 6<<20)).End() })
	if err != nil || doc != nil {
		t.Errorf("a text of blanks: %d bytes are kept, %v", len(doc), err)
	}
}

// TestLeftOut: a page without its result says so, says how it is drawn again, and
// refuses to be made from itself in the same words; any other page does not.
func TestLeftOut(t *testing.T) {
	const again = "inferlab report RESULT.json -o PAGE.html"
	run, doc := served(t, "multi-gpu", 8)
	large := page(t, run, report.Meta{OutputFingerprint: "fnv1a32:0badcafe"})
	for _, want := range []string{"The result document is too large for this page", again, "fnv1a32:0badcafe", `download="summary.json"`} {
		if !strings.Contains(large, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if _, _, err := report.Rebuild([]byte(large)); !errors.Is(err, report.ErrResultLeftOut) || !strings.Contains(err.Error(), again) {
		t.Errorf("made from itself: %v", err)
	}
	if whole := page(t, run, report.Meta{Result: doc}); strings.Contains(whole, again) {
		t.Error("a page with its result speaks of one that is too large")
	}
	if none := page(t, run, report.Meta{}); !strings.Contains(none, "No result document came with this page") {
		t.Error("a page that was made without a result does not say so")
	}
}
