package figure

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ruleName is the name of an upright rule: it stands above the area on a line of its
// own, right of the rule or, without room there, left of it. The rule reaches up to it.
type ruleName struct {
	x, from, to vg.Length // the rule; the extent of the words
	text        string
	level       int // line above the area, from 0
}

// nameRules places names above c, so that rules cross as few of them as possible: the
// earlier rule has the higher or the lower line, whichever crosses less. The order of
// the answer is that of the names.
func nameRules(c draw.Canvas, xs []vg.Length, names []string) []ruleName {
	out, order := make([]ruleName, len(xs)), make([]int, len(xs))
	for i, x := range xs {
		text := elide(names[i], plain(textSize), (c.Max.X-c.Min.X).Points()-8)
		w := vg.Length(widthOf(plain(textSize), text))
		out[i] = ruleName{x: x, from: x + 4, to: x + 4 + w, text: text, level: i}
		if out[i].to > c.Max.X {
			out[i].from = max(x-4-w, c.Min.X)
			out[i].to = out[i].from + w
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(xs[a], xs[b]) })
	best := slices.Clone(out)
	for range 2 {
		for level, i := range order {
			out[i].level = level
		}
		if crossings(out) < crossings(best) {
			best = slices.Clone(out)
		}
		slices.Reverse(order)
	}
	return best
}

// crossings counts names that another's rule goes through.
func crossings(names []ruleName) (n int) {
	for i, a := range names {
		for j, b := range names {
			if i != j && b.level > a.level && b.x > a.from-2 && b.x < a.to+2 {
				n++
			}
		}
	}
	return n
}
