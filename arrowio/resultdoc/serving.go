package resultdoc

import (
	"errors"
	"fmt"
	"io"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/serving"
)

// Serving reads the full document of a serving run and returns its tables. Errors
// are *issue.Error or those of the reader.
func Serving(r io.Reader, opt arrowio.Options) (*arrowio.ServingTables, error) {
	d, err := read(r)
	if err != nil {
		return nil, err
	}
	run, err := d.assemble()
	if err != nil {
		return nil, err
	}
	if d.inputs != nil && d.inputs.Scenario != nil && d.inputs.Serving != nil {
		if run.Scenario, err = d.scenario(); err != nil {
			return nil, err
		}
		run.Config.MaxKVTokens = d.inputs.Serving.MaxKVTokens
	}
	return arrowio.ServingDocument(run, d.priorities != nil, d.provenance, opt), nil
}

// read reads a full document of a serving run.
func read(r io.Reader) (*document, error) {
	d := newDocument(r)
	if err := d.whole(d.root); err != nil {
		return nil, err
	}
	if err := d.checkHead(); err != nil {
		return nil, err
	}
	if !d.traced {
		return nil, issue.New("result_summary", "serving.trace", "is absent: this is a summary; expected the full document: run the command without --summary, or with --trace FILE.json and use that file (report takes it with --trace, export instead of the summary)")
	}
	d.prioritise()
	return d, nil
}

// prioritise takes the priorities of the requests from the inputs.
func (d *document) prioritise() {
	if d.inputs == nil || d.inputs.Serving == nil {
		return
	}
	d.priorities = map[string]int64{}
	for i := range d.inputs.Serving.Requests {
		r := &d.inputs.Serving.Requests[i]
		d.priorities[r.ID] = r.Priority
	}
}

// whole reads an object that is all there is to read.
func (d *document) whole(member func(key string) error) error {
	if err := d.object("", member); err != nil {
		return err
	}
	switch _, err := d.in.peek(); err {
	case io.ErrUnexpectedEOF:
		return nil
	case nil:
		return issue.New("result_syntax", "", "text after the document")
	default:
		return d.syntax("", err)
	}
}

// document is what has been read of a result.
type document struct {
	in         *scanner
	kind       string
	revision   int64
	provenance arrowio.Provenance

	priorities map[string]int64 // by request id; nil when the inputs are not in the document

	topology serving.TopologyMetrics
	metrics  serving.Metrics
	requests []requestEntry
	events   []event
	batches  []batchEntry
	traced   bool
	composed bool // the run had an expert cache

	inputs      *inputs // nil: documents of older versions and summaries
	assumptions []string
	replay      serving.Replay
	gain        *gainEntry
}

// requestEntry is an entry of serving.requests.
type requestEntry struct {
	ID                 string
	ArrivalNs          int64
	FirstTokenNs       int64
	CompletedAtNs      int64
	TimeToFirstTokenNs int64
	LatencyNs          int64
	TokenTimestampsNs  []int64
}

// event is an entry of serving.trace, of any kind.
type event struct {
	ContractRevision    int64
	Kind                string
	AtNs                int64
	Batch               *work
	DurationNs          int64
	KVTokensBefore      int64
	TransientKVTokens   int64
	BatchID             int64
	EmittedTokens       []tokenEntry
	CompletedRequestIDs []string
	KVTokensAfter       int64
	RequestID           string
	CompletedRequests   int64
	TotalOutputTokens   int64
}

// tokenEntry is an emitted token.
type tokenEntry struct {
	RequestID  string
	TokenIndex int64
	Source     string
}

// work is a batch object.
type work struct {
	BatchID              int64
	Prefill              []prefillEntry
	Decode               []decodeEntry
	TokenWork            int64
	ExpectedOutputTokens int64
}

// prefillEntry is a chunk of a prompt.
type prefillEntry struct {
	RequestID string
	Tokens    int64
}

// decodeEntry is a decode slice.
type decodeEntry struct {
	RequestID                 string
	Mode, Outcome             string
	GuaranteedTargetTokens    int64
	ProposedAdditionalTokens  int64
	AcceptedAdditionalTokens  int64
	TargetAuthoritativeTokens int64
}

