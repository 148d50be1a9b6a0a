package jsondoc

import "github.com/inferlab/inferlab/simcore/evidence"

// Revision is one entry of a result's contract map.
type Revision struct {
	Name     string // for example "servingTrace"
	Revision int64
}

// Head is the part that every JSON result carries beside its own keys: what it
// is, which command made it, which contracts it took part in, on which scenario,
// and how far it may be trusted.
type Head struct {
	Command             string
	ContractRevisions   []Revision // only those on the execution path, in a fixed order
	ScenarioFingerprint string     // empty when no scenario took part
	Confidence          evidence.Class

	// Revision, when not 0, is written instead of ResultRevision: for a command
	// whose own contract gives the key a meaning, which then goes before the head's.
	Revision int64
}

// ResultKind and ResultRevision identify a result document.
const (
	ResultKind           = "inferlab/result"
	ResultRevision int64 = 1
)

// Head writes the head's members into the open object.
func (w *Writer) Head(h Head) *Writer {
	w.Key("kind").Text(ResultKind)
	w.Key("command").Text(h.Command)
	if h.Revision == 0 {
		h.Revision = ResultRevision
	}
	w.Key("revision").Int(h.Revision)
	w.Key("contractRevisions").Object()
	for _, r := range h.ContractRevisions {
		w.Key(r.Name).Int(r.Revision)
	}
	w.End()
	if h.ScenarioFingerprint != "" {
		w.Key("scenarioFingerprint").Text(h.ScenarioFingerprint)
	}
	w.Key("confidence").Text(string(h.Confidence))
	if more := w.afterHead; more != nil {
		w.afterHead = nil
		more(w)
	}
	return w
}

// AfterHead lets more write members of its own, once, after the head of the document:
// what a document says beside the keys of its command. Call it before the document is
// written.
func (w *Writer) AfterHead(more func(*Writer)) { w.afterHead = more }
