package campaign

import (
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/trace"
)

// Keys are the blocks that this package reads from a workload file, for callers
// that report unknown keys.
var Keys = []string{"concurrent_campaign", "node_failover", "node_failure"}

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
	n := root.Get("concurrent_campaign")
	if !n.Present() || !n.Known("execution_count", "seed", "arrival_window_ns") {
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
	n := root.Get("node_failure")
	if !n.Known("node_id", "at_ns", "quiesce_timeout_ns", "reason") {
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
	n := root.Get("node_failover")
	if !n.Known("failed_node_id", "fault_at_ns", "reason", "quiesce_timeout_ns") {
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
