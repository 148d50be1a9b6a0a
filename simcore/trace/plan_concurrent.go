package trace

// ConcurrentRevision is the revision of the concurrent trace.
const ConcurrentRevision int64 = 1

// Admission is the entry of one execution into a concurrent run.
type Admission struct {
	ExecutionID    string
	ArrivalNs      int64
	AdmissionOrder int64
}

// GlobalOperation is an operation with its place among those of all executions.
type GlobalOperation struct {
	GlobalSequence int64 // 0, 1, 2, … in submission order
	Event          Operation
}

// Concurrent is the whole trace of many executions on one clock (contract 03
// section 13.5, revision 1).
type Concurrent struct {
	Revision   int64
	Admissions []Admission       // in admission order
	Operations []GlobalOperation // in submission order
	Terminals  []Terminal        // by timestamp, then admission order
}
