package document

import (
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// Codes of the refusals that a Reader makes itself.
const (
	CodeType    = "type"        // a value of the wrong kind
	CodeMissing = "missing"     // a required key is absent
	CodeUnknown = "unknown_key" // a key that the object does not have
	CodeRange   = "range"       // a number outside its range
	CodeChoice  = "choice"      // a text outside its choices
)

// Reader is one strict pass over a document. It remembers the first refusal;
// after that every cursor answers with zero values and nothing more is recorded,
// so callers check Err once at the end.
type Reader struct {
	// Strict turns keys that would be ignored with a warning into refusals.
	Strict bool

	root     Value
	name     string
	err      *issue.Error
	warnings []Warning
	folded   map[foldKey]int // index in warnings
	unnamed  int             // places of warnings beyond maxWarnings
}

// maxWarnings bounds how many different ignored keys are named with their paths;
// what is beyond is counted.
const maxWarnings = 20

// foldKey tells ignored keys apart: the same key in objects that know the same
// keys is one warning, however many list elements hold it.
type foldKey struct{ key, known string }

// Warning is a key that was read past: the contract ignores it, but its author
// may have meant a known one.
type Warning struct {
	Path    string // of the first place of the unknown key; empty for the count of what is not named
	Nearest string // the known key that is most like it, or empty
	Line    int    // of the first place, 1-based, 0 when unknown
	More    int    // further places of the same key
}

// String gives the warning as one sentence.
func (w Warning) String() string {
	if w.Path == "" {
		return strconv.Itoa(w.More) + " further unknown keys are ignored"
	}
	s := w.Path + ": unknown key is ignored"
	if w.More > 0 {
		s += ", as in " + strconv.Itoa(w.More) + " further places"
	}
	if w.Nearest != "" {
		s += "; did you mean " + w.Nearest + "?"
	}
	return s
}

// warn notes an ignored key. Only the first place of a key costs a search for its
// path.
func (r *Reader) warn(at Node, key string, known []string) {
	fold := foldKey{key, strings.Join(known, "\x00")}
	if i, seen := r.folded[fold]; seen {
		r.warnings[i].More++
		return
	}
	if len(r.warnings) == maxWarnings {
		r.unnamed++
		return
	}
	w := Warning{Path: at.Path(), Line: at.v.Line()}
	if near := Nearest(key, known, 1); len(near) > 0 {
		w.Nearest = near[0]
	}
	if r.folded == nil {
		r.folded = map[foldKey]int{}
	}
	r.folded[fold] = len(r.warnings)
	r.warnings = append(r.warnings, w)
}

// NewReader starts a pass over a document; name is the first part of every path
// ("serving" gives serving.requests[1]) and may be empty.
func NewReader(v Value, name string) *Reader { return &Reader{root: v, name: name} }

// Root is the cursor at the whole document.
func (r *Reader) Root() Node { return Node{r: r, v: &r.root} }

// Err returns the first refusal, an *issue.Error, or nil.
func (r *Reader) Err() error {
	if r.err == nil {
		return nil
	}
	return r.err
}

// Warnings lists the ignored keys in the order met, the same key of list elements
// once, and after twenty of them the count of the rest.
func (r *Reader) Warnings() []Warning {
	if r.unnamed == 0 {
		return r.warnings
	}
	return append(slices.Clip(r.warnings), Warning{More: r.unnamed})
}

// Node is a cursor: a value, or the place of an absent member.
type Node struct {
	r      *Reader
	v      *Value // nil: absent
	parent *Value // of an absent member
	key    string // of an absent member
}

// Present reports whether the member is there. A member with null is present.
func (n Node) Present() bool { return n.v != nil }

// Value returns the value under the cursor, nil when absent.
func (n Node) Value() *Value { return n.v }

// OK reports that nothing has been refused so far in this pass.
func (n Node) OK() bool { return n.r.err == nil }

// Path is the cursor's place, for example serving.requests[1].id.
func (n Node) Path() string {
	at := n.v
	if at == nil {
		at = n.parent
	}
	steps, _ := trail(&n.r.root, at, nil)
	path := n.r.name + strings.Join(steps, "")
	if n.v == nil {
		path += "." + spelledKey(n.key)
	}
	return strings.TrimPrefix(path, ".")
}

// trail finds the steps from a value to one of its descendants. Paths are only
// wanted for messages, so they are searched for instead of being carried along.
func trail(from, to *Value, steps []string) ([]string, bool) {
	if from == to {
		return steps, true
	}
	for i := range from.items() {
		step := "[" + strconv.Itoa(i) + "]"
		if from.Kind() == Object {
			step = "." + spelledKey(from.Key(i))
		}
		if found, ok := trail(from.At(i), to, append(steps, step)); ok {
			return found, true
		}
	}
	return steps, false
}

// Fail records a refusal at the cursor unless an earlier one stands.
func (n Node) Fail(code, format string, args ...any) {
	if n.r.err == nil {
		n.r.err = issue.New(code, n.Path(), format, args...)
	}
}

// expected records a refusal of kind "type" (or "missing") in one wording.
func (n Node) expected(what string) {
	if n.r.err != nil {
		return
	}
	if n.v == nil {
		n.Fail(CodeMissing, "is missing; expected %s", what)
		return
	}
	n.Fail(CodeType, "expected %s, found %s%s", what, n.v.Describe(), place(n.v))
}

func place(v *Value) string {
	if v.line == 0 {
		return ""
	}
	return " (line " + strconv.Itoa(v.Line()) + ", column " + strconv.Itoa(v.Column()) + ")"
}

// is reports whether the value is there and of the given kind, and refuses it
// otherwise.
func (n Node) is(k Kind, what string) bool {
	if n.r.err != nil {
		return false
	}
	if n.v == nil || n.v.Kind() != k {
		n.expected(what)
		return false
	}
	return true
}

// Object refuses anything but an object.
func (n Node) Object() bool { return n.is(Object, "an object") }

// Get is the cursor at a member of an object; the member may be absent. It
// refuses a value that is not an object.
func (n Node) Get(key string) Node {
	if !n.Object() {
		return Node{r: n.r, parent: n.v, key: key}
	}
	if v := n.v.Get(key); v != nil {
		return Node{r: n.r, v: v}
	}
	return Node{r: n.r, parent: n.v, key: key}
}

// Items walks the elements of a list; it refuses anything else.
func (n Node) Items() iter.Seq2[int, Node] {
	return func(yield func(int, Node) bool) {
		if !n.is(List, "a list") {
			return
		}
		for i := range n.v.items() {
			if n.r.err != nil || !yield(i, Node{r: n.r, v: n.v.At(i)}) {
				return
			}
		}
	}
}

// Members walks the members of an object in the order of the file; it refuses
// anything else.
func (n Node) Members() iter.Seq2[string, Node] {
	return func(yield func(string, Node) bool) {
		if !n.Object() {
			return
		}
		for i, key := range n.v.names() {
			if n.r.err != nil || !yield(key, Node{r: n.r, v: n.v.At(i)}) {
				return
			}
		}
	}
}

// Len is the length of a list; it refuses anything else.
func (n Node) Len() int {
	if !n.is(List, "a list") {
		return 0
	}
	return n.v.Len()
}

// Text returns a string, which may be empty.
func (n Node) Text() string {
	if !n.is(String, "a string") {
		return ""
	}
	return n.v.text
}

// NonEmpty returns a string of at least one character.
func (n Node) NonEmpty() string {
	const what = "a non-empty string"
	if n.is(String, what) && n.v.text == "" {
		n.expected(what)
	}
	if n.r.err != nil {
		return ""
	}
	return n.v.text
}

// TextOr is Text with a default for an absent member.
func (n Node) TextOr(absent string) string {
	if !n.Present() {
		return absent
	}
	return n.Text()
}

// OneOf returns a string that is one of the choices; a refusal lists them.
func (n Node) OneOf(choices ...string) string {
	s := n.Text()
	if n.r.err != nil || slices.Contains(choices, s) {
		return s
	}
	n.Fail(CodeChoice, "expected one of %s, found %s%s%s",
		strings.Join(choices, ", "), n.v.Describe(), place(n.v), Suggest(s, choices))
	return ""
}

// OneOfOr is OneOf with a default for an absent member.
func (n Node) OneOfOr(absent string, choices ...string) string {
	if !n.Present() {
		return absent
	}
	return n.OneOf(choices...)
}

// Bool returns a boolean.
func (n Node) Bool() bool { return n.is(Bool, "a boolean") && n.v.Bool() }

// BoolOr is Bool with a default for an absent member.
func (n Node) BoolOr(absent bool) bool {
	if !n.Present() {
		return absent
	}
	return n.Bool()
}

// Number returns a finite number.
func (n Node) Number() float64 {
	const what = "a finite number"
	if !n.is(Number, what) {
		return 0
	}
	if math.IsNaN(n.v.number) || math.IsInf(n.v.number, 0) {
		n.expected(what)
		return 0
	}
	return n.v.number
}

// NumberOr is Number with a default for an absent member.
func (n Node) NumberOr(absent float64) float64 {
	if !n.Present() {
		return absent
	}
	return n.Number()
}

// Integer returns a safe integer (magnitude at most 2^53 - 1), taken by value.
func (n Node) Integer() int64 {
	return n.IntegerIn(-quantity.MaxSafe, quantity.MaxSafe, "an integer")
}

// Count returns an integer from 0 to 2^53 - 1.
func (n Node) Count() int64 { return n.IntegerIn(0, quantity.MaxSafe, "a non-negative integer") }

// Positive returns an integer from 1 to 2^53 - 1.
func (n Node) Positive() int64 { return n.IntegerIn(1, quantity.MaxSafe, "a positive integer") }

// IntegerOr is Integer with a default for an absent member.
func (n Node) IntegerOr(absent int64) int64 {
	if !n.Present() {
		return absent
	}
	return n.Integer()
}

// CountOr is Count with a default for an absent member.
func (n Node) CountOr(absent int64) int64 {
	if !n.Present() {
		return absent
	}
	return n.Count()
}

// PositiveOr is Positive with a default for an absent member.
func (n Node) PositiveOr(absent int64) int64 {
	if !n.Present() {
		return absent
	}
	return n.Positive()
}

// IntegerIn returns an integer from lo to hi, both of which must be safe; what
// describes it for the message.
func (n Node) IntegerIn(lo, hi int64, what string) int64 {
	if !n.is(Number, what) {
		return 0
	}
	i, ok := quantity.FromFloat(n.v.number)
	if !ok {
		n.expected(what + " (magnitude at most 9007199254740991)")
		return 0
	}
	if i < lo || i > hi {
		n.Fail(CodeRange, "expected %s, found %s%s", what, n.v.Describe(), place(n.v))
		return 0
	}
	return i
}

// Texts returns a list of strings.
func (n Node) Texts() []string {
	texts := make([]string, 0, n.Len())
	for _, item := range n.Items() {
		texts = append(texts, item.Text())
	}
	return texts
}