// batchEntry is an entry of batches.
type batchEntry struct {
	BatchID            int64
	TopologyDurationNs int64
	OperationCounts    serving.OperationCounts
}

// newDocument is an empty document and the text to fill it from.
func newDocument(r io.Reader) *document { return &document{in: newScanner(r)} }

// object reads an object and hands its keys to member, which reads the values.
func (d *document) object(path string, member func(key string) error) error {
	if err := d.open(path, '{', "an object"); err != nil {
		return err
	}
	return d.syntax(path, d.in.members(func(key []byte) error { return member(string(key)) }))
}

// entries reads an array of which every value is an entry.
func entries[E any](d *document, path string, into *[]E, read func(*E) error) error {
	if err := d.open(path, '[', "an array"); err != nil {
		return err
	}
	var list gathered[E]
	i := 0
	err := d.in.elements(func() error {
		if err := read(list.next()); err != nil {
			return d.syntax(fmt.Sprintf("%s[%d]", path, i), err)
		}
		i++
		return nil
	})
	*into = list.all()
	return d.syntax(path, err)
}

// open refuses values of another type.
func (d *document) open(path string, mark byte, what string) error {
	c, err := d.in.peek()
	if err != nil {
		return d.syntax(path, err)
	}
	if c != mark {
		return issue.New("result_type", path, "begins with %q; expected %s", c, what)
	}
	return nil
}

// value decodes one value.
func (d *document) value(path string, into any) error { return d.syntax(path, d.in.value(into)) }

// syntax gives an error of the scanner its place; those that have one keep it.
func (d *document) syntax(path string, err error) error {
	var placed *issue.Error
	if err == nil || errors.As(err, &placed) {
		return err
	}
	return issue.New("result_syntax", path, "at byte %d: %v", d.in.offset(), err)
}

func (d *document) root(key string) error {
	switch key {
	case "kind":
		return d.value(key, &d.kind)
	case "command":
		return d.value(key, &d.provenance.Command)
	case "revision":
		return d.value(key, &d.revision)
	case "scenarioId":
		return d.value(key, &d.provenance.ScenarioID)
	case "scenarioFingerprint":
		return d.value(key, &d.provenance.ScenarioFingerprint)
	case "confidence":
		return d.value(key, (*string)(&d.provenance.Confidence))
	case "contractRevisions":
		return d.object(key, func(name string) error {
			r := jsondoc.Revision{Name: name}
			err := d.value(key+"."+name, &r.Revision)
			d.provenance.Revisions = append(d.provenance.Revisions, r)
			return err
		})
	case "assumptions":
		return d.value(key, &d.assumptions)
	case "inputs":
		return d.value(key, &d.inputs)
	case "speculationGain":
		return d.value(key, &d.gain)
	case "metrics":
		return d.value(key, &d.topology)
	case "serving":
		return d.object(key, d.serving)
	case "batches":
		return entries(d, key, &d.batches, d.in.batch)
	}
	return d.syntax(key, d.in.skip())
}

func (d *document) serving(key string) error {
	path := "serving." + key
	switch key {
	case "metrics":
		return d.value(path, &d.metrics)
	case "requests":
		return entries(d, path, &d.requests, d.in.request)
	case "replay":
		return d.value(path, &d.replay)
	case "trace":
		d.traced = true
		return entries(d, path, &d.events, d.in.event)
	}
	return d.syntax(path, d.in.skip())
}

// checkHead refuses documents of other commands.
func (d *document) checkHead() error {
	switch {
	case d.kind != "inferlab/result":
		return issue.New("result_kind", "kind", "is %q; expected \"inferlab/result\"", d.kind)
	case d.revision != 1:
		return issue.New("result_revision", "revision", "is %d; expected 1", d.revision)
	case d.provenance.Command != "serving":
		return issue.New("result_command", "command", "is %q; expected \"serving\", whose document holds a whole run", d.provenance.Command)
	case !d.provenance.Confidence.Valid():
		return issue.New("result_confidence", "confidence", "is %q; expected one of %v", d.provenance.Confidence, evidence.Classes)
	}
	return nil
}
