package serving_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/inferlab/inferlab/simcore/replay/servingreplay"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// TestTranscripts runs the scheduler on small workloads and shows every event it
// records. A case is
//
//	run size=4 tokens=16 chunk=8 pool=11 [events=N] [batch-ns=N] [unguarded]
//	ID ARRIVAL PROMPT/OUTPUT [PRIORITY]
//
// with the default duration model unless batch-ns gives every batch one duration.
// Every trace is replayed; refused ones show the error.
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata/schedule", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			cfg := parseCase(t, d)
			var est serving.Estimator = serving.DefaultEstimator
			if d.HasArg("batch-ns") {
				var ns int64
				d.ScanArgs(t, "batch-ns", &ns)
				est = serving.LinearEstimator{BatchNs: ns}
			}
			s, err := serving.New(cfg)
			if err != nil {
				return "refused: " + err.Error() + "\n"
			}
			tr, err := s.Schedule(est, serving.Options{})
			var locked *serving.Deadlock
			if errors.As(err, &locked) {
				return lockedTranscript(s, est, locked)
			}
			if err != nil {
				return "failed: " + err.Error() + "\n"
			}
			r, err := servingreplay.Check(servingreplay.Input{Config: s.Config(), Trace: tr, Estimator: est})
			if err != nil {
				return "replay: " + err.Error() + "\n"
			}
			return transcript(tr) + fmt.Sprintf("replayed %d events, %d requests\n", r.AppliedEvents, r.CompletedRequests)
		})
	})
}

// lockedTranscript shows the trace that leads into a deadlock, the diagnosis, and
// what the replay makes of it.
func lockedTranscript(s *serving.Scheduler, est serving.Estimator, locked *serving.Deadlock) string {
	r, err := servingreplay.CheckDeadlock(servingreplay.Input{Config: s.Config(), Trace: locked.Trace, Estimator: est})
	if err != nil {
		return "replay: " + err.Error() + "\n"
	}
	return transcript(locked.Trace) + locked.Error() + "\n" +
		fmt.Sprintf("replayed %d events: locked at %d ns, %d free, %d blocked\n", r.AppliedEvents, r.AtNs, r.FreeKVTokens, r.Blocked)
}

func parseCase(t *testing.T, d *datadriven.TestData) workload.Serving {
	var cfg workload.Serving
	if d.HasArg("unguarded") {
		cfg.Admission = workload.AdmitUnguarded
	}
	for key, field := range map[string]*int64{
		"size": &cfg.MaxBatchSize, "tokens": &cfg.MaxBatchTokens, "chunk": &cfg.PrefillChunkTokens,
		"pool": &cfg.MaxKVTokens, "events": &cfg.MaxEvents,
	} {
		if d.HasArg(key) {
			d.ScanArgs(t, key, field)
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(d.Input), "\n") {
		f := strings.Fields(line)
		if len(f) < 3 {
			continue
		}
		prompt, output, _ := strings.Cut(f[2], "/")
		r := workload.Request{ID: f[0], ArrivalNs: number(t, f[1]), PromptTokens: number(t, prompt), OutputTokens: number(t, output)}
		if len(f) > 3 {
			r.Priority = number(t, f[3])
		}
		cfg.Requests = append(cfg.Requests, r)
	}
	return cfg
}

func number(t *testing.T, s string) int64 {
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// transcript spells a trace, one event a line.
func transcript(tr *trace.Serving) string {
	var out strings.Builder
	for i, e := range tr.Events {
		fmt.Fprintf(&out, "%d @%d %s", i, e.AtNs, e.Kind)
		switch e.Kind {
		case trace.ServingArrival:
			out.WriteString(" " + tr.RequestIDs[e.Ref])
		case trace.ServingBatchStart:
			b := &tr.Batches[e.Ref]
			fmt.Fprintf(&out, " %d:", e.Ref)
			for _, p := range tr.Prefill[b.PrefillFrom:b.PrefillTo] {
				fmt.Fprintf(&out, " P:%s+%d", tr.RequestIDs[p.Request], p.Tokens)
			}
			for _, d := range tr.Decode[b.DecodeFrom:b.DecodeTo] {
				fmt.Fprintf(&out, " D:%s", tr.RequestIDs[d.Request])
			}
			fmt.Fprintf(&out, " | %d ns, work %d, expects %d, kv %d to %d",
				b.DurationNs, b.TokenWork, b.ExpectedOutputTokens, b.KVTokensBefore, b.TransientKVTokens)
		case trace.ServingBatchFinish:
			b := &tr.Batches[e.Ref]
			fmt.Fprintf(&out, " %d:", e.Ref)
			for _, k := range tr.Tokens[b.TokensFrom:b.TokensTo] {
				fmt.Fprintf(&out, " %s[%d]", tr.RequestIDs[k.Request], k.Index)
			}
			for _, r := range tr.Completed[b.CompletedFrom:b.CompletedTo] {
				fmt.Fprintf(&out, " done:%s", tr.RequestIDs[r])
			}
			fmt.Fprintf(&out, " | kv %d", b.KVTokensAfter)
		case trace.ServingTerminal:
			fmt.Fprintf(&out, " | %d requests, %d tokens, kv %d", tr.CompletedRequests, tr.TotalOutputTokens, tr.FinalKVTokens)
		}
		out.WriteByte('\n')
	}
	return out.String()
}
