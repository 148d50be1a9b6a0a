package workload_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/workload"
)

func readSpeculative(t testing.TB, text string) (*workload.SpeculativeRun, error) {
	t.Helper()
	doc, err := document.Parse([]byte(text), "run.yaml")
	if err != nil {
		t.Fatal(err)
	}
	run, _, err := workload.ReadSpeculative(doc, false)
	return run, err
}

const speculativeFile = `speculative:
  family: shared_kv
  output_token_count: 6
  max_additional_tokens: 2
  acceptance: {kind: conditional_empirical, match_probability_by_position: [0.5, 0.25]}
`

func TestReadSpeculativeDefaults(t *testing.T) {
	got, err := readSpeculative(t, speculativeFile)
	if err != nil {
		t.Fatal(err)
	}
	want := &workload.SpeculativeRun{
		Family: workload.SharedKV, OutputTokens: 6, MaxAdditionalTokens: 2, MaxIterations: 6,
		Eligibility: workload.Eligibility{ProposerAvailable: true, Decoding: workload.Greedy, TargetKVAvailable: true,
			TargetHiddenOutputs: 1, SharedKVGroups: 1, TargetLayers: 32, EarlyExitLayer: 16, AllowDesignOnly: true, MultiTokenVerification: true},
		Acceptance: workload.Acceptance{Kind: workload.AcceptEmpirical, Probabilities: []float64{0.5, 0.25}, Seed: 42},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]workload.StateGroup{
		{ID: "shared_kv:target_kv:0", Owner: workload.OwnedByTarget, Role: workload.RoleTargetKV, Lifetime: workload.CommittedPrefix, CapacityTokens: 8},
		{ID: "shared_kv:shared_kv_lease:1", Owner: workload.OwnedByTarget, Role: workload.RoleSharedKVLease, Lifetime: workload.Borrowed, CapacityTokens: 8},
		{ID: "shared_kv:recurrent_state:2", Owner: workload.OwnedByProposer, Role: workload.RoleRecurrentState, Lifetime: workload.ProposalLocal,
			CapacityTokens: 2, Rollback: workload.RollbackProtection{Bounded: true, MaxRollbackTokens: 2}},
	}, got.Groups()); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
}

// TestSpeculativeRunDocument: what the block lacks comes from the rest of a run
// document, and explicit keys win (contract 04 section 13.2).
func TestSpeculativeRunDocument(t *testing.T) {
	rest := "pipeline: {input_seq_len: 9, output_seq_len: 4}\nsimulation: {seed: 5}\nspeculative:\n  family: mtp\n  max_additional_tokens: 1\n" +
		"  acceptance: {kind: empirical_by_position, conditional_match: [0.5]}\n"
	got, err := readSpeculative(t, rest)
	if err != nil {
		t.Fatal(err)
	}
	if got.InitialTokens != 9 || got.OutputTokens != 4 || got.Acceptance.Seed != 5 || got.Acceptance.Kind != workload.AcceptEmpirical {
		t.Errorf("%+v", got)
	}
	explicit := strings.Replace(rest, "  family: mtp\n", "  family: mtp\n  initial_token_length: 0\n  output_token_count: 7\n", 1)
	explicit = strings.Replace(explicit, "[0.5]}", "[0.5], seed: 6}", 1)
	got, err = readSpeculative(t, explicit)
	if err != nil {
		t.Fatal(err)
	}
	if got.InitialTokens != 0 || got.OutputTokens != 7 || got.Acceptance.Seed != 6 {
		t.Errorf("%+v", got)
	}
}

