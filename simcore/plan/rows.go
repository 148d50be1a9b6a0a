package plan

// Rows is a list of rows of indices in two flat slices: row i is
// values[offsets[i]:offsets[i+1]]. The zero value has no rows.
type Rows struct {
	offsets []int32
	values  []int32
}

// newRows makes room for the given numbers of rows and values.
func newRows(rows, values int) Rows {
	r := Rows{offsets: make([]int32, 1, rows+1), values: make([]int32, 0, values)}
	return r
}

// Len is the number of rows.
func (r *Rows) Len() int { return max(len(r.offsets)-1, 0) }

// Row returns row i, which must not be written to.
func (r *Rows) Row(i int32) []int32 { return r.values[r.offsets[i]:r.offsets[i+1]:r.offsets[i+1]] }

// Total is the number of values in all rows.
func (r *Rows) Total() int { return len(r.values) }

// add appends a value to the row under construction.
func (r *Rows) add(v int32) { r.values = append(r.values, v) }

// open returns the row under construction.
func (r *Rows) open() []int32 { return r.values[r.offsets[len(r.offsets)-1]:] }

// end closes the row under construction.
func (r *Rows) end() { r.offsets = append(r.offsets, int32(len(r.values))) }

// transposed returns, for every value v in 0..n-1, the rows that hold it,
// ascending.
func (r *Rows) transposed(n int) Rows {
	out := Rows{offsets: make([]int32, n+1), values: make([]int32, len(r.values))}
	for _, v := range r.values {
		out.offsets[v+1]++
	}
	for i := range n {
		out.offsets[i+1] += out.offsets[i]
	}
	next := make([]int32, n)
	copy(next, out.offsets)
	for i := range int32(r.Len()) {
		for _, v := range r.Row(i) {
			out.values[next[v]] = i
			next[v]++
		}
	}
	return out
}
