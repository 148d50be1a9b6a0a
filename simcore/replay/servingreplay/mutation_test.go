package servingreplay_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/inferlab/inferlab/simcore/replay/servingreplay"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// everyShape is a run with chunked prompts, a one-token request, priorities, an
// arrival during a batch, several arrivals in one nanosecond, a paused decode and
// an idle gap.
var everyShape = workload.Serving{
	MaxBatchSize: 3, MaxBatchTokens: 8, PrefillChunkTokens: 4, MaxKVTokens: 16,
	Requests: []workload.Request{
		{ID: "b", ArrivalNs: 0, PromptTokens: 6, OutputTokens: 4},
		{ID: "a", ArrivalNs: 0, PromptTokens: 7, OutputTokens: 5},
		{ID: "one", ArrivalNs: 30_000, PromptTokens: 5, OutputTokens: 1},
		{ID: "vip", ArrivalNs: 400_000, PromptTokens: 3, OutputTokens: 3, Priority: 2},
		{ID: "late", ArrivalNs: 90_000_000, PromptTokens: 9, OutputTokens: 2},
	},
}

func run(t testing.TB, cfg workload.Serving) (workload.Serving, *trace.Serving) {
	t.Helper()
	s, err := serving.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := s.Schedule(serving.DefaultEstimator, serving.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s.Config(), tr
}

func check(cfg workload.Serving, tr *trace.Serving) error {
	_, err := servingreplay.Check(servingreplay.Input{Config: cfg, Trace: tr, Estimator: serving.DefaultEstimator})
	return err
}

// rejectedAt returns the index at which the trace is rejected, or -1.
func rejectedAt(t *testing.T, cfg workload.Serving, tr *trace.Serving) (int64, servingreplay.Rule) {
	t.Helper()
	err := check(cfg, tr)
	if err == nil {
		return -1, ""
	}
	var m *servingreplay.Mismatch
	if !errors.As(err, &m) {
		t.Fatalf("error of another kind: %v", err)
	}
	return m.Index, m.Rule
}

func clone(tr *trace.Serving) *trace.Serving {
	c := *tr
	c.RequestIDs = slices.Clone(tr.RequestIDs)
	c.Events = slices.Clone(tr.Events)
	c.Batches = slices.Clone(tr.Batches)
	c.Prefill = slices.Clone(tr.Prefill)
	c.Decode = slices.Clone(tr.Decode)
	c.Tokens = slices.Clone(tr.Tokens)
	c.Completed = slices.Clone(tr.Completed)
	return &c
}

func TestAcceptsTheRunItself(t *testing.T) {
	cfg, tr := run(t, everyShape)
	got, err := servingreplay.Check(servingreplay.Input{Config: cfg, Trace: tr, Estimator: serving.DefaultEstimator})
	want := servingreplay.Result{AppliedEvents: int64(len(tr.Events)), CompletedRequests: 5}
	if err != nil || got != want {
		t.Fatalf("got %+v, %v; want %+v", got, err, want)
	}
}

// eventIndex maps each batch to the positions of its start and finish events.
func eventIndex(tr *trace.Serving) (start, finish []int64) {
	start, finish = make([]int64, len(tr.Batches)), make([]int64, len(tr.Batches))
	for i, e := range tr.Events {
		switch e.Kind {
		case trace.ServingBatchStart:
			start[e.Ref] = int64(i)
		case trace.ServingBatchFinish:
			finish[e.Ref] = int64(i)
		}
	}
	return start, finish
}

// finishFields are the fields of a batch that its finish event shows; the others
// belong to its start event.
var finishFields = map[string]bool{
	"TokensFrom": true, "TokensTo": true, "CompletedFrom": true, "CompletedTo": true, "KVTokensAfter": true,
}

// TestEveryFieldChangedIsRejectedAtItsEvent changes each field of each row of each
// table by a few amounts and expects the rejection at the very event that the
// field belongs to.
func TestEveryFieldChangedIsRejectedAtItsEvent(t *testing.T) {
	cfg, tr := run(t, everyShape)
	start, finish := eventIndex(tr)
	owner := func(row int32, from func(*trace.ServingBatch) (int32, int32), events []int64) int64 {
		for i := range tr.Batches {
			if lo, hi := from(&tr.Batches[i]); row >= lo && row < hi {
				return events[i]
			}
		}
		t.Fatal("a row that no batch owns")
		return -1
	}
	mutations := 0
	each := func(table string, rows int, at func(c *trace.Serving, row int) reflect.Value, want func(row int, field string) int64) {
		for row := range rows {
			fields := []string{""}
			if v := at(tr, row); v.Kind() == reflect.Struct {
				fields = fields[:0]
				for f := range v.NumField() {
					fields = append(fields, v.Type().Field(f).Name)
				}
			}
			for _, field := range fields {
				for _, delta := range []int64{-1, 1, 2, 1 << 20} {
					c := clone(tr)
					v := at(c, row)
					if field != "" {
						v = v.FieldByName(field)
					}
					before := fmt.Sprint(v.Interface())
					if v.CanInt() {
						v.SetInt(v.Int() + delta)
					} else {
						v.SetUint(uint64(uint8(int64(v.Uint()) + delta)))
					}
					if reflect.DeepEqual(c, tr) { // the change does not fit the type
						continue
					}
					mutations++
					if got, rule := rejectedAt(t, cfg, c); got != want(row, field) {
						t.Errorf("%s[%d].%s %s changed by %d: rejected at %d (%s), want %d",
							table, row, field, before, delta, got, rule, want(row, field))
					}
				}
			}
		}
	}
	each("Events", len(tr.Events),
		func(c *trace.Serving, row int) reflect.Value { return reflect.ValueOf(&c.Events[row]).Elem() },
		func(row int, _ string) int64 { return int64(row) })
	each("Batches", len(tr.Batches),
		func(c *trace.Serving, row int) reflect.Value { return reflect.ValueOf(&c.Batches[row]).Elem() },
		func(row int, field string) int64 {
			if finishFields[field] {
				return finish[row]
			}
			return start[row]
		})
	each("Prefill", len(tr.Prefill),
		func(c *trace.Serving, row int) reflect.Value { return reflect.ValueOf(&c.Prefill[row]).Elem() },
		func(row int, _ string) int64 {
			return owner(int32(row), func(b *trace.ServingBatch) (int32, int32) { return b.PrefillFrom, b.PrefillTo }, start)
		})
	each("Decode", len(tr.Decode),
		func(c *trace.Serving, row int) reflect.Value { return reflect.ValueOf(&c.Decode[row]).Elem() },
		func(row int, _ string) int64 {
			return owner(int32(row), func(b *trace.ServingBatch) (int32, int32) { return b.DecodeFrom, b.DecodeTo }, start)
		})
	each("Tokens", len(tr.Tokens),
		func(c *trace.Serving, row int) reflect.Value { return reflect.ValueOf(&c.Tokens[row]).Elem() },
		func(row int, _ string) int64 {
			return owner(int32(row), func(b *trace.ServingBatch) (int32, int32) { return b.TokensFrom, b.TokensTo }, finish)
		})
	each("Completed", len(tr.Completed),
		func(c *trace.Serving, row int) reflect.Value { return reflect.ValueOf(&c.Completed[row]).Elem() },
		func(row int, _ string) int64 {
			return owner(int32(row), func(b *trace.ServingBatch) (int32, int32) { return b.CompletedFrom, b.CompletedTo }, finish)
		})
	last := int64(len(tr.Events) - 1)
	for _, field := range []string{"CompletedRequests", "TotalOutputTokens", "FinalKVTokens"} {
		each(field, 1,
			func(c *trace.Serving, _ int) reflect.Value { return reflect.ValueOf(c).Elem().FieldByName(field) },
			func(int, string) int64 { return last })
	}
	if mutations < 1000 {
		t.Errorf("only %d mutations", mutations)
	}
	t.Logf("%d mutations", mutations)
}

// TestEventsDroppedRepeatedOrSwapped keeps the rows and breaks the sequence.
func TestEventsDroppedRepeatedOrSwapped(t *testing.T) {
	cfg, tr := run(t, everyShape)
	for i := range tr.Events {
		dropped := clone(tr)
		dropped.Events = slices.Delete(dropped.Events, i, i+1)
		if got, rule := rejectedAt(t, cfg, dropped); got != int64(i) {
			t.Errorf("event %d dropped: rejected at %d (%s)", i, got, rule)
		}
		repeated := clone(tr)
		repeated.Events = slices.Insert(repeated.Events, i+1, repeated.Events[i])
		if got, rule := rejectedAt(t, cfg, repeated); got != int64(i)+1 {
			t.Errorf("event %d repeated: rejected at %d (%s)", i, got, rule)
		}
		if i+1 < len(tr.Events) {
			swapped := clone(tr)
			swapped.Events[i], swapped.Events[i+1] = swapped.Events[i+1], swapped.Events[i]
			if got, rule := rejectedAt(t, cfg, swapped); got != int64(i) && got != int64(i)+1 {
				t.Errorf("events %d and %d swapped: rejected at %d (%s)", i, i+1, got, rule)
			}
		}
	}
}

// TestDelayedStartIsRejected shifts a batch and all that follows it by 1 ns: every
// duration and every order still holds, only the start is late.
func TestDelayedStartIsRejected(t *testing.T) {
	cfg := everyShape
	cfg.Requests = everyShape.Requests[:2] // all arrivals at 0
	cfg, tr := run(t, cfg)
	start, _ := eventIndex(tr)
	for k := range tr.Batches {
		c := clone(tr)
		for i := int(start[k]); i < len(c.Events); i++ {
			c.Events[i].AtNs++
		}
		for i := k; i < len(c.Batches); i++ {
			c.Batches[i].StartNs++
		}
		got, rule := rejectedAt(t, cfg, c)
		if got != start[k] || rule != servingreplay.BatchStartTime {
			t.Errorf("batch %d delayed: rejected at %d (%s), want %d (%s)", k, got, rule, start[k], servingreplay.BatchStartTime)
		}
	}
}

// TestGuardIsDerivedAgain rejects a trace made with a larger pool: the run itself
// is consistent, but the guard would have refused a grant.
func TestGuardIsDerivedAgain(t *testing.T) {
	_, tr := run(t, workload.Serving{MaxBatchSize: 4, MaxBatchTokens: 16, PrefillChunkTokens: 8, MaxKVTokens: 64,
		Requests: everyShape.Requests[:2]})
	cfg, _ := run(t, workload.Serving{MaxBatchSize: 4, MaxBatchTokens: 16, PrefillChunkTokens: 8, MaxKVTokens: 11,
		Requests: everyShape.Requests[:2]})
	got, rule := rejectedAt(t, cfg, tr)
	if got != 2 || rule != servingreplay.BatchSelection {
		t.Errorf("rejected at %d (%s), want 2 (%s)", got, rule, servingreplay.BatchSelection)
	}
}

// TestRequestTableAndLeftovers covers what no single event shows.
func TestRequestTableAndLeftovers(t *testing.T) {
	cfg, tr := run(t, everyShape)
	last := int64(len(tr.Events) - 1)
	for name, c := range map[string]struct {
		change func(*trace.Serving)
		index  int64
		rule   servingreplay.Rule
	}{
		"renamed request":  {func(c *trace.Serving) { c.RequestIDs[1] = "x" }, 0, servingreplay.RequestTable},
		"missing request":  {func(c *trace.Serving) { c.RequestIDs = c.RequestIDs[:4] }, 0, servingreplay.RequestTable},
		"no event":         {func(c *trace.Serving) { c.Events = nil }, 0, servingreplay.MissingTerminal},
		"spare batch":      {func(c *trace.Serving) { c.Batches = append(c.Batches, trace.ServingBatch{}) }, last, servingreplay.AfterTerminal},
		"spare emission":   {func(c *trace.Serving) { c.Tokens = append(c.Tokens, trace.TokenEmission{}) }, last, servingreplay.AfterTerminal},
		"lost emission":    {func(c *trace.Serving) { c.Tokens = c.Tokens[:len(c.Tokens)-1] }, last - 1, servingreplay.BatchRange},
		"lost prefill row": {func(c *trace.Serving) { c.Prefill = c.Prefill[:0] }, 2, servingreplay.BatchRange},
	} {
		m := clone(tr)
		c.change(m)
		if got, rule := rejectedAt(t, cfg, m); got != c.index || rule != c.rule {
			t.Errorf("%s: rejected at %d (%s), want %d (%s)", name, got, rule, c.index, c.rule)
		}
	}
}

// FuzzCheckNeverPanics damages a trace at random places; the check must answer,
// and must not accept a trace that differs.
func FuzzCheckNeverPanics(f *testing.F) {
	f.Add(uint8(0), uint16(0), uint8(0), int64(1))
	f.Add(uint8(1), uint16(3), uint8(7), int64(-1))
	f.Add(uint8(4), uint16(9), uint8(1), int64(1<<40))
	cfg, tr := run(f, everyShape)
	f.Fuzz(func(t *testing.T, table uint8, row uint16, field uint8, value int64) {
		c := clone(tr)
		rows := [...]reflect.Value{
			reflect.ValueOf(c.Events), reflect.ValueOf(c.Batches), reflect.ValueOf(c.Prefill),
			reflect.ValueOf(c.Decode), reflect.ValueOf(c.Tokens),
		}[table%5]
		v := rows.Index(int(row) % rows.Len())
		v = v.Field(int(field) % v.NumField())
		if v.CanInt() {
			v.SetInt(value)
		} else {
			v.SetUint(uint64(uint8(value)))
		}
		if err := check(cfg, c); err == nil && !reflect.DeepEqual(c, tr) {
			t.Fatalf("accepted a changed trace: table %d row %d field %d value %d", table%5, row, field, value)
		}
	})
}
