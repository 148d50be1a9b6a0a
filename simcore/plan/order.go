package plan

// graph checks the rules that speak of the dependency graph as a whole: it is
// acyclic, users of one allocation are ordered, and so are the collectives of a
// communicator (contract 03 section 3). It also completes the frozen plan's
// dependents and order.
func (v *validator) graph() {
	f := v.frozen
	n := f.Len()
	f.dependents = f.dependencies.transposed(n)
	f.order = topologicalOrder(&f.dependencies, &f.dependents)
	if len(f.order) < n {
		v.issues.Add("dependency_cycle", "steps", "the dependencies of %d of %d steps are not acyclic", n-len(f.order), n)
		return
	}
	g := newReachability(f)
	v.leaseConflicts(g)
	v.collectiveOrder(g)
}

// topologicalOrder repeatedly takes the unplaced step of least index all of whose
// dependencies are placed. On a cycle the order is short.
func topologicalOrder(dependencies, dependents *Rows) []int32 {
	n := dependencies.Len()
	open := make([]int32, n)
	var ready indexHeap
	for i := range int32(n) {
		if open[i] = int32(len(dependencies.Row(i))); open[i] == 0 {
			ready = append(ready, i) // ascending, and so a heap already
		}
	}
	order := make([]int32, 0, n)
	for len(ready) > 0 {
		i := ready.pop()
		order = append(order, i)
		for _, d := range dependents.Row(i) {
			if open[d]--; open[d] == 0 {
				ready.push(d)
			}
		}
	}
	return order
}

// indexHeap is a binary min-heap of indices.
type indexHeap []int32

func (h *indexHeap) push(v int32) {
	s := append(*h, v)
	for i := len(s) - 1; i > 0; {
		parent := (i - 1) / 2
		if s[parent] <= s[i] {
			break
		}
		s[parent], s[i] = s[i], s[parent]
		i = parent
	}
	*h = s
}

func (h *indexHeap) pop() int32 {
	s := *h
	head, last := s[0], len(s)-1
	s[0] = s[last]
	s = s[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && s[child+1] < s[child] {
			child++
		}
		if s[i] <= s[child] {
			break
		}
		s[i], s[child] = s[child], s[i]
		i = child
	}
	*h = s
	return head
}
