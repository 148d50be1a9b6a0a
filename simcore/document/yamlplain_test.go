package document

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inferlab/inferlab/simcore/canonical"
)

// TestPlainYAMLIsEnoughForWrittenFiles: what this product writes is read without the
// library as long as its texts are plain.
func TestPlainYAMLIsEnoughForWrittenFiles(t *testing.T) {
	text := "vendor sheet, 2026: \"" // needs escapes
	for _, c := range []struct {
		tree any
		want bool
	}{
		{canonical.Object{{Key: "id", Value: "node0:gpu0"}, {Key: "source", Value: "vendor sheet, 2026: page 4"}, {Key: "share", Value: 0.125},
			{Key: "empty", Value: []any{}}, {Key: "none", Value: canonical.Object{}}, {Key: "null", Value: nil}, {Key: "42", Value: true},
			{Key: "links", Value: []any{canonical.Object{{Key: "a", Value: []any{"x", []any{-1.5e-300, ".5"}}}, {Key: "b", Value: "yes"}}, "plain"}}}, true},
		{[]any{"a", []any{"b"}}, true},
		{[]any{"a", []any{[]any{"b"}}}, false}, // a list begins on the line of another
		{canonical.Object{{Key: "a", Value: text}}, false},
		{canonical.Object{{Key: "a", Value: "é"}}, false},
	} {
		data, err := WriteYAML(c.tree)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := plainYAML(data); ok != c.want {
			t.Errorf("read without the library: %v, want %v, of\n%s", ok, c.want, data)
		}
		checkPlain(t, data)
	}
}

// TestPlainYAMLEqualsTheLibrary puts lines together as they come: mostly such as are
// read without the library, so that some texts are, and a few odd ones.
func TestPlainYAMLEqualsTheLibrary(t *testing.T) {
	lines := struct{ indent, start, value, odd []string }{
		indent: []string{"", "", "", "  ", "  ", "    ", "   "},
		start:  []string{"", "", "", "- ", "- ", "-  ", "# "},
		value: []string{"", "", "x", "two words", "-1.5", "\"quoted: text\"", "[a, 1, [b]]", "{a: 1, \"b\": [c]}", "[]", "{ }", "x:y", "+1", ".5", "a  ",
			"{a: b:c}", "[-1, .5]", "a/b.c+d", "0x1F", ".inf", "true", "null"},
		odd: []string{"\"open", "[a", "{a: 1}}", "[a,]", "x # c", "x: y", "x,y", "*x", "|", "-", "- x", "+", "...", "---", "'s'", "{a:b}", "[a b]", "? x", "a : b", "\t", "a: 1"},
	}
	accepted := 0
	rapid.Check(t, func(r *rapid.T) {
		draw := func(list []string) string { return rapid.SampledFrom(list).Draw(r, "part") }
		var b strings.Builder
		for i := range rapid.IntRange(1, 7).Draw(r, "lines") {
			b.WriteString(draw(lines.indent) + draw(lines.start))
			switch rapid.IntRange(0, 9).Draw(r, "kind") {
			case 0:
				b.WriteString(draw(lines.odd))
			case 1, 2:
				b.WriteString(draw(lines.value))
			case 3, 4:
				b.WriteString("k" + strconv.Itoa(i) + ":")
			default:
				b.WriteString("k" + strconv.Itoa(i) + ": " + draw(lines.value))
			}
			b.WriteByte('\n')
		}
		if _, ok := plainYAML([]byte(b.String())); ok {
			accepted++
		}
		checkPlain(t, []byte(b.String()))
		if t.Failed() {
			r.FailNow()
		}
	})
	if accepted == 0 {
		t.Error("no text was read without the library")
	}
}
