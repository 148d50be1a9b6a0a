// Package jsondoc writes the JSON documents of the product: one document, two
// spaces of indent, a final newline, the same bytes for the same calls.
//
// A Writer is a flat append-only encoder: callers name each member and value in
// order and nothing is built in memory but one buffer, which drains into the
// given io.Writer whenever it is full. A document of hundreds of megabytes
// costs one buffer.
//
// Numbers follow contract 02 section 1.1: an integer below 10^21 prints without
// exponent or fraction, any other double with the fewest digits that read back
// to it, and -0 prints 0.
package jsondoc

import (
	"errors"
	"io"
	"math"
	"strconv"

	"github.com/inferlab/inferlab/simcore/canonical"
)

// ErrNotFinite reports a number that JSON cannot hold.
var ErrNotFinite = errors.New("number is not finite")

// drainAt is the buffer level at which a Writer hands its bytes on.
const drainAt = 1 << 18

// indentation is a reservoir of spaces; deeper levels are written in pieces.
const indentation = "                                                                "

// Writer streams one JSON document. Begin with Object or Array, close what was
// opened with End, and finish with Close. Errors stick: the first one is
// returned by Close, and later calls do nothing harmful.
type Writer struct {
	out io.Writer
	buf []byte
	// frames[d] tells what is open at depth d: its closing byte and whether it
	// has had a member yet.
	frames []frame
	err    error

	afterHead func(*Writer)
}

type frame struct {
	closer byte
	filled bool
}

// NewWriter returns a Writer that drains into out. A nil out keeps the document
// in memory; Bytes then returns it.
func NewWriter(out io.Writer) *Writer {
	w := &Writer{out: out}
	if out != nil {
		w.buf = make([]byte, 0, drainAt+4096)
	}
	return w
}

// Object opens an object: the root, an element of the open array, or, after Key,
// a member's value.
func (w *Writer) Object() *Writer { return w.open('{', '}') }

// Array opens an array, in the same places as Object.
func (w *Writer) Array() *Writer { return w.open('[', ']') }

// Key begins a member of the open object; the next call writes its value.
func (w *Writer) Key(key string) *Writer {
	w.element()
	w.buf = canonical.AppendString(w.buf, key)
	w.buf = append(w.buf, ':', ' ')
	return w
}

// Element begins an element of the open array; the next call writes its value.
func (w *Writer) Element() *Writer {
	w.element()
	return w
}

// Text writes a string value.
func (w *Writer) Text(s string) *Writer {
	w.buf = canonical.AppendString(w.buf, s)
	return w
}

// Int writes an integer value.
func (w *Writer) Int(v int64) *Writer {
	w.buf = strconv.AppendInt(w.buf, v, 10)
	return w
}

// Float writes a finite double; another value is an error of the document.
func (w *Writer) Float(f float64) *Writer {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		w.fail(ErrNotFinite)
		f = 0
	}
	w.buf = canonical.AppendNumber(w.buf, f)
	return w
}

// Bool writes true or false.
func (w *Writer) Bool(v bool) *Writer {
	w.buf = strconv.AppendBool(w.buf, v)
	return w
}

// Null writes null.
func (w *Writer) Null() *Writer {
	w.buf = append(w.buf, "null"...)
	return w
}

// Texts writes an array of strings.
func (w *Writer) Texts(values []string) *Writer {
	w.Array()
	for _, v := range values {
		w.Element().Text(v)
	}
	return w.End()
}

// Ints writes an array of integers.
func (w *Writer) Ints(values []int64) *Writer {
	w.Array()
	for _, v := range values {
		w.element()
		w.buf = strconv.AppendInt(w.buf, v, 10)
	}
	return w.End()
}

// Floats writes an array of numbers.
func (w *Writer) Floats(values []float64) *Writer {
	w.Array()
	for _, v := range values {
		w.Element().Float(v)
	}
	return w.End()
}

// Value writes a canonical value tree with its members in the order given.
func (w *Writer) Value(v any) *Writer {
	switch x := v.(type) {
	case nil:
		return w.Null()
	case bool:
		return w.Bool(x)
	case string:
		return w.Text(x)
	case int:
		return w.Int(int64(x))
	case int64:
		return w.Int(x)
	case float64:
		return w.Float(x)
	case []string:
		return w.Texts(x)
	case []any:
		w.Array()
		for _, item := range x {
			w.Element().Value(item)
		}
		return w.End()
	case canonical.Object:
		w.Object()
		for _, m := range x {
			w.Key(m.Key).Value(m.Value)
		}
		return w.End()
	}
	w.fail(errors.New("document value has no JSON form"))
	return w.Null()
}

// End closes the innermost open object or array.
func (w *Writer) End() *Writer {
	top := w.frames[len(w.frames)-1]
	w.frames = w.frames[:len(w.frames)-1]
	if top.filled {
		w.newline()
	}
	w.buf = append(w.buf, top.closer)
	if len(w.buf) >= drainAt {
		w.drain()
	}
	return w
}

// Close ends the document with a newline, drains it, and returns the first error.
func (w *Writer) Close() error {
	if len(w.frames) != 0 {
		w.fail(errors.New("document has open objects or arrays"))
	}
	w.buf = append(w.buf, '\n')
	w.drain()
	return w.err
}

// Bytes returns the document written so far when the Writer has no io.Writer.
func (w *Writer) Bytes() []byte { return w.buf }

// Err returns the first error so far.
func (w *Writer) Err() error { return w.err }

func (w *Writer) open(opener, closer byte) *Writer {
	w.buf = append(w.buf, opener)
	w.frames = append(w.frames, frame{closer: closer})
	return w
}

func (w *Writer) element() {
	top := &w.frames[len(w.frames)-1]
	if top.filled {
		w.buf = append(w.buf, ',')
	}
	top.filled = true
	if len(w.buf) >= drainAt {
		w.drain()
	}
	w.newline()
}

func (w *Writer) newline() {
	w.buf = append(w.buf, '\n')
	spaces := 2 * len(w.frames)
	for spaces > len(indentation) {
		w.buf = append(w.buf, indentation...)
		spaces -= len(indentation)
	}
	w.buf = append(w.buf, indentation[:spaces]...)
}

func (w *Writer) drain() {
	if w.out == nil || len(w.buf) == 0 {
		return
	}
	if w.err == nil {
		if _, err := w.out.Write(w.buf); err != nil {
			w.fail(err)
		}
	}
	w.buf = w.buf[:0]
}

func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}
