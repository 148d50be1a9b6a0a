package executor_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/plan/plantest"
)

func TestGeneratorGivesTheContractsNumbers(t *testing.T) {
	for seed, want := range map[uint32][]uint32{
		0:          {1144304738, 1416247, 958946056, 627933444},
		1:          {2693262067, 11749833, 2265367787, 4213581821},
		42:         {2581720956, 1925393290, 3661312704, 2876485805},
		4294967295: {3850105811, 813802916, 3073704848, 4054706436},
	} {
		if diff := cmp.Diff(want, executor.FirstWords(seed, len(want))); diff != "" {
			t.Errorf("seed %d (-want +got):\n%s", seed, diff)
		}
	}
}

func oneStep(t *testing.T) *plan.Frozen {
	t.Helper()
	p := plantest.Plan(plantest.Small, "x", plantest.Mix{Steps: 1, MaxDuration: 3}, plantest.Generator(1))
	return freeze(t, plantest.Small, p)
}

func TestCampaignDrawsTheContractsExample(t *testing.T) {
	requests, err := executor.Campaign(oneStep(t), executor.CampaignOptions{ExecutionCount: 5, Seed: 42, ArrivalWindowNs: 99})
	if err != nil {
		t.Fatal(err)
	}
	var got [][2]int64
	for k, q := range requests {
		got = append(got, [2]int64{q.ArrivalNs, q.AdmissionOrder})
		if want := "x:campaign:" + string(rune('0'+k)); q.Plan.ExecutionID != want || q.Plan.ID != "plan-"+want {
			t.Errorf("request %d is %q of plan %q", k, q.Plan.ExecutionID, q.Plan.ID)
		}
	}
	if diff := cmp.Diff([][2]int64{{0, 0}, {35, 2}, {10, 1}, {45, 3}, {69, 4}}, got); diff != "" {
		t.Errorf("arrivals and orders (-want +got):\n%s", diff)
	}
}

func TestCampaignRefusesOptionsOutsideTheirRange(t *testing.T) {
	f := oneStep(t)
	for _, test := range []struct {
		o    executor.CampaignOptions
		name string
	}{
		{executor.CampaignOptions{ExecutionCount: 0}, "execution_count"},
		{executor.CampaignOptions{ExecutionCount: 1, Seed: -1}, "seed"},
		{executor.CampaignOptions{ExecutionCount: 1, Seed: 1 << 32}, "seed"},
		{executor.CampaignOptions{ExecutionCount: 1, ArrivalWindowNs: -1}, "arrival_window_ns"},
		{executor.CampaignOptions{ExecutionCount: 1, ArrivalWindowNs: 1<<53 - 1}, "arrival_window_ns"},
		{executor.CampaignOptions{ExecutionCount: 333_334}, "1000002"}, // 333334 executions of 1 step and 2 more events
	} {
		if _, err := executor.Campaign(f, test.o); err == nil || !strings.Contains(err.Error(), test.name) {
			t.Errorf("%+v: error %v does not name %s", test.o, err, test.name)
		}
	}
	if _, err := executor.Campaign(f, executor.CampaignOptions{ExecutionCount: 333_333, ArrivalWindowNs: 1<<53 - 2}); err != nil {
		t.Errorf("the exact budget: %v", err)
	}
}
