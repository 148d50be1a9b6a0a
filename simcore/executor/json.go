package executor

import (
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Encode writes the execution result as a JSON object (contract 03 section 8).
func (r *Result) Encode(w *jsondoc.Writer) {
	w.Object()
	w.Key("status").Text(string(r.Status))
	w.Key("executionId").Text(r.ExecutionID)
	w.Key("completedAtNs").Int(r.CompletedAtNs)
	w.Key("trace")
	r.Trace.Encode(w)
	trace.EncodeRankCompletions(w.Key("rankCompletions"), r.RankCompletions)
	trace.EncodeRankStates(w.Key("rankStates"), r.RankStates())
	w.End()
}
