package servingreplay_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/inferlab/inferlab/simcore/replay/servingreplay"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// cut cuts a trace behind every so many batches. Rows are cut as the ranges of the
// batches say.
func cut(tr *trace.Serving, batches int) []*trace.Serving {
	var out []*trace.Serving
	for from := 0; from < len(tr.Batches); from += batches {
		to := min(from+batches, len(tr.Batches))
		first, last := &tr.Batches[from], &tr.Batches[to-1]
		w := &trace.Serving{RequestIDs: tr.RequestIDs, Prefill: tr.Prefill[first.PrefillFrom:last.PrefillTo],
			Decode: tr.Decode[first.DecodeFrom:last.DecodeTo], Tokens: tr.Tokens[first.TokensFrom:last.TokensTo],
			Completed: tr.Completed[first.CompletedFrom:last.CompletedTo], CompletedRequests: tr.CompletedRequests,
			TotalOutputTokens: tr.TotalOutputTokens, FinalKVTokens: tr.FinalKVTokens}
		for _, b := range tr.Batches[from:to] {
			p, d, k, c := first.PrefillFrom, first.DecodeFrom, first.TokensFrom, first.CompletedFrom
			b.PrefillFrom, b.PrefillTo, b.DecodeFrom, b.DecodeTo = b.PrefillFrom-p, b.PrefillTo-p, b.DecodeFrom-d, b.DecodeTo-d
			b.TokensFrom, b.TokensTo, b.CompletedFrom, b.CompletedTo = b.TokensFrom-k, b.TokensTo-k, b.CompletedFrom-c, b.CompletedTo-c
			w.Batches = append(w.Batches, b)
		}
		out = append(out, w)
	}
	at := 0 // window of the next event
	for _, e := range tr.Events {
		if e.Kind == trace.ServingBatchStart || e.Kind == trace.ServingBatchFinish {
			at = min(int(e.Ref)/batches, len(out)-1)
			e.Ref -= int32(at * batches)
		}
		out[at].Events = append(out[at].Events, e)
	}
	return out
}

func checkCut(cfg workload.Serving, windows []*trace.Serving) (servingreplay.Result, error) {
	w := servingreplay.NewWindows(servingreplay.Input{Config: cfg, Estimator: serving.DefaultEstimator})
	for _, window := range windows {
		if err := w.Check(window); err != nil {
			return servingreplay.Result{}, err
		}
	}
	return w.Finish()
}

// TestWindowsAreTheWhole: however a trace is cut, the answer is that on the whole.
func TestWindowsAreTheWhole(t *testing.T) {
	cfg, tr := run(t, everyShape)
	want, err := servingreplay.Check(servingreplay.Input{Config: cfg, Trace: tr, Estimator: serving.DefaultEstimator})
	if err != nil {
		t.Fatal(err)
	}
	for batches := 1; batches <= len(tr.Batches); batches++ {
		if got, err := checkCut(cfg, cut(tr, batches)); err != nil || got != want {
			t.Errorf("windows of %d batches: %+v, %v; want %+v", batches, got, err, want)
		}
	}
}

// TestWindowsFindTheFirstOffence: a changed figure is found at the event and by the
// rule that a check of the whole gives.
func TestWindowsFindTheFirstOffence(t *testing.T) {
	cfg, tr := run(t, everyShape)
	mutations := 0
	try := func(name string, change func(c *trace.Serving)) {
		c := clone(tr)
		change(c)
		index, rule := rejectedAt(t, cfg, c)
		for batches := 1; batches < 5; batches++ {
			_, err := checkCut(cfg, cut(c, batches))
			var m *servingreplay.Mismatch
			if !errors.As(err, &m) || m.Index != index || m.Rule != rule {
				t.Errorf("%s, windows of %d batches: %v; the whole is rejected at %d (%s)", name, batches, err, index, rule)
			}
		}
		mutations++
	}
	for i := range tr.Batches {
		for _, field := range []string{"StartNs", "DurationNs", "TokenWork", "ExpectedOutputTokens", "KVTokensBefore", "TransientKVTokens", "KVTokensAfter"} {
			try(field, func(c *trace.Serving) {
				f := reflect.ValueOf(&c.Batches[i]).Elem().FieldByName(field)
				f.SetInt(f.Int() + 1)
			})
		}
	}
	for i := range tr.Events {
		try("event time", func(c *trace.Serving) { c.Events[i].AtNs++ })
	}
	for i := range tr.Tokens {
		try("token", func(c *trace.Serving) { c.Tokens[i].Index++ })
	}
	for i := range tr.Completed {
		try("completion", func(c *trace.Serving) { c.Completed[i] = (c.Completed[i] + 1) % int32(len(cfg.Requests)) })
	}
	if mutations < 100 {
		t.Errorf("only %d mutations", mutations)
	}
}

// TestWindowsMustBeWhole: a window with rows of no event, one that ends within a
// batch, and a trace without its last window are refused.
func TestWindowsMustBeWhole(t *testing.T) {
	cfg, tr := run(t, everyShape)
	for name, c := range map[string]struct {
		change func(w []*trace.Serving) []*trace.Serving
		rule   servingreplay.Rule
	}{
		"no window":       {func([]*trace.Serving) []*trace.Serving { return nil }, servingreplay.MissingTerminal},
		"last is missing": {func(w []*trace.Serving) []*trace.Serving { return w[:len(w)-1] }, servingreplay.MissingTerminal},
		"within a batch": {func(w []*trace.Serving) []*trace.Serving {
			w[0].Events = w[0].Events[:len(w[0].Events)-1]
			return w
		}, servingreplay.BatchRange},
		"spare row": {func(w []*trace.Serving) []*trace.Serving {
			w[1].Prefill = append(w[1].Prefill[:len(w[1].Prefill):len(w[1].Prefill)], trace.PrefillSlice{})
			return w
		}, servingreplay.AfterTerminal},
		"other requests": {func(w []*trace.Serving) []*trace.Serving { w[1].RequestIDs = nil; return w }, servingreplay.RequestTable},
	} {
		_, err := checkCut(cfg, c.change(cut(tr, 2)))
		var m *servingreplay.Mismatch
		if !errors.As(err, &m) || m.Rule != c.rule {
			t.Errorf("%s: %v, want %s", name, err, c.rule)
		}
	}
}
