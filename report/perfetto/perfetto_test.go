package perfetto_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/report/perfetto"
	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/workload"
)

// event is what the tests read of an event. Times stay as they are written.
type event struct {
	Ph, Name, Cat string
	Pid, Tid      int
	ID            int64
	Ts, Dur       json.Number
	Args          map[string]json.Number `json:"-"` // those that are numbers
}

// ns reads decimal microseconds without rounding.
func ns(t *testing.T, n json.Number) int64 {
	t.Helper()
	whole, rest, _ := strings.Cut(n.String(), ".")
	var us, part int64
	if _, err := fmt.Sscan(whole, &us); err != nil {
		t.Fatalf("time %q", n)
	}
	if rest != "" {
		if len(rest) != 3 {
			t.Fatalf("time %q has no whole nanoseconds", n)
		}
		fmt.Sscan(strings.TrimLeft(rest, "0")+" ", &part)
	}
	return us*1000 + part
}

func events(t *testing.T, file []byte) []event {
	t.Helper()
	in := json.NewDecoder(bytes.NewReader(file))
	var loose struct {
		DisplayTimeUnit string
		TraceEvents     []json.RawMessage
	}
	if err := in.Decode(&loose); err != nil {
		t.Fatal(err)
	}
	var all []event
	for _, raw := range loose.TraceEvents {
		var e struct {
			event
			Args map[string]any
		}
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&e); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		e.event.Args = map[string]json.Number{}
		for k, v := range e.Args {
			if n, ok := v.(json.Number); ok {
				e.event.Args[k] = n
			}
		}
		all = append(all, e.event)
	}
	return all
}

const hostile = "<script>alert(1)</script> \u202eevil\" \\ \U0001F600"

