package cost_test

import (
	"strings"
	"testing"

	"github.com/inferlab/inferlab/simcore/cost"
	"pgregory.net/rapid"
)

func TestCurveInterpolates(t *testing.T) {
	m := cost.Default()
	key := cost.CurveKey{ScenarioID: "lab", Operation: cost.CollectiveOperation, Algorithm: "all_reduce_ring", ParticipantCount: 2, LinkIDs: []string{"a", "b"}}
	m.HasCurves = true
	m.Curves = []cost.Curve{{CurveKey: key, Points: []cost.Point{{Bytes: 100, DurationNs: 10}, {Bytes: 200, DurationNs: 13}, {Bytes: 400, DurationNs: 13}}}}
	for bytes, want := range map[int64]int64{100: 10, 101: 11, 133: 11, 134: 12, 150: 12, 200: 13, 300: 13, 400: 13} {
		if got, err := m.TransportNs(&key, bytes); err != nil || got != want {
			t.Errorf("%d bytes: got %d (%v), want %d", bytes, got, err, want)
		}
	}
	for _, bytes := range []int64{99, 401} {
		if _, err := m.TransportNs(&key, bytes); err == nil || !strings.Contains(err.Error(), "lab") || !strings.Contains(err.Error(), "all_reduce_ring") {
			t.Errorf("%d bytes must be refused by name: %v", bytes, err)
		}
	}
}

func TestCurveMustMatchExactly(t *testing.T) {
	key := cost.CurveKey{ScenarioID: "lab", Operation: cost.CollectiveOperation, Algorithm: "all_to_all_v", ParticipantCount: 2,
		LinkIDs: []string{"a", "b"}, TrafficSignature: "all_to_all_v_matrix_v1:[[1,2],[0,0]]"}
	m := cost.Default()
	m.Curves = []cost.Curve{{CurveKey: key, Points: []cost.Point{{Bytes: 1, DurationNs: 1}, {Bytes: 9, DurationNs: 9}}}}
	if got, err := m.TransportNs(&key, 9); err != nil || got != 9 {
		t.Fatalf("the curve itself: %d, %v", got, err)
	}
	for name, change := range map[string]func(*cost.CurveKey){
		"scenario":     func(k *cost.CurveKey) { k.ScenarioID = "lab2" },
		"operation":    func(k *cost.CurveKey) { k.Operation = cost.TransferOperation },
		"algorithm":    func(k *cost.CurveKey) { k.Algorithm = "all_reduce_ring" },
		"participants": func(k *cost.CurveKey) { k.ParticipantCount = 3 },
		"link order":   func(k *cost.CurveKey) { k.LinkIDs = []string{"b", "a"} },
		"signature":    func(k *cost.CurveKey) { k.TrafficSignature = "" },
	} {
		other := key
		change(&other)
		if _, err := m.TransportNs(&other, 5); err == nil || !strings.Contains(err.Error(), "no measured curve") {
			t.Errorf("%s: a curve for something else was used (%v)", name, err)
		}
	}
}

func TestSignature(t *testing.T) {
	const p = cost.SignaturePrefix
	for _, c := range []struct {
		m    cost.Matrix
		want string
	}{
		{cost.Matrix{{2, 4}, {0, 0}}, p + "[[1,2],[0,0]]"},
		{cost.Matrix{{1, 2}, {0, 0}}, p + "[[1,2],[0,0]]"},
		{cost.Matrix{{0, 6, 9}, {3, 0, 0}, {0, 0, 12}}, p + "[[0,2,3],[1,0,0],[0,0,4]]"},
		{cost.Matrix{{0, 0}, {0, 0}}, ""},
		{cost.Matrix{{7}}, ""},
		{cost.Matrix{{1, 2}, {3}}, ""},
		{cost.Matrix{{1, -2}, {3, 4}}, ""},
	} {
		got, err := c.m.Signature()
		if got != c.want || (c.want == "") != (err != nil) {
			t.Errorf("%v: got %q (%v), want %q", c.m, got, err, c.want)
		}
	}
}

func TestParseSignatureRefusesWhatIsNotCanonical(t *testing.T) {
	const p = cost.SignaturePrefix
	if m, err := cost.ParseSignature(p + "[[1,2],[0,0]]"); err != nil || m[0][1] != 2 {
		t.Errorf("a canonical text: %v, %v", m, err)
	}
	for _, text := range []string{
		"", p, p + "[]", p + "[[]]", p + "[[1]]", p + "[[1, 2],[0,0]]", p + "[[2,4],[0,0]]", p + "[[01,2],[0,0]]",
		p + "[[1,2],[0,0]] ", "matrix:[[1,2],[0,0]]", p + "[[1,2],[0]]", p + "[[+1,2],[0,0]]", p + "[[-0,2],[0,1]]", p + "[[1,2],[0,x]]",
	} {
		if m, err := cost.ParseSignature(text); err == nil {
			t.Errorf("%q was read as %v", text, m)
		}
	}
}

// The text of any traffic reads back to its shape, and scaling traffic or sending
// it the other way round does what the name says.
func TestSignatureProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "ranks")
		m := cost.NewMatrix(n)
		for r := range m {
			for c := range m[r] {
				m[r][c] = rapid.Int64Range(0, 1000).Draw(t, "cell")
			}
		}
		m[0][1]++
		text, err := m.Signature()
		if err != nil {
			t.Fatal(err)
		}
		shape, err := cost.ParseSignature(text)
		if err != nil {
			t.Fatal(err)
		}
		scale := rapid.Int64Range(1, 1<<20).Draw(t, "scale")
		for r := range shape {
			for c := range shape[r] {
				shape[r][c] *= scale
			}
		}
		if again, err := shape.Signature(); err != nil || again != text {
			t.Fatalf("scaled by %d: %q (%v), want %q", scale, again, err, text)
		}
		if back, err := m.Transpose().Transpose().Signature(); err != nil || back != text {
			t.Fatalf("there and back: %q (%v)", back, err)
		}
	})
}

// Texts are signatures exactly when they are what their matrix writes.
func FuzzParseSignature(f *testing.F) {
	f.Add(cost.SignaturePrefix + "[[1,2],[0,0]]")
	f.Add(cost.SignaturePrefix + "[[0,2,3],[1,0,0],[0,0,4]]")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := cost.ParseSignature(text)
		if err != nil {
			return
		}
		if again, err := m.Signature(); err != nil || again != text {
			t.Fatalf("%q reads as %v, which writes %q (%v)", text, m, again, err)
		}
	})
}
