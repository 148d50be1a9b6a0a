package workload

import (
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
)

// speculativeName is the first part of every path of a speculative configuration,
// whether or not the block stands below a key of that name.
const speculativeName = "speculative"

var (
	speculativeKeys = []string{
		"family", "initial_token_length", "output_token_count", "max_additional_tokens", "max_iterations",
		"eligibility", "acceptance", "paged_kv", "kv_mode", "state_groups",
	}
	eligibilityKeys = []string{
		"proposer_available", "decoding", "grammar_active", "target_kv_available", "target_hidden_output_count",
		"shared_kv_group_count", "target_layer_count", "early_exit_layer", "allow_design_only", "multi_token_verification",
	}
	acceptanceKeys = []string{
		"kind", "accepted_draft_tokens", "match_probability_by_position", "context_buckets", "conditional_match", "seed",
	}
)

// ReadSpeculative reads the file of the command speculative (contract 04 section
// 7.1) and validates it. The block stands below the key speculative if that is
// present and not null, otherwise at the root. Unknown keys become warnings, or
// refusals in a strict pass.
func ReadSpeculative(root document.Value, strict bool) (*SpeculativeRun, []document.Warning, error) {
	if root.Kind() != document.Object {
		return nil, nil, issue.New(document.CodeType, speculativeName, "expected an object, found %s", root.Describe())
	}
	if block := root.Get(speculativeName); block == nil || block.Kind() == document.Null {
		r := document.NewReader(root, speculativeName)
		r.Strict = strict
		r.Root().Known(append([]string{speculativeName}, speculativeKeys...)...)
		return readSpeculativeRun(r, r.Root(), document.Node{}, false)
	}
	r := document.NewReader(root, "")
	r.Strict = strict
	r.Root().Known(runKeys...)
	knownSurround(r.Root())
	run, warnings, err := readSpeculativeRun(r, r.Root().Get(speculativeName), r.Root(), true)
	return run, warnings, err
}

// ReadSpeculativeFile reads the speculative block of a workload file (contract 06
// section 3) and validates it. Keys that the block lacks are taken from the rest
// of the document (contract 04 section 13.2).
func ReadSpeculativeFile(r *document.Reader) (*SpeculativeRun, error) {
	run, _, err := readSpeculativeRun(r, r.Root().Get(speculativeName), r.Root(), true)
	return run, err
}

func readSpeculativeRun(r *document.Reader, block, root document.Node, nested bool) (*SpeculativeRun, []document.Warning, error) {
	if nested && block.Object() {
		block.Known(speculativeKeys...)
	}
	run := &SpeculativeRun{Family: readFamily(block.Get("family"))}
	contract, err := ContractOf(run.Family)
	if err != nil {
		return nil, r.Warnings(), r.Err() // the refusal of the family, or an earlier one
	}
	var surround runDocument
	if nested {
		surround = readRunDocument(root)
	}
	run.InitialTokens = countOr(block.Get("initial_token_length"), surround.inputSeqLen, 0, true)
	run.OutputTokens = countOr(block.Get("output_token_count"), surround.outputSeqLen, 0, false)
	run.MaxAdditionalTokens = block.Get("max_additional_tokens").Count()
	run.MaxIterations = block.Get("max_iterations").PositiveOr(max(1, run.OutputTokens))
	run.Eligibility = readEligibility(block.Get("eligibility"), contract)
	run.Acceptance = readAcceptance(block.Get("acceptance"), surround.seed)
	if paged := block.Get("paged_kv"); paged.Present() {
		run.PagedKV = readPagedKV(paged)
	}
	readKVMode(block.Get("kv_mode"), contract)
	if groups := block.Get("state_groups"); groups.Present() {
		run.StateGroups = readStateGroups(groups)
	}
	if err := r.Err(); err != nil {
		return nil, r.Warnings(), err
	}
	return run, r.Warnings(), run.Validate()
}

func readFamily(n document.Node) Family { return Family(n.OneOf(FamilyNames()...)) }

// runDocument holds what a full run document says outside the block; a node that
// is not present was not there.
type runDocument struct {
	inputSeqLen, outputSeqLen, seed document.Node
}

// knownSurround notes the keys of a run document's surrounding objects that no
// command reads.
func knownSurround(root document.Node) {
	for _, w := range [...]struct {
		name string
		keys []string
	}{{"pipeline", []string{"input_seq_len", "output_seq_len"}}, {"simulation", []string{"seed"}}} {
		if n := root.Get(w.name); n.OK() && n.Present() && n.Value().Kind() == document.Object {
			n.Known(w.keys...)
		}
	}
}

func readRunDocument(root document.Node) runDocument {
	var d runDocument
	if pipeline := root.Get("pipeline"); pipeline.Present() {
		d.inputSeqLen, d.outputSeqLen = pipeline.Get("input_seq_len"), pipeline.Get("output_seq_len")
	}
	if simulation := root.Get("simulation"); simulation.Present() {
		d.seed = simulation.Get("seed")
	}
	return d
}

// countOr reads a count from the first of two places that is present.
func countOr(n, elsewhere document.Node, absent int64, optional bool) int64 {
	switch {
	case n.Present() || !elsewhere.Present() && !optional:
		return n.Count()
	case elsewhere.Present():
		return elsewhere.Count()
	}
	return absent
}

