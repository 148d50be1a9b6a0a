package report

import (
	"fmt"
	"slices"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	ids "github.com/inferlab/inferlab/simcore/quantity"
	results "github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/serving"
)

// inputTree is the inputs of a run as flat keys in the order of the document:
// scenario.links[nvlink0].latencyNs and the like. The requests are one key.
type inputTree struct {
	keys   []string
	values map[string]string
}

// inputsOf are the inputs of a run, as its full document writes them.
func inputsOf(run *serving.Run) (*inputTree, error) {
	t := &inputTree{values: make(map[string]string)}
	if run.Model == nil || run.Scenario == nil {
		return t, nil // a run made by hand
	}
	w := jsondoc.NewWriter(nil)
	results.ServingInputs(w, run)
	if err := w.Close(); err != nil {
		return nil, err
	}
	root, err := document.ParseJSON(w.Bytes(), "inputs")
	if err != nil {
		return nil, err
	}
	t.flatten("", &root)
	return t, nil
}

func (t *inputTree) put(key, value string) {
	if _, twice := t.values[key]; !twice {
		t.keys = append(t.keys, key)
	}
	t.values[key] = value
}

func (t *inputTree) flatten(path string, v *document.Value) {
	switch v.Kind() {
	case document.Object:
		for i := range v.Len() {
			key := v.Key(i)
			if path != "" {
				key = path + "." + key
			}
			t.flatten(key, v.At(i))
		}
	case document.List:
		if path == "serving.requests" {
			t.put(path, requestsInWords(v))
			return
		}
		t.list(path, v)
	default:
		t.put(path, scalar(v))
	}
}

// list names the elements of a list by their ids where they have some; lists of
// plain values are one value.
func (t *inputTree) list(path string, v *document.Value) {
	plain := ""
	for i := range v.Len() {
		e := v.At(i)
		switch e.Kind() {
		case document.Object, document.List:
			name := fmt.Sprint(i)
			if id := e.Get("id"); id != nil && id.Kind() == document.String {
				name = id.Text()
			}
			t.flatten(path+"["+name+"]", e)
		default:
			if plain != "" {
				plain += ", "
			}
			plain += scalar(e)
		}
	}
	if v.Len() == 0 || plain != "" {
		t.put(path, plain)
	}
}

func scalar(v *document.Value) string {
	switch v.Kind() {
	case document.Null:
		return "null"
	case document.Bool:
		return fmt.Sprint(v.Bool())
	}
	return v.Text()
}

// requestsInWords tells lists of requests apart without listing them.
func requestsInWords(v *document.Value) string {
	var prompt, output float64
	for i := range v.Len() {
		prompt += member(v.At(i), "promptTokens")
		output += member(v.At(i), "outputTokens")
	}
	fingerprint, err := canonical.Fingerprint(v.Canonical())
	if err != nil {
		fingerprint = "no fingerprint"
	}
	return fmt.Sprintf("%d requests, %.0f prompt tokens, %.0f output tokens, %s", v.Len(), prompt, output, fingerprint)
}

// member is a number among the members of an object; 0 when it has none.
func member(v *document.Value, key string) float64 {
	if m := v.Get(key); m != nil && m.Kind() == document.Number {
		return m.Number()
	}
	return 0
}

// value is the value of a key, or that the run has none.
func (t *inputTree) value(key string) string {
	if v, ok := t.values[key]; ok {
		if v == "" {
			return "empty"
		}
		return v
	}
	return "absent"
}

// has reports whether any key starts so.
func (t *inputTree) has(prefix string) bool {
	for _, k := range t.keys {
		if len(k) >= len(prefix) && k[:len(prefix)] == prefix {
			return true
		}
	}
	return false
}

// differing lists the keys whose values differ between runs, scheduler and
// proposer first because they are what a reader changes most, and counts the rest.
func differing(trees []*inputTree) (keys []string, equal int) {
	seen := make(map[string]bool)
	for _, t := range trees {
		for _, k := range t.keys {
			if seen[k] {
				continue
			}
			seen[k] = true
			same := true
			for _, u := range trees {
				v, ok := u.values[k]
				w, has := trees[0].values[k]
				same = same && ok == has && v == w
			}
			if same {
				equal++
			} else {
				keys = append(keys, k)
			}
		}
	}
	rank := func(k string) int {
		for i, prefix := range []string{"serving.", "speculation.", "costModel."} {
			if len(k) > len(prefix) && k[:len(prefix)] == prefix {
				return i
			}
		}
		return 3
	}
	slices.SortFunc(keys, func(a, b string) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return ids.CompareIDs(a, b)
	})
	return keys, equal
}
