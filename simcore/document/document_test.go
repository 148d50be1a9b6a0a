package document

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/issue"
)

// text is the compact canonical text of a document, or its refusal.
func text(t *testing.T, src, name string) string {
	t.Helper()
	v, err := Parse([]byte(src), name)
	if err != nil {
		if all := issue.All(err); len(all) != 1 || all[0].Code != CodeSyntax || !strings.HasPrefix(all[0].Path, name) {
			t.Fatalf("%q: refusal has another form: %v", src, err)
		}
		return "refused: " + err.Error()
	}
	out, err := canonical.Text(v.Canonical())
	if err != nil {
		return "not finite"
	}
	return string(out)
}

func TestYAML(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", `null`},
		{"# only a comment\n", `null`},
		{"---\n", `null`},
		{"--- {}\n...\n", `{}`},
		{"[~, null, Null, NULL, nUll]", `[null,null,null,null,"nUll"]`},
		{"[true, True, TRUE, tRue, yes, no, on, off, y]", `[true,true,true,"tRue","yes","no","on","off","y"]`},
		{"[false, False, FALSE]", `[false,false,false]`},
		{"[017, +5, -0, -12, 0o17, 0o8, 0x1F, 0X1F, -0x1, 0x, 0o]", `[17,5,0,-12,15,"0o8",31,"0X1F","-0x1","0x","0o"]`},
		{"[.5, 5., 1e3, 1.5E-3, 1.e2, -.5, +1.5, 1e, e1, ., 1.5.2, 1e5.2]", `[0.5,5,1000,0.0015,100,-0.5,1.5,"1e","e1",".","1.5.2","1e5.2"]`},
		{"[1_000, 0b11, 12:30, 2024-01-02, ++1, +-1, '', \"12\", '~']", `["1_000","0b11","12:30","2024-01-02","++1","+-1","","12","~"]`},
		{"[9007199254740993, 0x20000000000001, 0o400000000000000001]", `[9007199254740992,9007199254740992,9007199254740992]`},
		{"[.inf]", "not finite"}, {"[-.INF]", "not finite"}, {"[.nan]", "not finite"}, {"[1e999]", "not finite"},
		{"[+.inf, .iNf]", "not finite"}, {"[-.nan, .iNf, +.NaN]", `["-.nan",".iNf","+.NaN"]`},
		{"a: &x [1, 2]\nb: *x\n", `{"a":[1,2],"b":[1,2]}`},
		{"<<: {a: 1}\nb: 2\n", `{"<<":{"a":1},"b":2}`},
		{"1: a\ntrue: b\n~: c\n", `{"1":"a","true":"b","~":"c"}`},
		{"a: !!str 12\nb: !!int '7'\nc: !!float 3\ne: !!seq []\n", `{"a":"12","b":7,"c":3,"e":[]}`},
		{"a: |\n  x\n  y\nb: >\n  x\n  y\nc: 1\n  2\n", `{"a":"x\ny\n","b":"x y\n","c":"1 2"}`},
		{"a: |2\n  \tx\n", `{"a":"\tx\n"}`},
		{"a:\t1\n", `{"a":1}`},
		{"a: [1,\n\t2]\n", `{"a":[1,2]}`},
		{"%YAML 1.2\n---\na: 1\n", `{"a":1}`},
		{"\ufeffa: 1\n", `{"a":1}`},
		{"\ufeff%YAML 1.2\n---\na: 1\n", `{"a":1}`},
		{"\ufeff", `null`},
		{"a: 1\r\nb: 2\r\n", `{"a":1,"b":2}`},
		{"a: 1 # c\u2028b: 2\n# d\u0085c: 3\n#\u2029d: 4\n", `{"a":1}`}, // they end no line in YAML 1.2
		{"a: x\u0085 y\nb: \"\\uE000\u2028\ue001\u2029\"\n\u2028c: z\n", "{\"a\":\"x\u0085 y\",\"b\":\"\ue000\u2028\ue001\u2029\",\"\u2028c\":\"z\"}"},
		{"!!str a: 1\n!!int 7: 2\n", `{"7":2,"a":1}`},
	} {
		if got := text(t, c.in, "f.yaml"); got != c.want {
			t.Errorf("%q: got %s, want %s", c.in, got, c.want)
		}
	}
}

