package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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

// checkPlain proves that a text which is read without the YAML library is read as
// through it, places included.
func checkPlain(t *testing.T, data []byte) {
	t.Helper()
	text, err := plainText(data, "f.yaml")
	if err != nil {
		return
	}
	plain, ok := plainYAML(text)
	if !ok {
		return
	}
	library, err := libraryYAML(text, "f.yaml")
	if err != nil {
		t.Errorf("%q is read, and refused by the library: %v", data, err)
		return
	}
	if a, b := spelled(&plain), spelled(&library); a != b {
		t.Errorf("%q is read as\n%s\nand by the library as\n%s", data, a, b)
	}
}

// spelled writes out all that a value holds.
func spelled(v *Value) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d:%d %s %q %v", v.Line(), v.Column(), v.Kind(), v.text, v.number)
	for i := range v.Len() {
		name := ""
		if v.Kind() == Object {
			name = v.Key(i)
		}
		fmt.Fprintf(&b, "\n%q {%s}", name, spelled(v.At(i)))
	}
	return b.String()
}

// FuzzYAML reads any bytes; what is accepted is written and read again unchanged.
func FuzzYAML(f *testing.F) {
	for _, seed := range []string{"a: [1, 0x1F, ~, yes, .inf]\nb:\n  - c: &x 1\n  - *x\n", "%YAML 1.2\n--- |\n  x\n", "? [a]\n: b\n", "a:\n\tb: 1", "{a: {b: [c, {d: e}]}}", "a: 1\n---\nb: 2\n", bomb(), "\"\\u0085\\u2028\": '#'", "\ufeff%YAML 1.2\n---\na: 1\n",
		"# c\na: {b: 1, \"c d\": [x:y, \"z\"]}\ne:\n- f: -1.5\n  g: two words\n\n- [ ]\nh:\n    i: .inf\n    j:\n      - k\n", "a: b\n  c: d\n", "- a: 1\n   b: 2\n", "a:\n  - b\n - c\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkPlain(t, data)
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
