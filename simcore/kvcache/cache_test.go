package kvcache_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/kvcache"
	"github.com/inferlab/inferlab/simcore/replay/kvreplay"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// TestTranscripts drives caches by scripts and shows every reaction: the event, or
// the code of the refusal, and the state after it.
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var c *kvcache.Cache
		handles := map[int64]kvcache.Handle{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var err error
			arg := func(name string, v *int64) { d.MaybeScanArgs(t, name, v) }
			var tokens, id int64
			arg("tokens", &tokens)
			arg("id", &id)
			h, issued := handles[id]
			if d.HasArg("id") && !issued {
				h = kvcache.Handle{Checkpoint: id}
			}
			arg("generation", &h.Generation)
			arg("base", &h.BaseTokens)
			switch d.Cmd {
			case "new":
				cfg := workload.PagedKV{SequenceID: "s", BytesPerToken: 1}
				arg("page", &cfg.PageSizeTokens)
				arg("bytes", &cfg.BytesPerToken)
				arg("capacity", &cfg.CapacityBytes)
				arg("initial", &cfg.InitialTokenLength)
				var made *kvcache.Cache
				if made, err = kvcache.New(cfg); err == nil {
					c = made
				}
			case "append":
				err = c.Append(tokens)
			case "checkpoint":
				var taken kvcache.Handle
				if taken, err = c.Checkpoint(); err == nil {
					handles[taken.Checkpoint] = taken
				}
			case "restore":
				err = c.Restore(h, tokens)
			case "commit":
				err = c.Commit(h)
			}
			var e *issue.Error
			if errors.As(err, &e) {
				return strings.TrimSpace("refused: "+e.Code+" "+e.Path) + "\n"
			}
			tr := c.Trace()
			last := &tr.Events[len(tr.Events)-1]
			out := last.Kind.String()
			for n := range tr.Pages(last) {
				out += " " + tr.PageID(n)
			}
			s := c.Snapshot()
			return fmt.Sprintf("%s\nlength %d (high %d), generation %d, pages %s\n", out, s.LogicalTokens, s.HighWaterTokens, s.Generation, pages(&s))
		})
	})
}

func pages(s *trace.PagedKVSnapshot) string {
	var list []string
	for _, run := range s.LivePages {
		for n := run.First; n < run.First+run.Count; n++ {
			list = append(list, fmt.Sprint(n))
		}
	}
	return "[" + strings.Join(list, " ") + "]"
}

// TestRandomRunsReplay: whatever is asked, the trace follows the rules and leads
// the replay to the cache's own state and figures.
func TestRandomRunsReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := workload.PagedKV{SequenceID: "s", PageSizeTokens: rapid.Int64Range(1, 5).Draw(t, "page"), BytesPerToken: 3,
			CapacityBytes: rapid.Int64Range(15, 400).Draw(t, "capacity")}
		cfg.InitialTokenLength = rapid.Int64Range(0, cfg.MaxPages()*cfg.PageSizeTokens).Draw(t, "initial")
		c, err := kvcache.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		var h kvcache.Handle
		for range rapid.IntRange(0, 40).Draw(t, "calls") {
			before, events := c.Snapshot(), len(c.Trace().Events)
			var err error
			switch rapid.IntRange(0, 4).Draw(t, "call") {
			case 0, 1:
				err = c.Append(rapid.Int64Range(-1, 12).Draw(t, "tokens"))
			case 2:
				var taken kvcache.Handle
				if taken, err = c.Checkpoint(); err == nil {
					h = taken
				}
			case 3:
				err = c.Restore(h, rapid.Int64Range(-1, 12).Draw(t, "accepted"))
			default:
				err = c.Commit(h)
			}
			if err != nil {
				if diff := cmp.Diff(before, c.Snapshot()); diff != "" || len(c.Trace().Events) != events {
					t.Fatalf("a refused call has an effect:\n%s", diff)
				}
			}
		}
		got, err := kvreplay.Check(cfg, c.Trace())
		if err != nil {
			t.Fatal(err)
		}
		want := c.Snapshot()
		if pages(&got.Snapshot) != pages(&want) {
			t.Fatalf("pages %s, the replay finds %s", pages(&want), pages(&got.Snapshot))
		}
		got.Snapshot.LivePages, want.LivePages = nil, nil
		if diff := cmp.Diff(want, got.Snapshot); diff != "" {
			t.Fatalf("states differ (-cache +replay):\n%s", diff)
		}
		if diff := cmp.Diff(c.Metrics(), got.Metrics); diff != "" {
			t.Fatalf("metrics differ (-cache +replay):\n%s", diff)
		}
	})
}

