package des

// Lanes is the availability timeline of one contended resource: for each of its
// lanes the time from which it is free. Lanes are chosen when work is submitted,
// in submission order; a gap before a lane's free time is never taken later.
//
//	start  = max(ready, lane free time)
//	finish = start + duration
//	lane free time = finish
type Lanes struct {
	freeNs []int64
}

// NewLanes returns a resource with count lanes (at least one), all free from 0.
func NewLanes(count int64) Lanes { return Lanes{freeNs: make([]int64, count)} }

// Count is the number of lanes.
func (l *Lanes) Count() int { return len(l.freeNs) }

// Earliest returns the lane with the least free time, the lowest index on ties,
// and that time in ns.
func (l *Lanes) Earliest() (lane int, freeNs int64) {
	for i, f := range l.freeNs[1:] {
		if f < l.freeNs[lane] {
			lane = i + 1
		}
	}
	return lane, l.freeNs[lane]
}

// Occupy makes a lane busy until finishNs.
func (l *Lanes) Occupy(lane int, finishNs int64) { l.freeNs[lane] = finishNs }
