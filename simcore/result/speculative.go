package result

import (
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// SpeculativeRevisions lists the contracts on the path of a speculative run.
func SpeculativeRevisions(s *speculative.Run) []jsondoc.Revision {
	list := []jsondoc.Revision{
		{Name: "proposerFamily", Revision: workload.FamilyContractRevision},
		{Name: "speculativeIteration", Revision: trace.SpeculativeIterationRevision},
	}
	if s.Trace.PagedKV != nil {
		list = append(list, jsondoc.Revision{Name: "pagedKv", Revision: trace.PagedKVContractRevision})
	}
	return list
}

// Speculative writes the document of the speculative command (contract 04 section
// 7.3).
func Speculative(w *jsondoc.Writer, s *speculative.Run) {
	w.Object()
	w.Head(jsondoc.Head{Command: "speculative", ContractRevisions: SpeculativeRevisions(s), Confidence: SpeculativeConfidence(s)})
	speculativeAcceptance(w, s)
	speculativeWorkload(w, s)
	w.End()
}

// SpeculativeConfidence is the class of a run without a machine. Counts and lengths
// are exact consequences of the accepted lengths. Those of a replay are evidence;
// those of a conditional distribution are samples of a list that the configuration
// declares without provenance, and the weakest input labels the result.
func SpeculativeConfidence(s *speculative.Run) evidence.Class {
	if s.Config.Acceptance.Kind == workload.AcceptReplay {
		return evidence.Exact
	}
	return evidence.Heuristic
}

// speculativeAcceptance names where the accepted lengths come from.
func speculativeAcceptance(w *jsondoc.Writer, s *speculative.Run) {
	a := &s.Config.Acceptance
	w.Key("acceptance").Object()
	w.Key("kind").Text(string(a.Kind))
	if a.Kind != workload.AcceptReplay {
		w.Key("seed").Int(a.Seed)
	}
	w.End()
}

// speculativeResult writes the result of a workload as an object.
func speculativeResult(w *jsondoc.Writer, s *speculative.Run) {
	w.Object()
	speculativeWorkload(w, s)
	w.End()
}

// speculativeWorkload writes the members of contract 04 section 7.3.
func speculativeWorkload(w *jsondoc.Writer, s *speculative.Run) {
	t := &s.Trace
	w.Key("family").Text(string(t.Family))
	w.Key("familyContract")
	familyContract(w, s.Contract)
	w.Key("initialTokenLength").Int(t.InitialTokens)
	w.Key("finalTokenLength").Int(t.FinalTokens)
	w.Key("targetOnlyFinalTokenLength").Int(s.Config.InitialTokens + s.Config.OutputTokens)
	t.WriteRecord(w)
}

func familyContract(w *jsondoc.Writer, c *workload.FamilyContract) {
	w.Object()
	w.Key("revision").Int(workload.FamilyContractRevision)
	w.Key("family").Text(string(c.Family))
	w.Key("support").Text(string(c.Support))
	w.Key("execution").Text(string(c.Execution))
	w.Key("proposalPrefix").Text(string(c.ProposalPrefix))
	w.Key("targetHiddenOutputCount").Int(c.TargetHiddenOutputs)
	w.Key("requiresSharedKvGroups").Bool(c.RequiresSharedKVGroups)
	w.Key("proposerCostScale").Float(c.ProposerCostScale)
	w.Key("state").Array()
	for _, row := range c.State {
		w.Element().Object()
		w.Key("role").Text(string(row.Role))
		w.Key("owner").Text(string(row.Owner))
		w.Key("lifetime").Text(string(row.Lifetime))
		w.End()
	}
	w.End()
	w.End()
}

// Execution is a speculative workload on a machine.
type Execution struct {
	Run         *run.Result
	Speculation *run.Speculation
}

func (e *Execution) write(w *jsondoc.Writer) {
	w.Key("topology")
	e.Run.WriteExecution(w)
	w.Key("speculation")
	e.Speculation.WriteDocument(w)
}

const tokenTraceCommand = "speculative-trace"

// tokenHead writes the head of a token evidence document. Derived tokens and
// states are exact; modeled time has the class of its run.
func tokenHead(w *jsondoc.Writer, command string, t *speculative.TokenRun, e *Execution, more ...jsondoc.Revision) {
	h := jsondoc.Head{Command: command, Confidence: evidence.Exact}
	if command == tokenTraceCommand && e == nil {
		h.Revision = trace.TokenTraceRevision // a key of the result itself
	}
	h.ContractRevisions = append(append(h.ContractRevisions, SpeculativeRevisions(t.Workload)...),
		jsondoc.Revision{Name: "tokenTrace", Revision: trace.TokenTraceRevision})
	h.ContractRevisions = append(h.ContractRevisions, more...)
	if e != nil {
		h.ContractRevisions = append(h.ContractRevisions, run.Revisions()...)
		h.ScenarioFingerprint = e.Run.Scenario.Fingerprint()
		h.Confidence = e.Run.Confidence
	}
	w.Head(h)
}

// TokenTrace writes the document of the speculative-trace command (contract 04
// sections 8.4 and 10). A nil execution leaves the derived trace alone.
func TokenTrace(w *jsondoc.Writer, t *speculative.TokenRun, e *Execution) {
	w.Object()
	tokenHead(w, tokenTraceCommand, t, e)
	if e == nil {
		tokenMembers(w, t)
	} else {
		nestedTokens(w, t)
		e.write(w)
	}
	w.End()
}

// Capture writes the document of the speculative-capture command (contract 04
// section 10).
func Capture(w *jsondoc.Writer, c *speculative.CaptureRun, e *Execution) {
	w.Object()
	tokenHead(w, "speculative-capture", c.Tokens, e, jsondoc.Revision{Name: "runtimeCapture", Revision: trace.RuntimeCaptureRevision})
	w.Key("targetOnlyCaptureId").Text(c.TargetOnlyID)
	w.Key("speculativeCaptureId").Text(c.SpeculativeID)
	nestedTokens(w, c.Tokens)
	if e != nil {
		e.write(w)
	}
	w.End()
}

// nestedTokens writes the result of a token trace as an object of its own.
func nestedTokens(w *jsondoc.Writer, t *speculative.TokenRun) {
	w.Key("trace").Object()
	w.Key("revision").Int(trace.TokenTraceRevision)
	tokenMembers(w, t)
	w.End()
}

// tokenMembers writes the members of contract 04 section 8.4 but for the
// revision.
func tokenMembers(w *jsondoc.Writer, t *speculative.TokenRun) {
	p := &t.Trace.Provenance
	w.Key("traceId").Text(t.Trace.ID)
	w.Key("family").Text(string(t.Trace.Family))
	w.Key("provenance")
	p.Write(w)
	w.Key("promptTokenCount").Int(int64(len(t.Trace.Prompt)))
	w.Key("promptTokenIds").Ints(t.Trace.Prompt)
	w.Key("expectedOutputTokenIds").Ints(t.Trace.ExpectedOutput)
	w.Key("committedOutputTokenIds").Ints(t.Committed)
	w.Key("iterations").Array()
	for i := range t.Iterations {
		w.Element()
		derivedIteration(w, i, &t.Trace.Iterations[i], &t.Iterations[i])
	}
	w.End()
	w.Key("differential").Object()
	w.Key("matchesTargetOnly").Bool(t.Differential.MatchesTargetOnly())
	w.Key("comparedTokenCount").Int(t.Differential.ComparedTokens)
	if m := t.Differential.Mismatch; m != nil {
		w.Key("firstMismatch").Object()
		w.Key("outputIndex").Int(m.OutputIndex)
		w.Key("expectedTokenId").Int(m.Expected)
		w.Key("actualTokenId").Int(m.Actual)
		w.End()
	}
	w.End()
	w.Key("workload")
	speculativeResult(w, t.Workload)
}

func derivedIteration(w *jsondoc.Writer, number int, it *trace.TokenIteration, d *speculative.DerivedIteration) {
	w.Object()
	w.Key("iteration").Int(int64(number))
	w.Key("id").Text(it.ID)
	w.Key("outputOffset").Int(d.OutputOffset)
	w.Key("guaranteedTargetTokens").Int(d.Shape.Guaranteed)
	w.Key("proposedAdditionalTokens").Int(d.Shape.ProposedAdditional)
	w.Key("proposedDraftTokens").Int(d.Shape.ProposedDraftTokens())
	w.Key("targetTokenWidth").Int(d.Shape.TargetTokenWidth())
	w.Key("acceptedAdditionalTokens").Int(d.AcceptedAdditional)
	w.Key("acceptedDraftTokens").Int(d.Decision.AcceptedDraft)
	w.Key("rejectedDraftTokens").Int(d.Decision.RejectedDraft)
	w.Key("targetAuthoritativeTokens").Int(d.Decision.Authoritative)
	w.Key("committedTokens").Int(d.Decision.Committed)
	w.Key("outcome").Text(d.Decision.Outcome.String())
	w.Key("proposalTokenIds").Ints(it.Proposal)
	w.Key("targetTokenIds").Ints(it.Target)
	w.Key("committedTokenIds").Ints(d.Committed)
	w.End()
}
