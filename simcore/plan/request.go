package plan

// Request asks for one plan to be executed among others (contract 03 section
// 13.1). Requests are ordered by arrival, then admission order; the order in
// which a caller lists them means nothing.
type Request struct {
	Plan           *Plan
	ArrivalNs      int64
	AdmissionOrder int64       // unique; 0, 1, 2, … over the sorted requests
	NotBefore      []NotBefore // releases of single steps; each step at most once
}

// NotBefore holds a step back until an absolute time. It is an event, not a
// reservation: other work may use the resources until then.
type NotBefore struct {
	StepID int64
	AtNs   int64 // not before the request's arrival
}
