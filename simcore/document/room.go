package document

import "slices"

// room hands out the parts of a value tree from larger pieces, because a file of
// many small objects would otherwise cost several allocations for each. Pieces
// double in size, so that a short document stays short.
type room struct {
	free   []Value
	boxes  []children
	piece  int // values in the newest piece
	shapes [8][]string
	oldest int // of shapes
}

// Sizes of the first and of the largest pieces, in values.
const (
	leastPiece = 16
	mostPiece  = 1024
)

// values gives room for n values.
func (r *room) values(n int) []Value {
	if n > len(r.free) {
		r.piece = min(max(leastPiece, 2*r.piece), mostPiece)
		r.free = make([]Value, max(r.piece, n))
	}
	v := r.free[:n:n]
	r.free = r.free[n:]
	return v
}

// children joins items and member names; nil when there are none.
func (r *room) children(items []Value, names []string) *children {
	if len(items) == 0 {
		return nil
	}
	if len(r.boxes) == 0 {
		r.boxes = make([]children, r.piece/4)
	}
	box := &r.boxes[0]
	r.boxes = r.boxes[1:]
	box.items, box.names = items, names
	return box
}

// shape returns a list of member names that lives on: one that an earlier object
// had, or a copy.
func (r *room) shape(names []string) []string {
	for _, s := range r.shapes {
		if slices.Equal(s, names) {
			return s
		}
	}
	s := slices.Clone(names)
	r.shapes[r.oldest] = s
	r.oldest = (r.oldest + 1) % len(r.shapes)
	return s
}
