package result

import (
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// servingSpeculation writes a proposer's configuration, defaults filled in: what an
// independent replay needs to derive every draw again.
func servingSpeculation(w *jsondoc.Writer, s *workload.ServingSpeculation) {
	w.Object()
	w.Key("family").Text(string(s.Family))
	w.Key("maxAdditionalTokens").Int(s.MaxAdditionalTokens)
	w.Key("eligibility")
	trace.WriteEligibility(w, s.Family, &s.Eligibility)
	w.Key("acceptance").Object()
	w.Key("kind").Text(string(s.Acceptance.Kind))
	switch a := &s.Acceptance; {
	case a.Kind == workload.AcceptReplay:
		w.Key("acceptedDraftTokensByRequest").Object()
		for i := range s.Replays {
			w.Key(s.Replays[i].RequestID).Floats(s.Replays[i].Accepted)
		}
		w.End()
	case a.Buckets != nil:
		trace.WriteBuckets(w.Key("contextBuckets"), a.Buckets)
		w.Key("seed").Int(a.Seed)
	default:
		w.Key("matchProbabilityByPosition").Floats(a.Probabilities)
		w.Key("seed").Int(a.Seed)
	}
	w.End()
	w.End()
}
