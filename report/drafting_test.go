package report_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/internal/experiment"
	"github.com/inferlab/inferlab/report"
)

var sectionID = regexp.MustCompile(`<section id="([a-z-]+)"`)

// sectionsOf lists the sections of a page but the closing ones.
func sectionsOf(html string) string {
	var ids []string
	for _, m := range sectionID.FindAllStringSubmatch(html, -1) {
		if m[1] != "evidence" && m[1] != "reproduce" {
			ids = append(ids, m[1])
		}
	}
	return strings.Join(ids, " ")
}

// TestRunPageTellsOfProposals: the page of a speculative workload on a machine holds
// the views of a run and those of speculation (contract 09, 1.6 and V10).
func TestRunPageTellsOfProposals(t *testing.T) {
	r := speculativeResult(t, "evidence")
	ran := &experiment.Ran{Result: r.Run, Speculation: r.Speculation, Drafted: r.Workload}
	out, err := report.PageOf(ran, report.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sectionsOf(string(out)), "machine links timeline resources capacity roofline iterations acceptance balance time state"; got != want {
		t.Errorf("sections %q, want %q", got, want)
	}
	for _, want := range []string{"× the modeled speed of target-only decoding", "Modeled speedup", "Accepted of proposed", "draft_model:target_kv:0",
		"No roofline: no model is bound", "Rows of all target forwards"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	ran.Speculation, ran.Drafted = nil, nil
	if out, err = report.PageOf(ran, report.Meta{}); err != nil || strings.Contains(string(out), "What became of every proposal?") {
		t.Errorf("a page without iterations speaks of proposals (%v)", err)
	}
	if _, err := report.PageOf(&experiment.Ran{}, report.Meta{}); err == nil {
		t.Error("a run without a result has a page")
	}
}

// TestSpeculativePageOnAMachine: with a machine the page also shows what ran when, and
// on what (contract 09, 1.6).
func TestSpeculativePageOnAMachine(t *testing.T) {
	r := speculativeResult(t, "evidence")
	out, err := report.Speculative(r, report.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sectionsOf(string(out)), "iterations acceptance balance time timeline resources state parity"; got != want {
		t.Errorf("sections %q, want %q", got, want)
	}
	r.Run, r.Speculation = nil, nil
	if out, err = report.Speculative(r, report.Meta{}); err != nil || sectionsOf(string(out)) != "iterations acceptance balance state parity" {
		t.Errorf("without a machine: sections %q (%v)", sectionsOf(string(out)), err)
	}
}
