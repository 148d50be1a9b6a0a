package calibration_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/calibration/internal/synthetic"
)

func TestFingerprintIgnoresOrder(t *testing.T) {
	base := withAllToAll(synthetic.Measure(2, 0.01, 4, 1, 6))
	base.Applicability.ScenarioIDs = []string{"multi-gpu", "b", "B"}
	want := base.Fingerprint()
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		d := *base
		d.Observations = slices.Clone(base.Observations)
		d.Transports = slices.Clone(base.Transports)
		d.Applicability.ScenarioIDs = []string{"B", "multi-gpu", "b"}
		rng.Shuffle(len(d.Observations), func(i, j int) { d.Observations[i], d.Observations[j] = d.Observations[j], d.Observations[i] })
		rng.Shuffle(len(d.Transports), func(i, j int) { d.Transports[i], d.Transports[j] = d.Transports[j], d.Transports[i] })
		for i := range d.Observations {
			d.Observations[i].DurationsNs = slices.Clone(d.Observations[i].DurationsNs)
			slices.Reverse(d.Observations[i].DurationsNs)
		}
		if got := d.Fingerprint(); got != want {
			t.Fatalf("order changed the fingerprint from %s to %s", want, got)
		}
	}
}

func TestFingerprintSeesEveryField(t *testing.T) {
	seen := map[string]string{}
	for name, change := range map[string]func(*calibration.Dataset){
		"nothing":    func(*calibration.Dataset) {},
		"id":         func(d *calibration.Dataset) { d.ID = "lab-2" },
		"kind":       func(d *calibration.Dataset) { d.Provenance.Kind = calibration.Synthetic },
		"date":       func(d *calibration.Dataset) { d.Provenance.MeasuredAt = "" },
		"notes":      func(d *calibration.Dataset) { d.Provenance.Notes = "n" },
		"source":     func(d *calibration.Dataset) { d.Provenance.Source = "s" },
		"scenario":   func(d *calibration.Dataset) { d.Applicability.ScenarioIDs = []string{"multi-gpu", "x"} },
		"label":      func(d *calibration.Dataset) { d.Applicability.Labels.NPU = "other" },
		"constant":   func(d *calibration.Dataset) { d.Constants.ColdLoadByteMultiplier = 3 },
		"gate":       func(d *calibration.Dataset) { d.Quality.MaxNormalizedRMSE = 0.21 },
		"work items": func(d *calibration.Dataset) { d.Observations[1].WorkItems = 2 },
		"sample":     func(d *calibration.Dataset) { d.Observations[1].DurationsNs = []int64{1, 2, 3} },
		"regime":     func(d *calibration.Dataset) { d.Observations[1].Regime = "r" },
		"links": func(d *calibration.Dataset) {
			d.Transports[1].LinkIDs = []string{"node0:nvlink:reverse", "node0:nvlink:forward"}
		},
		"participants":      func(d *calibration.Dataset) { d.Transports[1].ParticipantCount = 3 },
		"traffic signature": func(d *calibration.Dataset) { d.Transports[1].TrafficSignature = "s" },
		"bytes":             func(d *calibration.Dataset) { d.Transports[1].Bytes++ },
	} {
		d := synthetic.Measure(2, 0.01, 3, 1, 6)
		change(d)
		f := d.Fingerprint()
		if other, ok := seen[f]; ok {
			t.Errorf("%s and %s have one fingerprint", name, other)
		}
		seen[f] = name
	}
}

// The hash runs over whole UTF-16 code units, so letters beyond ASCII count as one
// unit (two for characters above U+FFFF), and nothing is escaped for HTML.
func TestFingerprintOfKnownTexts(t *testing.T) {
	d := synthetic.Empty()
	d.Provenance.Notes = "<é&\U0001F600>\n\u2028"
	text := `{"revision":3,"id":"lab-1","provenance":{"kind":"measured","source":"bench log 12","measuredAt":"2026-03-01",` +
		`"softwareStack":"stack 3","modelArtifact":"model@1","notes":"<é&` + "\U0001F600" + `>\n` + "\u2028" + `"},` +
		`"applicability":{"scenarioIds":["multi-gpu"],"deviceKindLabels":{"cpu":"cpu X","gpu":"gpu Y","npu":"npu Z"}},` +
		`"modelConstants":{"activationBytesPerToken":1048576,"collectiveBytesPerToken":524288,"coldLoadByteMultiplier":2},` +
		`"quality":{"minSamplesPerPoint":3,"maxNormalizedRmse":0.2,"maxP95RelativeError":0.5},"observations":[],"transportObservations":[]}`
	h := uint32(0x811C9DC5)
	for _, r := range text {
		units := []uint32{uint32(r)}
		if r >= 0x10000 {
			units = []uint32{0xD800 + (uint32(r)-0x10000)>>10, 0xDC00 + (uint32(r)-0x10000)&0x3FF}
		}
		for _, u := range units {
			h = (h ^ u) * 0x01000193
		}
	}
	const digits = "0123456789abcdef"
	want := "fnv1a32:"
	for shift := 28; shift >= 0; shift -= 4 {
		want += string(digits[h>>shift&15])
	}
	if got := d.Fingerprint(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
