package workload

// Admission is the rule by which a serving scheduler grants KV. No configuration
// file can name it: whoever wants another rule than the guard says so in code or on
// the command line.
type Admission uint8

// The two rules. AdmitGuarded is the contract's; AdmitUnguarded exists so that its
// deadlock can be shown and tested, and is fit for nothing else.
const (
	AdmitGuarded   Admission = iota // all that a request still needs must be free (contract 05 section 4.7)
	AdmitUnguarded                  // one free position is enough, and free space alone limits a grant
)

// UnguardedAdmissionRevision is the revision of the unguarded rule in contract maps.
const UnguardedAdmissionRevision int64 = 1

// String names the rule.
func (a Admission) String() string {
	if a == AdmitUnguarded {
		return "unguarded"
	}
	return "guarded"
}
