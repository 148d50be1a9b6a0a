package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/issue"
)

// checkRefusal proves that an error of the parsers is one placed refusal.
func checkRefusal(t *testing.T, err error) {
	t.Helper()
	all := issue.All(err)
	if len(all) != 1 || all[0].Code != CodeSyntax || !strings.HasPrefix(all[0].Path, "f.") || all[0].Message == "" {
		t.Errorf("the refusal is %#v", err)
	}
}

// FuzzJSON compares the parser with the standard library on every input: what one
// accepts the other must, but for duplicate names and half surrogates.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-0.5e+3,true,null,"x\u00e9\n"],"b":{}}`, `[1e999]`, `{"a":1,"a":2}`, `"\ud83d\ude00"`, `[[[[`, "\xff", ` 01 `, "\ufeff{}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := ParseJSON(data, "f.json")
		standard := bytes.TrimPrefix(data, []byte(byteOrderMark))
		if err != nil {
			checkRefusal(t, err)
			text := err.Error()
			for _, ours := range []string{"duplicate member", "surrogate", "UTF-8", "nested deeper", "byte order mark"} {
				if strings.Contains(text, ours) {
					return
				}
			}
			if json.Valid(standard) {
				t.Errorf("%q is refused: %v", data, err)
			}
			return
		}
		if !json.Valid(standard) {
			t.Errorf("%q is accepted", data)
		}
		text, err := canonical.Text(v.Canonical())
		if errors.Is(err, canonical.ErrNotFinite) || errors.Is(err, canonical.ErrDepth) {
			return
		}
		again, err := ParseJSON(text, "f.json")
		if err != nil {
			t.Fatalf("%q became %q: %v", data, text, err)
		}
		if second, _ := canonical.Text(again.Canonical()); string(second) != string(text) {
			t.Errorf("%q became %q, then %q", data, text, second)
		}
	})
}

// FuzzYAML reads any bytes; what is accepted is written and read again unchanged.
func FuzzYAML(f *testing.F) {
	for _, seed := range []string{"a: [1, 0x1F, ~, yes, .inf]\nb:\n  - c: &x 1\n  - *x\n", "%YAML 1.2\n--- |\n  x\n", "? [a]\n: b\n", "a:\n\tb: 1", "{a: {b: [c, {d: e}]}}", "a: 1\n---\nb: 2\n", bomb(), "\"\\u0085\\u2028\": '#'", "\ufeff%YAML 1.2\n---\na: 1\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := ParseYAML(data, "f.yaml")
		if err != nil {
			checkRefusal(t, err)
			return
		}
		text, err := WriteYAML(v.Canonical())
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseYAML(text, "f.yaml")
		if err != nil {
			t.Fatalf("%q became %q: %v", data, text, err)
		}
		if second, _ := WriteYAML(again.Canonical()); string(second) != string(text) {
			t.Errorf("%q became %q, then %q", data, text, second)
		}
	})
}
