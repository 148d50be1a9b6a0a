package resultdoc

import (
	"encoding/json"
	"strings"

	jsontree "github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// inputs is the key inputs of a full document.
type inputs struct {
	Scenario    json.RawMessage
	CostModel   *costInputs
	Serving     *servingInputs
	Speculation *speculationInputs
	Experts     json.RawMessage
}

// servingInputs is the scheduler's configuration as documents write it.
type servingInputs struct {
	MaxBatchSize, MaxBatchTokens, PrefillChunkTokens, MaxKVTokens, MaxEvents int64
	Admission                                                                string
	Requests                                                                 []workload.Request
}

// speculationInputs is a proposer's configuration as documents write it.
type speculationInputs struct {
	Family              workload.Family
	MaxAdditionalTokens int64
	Eligibility         struct {
		ProposerAvailable, GrammarActive, TargetKvAvailable, MultiTokenVerification, AllowDesignOnly bool
		Decoding                                                                                     string
		TargetHiddenOutputCount, SharedKvGroupCount                                                  int64
		TargetLayerCount, EarlyExitLayer                                                             float64
	}
	Acceptance struct {
		Kind                         workload.AcceptanceKind
		AcceptedDraftTokensByRequest map[string][]float64
		ContextBuckets               []struct {
			MinContextTokens           int64
			MatchProbabilityByPosition []float64
		}
		MatchProbabilityByPosition []float64
		Seed                       int64
	}
}

// scenario validates the scenario again and compares it with the head.
func (d *document) scenario() (*topology.Scenario, error) {
	s, err := topologyOf(d.inputs.Scenario)
	if err != nil {
		return nil, err
	}
	if s.Fingerprint() != d.provenance.ScenarioFingerprint {
		return nil, issue.New("result_fingerprint", "scenarioFingerprint", "is %q; the scenario among the inputs has %q", d.provenance.ScenarioFingerprint, s.Fingerprint())
	}
	return s, nil
}

// topologyOf reads and validates a scenario.
func topologyOf(text json.RawMessage) (*topology.Scenario, error) {
	value, err := jsontree.ParseJSON(text, "inputs.scenario")
	if err != nil {
		return nil, err
	}
	return topology.ReadScenario(value)
}

// config is the scheduler's configuration.
func (c *servingInputs) config() (workload.Serving, error) {
	out := workload.Serving{MaxBatchSize: c.MaxBatchSize, MaxBatchTokens: c.MaxBatchTokens, PrefillChunkTokens: c.PrefillChunkTokens,
		MaxKVTokens: c.MaxKVTokens, MaxEvents: c.MaxEvents, Requests: c.Requests}
	switch c.Admission {
	case "", workload.AdmitGuarded.String():
	case workload.AdmitUnguarded.String():
		out.Admission = workload.AdmitUnguarded
	default:
		return out, issue.New("result_inputs", "inputs.serving.admission", "is %q; expected guarded or unguarded", c.Admission)
	}
	return out, nil
}

// proposer is the proposer's configuration, validated; nil when there is none.
func (s *speculationInputs) proposer(requests []workload.Request) (*workload.ServingSpeculation, error) {
	if s == nil {
		return nil, nil
	}
	e, a := &s.Eligibility, &s.Acceptance
	out := &workload.ServingSpeculation{Family: s.Family, MaxAdditionalTokens: s.MaxAdditionalTokens,
		Eligibility: workload.Eligibility{ProposerAvailable: e.ProposerAvailable, Decoding: e.Decoding, GrammarActive: e.GrammarActive,
			TargetKVAvailable: e.TargetKvAvailable, TargetHiddenOutputs: e.TargetHiddenOutputCount, SharedKVGroups: e.SharedKvGroupCount,
			TargetLayers: e.TargetLayerCount, EarlyExitLayer: e.EarlyExitLayer, AllowDesignOnly: e.AllowDesignOnly,
			MultiTokenVerification: e.MultiTokenVerification},
		Acceptance: workload.Acceptance{Kind: a.Kind, Probabilities: a.MatchProbabilityByPosition, Seed: a.Seed}}
	for _, b := range a.ContextBuckets {
		out.Acceptance.Buckets = append(out.Acceptance.Buckets, workload.AcceptanceBucket{MinContextTokens: b.MinContextTokens, Probabilities: b.MatchProbabilityByPosition})
	}
	for i := range requests { // in the order of the requests, not of the map
		if list, ok := a.AcceptedDraftTokensByRequest[requests[i].ID]; ok {
			out.Replays = append(out.Replays, workload.RequestReplay{RequestID: requests[i].ID, Accepted: list})
		}
	}
	if err := out.Validate(); err != nil {
		return nil, issue.New("result_inputs", "inputs.speculation", "%s", strings.TrimSpace(err.Error()))
	}
	return out, nil
}
