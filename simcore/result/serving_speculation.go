package result

import (
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/workload"
)

// servingSpeculation writes a proposer's configuration, defaults filled in: what an
// independent replay needs to derive every draw again.
func servingSpeculation(w *jsondoc.Writer, s *workload.ServingSpeculation) {
	w.Object()
	w.Key("family").Text(string(s.Family))
	w.Key("maxAdditionalTokens").Int(s.MaxAdditionalTokens)
	w.Key("eligibility")
	eligibility(w, s.Family, &s.Eligibility)
	w.Key("acceptance").Object()
	w.Key("kind").Text(string(s.Acceptance.Kind))
	switch a := &s.Acceptance; {
	case a.Kind == workload.AcceptReplay:
		w.Key("acceptedDraftTokensByRequest").Object()
		for i := range s.Replays {
			floats(w.Key(s.Replays[i].RequestID), s.Replays[i].Accepted)
		}
		w.End()
	case a.Buckets != nil:
		w.Key("contextBuckets").Array()
		for i := range a.Buckets {
			w.Element().Object()
			w.Key("minContextTokens").Int(a.Buckets[i].MinContextTokens)
			floats(w.Key("matchProbabilityByPosition"), a.Buckets[i].Probabilities)
			w.End()
		}
		w.End()
		w.Key("seed").Int(a.Seed)
	default:
		floats(w.Key("matchProbabilityByPosition"), a.Probabilities)
		w.Key("seed").Int(a.Seed)
	}
	w.End()
	w.End()
}

// eligibility writes what the backend offers; the layer split only where it is
// read.
func eligibility(w *jsondoc.Writer, family workload.Family, e *workload.Eligibility) {
	w.Object()
	w.Key("proposerAvailable").Bool(e.ProposerAvailable)
	w.Key("decoding").Text(e.Decoding)
	w.Key("grammarActive").Bool(e.GrammarActive)
	w.Key("targetKvAvailable").Bool(e.TargetKVAvailable)
	w.Key("targetHiddenOutputCount").Int(e.TargetHiddenOutputs)
	w.Key("sharedKvGroupCount").Int(e.SharedKVGroups)
	w.Key("multiTokenVerification").Bool(e.MultiTokenVerification)
	if family == workload.SelfSpeculative {
		w.Key("targetLayerCount").Float(e.TargetLayers)
		w.Key("earlyExitLayer").Float(e.EarlyExitLayer)
		w.Key("allowDesignOnly").Bool(e.AllowDesignOnly)
	}
	w.End()
}

func floats(w *jsondoc.Writer, list []float64) {
	w.Array()
	for _, v := range list {
		w.Element().Float(v)
	}
	w.End()
}
