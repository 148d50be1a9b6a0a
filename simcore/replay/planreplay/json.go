package planreplay

import (
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Encode writes the replay result as a JSON object (contract 03 section 8).
func (r *Result) Encode(w *jsondoc.Writer) {
	w.Object()
	w.Key("status").Text(string(r.Status))
	w.Key("appliedEvents").Int(r.AppliedEvents)
	w.Key("completedAtNs").Int(r.CompletedAtNs)
	trace.EncodeRankCompletions(w.Key("rankCompletions"), r.RankCompletions)
	trace.EncodeRankStates(w.Key("rankStates"), r.RankStates)
	w.End()
}
