package serving_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore/replay/servingreplay"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// scripted speculates with a guaranteed token and up to three more, of which it
// accepts what its script says (contract 05 sections 5.2 and 5.4). It serves the
// scheduler and, as another value, the replay.
type scripted struct {
	accept [][]int64 // request -> accepted additional tokens by step
	steps  []int
	spoil  func(*trace.DecodeSlice)
}

func newScripted(accept ...[]int64) *scripted {
	return &scripted{accept: accept, steps: make([]int, len(accept))}
}

func (s *scripted) Propose(request int32, _, remaining, width int64) (trace.DecodeSlice, error) {
	d := trace.DecodeSlice{Request: request, Mode: trace.ModeSpeculative, Authoritative: 1}
	room := min(remaining, width-1)
	if room >= 1 {
		d.Guaranteed, d.ProposedAdditional = 1, int32(min(3, room-1))
	}
	script := s.accept[request]
	if s.steps[request] == len(script) {
		return d, errors.New("the script has ended")
	}
	d.AcceptedAdditional = min(int32(script[s.steps[request]]), d.ProposedAdditional)
	s.steps[request]++
	switch {
	case d.ProposedDraftTokens() == 0:
		d.Outcome = trace.OutcomeTargetOnly
	case d.AcceptedDraftTokens() < d.ProposedDraftTokens():
		d.Outcome = trace.OutcomeCorrection
	case d.ProposedDraftTokens() == remaining:
		d.Outcome, d.Authoritative = trace.OutcomeAcceptedTail, 0
	default:
		d.Outcome = trace.OutcomeBonus
	}
	if s.spoil != nil {
		s.spoil(&d)
	}
	return d, nil
}

func (s *scripted) Commit(*trace.DecodeSlice, int64) error { return nil }

func (s *scripted) Derive(request int32, emitted, remaining, width int64) (trace.DecodeSlice, error) {
	return s.Propose(request, emitted, remaining, width)
}

func (s *scripted) Settle(d *trace.DecodeSlice, kv int64) error { return s.Commit(d, kv) }

// TestCandidateRowsAreReservedInFull: the rows of one request's candidates push
// another's need out of the pool for one batch, and are free again at the next
// (contract 05 section 4.7).
func TestCandidateRowsAreReservedInFull(t *testing.T) {
	s, err := serving.New(workload.Serving{
		MaxBatchSize: 2, MaxBatchTokens: 32, PrefillChunkTokens: 8, MaxKVTokens: 22,
		Requests: []workload.Request{
			{ID: "sa", PromptTokens: 5, OutputTokens: 7},
			{ID: "sb", PromptTokens: 4, OutputTokens: 8},
		}})
	if err != nil {
		t.Fatal(err)
	}
	script := [][]int64{{0, 0, 0}, {0, 0, 1}}
	tr, err := s.Schedule(serving.DefaultEstimator, serving.Options{Speculation: newScripted(script...)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := servingreplay.Check(servingreplay.Input{Config: s.Config(), Trace: tr,
		Estimator: serving.DefaultEstimator, Speculation: newScripted(script...)}); err != nil {
		t.Fatal(err)
	}
	want := `0: sa+5 sb+4 | kv 0 to 9, then 9
1: sa(1+3 correction) sb(1+3 correction) | kv 9 to 19, then 13
2: sa(1+3 correction) | kv 13 to 18, then 15
3: sa(1+1 correction) | kv 15 to 18, then 6
4: sb(1+3 correction) | kv 6 to 11, then 8
5: sb(1+2 correction) | kv 8 to 12, then 0
`
	if diff := cmp.Diff(want, speculativeBatches(tr)); diff != "" {
		t.Errorf("batches differ (-want +got):\n%s", diff)
	}
	sources := []trace.TokenSource{}
	last := tr.Batches[5]
	for _, k := range tr.Tokens[last.TokensFrom:last.TokensTo] {
		sources = append(sources, k.Source)
	}
	if diff := cmp.Diff([]trace.TokenSource{trace.SourceTargetGuaranteed, trace.SourceSpeculativeAccepted,
		trace.SourceSpeculativeAuthoritative}, sources); diff != "" {
		t.Errorf("sources of the last burst:\n%s", diff)
	}
}

func speculativeBatches(tr *trace.Serving) string {
	var out strings.Builder
	for i := range tr.Batches {
		b := &tr.Batches[i]
		fmt.Fprintf(&out, "%d:", i)
		for _, p := range tr.Prefill[b.PrefillFrom:b.PrefillTo] {
			fmt.Fprintf(&out, " %s+%d", tr.RequestIDs[p.Request], p.Tokens)
		}
		for _, d := range tr.Decode[b.DecodeFrom:b.DecodeTo] {
			fmt.Fprintf(&out, " %s(%d+%d %s)", tr.RequestIDs[d.Request], d.Guaranteed, d.ProposedAdditional, d.Outcome)
		}
		fmt.Fprintf(&out, " | kv %d to %d, then %d\n", b.KVTokensBefore, b.TransientKVTokens, b.KVTokensAfter)
	}
	return out.String()
}

// TestProposalsBeyondTheirLimitsAreRefused: the hook cannot break the schedule.
func TestProposalsBeyondTheirLimitsAreRefused(t *testing.T) {
	s, err := serving.New(workload.Serving{
		MaxBatchSize: 1, MaxBatchTokens: 8, PrefillChunkTokens: 8, MaxKVTokens: 16,
		Requests: []workload.Request{{ID: "only", PromptTokens: 4, OutputTokens: 4}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*trace.DecodeSlice){
		"too wide":        func(d *trace.DecodeSlice) { d.ProposedAdditional = 8 },
		"too much output": func(d *trace.DecodeSlice) { d.AcceptedAdditional = 3 },
		"no output":       func(d *trace.DecodeSlice) { *d = trace.DecodeSlice{Request: d.Request} },
		"another request": func(d *trace.DecodeSlice) { d.Request = 5 },
	} {
		spec := newScripted([]int64{0, 0, 0})
		spec.spoil = spoil
		_, err := s.Schedule(serving.DefaultEstimator, serving.Options{Speculation: spec})
		if err == nil || !strings.Contains(err.Error(), `"only"`) {
			t.Errorf("%s: got %v, want an error that names the request", name, err)
		}
	}
	if _, err := s.Schedule(serving.DefaultEstimator, serving.Options{Speculation: newScripted(nil)}); err == nil ||
		!strings.Contains(err.Error(), `request "only": the script has ended`) {
		t.Errorf("got %v, want the hook's error with the request", err)
	}
}
