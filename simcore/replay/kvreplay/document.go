package kvreplay

import (
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// CheckDocument replays a trace as it stands in a document, a list of events, and
// returns it in typed form as far as it follows the rules. Events are strict:
// unknown, missing and mistyped fields are offences. The error, when there is one,
// is a *Mismatch; the result then is the state before the offending event.
func CheckDocument(cfg workload.PagedKV, events *document.Value) (Result, *trace.PagedKV, error) {
	t := &trace.PagedKV{Config: cfg, PageNames: []string{}, CheckpointNames: []string{}}
	d := &documentReader{checker: newChecker(cfg, t), pages: map[string]int64{}, checkpoints: map[string]int64{}}
	if events.Kind() != document.List || events.Len() == 0 {
		return d.result(), t, d.bad(EmptyTrace, "there is no event")
	}
	for i := range events.Len() {
		d.index = i
		if err := d.event(events.At(i)); err != nil {
			return d.result(), t, err
		}
	}
	d.index = events.Len()
	return d.result(), t, nil
}

// documentReader turns ids into numbers in the order of their first mention.
type documentReader struct {
	*checker
	pages, checkpoints map[string]int64
}

// event checks envelope, kind, place and fields, then the transition.
func (d *documentReader) event(v *document.Value) error {
	if v.Kind() != document.Object {
		return d.bad(MalformedEvent, "expected an object, found %s", v.Describe())
	}
	switch {
	case number(v, "contractRevision") != trace.PagedKVContractRevision:
		return d.bad(ContractRevision, "want revision %d", trace.PagedKVContractRevision)
	case !isText(v, "sourceId") || v.Get("sourceId").Text() != d.cfg.Source():
		return d.bad(SourceID, "want %q", d.cfg.Source())
	case number(v, "sourceSequence") != int64(d.index):
		return d.bad(SourceSequence, "want %d", d.index)
	}
	kind, known := kindOf(v)
	if !known {
		return d.bad(UnknownKind, "no such kind of event")
	}
	if (d.index == 0) != (kind == trace.PagedKVInitialize) {
		return d.bad(InitializePosition, "%s at this place", kind)
	}
	if !closed(v, eventFields[kind]) {
		return d.bad(MalformedEvent, "%s has other fields than %v, or one of another type", kind, names(eventFields[kind]))
	}
	e := d.typed(v, kind)
	if kind == trace.PagedKVInitialize && !d.sameConfiguration(v) {
		return d.bad(InitializeMismatch, "the payload differs from the configuration")
	}
	d.t.Events = append(d.t.Events, e)
	return d.apply(&d.t.Events[len(d.t.Events)-1])
}

func kindOf(v *document.Value) (trace.PagedKVKind, bool) {
	if !isText(v, "kind") {
		return 0, false
	}
	for k := trace.PagedKVInitialize; k <= trace.PagedKVCommit; k++ {
		if v.Get("kind").Text() == k.String() {
			return k, true
		}
	}
	return 0, false
}

// field is a name with the kind of its value; ids are lists of texts.
type field struct {
	name string
	kind document.Kind
}

var (
	envelope       = []field{{"contractRevision", document.Number}, {"sourceId", document.String}, {"sourceSequence", document.Number}, {"kind", document.String}}
	checkpointFile = []field{{"checkpointId", document.String}, {"generation", document.Number}, {"baseTokenLength", document.Number}}
	eventFields    = [...][]field{
		trace.PagedKVInitialize: {{"sequenceId", document.String}, {"pageSizeTokens", document.Number}, {"bytesPerToken", document.Number},
			{"capacityBytes", document.Number}, {"initialTokenLength", document.Number}, {"allocatedPageIds", document.List}},
		trace.PagedKVAppend: {{"baseTokenLength", document.Number}, {"appendedTokens", document.Number}, {"finalTokenLength", document.Number},
			{"allocatedPageIds", document.List}},
		trace.PagedKVCheckpoint: {{"checkpoint", document.Object}},
		trace.PagedKVRestore: {{"checkpointId", document.String}, {"acceptedTokens", document.Number}, {"finalTokenLength", document.Number},
			{"releasedPageIds", document.List}, {"generation", document.Number}},
		trace.PagedKVCommit: {{"checkpointId", document.String}, {"generation", document.Number}},
	}
)

func names(fields []field) []string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.name
	}
	return list
}

