package serving_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/replay/servingreplay"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// locking is the workload of which two prompts fill the pool.
var locking = workload.Serving{
	MaxBatchSize: 4, MaxBatchTokens: 16, PrefillChunkTokens: 8, MaxKVTokens: 11, Admission: workload.AdmitUnguarded,
	Requests: []workload.Request{{ID: "p", PromptTokens: 6, OutputTokens: 2}, {ID: "q", PromptTokens: 5, OutputTokens: 3}},
}

func TestDeadlockIsDiagnosed(t *testing.T) {
	scn, err := topology.Preset("single-gpu-cpu")
	if err != nil {
		t.Fatal(err)
	}
	_, err = serving.Simulate(scn, locking, cost.Default(), serving.RunOptions{})
	var d *serving.Deadlock
	if !errors.As(err, &d) {
		t.Fatalf("got %v, want a deadlock", err)
	}
	want := []serving.BlockedRequest{
		{Request: 0, ID: "p", Decoding: true, HeldKV: 6, OutputLeft: 1, NeedKV: 1, EmittedSoFar: 1},
		{Request: 1, ID: "q", Decoding: true, HeldKV: 5, OutputLeft: 2, NeedKV: 2, EmittedSoFar: 1},
	}
	if diff := cmp.Diff(want, d.Blocked); diff != "" {
		t.Errorf("blocked requests (-want +got):\n%s", diff)
	}
	// One batch of width 11 lasts 240,000 + 66,000 × 11 ns on this machine.
	if d.AtNs != 966_000 || d.BatchID != 1 || d.FreeKVTokens != 0 || d.PoolKVTokens != 11 {
		t.Errorf("at %d ns, batch %d, %d of %d free", d.AtNs, d.BatchID, d.FreeKVTokens, d.PoolKVTokens)
	}
	if all := issue.All(err); len(all) != 1 || all[0].Code != serving.CodeDeadlock {
		t.Errorf("issues of the refusal: %v", all)
	}
}

func TestUnguardedRunsSaySo(t *testing.T) {
	scn, err := topology.Preset("single-gpu-cpu")
	if err != nil {
		t.Fatal(err)
	}
	cfg := locking
	cfg.MaxKVTokens = 30
	run, err := serving.Simulate(scn, cfg, cost.Default(), serving.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if last := run.Assumptions[len(run.Assumptions)-1]; !strings.Contains(last, "WITHOUT the admission guard") {
		t.Errorf("last assumption: %q", last)
	}
	if last := run.ContractRevisions[len(run.ContractRevisions)-1]; last.Name != "unguardedAdmission" {
		t.Errorf("last contract revision: %+v", last)
	}
	cfg.Admission = workload.AdmitGuarded
	guarded, err := serving.Simulate(scn, cfg, cost.Default(), serving.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(guarded.Trace, run.Trace); diff != "" {
		t.Errorf("with room for everyone the rules differ (-guarded +unguarded):\n%s", diff)
	}
}

// TestUnguardedRunsEndOneWayOrTheOther: without the guard a run completes or ends
// in a confirmed deadlock with nothing free and every KV position accounted for.
// The guard completes every one of the same workloads.
func TestUnguardedRunsEndOneWayOrTheOther(t *testing.T) {
	completed, locked := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		schedule(t, cfg)
		cfg.Admission = workload.AdmitUnguarded
		s, err := serving.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := s.Schedule(serving.DefaultEstimator, serving.Options{})
		var d *serving.Deadlock
		switch {
		case err == nil:
			completed++
			if _, err := servingreplay.Check(servingreplay.Input{Config: s.Config(), Trace: tr, Estimator: serving.DefaultEstimator}); err != nil {
				t.Fatal(err)
			}
			checkConservation(t, cfg, tr)
		case errors.As(err, &d):
			locked++
			if _, err := servingreplay.CheckDeadlock(servingreplay.Input{Config: s.Config(), Trace: d.Trace, Estimator: serving.DefaultEstimator}); err != nil {
				t.Fatal(err)
			}
			var held int64
			for i := range d.Blocked {
				held += d.Blocked[i].HeldKV
			}
			if d.FreeKVTokens != 0 || held != cfg.MaxKVTokens {
				t.Fatalf("%d free, %d held of a pool of %d", d.FreeKVTokens, held, cfg.MaxKVTokens)
			}
		default:
			t.Fatal(err)
		}
	})
	if completed == 0 || locked == 0 {
		t.Errorf("%d runs completed and %d locked; the draw should give both", completed, locked)
	}
}
