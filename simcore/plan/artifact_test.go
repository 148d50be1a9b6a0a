package plan_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/plan/plantest"
)

func artifactText(t rapid.TB, s plantest.Shape, p *plan.Plan) []byte {
	t.Helper()
	a, err := plan.NewArtifact(plantest.Scenario(s), p)
	if err != nil {
		t.Fatal(err)
	}
	text, err := a.Text()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func read(text []byte) (*plan.Artifact, error) {
	doc, err := document.Parse(text, "plan.json")
	if err != nil {
		return nil, err
	}
	return plan.ReadArtifact(doc)
}

func TestArtifactsComeBackByteForByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plantest.Plan(plantest.Small, "x", plantest.Mix{Steps: rapid.IntRange(1, 30).Draw(t, "steps"), MaxDuration: 9, Shuffle: true},
			plantest.Generator(rapid.Uint64().Draw(t, "seed")))
		text := artifactText(t, plantest.Small, p)
		a, err := read(text)
		if err != nil {
			t.Fatal(err)
		}
		again, err := a.Text()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(text, again) {
			t.Fatalf("the artifact changed:\n%s", cmp.Diff(string(text), string(again)))
		}
		if fingerprint, err := p.Fingerprint(); err != nil || fingerprint != a.PlanFingerprint {
			t.Fatalf("plan fingerprint %s, %v; the artifact says %s", fingerprint, err, a.PlanFingerprint)
		}
	})
}

