package simcore

import "github.com/inferlab/inferlab/simcore/model/library"

// Model returns a published model in the number formats of its weights and of its
// KV cache ("fp16", "fp8", "int4", …): parameters, bytes of weights, KV bytes per
// token and the work of one token, all derived from the architecture and
// heuristic. An unknown name or format is refused with the nearest known ones.
func Model(name, weights, kvCache string) (*library.Profile, error) {
	return library.Model(name, weights, kvCache)
}

// Models lists the names that Model knows.
func Models() []string { return library.Names() }
