package report

import (
	"hash/fnv"
	"io"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/jsondoc"
)

// Embeddable writes a result document for a page and takes its fingerprint. A
// document above MaxResultBytes is not kept, however large it grows: then doc is nil
// and only the fingerprint stands for it (contract 09, F4).
func Embeddable(write func(*jsondoc.Writer)) (doc []byte, fingerprint string, err error) {
	kept := NewKeeper()
	w := jsondoc.NewWriter(kept)
	write(w)
	if err := w.Close(); err != nil {
		return nil, "", err
	}
	doc, fingerprint = kept.Kept()
	return doc, fingerprint, nil
}

// Keeper takes the bytes of a document, keeps them up to MaxResultBytes, and
// fingerprints all of them.
type Keeper struct {
	data []byte
	size compactSize
	sum  interface {
		io.Writer
		Sum32() uint32
	}
}

// NewKeeper has taken nothing yet.
func NewKeeper() *Keeper { return &Keeper{data: []byte{}, sum: fnv.New32a()} }

// Write never fails.
func (k *Keeper) Write(p []byte) (int, error) {
	k.sum.Write(p)
	if k.size.bytes > MaxResultBytes {
		return len(p), nil
	}
	if k.size.add(p); k.size.bytes > MaxResultBytes {
		k.data = nil
	} else {
		k.data = append(k.data, p...)
	}
	return len(p), nil
}

// Kept is what was taken, nil when it was too much, and its fingerprint.
func (k *Keeper) Kept() (doc []byte, fingerprint string) {
	return k.data, canonical.FormatFingerprint(k.sum.Sum32())
}

// embeddable reports whether there is a document and it may be embedded.
func embeddable(doc []byte) bool {
	var size compactSize
	if len(doc) > MaxResultBytes { // most documents need not be counted
		size.add(doc)
	}
	return len(doc) > 0 && size.bytes <= MaxResultBytes
}

// compactSize counts the bytes of a JSON text without the white space between its
// values, which is layout and goes away when a page packs the text.
type compactSize struct {
	bytes           int
	inText, escaped bool
}

func (c *compactSize) add(p []byte) {
	for _, b := range p {
		switch {
		case c.escaped:
			c.escaped = false
		case c.inText:
			c.escaped, c.inText = b == '\\', b != '"'
		case b == '"':
			c.inText = true
		case b == ' ' || b == '\n' || b == '\r' || b == '\t':
			continue
		}
		c.bytes++
	}
}
