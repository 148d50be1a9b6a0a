package figure

import (
	"iter"

	"github.com/inferlab/inferlab/calibration"
)

// calibrationSource names the dataset in the place of a run.
func calibrationSource(r *calibration.Result) Source {
	return Source{Run: "dataset " + r.Dataset.ID, Confidence: r.Confidence()}
}

func fitSamples(samples iter.Seq[calibration.Sample]) []FitSample {
	var list []FitSample
	for s := range samples {
		list = append(list, FitSample{Observation: s.ObservationID, Items: s.At, DurationNs: s.DurationNs, PredictedNs: s.PredictedNs})
	}
	return list
}

// GroupFits makes one figure for every device kind and capability, in the order of
// the result.
func GroupFits(r *calibration.Result) []GroupFit {
	figures := make([]GroupFit, len(r.Groups))
	for i := range r.Groups {
		g := &r.Groups[i]
		figures[i] = GroupFit{
			Source: calibrationSource(r), Group: g.Name(), Invocation: g.Capability == calibration.Invocation,
			Samples: fitSamples(g.AllSamples()), OverheadNs: g.OverheadNs, CoefficientNs: g.CoefficientNs, ConfidenceNs: g.ConfidenceNs,
			RMSE: g.NormalizedRMSE, P95: g.P95RelativeError,
			MaxRMSE: r.Dataset.Quality.MaxNormalizedRMSE, MaxP95: r.Dataset.Quality.MaxP95RelativeError,
		}
	}
	return figures
}

// CalibrationGates compares every fit with the dataset's gates.
func CalibrationGates(r *calibration.Result) Gates {
	f := Gates{Source: calibrationSource(r), MaxRMSE: r.Dataset.Quality.MaxNormalizedRMSE, MaxP95: r.Dataset.Quality.MaxP95RelativeError}
	for i := range r.Groups {
		g := &r.Groups[i]
		f.Rows = append(f.Rows, Gate{Name: g.Name(), RMSE: g.NormalizedRMSE, P95: g.P95RelativeError})
	}
	for i := range r.Curves {
		c := &r.Curves[i]
		name := c.Algorithm + " over " + c.LinkIDs[0]
		if len(c.LinkIDs) > 1 {
			name += ", …"
		}
		f.Rows = append(f.Rows, Gate{Name: name, RMSE: c.NormalizedRMSE, P95: c.P95RelativeError})
	}
	return f
}

// CalibrationAgreement compares every prediction with its measurement.
func CalibrationAgreement(r *calibration.Result) Agreement {
	f := Agreement{Source: calibrationSource(r)}
	for i := range r.Groups {
		f.Compute = append(f.Compute, fitSamples(r.Groups[i].AllSamples())...)
	}
	for i := range r.Curves {
		f.Transport = append(f.Transport, fitSamples(r.Curves[i].AllSamples())...)
	}
	return f
}

// MessageCurves makes one figure for every transport, in the order of the result.
func MessageCurves(r *calibration.Result) []MessageCurve {
	figures := make([]MessageCurve, len(r.Curves))
	for i := range r.Curves {
		c := &r.Curves[i]
		figures[i] = MessageCurve{
			Source: calibrationSource(r), Operation: string(c.Operation) + " " + c.Algorithm, Scenario: c.ScenarioID,
			Participants: c.ParticipantCount, Links: c.LinkIDs, Signature: c.TrafficSignature,
		}
		for _, p := range c.Points {
			figures[i].Points = append(figures[i].Points, MessagePoint{Bytes: p.Bytes, MedianNs: p.DurationNs, MinNs: p.MinNs, MaxNs: p.MaxNs, Samples: p.Samples})
		}
	}
	return figures
}
