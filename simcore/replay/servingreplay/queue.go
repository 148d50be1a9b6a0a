package servingreplay

import "math"

// nobody is the outstanding need of an empty place.
const nobody int64 = math.MaxInt64

// fan is the number of entries that share one minimum on the level above.
const fan = 64

// promptQueue holds, in candidate order, the outstanding need of each request
// with prompt left. Above the places lie levels of minima, each over fan entries
// of the level below, so a walk passes over whole blocks in which nobody fits.
type promptQueue struct {
	levels [][]int64 // levels[0] are the places
}

func newPromptQueue(places int) promptQueue {
	var q promptQueue
	for n := places; ; n = (n + fan - 1) / fan {
		level := make([]int64, n)
		for i := range level {
			level[i] = nobody
		}
		q.levels = append(q.levels, level)
		if n <= fan {
			return q
		}
	}
}

// put sets the need of a place; nobody empties it.
func (q *promptQueue) put(place int32, need int64) {
	at := int(place)
	for i, level := range q.levels {
		was := level[at]
		level[at] = need
		if i+1 == len(q.levels) {
			return
		}
		least := q.levels[i+1][at/fan]
		if need > least && was > least {
			return // the minimum above stands
		}
		at /= fan
		for _, n := range level[at*fan : min((at+1)*fan, len(level))] {
			need = min(need, n)
		}
	}
}

// after finds the first place from on whose request fits in free, or -1.
func (q *promptQueue) after(from int32, free int64) int32 {
	at, depth := q.rise(int(from), 0)
	for at < len(q.levels[depth]) {
		switch {
		case q.levels[depth][at] > free:
			at, depth = q.rise(at+1, depth)
		case depth > 0: // somebody in this block fits
			at, depth = at*fan, depth-1
		default:
			return int32(at)
		}
	}
	return -1
}

// rise moves an entry that begins a block to the level that describes the block.
func (q *promptQueue) rise(at, depth int) (int, int) {
	for at%fan == 0 && depth+1 < len(q.levels) {
		at, depth = at/fan, depth+1
	}
	return at, depth
}
