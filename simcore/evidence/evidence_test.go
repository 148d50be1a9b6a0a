package evidence_test

import (
	"testing"

	"github.com/inferlab/inferlab/simcore/evidence"
)

func TestWeakestInputDecides(t *testing.T) {
	for _, c := range []struct {
		in   []evidence.Class
		want evidence.Class
	}{
		{nil, evidence.Exact},
		{[]evidence.Class{evidence.Exact, evidence.Bounded}, evidence.Bounded},
		{[]evidence.Class{evidence.Calibrated, evidence.Heuristic, evidence.Exact}, evidence.Heuristic},
		{[]evidence.Class{evidence.Exact, "guess"}, evidence.Heuristic},
	} {
		if got := evidence.Weakest(c.in...); got != c.want {
			t.Errorf("Weakest(%v) = %s, want %s", c.in, got, c.want)
		}
	}
}

func TestTimingIsNeverExactOrBounded(t *testing.T) {
	for in, want := range map[evidence.Class]evidence.Class{
		evidence.Exact: evidence.Calibrated, evidence.Bounded: evidence.Calibrated,
		evidence.Calibrated: evidence.Calibrated, evidence.Heuristic: evidence.Heuristic,
	} {
		if got := evidence.Timing(in); got != want {
			t.Errorf("Timing(%s) = %s, want %s", in, got, want)
		}
	}
}

func TestValid(t *testing.T) {
	for _, c := range evidence.Classes {
		if !c.Valid() {
			t.Errorf("%s is not valid", c)
		}
	}
	if evidence.Class("measured").Valid() {
		t.Error("an unknown class is valid")
	}
}
