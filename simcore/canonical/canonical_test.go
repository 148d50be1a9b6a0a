package canonical_test

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/simcore/canonical"
	"pgregory.net/rapid"
)

// The table of contract 03 section 4.
func TestFingerprintTable(t *testing.T) {
	for _, c := range []struct {
		value             any
		text, fingerprint string
	}{
		{canonical.Object{}, `{}`, "fnv1a32:5465b825"},
		{[]any{}, `[]`, "fnv1a32:741638a5"},
		{"", `""`, "fnv1a32:ffcaaa85"},
		{0.0, `0`, "fnv1a32:350ca8af"},
		{canonical.Object{{Key: "b", Value: []any{1.0, 2.5, "é"}}, {Key: "a", Value: nil}},
			`{"a":null,"b":[1,2.5,"é"]}`, "fnv1a32:0d061e2d"},
		{canonical.Object{{Key: "b", Value: 1}, {Key: "a", Value: canonical.Object{{Key: "y", Value: []any{}}, {Key: "x", Value: canonical.Object{}}}},
			{Key: "01", Value: 4}, {Key: "10", Value: 2}, {Key: "9", Value: 3}},
			`{"9":3,"10":2,"01":4,"a":{"x":{},"y":[]},"b":1}`, "fnv1a32:6237c280"},
		{[]any{1e21, 1e-7, 0.000001, 123456789012345680000.0, math.Copysign(0, -1), 5e-324, 1.5e300, 100.0, 0.1},
			`[1e+21,1e-7,0.000001,123456789012345680000,0,5e-324,1.5e+300,100,0.1]`, "fnv1a32:f5991aef"},
	} {
		text, err := canonical.Text(c.value)
		if err != nil || string(text) != c.text {
			t.Errorf("text %s, %v; want %s", text, err, c.text)
		}
		if got, err := canonical.Fingerprint(c.value); err != nil || got != c.fingerprint {
			t.Errorf("%s: fingerprint %s, %v; want %s", c.text, got, err, c.fingerprint)
		}
		if !canonical.IsFingerprint(c.fingerprint) {
			t.Errorf("%s is not seen as a fingerprint", c.fingerprint)
		}
	}
}

func TestEscapesAreTheFewest(t *testing.T) {
	in := "\"\\\b\t\n\f\r\x00\x1f/<>&\x7f\u2028\u2029é\U0001F600"
	want := `"\"\\\b\t\n\f\r\u0000\u001f/<>&` + "\x7f\u2028\u2029é\U0001F600\""
	if got := string(canonical.AppendString(nil, in)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPrettyForm(t *testing.T) {
	got, err := canonical.Pretty(canonical.Object{{Key: "b", Value: []any{1, "x"}}, {Key: "a", Value: canonical.Object{}}, {Key: "c", Value: []string{}}})
	want := "{\n  \"a\": {},\n  \"b\": [\n    1,\n    \"x\"\n  ],\n  \"c\": []\n}"
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

func TestDepthIsBounded(t *testing.T) {
	nest := func(levels int) any {
		var v any = 1.0
		for range levels {
			v = []any{v}
		}
		return v
	}
	if _, err := canonical.Text(nest(canonical.MaxDepth)); err != nil {
		t.Errorf("128 levels: %v", err)
	}
	if _, err := canonical.Text(nest(canonical.MaxDepth + 1)); !errors.Is(err, canonical.ErrDepth) {
		t.Errorf("129 levels: %v", err)
	}
}

func TestRefusesWhatJSONCannotHold(t *testing.T) {
	for _, v := range []any{math.NaN(), math.Inf(1), struct{}{}, []any{math.Inf(-1)}} {
		if _, err := canonical.Text(v); err == nil {
			t.Errorf("%v was written", v)
		}
	}
}

func TestNumbersReadBackAndAreShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64().Draw(t, "f")
		text := string(canonical.AppendNumber(nil, f))
		back, err := strconv.ParseFloat(text, 64)
		if err != nil || back != f {
			t.Fatalf("%v was written %s and read back %v, %v", f, text, back, err)
		}
		if digits := significantDigits(text); digits > significantDigits(strconv.FormatFloat(f, 'e', -1, 64)) {
			t.Fatalf("%s has %d digits, more than needed", text, digits)
		}
	})
}

func TestIsFingerprint(t *testing.T) {
	for _, bad := range []string{"", "fnv1a32:", "fnv1a32:1234567", "fnv1a32:123456789", "fnv1a32:ABCDEF01", "fnv1a64:12345678"} {
		if canonical.IsFingerprint(bad) {
			t.Errorf("%q is seen as a fingerprint", bad)
		}
	}
}

// significantDigits counts the digits of a spelling without its exponent and
// without leading and trailing zeros.
func significantDigits(text string) int {
	mantissa, _, _ := strings.Cut(text, "e")
	return len(strings.Trim(strings.ReplaceAll(strings.TrimPrefix(mantissa, "-"), ".", ""), "0"))
}
