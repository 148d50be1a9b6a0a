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
	sum  interface {
		io.Writer
		Sum32() uint32
	}
	over bool
}

// NewKeeper has taken nothing yet.
func NewKeeper() *Keeper { return &Keeper{data: []byte{}, sum: fnv.New32a()} }

// Write never fails.
func (k *Keeper) Write(p []byte) (int, error) {
	k.sum.Write(p)
	if k.over = k.over || len(k.data)+len(p) > MaxResultBytes; k.over {
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
