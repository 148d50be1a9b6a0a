package executor

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// Sequencer orders the submission of collectives among executions: in every
// communicator the executions stand in a queue in the order of registration, and
// only the head submits, until it has submitted all of its collectives there.
// Communicators are independent of each other. Contract 03 section 15.
//
// The zero value is at epoch 0 with nothing registered. Errors are *issue.Error
// with code CodeSequencer and leave the state as it was.
type Sequencer struct {
	epoch      int64
	poisoned   bool
	executions map[string]map[string]*progress // by execution, by group still pending
	queues     map[string][]string             // by group: execution ids, head first
}

// progress is how far an execution is in one communicator.
type progress struct{ expected, submitted int64 }

// GroupCount is how many collectives an execution will submit in a communicator.
type GroupCount struct {
	GroupID string
	Count   int64
}

// Epoch is the current topology epoch.
func (s *Sequencer) Epoch() int64 { return s.epoch }

// Poisoned reports whether an abort after a partial submission has closed the
// epoch to registration.
func (s *Sequencer) Poisoned() bool { return s.poisoned }

// Queue lists the executions that wait in a communicator, head first. The slice
// must not be written to.
func (s *Sequencer) Queue(groupID string) []string { return s.queues[groupID] }

func refuse(path, format string, args ...any) error {
	return issue.New(CodeSequencer, path, format, args...)
}

// Register lets an execution join the queue of every communicator in which it
// will submit collectives.
func (s *Sequencer) Register(executionID string, epoch int64, counts []GroupCount) error {
	switch {
	case executionID == "":
		return refuse("executionId", "the execution id is empty")
	case s.executions[executionID] != nil:
		return refuse("executionId", "execution %q is registered already", executionID)
	case epoch != s.epoch:
		return refuse("topologyEpoch", "execution %q is of epoch %d, the current one is %d", executionID, epoch, s.epoch)
	case s.poisoned:
		return refuse("topologyEpoch", "epoch %d is poisoned; execution %q must wait for the next", s.epoch, executionID)
	}
	for i, c := range counts {
		if c.GroupID == "" || !quantity.IsCount(c.Count) {
			return refuse("counts", "group %q with %d collectives: ids are not empty and counts are counts", c.GroupID, c.Count)
		}
		if slices.ContainsFunc(counts[:i], func(o GroupCount) bool { return o.GroupID == c.GroupID }) {
			return refuse("counts", "group %q stands twice", c.GroupID)
		}
	}
	if s.executions == nil {
		s.executions, s.queues = make(map[string]map[string]*progress), make(map[string][]string)
	}
	pending := make(map[string]*progress, len(counts))
	for _, c := range counts {
		if c.Count > 0 {
			pending[c.GroupID] = &progress{expected: c.Count}
			s.queues[c.GroupID] = append(s.queues[c.GroupID], executionID)
		}
	}
	s.executions[executionID] = pending
	return nil
}

// CanSubmit reports whether the execution heads the communicator's queue. It
// refuses an execution that has nothing pending there, and a sequence number
// other than the next.
func (s *Sequencer) CanSubmit(executionID, groupID string, sequence int64) (bool, error) {
	if _, err := s.pending(executionID, groupID, sequence); err != nil {
		return false, err
	}
	return s.queues[groupID][0] == executionID, nil
}

// Submit records a collective of the head of the queue. After its last one the
// communicator passes to the next execution.
func (s *Sequencer) Submit(executionID, groupID string, sequence int64) error {
	p, err := s.pending(executionID, groupID, sequence)
	if err != nil {
		return err
	}
	if head := s.queues[groupID][0]; head != executionID {
		return refuse("groupId", "execution %q must wait: %q heads the queue of group %q", executionID, head, groupID)
	}
	if p.submitted++; p.submitted == p.expected {
		s.queues[groupID] = s.queues[groupID][1:]
		delete(s.executions[executionID], groupID)
	}
	return nil
}

func (s *Sequencer) pending(executionID, groupID string, sequence int64) (*progress, error) {
	groups, known := s.executions[executionID]
	if !known {
		return nil, refuse("executionId", "execution %q is not registered", executionID)
	}
	p := groups[groupID]
	if p == nil {
		return nil, refuse("groupId", "execution %q has no collective pending in group %q", executionID, groupID)
	}
	if sequence != p.submitted {
		return nil, refuse("commSequenceId", "execution %q submits collective %d of group %q, expected %d", executionID, sequence, groupID, p.submitted)
	}
	return p, nil
}

// Complete unregisters an execution that has submitted all its collectives.
func (s *Sequencer) Complete(executionID string) error {
	groups, known := s.executions[executionID]
	if !known {
		return refuse("executionId", "execution %q is not registered", executionID)
	}
	if len(groups) > 0 {
		return refuse("executionId", "execution %q has collectives pending in %d groups", executionID, len(groups))
	}
	delete(s.executions, executionID)
	return nil
}

// Abort unregisters an execution and every other that it takes down: whoever
// waits for a communicator in which an impacted execution submitted some but not
// all of its collectives. If there is such a communicator the epoch is poisoned.
// The answer lists the impacted execution ids ascending.
func (s *Sequencer) Abort(executionID string) ([]string, error) {
	if _, known := s.executions[executionID]; !known {
		return nil, refuse("executionId", "execution %q is not registered", executionID)
	}
	impacted := []string{executionID}
	in := map[string]bool{executionID: true}
	for k := 0; k < len(impacted); k++ { // grows while it is walked
		for _, group := range s.partial(impacted[k]) {
			s.poisoned = true
			for _, other := range s.queues[group] {
				if !in[other] {
					in[other] = true
					impacted = append(impacted, other)
				}
			}
		}
	}
	for group, queue := range s.queues { // each queue on its own: order is not seen
		s.queues[group] = slices.DeleteFunc(slices.Clone(queue), func(id string) bool { return in[id] })
	}
	for _, id := range impacted {
		delete(s.executions, id)
	}
	quantity.SortIDs(impacted)
	return impacted, nil
}

// partial lists the groups in which an execution has submitted some but not all
// of its collectives, ascending.
func (s *Sequencer) partial(executionID string) []string {
	var groups []string
	for group, p := range s.executions[executionID] {
		if p.submitted > 0 {
			groups = append(groups, group)
		}
	}
	quantity.SortIDs(groups)
	return groups
}

// Advance moves on to a later topology epoch, once every execution is gone, and
// clears the poison.
func (s *Sequencer) Advance(epoch int64) error {
	if !quantity.IsCount(epoch) || epoch <= s.epoch {
		return refuse("topologyEpoch", "%d is not a safe integer greater than the current epoch %d", epoch, s.epoch)
	}
	if n := len(s.executions); n > 0 {
		return refuse("topologyEpoch", "%d executions of epoch %d are registered", n, s.epoch)
	}
	for _, queue := range s.queues { // any non-empty one refuses: order is not seen
		if len(queue) > 0 {
			return refuse("topologyEpoch", "a communicator queue of epoch %d is not empty", s.epoch)
		}
	}
	s.epoch, s.poisoned = epoch, false
	return nil
}
