package experiment

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
)

// command makes the result of one command.
type command struct {
	name string
	make func(*Inputs) (*Made, error)
}

// plainly makes a command of a function that also returns its typed result.
func plainly[T any](f func(*Inputs) (T, *Made, error)) func(*Inputs) (*Made, error) {
	return func(in *Inputs) (*Made, error) {
		_, m, err := f(in)
		return m, err
	}
}

// commands is the table of all that a document can be made of again.
func commands() []command {
	return []command{
		{"run", plainly(Run)},
		{"compare", plainly(Compare)},
		{"plan-run", plainly(PlanRun)},
		{"fault-campaign", func(in *Inputs) (*Made, error) { _, m, err := FaultCampaign(in, nil); return m, err }},
		{"concurrent-campaign", plainly(ConcurrentCampaign)},
		{"concurrent-node-failure", plainly(NodeFailure)},
		{"node-failover", plainly(Failover)},
		{"speculative", plainly(Speculative)},
		{"speculative-trace", plainly(TokenTrace)},
		{"speculative-capture", plainly(Capture)},
		{"expert-cache", plainly(ExpertCache)},
		{"serving-compare", func(in *Inputs) (*Made, error) { _, m, err := ServingCompare(in, nil); return m, err }},
		{"calibrate", func(in *Inputs) (*Made, error) {
			_, m, err := Calibrate(in)
			if m != nil {
				err = nil // a refusal is part of the document
			}
			return m, err
		}},
	}
}

// Commands names the commands whose documents can be made again.
func Commands() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// Again makes the result of a document once more from the inputs that it carries. Its
// own document must be the one that was read, but for the white space between values.
// Errors are *issue.Error and those of the command.
func Again(text []byte) (*Made, error) {
	root, err := document.ParseJSON(text, "")
	if err != nil {
		return nil, err
	}
	name, err := commandOf(&root)
	if err != nil {
		return nil, err
	}
	for _, c := range commands() {
		if c.name != name {
			continue
		}
		in, err := readInputs(&root)
		if err != nil {
			return nil, err
		}
		m, err := c.make(in)
		if err != nil {
			return nil, err
		}
		return m, same(bytes.NewReader(text), m.WriteDocument)
	}
	return nil, issue.New("result_command", "command", "results of %q have no page; those of serving, %s have", name, strings.Join(Commands(), ", "))
}

// commandOf checks that a document is a result and says of which command.
func commandOf(root *document.Value) (string, error) {
	r := document.NewReader(*root, "")
	n := r.Root()
	kind, name := n.Get("kind").Text(), ""
	if n.OK() && kind == jsondoc.ResultKind {
		name = n.Get("command").Text()
	}
	if err := r.Err(); err != nil {
		return "", err
	}
	if kind != jsondoc.ResultKind {
		return "", issue.New("result_kind", "kind", "is %q; expected %q, the document that a command prints", kind, jsondoc.ResultKind)
	}
	return name, nil
}

// same refuses a document that differs from the one that is written, but for the white
// space between values. The text is held in memory only when it is not that document
// byte for byte.
func same(in io.ReadSeeker, write func(*jsondoc.Writer)) error {
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	c := &comparer{in: bufio.NewReaderSize(in, 1<<16)}
	w := jsondoc.NewWriter(c)
	write(w)
	if err := w.Close(); err != nil {
		return err
	}
	if !c.differs && c.ended() {
		return nil
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	w = jsondoc.NewWriter(nil)
	write(w)
	if err := w.Close(); err != nil {
		return err
	}
	found, err := document.ParseJSON(text, "")
	if err != nil {
		return err
	}
	want, err := document.ParseJSON(w.Bytes(), "")
	if err != nil {
		return err
	}
	path, what := difference(&found, &want, "")
	if what == "" {
		return nil
	}
	return issue.New("result_replay", path, "%s: the document differs from the one that its inputs give, or was made by another version", what)
}

// comparer compares what is written with a text, and keeps neither.
type comparer struct {
	in      *bufio.Reader
	read    []byte
	differs bool
}

// Write never fails.
func (c *comparer) Write(p []byte) (int, error) {
	if c.differs {
		return len(p), nil
	}
	c.read = slices.Grow(c.read[:0], len(p))[:len(p)]
	_, err := io.ReadFull(c.in, c.read)
	c.differs = err != nil || !bytes.Equal(c.read, p)
	return len(p), nil
}

// ended reports whether nothing is left of the text.
func (c *comparer) ended() bool {
	_, err := c.in.ReadByte()
	return err == io.EOF
}

// difference finds the first place where a document differs from the one that was
// expected, in the order of the document.
func difference(found, want *document.Value, path string) (at, what string) {
	if found.Kind() != want.Kind() {
		return path, fmt.Sprintf("is %s, expected %s", found.Describe(), want.Describe())
	}
	switch found.Kind() {
	case document.Object, document.List:
		for i := range min(found.Len(), want.Len()) {
			child := fmt.Sprintf("%s[%d]", path, i)
			if found.Kind() == document.Object {
				if child = strings.TrimPrefix(path+"."+want.Key(i), "."); found.Key(i) != want.Key(i) {
					return child, fmt.Sprintf("is missing, %q stands in its place", found.Key(i))
				}
			}
			if at, what := difference(found.At(i), want.At(i), child); what != "" {
				return at, what
			}
		}
		if found.Len() != want.Len() {
			return path, fmt.Sprintf("has %d members, expected %d", found.Len(), want.Len())
		}
	case document.Number:
		if found.Number() != want.Number() { // in whatever spelling
			return path, fmt.Sprintf("is %s, expected %s", found.Describe(), want.Describe())
		}
	default:
		if found.Text() != want.Text() || found.Bool() != want.Bool() {
			return path, fmt.Sprintf("is %s, expected %s", found.Describe(), want.Describe())
		}
	}
	return "", ""
}
