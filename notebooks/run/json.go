package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// A notebook is read into values that keep what encoding/json would lose: the
// order of keys and the text of numbers. The dynamic types are nil, bool,
// string, json.Number, []any and *object.

// maxDepth bounds the nesting of a document. Real notebooks stay below 20.
const maxDepth = 512

// object is a JSON object in document order.
type object struct {
	members []member
}

type member struct {
	key   string
	value any
}

// get returns the value of key, or nil when there is none.
func (o *object) get(key string) any {
	if o == nil {
		return nil
	}
	for _, m := range o.members {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// set replaces the value of key where it stands. A new key is inserted before
// the first key that sorts after it: Jupyter saves keys sorted, and inserting
// in order keeps documents that it saved in its order.
func (o *object) set(key string, value any) {
	for i := range o.members {
		if o.members[i].key == key {
			o.members[i].value = value
			return
		}
	}
	at := slices.IndexFunc(o.members, func(m member) bool { return m.key > key })
	if at < 0 {
		at = len(o.members)
	}
	o.members = slices.Insert(o.members, at, member{key, value})
}

// remove deletes key when present.
func (o *object) remove(key string) {
	o.members = slices.DeleteFunc(o.members, func(m member) bool { return m.key == key })
}

// sorted returns a copy of o with its keys in ascending order.
func (o *object) sorted() *object {
	if o == nil {
		return &object{}
	}
	members := slices.Clone(o.members)
	slices.SortStableFunc(members, func(a, b member) int { return strings.Compare(a.key, b.key) })
	return &object{members}
}

// clone copies a value that parseJSON or this package made.
func clone(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = clone(item)
		}
		return out
	case *object:
		out := &object{make([]member, len(v.members))}
		for i, m := range v.members {
			out.members[i] = member{m.key, clone(m.value)}
		}
		return out
	}
	return v
}

// place is where a value stands in the document. It becomes text only when
// something is wrong there.
type place struct {
	parent *place
	key    string
	index  int // of an element of a list, when key is ""
	depth  int
}

func (p *place) member(key string) *place { return &place{p, key, 0, p.depth + 1} }
func (p *place) element(i int) *place     { return &place{p, "", i, p.depth + 1} }

// String gives the place in the form cells[3].source, and "" for the document.
func (p *place) String() string {
	if p.parent == nil {
		return ""
	}
	before := p.parent.String()
	switch {
	case p.key == "":
		return fmt.Sprintf("%s[%d]", before, p.index)
	case before == "":
		return p.key
	}
	return before + "." + p.key
}

// jsonReader reads one document.
type jsonReader struct{ dec *json.Decoder }

// parseJSON reads exactly one JSON value. Errors carry place and byte offset.
func parseJSON(data []byte) (any, error) {
	if !utf8.Valid(data) {
		return nil, &FormatError{Reason: "the text is not valid UTF-8"}
	}
	r := jsonReader{json.NewDecoder(bytes.NewReader(data))}
	r.dec.UseNumber()
	root := &place{}
	v, err := r.value(root)
	if err != nil {
		return nil, err
	}
	if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, r.refuse(root, "there is more text after the end of the document")
	}
	return v, nil
}

func (r jsonReader) value(at *place) (any, error) {
	if at.depth > maxDepth {
		return nil, r.refuse(at, fmt.Sprintf("nested more than %d levels deep", maxDepth))
	}
	tok, err := r.dec.Token()
	if err != nil {
		return nil, r.syntax(at, err)
	}
	delim, ok := tok.(json.Delim)
	if !ok {
		return tok, nil
	}
	var v any
	if delim == '{' {
		v, err = r.object(at)
	} else {
		v, err = r.array(at)
	}
	if err != nil {
		return nil, err
	}
	if _, err := r.dec.Token(); err != nil {
		return nil, r.syntax(at, err)
	}
	return v, nil
}

// object reads members up to the closing brace.
func (r jsonReader) object(at *place) (*object, error) {
	o := &object{}
	seen := map[string]bool{}
	for r.dec.More() {
		tok, err := r.dec.Token()
		if err != nil {
			return nil, r.syntax(at, err)
		}
		key, ok := tok.(string)
		if !ok {
			return nil, r.refuse(at, "a key must be a string")
		}
		here := at.member(key)
		if seen[key] {
			return nil, r.refuse(here, "the key appears twice")
		}
		seen[key] = true
		v, err := r.value(here)
		if err != nil {
			return nil, err
		}
		o.members = append(o.members, member{key, v})
	}
	return o, nil
}

// array reads elements up to the closing bracket.
func (r jsonReader) array(at *place) ([]any, error) {
	a := []any{}
	for r.dec.More() {
		v, err := r.value(at.element(len(a)))
		if err != nil {
			return nil, err
		}
		a = append(a, v)
	}
	return a, nil
}

func (r jsonReader) refuse(at *place, reason string) error {
	return &FormatError{Path: at.String(), Offset: r.dec.InputOffset(), Reason: reason}
}

func (r jsonReader) syntax(at *place, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return r.refuse(at, "the text ends in the middle of the document")
	}
	return r.refuse(at, err.Error())
}

// appendJSON writes v as Jupyter does: one space of indent a level, ": "
// between key and value, no escaping beyond what JSON asks for.
func appendJSON(dst []byte, v any, level int) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		if v {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case string:
		return appendString(dst, v)
	case json.Number:
		return append(dst, v...)
	case []any:
		if len(v) == 0 {
			return append(dst, "[]"...)
		}
		dst = append(dst, '[')
		for i, item := range v {
			dst = appendBreak(dst, i, level+1)
			dst = appendJSON(dst, item, level+1)
		}
		return append(appendIndent(dst, level), ']')
	case *object:
		if len(v.members) == 0 {
			return append(dst, "{}"...)
		}
		dst = append(dst, '{')
		for i, m := range v.members {
			dst = appendBreak(dst, i, level+1)
			dst = appendString(dst, m.key)
			dst = append(dst, ": "...)
			dst = appendJSON(dst, m.value, level+1)
		}
		return append(appendIndent(dst, level), '}')
	}
	// parseJSON and the outputs of this package make no other type.
	panic(fmt.Sprintf("run: no JSON form for %T", v))
}

func appendBreak(dst []byte, i, level int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return appendIndent(dst, level)
}

func appendIndent(dst []byte, level int) []byte {
	dst = append(dst, '\n')
	for range level {
		dst = append(dst, ' ')
	}
	return dst
}

// appendString escapes what JSON requires and nothing else; in particular not
// <, >, & and the line separators that encoding/json escapes by default.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		default:
			if c < 0x20 {
				dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			} else {
				dst = append(dst, c)
			}
		}
	}
	return append(dst, '"')
}

// lines makes the form in which notebooks keep long text: a list with one
// string a line, each with its line ending.
func lines(s string) []any {
	out := []any{}
	for len(s) > 0 {
		n := lineLength(s)
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// lineLength returns the length of the first line of s with its ending. The
// endings are those at which Jupyter's own writer splits (Unicode line
// boundaries, not only \n), so that both write the same lists.
func lineLength(s string) int {
	for i, r := range s {
		switch r {
		case '\r':
			if strings.HasPrefix(s[i+1:], "\n") {
				return i + 2
			}
			return i + 1
		case '\n', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
			return i + utf8.RuneLen(r)
		}
	}
	return len(s)
}

// text reads a multi-line string, which is a string or a list of strings.
func text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []any:
		var b strings.Builder
		for _, item := range v {
			s, ok := item.(string)
			if !ok {
				return "", false
			}
			b.WriteString(s)
		}
		return b.String(), true
	}
	return "", false
}
