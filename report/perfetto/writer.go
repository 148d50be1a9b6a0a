package perfetto

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// writer streams events. The first error sticks and is reported by close.
type writer struct {
	out   *bufio.Writer
	buf   []byte
	begun bool
	err   error
}

func newWriter(out io.Writer) *writer {
	w := &writer{out: bufio.NewWriterSize(out, 1<<16)}
	w.out.WriteString(`{"displayTimeUnit":"ns","traceEvents":[`)
	return w
}

// event opens an event of a phase on a row of a process.
func (w *writer) event(phase byte, pid, tid int, name string) {
	w.buf = w.buf[:0]
	if w.begun {
		w.buf = append(w.buf, ',')
	}
	w.begun = true
	w.buf = append(w.buf, "\n{\"ph\":\""...)
	w.buf = append(w.buf, phase)
	w.buf = append(w.buf, `","pid":`...)
	w.buf = strconv.AppendInt(w.buf, int64(pid), 10)
	w.buf = append(w.buf, `,"tid":`...)
	w.buf = strconv.AppendInt(w.buf, int64(tid), 10)
	w.text("name", name)
}

// text adds a text member to the open object.
func (w *writer) text(key, value string) {
	w.key(key)
	quoted, err := json.Marshal(value) // escapes what JSON and HTML need; never fails for a string
	if err != nil && w.err == nil {
		w.err = err
	}
	w.buf = append(w.buf, quoted...)
}

// integer adds an integer member.
func (w *writer) integer(key string, v int64) {
	w.key(key)
	w.buf = strconv.AppendInt(w.buf, v, 10)
}

// at adds a time or a duration in microseconds.
func (w *writer) at(key string, ns int64) {
	w.key(key)
	w.buf = appendMicroseconds(w.buf, ns)
}

func (w *writer) key(key string) {
	if n := len(w.buf); n > 0 && w.buf[n-1] != '{' {
		w.buf = append(w.buf, ',')
	}
	w.buf = append(w.buf, '"')
	w.buf = append(w.buf, key...)
	w.buf = append(w.buf, `":`...)
}

// args opens the object of details; end closes it.
func (w *writer) args() {
	w.key("args")
	w.buf = append(w.buf, '{')
}

func (w *writer) end() { w.buf = append(w.buf, '}') }

// done writes the open event.
func (w *writer) done() {
	w.end()
	if _, err := w.out.Write(w.buf); err != nil && w.err == nil {
		w.err = err
	}
}

// appendMicroseconds spells nanoseconds as decimal microseconds, exactly.
func appendMicroseconds(buf []byte, ns int64) []byte {
	buf = strconv.AppendInt(buf, ns/1000, 10)
	if rest := ns % 1000; rest != 0 {
		buf = append(buf, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
	}
	return buf
}

// process names a group of rows and gives it its place.
func (w *writer) process(pid int, name string) {
	w.event('M', pid, 0, "process_name")
	w.args()
	w.text("name", name)
	w.end()
	w.done()
	w.event('M', pid, 0, "process_sort_index")
	w.args()
	w.integer("sort_index", int64(pid))
	w.end()
	w.done()
}

// row names a row.
func (w *writer) row(pid, tid int, name string) {
	w.event('M', pid, tid, "thread_name")
	w.args()
	w.text("name", name)
	w.end()
	w.done()
	w.event('M', pid, tid, "thread_sort_index")
	w.args()
	w.integer("sort_index", int64(tid))
	w.end()
	w.done()
}

// slice opens a slice; details may follow between args and end, then done.
func (w *writer) slice(pid, tid int, name, category string, fromNs, toNs int64) {
	w.event('X', pid, tid, name)
	w.text("cat", category)
	w.at("ts", fromNs)
	w.at("dur", toNs-fromNs)
}

// counter writes one value of a counter.
func (w *writer) counter(pid int, name, series string, ns, value int64) {
	w.event('C', pid, 0, name)
	w.at("ts", ns)
	w.args()
	w.integer(series, value)
	w.end()
	w.done()
}

// instant opens a point in time on a row; details may follow between args and end, then
// done.
func (w *writer) instant(pid, tid int, name, category string, ns int64) {
	w.event('i', pid, tid, name)
	w.text("cat", category)
	w.text("s", "t") // as high as its row
	w.at("ts", ns)
}

// flow writes one point of an arrow; the phases are s, t and f, and arrows of one kind
// are told apart by their ids.
func (w *writer) flow(phase byte, kind string, pid, tid int, id, ns int64) {
	w.event(phase, pid, tid, kind)
	w.text("cat", kind)
	w.integer("id", id)
	w.at("ts", ns)
	if phase == 'f' {
		w.text("bp", "e") // ends in the slice around it, not in the next one
	}
	w.done()
}

func (w *writer) close() error {
	if w.err != nil {
		return fmt.Errorf("perfetto: %w", w.err)
	}
	w.out.WriteString("\n]}\n")
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("perfetto: %w", err)
	}
	return nil
}
