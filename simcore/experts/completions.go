package experts

// completion is a scheduled end of a load. order counts schedulings: of two
// completions of one nanosecond the one scheduled first comes first, and an entry
// whose order is not its load's latest is stale and skipped.
type completion struct {
	atNs  int64
	order int64
	load  int32
}

func (a completion) before(b completion) bool {
	return a.atNs < b.atNs || a.atNs == b.atNs && a.order < b.order
}

// completions is a binary heap, the next completion first.
type completions []completion

func (h *completions) push(c completion) {
	q := append(*h, c)
	i := len(q) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !c.before(q[up]) {
			break
		}
		q[i] = q[up]
		i = up
	}
	q[i] = c
	*h = q
}

func (h *completions) pop() {
	q := *h
	last := q[len(q)-1]
	q = q[:len(q)-1]
	*h = q
	if len(q) == 0 {
		return
	}
	i := 0
	for {
		down := 2*i + 1
		if down >= len(q) {
			break
		}
		if right := down + 1; right < len(q) && q[right].before(q[down]) {
			down = right
		}
		if !q[down].before(last) {
			break
		}
		q[i] = q[down]
		i = down
	}
	q[i] = last
}
