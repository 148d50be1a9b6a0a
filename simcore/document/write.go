package document

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/simcore/canonical"
)

// flowWidth is the longest line on which a list or object of scalars is written in
// one piece.
const flowWidth = 100

// WriteYAML writes a tree of the kinds that package canonical writes as one YAML
// document with a final newline. Members stand in the order given, and reading
// the text again gives the same values. Equal trees give equal bytes.
func WriteYAML(tree any) ([]byte, error) {
	w := yamlWriter{}
	if flow, ok := w.flow(tree, 0); ok {
		return []byte(flow + "\n"), w.err
	}
	w.block(tree, 0, false)
	return []byte(w.out.String()), w.err
}

type yamlWriter struct {
	out strings.Builder
	err error
}

// block writes a list or object over several lines at an indent; inline says that
// its first line continues the line of a list dash.
func (w *yamlWriter) block(tree any, indent int, inline bool) {
	switch x := tree.(type) {
	case canonical.Object:
		for i, m := range x {
			w.margin(indent, inline && i == 0)
			w.key(m.Key, indent)
			w.member(m.Value, indent)
		}
	case []any:
		for i, item := range x {
			w.margin(indent, inline && i == 0)
			w.out.WriteString("- ")
			w.element(item, indent)
		}
	case []string:
		for i, item := range x {
			w.margin(indent, inline && i == 0)
			w.out.WriteString("- ")
			w.element(item, indent)
		}
	}
}

func (w *yamlWriter) margin(indent int, inline bool) {
	if !inline {
		w.out.WriteString(strings.Repeat(" ", indent))
	}
}

// longestKey is the length up to which a key may stand before its colon on one
// line (YAML bounds it at 1024 characters).
const longestKey = 1000

// key writes "key:", or a long one on a line of its own.
func (w *yamlWriter) key(key string, indent int) {
	text := yamlText(key)
	if len(text) <= longestKey {
		w.out.WriteString(text + ":")
		return
	}
	w.out.WriteString("? " + text + "\n" + strings.Repeat(" ", indent) + ":")
}

// member writes what follows "key:".
func (w *yamlWriter) member(value any, indent int) {
	if flow, ok := w.flow(value, indent); ok {
		w.out.WriteString(" " + flow + "\n")
		return
	}
	w.out.WriteByte('\n')
	w.block(value, indent+2, false)
}

// element writes what follows "- ".
func (w *yamlWriter) element(value any, indent int) {
	if flow, ok := w.flow(value, indent); ok {
		w.out.WriteString(flow + "\n")
		return
	}
	w.block(value, indent+2, true)
}

// flow spells a scalar, an empty collection, or a collection of scalars that fits
// on a line.
func (w *yamlWriter) flow(tree any, indent int) (string, bool) {
	var parts []string
	open, closing := "[", "]"
	switch x := tree.(type) {
	case canonical.Object:
		open, closing = "{", "}"
		for _, m := range x {
			s, ok := w.scalar(m.Value)
			if !ok {
				return "", false
			}
			parts = append(parts, yamlText(m.Key)+": "+s)
		}
	case []any:
		for _, item := range x {
			s, ok := w.scalar(item)
			if !ok {
				return "", false
			}
			parts = append(parts, s)
		}
	case []string:
		for _, item := range x {
			parts = append(parts, yamlText(item))
		}
	default:
		return w.scalar(tree)
	}
	text := open + strings.Join(parts, ", ") + closing
	// A line this short holds no key that is too long for it.
	return text, len(parts) == 0 || indent+len(text) <= flowWidth
}

// scalar spells null, a boolean, a number or a text; false for collections.
func (w *yamlWriter) scalar(value any) (string, bool) {
	switch x := value.(type) {
	case nil:
		return "null", true
	case bool:
		return strconv.FormatBool(x), true
	case int:
		return strconv.Itoa(x), true
	case int64:
		return strconv.FormatInt(x, 10), true
	case float64:
		return yamlNumber(x), true
	case string:
		return yamlText(x), true
	case canonical.Object, []any, []string:
		return "", false
	}
	w.err = fmt.Errorf("YAML has no form for %T", value)
	return "", true
}

func yamlNumber(f float64) string {
	switch {
	case math.IsNaN(f):
		return ".nan"
	case math.IsInf(f, 1):
		return ".inf"
	case math.IsInf(f, -1):
		return "-.inf"
	}
	return string(canonical.AppendNumber(nil, f))
}

// yamlText spells a string: plain when every YAML reader takes it for the same
// string, else in double quotes.
func yamlText(s string) string {
	if isPlain(s) {
		return s
	}
	quoted := canonical.AppendString(nil, s)
	var b strings.Builder
	for _, r := range string(quoted) {
		if printable(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// isPlain allows identifiers with inner dots, dashes, slashes and colons, except
// the words that some schema reads as something else.
func isPlain(s string) bool {
	if s == "" || !isLetter(s[0]) {
		return false
	}
	for _, c := range []byte(s) {
		if !isLetter(c) && !isDigit(c) && strings.IndexByte("._-/:", c) < 0 {
			return false
		}
	}
	if last := s[len(s)-1]; !isLetter(last) && !isDigit(last) {
		return false
	}
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return false
	}
	return true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

// printable are the characters that a YAML stream may hold and that no version of
// YAML takes for a line break.
func printable(r rune) bool {
	switch {
	case r == '\ufeff' || r == '\u2028' || r == '\u2029':
		return false
	case r >= 0x20 && r <= 0x7E, r >= 0xA0 && r <= 0xD7FF, r >= 0xE000 && r <= 0xFFFD, r >= 0x10000:
		return true
	}
	return false
}
