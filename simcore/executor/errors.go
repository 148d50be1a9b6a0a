package executor

import (
	"errors"

	"github.com/inferlab/inferlab/simcore/des"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// Codes of the errors of an execution.
const (
	CodeOverflow    = "timestamp_overflow" // a finish beyond 2^53 - 1 ns
	CodeEventBudget = "event_budget"       // more events than execution.maxEvents
	CodeFault       = "invalid_fault"      // a fault that cannot happen to this plan
	CodeInjection   = "invalid_injection"  // a terminal injection that names no step, or no reason
	CodeRequest     = "invalid_request"    // a concurrent request that breaks 13.1
	CodeRuntime     = "runtime_order"      // a streaming operation out of turn
	CodeSequencer   = "sequencer"          // a communicator operation out of turn
	CodeCampaign    = "campaign"           // a campaign option outside its range
	CodeFailover    = "failover"           // a failover whose parts do not fit
)

func overflow(s *plan.Step, start int64) error {
	return issue.New(CodeOverflow, "", "step %d: start %d ns plus duration %d ns exceeds %d", s.ID, start, s.Operation.DurationNs, quantity.MaxSafe)
}

func overBudget(limit int64) error {
	return issue.New(CodeEventBudget, "execution.maxEvents", "the execution needs more than maxEvents = %d events", limit)
}

// budgetError words the kernel's refusal of one event too many.
func budgetError(err error, limit int64) error {
	var fatal *des.FatalError
	if errors.As(err, &fatal) && fatal.Code == des.EventLimitExceeded {
		return overBudget(limit)
	}
	return err
}