// reseal recomputes the fingerprints of an artifact whose text was edited, so that
// only the checks after them can refuse it.
func reseal(t *testing.T, text string) string {
	t.Helper()
	doc, err := document.Parse([]byte(text), "plan.json")
	if err != nil {
		t.Fatal(err)
	}
	body := canonical.Object{}
	for i := range doc.Len() {
		if key := doc.Key(i); key != "artifactFingerprint" {
			body = append(body, canonical.Member{Key: key, Value: doc.At(i).Canonical()})
		}
	}
	for i := range body {
		for _, part := range []string{"scenario", "plan"} {
			if body[i].Key == part+"Fingerprint" {
				body[i].Value = fingerprintOf(t, doc.Get(part).Canonical())
			}
		}
	}
	body = append(body, canonical.Member{Key: "artifactFingerprint", Value: fingerprintOf(t, body)})
	out, err := canonical.Pretty(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func fingerprintOf(t *testing.T, v any) string {
	t.Helper()
	f, err := canonical.Fingerprint(v)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestArtifactChecksInTheirOrder(t *testing.T) {
	p := sample()
	p.Steps[4].Dependencies = []int64{12, 13}
	valid := string(artifactText(t, plantest.Small, p))
	edit := func(pairs ...string) func(string) string {
		return func(s string) string {
			out := strings.NewReplacer(pairs...).Replace(s)
			if out == s {
				t.Fatalf("%q is not in the artifact", pairs[0])
			}
			return out
		}
	}
	for _, test := range []struct {
		name   string
		edit   func(string) string
		seal   bool // recompute the fingerprints afterwards
		names  []string
		hidden string // what a later check would name
	}{
		{"unknown and missing key", edit(`"kind": "inference-sim`, `"sort": "inference-sim`), false, []string{"sort", "kind"}, ""},
		{"kind", edit("inference-sim/frozen-plan", "inference-sim/melted-plan"), true, []string{"kind", "inference-sim/frozen-plan", "melted"}, ""},
		{"revision before the plan's own", edit(`"revision": 1`, `"revision": 2`, `"contractRevision": 5`, `"contractRevision": 6`), true, []string{"revision", "1", "2"}, "contractRevision"},
		{"revision as text", edit(`"revision": 1`, `"revision": "1"`), true, []string{"revision"}, ""},
		{"schema version", edit(`"scenarioSchemaVersion": 5`, `"scenarioSchemaVersion": 4`), true, []string{"scenarioSchemaVersion", "5", "4"}, ""},
		{"plan contract", edit(`"planContractRevision": 5`, `"planContractRevision": 4`), true, []string{"planContractRevision", "5", "4"}, ""},
		{"fingerprint form", edit("fnv1a32:", "FNV1A32:"), false, []string{"fnv1a32"}, ""},
		{"scenario structure before the plan's", edit(`"coherent"`, `"coherence"`, `"reads"`, `"reeds"`), true, []string{"coherence"}, "reeds"},
		{"contract revision inside", edit(`"contractRevision": 5`, `"contractRevision": 6`), true, []string{"contractRevision", "5", "6"}, ""},
		{"step without a key", edit(`"reads"`, `"reeds"`), true, []string{"steps[0]", "reads", "reeds"}, ""},
		{"kind of operation", edit(`"kind": "transfer"`, `"kind": "teleport"`), true, []string{"steps[1]", "teleport"}, ""},
		{"algorithm", edit(`"all_to_all_v"`, `"tree"`), true, []string{"steps[4]", "all_reduce_ring", "all_to_all_v"}, ""},
		{"entry of a list", edit(`"n0/d0.w"
        ],
        "writes"`, `7
        ],
        "writes"`), true, []string{"steps[0]", "reads"}, ""},
		{"fraction", edit(`"durationNs": 3`, `"durationNs": 3.5`), true, []string{"steps[1]", "durationNs"}, ""},
		{"altered scenario", edit(`"latencyNs": 0`, `"latencyNs": 1`), false, []string{"scenario", "fnv1a32:"}, ""},
		{"altered scenario that is wrong as well", edit(`"resourceLimitBytes": 1073741824`, `"resourceLimitBytes": 2073741824`), false, []string{"scenario", "fnv1a32:"}, "resource_limit"},
		{"altered plan", edit(`"durationNs": 3`, `"durationNs": 4`), false, []string{"plan", "fnv1a32:"}, ""},
		{"altered artifact", edit(`"artifactFingerprint": "fnv1a32:`, `"artifactFingerprint": "fnv1a32:0`), false, []string{"fnv1a32"}, ""},
		{"semantics of both", edit(`"resourceLimitBytes": 1073741824`, `"resourceLimitBytes": 2073741824`, `"id": 13,`, `"id": 12,`), true,
			[]string{"scenario.resource_limit", "scenario.memoryDomains[0].resourceLimitBytes", "steps[3].id"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := test.edit(valid)
			if test.seal {
				text = reseal(t, text)
			}
			_, err := read([]byte(text))
			if err == nil {
				t.Fatal("accepted")
			}
			for _, name := range test.names {
				if !strings.Contains(err.Error(), name) {
					t.Errorf("%v\ndoes not name %s", err, name)
				}
			}
			if test.hidden != "" && strings.Contains(err.Error(), test.hidden) {
				t.Errorf("%v\nnames %s, which a later check is about", err, test.hidden)
			}
		})
	}
}

func TestArtifactSpellingDoesNotMatter(t *testing.T) {
	p := sample()
	p.Steps[4].Dependencies = []int64{12, 13}
	text := string(artifactText(t, plantest.Small, p))
	a, err := read([]byte(strings.NewReplacer(`"durationNs": 3`, `"durationNs": 3.0e0`, `"epoch": 0`, `"epoch": -0`).Replace(text)))
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := a.Text(); string(again) != text {
		t.Error("the spelling of a number changed the artifact")
	}
}

func FuzzReadArtifact(f *testing.F) {
	p := sample()
	p.Steps[4].Dependencies = []int64{12, 13}
	f.Add(artifactText(f, plantest.Small, p))
	f.Add([]byte(`{"kind": "inference-sim/frozen-plan"}`))
	f.Add([]byte("kind: inference-sim/frozen-plan\nplan: {steps: [{}]}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := read(text)
		if err != nil {
			return
		}
		again, err := a.Text()
		if err != nil {
			t.Fatal(err)
		}
		if b, err := read(again); err != nil || b.ArtifactFingerprint != a.ArtifactFingerprint {
			t.Fatalf("an accepted artifact does not come back: %v", err)
		}
	})
}

func BenchmarkReadArtifact(b *testing.B) {
	text := artifactText(b, plantest.Small, plantest.Large(plantest.Small, 1000))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := read(text); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "steps/s")
}

func ExampleHazards() {
	var h plan.Hazards
	fmt.Println(h.Step(0, nil, []string{"weights"}, []string{"kv"}))
	fmt.Println(h.Step(1, nil, []string{"kv"}, nil))
	fmt.Println(h.Step(2, nil, nil, []string{"kv"}))
	// Output:
	// []
	// [0]
	// [0 1]
}
