package document

import (
	"slices"
	"strings"
)

// Nearest returns at most limit of the candidates that look like a misspelling of
// name, the most alike first and candidates of equal likeness in the order given.
// Likeness is the number of inserted, deleted, changed and swapped neighbouring
// bytes, without regard to ASCII letter case; a candidate needs at most one in
// three of the longer text, and at least one is always allowed.
func Nearest(name string, candidates []string, limit int) []string {
	type scored struct {
		text     string
		distance int
	}
	var near []scored
	folded := strings.ToLower(name)
	for _, c := range candidates {
		allowed := max(1, max(len(c), len(name))/3)
		if d := distance(folded, strings.ToLower(c), allowed); d <= allowed {
			near = append(near, scored{c, d})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int { return a.distance - b.distance })
	near = near[:min(len(near), max(limit, 0))]
	texts := make([]string, len(near))
	for i, s := range near {
		texts[i] = s.text
	}
	return texts
}

// Suggest gives "; did you mean X?" for the nearest candidates, or nothing.
func Suggest(name string, candidates []string) string {
	near := Nearest(name, candidates, 3)
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(near, " or ") + "?"
}

// distance is the optimal string alignment distance of two texts, or any number
// above most when it exceeds that.
func distance(a, b string, most int) int {
	if diff := len(a) - len(b); diff > most || -diff > most {
		return most + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		best := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			best = min(best, row[j])
		}
		if best > most {
			return most + 1
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
