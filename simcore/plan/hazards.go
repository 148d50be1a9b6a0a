package plan

import "slices"

// Hazards is the hazard closure of a plan under construction: going through the
// steps in plan order it knows, for every physical allocation, the last writer
// and the readers since that write, and so the dependencies that make two users
// of one buffer wait for each other (read after write, write after write, write
// after read; reads do not wait for reads). Contract 03 section 3, contract 06
// section 7.1. The zero value is an empty plan, ready for use.
type Hazards struct {
	buffers map[string]int // allocation id to index in states
	states  []hazardState
}

type hazardState struct {
	writer    int64
	hasWriter bool
	readers   []int64 // since the last write, oldest first
}

// Reset forgets every step, keeping the memory for the next plan.
func (h *Hazards) Reset() {
	clear(h.buffers)
	for i := range h.states {
		h.states[i].readers = h.states[i].readers[:0]
	}
	h.states = h.states[:0]
}

// Step records the step with the given id as the next of the plan and returns
// its dependencies: the explicit ones, then the last writer of each read in
// order, then for each write in order its last writer and all readers since,
// oldest first; every id once, at its first place. The result is a new slice.
func (h *Hazards) Step(id int64, explicit []int64, reads, writes []string) []int64 {
	deps := newIDSet(len(explicit) + 2)
	deps.addAll(explicit)
	for _, a := range reads {
		if s := h.state(a); s.hasWriter {
			deps.add(s.writer)
		}
	}
	for _, a := range writes {
		s := h.state(a)
		if s.hasWriter {
			deps.add(s.writer)
		}
		deps.addAll(s.readers)
	}
	for _, a := range writes {
		s := h.state(a)
		s.writer, s.hasWriter = id, true
		s.readers = s.readers[:0]
	}
	for _, a := range reads {
		if slices.Contains(writes, a) {
			continue
		}
		if s := h.state(a); len(s.readers) == 0 || s.readers[len(s.readers)-1] != id {
			s.readers = append(s.readers, id)
		}
	}
	return deps.ids
}

// LastWriter returns the id of the last step that writes an allocation, and false
// when none has so far.
func (h *Hazards) LastWriter(allocationID string) (stepID int64, ok bool) {
	i, known := h.buffers[allocationID]
	if !known {
		return 0, false
	}
	return h.states[i].writer, h.states[i].hasWriter
}

func (h *Hazards) state(allocationID string) *hazardState {
	if i, ok := h.buffers[allocationID]; ok {
		return &h.states[i]
	}
	if h.buffers == nil {
		h.buffers = make(map[string]int)
	}
	i := len(h.states)
	h.buffers[allocationID] = i
	if i < cap(h.states) {
		h.states = h.states[:i+1] // keep the readers' memory of a former plan
		s := &h.states[i]
		s.writer, s.hasWriter, s.readers = 0, false, s.readers[:0]
		return s
	}
	h.states = append(h.states, hazardState{})
	return &h.states[i]
}

// idSet is a list of distinct ids in order of first mention. Short lists, the
// usual case, are searched; long ones get an index.
type idSet struct {
	ids   []int64
	index map[int64]struct{}
}

const indexedFrom = 24

func newIDSet(capacity int) idSet { return idSet{ids: make([]int64, 0, capacity)} }

func (s *idSet) addAll(ids []int64) {
	for _, id := range ids {
		s.add(id)
	}
}

func (s *idSet) add(id int64) {
	if s.index != nil {
		if _, ok := s.index[id]; ok {
			return
		}
		s.index[id] = struct{}{}
	} else if slices.Contains(s.ids, id) {
		return
	}
	s.ids = append(s.ids, id)
	if s.index == nil && len(s.ids) == indexedFrom {
		s.index = make(map[int64]struct{}, 2*indexedFrom)
		for _, v := range s.ids {
			s.index[v] = struct{}{}
		}
	}
}
