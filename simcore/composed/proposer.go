package composed

import (
	"github.com/inferlab/inferlab/simcore/replay/servingreplay"
	"github.com/inferlab/inferlab/simcore/replay/speculativereplay"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/inferlab/inferlab/simcore/workload"
)

// proposer is a run's speculation: the live one, the checker's own, and its price.
// The zero value is target-only decoding.
type proposer struct {
	live    serving.Speculation
	checker servingreplay.Speculation
	cost    workload.Proposer
}

func newProposer(cfg *workload.ServingSpeculation, requests []workload.Request) (proposer, error) {
	if cfg == nil {
		return proposer{}, nil
	}
	live, err := speculative.NewServing(cfg, requests)
	if err != nil {
		return proposer{}, err
	}
	checker, err := speculativereplay.NewServing(cfg, requests)
	if err != nil {
		return proposer{}, err
	}
	contract, err := workload.ContractOf(cfg.Family)
	if err != nil {
		return proposer{}, err
	}
	return proposer{live: live, checker: checker, cost: contract.Proposer()}, nil
}
