package arrowio

import (
	"encoding/binary"
	"iter"

	"github.com/inferlab/inferlab/simcore/trace"
)

// levelLog keeps the level of the KV pool over a run that streams, for the table
// memory_timeline, whose rows of one domain after the other can be written only when
// the run has ended. A change is two differences of few bytes each, so a batch takes
// about ten bytes.
type levelLog struct {
	pieces      [][]byte
	lastAt, was int64 // of the last change that is in pieces
	at, level   int64 // of the change that the next batch may replace
	pending     bool
	changes     int64 // with the pending one
}

// logPiece is the size of a piece; its last bytes may stay unused.
const logPiece = 64 << 10

// add takes the next batches, as kvLevel does.
func (l *levelLog) add(batches []trace.ServingBatch) {
	for i := range batches {
		b := &batches[i]
		if l.pending && l.at == b.StartNs {
			l.level = b.TransientKVTokens
		} else {
			l.change(b.StartNs, b.TransientKVTokens)
		}
		l.change(b.FinishNs(), b.KVTokensAfter)
	}
}

func (l *levelLog) change(at, level int64) {
	if l.pending {
		l.write()
	}
	l.at, l.level, l.pending = at, level, true
	l.changes++
}

// write appends the pending change.
func (l *levelLog) write() {
	last := len(l.pieces) - 1
	if last < 0 || cap(l.pieces[last])-len(l.pieces[last]) < 2*binary.MaxVarintLen64 {
		l.pieces = append(l.pieces, make([]byte, 0, logPiece))
		last++
	}
	p := binary.AppendVarint(l.pieces[last], l.at-l.lastAt)
	l.pieces[last] = binary.AppendVarint(p, l.level-l.was)
	l.lastAt, l.was = l.at, l.level
}

// blocks yields the changes in order, at most n at a time. The slices are valid until
// the loop goes on.
func (l *levelLog) blocks(n int) iter.Seq2[[]int64, []int64] {
	return func(yield func(atNs, level []int64) bool) {
		var atNs, levels []int64
		full := func(at, level int64) (goOn bool) {
			if atNs, levels = append(atNs, at), append(levels, level); len(atNs) < n {
				return true
			}
			goOn = yield(atNs, levels)
			atNs, levels = atNs[:0], levels[:0]
			return goOn
		}
		var at, level int64
		for _, p := range l.pieces {
			for len(p) > 0 {
				d, k := binary.Varint(p)
				e, m := binary.Varint(p[k:])
				p = p[k+m:]
				if at, level = at+d, level+e; !full(at, level) {
					return
				}
			}
		}
		if l.pending && !full(l.at, l.level) {
			return
		}
		if len(atNs) > 0 {
			yield(atNs, levels)
		}
	}
}
