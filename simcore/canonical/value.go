// Package canonical writes the one text of a JSON value that fingerprints are
// taken over, and computes those fingerprints.
//
// In goes a value tree (nil, bool, float64, int64, int, string, []any, Object);
// out comes the canonical text of contract 03 section 4: no white space, members
// in canonical key order, numbers in their shortest form, the fewest escapes.
// Artifacts use the same order and spellings in a pretty form.
//
// Fingerprints show integrity and parity only; they are not signatures.
package canonical

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/inferlab/inferlab/simcore/quantity"
)

// MaxDepth is the deepest level a value may be nested to; the root is level 0.
const MaxDepth = 128

// ErrDepth reports a value nested deeper than MaxDepth.
var ErrDepth = errors.New("value is nested deeper than 128 levels")

// ErrNotFinite reports a number that JSON cannot hold.
var ErrNotFinite = errors.New("number is not finite")

// Member is one key and value of an Object.
type Member struct {
	Key   string
	Value any
}

// Object is a JSON object whose members stand in any order; writing sorts them.
// Absent members are simply not there. Keys must be unique.
type Object []Member

// Append appends the compact canonical text of v to dst.
func Append(dst []byte, v any) ([]byte, error) {
	w := writer{buf: dst}
	err := w.value(v, 0)
	return w.buf, err
}

// Text returns the compact canonical text of v.
func Text(v any) ([]byte, error) { return Append(nil, v) }

// Pretty returns the pretty canonical text of v, without a final newline: the
// same order and spellings, every list element and member on a line of its own,
// two spaces a level.
func Pretty(v any) ([]byte, error) {
	w := writer{pretty: true}
	err := w.value(v, 0)
	return w.buf, err
}

type writer struct {
	buf    []byte
	pretty bool
}

func (w *writer) value(v any, depth int) error {
	if depth > MaxDepth {
		return ErrDepth
	}
	switch x := v.(type) {
	case nil:
		w.buf = append(w.buf, "null"...)
	case bool:
		w.buf = strconv.AppendBool(w.buf, x)
	case string:
		w.buf = AppendString(w.buf, x)
	case int:
		w.buf = strconv.AppendInt(w.buf, int64(x), 10)
	case int64:
		w.buf = strconv.AppendInt(w.buf, x, 10)
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return ErrNotFinite
		}
		w.buf = AppendNumber(w.buf, x)
	case []any:
		return w.list(x, depth)
	case []string:
		items := make([]any, len(x))
		for i, s := range x {
			items[i] = s
		}
		return w.list(items, depth)
	case Object:
		return w.object(x, depth)
	default:
		return fmt.Errorf("canonical text has no form for %T", v)
	}
	return nil
}

func (w *writer) list(items []any, depth int) error {
	w.buf = append(w.buf, '[')
	for i, item := range items {
		w.separate(i, depth)
		if err := w.value(item, depth+1); err != nil {
			return err
		}
	}
	w.end(len(items), depth)
	w.buf = append(w.buf, ']')
	return nil
}

func (w *writer) object(o Object, depth int) error {
	if !slices.IsSortedFunc(o, compareMembers) {
		o = slices.Clone(o)
		slices.SortFunc(o, compareMembers)
	}
	w.buf = append(w.buf, '{')
	for i, m := range o {
		w.separate(i, depth)
		w.buf = AppendString(w.buf, m.Key)
		w.buf = append(w.buf, ':')
		if w.pretty {
			w.buf = append(w.buf, ' ')
		}
		if err := w.value(m.Value, depth+1); err != nil {
			return err
		}
	}
	w.end(len(o), depth)
	w.buf = append(w.buf, '}')
	return nil
}

func (w *writer) separate(i, depth int) {
	if i > 0 {
		w.buf = append(w.buf, ',')
	}
	if w.pretty {
		w.newline(depth + 1)
	}
}

func (w *writer) end(count, depth int) {
	if w.pretty && count > 0 {
		w.newline(depth)
	}
}

func (w *writer) newline(depth int) {
	w.buf = append(w.buf, '\n')
	for range depth {
		w.buf = append(w.buf, ' ', ' ')
	}
}

func compareMembers(a, b Member) int { return CompareKeys(a.Key, b.Key) }

// CompareKeys is the order of object members: canonical array indices (at most
// 4294967294) first, ascending by number, then all other keys by CompareIDs.
func CompareKeys(a, b string) int {
	ia, aok := arrayIndex(a)
	ib, bok := arrayIndex(b)
	switch {
	case aok && bok:
		switch {
		case ia < ib:
			return -1
		case ia > ib:
			return 1
		}
		return 0
	case aok:
		return -1
	case bok:
		return 1
	}
	return quantity.CompareIDs(a, b)
}

func arrayIndex(s string) (uint64, bool) {
	const largest = 4294967294
	if s == "" || len(s) > 10 || (s[0] == '0' && len(s) > 1) {
		return 0, false
	}
	var v uint64
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + uint64(c-'0')
	}
	return v, v <= largest
}