// closed reports that an event has its envelope and exactly the fields.
func closed(v *document.Value, fields []field) bool {
	if !exactly(v, len(envelope)+len(fields), envelope) || !exactly(v, len(envelope)+len(fields), fields) {
		return false
	}
	if c := v.Get("checkpoint"); c != nil {
		return exactly(c, len(checkpointFile), checkpointFile)
	}
	return true
}

// exactly reports that an object of n members has the fields, with lists of texts.
func exactly(v *document.Value, n int, fields []field) bool {
	if v.Len() != n {
		return false
	}
	for _, f := range fields {
		m := v.Get(f.name)
		if m == nil || m.Kind() != f.kind {
			return false
		}
		for i := range m.Len() {
			if f.kind == document.List && m.At(i).Kind() != document.String {
				return false
			}
		}
	}
	return true
}

// typed gives an event its numbers. A number that is no count becomes -1, which
// every rule refuses.
func (d *documentReader) typed(v *document.Value, kind trace.PagedKVKind) trace.PagedKVEvent {
	e := trace.PagedKVEvent{Kind: kind, RunsFrom: int32(len(d.t.Runs))}
	switch kind {
	case trace.PagedKVInitialize:
		e.FinalTokens = number(v, "initialTokenLength")
		d.runs(v.Get("allocatedPageIds"))
	case trace.PagedKVAppend:
		e.BaseTokens, e.Tokens, e.FinalTokens = number(v, "baseTokenLength"), number(v, "appendedTokens"), number(v, "finalTokenLength")
		d.runs(v.Get("allocatedPageIds"))
	case trace.PagedKVCheckpoint:
		c := v.Get("checkpoint")
		e.Checkpoint = intern(d.checkpoints, &d.t.CheckpointNames, c.Get("checkpointId").Text())
		e.Generation, e.BaseTokens = number(c, "generation"), number(c, "baseTokenLength")
	case trace.PagedKVRestore:
		e.Checkpoint = intern(d.checkpoints, &d.t.CheckpointNames, v.Get("checkpointId").Text())
		e.Tokens, e.FinalTokens, e.Generation = number(v, "acceptedTokens"), number(v, "finalTokenLength"), number(v, "generation")
		d.runs(v.Get("releasedPageIds"))
	default:
		e.Checkpoint = intern(d.checkpoints, &d.t.CheckpointNames, v.Get("checkpointId").Text())
		e.Generation = number(v, "generation")
	}
	e.RunsTo = int32(len(d.t.Runs))
	return e
}

// runs appends a list of page ids as runs of numbers.
func (d *documentReader) runs(ids *document.Value) {
	from := len(d.t.Runs)
	for i := range ids.Len() {
		n := intern(d.pages, &d.t.PageNames, ids.At(i).Text())
		if k := len(d.t.Runs); k > from && d.t.Runs[k-1].First+d.t.Runs[k-1].Count == n {
			d.t.Runs[k-1].Count++
			continue
		}
		d.t.Runs = append(d.t.Runs, trace.PageRun{First: n, Count: 1})
	}
}

// sameConfiguration compares the four values of an initialize event that typed
// events take from the configuration.
func (d *documentReader) sameConfiguration(v *document.Value) bool {
	return v.Get("sequenceId").Text() == d.cfg.SequenceID && number(v, "pageSizeTokens") == d.cfg.PageSizeTokens &&
		number(v, "bytesPerToken") == d.cfg.BytesPerToken && number(v, "capacityBytes") == d.cfg.CapacityBytes
}

func intern(known map[string]int64, list *[]string, name string) int64 {
	if n, ok := known[name]; ok {
		return n
	}
	*list = append(*list, name)
	known[name] = int64(len(*list))
	return known[name]
}

// number is a member's count, or -1.
func number(v *document.Value, key string) int64 {
	m := v.Get(key)
	if m == nil || m.Kind() != document.Number {
		return -1
	}
	n, ok := quantity.FromFloat(m.Number())
	if !ok || n < 0 {
		return -1
	}
	return n
}

func isText(v *document.Value, key string) bool {
	m := v.Get(key)
	return m != nil && m.Kind() == document.String
}
