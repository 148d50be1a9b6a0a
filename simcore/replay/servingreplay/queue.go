package servingreplay

import "math"

// nobody is the outstanding need of an empty place.
const nobody int64 = math.MaxInt64

// blockPlaces is the number of places that share one minimum.
const blockPlaces = 64

// promptQueue holds, in candidate order, the outstanding need of each request
// with prompt left. Places are grouped in blocks with a minimum each, so a walk
// passes over whole blocks in which nobody fits.
type promptQueue struct {
	need  []int64
	least []int64 // per block
}

func newPromptQueue(places int) promptQueue {
	q := promptQueue{
		need:  make([]int64, places),
		least: make([]int64, (places+blockPlaces-1)/blockPlaces),
	}
	for i := range q.need {
		q.need[i] = nobody
	}
	for i := range q.least {
		q.least[i] = nobody
	}
	return q
}

// put sets the need of a place; nobody empties it.
func (q *promptQueue) put(place int32, need int64) {
	was := q.need[place]
	q.need[place] = need
	b := int(place) / blockPlaces
	switch {
	case need <= q.least[b]:
		q.least[b] = need
	case was == q.least[b]: // the minimum may have left
		least := nobody
		for _, n := range q.need[b*blockPlaces : min((b+1)*blockPlaces, len(q.need))] {
			least = min(least, n)
		}
		q.least[b] = least
	}
}

// after finds the first place from on whose request fits in free, or -1.
func (q *promptQueue) after(from int32, free int64) int32 {
	for i := int(from); i < len(q.need); {
		if i%blockPlaces == 0 && q.least[i/blockPlaces] > free {
			i += blockPlaces
			continue
		}
		if q.need[i] <= free {
			return int32(i)
		}
		i++
	}
	return -1
}
