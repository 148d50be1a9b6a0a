package topology

import (
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/jsondoc"
)

// JSON writes the scenario as a JSON file: schema order, two spaces of indent, a
// final newline. Reading the file and writing it again gives the same bytes.
func (s *Scenario) JSON() []byte {
	w := jsondoc.NewWriter(nil)
	w.Value(s.Document())
	// A valid scenario holds finite numbers only, which is all that could fail.
	_ = w.Close()
	return w.Bytes()
}

// YAML writes the scenario as a YAML file in schema order. Reading the file and
// writing it again gives the same bytes.
func (s *Scenario) YAML() []byte {
	// The tree of a document has no kind that YAML cannot spell.
	text, _ := document.WriteYAML(s.Document())
	return text
}
