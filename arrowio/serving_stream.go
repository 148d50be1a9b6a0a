package arrowio

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/inferlab/inferlab/arrowio/internal/recycle"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// ServingStream turns a serving run into tables while it goes on: the engine hands
// over its trace window by window and may forget each window at once. Memory is
// that of the windows under way, one number a request, and about ten bytes a batch.
//
// Window writes the tables whose rows belong to batches: tokens, batches,
// batch_members, operations, reservations. Record batches end where windows end, so
// windows of about BatchRows tokens serve readers best. Finish writes those that
// follow from the finished run: requests, resources, metrics, memory_timeline when the
// scenario is known and, with speculation, acceptance_by_position. The rows of all of
// them are those of Serving on the whole run.
type ServingStream struct {
	sink       Sink
	opt        Options
	provenance Provenance
	catalog    *catalog
	mem        *recycle.Allocator

	ids        []string
	gaps       gapReader
	batches    int64 // handed over so far
	finishedNs int64 // finish of the last of them

	levels    levelLog               // of the KV pool, over the windows so far
	schedules []schedule             // by request, likewise
	positions []speculative.Position // likewise, by draft position
}

// StreamProvenance is what the tables of a stream say about their run before it has
// ended: what Serving says of the finished run. speculation may be nil.
func StreamProvenance(scn *topology.Scenario, cfg *workload.Serving, model *cost.Model, speculation *workload.ServingSpeculation) Provenance {
	return servingProvenance(serving.Describe(scn, cfg, model, speculation))
}

// NewServingStream announces the tables to the sink. The scenario may be nil.
func NewServingStream(sink Sink, scn *topology.Scenario, cfg *workload.Serving, p Provenance, opt Options) (*ServingStream, error) {
	return newServingStream(sink, scn, cfg, p, opt, memory.DefaultAllocator)
}

func newServingStream(sink Sink, scn *topology.Scenario, cfg *workload.Serving, p Provenance, opt Options, from memory.Allocator) (*ServingStream, error) {
	s := &ServingStream{
		sink: sink, opt: opt, provenance: p, catalog: newCatalog(scn),
		mem:  recycle.New(from),
		ids:  make([]string, len(cfg.Requests)),
		gaps: newGapReader(len(cfg.Requests)), schedules: make([]schedule, len(cfg.Requests)),
	}
	for i := range cfg.Requests {
		s.ids[i] = cfg.Requests[i].ID
	}
	for _, decl := range streamed {
		if err := sink.Create(decl.Table, decl.Schema(p, opt)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// streamed are the tables of a stream.
var streamed = []*Declaration{&TokensDeclaration, &BatchesDeclaration, &BatchMembersDeclaration,
	&OperationsDeclaration, &ReservationsDeclaration}

// Window takes the next batches of the run. All ranges and references of the
// window count within the window; plans gives each of its batches a template, and
// templates are all that the run has had so far. RequestIDs of the window are not
// read. When Window returns, nothing of the window is in use any more.
func (s *ServingStream) Window(window *trace.Serving, plans []int32, templates []serving.Template) error {
	if len(plans) != len(window.Batches) {
		return fmt.Errorf("window of %d batches has %d plans", len(window.Batches), len(plans))
	}
	if len(window.Batches) == 0 {
		return nil
	}
	own := *window
	own.RequestIDs = s.ids
	t := newServingTables(&serving.Run{Trace: &own, BatchPlans: plans, Templates: templates}, s.opt)
	t.provenance, t.catalog = s.provenance, s.catalog
	t.firstBatch, t.finishedNs = s.batches, s.finishedNs
	t.gaps = s.gaps.read(&own)
	for _, table := range []*Table{t.Tokens(), t.Batches(), t.BatchMembers(), t.Operations(), t.Reservations()} {
		if err := s.write(table); err != nil {
			return err
		}
	}
	s.levels.add(window.Batches)
	addSchedules(s.schedules, window)
	s.addPositions(window.Decode)
	s.batches += int64(len(window.Batches))
	s.finishedNs = window.Batches[len(window.Batches)-1].FinishNs()
	return nil
}

// addPositions counts the decode steps of a window by draft position.
func (s *ServingStream) addPositions(steps []trace.DecodeSlice) {
	for i, p := range speculative.ServingPositions(steps) {
		if i == len(s.positions) {
			s.positions = append(s.positions, speculative.Position{})
		}
		at := &s.positions[i]
		at.Proposals, at.Trials, at.Accepted = at.Proposals+p.Proposals, at.Trials+p.Trials, at.Accepted+p.Accepted
	}
}

// Finish writes the tables that follow from the finished run, of which neither trace
// rows nor token times are read. The sink is then complete and may be committed.
func (s *ServingStream) Finish(run *serving.Run) error {
	t := Serving(run, s.opt)
	t.provenance, t.scheduled = s.provenance, s.schedules
	tables := []*Table{t.Requests(), t.Resources(), t.Metrics()}
	if run.Speculation != nil {
		tables = append(tables, acceptanceTable(s.positions, declaredProbabilities(run), s.provenance, s.opt))
	}
	for _, table := range tables {
		if err := s.sink.Create(table.Name(), table.Schema()); err != nil {
			return err
		}
		if err := s.write(table); err != nil {
			return err
		}
	}
	if run.Scenario == nil {
		return nil
	}
	if err := s.sink.Create(MemoryTimelineDeclaration.Table, MemoryTimelineDeclaration.Schema(s.provenance, s.opt)); err != nil {
		return err
	}
	for piece := range t.memoryPieces(newMemoryTimeline(run), &s.levels) {
		if err := s.write(piece); err != nil {
			return err
		}
	}
	return nil
}

// write hands the rows of a table to the sink.
func (s *ServingStream) write(table *Table) error {
	for rec := range table.Batches(s.mem) {
		if err := s.sink.Write(table.Name(), rec); err != nil {
			return err
		}
	}
	return nil
}

// Release gives memory back after the sink has been committed or aborted.
func (s *ServingStream) Release() { s.mem.Release() }

// gapReader measures the gap from each token to the previous one of its request,
// over windows.
type gapReader struct {
	last []int64 // by request: time of its last token, -1 before the first
	gaps []int64 // of the window, reused
}

func newGapReader(requests int) gapReader {
	last := make([]int64, requests)
	for i := range last {
		last[i] = -1
	}
	return gapReader{last: last}
}

// read returns one gap a token, -1 for a first token; valid until the next call.
func (g *gapReader) read(tr *trace.Serving) []int64 {
	if cap(g.gaps) < len(tr.Tokens) {
		g.gaps = make([]int64, len(tr.Tokens))
	}
	gaps := g.gaps[:len(tr.Tokens)]
	for b := range tr.Batches {
		batch := &tr.Batches[b]
		now := batch.FinishNs()
		for i := batch.TokensFrom; i < batch.TokensTo; i++ {
			last := &g.last[tr.Tokens[i].Request]
			gaps[i] = -1
			if *last >= 0 {
				gaps[i] = now - *last
			}
			*last = now
		}
	}
	return gaps
}