func served(t *testing.T, machine string, spec *simcore.ServingSpeculation) *serving.Run {
	t.Helper()
	s, err := simcore.Scenario(machine)
	if err != nil {
		t.Fatal(err)
	}
	cfg := simcore.Serving{MaxBatchSize: 6, MaxBatchTokens: 200, PrefillChunkTokens: 64, MaxKVTokens: 3000}
	for i := range 30 {
		id := fmt.Sprintf("r%d", i)
		if i == 3 {
			id = hostile
		}
		cfg.Requests = append(cfg.Requests, simcore.Request{ID: id, ArrivalNs: int64(i/3) * 31_000_001,
			PromptTokens: int64(5 + i*37%200), OutputTokens: int64(1 + i*7%20)})
	}
	r, err := simcore.Serve(s, cfg, simcore.ServingOptions{Speculation: spec})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checkRows proves that slices on a row are nested or apart, and counts them.
func checkRows(t *testing.T, all []event) map[int]int {
	t.Helper()
	type span struct {
		from, to int64
		name     string
	}
	rows := map[[2]int][]span{}
	named := map[[2]int]bool{}
	count := map[int]int{}
	for _, e := range all {
		switch e.Ph {
		case "X":
			from := ns(t, e.Ts)
			rows[[2]int{e.Pid, e.Tid}] = append(rows[[2]int{e.Pid, e.Tid}], span{from, from + ns(t, e.Dur), e.Name})
			count[e.Pid]++
		case "M":
			named[[2]int{e.Pid, e.Tid}] = true
		}
	}
	for row, spans := range rows {
		if !named[row] {
			t.Errorf("row %v has no name", row)
		}
		slices.SortStableFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
		var open []span
		for _, s := range spans {
			for len(open) > 0 && open[len(open)-1].to <= s.from {
				open = open[:len(open)-1]
			}
			if len(open) > 0 && s.to > open[len(open)-1].to {
				t.Fatalf("row %v: %+v reaches out of %+v", row, s, open[len(open)-1])
			}
			open = append(open, s)
		}
	}
	return count
}

func TestServing(t *testing.T) {
	for _, machine := range []string{"multi-gpu", "multi-node", "gpu-npu"} {
		t.Run(machine, func(t *testing.T) {
			r := served(t, machine, nil)
			var out, again bytes.Buffer
			if err := errors.Join(perfetto.Serving(&out, r), perfetto.Serving(&again, r)); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(out.Bytes(), again.Bytes()) {
				t.Error("the same run gives other bytes")
			}
			all := events(t, out.Bytes())
			count := checkRows(t, all)
			operations := 0
			for i := range r.Trace.Batches {
				for _, o := range r.Templates[r.BatchPlans[i]].Trace.Operations {
					operations += len(o.Resources)
				}
			}
			if got := count[3] + count[4] + count[5] + count[6]; got != operations || count[1] != len(r.Trace.Batches) {
				t.Errorf("%d slices of operations and %d of batches, want %d and %d", got, count[1], operations, len(r.Trace.Batches))
			}
			checkFlows(t, r, all)
			checkCounters(t, r, all)
		})
	}
}

// TestDrain: operations that run on behind their batch move to a row of their own.
func TestDrain(t *testing.T) {
	r := served(t, "multi-gpu", nil)
	long := *r
	long.Templates = slices.Clone(r.Templates)
	for i := range long.Templates {
		tr := *long.Templates[i].Trace
		tr.Operations = slices.Clone(tr.Operations)
		tr.Operations[len(tr.Operations)-1].FinishNs += 400_000_000
		long.Templates[i].Trace = &tr
	}
	var out bytes.Buffer
	if err := perfetto.Serving(&out, &long); err != nil {
		t.Fatal(err)
	}
	checkRows(t, events(t, out.Bytes()))
	if !strings.Contains(out.String(), ", drain 1") {
		t.Error("no row for what runs on behind its batch")
	}
}

// checkFlows follows every request from its arrival to its first decode step.
func checkFlows(t *testing.T, r *serving.Run, all []event) {
	t.Helper()
	phases := map[int64]string{}
	last := map[int64]int64{}
	row := map[int64]int{}
	for _, e := range all {
		if e.Cat != "request" || e.Ph == "X" {
			continue
		}
		at := ns(t, e.Ts)
		if at < last[e.ID] || phases[e.ID] != "" && row[e.ID] != e.Tid {
			t.Errorf("the flow of request %d runs back or leaves its row", e.ID)
		}
		phases[e.ID] += e.Ph
		last[e.ID], row[e.ID] = at, e.Tid
		if e.Ph == "s" && at != r.Config.Requests[e.ID].ArrivalNs {
			t.Errorf("request %d: its flow starts at %d", e.ID, at)
		}
	}
	for i := range r.Config.Requests {
		want := "stf"
		if r.Config.Requests[i].OutputTokens == 1 { // the prefill gives the only token
			want = "st"
		}
		if got := phases[int64(i)]; got != want {
			t.Errorf("request %d: flow %q, want %q", i, got, want)
		}
	}
}

func checkCounters(t *testing.T, r *serving.Run, all []event) {
	t.Helper()
	high, last := map[string]int64{}, map[string]int64{}
	for _, e := range all {
		if e.Ph != "C" {
			continue
		}
		for _, v := range e.Args {
			n, err := v.Int64()
			if err != nil || n < 0 {
				t.Fatalf("counter %s: %q", e.Name, v)
			}
			high[e.Name], last[e.Name] = max(high[e.Name], n), n
		}
	}
	if high["KV tokens"] != r.Metrics.KVHighWaterTokens {
		t.Errorf("KV peaks at %d, want %d", high["KV tokens"], r.Metrics.KVHighWaterTokens)
	}
	if high["requests running"] == 0 || high["requests running"] > r.Config.MaxBatchSize*4 {
		t.Errorf("%d requests running at most", high["requests running"])
	}
	memory := 0
	for name, v := range last {
		if v != 0 {
			t.Errorf("%s ends at %d", name, v)
		}
		if strings.HasPrefix(name, "memory ") {
			memory++
		}
	}
	if memory == 0 {
		t.Error("no counter of a memory")
	}
}

// TestPlan writes one plan with its ranks.
func TestPlan(t *testing.T) {
	s, err := simcore.Scenario("multi-gpu")
	if err != nil {
		t.Fatal(err)
	}
	work, err := workload.TargetOnly(4)
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Execute(s, work, cost.Default())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := perfetto.Plan(&out, r.Compiled.Plan, r.Trace); err != nil {
		t.Fatal(err)
	}
	all := events(t, out.Bytes())
	count := checkRows(t, all)
	slices := 0
	for _, o := range r.Trace.Operations {
		slices += len(o.Resources)
	}
	if got := count[3] + count[4] + count[5] + count[6]; got != slices || count[1] != len(r.Trace.Terminal.RankStates) {
		t.Errorf("%d slices of operations, %d of ranks; want %d and %d", got, count[1], slices, len(r.Trace.Terminal.RankStates))
	}
}

// failing is a full disk.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteError(t *testing.T) {
	if err := perfetto.Serving(failing{}, served(t, "multi-gpu", nil)); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("error %v", err)
	}
}