func readEligibility(n document.Node, contract *FamilyContract) Eligibility {
	e := contract.DefaultEligibility()
	if !n.Present() {
		return e
	}
	n.Known(eligibilityKeys...)
	e.ProposerAvailable = n.Get("proposer_available").BoolOr(e.ProposerAvailable)
	e.Decoding = n.Get("decoding").OneOfOr(e.Decoding, Greedy, Sampling)
	e.GrammarActive = n.Get("grammar_active").BoolOr(e.GrammarActive)
	e.TargetKVAvailable = n.Get("target_kv_available").BoolOr(e.TargetKVAvailable)
	e.TargetHiddenOutputs = n.Get("target_hidden_output_count").CountOr(e.TargetHiddenOutputs)
	e.SharedKVGroups = n.Get("shared_kv_group_count").CountOr(e.SharedKVGroups)
	if contract.Family == SelfSpeculative {
		e.TargetLayers = n.Get("target_layer_count").NumberOr(e.TargetLayers)
		e.EarlyExitLayer = n.Get("early_exit_layer").NumberOr(e.EarlyExitLayer)
		e.AllowDesignOnly = n.Get("allow_design_only").BoolOr(e.AllowDesignOnly)
	}
	e.MultiTokenVerification = n.Get("multi_token_verification").BoolOr(e.MultiTokenVerification)
	return e
}

// readAcceptance reads a model; seed is where the seed stands when the block has
// none, if anywhere.
func readAcceptance(n, seed document.Node) Acceptance {
	n.Object()
	if n.OK() {
		n.Known(acceptanceKeys...)
	}
	a := readAcceptanceKind(n)
	if a.Kind == AcceptReplay {
		a.Accepted = readNumbers(n.Get("accepted_draft_tokens"))
	}
	a.Seed = countOr(n.Get("seed"), seed, DefaultAcceptanceSeed, true)
	return a
}

// readAcceptanceKind reads the kind and, of a conditional one, its distribution.
func readAcceptanceKind(n document.Node) Acceptance {
	const another = "empirical_by_position" // of conditional_empirical, with the list conditional_match
	kind := n.Get("kind").OneOf(string(AcceptReplay), string(AcceptEmpirical), string(AcceptHeuristic), another)
	a := Acceptance{Kind: AcceptanceKind(kind)}
	buckets := n.Get("context_buckets")
	switch {
	case kind == another:
		a.Kind = AcceptEmpirical
		a.Probabilities = readNumbers(n.Get("conditional_match"))
	case a.Kind == AcceptEmpirical && buckets.Present():
		a.Buckets = readBuckets(buckets)
		if flat := n.Get("match_probability_by_position"); flat.Present() {
			a.Probabilities = readNumbers(flat) // refused by Validate
		}
	case a.Kind == AcceptEmpirical && !n.Get("match_probability_by_position").Present():
		n.Get("match_probability_by_position").Fail(document.CodeMissing, "is missing; expected a list of probabilities, or context_buckets instead")
	case a.Kind == AcceptEmpirical || a.Kind == AcceptHeuristic:
		a.Probabilities = readNumbers(n.Get("match_probability_by_position"))
	}
	return a
}

func readNumbers(n document.Node) []float64 {
	list := make([]float64, 0, n.Len())
	for _, item := range n.Items() {
		list = append(list, item.Number())
	}
	return list
}

func readBuckets(n document.Node) []AcceptanceBucket {
	buckets := make([]AcceptanceBucket, 0, n.Len())
	for _, item := range n.Items() {
		item.Known("min_context_tokens", "match_probability_by_position")
		buckets = append(buckets, AcceptanceBucket{
			MinContextTokens: item.Get("min_context_tokens").Count(),
			Probabilities:    readNumbers(item.Get("match_probability_by_position")),
		})
	}
	return buckets
}

func readPagedKV(n document.Node) *PagedKV {
	n.Known("sequence_id", "page_size_tokens", "bytes_per_token", "capacity_bytes")
	p := &PagedKV{SequenceID: "target"}
	if id := n.Get("sequence_id"); id.Present() {
		p.SequenceID = id.NonEmpty()
	}
	p.PageSizeTokens = n.Get("page_size_tokens").Positive()
	p.BytesPerToken = n.Get("bytes_per_token").Positive()
	p.CapacityBytes = n.Get("capacity_bytes").Positive()
	return p
}

// readKVMode compares a declared KV lifetime with the family's; it changes nothing
// else (contract 04 section 13.1).
func readKVMode(n document.Node, contract *FamilyContract) {
	if !n.Present() {
		return
	}
	if mode := n.Text(); n.OK() && mode != contract.KVMode() {
		n.Fail(document.CodeChoice, "kv_mode of family %s is %q, found %q", contract.Family, contract.KVMode(), mode)
	}
}

func readStateGroups(n document.Node) []StateGroup {
	groups := make([]StateGroup, 0, n.Len())
	for _, item := range n.Items() {
		item.Known("id", "owner", "role", "lifetime", "capacity_tokens", "rollback")
		g := StateGroup{
			ID:             item.Get("id").NonEmpty(),
			Owner:          StateOwner(item.Get("owner").OneOf(string(OwnedByTarget), string(OwnedByProposer))),
			Role:           StateRole(item.Get("role").OneOfOr("", stateRoles...)),
			Lifetime:       StateLifetime(item.Get("lifetime").OneOfOr("", string(CommittedPrefix), string(ProposalLocal), string(Borrowed))),
			CapacityTokens: item.Get("capacity_tokens").Count(),
		}
		rollback := item.Get("rollback")
		g.Rollback.Bounded = rollback.Get("kind").OneOf("non_destructive_tail", "bounded_snapshot") == "bounded_snapshot"
		if g.Rollback.Bounded {
			g.Rollback.MaxRollbackTokens = rollback.Get("max_rollback_tokens").Count()
		}
		groups = append(groups, g)
	}
	if n.OK() && len(groups) == 0 {
		n.Fail("empty_list", "expected at least one state group")
	}
	return groups
}
