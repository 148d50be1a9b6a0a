package servingreplay

import "github.com/inferlab/inferlab/simcore/workload"

// asks is the free KV that a grant takes for granted, given what the request still
// needs until it completes: all of that under the guard (contract 05 section 4.7),
// a single position where free space alone decides.
func (c *checker) asks(outstanding int64) int64 {
	if c.cfg.Admission == workload.AdmitUnguarded {
		return 1
	}
	return outstanding
}

// Deadlock is what a checker finds at the end of a trace that is locked.
type Deadlock struct {
	AppliedEvents int64
	AtNs          int64
	FreeKVTokens  int64
	Blocked       int64 // requests that have arrived and not completed
}

// CheckDeadlock replays a trace that ends without a terminal because nothing can be
// selected any more, and confirms both: every event follows the rules, and a
// selection at the end is empty although requests are active. The error, when there
// is one, is a *Mismatch; a trace that could go on breaks NoDeadlock.
func CheckDeadlock(in Input) (Deadlock, error) {
	c := newChecker(in)
	if err := c.checkAll(in.Trace); err != nil {
		return Deadlock{}, err
	}
	return c.locked()
}

// locked confirms that a trace whose events have all been applied ends locked.
func (c *checker) locked() (Deadlock, error) {
	blocked := int64(c.arrivedCount) - c.completed
	switch {
	case c.ended:
		return Deadlock{}, c.bad(NoDeadlock, "the trace has a terminal event")
	case c.running:
		return Deadlock{}, c.bad(NoDeadlock, "batch %d is running", c.batches-1)
	case blocked == 0:
		return Deadlock{}, c.bad(NoDeadlock, "no request is active")
	}
	if err := c.missedArrival(c.now); err != nil {
		return Deadlock{}, err
	}
	if _, err := c.derive(); err != nil {
		return Deadlock{}, err
	}
	if c.work.TokenWork > 0 {
		return Deadlock{}, c.bad(NoDeadlock, "a batch of %d tokens can start at %d ns", c.work.TokenWork, c.now)
	}
	if err := c.everyRowUsed(); err != nil {
		return Deadlock{}, err
	}
	return Deadlock{AppliedEvents: c.index, AtNs: c.now, FreeKVTokens: c.cfg.MaxKVTokens - c.held, Blocked: blocked}, nil
}