// TestSurroundingKeysAreNoted: what a run document says around its blocks, and no
// command reads, is a warning with the nearest key, in every kind of workload.
func TestSurroundingKeysAreNoted(t *testing.T) {
	const surround = "pipeline: {input_seq_len: 9, output_seq_len: 4, output_seqlen: 5}\nsimulation: {sed: 5}\n"
	want := []string{
		"pipeline.output_seqlen: unknown key is ignored; did you mean output_seq_len?",
		"simulation.sed: unknown key is ignored; did you mean seed?",
	}
	const block = "speculative: {family: mtp, max_additional_tokens: 1, acceptance: {kind: replay, accepted_draft_tokens: []}}\n"
	texts := func(warnings []document.Warning) (all []string) {
		for _, w := range warnings {
			all = append(all, w.String())
		}
		return all
	}
	doc, err := document.Parse([]byte(surround+block), "run.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, warnings, err := workload.ReadSpeculative(doc, false)
	if err != nil || !cmp.Equal(texts(warnings), want) {
		t.Errorf("speculative: %v, %v", warnings, err)
	}
	if _, _, err = workload.ReadSpeculative(doc, true); err == nil || !strings.HasPrefix(err.Error(), "pipeline.output_seqlen: unknown key") {
		t.Errorf("a strict pass: %v", err)
	}
	for _, block := range []string{block, "target_only: {token_count: 4}\n"} {
		if doc, err = document.Parse([]byte(surround+block), "run.yaml"); err != nil {
			t.Fatal(err)
		}
		r := document.NewReader(doc, "")
		if _, err := workload.ReadRun(r); err != nil || !cmp.Equal(texts(r.Warnings()), want) {
			t.Errorf("%s: %v, %v", block, r.Warnings(), err)
		}
	}
}

// TestSpeculativeRefusals: every refusal names its place by the dotted path of the
// block, also when the block is the root.
func TestSpeculativeRefusals(t *testing.T) {
	for _, c := range [][3]string{ // old, new, what the refusal must name
		{"family: shared_kv", "family: medusa", "medusa"},
		{"  family: shared_kv\n", "", "speculative.family"},
		{"output_token_count: 6", "output_token_count: 1.5", "speculative.output_token_count"},
		{"output_token_count: 6", "output_token_count: null", "speculative.output_token_count"},
		{"output_token_count: 6", "output_token_count: 9007199254740991", "max_additional_tokens"},
		{"max_additional_tokens: 2", "max_additional_tokens: -1", "speculative.max_additional_tokens"},
		{"max_additional_tokens: 2", "max_additional_tokens: 16777217", "speculative.max_additional_tokens: is 16777217, must be at most 16777216"},
		{"max_additional_tokens: 2", "max_additional_tokens: 3", "found 2 for 3 additional tokens"},
		{"max_additional_tokens: 2", "max_additional_tokens: 2\n  max_iterations: 0", "speculative.max_iterations"},
		{"max_additional_tokens: 2", "max_additional_tokens: 2\n  kv_mode: none", "speculative.kv_mode"},
		{"max_additional_tokens: 2", "max_additional_tokens: 2\n  eligibility: {decoding: beam}", "speculative.eligibility.decoding"},
		{"max_additional_tokens: 2", "max_additional_tokens: 2\n  eligibility: {decoding: sampling}", "family shared_kv"},
		{"max_additional_tokens: 2", "max_additional_tokens: 2\n  eligibility: {grammar_active: true}", "family shared_kv"},
		{"max_additional_tokens: 2", "max_additional_tokens: 2\n  eligibility: {target_kv_available: false}", "family shared_kv"},
		{"max_additional_tokens: 2", "max_additional_tokens: 2\n  eligibility: {proposer_available: 1}", "speculative.eligibility.proposer_available"},
		{"max_additional_tokens: 2", "max_additional_tokens: 2\n  paged_kv: {page_size_tokens: 1, bytes_per_token: 1}", "speculative.paged_kv.capacity_bytes"},
		{"max_additional_tokens: 2", "max_additional_tokens: 2\n  paged_kv: {page_size_tokens: 4, bytes_per_token: 9007199254740991, capacity_bytes: 8}", "speculative.paged_kv.page_size_tokens"},
		{"max_additional_tokens: 2", "max_additional_tokens: 2\n  initial_token_length: 9\n  paged_kv: {page_size_tokens: 4, bytes_per_token: 1, capacity_bytes: 8}",
			"speculative.initial_token_length: 9 tokens need 3 pages, and 2 fit"},
		{"max_additional_tokens: 2", "max_additional_tokens: 2\n  state_groups: []", "speculative.state_groups"},
		{"[0.5, 0.25]", "[0.5, 0.25, 1.5]", "1.5"},
		{"kind: conditional_empirical", "kind: average", "average"},
		{"match_probability_by_position: [0.5, 0.25]", "seed: 1", "context_buckets"},
		{"[0.5, 0.25]", "[0.5, 0.25], seed: -1", "speculative.acceptance.seed"},
		{"[0.5, 0.25]", "[0.5, 0.25], context_buckets: []", "context_buckets"},
		{"match_probability_by_position: [0.5, 0.25]", "context_buckets: []", "context_buckets"},
		{"match_probability_by_position: [0.5, 0.25]",
			"context_buckets: [{min_context_tokens: 0, match_probability_by_position: [1, 1]}, {min_context_tokens: 0, match_probability_by_position: [1, 1]}]", "context_buckets"},
		{"match_probability_by_position: [0.5, 0.25]", "context_buckets: [{min_context_tokens: 0, match_probability_by_position: [1]}]", "context_buckets"},
	} {
		text := strings.Replace(speculativeFile, c[0], c[1], 1)
		if _, err := readSpeculative(t, text); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: %v, want it to name %s", c[1], err, c[2])
		}
		root := strings.ReplaceAll(strings.TrimPrefix(text, "speculative:\n"), "\n  ", "\n")
		if _, err := readSpeculative(t, strings.TrimPrefix(root, "  ")); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("at the root, %s: %v, want it to name %s", c[1], err, c[2])
		}
	}
}

