package document

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// oldBreaks are the characters that end a line in YAML 1.1, and so in the library's
// scanner, but are like any other in YAML 1.2 (section 5.4): next line, line separator
// and paragraph separator. Taken as breaks, they would let a comment hold a key.
var oldBreaks = [...]string{"\u0085", "\u2028", "\u2029"}

// hidden gives back the characters that a text was read without. Nil restores nothing.
type hidden struct{ replacer *strings.Replacer }

// hideOldBreaks puts a character of the private use area, one that the text holds
// neither as it is nor as an escape, in the place of each of the old breaks, so that the scanner takes them as the
// text that they are. Columns stay as they are.
func hideOldBreaks(data []byte, name string) ([]byte, *hidden, error) {
	var back []string
	free, lower := rune(0xE000), []byte(nil)
	for _, old := range oldBreaks {
		if !bytes.Contains(data, []byte(old)) {
			continue
		}
		if lower == nil {
			lower = bytes.ToLower(data)
		}
		for bytes.ContainsRune(data, free) || bytes.Contains(lower, strconv.AppendInt(nil, int64(free), 16)) {
			if free++; free > 0xF8FF {
				return nil, nil, refuse(name, 0, 0, "the text holds %q and every character of the private use area", old)
			}
		}
		data = bytes.ReplaceAll(data, []byte(old), utf8.AppendRune(nil, free))
		back = append(back, string(free), old)
	}
	if back == nil {
		return data, nil, nil
	}
	return data, &hidden{strings.NewReplacer(back...)}, nil
}

// restore puts the characters back into the texts of all nodes.
func (h *hidden) restore(n *yaml.Node) {
	if h == nil {
		return
	}
	n.Value, n.Tag, n.Anchor = h.replacer.Replace(n.Value), h.replacer.Replace(n.Tag), h.replacer.Replace(n.Anchor)
	for _, child := range n.Content {
		h.restore(child)
	}
}
