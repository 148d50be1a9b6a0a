package workload

// DefaultServingMaxEvents is the event budget of a serving run that names none.
const DefaultServingMaxEvents int64 = 1_000_000

// Serving configures continuous batching (contract 05 section 4.1).
type Serving struct {
	MaxBatchSize       int64 // sequences in a batch
	MaxBatchTokens     int64 // tokens in a batch
	PrefillChunkTokens int64 // prompt tokens of one request in a batch
	MaxKVTokens        int64 // KV pool, in token positions
	MaxEvents          int64 // 0: DefaultServingMaxEvents
	Admission          Admission
	Requests           []Request
}

// Request is one prompt with the number of tokens it will produce.
type Request struct {
	ID           string
	ArrivalNs    int64
	PromptTokens int64
	OutputTokens int64
	Priority     int64 // larger runs first; default 0
}

// PeakKVTokens is the largest KV extent that the request ever holds: the final
// prefill chunk emits the first token without adding a position.
func (r *Request) PeakKVTokens() int64 { return r.PromptTokens + r.OutputTokens - 1 }
