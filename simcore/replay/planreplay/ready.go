package planreplay

// turn is the place of a step in the one order of submissions. Turns compare field
// by field. In a single plan rank is the position of the event whose completion
// released the step, -1 at the start; in a concurrent run it is the round within
// the instant.
type turn struct {
	timeNs    int64
	afterward bool // in the rounds that follow the admission of a batch of arrivals
	rank      int64
	execution int32 // admission order
	step      int32 // plan index
}

func (a turn) before(b turn) bool {
	switch {
	case a.timeNs != b.timeNs:
		return a.timeNs < b.timeNs
	case a.afterward != b.afterward:
		return b.afterward
	case a.rank != b.rank:
		return a.rank < b.rank
	case a.execution != b.execution:
		return a.execution < b.execution
	}
	return a.step < b.step
}

// readyList holds the steps that may be submitted now, the next one first.
type readyList []turn

func (l *readyList) add(t turn) {
	s := append(*l, t)
	at := len(s) - 1
	for at > 0 {
		up := (at - 1) / 2
		if !s[at].before(s[up]) {
			break
		}
		s[at], s[up] = s[up], s[at]
		at = up
	}
	*l = s
}

// next returns the first turn without removing it, and false when there is none.
func (l readyList) next() (turn, bool) {
	if len(l) == 0 {
		return turn{}, false
	}
	return l[0], true
}

func (l *readyList) remove() {
	s := *l
	n := len(s) - 1
	s[0] = s[n]
	s = s[:n]
	for at := 0; ; {
		least := at
		for _, down := range [2]int{2*at + 1, 2*at + 2} {
			if down < n && s[down].before(s[least]) {
				least = down
			}
		}
		if least == at {
			break
		}
		s[at], s[least] = s[least], s[at]
		at = least
	}
	*l = s
}
