package arrowio

import (
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlab/inferlab/arrowio/internal/samplerun"
	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/workload"
)

// memorySink keeps batches.
type memorySink struct {
	names  []string
	tables map[string]*Table
}

func (m *memorySink) Create(name string, s *arrow.Schema) error {
	if m.tables == nil {
		m.tables = map[string]*Table{}
	}
	m.names = append(m.names, name)
	m.tables[name] = FromBatches(name, s, nil)
	return nil
}

func (m *memorySink) Write(name string, rec arrow.RecordBatch) error {
	rec.Retain()
	m.tables[name].keep(rec)
	return nil
}

// stream hands a run to a stream in windows of so many batches.
func stream(t testing.TB, sink Sink, run *serving.Run, batches int) {
	t.Helper()
	s, err := newServingStream(sink, nil, &run.Config, servingProvenance(run), Options{}, checked(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Release) // before the allocator is asked, and after the sink has let go
	for from := 0; from < len(run.Trace.Batches); from += batches {
		to := min(from+batches, len(run.Trace.Batches))
		window, templates := samplerun.Window(run, from, to), 1
		for _, k := range run.BatchPlans[:to] {
			templates = max(templates, int(k)+1)
		}
		if err := s.Window(window, run.BatchPlans[from:to], run.Templates[:templates]); err != nil {
			t.Fatal(err)
		}
		clear(window.Tokens) // the stream must not look back
		clear(window.Batches)
	}
	if err := s.Finish(run); err != nil {
		t.Fatal(err)
	}
}

// TestStreamEqualsWhole: however a run is cut into windows, the rows are those of
// the whole run.
func TestStreamEqualsWhole(t *testing.T) {
	for name, run := range map[string]*serving.Run{"small": samplerun.Small(), "large": samplerun.Large(300, 230)} {
		whole := map[string]*Table{}
		for _, table := range Serving(run, Options{}).All() {
			whole[table.Name()] = table
		}
		for _, batches := range []int{1, 3, 100, 1000} {
			t.Run(fmt.Sprintf("%s by %d", name, batches), func(t *testing.T) {
				var sink memorySink
				stream(t, &sink, run, batches)
				if len(sink.names) != len(whole) {
					t.Fatalf("tables %v", sink.names)
				}
				sink.compare(t, checked(t), whole)
			})
		}
	}
}

// compare compares every table with the whole one and releases it.
func (m *memorySink) compare(t *testing.T, mem memory.Allocator, whole map[string]*Table) {
	t.Helper()
	for _, table := range m.names {
		got, want := m.tables[table].Arrow(mem), whole[table].Arrow(mem)
		if got.NumRows() != want.NumRows() || !got.Schema().Equal(want.Schema()) || !got.Schema().Metadata().Equal(want.Schema().Metadata()) {
			t.Fatalf("%s: %d rows; want %d, or another schema", table, got.NumRows(), want.NumRows())
		}
		for i := range int(got.NumCols()) {
			if !sameCells(got.Column(i), want.Column(i)) {
				t.Errorf("%s.%s differs", table, got.Column(i).Name())
			}
		}
		got.Release()
		want.Release()
		m.tables[table].Release()
	}
}

// TestStreamOfTheEngine: the tables of a run that streams are those of the run that
// is kept, with speculation and without.
func TestStreamOfTheEngine(t *testing.T) {
	scn, err := simcore.Scenario("multi-gpu")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := simcore.ProposeServing("mtp", 3, simcore.AcceptanceLadder(0.8, 3))
	if err != nil {
		t.Fatal(err)
	}
	cfg := workload.Serving{MaxBatchSize: 4, MaxBatchTokens: 64, PrefillChunkTokens: 16, MaxKVTokens: 600, Requests: []workload.Request{
		{ID: "z", ArrivalNs: 7, PromptTokens: 40, OutputTokens: 60}, {ID: "a", PromptTokens: 8, OutputTokens: 60}, {ID: "one", PromptTokens: 9, OutputTokens: 1}}}
	model := cost.Default()
	for name, proposer := range map[string]*workload.ServingSpeculation{"target only": nil, "speculative": spec} {
		opts := serving.RunOptions{Speculation: proposer}
		kept, err := serving.Simulate(scn, cfg, model, opts)
		if err != nil {
			t.Fatal(err)
		}
		served := Serving(kept, Options{})
		whole := map[string]*Table{"acceptance_by_position": served.AcceptanceByPosition()}
		for _, table := range served.All() {
			whole[table.Name()] = table
		}
		var sink memorySink
		stream, err := newServingStream(&sink, scn, &cfg, StreamProvenance(scn, &cfg, model, proposer), Options{}, checked(t))
		if err != nil {
			t.Fatal(err)
		}
		windows := 0
		run, err := serving.Stream(scn, cfg, model, opts, 16, func(w *serving.Window) error {
			windows++
			return stream.Window(w.Trace, w.BatchPlans, w.Templates)
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := stream.Finish(run); err != nil {
			t.Fatal(err)
		}
		want := 9
		if proposer != nil {
			want++
		}
		if windows < 4 || len(sink.names) != want {
			t.Fatalf("%s: %d windows, tables %v", name, windows, sink.names)
		}
		sink.compare(t, checked(t), whole)
		stream.Release()
	}
}

// sameCells compares values; dictionaries may have grown on the way.
func sameCells(a, b *arrow.Column) bool {
	if !carriesDictionary(a.DataType()) {
		return array.ChunkedEqual(a.Data(), b.Data())
	}
	cells := func(c *arrow.Column) (out []string) {
		for _, chunk := range c.Data().Chunks() {
			for i := range chunk.Len() {
				out = append(out, fmt.Sprint(chunk.IsNull(i))+cellText(chunk, i))
			}
		}
		return out
	}
	x, y := cells(a), cells(b)
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return len(x) == len(y)
}

func TestWindowNeedsPlans(t *testing.T) {
	run := samplerun.Small()
	s, err := NewServingStream(&memorySink{}, nil, &run.Config, Provenance{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Window(run.Trace, run.BatchPlans[1:], run.Templates); err == nil {
		t.Error("a window with a plan too few was accepted")
	}
}
