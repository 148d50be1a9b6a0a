package result

import (
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/serving"
)

// servingGain writes what speculation bought (contract 08 section B10). Inputs that
// the acceptance did not declare are null.
func servingGain(w *jsondoc.Writer, g *serving.Gain) {
	w.Object()
	w.Key("baselineTokensPerSecond").Float(g.BaselineTokensPerSecond)
	w.Key("speculativeTokensPerSecond").Float(g.SpeculativeTokensPerSecond)
	w.Key("speedup").Float(g.Speedup)
	w.Key("ceiling").Float(g.CommittedTokensPerTargetForward)
	w.Key("committedTokensPerTargetForward").Float(g.CommittedTokensPerTargetForward)
	declared(w.Key("firstPositionAcceptance"), g.FirstPositionAcceptance, g.HasFirstPositionAcceptance)
	declared(w.Key("acceptanceDecay"), g.AcceptanceDecay, g.HasAcceptanceDecay)
	w.End()
}

func declared(w *jsondoc.Writer, v float64, has bool) {
	if has {
		w.Float(v)
	} else {
		w.Null()
	}
}
