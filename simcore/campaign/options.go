package campaign

import (
	"errors"
	"slices"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/trace"
)

// The blocks that this package reads from a workload file.
const (
	campaignBlock = "concurrent_campaign"
	failoverBlock = "node_failover"
	failureBlock  = "node_failure"
)

// Keys are the blocks that this package reads, for callers that report unknown keys.
var Keys = []string{campaignBlock, failoverBlock, failureBlock}

// The members of the blocks.
var (
	campaignKeys = []string{"execution_count", "seed", "arrival_window_ns"}
	failureKeys  = []string{"node_id", "at_ns", "quiesce_timeout_ns", "reason"}
	failoverKeys = []string{"failed_node_id", "fault_at_ns", "reason", "quiesce_timeout_ns"}
)

// within gives a refusal of one of a block's members the member's path in a file.
func within(block string, keys []string, err error) error {
	var e *issue.Error
	if errors.As(err, &e) && slices.Contains(keys, e.Path) {
		return issue.New(e.Code, block+"."+e.Path, "%s", e.Message)
	}
	return err
}

// Reasons that a fault carries when the file gives none.
const (
	failoverReason = "node failure with failover to a replanned machine"
	failureReason  = "node failure during a concurrent campaign"
)

// ReadOptions reads the optional block concurrent_campaign at the root of a
// workload file. Absent keys mean 32 executions, the given seed and arrivals
// within 1 ms. Ranges are checked when the campaign is drawn.
func ReadOptions(root document.Node, seed int64) executor.CampaignOptions {
	o := executor.CampaignOptions{ExecutionCount: 32, Seed: seed, ArrivalWindowNs: 1_000_000}
	n := root.Get(campaignBlock)
	if !n.Present() || !n.Known(campaignKeys...) {
		return o
	}
	o.ExecutionCount = n.Get("execution_count").IntegerOr(o.ExecutionCount)
	o.Seed = n.Get("seed").IntegerOr(o.Seed)
	o.ArrivalWindowNs = n.Get("arrival_window_ns").IntegerOr(o.ArrivalWindowNs)
	return o
}

// ReadNodeFailure reads the required block node_failure.
func ReadNodeFailure(root document.Node) trace.Fault {
	f := trace.Fault{Kind: trace.NodeFailure, HasQuiesceTimeout: true}
	n := root.Get(failureBlock)
	if !n.Known(failureKeys...) {
		return f
	}
	f.NodeID = n.Get("node_id").NonEmpty()
	f.AtNs = n.Get("at_ns").Integer()
	f.QuiesceTimeoutNs = n.Get("quiesce_timeout_ns").Integer()
	f.Reason = reason(n, failureReason)
	return f
}

// ReadFailover reads the required block node_failover into a request; scenarios
// and plans are the caller's to add.
func ReadFailover(root document.Node) trace.FailoverRequest {
	var q trace.FailoverRequest
	n := root.Get(failoverBlock)
	if !n.Known(failoverKeys...) {
		return q
	}
	q.FailedNodeID = n.Get("failed_node_id").NonEmpty()
	q.FaultAtNs = n.Get("fault_at_ns").Integer()
	q.Reason = reason(n, failoverReason)
	if t := n.Get("quiesce_timeout_ns"); t.Present() {
		q.HasTimeout, q.QuiesceTimeoutNs = true, t.Integer()
	}
	return q
}

func reason(n document.Node, absent string) string {
	if r := n.Get("reason"); r.Present() {
		return r.NonEmpty()
	}
	return absent
}