// TestLayerFieldsAreReadForSelfSpeculativeOnly: the others ignore whatever they hold.
func TestLayerFieldsAreReadForSelfSpeculativeOnly(t *testing.T) {
	const nonsense = "max_additional_tokens: 2\n  eligibility: {target_layer_count: many, early_exit_layer: [], allow_design_only: 0}"
	text := strings.Replace(speculativeFile, "max_additional_tokens: 2", nonsense, 1)
	if _, err := readSpeculative(t, text); err != nil {
		t.Error(err)
	}
	self := strings.Replace(text, "shared_kv", "self_speculative", 1)
	if _, err := readSpeculative(t, self); err == nil || !strings.Contains(err.Error(), "target_layer_count") {
		t.Errorf("self_speculative: %v", err)
	}
	for layers, ok := range map[string]bool{
		"{target_layer_count: 2, early_exit_layer: 1}": true, "{target_layer_count: 2, early_exit_layer: 2}": false,
		"{target_layer_count: 1, early_exit_layer: 1}": false, "{target_layer_count: 4, early_exit_layer: 0}": false,
		"{target_layer_count: 4.5, early_exit_layer: 1}": false, "{allow_design_only: false}": false,
	} {
		text := strings.Replace(strings.Replace(speculativeFile, "shared_kv", "self_speculative", 1),
			"max_additional_tokens: 2", "max_additional_tokens: 2\n  eligibility: "+layers, 1)
		if _, err := readSpeculative(t, text); (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "self_speculative") {
			t.Errorf("%s: %v", layers, err)
		}
	}
}

func TestServingReplayListsNameTheRequests(t *testing.T) {
	s := &workload.ServingSpeculation{Acceptance: workload.Acceptance{Kind: workload.AcceptReplay},
		Replays: []workload.RequestReplay{{"b", []float64{2}}, {"a", []float64{1, 0}}}}
	requests := []workload.Request{{ID: "a"}, {ID: "b"}}
	lists, err := s.Bind(requests)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float64{{1, 0}, {2}}, lists); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := s.Bind(requests[:1]); err == nil || !strings.Contains(err.Error(), `"b"`) {
		t.Errorf("a list too many: %v", err)
	}
	if _, err := s.Bind(append(requests, workload.Request{ID: "c"})); err == nil || !strings.Contains(err.Error(), `"c"`) {
		t.Errorf("a list too few: %v", err)
	}
}

func TestAcceptanceLadder(t *testing.T) {
	got := workload.AcceptanceLadder(0.8, 13)
	for i, want := range map[int]float64{0: 0.8, 1: 0.624, 2: 0.48672, 12: 0.05} {
		if d := got[i] - want; d > 1e-12 || d < -1e-12 {
			t.Errorf("position %d: %v, want %v", i, got[i], want)
		}
	}
	if !workload.IsAcceptanceLadder(got) || workload.IsAcceptanceLadder([]float64{0.8, 0.6}) || workload.IsAcceptanceLadder([]float64{0.8}) {
		t.Error("the ladder is not recognised, or something else is")
	}
}

func FuzzReadSpeculative(f *testing.F) {
	f.Add(speculativeFile)
	f.Add("family: mtp\noutput_token_count: 3\nmax_additional_tokens: 1\nacceptance: {kind: replay, accepted_draft_tokens: [1]}\npaged_kv: {page_size_tokens: 2, bytes_per_token: 1, capacity_bytes: 9}\n")
	f.Add("speculative: {family: mtp, state_groups: [{id: a, owner: target, capacity_tokens: 1, rollback: {kind: bounded_snapshot, max_rollback_tokens: 1}}]}\n")
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := document.Parse([]byte(text), "run.yaml")
		if err != nil {
			return
		}
		if run, _, err := workload.ReadSpeculative(doc, false); err == nil && run.Validate() != nil {
			t.Errorf("what was read is not valid: %v", run.Validate())
		}
	})
}
