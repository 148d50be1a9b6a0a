package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/report"
)

// soloExperts is an expert cache that stands alone.
const soloExperts = expertFile + `workload:
  token_count: 12
  top_k: 2
  seed: 3
  token_interval_ns: 10000
`

// The evidence of one speculative run of five tokens.
const (
	evidenceOf = "{source: lab, runtime_revision: r1, model_fingerprint: m, tokenizer_fingerprint: t, generation_config_fingerprint: g"
	tokenTrace = `speculative_token_trace:
  revision: 2
  id: sample
  provenance: ` + evidenceOf + `, proposer_fingerprint: p, target_only_run_id: base, speculative_run_id: spec}
  family: mtp
  prompt_token_ids: [5, 6]
  expected_output_token_ids: [10, 11, 12, 13, 14]
  max_additional_tokens: 2
  iterations:
    - {id: a, proposal_token_ids: [10, 11, 99], target_token_ids: [10, 11, 12]}
    - {id: b, proposal_token_ids: [13, 14], target_token_ids: [13, 14]}
`
	targetCapture = `{revision: 1, id: base, role: target_only, provenance: ` + evidenceOf + `}, completion_reason: max_tokens,
  prompt_token_ids: [5, 6], output_token_ids: [10, 11, 12, 13, 14], terminal: {status: completed, output_token_count: 5, iteration_count: 0}}
`
	draftCapture = `{revision: 1, id: spec, role: speculative, provenance: ` + evidenceOf + `}, completion_reason: max_tokens,
  prompt_token_ids: [5, 6], output_token_ids: [10, 11, 12, 13, 14], terminal: {status: completed, output_token_count: 5, iteration_count: 2},
  family: mtp, proposer_fingerprint: p, max_additional_tokens: 2, iterations: [
    {id: a, output_offset: 0, proposal_token_ids: [10, 11, 99], target_token_ids: [10, 11, 12], committed_token_ids: [10, 11, 12]},
    {id: b, output_offset: 3, proposal_token_ids: [13, 14], target_token_ids: [13, 14], committed_token_ids: [13, 14]}]}
`
)

