package speculative

import (
	"sort"
	"strconv"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/workload"
)

// StreamHash hashes a stream's text: FNV over whole UTF-16 code units (contract 04
// section 4.3).
func StreamHash(stream string) uint32 {
	h := uint32(0x811C9DC5)
	quantity.UTF16Units(stream, func(unit uint16) { h = (h ^ uint32(unit)) * 0x01000193 })
	return h
}

// Draw is the word v7 of contract 04 section 4.3; v7 / 2^32 is uniform on [0, 1).
// It depends on its four arguments alone, and on the seed, coordinate and position
// only modulo 2^32.
func Draw(seed int64, streamHash uint32, coordinate, position int64) uint32 {
	return finish(start(seed, streamHash, coordinate), position)
}

// start mixes what the positions of one step share.
func start(seed int64, streamHash uint32, coordinate int64) uint32 {
	return ((uint32(seed) ^ streamHash) ^ uint32(coordinate)) * 0x85EBCA6B
}

func finish(v uint32, position int64) uint32 {
	v = (v ^ uint32(position)) * 0xC2B2AE35
	v ^= v >> 16
	v *= 0x7FEB352D
	v ^= v >> 15
	v *= 0x846CA68B
	return v ^ v>>16
}

// Cursor draws the accepted lengths of one stream, one request a step. The zero
// value is not usable.
type Cursor struct {
	model *workload.Acceptance
	list  []float64 // of a replay
	place string    // of the list in its file
	hash  uint32
	step  int64
}

// NewCursor starts a stream of a valid model.
func NewCursor(model *workload.Acceptance, stream string) *Cursor {
	c := newCursor(model, model.Accepted, stream, "speculative.acceptance.accepted_draft_tokens")
	return &c
}

func newCursor(model *workload.Acceptance, list []float64, stream, place string) Cursor {
	return Cursor{model: model, list: list, hash: StreamHash(stream), place: place}
}

// Step is the number of requests so far.
func (c *Cursor) Step() int64 { return c.step }

// Accept asks for the accepted part of k additional tokens at a context of so many
// tokens, with the step number as coordinate.
func (c *Cursor) Accept(k, contextTokens int64) (int64, error) {
	return c.AcceptAt(k, contextTokens, c.step)
}

// AcceptAt is Accept with a coordinate for conditional models. The step counter
// advances also when nothing is proposed; the model is not consulted then.
func (c *Cursor) AcceptAt(k, contextTokens, coordinate int64) (int64, error) {
	step := c.step
	c.step++
	if k == 0 {
		return 0, nil
	}
	if c.model.Kind == workload.AcceptReplay {
		return c.replay(step, k)
	}
	list := c.probabilities(contextTokens)
	v := start(c.model.Seed, c.hash, coordinate)
	for j := range k {
		if j >= int64(len(list)) {
			return 0, issue.New("probabilities_short", "", "step %d: no probability for position %d", step, j)
		}
		if float64(finish(v, j))/(1<<32) >= list[j] {
			return j, nil
		}
	}
	return k, nil
}

func (c *Cursor) replay(step, k int64) (int64, error) {
	if step >= int64(len(c.list)) {
		return 0, issue.New("replay_short", c.place, "found a list that ends before step %d, expected an entry for every step", step)
	}
	a, whole := quantity.FromFloat(c.list[step])
	if !whole || a < 0 || a > k {
		return 0, issue.New("replay_entry", c.place+"["+strconv.FormatInt(step, 10)+"]", "found %s, expected an integer from 0 to %d, what this step proposes",
			canonical.Number(c.list[step]), k)
	}
	return a, nil
}

// probabilities are those of the last bucket that begins at or below the context.
func (c *Cursor) probabilities(contextTokens int64) []float64 {
	buckets := c.model.Buckets
	if buckets == nil {
		return c.model.Probabilities
	}
	after := sort.Search(len(buckets), func(i int) bool { return buckets[i].MinContextTokens > contextTokens })
	return buckets[after-1].Probabilities
}
