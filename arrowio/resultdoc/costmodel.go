package resultdoc

import (
	"strings"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/issue"
)

// costInputs is a cost model as documents write it.
type costInputs struct {
	Revision                int64
	Confidence              evidence.Class
	Source                  string
	DeviceCosts             cost.DeviceCosts
	ActivationBytesPerToken int64
	CollectiveBytesPerToken int64
	ColdLoadByteMultiplier  int64
	Applicability           *struct {
		ScenarioIDs      []string
		DeviceKindLabels cost.KindLabels
	}
	ValidWorkItemRanges *cost.DeviceRanges
	TransportCurves     *[]cost.Curve
}

// model is the cost model, validated.
func (c *costInputs) model() (*cost.Model, error) {
	if c == nil {
		return nil, issue.New("result_inputs", "inputs.costModel", "is absent")
	}
	m := &cost.Model{Revision: c.Revision, Confidence: c.Confidence, Source: c.Source, Devices: c.DeviceCosts,
		ActivationBytesPerToken: c.ActivationBytesPerToken, CollectiveBytesPerToken: c.CollectiveBytesPerToken,
		ColdLoadByteMultiplier: c.ColdLoadByteMultiplier, Ranges: c.ValidWorkItemRanges}
	if c.Applicability != nil {
		m.Applicability = &cost.Applicability{ScenarioIDs: c.Applicability.ScenarioIDs, Labels: c.Applicability.DeviceKindLabels}
	}
	if c.TransportCurves != nil {
		m.Curves, m.HasCurves = *c.TransportCurves, true
	}
	if err := m.Validate(); err != nil {
		return nil, issue.New("result_inputs", "inputs.costModel", "%s", strings.TrimSpace(err.Error()))
	}
	return m, nil
}
