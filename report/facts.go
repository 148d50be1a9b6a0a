package report

import (
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/jsondoc"
)

func revisionsInWords(list []jsondoc.Revision) string {
	var words []string
	for _, r := range list {
		words = append(words, r.Name+" "+strconv.FormatInt(r.Revision, 10))
	}
	return orUnknown(strings.Join(words, ", "))
}

// calibrationFact names the dataset behind the timing, or the fitted model where the
// dataset itself is not known.
func calibrationFact(meta *Meta, m *cost.Model) fact {
	f := fact{Label: "Calibration", Value: "none used"}
	switch c := meta.Calibration; {
	case c != nil:
		f.Value = strings.Join([]string{c.DatasetID, c.Fingerprint, c.EvidenceKind, c.Fit}, " · ")
	case m != nil && m.Applicability != nil:
		f.Value = "a fitted cost model, " + string(m.Confidence) + ": " + m.Source
	}
	return f
}

// calibrated reports whether measurements stand behind the timing.
func calibrated(meta *Meta, m *cost.Model) bool {
	return meta.Calibration != nil || m != nil && m.Applicability != nil
}

// fingerprintOf is the fingerprint of what write writes; empty when it cannot be
// written.
func fingerprintOf(write func(*jsondoc.Writer)) string {
	kept := NewKeeper()
	w := jsondoc.NewWriter(kept)
	write(w)
	if w.Close() != nil {
		return ""
	}
	_, fingerprint := kept.Kept()
	return fingerprint
}
