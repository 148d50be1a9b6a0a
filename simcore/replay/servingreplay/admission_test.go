package servingreplay_test

import (
	"errors"
	"testing"

	"github.com/inferlab/inferlab/simcore/replay/servingreplay"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// crowded are requests between which the two admission rules decide differently.
var crowded = workload.Serving{
	MaxBatchSize: 4, MaxBatchTokens: 16, PrefillChunkTokens: 8, MaxKVTokens: 11,
	Requests: []workload.Request{{ID: "p", PromptTokens: 6, OutputTokens: 2}, {ID: "q", PromptTokens: 5, OutputTokens: 3}},
}

func locked(t *testing.T) (workload.Serving, *trace.Serving) {
	t.Helper()
	cfg := crowded
	cfg.Admission = workload.AdmitUnguarded
	s, err := serving.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Schedule(serving.DefaultEstimator, serving.Options{})
	var d *serving.Deadlock
	if !errors.As(err, &d) {
		t.Fatalf("got %v, want a deadlock", err)
	}
	return s.Config(), d.Trace
}

func checkDeadlock(cfg workload.Serving, tr *trace.Serving) (servingreplay.Deadlock, error) {
	return servingreplay.CheckDeadlock(servingreplay.Input{Config: cfg, Trace: tr, Estimator: serving.DefaultEstimator})
}

func TestConfirmsADeadlock(t *testing.T) {
	cfg, tr := locked(t)
	got, err := checkDeadlock(cfg, tr)
	// Two arrivals, one batch of 11 prompt tokens: 25,000 + 11 × 35,000 ns.
	if want := (servingreplay.Deadlock{AppliedEvents: 4, AtNs: 410_000, Blocked: 2}); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

// TestAdmissionRulesAreToldApart: a trace made under one rule is refused under the
// other where they decide differently.
func TestAdmissionRulesAreToldApart(t *testing.T) {
	guarded, tr := run(t, crowded)
	other := guarded
	other.Admission = workload.AdmitUnguarded
	if at, rule := rejectedAt(t, other, tr); at != 2 || rule != servingreplay.BatchSelection {
		t.Errorf("a guarded trace under the unguarded rule: event %d, %s", at, rule)
	}
	_, unguarded := locked(t)
	if at, rule := rejectedAt(t, guarded, unguarded); at != 2 || rule != servingreplay.BatchSelection {
		t.Errorf("an unguarded trace under the guard: event %d, %s", at, rule)
	}
}

func TestRefusesAFalseDeadlock(t *testing.T) {
	cfg, tr := locked(t)
	whole, finished := run(t, everyShape)
	for name, c := range map[string]struct {
		cfg  workload.Serving
		edit func() *trace.Serving
		rule servingreplay.Rule
	}{
		"the run has ended":   {whole, func() *trace.Serving { return finished }, servingreplay.NoDeadlock},
		"a batch can start":   {whole, func() *trace.Serving { return upTo(finished, trace.ServingBatchFinish) }, servingreplay.NoDeadlock},
		"a batch is running":  {cfg, func() *trace.Serving { return upTo(tr, trace.ServingBatchStart) }, servingreplay.NoDeadlock},
		"nothing has arrived": {cfg, func() *trace.Serving { c := clone(tr); c.Events = nil; return c }, servingreplay.NoDeadlock},
		"a row too many": {cfg, func() *trace.Serving {
			c := clone(tr)
			c.Completed = append(c.Completed, 0)
			return c
		}, servingreplay.AfterTerminal},
		"another figure": {cfg, func() *trace.Serving {
			c := clone(tr)
			c.Batches[0].KVTokensAfter--
			return c
		}, servingreplay.KVAfter},
	} {
		_, err := checkDeadlock(c.cfg, c.edit())
		var m *servingreplay.Mismatch
		if !errors.As(err, &m) || m.Rule != c.rule {
			t.Errorf("%s: got %v, want %s", name, err, c.rule)
		}
	}
}

// upTo cuts a trace after its first event of a kind.
func upTo(tr *trace.Serving, kind trace.ServingEventKind) *trace.Serving {
	c := clone(tr)
	for i := range c.Events {
		if c.Events[i].Kind == kind {
			c.Events = c.Events[:i+1]
			break
		}
	}
	return c
}