// TestMutatedTracesAreRefused changes one thing of a valid trace at a time.
func TestMutatedTracesAreRefused(t *testing.T) {
	cfg := workload.PagedKV{SequenceID: "s", PageSizeTokens: 4, BytesPerToken: 1, CapacityBytes: 40, InitialTokenLength: 5}
	make := func() *trace.PagedKV {
		c, err := kvcache.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for _, accepted := range []int64{1, 6} {
			h, err := c.Checkpoint()
			if err == nil {
				err = c.Append(9)
			}
			if err == nil {
				err = c.Restore(h, accepted)
			}
			if err == nil {
				err = c.Append(1)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return c.Trace()
	}
	// Events: 0 initialize(5: pages 1-2), 1 checkpoint, 2 append 9 (3-4), 3 restore to
	// 6 (3-4 go), 4 append 1, 5 checkpoint at 7, 6 append 9 (5-6), 7 restore to 13, 8
	// append 1.
	for _, m := range []struct {
		name  string
		spoil func(*trace.PagedKV)
		code  kvreplay.Code
		at    int64
	}{
		{"empty", func(p *trace.PagedKV) { p.Events = nil }, kvreplay.EmptyTrace, 0},
		{"kind", func(p *trace.PagedKV) { p.Events[4].Kind = 9 }, kvreplay.UnknownKind, 4},
		{"initialize again", func(p *trace.PagedKV) { p.Events[4] = p.Events[0] }, kvreplay.InitializePosition, 4},
		{"no initialize", func(p *trace.PagedKV) { p.Events = p.Events[1:] }, kvreplay.InitializePosition, 0},
		{"another page size", func(p *trace.PagedKV) { p.Config.PageSizeTokens++ }, kvreplay.InitializeMismatch, 0},
		{"rows out of range", func(p *trace.PagedKV) { p.Events[2].RunsTo = 99 }, kvreplay.MalformedEvent, 2},
		{"negative append", func(p *trace.PagedKV) { p.Events[4].Tokens = -1 }, kvreplay.InvalidTokens, 4},
		{"overflow", func(p *trace.PagedKV) { p.Events[4].Tokens = 1<<53 - 1 }, kvreplay.LengthOverflow, 4},
		{"length", func(p *trace.PagedKV) { p.Events[4].FinalTokens++ }, kvreplay.LengthMismatch, 4},
		{"base", func(p *trace.PagedKV) { p.Events[2].BaseTokens-- }, kvreplay.LengthMismatch, 2},
		{"pages missing", func(p *trace.PagedKV) { p.Events[2].RunsTo = p.Events[2].RunsFrom }, kvreplay.PageCount, 2},
		{"page reused", func(p *trace.PagedKV) { p.Runs[p.Events[6].RunsFrom].First = 3 }, kvreplay.PageIdentityReused, 6},
		{"page without a name", func(p *trace.PagedKV) { p.PageNames = []string{"a", "b", "", "d", "e", "f"} }, kvreplay.PageIdentityReused, 2},
		{"checkpoint in a checkpoint", func(p *trace.PagedKV) { p.Events[2] = p.Events[1] }, kvreplay.CheckpointActive, 2},
		{"checkpoint id reused", func(p *trace.PagedKV) { p.Events[5].Checkpoint = 1 }, kvreplay.CheckpointMismatch, 5},
		{"checkpoint of another generation", func(p *trace.PagedKV) { p.Events[5].Generation = 0 }, kvreplay.CheckpointMismatch, 5},
		{"checkpoint at another base", func(p *trace.PagedKV) { p.Events[5].BaseTokens = 6 }, kvreplay.CheckpointMismatch, 5},
		{"restore of a spent one", func(p *trace.PagedKV) { p.Events[7].Checkpoint = 1 }, kvreplay.CheckpointMismatch, 7},
		{"generation stays", func(p *trace.PagedKV) { p.Events[7].Generation = 1 }, kvreplay.CheckpointMismatch, 7},
		{"restore beyond", func(p *trace.PagedKV) { p.Events[7].Tokens, p.Events[7].FinalTokens = 10, 17 }, kvreplay.LengthMismatch, 7},
		{"nothing released", func(p *trace.PagedKV) { p.Events[3].RunsTo = p.Events[3].RunsFrom }, kvreplay.ReleasedPages, 3},
		{"the wrong page released", func(p *trace.PagedKV) { p.Runs[p.Events[3].RunsFrom].First = 2 }, kvreplay.ReleasedPages, 3},
	} {
		p := make()
		if _, err := kvreplay.Check(cfg, p); err != nil {
			t.Fatal(err)
		}
		m.spoil(p)
		_, err := kvreplay.Check(cfg, p)
		var mismatch *kvreplay.Mismatch
		if !errors.As(err, &mismatch) || mismatch.Code != m.code || mismatch.Index != m.at {
			t.Errorf("%s: %v, want %s at event %d", m.name, err, m.code, m.at)
		}
	}
}

// BenchmarkIteration is one speculative iteration: checkpoint, append, restore,
// append.
func BenchmarkIteration(b *testing.B) {
	cfg := workload.PagedKV{SequenceID: "s", PageSizeTokens: 16, BytesPerToken: 1, CapacityBytes: 1 << 50}
	b.ReportAllocs()
	var c *kvcache.Cache
	for i := 0; b.Loop(); i++ {
		if i%100_000 == 0 { // traces are kept: start afresh now and then
			c, _ = kvcache.New(cfg)
		}
		h, err := c.Checkpoint()
		if err == nil {
			err = c.Append(4)
		}
		if err == nil {
			err = c.Restore(h, 2)
		}
		if err == nil {
			err = c.Append(1)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(4*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
