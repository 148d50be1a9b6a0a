package servingreplay

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestPromptQueue compares the levels with a plain walk, for sizes of one, two and
// three levels.
func TestPromptQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 5, 63, 64, 65, 128, 200, 4096, 4097, 5000}).Draw(t, "places")
		q, plain := newPromptQueue(n), make([]int64, n)
		for i := range plain {
			plain[i] = nobody
		}
		place := rapid.OneOf(rapid.IntRange(0, n-1), rapid.IntRange(max(0, n-70), n-1))
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			at := place.Draw(t, "place")
			need := rapid.OneOf(rapid.Int64Range(1, 9), rapid.Just(nobody)).Draw(t, "need")
			q.put(int32(at), need)
			plain[at] = need
			from, free := rapid.IntRange(0, n).Draw(t, "from"), rapid.Int64Range(0, 9).Draw(t, "free")
			want := slices.IndexFunc(plain[from:], func(v int64) bool { return v <= free })
			if want >= 0 {
				want += from
			}
			if got := q.after(int32(from), free); int(got) != want {
				t.Fatalf("after(%d, %d) = %d, want %d", from, free, got, want)
			}
		}
	})
}
