package calibration

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// Fingerprint identifies the content of a dataset: FNV-1a over the UTF-16 code
// units of its normalized text (contract 06 section 16.7). The order of
// observations, samples and scenario ids does not change it. It shows identity,
// not integrity.
func (d *Dataset) Fingerprint() string {
	const offset, prime = 0x811C9DC5, 0x01000193
	h := uint32(offset)
	quantity.UTF16Units(string(d.normalized()), func(unit uint16) {
		h = (h ^ uint32(unit)) * prime
	})
	return fmt.Sprintf("fnv1a32:%08x", h)
}

// normalized is the text that the fingerprint covers.
func (d *Dataset) normalized() []byte {
	t := textBuilder{buf: make([]byte, 0, 1024+192*(len(d.Observations)+len(d.Transports)))}
	t.open()
	t.number("revision", d.Revision)
	t.text("id", d.ID)
	t.provenance(&d.Provenance)
	t.applicability(&d.Applicability)
	t.key("modelConstants")
	t.open()
	t.number("activationBytesPerToken", d.Constants.ActivationBytesPerToken)
	t.number("collectiveBytesPerToken", d.Constants.CollectiveBytesPerToken)
	t.number("coldLoadByteMultiplier", d.Constants.ColdLoadByteMultiplier)
	t.close()
	t.key("quality")
	t.open()
	t.number("minSamplesPerPoint", d.Quality.MinSamplesPerPoint)
	t.double("maxNormalizedRmse", d.Quality.MaxNormalizedRMSE)
	t.double("maxP95RelativeError", d.Quality.MaxP95RelativeError)
	t.close()
	t.observations(d)
	t.transports(d)
	t.close()
	return t.buf
}

// textBuilder writes compact JSON with members in the order of the calls.
type textBuilder struct {
	buf     []byte
	samples []int64
}

func (t *textBuilder) open() { t.buf = append(t.buf, '{') }

func (t *textBuilder) close() { t.buf = append(t.buf, '}') }

func (t *textBuilder) separate() {
	if last := t.buf[len(t.buf)-1]; last != '{' && last != '[' {
		t.buf = append(t.buf, ',')
	}
}

func (t *textBuilder) key(name string) {
	t.separate()
	t.buf = append(t.buf, '"')
	t.buf = append(t.buf, name...)
	t.buf = append(t.buf, '"', ':')
}

func (t *textBuilder) text(name, s string) {
	t.key(name)
	t.buf = canonical.AppendString(t.buf, s)
}

// optional leaves an absent text out.
func (t *textBuilder) optional(name, s string) {
	if s != "" {
		t.text(name, s)
	}
}

func (t *textBuilder) number(name string, v int64) {
	t.key(name)
	t.buf = appendInt(t.buf, v)
}

func (t *textBuilder) double(name string, f float64) {
	t.key(name)
	t.buf = canonical.AppendNumber(t.buf, f)
}

func (t *textBuilder) provenance(p *Provenance) {
	t.key("provenance")
	t.open()
	t.text("kind", string(p.Kind))
	t.text("source", p.Source)
	t.optional("measuredAt", p.MeasuredAt)
	t.text("softwareStack", p.SoftwareStack)
	t.text("modelArtifact", p.ModelArtifact)
	t.optional("notes", p.Notes)
	t.close()
}

func (t *textBuilder) applicability(a *cost.Applicability) {
	t.key("applicability")
	t.open()
	t.key("scenarioIds")
	t.buf = appendTexts(t.buf, sortedIDs(a.ScenarioIDs))
	t.key("deviceKindLabels")
	t.open()
	for _, kind := range cost.Kinds {
		t.text(string(kind), a.Labels.Label(kind))
	}
	t.close()
	t.close()
}

func sortedIDs(ids []string) []string {
	ids = slices.Clone(ids)
	quantity.SortIDs(ids)
	return ids
}

func (t *textBuilder) observations(d *Dataset) {
	t.key("observations")
	t.buf = append(t.buf, '[')
	for _, i := range orderByID(len(d.Observations), func(i int) string { return d.Observations[i].ID }) {
		o := &d.Observations[i]
		t.separate()
		t.open()
		t.text("id", o.ID)
		t.text("deviceKind", string(o.DeviceKind))
		t.text("capability", string(o.Capability))
		t.number("workItems", o.WorkItems)
		t.durations(o.DurationsNs)
		t.text("regime", o.Regime)
		t.close()
	}
	t.buf = append(t.buf, ']')
}

func (t *textBuilder) transports(d *Dataset) {
	t.key("transportObservations")
	t.buf = append(t.buf, '[')
	for _, i := range orderByID(len(d.Transports), func(i int) string { return d.Transports[i].ID }) {
		o := &d.Transports[i]
		t.separate()
		t.open()
		t.text("id", o.ID)
		t.text("scenarioId", o.ScenarioID)
		t.text("operation", string(o.Operation))
		t.key("linkIds")
		t.buf = appendTexts(t.buf, o.LinkIDs)
		t.number("participantCount", o.ParticipantCount)
		t.text("algorithm", o.Algorithm)
		t.optional("trafficSignature", o.TrafficSignature)
		t.number("bytes", o.Bytes)
		t.durations(o.DurationsNs)
		t.text("regime", o.Regime)
		t.close()
	}
	t.buf = append(t.buf, ']')
}

// durations writes samples in ascending order.
func (t *textBuilder) durations(ns []int64) {
	t.samples = append(t.samples[:0], ns...)
	slices.Sort(t.samples)
	t.key("durationsNs")
	t.buf = append(t.buf, '[')
	for i, n := range t.samples {
		if i > 0 {
			t.buf = append(t.buf, ',')
		}
		t.buf = appendInt(t.buf, n)
	}
	t.buf = append(t.buf, ']')
}

func orderByID(n int, id func(int) string) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return quantity.CompareIDs(id(a), id(b)) })
	return order
}

func appendInt(b []byte, v int64) []byte { return strconv.AppendInt(b, v, 10) }

func appendTexts(b []byte, texts []string) []byte {
	b = append(b, '[')
	for i, s := range texts {
		if i > 0 {
			b = append(b, ',')
		}
		b = canonical.AppendString(b, s)
	}
	return append(b, ']')
}
