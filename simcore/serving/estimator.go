package serving

import (
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Estimator says how long a batch lasts. It is asked once per batch by the
// scheduler, in batch order, and once more by the replay; both answers must agree.
// The duration is in ns and positive.
type Estimator interface {
	Duration(work *trace.BatchWork, startNs int64) (int64, error)
}

// LinearEstimator is the duration of a batch as a linear function of its work, in
// ns: the model of a scheduler that is bound to no topology.
type LinearEstimator struct {
	BatchNs        int64 // every batch
	PrefillTokenNs int64 // per prompt token
	DecodeTokenNs  int64 // per row of a decode step's target forward
	DraftTokenNs   int64 // per proposed additional token
}

// DefaultEstimator is the default duration model of contract 05 section 4.10.
var DefaultEstimator = LinearEstimator{
	BatchNs:        25_000,
	PrefillTokenNs: 35_000,
	DecodeTokenNs:  70_000,
	DraftTokenNs:   25_000,
}

// Duration evaluates the model; the start time plays no part. It fails when a
// product or the sum is no safe integer.
func (e LinearEstimator) Duration(work *trace.BatchWork, _ int64) (int64, error) {
	total := e.BatchNs
	for _, term := range [...][2]int64{
		{e.PrefillTokenNs, work.PrefillTokens()},
		{e.DecodeTokenNs, work.VerificationTokens},
		{e.DraftTokenNs, work.DraftTokens},
	} {
		product, err := quantity.Mul(term[0], term[1])
		if err != nil {
			return 0, err
		}
		if total, err = quantity.Add(total, product); err != nil {
			return 0, err
		}
	}
	return total, nil
}
