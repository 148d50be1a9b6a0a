package des

// state is what became of an event id.
type state uint8

const (
	unknown state = iota
	queued
	cancelled
	popped
)

// stateTable remembers the state of every id ever used, so that no id is used
// twice. Automatic ids are dense from 1 and take one byte each; from the first
// id that leaves a gap on, ids of the caller's choice go to a map.
type stateTable struct {
	dense  []state // index id-1
	sparse map[int64]state
}

func (t *stateTable) get(id int64) state {
	if id >= 1 && id <= int64(len(t.dense)) {
		return t.dense[id-1]
	}
	return t.sparse[id]
}

func (t *stateTable) set(id int64, s state) {
	switch {
	case id <= int64(len(t.dense)):
		t.dense[id-1] = s
	case t.sparse == nil && id == int64(len(t.dense))+1:
		t.dense = append(t.dense, s)
	default:
		if t.sparse == nil {
			t.sparse = make(map[int64]state)
		}
		t.sparse[id] = s
	}
}