// pageCommands lists a command line for every kind of page.
func pageCommands(t *testing.T) map[string][]string {
	t.Helper()
	list := planCommands(t)
	for name, text := range map[string]string{
		"served.yaml": servedFile, "composed.yaml": servedFile + expertFile, "experts.yaml": soloExperts,
		"drafted.yaml": servedFile + "  speculative:\n    family: mtp\n    max_additional_tokens: 2\n" +
			"    acceptance: {kind: conditional_heuristic, match_probability_by_position: [0.7, 0.5], seed: 3}\n",
		"trace.yaml": tokenTrace, "target.yaml": targetCapture, "draft.yaml": draftCapture,
		"spec.yaml": string(contents(t, filepath.Join(packageDir, "../../testdata/speculative.yaml"))),
		"lab.yaml":  string(contents(t, filepath.Join(packageDir, "../../testdata/calibration.yaml"))),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list["run, calibrated"] = []string{"run", "multi-gpu", "work.yaml", "lab.yaml"}
	list["run, speculative"] = []string{"run", "multi-gpu", "spec.yaml"}
	list["compare"] = []string{"compare", "work.yaml"}
	list["serving"] = []string{"serving", "multi-gpu", "drafted.yaml"}
	list["serving, composed"] = []string{"serving", "multi-gpu", "composed.yaml"}
	list["serving-compare"] = []string{"serving-compare", "served.yaml"}
	list["serving-compare, composed"] = []string{"serving-compare", "composed.yaml"}
	list["speculative"] = []string{"speculative", "spec.yaml"}
	list["speculative-trace"] = []string{"speculative-trace", "trace.yaml"}
	list["speculative-trace, executed"] = []string{"speculative-trace", "trace.yaml", "multi-gpu", "lab.yaml"}
	list["speculative-capture"] = []string{"speculative-capture", "target.yaml", "draft.yaml", "single-gpu-cpu"}
	list["expert-cache"] = []string{"expert-cache", "experts.yaml", "--what-if", "3"}
	list["calibrate"] = []string{"calibrate", "lab.yaml"}
	return list
}

// TestEveryPageComesBack draws every kind of page live, from its document, and from
// itself, where it is the same bytes; a page or a document with one changed number is
// refused. The table of kinds is covered.
func TestEveryPageComesBack(t *testing.T) {
	list := pageCommands(t)
	drawn := map[string]bool{}
	for name, args := range list {
		written(t, "result.json", slices.Concat(args, []string{"--report", "live.html"})...)
		live := contents(t, "live.html")
		written(t, "said.json", "report", "--from", "live.html", "-o", "again.html")
		if !bytes.Equal(live, contents(t, "again.html")) {
			t.Errorf("%s: the page made from itself differs", name)
		}
		written(t, "said.json", "report", "result.json", "-o", "read.html")
		switch read := contents(t, "read.html"); name {
		case "expert-cache": // its document does not say which capacities the page asked about
		default:
			sameButReproduction(t, name, live, read)
		}
		written(t, "said.json", "report", "--from", "read.html", "-o", "again.html")
		if !bytes.Equal(contents(t, "read.html"), contents(t, "again.html")) {
			t.Errorf("%s: the page of the document, made from itself, differs", name)
		}
		refuseChanges(t, name, live)
		drawn[args[0]] = true
	}
	for _, command := range report.Commands() {
		if !drawn[command] {
			t.Errorf("no page of %s was drawn", command)
		}
	}
}

// reproductionPart is where the pages of one result may differ: the command line and
// files that made the page, and the packed copy of them.
var reproductionPart = regexp.MustCompile(`(?s)<section id="reproduce".*?<p class="answer">|<div id="page-source"[^>]*>`)

func sameButReproduction(t *testing.T, name string, live, read []byte) {
	t.Helper()
	a, b := reproductionPart.ReplaceAll(live, nil), reproductionPart.ReplaceAll(read, nil)
	if !bytes.Equal(a, b) {
		at := 0
		for at < min(len(a), len(b)) && a[at] == b[at] {
			at++
		}
		t.Errorf("%s: the page of the document differs: %q, live %q", name, b[max(0, at-60):min(len(b), at+60)], a[max(0, at-60):min(len(a), at+60)])
	}
}

// leadingDigit is the first digit of a number; the last of a fraction may make no other
// number.
var leadingDigit = regexp.MustCompile(`(?m)^ *(?:"[^"]*": )?([1-9])`)

// refuseChanges changes a digit of the document and one of the page's copy of it.
func refuseChanges(t *testing.T, name string, live []byte) {
	t.Helper()
	doc := contents(t, "result.json")
	all := leadingDigit.FindAllSubmatchIndex(doc, -1)
	at := all[len(all)-1][2]
	changed := slices.Clone(doc)
	changed[at] = '1' + (changed[at]-'0')%9
	if err := os.WriteFile("changed.json", changed, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := inferlab("report", "changed.json", "-o", "changed.html"); code != exitFailure || stdout != "" {
		t.Errorf("%s: a changed document: exit %d %s", name, code, stderr)
	}
	link := regexp.MustCompile(`href="data:application/(json|gzip);base64,[^"]{200}`).FindIndex(live)
	if link == nil {
		t.Errorf("%s: the page holds no result", name)
		return
	}
	page := slices.Clone(live)
	if page[link[1]-1] = 'A'; page[link[1]-1] == live[link[1]-1] {
		page[link[1]-1] = 'B'
	}
	if err := os.WriteFile("changed.html", page, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := inferlab("report", "--from", "changed.html", "-o", "again.html"); code != exitFailure || !strings.Contains(stderr, "result") {
		t.Errorf("%s: a changed page: exit %d %s", name, code, stderr)
	}
}

// TestResultStandsWithoutItsPage: whatever the command, the document is out before the
// page is drawn, and a page that fails says so and how to draw it.
func TestResultStandsWithoutItsPage(t *testing.T) {
	list := pageCommands(t)
	for name, args := range list {
		written(t, "whole.json", slices.DeleteFunc(slices.Clone(args), func(word string) bool { return word == "--what-if" || word == "3" })...)
		if err := os.Mkdir("gone", 0o700); err != nil {
			t.Fatal(err)
		}
		out := &vanishing{folder: "gone"}
		var errs bytes.Buffer
		code := execute(t.Context(), slices.Concat(args, []string{"--report", "gone/page.html"}), out, &errs)
		for _, want := range []string{"the result is complete and printed", "inferlab report RESULT.json -o page.html"} {
			if code != exitFailure || !strings.Contains(errs.String(), want) {
				t.Errorf("%s: exit %d: %s; want %q", name, code, errs.String(), want)
			}
		}
		if !bytes.Equal(out.Bytes(), contents(t, "whole.json")) {
			t.Errorf("%s: %d bytes of the document were printed, want %d", name, out.Len(), len(contents(t, "whole.json")))
		}
	}
}

// TestRefusedCalibrationComesBack: a dataset that its gates refuse leaves a page, which
// can be drawn from itself.
func TestRefusedCalibrationComesBack(t *testing.T) {
	pageCommands(t)
	text := strings.Replace(string(contents(t, "lab.yaml")), "max_normalized_rmse: 0.05", "max_normalized_rmse: 0.000001", 1)
	if err := os.WriteFile("strict.yaml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := inferlab("calibrate", "strict.yaml", "--report", "live.html")
	if code != exitFailure || stdout != "" || !strings.Contains(stderr, "strict.yaml") {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
	written(t, "said.json", "report", "--from", "live.html", "-o", "again.html")
	if !bytes.Equal(contents(t, "live.html"), contents(t, "again.html")) {
		t.Error("the page made from itself differs")
	}
}
