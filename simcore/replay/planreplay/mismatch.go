package planreplay

import (
	"fmt"
	"strconv"
)

// Mismatch is the first event of a trace that the rules do not allow. Index is
// the event's position among the operations; the terminal (or the first
// terminal) has the number of operations as its index.
type Mismatch struct {
	Index  int64
	Rule   string // stable name of the rule that is broken
	Detail string // what was found and what was expected
}

// Error names the event, the rule and the difference.
func (m *Mismatch) Error() string {
	return "plan trace: event " + strconv.FormatInt(m.Index, 10) + " breaks " + m.Rule + ": " + m.Detail
}

func mismatch(index int, rule, format string, args ...any) *Mismatch {
	return &Mismatch{Index: int64(index), Rule: rule, Detail: fmt.Sprintf(format, args...)}
}

// The rules, in the order in which an event is examined.
const (
	RuleRevision     = "contract_revision"
	RuleExecution    = "execution_id"
	RuleEpoch        = "topology_epoch"
	RuleGlobal       = "global_sequence"
	RuleSequence     = "source_sequence"
	RuleStep         = "step"
	RuleContent      = "content"
	RuleResources    = "resources"
	RuleTimes        = "times"
	RuleDuration     = "duration"
	RuleMonotonic    = "submission_monotonic"
	RuleDependency   = "dependency"
	RuleSubmission   = "submission_time"
	RuleCommunicator = "communicator_order"
	RuleOrder        = "submission_order"
	RuleOmitted      = "omitted_step"
	RuleLane         = "lane"
	RuleStart        = "start"
	RuleLease        = "lease"
	RuleEventCount   = "event_count"
	RuleBudget       = "event_budget"
	RuleFault        = "fault"
	RuleAfterFault   = "submitted_after_fault"
	RuleFailedNode   = "failed_node_executes"
	RuleTerminal     = "terminal"
	RuleStatus       = "terminal_status"
	RuleReason       = "terminal_reason"
	RuleUnsubmitted  = "unsubmitted_steps"
	RuleInjection    = "terminal_injection"
	RuleTimestamp    = "terminal_timestamp"
	RuleRankStates   = "rank_states"
	RuleAdmissions   = "admissions"
	RuleHandoff      = "handoff"
	RulePlan         = "plan" // the plan does not fit the scenario
)
