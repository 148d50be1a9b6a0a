package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHazardsOrderReadersAndWriters(t *testing.T) {
	var h Hazards
	for round := range 2 { // the second round reuses the memory of the first
		steps := []struct {
			id            int64
			explicit      []int64
			reads, writes []string
			want          []int64
		}{
			{0, nil, []string{"w"}, []string{"kv"}, []int64{}},
			{1, []int64{0, 0}, []string{"w", "kv"}, nil, []int64{0}},
			{2, nil, []string{"kv"}, []string{"ws"}, []int64{0}},
			{3, []int64{2}, nil, []string{"kv"}, []int64{2, 0, 1}}, // writer, then readers oldest first
			{4, nil, []string{"kv", "ws"}, nil, []int64{3, 2}},
			{5, nil, []string{"ws"}, []string{"kv", "w"}, []int64{2, 3, 4, 0, 1}},
		}
		for _, s := range steps {
			if diff := cmp.Diff(s.want, h.Step(s.id, s.explicit, s.reads, s.writes)); diff != "" {
				t.Errorf("round %d step %d (-want +got):\n%s", round, s.id, diff)
			}
		}
		if id, ok := h.LastWriter("kv"); id != 5 || !ok {
			t.Errorf("last writer of kv = %d, %v", id, ok)
		}
		if _, ok := h.LastWriter("nothing"); ok {
			t.Error("an unknown allocation has a last writer")
		}
		h.Reset()
	}
}

func TestHazardsKeepLongListsDistinct(t *testing.T) {
	var h Hazards
	for id := range int64(100) {
		h.Step(id, nil, []string{"shared"}, nil)
	}
	explicit := []int64{99, 5}
	got := h.Step(100, explicit, nil, []string{"shared"})
	want := []int64{99, 5}
	for id := range int64(99) {
		if id != 5 {
			want = append(want, id)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dependencies (-want +got):\n%s", diff)
	}
}

func TestHazardsOwnReadIsNotAHazard(t *testing.T) {
	var h Hazards
	h.Step(0, nil, []string{"a", "a"}, []string{"a"})
	if got := h.Step(1, nil, nil, []string{"a"}); !cmp.Equal(got, []int64{0}) {
		t.Errorf("dependencies = %v, want [0]", got)
	}
}

func BenchmarkHazardsTemplate(b *testing.B) {
	reads, writes := []string{"w0", "w1"}, []string{"kv", "ws"}
	b.ReportAllocs()
	var h Hazards
	steps := 0
	for b.Loop() {
		h.Reset()
		for id := range int64(20) {
			h.Step(id, nil, reads, writes)
			steps++
		}
	}
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
}
