package document

import (
	"slices"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/simcore/issue"
)

func parsed(t *testing.T, src string) Value {
	t.Helper()
	v, err := ParseYAML([]byte(src), "f.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestReaderValues(t *testing.T) {
	r := NewReader(parsed(t, "a: 5\nb: -7\nc: 0\nd: 1.5\ne: text\nf: ''\ng: true\nh: [x, y]\ni: {k: 1, j: 2}\nj: slow\n"), "cfg")
	n := r.Root()
	if n.Get("a").Positive() != 5 || n.Get("b").Integer() != -7 || n.Get("c").Count() != 0 || n.Get("d").Number() != 1.5 || n.Get("e").NonEmpty() != "text" ||
		n.Get("f").Text() != "" || !n.Get("g").Bool() || !slices.Equal(n.Get("h").Texts(), []string{"x", "y"}) || n.Get("h").Len() != 2 || n.Get("j").OneOf("fast", "slow") != "slow" {
		t.Error("a value reads as another")
	}
	z := n.Get("z")
	if z.Present() || z.PositiveOr(3) != 3 || z.IntegerOr(-4) != -4 || z.CountOr(0) != 0 || z.NumberOr(2.5) != 2.5 || z.TextOr("t") != "t" || !z.BoolOr(true) || z.OneOfOr("u", "v") != "u" {
		t.Error("an absent value has no default")
	}
	if n.Get("a").PositiveOr(3) != 5 || n.Get("d").NumberOr(3) != 1.5 || n.Get("e").TextOr("t") != "text" || !n.Get("g").BoolOr(false) || n.Get("b").IntegerOr(1) != -7 || n.Get("c").CountOr(2) != 0 || n.Get("j").OneOfOr("u", "slow") != "slow" {
		t.Error("a present value gives way to its default")
	}
	var keys []string
	for key, item := range n.Get("i").Members() {
		keys = append(keys, key+item.Path())
	}
	if got := strings.Join(keys, " "); got != "kcfg.i.k jcfg.i.j" {
		t.Errorf("members are %s", got)
	}
	if r.Err() != nil || !n.OK() {
		t.Error(r.Err())
	}
}

func TestReaderRefusals(t *testing.T) {
	const src = "serving:\n  requests:\n    - {id: a}\n    - {id: 5, arrival_ns: -1, big: 9007199254740992, half: 0.5, nan: .nan, none: null, mode: fats}\n"
	at := func(n Node) Node {
		for i, item := range n.Get("serving").Get("requests").Items() {
			if i == 1 {
				return item
			}
		}
		return n
	}
	for _, c := range []struct {
		read func(Node)
		want string
	}{
		{func(n Node) { at(n).Get("id").Text() }, "serving.requests[1].id: expected a string, found the number 5 (line 4, column 12)"},
		{func(n Node) { at(n).Get("arrival_ns").Count() }, "serving.requests[1].arrival_ns: expected a non-negative integer, found the number -1 (line 4, column 27)"},
		{func(n Node) { at(n).Get("big").Positive() }, "serving.requests[1].big: expected a positive integer (magnitude at most 9007199254740991), found the number 9007199254740992 (line 4, column 36)"},
		{func(n Node) { at(n).Get("half").Integer() }, "serving.requests[1].half: expected an integer (magnitude at most 9007199254740991), found the number 0.5 (line 4, column 60)"},
		{func(n Node) { at(n).Get("nan").Number() }, "serving.requests[1].nan: expected a finite number, found the number .nan (line 4, column 70)"},
		{func(n Node) { at(n).Get("none").TextOr("x") }, "serving.requests[1].none: expected a string, found null (line 4, column 82)"},
		{func(n Node) { at(n).Get("mode").OneOf("slow", "fast") }, `serving.requests[1].mode: expected one of slow, fast, found the string "fats" (line 4, column 94); did you mean fast?`},
		{func(n Node) { at(n).Get("prompt").Positive() }, "serving.requests[1].prompt: is missing; expected a positive integer"},
		{func(n Node) { n.Get("serving").Get("requests").Get("x") }, "serving.requests: expected an object, found a list (line 3, column 5)"},
		{func(n Node) { n.Get("serving").Len() }, "serving: expected a list, found an object (line 2, column 3)"},
		{func(n Node) { n.Get("none").Get("deep").Text() }, "none: is missing; expected an object"},
		{func(n Node) { at(n).Closed([]string{"id", "size"}, "arrival_ns", "big", "half", "nan", "none") }, "serving.requests[1]: unknown field mode; missing field size (line 4, column 7)"},
		{func(n Node) { at(n).Closed([]string{"id", "arrival_ns", "big", "half", "nan", "none", "mode", "size"}) }, "serving.requests[1].size: is missing (line 4, column 7)"},
	} {
		r := NewReader(parsed(t, src), "")
		c.read(r.Root())
		r.Root().Get("serving").Text() // a later refusal changes nothing
		if err := r.Err(); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

func TestReaderKeepsWhatOthersRefuse(t *testing.T) {
	r := NewReader(parsed(t, "{}"), "cfg")
	r.Root().Refuse(issue.New("theirs", "a.b", "no"))
	r.Root().Fail("mine", "later")
	if got := issue.All(r.Err()); len(got) != 1 || got[0].Code != "theirs" {
		t.Errorf("got %v", r.Err())
	}
}

func TestUnknownKeys(t *testing.T) {
	const src = "max_batch_sise: 4\nmax_events: 1\nzzz: {}\n"
	r := NewReader(parsed(t, src), "serving")
	if !r.Root().Known("max_batch_size", "max_events", "requests") || r.Err() != nil {
		t.Fatal(r.Err())
	}
	var got []string
	for _, w := range r.Warnings() {
		got = append(got, w.String())
	}
	if want := []string{"serving.max_batch_sise: unknown key is ignored; did you mean max_batch_size?", "serving.zzz: unknown key is ignored"}; !slices.Equal(got, want) {
		t.Errorf("warnings are %q", got)
	}
	strict := NewReader(parsed(t, src), "serving")
	strict.Strict = true
	if strict.Root().Known("max_batch_size", "max_events") {
		t.Error("a strict pass lets an unknown key pass")
	}
	if err := strict.Err(); err.Error() != "serving.max_batch_sise: unknown key (line 1, column 17); did you mean max_batch_size?" {
		t.Errorf("got %v", err)
	}
}

// TestKeysStandInMessagesAsOneWord: no key of a file breaks a line, a list or a terminal.
func TestKeysStandInMessagesAsOneWord(t *testing.T) {
	src := `{"": 1, "a\nb": 2, "c d": 3, "\e[31m": 4, "é.x": 5}`
	r := NewReader(parsed(t, src), "")
	r.Root().Closed(nil)
	if want := `unknown fields "", "\x1b[31m", "a\nb", "c d", é.x (line 1, column 1)`; r.Err() == nil || r.Err().Error() != want {
		t.Errorf("got  %v\nwant %s", r.Err(), want)
	}
	r = NewReader(parsed(t, src), "")
	r.Root().Known("x")
	var paths []string
	for _, w := range r.Warnings() {
		paths = append(paths, w.Path)
	}
	if want := []string{`""`, `"a\nb"`, `"c d"`, `"\x1b[31m"`, "é.x"}; !slices.Equal(paths, want) {
		t.Errorf("paths are %q, want %q", paths, want)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"multi-gpu", "multi-node", "cpu-only", "gpu-npu", "unified-memory"}
	for name, want := range map[string]string{
		"multi-gup": "multi-gpu", "MULTI-GPU": "multi-gpu", "multigpu": "multi-gpu", "cpuonly": "cpu-only", "unified": "", "xyz": "", "": "", "multi-npu": "multi-gpu multi-node",
	} {
		if got := strings.Join(Nearest(name, names, 3), " "); got != want {
			t.Errorf("%q is near %q, want %q", name, got, want)
		}
	}
	if got := Nearest("multi-npu", names, 1); !slices.Equal(got, []string{"multi-gpu"}) {
		t.Errorf("one name is %v", got)
	}
}
