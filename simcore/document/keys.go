package document

import (
	"slices"
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// Closed refuses an object that holds an unknown key or lacks a required one. All
// of them are named in one refusal: unknown keys in code-unit order, then missing
// ones in the order given (contract 02 section 4). A lone missing key is reported
// at its own path.
func (n Node) Closed(required []string, optional ...string) bool {
	if !n.Object() {
		return false
	}
	unknown := n.unknown(required, optional)
	var missing []string
	for _, key := range required {
		if n.v.Get(key) == nil {
			missing = append(missing, key)
		}
	}
	switch {
	case len(unknown) > 0:
		quantity.SortIDs(unknown)
		spelled := make([]string, len(unknown))
		for i, key := range unknown {
			spelled[i] = spelledKey(key)
		}
		message := "unknown " + plural("field", len(unknown)) + " " + strings.Join(spelled, ", ")
		if len(unknown) == 1 {
			message += Suggest(unknown[0], slices.Concat(required, optional))
		}
		if len(missing) > 0 {
			message += "; missing " + plural("field", len(missing)) + " " + strings.Join(missing, ", ")
		}
		n.Fail(CodeUnknown, "%s%s", message, place(n.v))
	case len(missing) == 1:
		Node{r: n.r, parent: n.v, key: missing[0]}.Fail(CodeMissing, "is missing%s", place(n.v))
	case len(missing) > 0:
		n.Fail(CodeMissing, "missing %s %s%s", plural("field", len(missing)), strings.Join(missing, ", "), place(n.v))
	}
	return n.r.err == nil
}

// Known notes every key of an object that is not among the known ones: as a
// warning that names the nearest known key, or as a refusal in a strict pass.
func (n Node) Known(keys ...string) bool {
	if !n.Object() {
		return false
	}
	for _, key := range n.unknown(keys, nil) {
		at := Node{r: n.r, v: n.v.Get(key)}
		if n.r.Strict {
			at.Fail(CodeUnknown, "unknown key%s%s", place(at.v), Suggest(key, keys))
			return false
		}
		n.r.warn(at, key, keys)
	}
	return n.r.err == nil
}

// spelledKey gives a key of a file as a message names it: in quotes when it is empty
// or holds what would break the line, the list or the terminal that it stands in.
func spelledKey(key string) string {
	odd := func(c rune) bool { return c == ' ' || c == ',' || c == '"' || !strconv.IsPrint(c) }
	if key == "" || strings.ContainsFunc(key, odd) {
		return strconv.Quote(key)
	}
	return key
}

// unknown lists the keys of an object that are in neither list.
func (n Node) unknown(required, optional []string) []string {
	var unknown []string
	for _, key := range n.v.names() {
		if !slices.Contains(required, key) && !slices.Contains(optional, key) {
			unknown = append(unknown, key)
		}
	}
	return unknown
}

// Refuse records an error that another package made, as it is, unless an earlier
// refusal stands.
func (n Node) Refuse(err *issue.Error) {
	if n.r.err == nil {
		n.r.err = err
	}
}

func plural(noun string, n int) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
