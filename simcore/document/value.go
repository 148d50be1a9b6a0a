package document

import (
	"bytes"
	"errors"
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

// Value is one node of a decoded document. Values are read-only. The form is kept
// small, because traces of many millions of values are read as documents.
type Value struct {
	text   string    // a string's content; any other scalar's source text
	inside *children // of a list or object that is not empty
	number float64
	line   int32
	place  uint32 // column in the upper 24 bits, kind in the lower 8
}

// children are what a list or object holds. Objects of equal shape share their
// member names.
type children struct {
	items []Value  // a list's elements or an object's member values
	names []string // an object's member names, parallel to items
}

// at places v in its file; columns beyond the 24 bits are given as their limit.
func (v *Value) at(line, column int) {
	const most = 1<<24 - 1
	v.line = int32(line)
	v.place = uint32(min(column, most))<<8 | v.place&0xFF
}

func (v *Value) is(k Kind) { v.place = v.place&^0xFF | uint32(k) }

func (v *Value) items() []Value {
	if v.inside == nil {
		return nil
	}
	return v.inside.items
}

func (v *Value) names() []string {
	if v.inside == nil {
		return nil
	}
	return v.inside.names
}

// Kind returns the kind of v.
func (v *Value) Kind() Kind { return Kind(v.place & 0xFF) }

// Line and Column give the 1-based place where v begins in its file, or 0 when
// the value did not come from a file. Columns count bytes.
func (v *Value) Line() int { return int(v.line) }

// Column is described at Line.
func (v *Value) Column() int { return int(v.place >> 8) }

// Bool returns the truth of a boolean, and false for every other kind.
func (v *Value) Bool() bool { return v.Kind() == Bool && v.text[0]|0x20 == 't' }

// Number returns the double of a number; it is not finite when the literal
// overflowed or YAML wrote .inf or .nan. Other kinds give 0.
func (v *Value) Number() float64 { return v.number }

// Text returns the content of a string, and the source text of any other scalar.
func (v *Value) Text() string { return v.text }

// Len is the number of elements of a list or members of an object.
func (v *Value) Len() int { return len(v.items()) }

// At returns element i of a list, or the value of member i of an object.
func (v *Value) At(i int) *Value { return &v.inside.items[i] }

// Key returns the name of member i of an object, in the order of the file.
func (v *Value) Key(i int) string { return v.inside.names[i] }

// Get returns the value of the named member of an object, or nil.
func (v *Value) Get(key string) *Value {
	for i, name := range v.names() {
		if name == key {
			return &v.inside.items[i]
		}
	}
	return nil
}

// Describe says what v is, briefly, for an error message: `the string "x"`,
// `the number 1.5`, `a list`.
func (v *Value) Describe() string {
	switch v.Kind() {
	case Bool:
		return strconv.FormatBool(v.Bool())
	case Number:
		if v.text != "" {
			return "the number " + shorten(v.text)
		}
		return "the number " + canonical.Number(v.number)
	case String:
		if v.text == "" {
			return "an empty string"
		}
		return "the string " + strconv.Quote(shorten(v.text))
	}
	return v.Kind().String()
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
	switch v.Kind() {
	case Null:
		return nil
	case Bool:
		return v.Bool()
	case Number:
		return v.number
	case String:
		return v.text
	case List:
		items := make([]any, v.Len())
		for i := range items {
			items[i] = v.At(i).Canonical()
		}
		return items
	}
	members := make(canonical.Object, v.Len())
	for i := range members {
		members[i] = canonical.Member{Key: v.Key(i), Value: v.At(i).Canonical()}
	}
	return members
}

// IsJSON reports whether a JSON text says the same as v: members in whatever order, and
// numbers as doubles.
func (v *Value) IsJSON(text []byte) (bool, error) {
	other, err := ParseJSON(text, "")
	if err != nil {
		return false, err
	}
	a, errA := canonical.Text(v.Canonical())
	b, errB := canonical.Text(other.Canonical())
	return bytes.Equal(a, b), errors.Join(errA, errB)
}

// From makes a Value of the tree that package canonical writes, so that a value
// built in a program passes the same strict readers as a file. Unknown Go types
// become null.
func From(tree any) Value {
	var m maker
	return m.value(tree)
}

// maker makes values of trees.
type maker struct {
	room room
	keys []string // of the open objects
}

func (m *maker) value(tree any) Value {
	switch x := tree.(type) {
	case bool:
		return scalarValue(Bool, strconv.FormatBool(x))
	case int:
		return numberValue(float64(x))
	case int64:
		return numberValue(float64(x))
	case float64:
		return numberValue(x)
	case string:
		return scalarValue(String, x)
	case []string:
		items := m.room.values(len(x))
		for i, s := range x {
			items[i] = scalarValue(String, s)
		}
		return m.collection(List, items, nil)
	case []any:
		items := m.room.values(len(x))
		for i, item := range x {
			items[i] = m.value(item)
		}
		return m.collection(List, items, nil)
	case canonical.Object:
		items, base := m.room.values(len(x)), len(m.keys)
		for i, member := range x {
			m.keys = append(m.keys, member.Key)
			items[i] = m.value(member.Value)
		}
		names := m.room.shape(m.keys[base:])
		m.keys = m.keys[:base]
		return m.collection(Object, items, names)
	}
	return scalarValue(Null, "null")
}

func (m *maker) collection(k Kind, items []Value, names []string) Value {
	v := Value{place: uint32(k)}
	v.inside = m.room.children(items, names)
	return v
}

func scalarValue(k Kind, text string) Value { return Value{place: uint32(k), text: text} }

func numberValue(f float64) Value {
	if f == 0 {
		f = 0 // negative zero counts as zero
	}
	return Value{place: uint32(Number), number: f}
}
