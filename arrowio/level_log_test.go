package arrowio

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inferlab/inferlab/simcore/trace"
)

// TestLevelLog: however the batches are cut, the log gives the changes of the whole,
// in blocks of the length that was asked for.
func TestLevelLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := func(name string) int64 {
			return rapid.OneOf(rapid.Int64Range(0, 3), rapid.Int64Range(0, 1<<50)).Draw(t, name)
		}
		var batches []trace.ServingBatch
		now := int64(0)
		for range rapid.IntRange(0, 60).Draw(t, "batches") {
			b := trace.ServingBatch{StartNs: now + count("idle")%1000, DurationNs: 1 + count("duration")%(1<<40), TransientKVTokens: count("level"), KVTokensAfter: count("left")}
			batches, now = append(batches, b), b.FinishNs()
		}
		var log levelLog
		for from := 0; from < len(batches); {
			to := rapid.IntRange(from+1, len(batches)).Draw(t, "to")
			log.add(batches[from:to])
			from = to
		}
		wantAt, wantLevel := kvLevel(batches)
		n := rapid.IntRange(1, 9).Draw(t, "n")
		var atNs, level []int64
		for a, l := range log.blocks(n) {
			if len(a) != len(l) || len(a) != min(n, len(wantAt)-len(atNs)) {
				t.Fatalf("a block of %d and %d changes", len(a), len(l))
			}
			atNs, level = append(atNs, a...), append(level, l...)
		}
		if !slices.Equal(atNs, wantAt) || !slices.Equal(level, wantLevel) || log.changes != int64(len(wantAt)) {
			t.Fatalf("%d changes %v %v; want %v %v", log.changes, atNs, level, wantAt, wantLevel)
		}
	})
}

// BenchmarkLevelLog adds windows of batches of 64 tokens and reports the bytes kept.
func BenchmarkLevelLog(b *testing.B) {
	batches := make([]trace.ServingBatch, 1024)
	var log levelLog
	now, kv := int64(0), int64(0)
	b.ReportAllocs()
	for b.Loop() {
		for i := range batches {
			kv = (kv + 64) % 200_000
			batches[i] = trace.ServingBatch{StartNs: now, DurationNs: 6_000_000 + int64(i*7919%100_000), KVTokensBefore: kv, TransientKVTokens: kv + 64, KVTokensAfter: kv + 60}
			now = batches[i].FinishNs()
		}
		log.add(batches)
	}
	b.ReportMetric(float64(len(log.pieces)*logPiece)/float64(b.N*len(batches)), "bytes/batch")
	b.ReportMetric(float64(b.N*len(batches))/b.Elapsed().Seconds(), "batches/s")
}
