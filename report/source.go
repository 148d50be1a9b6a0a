package report

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"html/template"
	"io"
	"regexp"
	"strings"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/unit"
	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/serving"
)

// A page holds what it was made from: the result document behind its link, and the
// facts of Meta in one hidden element. Rebuild reads both and makes the page again.

// The identity of the hidden element's document.
const (
	sourceKind     = "inferlab/page"
	sourceRevision = 1
)

// Views that Rebuild can make.
const (
	viewResult   = "result"   // one result of any command
	viewRuns     = "runs"     // a comparison of serving runs
	viewRoofline = "roofline" // a study
)

// source is the hidden element.
type source struct {
	Kind      string
	Revision  int
	View      string
	Meta      Meta
	Reference int            `json:",omitempty"` // of a comparison
	Results   []sourceResult // in the order of their links
}

// sourceResult identifies an embedded result.
type sourceResult struct {
	Name        string
	Fingerprint string
}

// linkOperation is how many operations reserved a link.
type linkOperation struct {
	Link       string
	Operations int64
}

// Refusals of Rebuild.
var (
	// ErrNoPage reports that a file is no page of this program.
	ErrNoPage = errors.New("report: this is no page that holds what it was made from")
	// ErrResultLeftOut reports a page that holds only a summary or the fingerprint of
	// its result.
	ErrResultLeftOut = errors.New("report: the page does not hold its whole result, which was too large for it; draw it again from the document that the command printed: inferlab report RESULT.json -o PAGE.html")
)

// packed spells the element's content. Bytes are those of this program's own
// compressor and depend on nothing else.
func (s source) packed() (string, error) {
	s.Kind, s.Revision = sourceKind, sourceRevision
	text, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(squeeze(text)), nil
}

func squeeze(data []byte) []byte {
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is valid
	z.Write(data)                                           // a buffer takes everything
	z.Close()
	return out.Bytes()
}

func unsqueeze(data []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	const most = 64 << 20 // far above what a page may hold
	out, err := io.ReadAll(io.LimitReader(z, most))
	if err == nil && len(out) == most {
		err = errors.New("too long")
	}
	return out, err
}

// plainResultBytes is the size up to which a result is embedded as it is; larger
// ones are compressed.
const plainResultBytes = 256 << 10

// embed makes the link under which a document can be saved.
func embed(name string, doc []byte) result {
	r := result{Name: name, Size: unit.Bytes(float64(len(doc))), Fingerprint: canonical.FingerprintBytes(doc)}
	if len(doc) <= plainResultBytes {
		r.Link = template.URL("data:application/json;base64," + base64.StdEncoding.EncodeToString(doc))
		return r
	}
	r.Name += ".gz"
	r.Link = template.URL("data:application/gzip;base64," + base64.StdEncoding.EncodeToString(squeeze(doc)))
	return r
}

var (
	sourceElement = regexp.MustCompile(`<div id="page-source" hidden data-source="([A-Za-z0-9_-]+)"></div>`)
	resultLink    = regexp.MustCompile(`<a download="([^"]*)" href="data:application/(json|gzip);base64,([^"]*)"`)
)

// pageOrigin is what a page was made from.
type pageOrigin struct {
	source
	docs [][]byte
}

// readSource reads what a page was made from and checks the fingerprints of its
// results.
func readSource(page []byte) (*pageOrigin, error) {
	m := sourceElement.FindSubmatch(page)
	if m == nil {
		return nil, ErrNoPage
	}
	packed, err := base64.RawURLEncoding.DecodeString(string(m[1]))
	if err != nil {
		return nil, ErrNoPage
	}
	text, err := unsqueeze(packed)
	if err != nil {
		return nil, ErrNoPage
	}
	var s pageOrigin
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(&s.source); err != nil || s.Kind != sourceKind || s.Revision != sourceRevision {
		return nil, fmt.Errorf("%w: %q revision %d; expected %q revision %d", ErrNoPage, s.Kind, s.Revision, sourceKind, sourceRevision)
	}
	if len(s.Results) == 0 {
		return nil, ErrResultLeftOut
	}
	links := resultLink.FindAllSubmatch(page, -1)
	if len(links) != len(s.Results) {
		return nil, fmt.Errorf("%w: %d results, %d links", ErrNoPage, len(s.Results), len(links))
	}
	for i, link := range links {
		doc, err := unlink(string(link[2]), string(link[3]))
		if err != nil {
			return nil, fmt.Errorf("report: embedded result %s: %w", s.Results[i].Name, err)
		}
		if found := canonical.FingerprintBytes(doc); found != s.Results[i].Fingerprint {
			return nil, fmt.Errorf("report: embedded result %s was changed: its fingerprint is %s, the page was made from %s", s.Results[i].Name, found, s.Results[i].Fingerprint)
		}
		s.docs = append(s.docs, doc)
	}
	return &s, nil
}

func unlink(kind, text string) ([]byte, error) {
	data, err := base64.StdEncoding.DecodeString(html.UnescapeString(text))
	if err != nil || kind == "json" {
		return data, err
	}
	return unsqueeze(data)
}

// Rebuild makes a page of any kind again from what the page itself holds: the same
// bytes, when the same version of the program makes it. It refuses a page whose
// embedded results do not have the fingerprints that it was made with, ErrNoPage, and
// ErrResultLeftOut. It also returns the results.
func Rebuild(page []byte) ([]byte, []Document, error) {
	s, err := readSource(page)
	if err != nil {
		return nil, nil, err
	}
	if s.View == viewRoofline {
		out, err := s.rebuildRoofline()
		return out, nil, err
	}
	docs, err := s.documents()
	if err != nil {
		return nil, nil, err
	}
	meta := s.Meta
	var out []byte
	switch s.View {
	case viewResult:
		meta.Result = s.docs[0]
		out, err = docs[0].Page(meta)
	case viewRuns:
		out, err = Runs(docs, s.Reference, meta)
	default:
		err = fmt.Errorf("%w: view %q", ErrNoPage, s.View)
	}
	return out, docs, err
}

// documents reads the results.
func (s *pageOrigin) documents() ([]Document, error) {
	docs := make([]Document, len(s.docs))
	for i := range docs {
		doc, err := ReadResult(s.docs[i])
		var bad *issue.Error
		if errors.As(err, &bad) && bad.Code == "result_summary" {
			return nil, ErrResultLeftOut
		}
		if err != nil {
			return nil, fmt.Errorf("report: embedded result %s: %w", s.Results[i].Name, err)
		}
		doc.Name = s.Results[i].Name
		docs[i] = *doc
	}
	return docs, nil
}

// flowOf shows the links of a run, for a composed one with the counts of operations of
// all its plans.
func flowOf(run *serving.Run, meta *Meta) figure.LinkFlow {
	flow := figure.Flow(run)
	counts := make(map[string]int64, len(meta.links))
	for _, l := range meta.links {
		counts[l.Link] = l.Operations
	}
	for i := range flow.Bands {
		if n, ok := counts[flow.Bands[i].Link]; ok {
			flow.Bands[i].Operations = n
		}
	}
	return flow
}

// safeName makes a file name of a label, for saving.
func safeName(label string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '-'
	}, label)
	const most = 60
	return name[:min(len(name), most)]
}
