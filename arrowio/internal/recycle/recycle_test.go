package recycle

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"pgregory.net/rapid"
)

// TestAgainstModel allocates, resizes and frees at random and compares contents
// with plain slices; at the end nothing is lost.
func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		checked := memory.NewCheckedAllocator(memory.NewGoAllocator())
		r := New(checked)
		var live, model [][]byte
		size := rapid.OneOf(rapid.IntRange(0, 80), rapid.IntRange(4000, 20_000))
		fill := func(i int, seed byte) {
			for j := range live[i] {
				live[i][j] = seed + byte(j)
				model[i][j] = seed + byte(j)
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"allocate": func(rt *rapid.T) {
				b := r.Allocate(size.Draw(rt, "size"))
				if !bytes.Equal(b, make([]byte, len(b))) {
					rt.Fatal("a new buffer is not zero")
				}
				live, model = append(live, b), append(model, make([]byte, len(b)))
				fill(len(live)-1, rapid.Byte().Draw(rt, "seed"))
			},
			"allocate unset": func(rt *rapid.T) {
				b := r.AllocateUnset(size.Draw(rt, "size"))
				live, model = append(live, b), append(model, make([]byte, len(b)))
				fill(len(live)-1, rapid.Byte().Draw(rt, "seed"))
			},
			"reallocate": func(rt *rapid.T) {
				if len(live) == 0 {
					return
				}
				i, n := rapid.IntRange(0, len(live)-1).Draw(rt, "i"), size.Draw(rt, "size")
				live[i] = r.Reallocate(n, live[i])
				grown := make([]byte, n)
				copy(grown, model[i])
				model[i] = grown
				if n > 0 && len(live[i]) >= 4096 && !bytes.Equal(live[i], model[i]) {
					rt.Fatal("contents changed")
				}
				fill(i, byte(n))
			},
			"free": func(rt *rapid.T) {
				if len(live) == 0 {
					return
				}
				last := len(live) - 1
				if !bytes.Equal(live[last], model[last]) {
					rt.Fatal("two buffers overlap")
				}
				r.Free(live[last])
				live, model = live[:last], model[:last]
			},
		})
		for _, b := range live {
			r.Free(b)
		}
		r.Release()
		if n := checked.CurrentAlloc(); n != 0 {
			rt.Fatalf("%d bytes are lost", n)
		}
	})
}