func TestYAMLRefusals(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a: 1\na: 2\n", "f.yaml:2:1: duplicate key \"a\""},
		{"1: x\n\"1\": y\n", "f.yaml:2:1: duplicate key \"1\""},
		{"a: 1\n---\nb: 2\n", "more than one YAML document"},
		{"---\n---\n", "more than one YAML document"},
		{"a: *nobody\n", "unknown anchor"},
		{"a: &a [*a]\n", "within the value that it names"},
		{"a:\n\tb: 1\n", "tab"},
		{"\ufeffa:\n  b: 1\nc:\n\td: 2\n", "f.yaml:4"},
		{"\ufeff\ufeffa: 1\n", "f.yaml:1:1: the text begins with more than one byte order mark"},
		{"a:\n  b: 1\n\tc: 2\n", "f.yaml"},
		{"a:\n  - 1\n \t- 2\n", "f.yaml"},
		{"- 1\n- - 2\n  \t- 3\n", "f.yaml"},
		{"[1]: 2\n", "a key must be a scalar"},
		{"a: !thing 1\n", "not of the YAML core schema"},
		{"a: !!int x\n", "does not fit the tag"},
		{"!thing a: 1\n", "f.yaml:1:1: the tag !thing is not of the YAML core schema"},
		{"!!int a: 1\n", "does not fit the tag"},
		{"a: !" + strings.Repeat("x", 200) + " 1\n", "xxx… is not of the YAML core schema"},
		{"a: !!map []\n", "does not fit"},
		{"a: [1\n", "f.yaml"},
		{"a: \xff\n", "f.yaml:1:4: the text is not UTF-8"},
		{strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1), "nested deeper"},
		{bomb(), "once its aliases are resolved"},
	} {
		if got := text(t, c.in, "f.yaml"); !strings.HasPrefix(got, "refused: ") || !strings.Contains(got, c.want) {
			t.Errorf("%.60q: got %.200s, want a refusal with %q", c.in, got, c.want)
		}
	}
}

// bomb is a short text that unfolds to 10^9 values.
func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 9; i++ {
		prev, name := string(rune('0'+i-1)), string(rune('0'+i))
		b.WriteString("a" + name + ": &a" + name + " [" + strings.Repeat("*a"+prev+",", 9) + "*a" + prev + "]\n")
	}
	return b.String()
}

func TestJSON(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{` {"b" : [1, 1.0, 1e0, -0, 0.5, 1E+2] , "a": {"x": null, "y": true, "z": false}} `, `{"a":{"x":null,"y":true,"z":false},"b":[1,1,1,0,0.5,100]}`},
		{`"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é"`, `"a\"\\/\b\f\n\r\t` + "é😀é" + `"`},
		{`[]`, `[]`}, {`{}`, `{}`}, {`17`, `17`},
		{`[123456789012345678]`, `[123456789012345680]`},
		{"\ufeff{}", `{}`},
		{`[1e999]`, `not finite`}, {`[-1e999]`, `not finite`}, {`[1e-999]`, `[0]`},
	} {
		if got := text(t, c.in, "f.JSON"); got != c.want {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
	}
}

