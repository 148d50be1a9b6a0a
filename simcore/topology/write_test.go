package topology

import (
	"bytes"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"pgregory.net/rapid"
)

// reread writes a scenario in one form and reads it again.
func reread(t interface{ Fatalf(string, ...any) }, data []byte, name string) *Scenario {
	doc, err := document.Parse(data, name)
	if err != nil {
		t.Fatalf("%v in\n%s", err, data)
	}
	s, err := ReadScenario(doc)
	if err != nil {
		t.Fatalf("%v in\n%s", err, data)
	}
	return s
}

func checkRoundTrip(t interface{ Fatalf(string, ...any) }, s *Scenario) {
	j, y := s.JSON(), s.YAML()
	fromJSON, fromYAML := reread(t, j, "s.json"), reread(t, y, "s.yaml")
	if !bytes.Equal(fromJSON.JSON(), j) || !bytes.Equal(fromYAML.JSON(), j) {
		t.Fatalf("JSON changes on its way:\n%s\n%s", j, fromYAML.JSON())
	}
	if !bytes.Equal(fromYAML.YAML(), y) || !bytes.Equal(fromJSON.YAML(), y) {
		t.Fatalf("YAML changes on its way:\n%s", y)
	}
	if fromYAML.Fingerprint() != s.Fingerprint() {
		t.Fatalf("the fingerprint changes on its way")
	}
}

func TestBuiltInsRoundTrip(t *testing.T) {
	for _, m := range builtIns {
		if m.build == nil {
			checkRoundTrip(t, built(t)(Target(m.name, noFiles)))
			continue
		}
		checkRoundTrip(t, built(t)(m.build()))
	}
}

// Any text may stand in a name, a citation or a note.
func TestRandomTextsRoundTrip(t *testing.T) {
	awkward := rapid.OneOf(rapid.StringN(1, 40, -1), rapid.SampledFrom([]string{"yes", "~", "1e3", "0x1F", "- a", "a: b", "#c", " lead", "trail ",
		"two\nlines\n", "tab\tstop", "\u0085\u2028\ufeff\x7f", "'", `"\`, "null", "-", "?", "[x]", "*a", "&a", "!t", "%d", "@", "`", "<<", "é😀", "a:"}))
	rapid.Check(t, func(t *rapid.T) {
		spec := *mustPreset("cpu-only").Spec()
		spec.ID = awkward.Draw(t, "id")
		spec.MemoryDomains = append([]MemoryDomain(nil), spec.MemoryDomains...)
		spec.MemoryDomains[0].Provenance.Source = awkward.Draw(t, "source")
		spec.MemoryDomains[0].Provenance.Notes = awkward.Draw(t, "notes")
		spec.MemoryDomains[0].Provenance.MeasuredAt = "2026-01-02"
		spec.Calibration = []Coefficient{{ID: awkward.Draw(t, "coefficient"), Unit: awkward.Draw(t, "unit"),
			Value: rapid.Float64Range(0, 1e300).Draw(t, "value"), Provenance: builtIn()}}
		s, err := New(spec)
		if err != nil {
			t.Fatalf("%v", err)
		}
		checkRoundTrip(t, s)
	})
}

func mustPreset(name string) *Scenario {
	s, err := Preset(name)
	if err != nil {
		panic(err)
	}
	return s
}

// Present and absent optional parts stay what they are.
func TestOptionalPartsStay(t *testing.T) {
	spec := *mustPreset("single-gpu-cpu").Spec()
	spec.HasNetworkResources = true
	spec.Placements = append([]Placement(nil), spec.Placements...)
	spec.Placements[0].HasShared = true
	spec.Links = append([]Link(nil), spec.Links...)
	spec.Links[0].HasNetworkResourceIDs = true
	s := built(t)(New(spec))
	text := string(s.JSON())
	for part, want := range map[string]int{`"networkResources": []`: 1, `"sharedAllocationIds": []`: 1, `"networkResourceIds": []`: 1, `"transport"`: 0, `"notes"`: 0, `"computeProfileId"`: 0, `"speculative"`: 0} {
		if got := strings.Count(text, part); got != want {
			t.Errorf("%s stands %d times, want %d", part, got, want)
		}
	}
	checkRoundTrip(t, s)
}

func TestYAMLReadsWell(t *testing.T) {
	text := string(mustPreset("cpu-only").YAML())
	for _, line := range []string{
		"schemaVersion: 5\nid: cpu-only\nfamily: cpu_only\nmemoryDomains:\n  - id: node0:host\n    nodeId: node0\n",
		"    allocationClasses: [pageable, pinned]\n    accessibleBy: [node0:cpu0]\n    governor: {kind: host, nodeId: node0}\n",
		"transfers: []\n",
		"    orderedRanks:\n      - {rankId: rank-0, deviceId: node0:cpu0}\n",
		"calibration:\n  coefficients: []\n",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("the file lacks\n%s", line)
		}
	}
}

// checkRefusal proves that an error says what is wrong and where: every issue has
// a code and a message, and a path unless the document as a whole is no object.
func checkRefusal(t *testing.T, err error) {
	t.Helper()
	all := issue.All(err)
	if len(all) == 0 {
		t.Fatalf("%v carries no issue", err)
	}
	for _, e := range all {
		whole := e.Code == document.CodeType || e.Code == document.CodeUnknown || e.Code == document.CodeMissing
		if e.Code == "" || e.Message == "" || e.Path == "" && !whole {
			t.Errorf("the refusal is %#v", e)
		}
	}
}

// FuzzScenario reads any bytes as a scenario of either form: what is accepted must
// come back unchanged, what is refused must say what and where.
func FuzzScenario(f *testing.F) {
	for _, m := range []string{"cpu-only", "gpu-npu", "multi-node"} {
		s := mustPreset(m)
		f.Add(s.JSON(), true)
		f.Add(s.YAML(), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, json bool) {
		name := "s.yaml"
		if json {
			name = "s.json"
		}
		doc, err := document.Parse(data, name)
		if err != nil {
			checkRefusal(t, err)
			return
		}
		s, err := ReadScenario(doc)
		if err != nil {
			checkRefusal(t, err)
			return
		}
		checkRoundTrip(t, s)
	})
}
