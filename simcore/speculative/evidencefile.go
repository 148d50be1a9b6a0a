package speculative

import (
	"strings"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

var (
	tokenTraceKeys      = []string{"revision", "id", "provenance", "family", "prompt_token_ids", "expected_output_token_ids", "max_additional_tokens", "iterations"}
	tokenProvenanceKeys = []string{"source", "runtime_revision", "model_fingerprint", "proposer_fingerprint", "tokenizer_fingerprint",
		"generation_config_fingerprint", "target_only_run_id", "speculative_run_id"}
	captureKeys            = []string{"revision", "id", "role", "provenance", "completion_reason", "prompt_token_ids", "output_token_ids", "terminal"}
	captureSpeculativeKeys = []string{"family", "proposer_fingerprint", "max_additional_tokens", "iterations"}
	captureProvenanceKeys  = []string{"source", "runtime_revision", "model_fingerprint", "tokenizer_fingerprint", "generation_config_fingerprint"}
)

// ReadTokenTrace reads a token trace file of revision 2 (contract 04 section 8.1).
// Unknown keys, missing keys and blank texts are errors at every level.
func ReadTokenTrace(root document.Value) (*trace.TokenTrace, error) {
	n, r, err := unwrap(root, "speculative_token_trace")
	if err != nil {
		return nil, err
	}
	if !n.Closed(tokenTraceKeys) {
		return nil, r.Err()
	}
	readRevision(n, trace.TokenTraceRevision)
	t := &trace.TokenTrace{ID: text(n.Get("id"))}
	if p := n.Get("provenance"); p.Closed(tokenProvenanceKeys) {
		t.Provenance = trace.TokenProvenance{
			Source: text(p.Get("source")), RuntimeRevision: text(p.Get("runtime_revision")),
			ModelFingerprint: text(p.Get("model_fingerprint")), ProposerFingerprint: text(p.Get("proposer_fingerprint")),
			TokenizerFingerprint: text(p.Get("tokenizer_fingerprint")), GenerationConfigFingerprint: text(p.Get("generation_config_fingerprint")),
			TargetOnlyRunID: text(p.Get("target_only_run_id")), SpeculativeRunID: text(p.Get("speculative_run_id")),
		}
	}
	t.Family = workload.Family(n.Get("family").OneOf(workload.FamilyNames()...))
	t.Prompt = tokens(n.Get("prompt_token_ids"))
	t.ExpectedOutput = tokens(n.Get("expected_output_token_ids"))
	t.MaxAdditionalTokens = n.Get("max_additional_tokens").Count()
	iterations := n.Get("iterations")
	t.Iterations = make([]trace.TokenIteration, 0, iterations.Len())
	for _, item := range iterations.Items() {
		if item.Closed([]string{"id", "proposal_token_ids", "target_token_ids"}) {
			t.Iterations = append(t.Iterations, readTokenIteration(item))
		}
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return t, checkTokenTrace(t)
}

func readTokenIteration(n document.Node) trace.TokenIteration {
	return trace.TokenIteration{ID: text(n.Get("id")), Proposal: tokens(n.Get("proposal_token_ids")), Target: tokens(n.Get("target_token_ids"))}
}

// ReadCapture reads a runtime capture file of revision 1 (contract 04 section
// 9.1), as strictly as a token trace.
func ReadCapture(root document.Value) (*trace.Capture, error) {
	n, r, err := unwrap(root, "runtime_token_capture")
	if err != nil {
		return nil, err
	}
	c := &trace.Capture{Role: trace.CaptureRole(n.Get("role").OneOf(string(trace.CaptureTargetOnly), string(trace.CaptureSpeculative)))}
	keys := captureKeys
	if c.Role == trace.CaptureSpeculative {
		keys = append(append([]string(nil), captureKeys...), captureSpeculativeKeys...)
	}
	if r.Err() != nil || !n.Closed(keys) {
		return nil, r.Err()
	}
	readRevision(n, trace.RuntimeCaptureRevision)
	c.ID = text(n.Get("id"))
	if p := n.Get("provenance"); p.Closed(captureProvenanceKeys) {
		c.Provenance = trace.CaptureProvenance{
			Source: text(p.Get("source")), RuntimeRevision: text(p.Get("runtime_revision")), ModelFingerprint: text(p.Get("model_fingerprint")),
			TokenizerFingerprint: text(p.Get("tokenizer_fingerprint")), GenerationConfigFingerprint: text(p.Get("generation_config_fingerprint")),
		}
	}
	n.Get("completion_reason").OneOf("max_tokens") // other ends are outside this revision
	c.Prompt, c.Output = filled(n.Get("prompt_token_ids")), filled(n.Get("output_token_ids"))
	if c.Role == trace.CaptureSpeculative {
		readSpeculativeCapture(n, c)
	}
	readTerminal(n.Get("terminal"), c)
	return c, r.Err()
}

func readSpeculativeCapture(n document.Node, c *trace.Capture) {
	c.Family = workload.Family(n.Get("family").OneOf(workload.FamilyNames()...))
	c.ProposerFingerprint = text(n.Get("proposer_fingerprint"))
	c.MaxAdditionalTokens = n.Get("max_additional_tokens").Count()
	list := n.Get("iterations")
	seen := make(map[string]bool, list.Len())
	for _, item := range list.Items() {
		if !item.Closed([]string{"id", "output_offset", "proposal_token_ids", "target_token_ids", "committed_token_ids"}) {
			return
		}
		it := trace.CaptureIteration{TokenIteration: readTokenIteration(item),
			OutputOffset: item.Get("output_offset").Count(), Committed: tokens(item.Get("committed_token_ids"))}
		if seen[it.ID] {
			item.Get("id").Fail("duplicate_id", "iteration id %q is used twice", it.ID)
		}
		seen[it.ID] = true
		c.Iterations = append(c.Iterations, it)
	}
	if list.OK() && len(c.Iterations) == 0 {
		list.Fail("empty_list", "expected at least one iteration")
	}
}

func readTerminal(n document.Node, c *trace.Capture) {
	if !n.Closed([]string{"status", "output_token_count", "iteration_count"}) {
		return
	}
	n.Get("status").OneOf("completed")
	if count := n.Get("output_token_count"); count.Count() != int64(len(c.Output)) {
		count.Fail("terminal", "found %d, expected %d, the output tokens of the capture", count.Count(), len(c.Output))
	}
	if count := n.Get("iteration_count"); count.Count() != int64(len(c.Iterations)) {
		count.Fail("terminal", "found %d, expected %d, the iterations of the capture", count.Count(), len(c.Iterations))
	}
}

// unwrap finds the object: the value of the wrapper key, which is then the only
// root key, or the root itself.
func unwrap(root document.Value, wrapper string) (document.Node, *document.Reader, error) {
	if root.Kind() != document.Object {
		return document.Node{}, nil, issue.New(document.CodeType, wrapper, "expected an object, found %s", root.Describe())
	}
	r := document.NewReader(root, "")
	if inner := root.Get(wrapper); inner == nil {
		return r.Root(), r, nil
	}
	r.Root().Closed([]string{wrapper})
	return r.Root().Get(wrapper), r, r.Err()
}

func readRevision(n document.Node, want int64) {
	revision := n.Get("revision")
	if v := revision.Integer(); revision.OK() && v != want {
		revision.Fail(document.CodeChoice, "revision %d is not supported, expected %d", v, want)
	}
}

// text reads a text that is not blank.
func text(n document.Node) string {
	s := n.Text()
	if n.OK() && blank(s) {
		key := n.Path()
		key = key[strings.LastIndexByte(key, '.')+1:]
		n.Fail("blank", "%s must not be blank", key)
	}
	return s
}

// tokens reads a list of token ids.
func tokens(n document.Node) []int64 {
	ids := make([]int64, 0, n.Len())
	for _, item := range n.Items() {
		ids = append(ids, item.IntegerIn(0, 1<<53-1, "a token id (a non-negative integer)"))
	}
	return ids
}

// filled is tokens for lists that must not be empty.
func filled(n document.Node) []int64 {
	ids := tokens(n)
	if n.OK() && len(ids) == 0 {
		n.Fail("empty_list", "expected at least one token id")
	}
	return ids
}
