// Package recycle has an Arrow allocator that hands freed buffers out again.
// Writers use it: batch after batch asks for the same sizes, and fresh memory
// costs more than filling it, because its pages have to come from the system.
package recycle

import (
	"math/bits"
	"sync"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Allocator keeps freed buffers by powers of two; they are zero when they are
// handed out. Release gives everything back. It may be used by several goroutines.
type Allocator struct {
	from memory.Allocator
	mu   sync.Mutex
	free [64][][]byte
}

// New recycles buffers of the given allocator.
func New(from memory.Allocator) *Allocator { return &Allocator{from: from} }

// smallest is the class below which recycling does not pay.
const smallest = 12 // 4 KiB

// class is the power of two that holds size bytes.
func class(size int) int { return bits.Len(uint(max(size, 1) - 1)) }

// Allocate returns size zero bytes.
func (r *Allocator) Allocate(size int) []byte {
	b, used := r.allocate(size)
	if used {
		clear(b)
	}
	return b
}

// AllocateUnset returns size bytes of any contents, for those who set every one of
// them anyway.
func (r *Allocator) AllocateUnset(size int) []byte {
	b, _ := r.allocate(size)
	return b
}

// allocate also says whether the bytes may hold what an earlier owner left.
func (r *Allocator) allocate(size int) (b []byte, used bool) {
	k := class(size)
	if k < smallest {
		return r.from.Allocate(size), false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.free[k]); n > 0 {
		b := r.free[k][n-1][:size]
		r.free[k] = r.free[k][:n-1]
		return b, true
	}
	return r.from.Allocate(1 << k)[:size], false
}

// Reallocate resizes a buffer, in place where its class allows.
func (r *Allocator) Reallocate(size int, b []byte) []byte {
	old, k := class(len(b)), class(size)
	if len(b) == 0 {
		r.Free(b)
		return r.Allocate(size)
	}
	if old < smallest && k < smallest {
		return r.from.Reallocate(size, b)
	}
	if old == k {
		grown := b[:size]
		if size > len(b) {
			clear(grown[len(b):])
		}
		return grown
	}
	grown, used := r.allocate(size)
	if kept := copy(grown, b); used {
		clear(grown[kept:])
	}
	r.Free(b)
	return grown
}

// Free keeps a buffer for later.
func (r *Allocator) Free(b []byte) {
	k := class(len(b))
	if k < smallest {
		r.from.Free(b)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free[k] = append(r.free[k], b[:1<<k])
}

// Release gives the kept buffers back to the allocator that they come from.
// Buffers that are still in use stay valid and are recycled when they are freed.
func (r *Allocator) Release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k := range r.free {
		for _, b := range r.free[k] {
			r.from.Free(b)
		}
		r.free[k] = nil
	}
}
