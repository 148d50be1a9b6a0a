package run_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/simcore/plan/plantest"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/trace"
)

func TestBusyCountsWithinTheWindow(t *testing.T) {
	b := run.NewBusy(100)
	held := []trace.Reservation{{ResourceID: "link:00>02"}, {ResourceID: "network:nic0"}, {ResourceID: "collective:world"}}
	b.Hold(held, 90, 130) // 10 within the window
	b.Hold(held[:1], 0, 15)
	b.Hold(held[:1], 100, 200)
	got := b.Utilizations(plantest.Scenario(plantest.Small))
	want := []run.Utilization{
		{ResourceID: "link:00>02", BusyNs: 25, CapacityLanes: 1, Utilization: 0.25},
		{ResourceID: "network:nic0", BusyNs: 10, CapacityLanes: 1, Utilization: 0.1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCutTruncatesWhatSpansTheFailedNode(t *testing.T) {
	scn := plantest.Scenario(plantest.Small)
	fault := &trace.Fault{Kind: trace.NodeFailure, NodeID: "n1", AtNs: 50, HasQuiesceTimeout: true, QuiesceTimeoutNs: 5}
	open := &trace.Fault{Kind: trace.NodeFailure, NodeID: "n1", AtNs: 50}
	for _, c := range []struct {
		fault     *trace.Fault
		ranks     []string
		finish    int64
		end       int64
		truncated bool
	}{
		{fault, []string{"r00", "r02"}, 70, 50, true}, {fault, []string{"r00", "r02"}, 50, 50, true}, {fault, []string{"r02"}, 49, 49, false},
		{fault, []string{"r00", "r01"}, 70, 70, false}, {open, []string{"r02"}, 70, 70, false}, {nil, []string{"r02"}, 70, 70, false},
	} {
		if end, truncated := run.NewCut(scn, c.fault).End(c.ranks, c.finish); end != c.end || truncated != c.truncated {
			t.Errorf("%v to %d: end %d, truncated %v", c.ranks, c.finish, end, truncated)
		}
	}
}
