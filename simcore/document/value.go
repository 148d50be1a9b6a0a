package document

import (
	"strconv"

	"github.com/inferlab/inferlab/simcore/canonical"
)

// Kind is the kind of a Value.
type Kind uint8

// The six kinds. The zero Value is null.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Object
)

// String names the kind as messages do: "null", "a boolean", "a number", …
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "a boolean"
	case Number:
		return "a number"
	case String:
		return "a string"
	case List:
		return "a list"
	}
	return "an object"
}

// Value is one node of a decoded document. Values are read-only.
type Value struct {
	kind         Kind
	truth        bool
	line, column int32
	number       float64
	text         string   // a string's content; any other scalar's source text
	keys         []string // an object's member names, parallel to items
	items        []Value  // a list's elements or an object's member values
}

// Kind returns the kind of v.
func (v *Value) Kind() Kind { return v.kind }

// Line and Column give the 1-based place where v begins in its file, or 0 when
// the value did not come from a file. Columns count bytes.
func (v *Value) Line() int { return int(v.line) }

// Column is described at Line.
func (v *Value) Column() int { return int(v.column) }

// Bool returns the truth of a boolean, and false for every other kind.
func (v *Value) Bool() bool { return v.truth }

// Number returns the double of a number; it is not finite when the literal
// overflowed or YAML wrote .inf or .nan. Other kinds give 0.
func (v *Value) Number() float64 { return v.number }

// Text returns the content of a string, and the source text of any other scalar.
func (v *Value) Text() string { return v.text }

// Len is the number of elements of a list or members of an object.
func (v *Value) Len() int { return len(v.items) }

// At returns element i of a list, or the value of member i of an object.
func (v *Value) At(i int) *Value { return &v.items[i] }

// Key returns the name of member i of an object, in the order of the file.
func (v *Value) Key(i int) string { return v.keys[i] }

// Get returns the value of the named member of an object, or nil.
func (v *Value) Get(key string) *Value {
	if v.kind != Object {
		return nil
	}
	for i, k := range v.keys {
		if k == key {
			return &v.items[i]
		}
	}
	return nil
}

// Describe says what v is, briefly, for an error message: `the string "x"`,
// `the number 1.5`, `a list`.
func (v *Value) Describe() string {
	switch v.kind {
	case Bool:
		return strconv.FormatBool(v.truth)
	case Number:
		if v.text != "" {
			return "the number " + shorten(v.text)
		}
		return "the number " + string(canonical.AppendNumber(nil, v.number))
	case String:
		if v.text == "" {
			return "an empty string"
		}
		return "the string " + strconv.Quote(shorten(v.text))
	}
	return v.kind.String()
}

// shorten keeps messages on a screen when an input text is very long.
func shorten(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && s[cut]&0xC0 == 0x80 { // not within a character
		cut--
	}
	return s[:cut] + "…"
}

// Canonical returns v as the tree that package canonical writes: nil, bool,
// float64, string, []any and canonical.Object with members in the order of the
// file.
func (v *Value) Canonical() any {
	switch v.kind {
	case Null:
		return nil
	case Bool:
		return v.truth
	case Number:
		return v.number
	case String:
		return v.text
	case List:
		items := make([]any, len(v.items))
		for i := range v.items {
			items[i] = v.items[i].Canonical()
		}
		return items
	}
	members := make(canonical.Object, len(v.items))
	for i := range v.items {
		members[i] = canonical.Member{Key: v.keys[i], Value: v.items[i].Canonical()}
	}
	return members
}

// From makes a Value of the tree that package canonical writes, so that a value
// built in a program passes the same strict readers as a file. Unknown Go types
// become null.
func From(tree any) Value {
	switch x := tree.(type) {
	case bool:
		return Value{kind: Bool, truth: x, text: strconv.FormatBool(x)}
	case int:
		return numberValue(float64(x))
	case int64:
		return numberValue(float64(x))
	case float64:
		return numberValue(x)
	case string:
		return Value{kind: String, text: x}
	case []string:
		v := Value{kind: List, items: make([]Value, len(x))}
		for i, s := range x {
			v.items[i] = Value{kind: String, text: s}
		}
		return v
	case []any:
		v := Value{kind: List, items: make([]Value, len(x))}
		for i, item := range x {
			v.items[i] = From(item)
		}
		return v
	case canonical.Object:
		v := Value{kind: Object, items: make([]Value, len(x)), keys: make([]string, len(x))}
		for i, m := range x {
			v.keys[i], v.items[i] = m.Key, From(m.Value)
		}
		return v
	}
	return Value{text: "null"}
}

func numberValue(f float64) Value { return Value{kind: Number, number: f + 0} }
