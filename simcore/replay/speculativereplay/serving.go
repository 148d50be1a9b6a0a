package speculativereplay

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Serving derives the decode steps of a serving run from acceptance streams of its
// own. It implements servingreplay.Speculation; one value serves one check.
type Serving struct {
	cfg      *workload.ServingSpeculation
	prefix   int64
	requests []workload.Request
	streams  []stream
	lengths  []int64 // KV of each request after its last settled step; 0: none yet
}

// NewServing binds a configuration, which must be valid, to the requests.
func NewServing(cfg *workload.ServingSpeculation, requests []workload.Request) (*Serving, error) {
	contract, err := workload.ContractOf(cfg.Family)
	if err != nil {
		return nil, err
	}
	lists, err := cfg.Bind(requests)
	if err != nil {
		return nil, err
	}
	s := &Serving{cfg: cfg, prefix: contract.GuaranteedTokens(), requests: requests,
		streams: make([]stream, len(requests)), lengths: make([]int64, len(requests))}
	for i := range requests {
		var list []float64
		if lists != nil {
			list = lists[i]
		}
		s.streams[i] = newStream(&cfg.Acceptance, list, requests[i].ID)
	}
	return s, nil
}

// Derive plans and decides the next granted step of a request.
func (s *Serving) Derive(request int32, emitted, remaining, width int64) (trace.DecodeSlice, error) {
	g, k := widthOf(s.prefix, remaining, s.cfg.MaxAdditionalTokens, width)
	accepted, ok := s.streams[request].next(k, s.requests[request].PromptTokens+emitted-1, emitted)
	if !ok {
		return trace.DecodeSlice{}, fmt.Errorf("the acceptance model has no valid answer for %d additional tokens after %d", k, emitted)
	}
	end := settle(g, k, accepted, remaining)
	return trace.DecodeSlice{
		Request: request, Mode: trace.ModeSpeculative, Outcome: end.outcome,
		ProposedAdditional: int32(k), AcceptedAdditional: int32(accepted), Guaranteed: uint8(g), Authoritative: uint8(end.own),
	}, nil
}

// Settle checks the transaction of a step: it continues where the request's last
// one ended, and neither its candidate rows nor its result leave the target's
// capacity, which is the request's peak.
func (s *Serving) Settle(d *trace.DecodeSlice, kvTokens int64) error {
	r := &s.requests[d.Request]
	begin := s.lengths[d.Request]
	if begin == 0 {
		begin = r.PromptTokens
	}
	drafted := int64(d.Guaranteed) + int64(d.ProposedAdditional)
	final := kvTokens + int64(d.Guaranteed) + int64(d.AcceptedAdditional) + int64(d.Authoritative)
	peak := r.PromptTokens + r.OutputTokens - 1
	switch {
	case kvTokens != begin:
		return fmt.Errorf("the step begins at %d tokens, the last one ended at %d", kvTokens, begin)
	case kvTokens+drafted > peak || final > peak:
		return fmt.Errorf("candidate %d or final length %d exceeds the capacity %d", kvTokens+drafted, final, peak)
	case (d.Guaranteed == 1) != (s.prefix == 1 && drafted > 0):
		return fmt.Errorf("%d guaranteed tokens in a proposal of %d", d.Guaranteed, drafted)
	}
	s.lengths[d.Request] = final
	return nil
}
