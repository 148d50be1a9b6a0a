package documents

import (
	"io"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/simcore/replay/speculativereplay"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/inferlab/inferlab/simcore/workload"
)

// speculativeTrace reads the trace of a speculative workload and replays it; with a
// machine, the tables of the plan that carried it out follow.
func speculativeTrace(r io.ReadSeeker, _ head, opt arrowio.Options) ([]*arrowio.Table, error) {
	root, err := tree(r)
	if err != nil {
		return nil, err
	}
	d, err := speculativereplay.ReadDocument(root)
	if err != nil {
		return nil, err
	}
	run := &speculative.Run{Config: d.Config}
	if run.Replayed, err = d.Verify(); err != nil {
		return nil, err
	}
	run.Trace = d.Trace
	if run.Contract, err = workload.ContractOf(d.Config.Family); err != nil {
		return nil, err
	}
	tables := arrowio.Speculative(run, opt).All()
	if d.Execution != nil {
		tables = append(tables, arrowio.PlanDocument(d.Execution, opt)...)
	}
	return tables, nil
}
