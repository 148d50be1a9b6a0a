// Package synthetic measures a machine whose costs are known, so that tests of the
// calibration can compare what comes back with the truth. Nothing outside the
// tests uses it.
package synthetic

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/topology"
)

// Truth is a machine whose costs are known.
var Truth = cost.DeviceCosts{
	CPU: cost.Coefficients{InvocationOverheadNs: 410000, AttentionNsPerToken: 205000, FFNNsPerToken: 301000, DraftNsPerToken: 99000, LookupNsPerToken: 8100},
	GPU: cost.Coefficients{InvocationOverheadNs: 118000, AttentionNsPerToken: 27100, FFNNsPerToken: 36900, DraftNsPerToken: 16100, LookupNsPerToken: 7900},
	NPU: cost.Coefficients{InvocationOverheadNs: 101000, AttentionNsPerToken: 21900, FFNNsPerToken: 51100, DraftNsPerToken: 23900, LookupNsPerToken: 8300},
}

// Coefficient is the true value of a group.
func Coefficient(kind topology.DeviceKind, c topology.Capability) int64 {
	if c == calibration.Invocation {
		return Truth.For(kind).InvocationOverheadNs
	}
	return Truth.For(kind).PerItem(c)
}

// Measure draws a dataset from the machine of Truth: samples of normal noise, relative
// to the duration, at the given work-item points.
func Measure(seed uint64, noise float64, samples int, points ...int64) *calibration.Dataset {
	rng := rand.New(rand.NewPCG(seed, 7))
	around := func(ns float64) []int64 {
		drawn := make([]int64, samples)
		for i := range drawn {
			drawn[i] = max(1, int64(math.Round(ns*(1+noise*rng.NormFloat64()))))
		}
		return drawn
	}
	d := Empty()
	for _, kind := range cost.Kinds {
		v := float64(Truth.For(kind).InvocationOverheadNs)
		d.Observations = append(d.Observations, calibration.Observation{
			ID: string(kind) + "-launch", DeviceKind: kind, Capability: calibration.Invocation, DurationsNs: around(v), Regime: "empty"})
		for _, c := range cost.Capabilities {
			for _, w := range points {
				ns := v + float64(Truth.For(kind).PerItem(c)*w)
				d.Observations = append(d.Observations, calibration.Observation{
					ID: fmt.Sprintf("%s-%s-%d", kind, c, w), DeviceKind: kind, Capability: c, WorkItems: w, DurationsNs: around(ns), Regime: "fp16"})
			}
		}
	}
	for _, bytes := range []int64{1000, 1_000_000} {
		d.Transports = append(d.Transports,
			Transfer(fmt.Sprintf("bus-%d", bytes), bytes, around(1000+float64(bytes)/30)),
			AllReduce(fmt.Sprintf("ring-%d", bytes), bytes, around(900+float64(bytes)/600)))
	}
	return d
}

// Empty is a dataset without observations.
func Empty() *calibration.Dataset {
	return &calibration.Dataset{
		Revision: calibration.Revision, ID: "lab-1",
		Provenance:    calibration.Provenance{Kind: calibration.Measured, Source: "bench log 12", SoftwareStack: "stack 3", ModelArtifact: "model@1", MeasuredAt: "2026-03-01"},
		Applicability: cost.Applicability{ScenarioIDs: []string{"multi-gpu"}, Labels: cost.KindLabels{CPU: "cpu X", GPU: "gpu Y", NPU: "npu Z"}},
		Constants:     calibration.Constants{ActivationBytesPerToken: 1 << 20, CollectiveBytesPerToken: 1 << 19, ColdLoadByteMultiplier: 2},
		Quality:       calibration.Quality{MinSamplesPerPoint: 3, MaxNormalizedRMSE: 0.2, MaxP95RelativeError: 0.5},
	}
}

// Transfer is an observation of a point-to-point copy over one link.
func Transfer(id string, bytes int64, ns []int64) calibration.TransportObservation {
	return calibration.TransportObservation{ID: id, Bytes: bytes, DurationsNs: ns, Regime: "idle", CurveKey: cost.CurveKey{
		ScenarioID: "multi-gpu", Operation: cost.TransferOperation, Algorithm: cost.PointToPoint, ParticipantCount: 2, LinkIDs: []string{"node0:pcie0:forward"}}}
}

// AllReduce is an observation of a ring of two ranks over both directions of a link.
func AllReduce(id string, bytes int64, ns []int64) calibration.TransportObservation {
	return calibration.TransportObservation{ID: id, Bytes: bytes, DurationsNs: ns, Regime: "idle", CurveKey: cost.CurveKey{
		ScenarioID: "multi-gpu", Operation: cost.CollectiveOperation, Algorithm: "all_reduce_ring", ParticipantCount: 2,
		LinkIDs: []string{"node0:nvlink:forward", "node0:nvlink:reverse"}}}
}
