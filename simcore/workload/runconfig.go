package workload

import (
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
)

// RunKind is the block that decides what a workload file runs.
type RunKind string

// The three kinds, in order of precedence.
const (
	RunSpeculative RunKind = "speculative"
	RunExpertCache RunKind = "expert_cache"
	RunTargetOnly  RunKind = "target_only"
)

// RunConfig is a workload file (contract 06 section 3): the block that decides,
// and its contents as far as this package reads them. The speculative and expert
// engines read their own blocks from Root.
type RunConfig struct {
	Kind       RunKind
	TokenCount int64             // target_only
	Placement  PlacementStrategy // expert_cache: how experts are spread over owners
	Root       document.Node     // the whole file, for the engine of the deciding block
	Block      document.Node     // the deciding block
}

// runKeys are the root keys that some command reads from a workload file.
var runKeys = []string{
	"speculative", "expert_cache", "workload", "initial_prefetch", "target_only", // contract 06 section 3
	"concurrent_campaign", "node_failover", "node_failure", // contract 03 section 19
	"pipeline", "simulation", // contract 04 section 13.2
}

// ReadRun reads a workload file from the root of its reader. The first refusal,
// and the keys that were ignored, are with the reader.
func ReadRun(r *document.Reader) (RunConfig, error) {
	root := r.Root()
	c := RunConfig{Root: root}
	root.Known(runKeys...)
	knownSurround(root)
	for _, kind := range [...]RunKind{RunSpeculative, RunExpertCache, RunTargetOnly} {
		if block := root.Get(string(kind)); block.Present() {
			c.Kind, c.Block = kind, block
			break
		}
	}
	if err := r.Err(); err != nil {
		return c, err
	}
	switch c.Kind {
	case RunTargetOnly:
		c.Block.Known("token_count")
		c.TokenCount = c.Block.Get("token_count").Positive()
	case RunExpertCache:
		c.Placement = ReadPlacementStrategy(c.Block)
	case "":
		return c, issue.New("no_workload", "", "the workload has none of the blocks speculative, expert_cache, target_only")
	}
	return c, r.Err()
}