func TestJSONRefusals(t *testing.T) {
	long := make([]string, 40)
	for i := range long {
		long[i] = `"k` + strings.Repeat("x", i) + `":1`
	}
	for _, c := range []struct{ in, want string }{
		{"", "f.json:1:1: the file ends where a value"},
		{"\n {\"a\":1,\n  \"a\":2}", `f.json:3:3: duplicate member name "a"`},
		{"{" + strings.Join(long, ",") + `,"kx":2}`, `duplicate member name "kx"`},
		{`[1,]`, "expected a value, found ']'"},
		{`{"a":1,}`, "member name"},
		{`{a:1}`, "member name"},
		{`[01]`, "leading zeros"}, {`[+1]`, "expected a value"}, {`[.5]`, "expected a value"}, {`[5.]`, "a digit"},
		{`[1e]`, "a digit"}, {`[-]`, "a digit"}, {`[NaN]`, "expected a value"}, {`[Infinity]`, "expected a value"},
		{`[0x1]`, "a comma or ']'"},
		{"[\"a\tb\"]", "control character"},
		{`["\x41"]`, "escape"}, {`["\ud800"]`, "surrogate"}, {`["\udc00\ud800"]`, "surrogate"}, {`["\u12g4"]`, "escape"},
		{`["abc`, "within a string"}, {`["abc\`, "within a string"},
		{`[1] 2`, "end of the file"}, {`// c` + "\n1", "expected a value"},
		{`nulls`, "end of the file"}, {`tru`, "expected a value"}, {`[1 2]`, "a comma"}, {`{"a" 1}`, "a colon"},
		{"\ufeff\ufeff{}", "f.json:1:1: the text begins with more than one byte order mark"},
		{"\ufeff{]", "f.json:1:2: expected a member name"}, {"[\ufeff1]", "f.json:1:2: expected a value"},
		{"[\"\xff\"]", "not UTF-8"},
		{strings.Repeat("[", MaxDepth+1), "nested deeper"},
	} {
		if got := text(t, c.in, "f.json"); !strings.HasPrefix(got, "refused: ") || !strings.Contains(got, c.want) {
			t.Errorf("%.60q: got %.200s, want a refusal with %q", c.in, got, c.want)
		}
	}
}

func TestPlaces(t *testing.T) {
	for _, c := range []struct{ name, src string }{
		{"f.json", "{\n  \"a\": [1,\n    {\"b\": \"x\"}]}"},
		{"f.yaml", "a:\n  - 1\n  -  {b:  x}\n"},
	} {
		v, err := Parse([]byte(c.src), c.name)
		if err != nil {
			t.Fatal(err)
		}
		b := v.Get("a").At(1).Get("b")
		if b.Text() != "x" || b.Line() != 3 || b.Column() < 10 {
			t.Errorf("%s: b is %s at %d:%d", c.name, b.Describe(), b.Line(), b.Column())
		}
	}
}

func TestFromIsTheInverseOfCanonical(t *testing.T) {
	tree := canonical.Object{{Key: "b", Value: []any{nil, true, 1.5, "x"}}, {Key: "a", Value: canonical.Object{}}}
	v := From(tree)
	want, _ := canonical.Text(tree)
	got, _ := canonical.Text(v.Canonical())
	if string(got) != string(want) {
		t.Errorf("got %s, want %s", got, want)
	}
	if f := From(math.Copysign(0, -1)); math.Signbit(f.Number()) {
		t.Error("negative zero is kept")
	}
}

func TestIgnoredKeysAreFoldedAndCounted(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"requests": [`)
	const requests = 20_000
	for i := range requests {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"id": "x", "tenant": "t"}`)
	}
	b.WriteString(`]`)
	for i := range 50 {
		fmt.Fprintf(&b, `, "extra-%d": 1`, i)
	}
	b.WriteString(`}`)
	v, err := ParseJSON([]byte(b.String()), "x.json")
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader(v, "serving")
	for _, item := range r.Root().Get("requests").Items() {
		item.Known("id")
	}
	r.Root().Known("requests")
	w := r.Warnings()
	if len(w) != 21 {
		t.Fatalf("%d warnings", len(w))
	}
	if got, want := w[0].String(), "serving.requests[0].tenant: unknown key is ignored, as in 19999 further places"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := w[20].String(), "31 further unknown keys are ignored"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestIsJSON(t *testing.T) {
	v := From(canonical.Object{{Key: "a", Value: 1.0}, {Key: "b", Value: []any{nil, "x"}}})
	for text, want := range map[string]bool{`{"b":[null,"x"],"a":1e0}`: true, `{"a":1,"b":[null,"y"]}`: false, `{"a":1}`: false} {
		if got, err := v.IsJSON([]byte(text)); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	if _, err := v.IsJSON([]byte("{")); err == nil {
		t.Error("half a text is compared")
	}
}
