package speculativereplay

import (
	"unicode/utf16"

	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/workload"
)

// stream derives the accepted lengths of one stream.
type stream struct {
	model *workload.Acceptance
	list  []float64
	salt  uint32
	steps int64
}

func newStream(model *workload.Acceptance, list []float64, name string) stream {
	salt := uint32(2166136261)
	for _, unit := range utf16.Encode([]rune(name)) {
		salt ^= uint32(unit)
		salt *= 16777619
	}
	return stream{model: model, list: list, salt: salt}
}

// next derives how many of k tokens are accepted; false means that the model has
// no valid answer. A negative coordinate stands for the step number.
func (s *stream) next(k, context, coordinate int64) (int64, bool) {
	step := s.steps
	s.steps = step + 1
	if k == 0 {
		return 0, true
	}
	if s.model.Kind == workload.AcceptReplay {
		if step >= int64(len(s.list)) {
			return 0, false
		}
		a, ok := quantity.FromFloat(s.list[step])
		return a, ok && a >= 0 && a <= k
	}
	if coordinate < 0 {
		coordinate = step
	}
	chances := s.model.Probabilities
	for _, b := range s.model.Buckets {
		if b.MinContextTokens <= context {
			chances = b.Probabilities
		}
	}
	var matched int64
	for matched < k {
		if matched >= int64(len(chances)) {
			return 0, false
		}
		if uniform(uint32(s.model.Seed), s.salt, uint32(coordinate), uint32(matched)) >= chances[matched] {
			break
		}
		matched++
	}
	return matched, true
}

// uniform is the draw of contract 04 section 4.3 as a double in [0, 1).
func uniform(seed, salt, coordinate, position uint32) float64 {
	w := seed ^ salt
	w ^= coordinate
	w *= 2246822507
	w ^= position
	w *= 3266489909
	w ^= w >> 16
	w *= 2146121005
	w ^= w >> 15
	w *= 2221713035
	w ^= w >> 16
	return float64(w) / 4294967296
}
