package trace

import "github.com/inferlab/inferlab/simcore/jsondoc"

// WriteEvents writes the array of events (contract 01 section 9.3).
func (t *PagedKV) WriteEvents(w *jsondoc.Writer) {
	source := t.Config.Source()
	w.Array()
	for i := range t.Events {
		e := &t.Events[i]
		w.Element().Object()
		w.Key("contractRevision").Int(PagedKVContractRevision)
		w.Key("sourceId").Text(source)
		w.Key("sourceSequence").Int(int64(i))
		w.Key("kind").Text(e.Kind.String())
		t.writeEvent(w, e)
		w.End()
	}
	w.End()
}

func (t *PagedKV) writeEvent(w *jsondoc.Writer, e *PagedKVEvent) {
	switch e.Kind {
	case PagedKVInitialize:
		w.Key("sequenceId").Text(t.Config.SequenceID)
		w.Key("pageSizeTokens").Int(t.Config.PageSizeTokens)
		w.Key("bytesPerToken").Int(t.Config.BytesPerToken)
		w.Key("capacityBytes").Int(t.Config.CapacityBytes)
		w.Key("initialTokenLength").Int(e.FinalTokens)
		t.writePages(w.Key("allocatedPageIds"), e)
	case PagedKVAppend:
		w.Key("baseTokenLength").Int(e.BaseTokens)
		w.Key("appendedTokens").Int(e.Tokens)
		w.Key("finalTokenLength").Int(e.FinalTokens)
		t.writePages(w.Key("allocatedPageIds"), e)
	case PagedKVCheckpoint:
		t.writeCheckpoint(w.Key("checkpoint"), &PagedKVCheckpointState{e.Checkpoint, e.Generation, e.BaseTokens})
	case PagedKVRestore:
		w.Key("checkpointId").Text(t.CheckpointID(e.Checkpoint))
		w.Key("acceptedTokens").Int(e.Tokens)
		w.Key("finalTokenLength").Int(e.FinalTokens)
		t.writePages(w.Key("releasedPageIds"), e)
		w.Key("generation").Int(e.Generation)
	case PagedKVCommit:
		w.Key("checkpointId").Text(t.CheckpointID(e.Checkpoint))
		w.Key("generation").Int(e.Generation)
	}
}

func (t *PagedKV) writePages(w *jsondoc.Writer, e *PagedKVEvent) {
	w.Array()
	for n := range t.Pages(e) {
		w.Element().Text(t.PageID(n))
	}
	w.End()
}

func (t *PagedKV) writeCheckpoint(w *jsondoc.Writer, c *PagedKVCheckpointState) {
	w.Object()
	w.Key("checkpointId").Text(t.CheckpointID(c.Checkpoint))
	w.Key("generation").Int(c.Generation)
	w.Key("baseTokenLength").Int(c.BaseTokens)
	w.End()
}

// WriteSnapshot writes a state of the trace's cache (contract 01 section 9.4).
func (t *PagedKV) WriteSnapshot(w *jsondoc.Writer, s *PagedKVSnapshot) {
	size, bytes := s.Config.PageSizeTokens, s.Config.PageBytes()
	w.Object()
	w.Key("sequenceId").Text(s.Config.SequenceID)
	w.Key("logicalTokenLength").Int(s.LogicalTokens)
	w.Key("highWaterTokenLength").Int(s.HighWaterTokens)
	w.Key("generation").Int(s.Generation)
	w.Key("pageSizeTokens").Int(size)
	w.Key("pageBytes").Int(bytes)
	w.Key("capacityBytes").Int(s.Config.CapacityBytes)
	w.Key("reservedBytes").Int(s.ReservedBytes())
	w.Key("freeBytes").Int(s.Config.CapacityBytes - s.ReservedBytes())
	w.Key("livePages").Array()
	left := s.LogicalTokens
	for _, run := range s.LivePages {
		for n := run.First; n < run.First+run.Count; n++ {
			valid := min(size, left)
			left -= valid
			w.Element().Object()
			w.Key("physicalPageId").Text(t.PageID(n))
			w.Key("validTokens").Int(valid)
			w.Key("capacityTokens").Int(size)
			w.Key("bytes").Int(bytes)
			w.End()
		}
	}
	w.End()
	if s.ActiveCheckpoint != nil {
		t.writeCheckpoint(w.Key("activeCheckpoint"), s.ActiveCheckpoint)
	}
	w.End()
}

// Write writes the metrics as an object.
func (m *PagedKVMetrics) Write(w *jsondoc.Writer) {
	w.Object()
	w.Key("events").Int(m.Events)
	w.Key("appends").Int(m.Appends)
	w.Key("appendedTokens").Int(m.AppendedTokens)
	w.Key("checkpoints").Int(m.Checkpoints)
	w.Key("restores").Int(m.Restores)
	w.Key("commits").Int(m.Commits)
	w.Key("acceptedTokens").Int(m.AcceptedTokens)
	w.Key("discardedTokens").Int(m.DiscardedTokens)
	w.Key("pagesAllocated").Int(m.PagesAllocated)
	w.Key("pagesReleased").Int(m.PagesReleased)
	w.Key("peakLivePages").Int(m.PeakLivePages)
	w.Key("peakReservedBytes").Int(m.PeakReservedBytes)
	w.Key("highWaterTokenLength").Int(m.HighWaterTokens)
	w.Key("reservedTailTokens").Int(m.ReservedTailTokens)
	w.End()
}
