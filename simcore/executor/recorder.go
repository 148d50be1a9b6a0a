package executor

import (
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/trace"
)

// recorder keeps the submitted operations in submission order. Reservations of
// all operations share one backing slice.
type recorder struct {
	operations []trace.Operation
	steps      []int32 // plan index of each operation
	held       []trace.Reservation
	from       int // first reservation of the operation under construction
}

func newRecorder(operations, reservations int) recorder {
	return recorder{
		operations: make([]trace.Operation, 0, operations),
		steps:      make([]int32, 0, operations),
		held:       make([]trace.Reservation, 0, reservations),
	}
}

// record appends the operation of step i; its reservations follow in held, then
// seal closes it.
func (l *recorder) record(p *plan.Plan, sequence int64, i int32, submitted, start, finish int64) {
	s := &p.Steps[i]
	l.operations = append(l.operations, trace.Operation{
		ContractRevision: plan.ContractRevision,
		ExecutionID:      p.ExecutionID,
		TopologyEpoch:    p.TopologyEpoch,
		SourceSequence:   sequence,
		StepID:           s.ID,
		Kind:             s.Operation.Kind,
		SubmittedAtNs:    submitted,
		StartNs:          start,
		FinishNs:         finish,
		Participants:     s.Participants,
		Reads:            s.Reads,
		Writes:           s.Writes,
	})
	if s.Operation.Kind == plan.Collective {
		op := &l.operations[len(l.operations)-1]
		op.GroupID = s.Operation.GroupID
		op.CommSequenceID = s.Operation.CommSequenceID
		op.CollectiveAlgorithm = s.Operation.Algorithm
	}
	l.steps = append(l.steps, i)
	l.from = len(l.held)
}

// seal gives the last operation the reservations appended since record.
func (l *recorder) seal() {
	l.operations[len(l.operations)-1].Resources = l.held[l.from:len(l.held):len(l.held)]
}

// forget drops what was recorded. Reservations that were told stay as they are.
func (l *recorder) forget() {
	l.operations, l.steps, l.held = l.operations[:0], l.steps[:0], nil
}

// lastFinish is the greatest finish of all operations, 0 without any.
func (l *recorder) lastFinish() int64 {
	var last int64
	for i := range l.operations {
		last = max(last, l.operations[i].FinishNs)
	}
	return last
}
