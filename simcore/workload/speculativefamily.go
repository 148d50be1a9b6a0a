package workload

import (
	"strconv"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// FamilyContractRevision is the revision of the proposer family contract (contract
// 04 section 2.1). The table behind [ContractOf] is the only source of family
// facts: command line, transaction, compiler and serving all read it.
const FamilyContractRevision int64 = 2

// Family names a proposer family.
type Family string

// The six families.
const (
	PromptLookup    Family = "prompt_lookup"
	DraftModel      Family = "draft_model"
	MTP             Family = "mtp"
	Eagle3          Family = "eagle3"
	SharedKV        Family = "shared_kv"
	SelfSpeculative Family = "self_speculative"
)

// Families lists the six families in the order of the contract.
var Families = [...]Family{PromptLookup, DraftModel, MTP, Eagle3, SharedKV, SelfSpeculative}

// Support says whether a family is released or a design.
type Support string

// The two classes of support.
const (
	SupportCurrent    Support = "onnx_genai_current"
	SupportDesignOnly Support = "design_only"
)

// ProposalPrefix says what a proposal begins with.
type ProposalPrefix string

// The two prefixes. A guaranteed prefix is one token that the target itself has
// chosen: it is never rejected and costs no proposer work.
const (
	PrefixNone             ProposalPrefix = "none"
	PrefixGuaranteedTarget ProposalPrefix = "guaranteed_target"
)

// StateRole says what a state group holds.
type StateRole string

// The seven roles.
const (
	RoleTargetKV       StateRole = "target_kv"
	RoleTargetAux      StateRole = "target_aux"
	RoleDraftKV        StateRole = "draft_kv"
	RoleSidecarKV      StateRole = "sidecar_kv"
	RoleRecurrentState StateRole = "recurrent_state"
	RoleSharedKVLease  StateRole = "shared_kv_lease"
	RoleEarlyExitState StateRole = "early_exit_state"
)

var stateRoles = []string{
	string(RoleTargetKV), string(RoleTargetAux), string(RoleDraftKV), string(RoleSidecarKV),
	string(RoleRecurrentState), string(RoleSharedKVLease), string(RoleEarlyExitState),
}

// StateOwner says who allocates a state group.
type StateOwner string

// The two owners.
const (
	OwnedByTarget   StateOwner = "target"
	OwnedByProposer StateOwner = "proposer"
)

// StateLifetime says how long the rows of a state group live.
type StateLifetime string

// The three lifetimes.
const (
	CommittedPrefix StateLifetime = "committed_prefix" // restored to the accepted prefix, then follows the commits
	ProposalLocal   StateLifetime = "proposal_local"   // cleared after each verification
	Borrowed        StateLifetime = "borrowed"         // a lease on target state, released after each verification
)

// StateRow is one row of a family's state: what every run of the family must have.
type StateRow struct {
	Role     StateRole
	Owner    StateOwner
	Lifetime StateLifetime
}

// FamilyContract is what is fixed about a family.
type FamilyContract struct {
	Family                 Family
	Support                Support
	Execution              ProposerExecution
	ProposalPrefix         ProposalPrefix
	TargetHiddenOutputs    int64 // hidden outputs of the target that the proposer reads
	RequiresSharedKVGroups bool
	ProposerCostScale      float64    // heuristic coefficient, never a throughput claim
	State                  []StateRow // the index is used in generated ids
}

var (
	targetKVRow  = StateRow{RoleTargetKV, OwnedByTarget, CommittedPrefix}
	sidecarRow   = StateRow{RoleSidecarKV, OwnedByProposer, ProposalLocal}
	recurrentRow = StateRow{RoleRecurrentState, OwnedByProposer, ProposalLocal}
	sidecarState = []StateRow{targetKVRow, sidecarRow, recurrentRow}
)

var familyContracts = [len(Families)]FamilyContract{
	{PromptLookup, SupportCurrent, CPULookup, PrefixNone, 0, false, 0.08, []StateRow{targetKVRow}},
	{DraftModel, SupportCurrent, SeparateModel, PrefixNone, 0, false, 1,
		[]StateRow{targetKVRow, {RoleDraftKV, OwnedByProposer, CommittedPrefix}}},
	{MTP, SupportCurrent, SidecarExecution, PrefixGuaranteedTarget, 1, false, 0.32, sidecarState},
	{Eagle3, SupportCurrent, SidecarExecution, PrefixGuaranteedTarget, 3, false, 0.46, sidecarState},
	{SharedKV, SupportCurrent, SharedKVAssistant, PrefixGuaranteedTarget, 1, true, 0.38,
		[]StateRow{targetKVRow, {RoleSharedKVLease, OwnedByTarget, Borrowed}, recurrentRow}},
	{SelfSpeculative, SupportDesignOnly, TargetEarlyExit, PrefixNone, 0, false, 0.55,
		[]StateRow{targetKVRow, {RoleEarlyExitState, OwnedByProposer, ProposalLocal}}},
}

// ContractOf gives the contract of a family. The value is shared and must not be
// written to. A name that is no family is an *issue.Error that quotes it.
func ContractOf(f Family) (*FamilyContract, error) {
	for i := range familyContracts {
		if familyContracts[i].Family == f {
			return &familyContracts[i], nil
		}
	}
	return nil, issue.New("unknown_family", "", "%q is no proposer family; the families are %v", f, Families)
}

// FamilyNames lists the families as texts, for choices and messages.
func FamilyNames() []string {
	names := make([]string, len(Families))
	for i, f := range Families {
		names[i] = string(f)
	}
	return names
}

// GuaranteedTokens is the width of the guaranteed prefix: 1 or 0.
func (c *FamilyContract) GuaranteedTokens() int64 {
	if c.ProposalPrefix == PrefixGuaranteedTarget {
		return 1
	}
	return 0
}

// Proposer is what the family's proposer costs.
func (c *FamilyContract) Proposer() Proposer {
	return Proposer{Execution: c.Execution, CostScale: c.ProposerCostScale}
}

// KVMode is the lifetime of the family's proposer KV as configurations spell it,
// "none" without one (contract 04 section 13.1).
func (c *FamilyContract) KVMode() string {
	if len(c.State) == 1 {
		return "none"
	}
	return string(c.State[1].Lifetime)
}

// hasRow reports whether a group equals one row of the family.
func (c *FamilyContract) hasRow(r StateRow) bool {
	for _, row := range c.State {
		if row == r {
			return true
		}
	}
	return false
}

func (c *FamilyContract) hasRole(role StateRole) bool {
	for _, row := range c.State {
		if row.Role == role {
			return true
		}
	}
	return false
}

// RollbackProtection says how a state group gets rid of rejected rows.
type RollbackProtection struct {
	// Bounded is bounded_snapshot: overwritten state is saved for at most
	// MaxRollbackTokens rows. False is non_destructive_tail: rejected rows stay
	// stale behind the logical length, and a restore only moves the cursor.
	Bounded           bool
	MaxRollbackTokens int64
}

// Kind is the contract's spelling.
func (p RollbackProtection) Kind() string {
	if p.Bounded {
		return "bounded_snapshot"
	}
	return "non_destructive_tail"
}

// StateGroup declares one stream of state that a checkpoint covers.
type StateGroup struct {
	ID             string
	Owner          StateOwner
	Role           StateRole
	Lifetime       StateLifetime
	CapacityTokens int64
	Rollback       RollbackProtection
}

// Row is the group's place in the family table.
func (g *StateGroup) Row() StateRow { return StateRow{g.Role, g.Owner, g.Lifetime} }

// WithDefaults fills an absent role (target_kv of the target, draft_kv of the
// proposer) and lifetime (committed_prefix), contract 04 section 2.5.
func (g StateGroup) WithDefaults() StateGroup {
	if g.Role == "" {
		g.Role = RoleTargetKV
		if g.Owner == OwnedByProposer {
			g.Role = RoleDraftKV
		}
	}
	if g.Lifetime == "" {
		g.Lifetime = CommittedPrefix
	}
	return g
}

// Groups builds the family's state groups for a capacity in tokens and a bound on
// rollbacks (contract 04 section 2.3), in row order.
func (c *FamilyContract) Groups(capacityTokens, maxRollbackTokens int64) []StateGroup {
	groups := make([]StateGroup, len(c.State))
	for i, row := range c.State {
		groups[i] = StateGroup{
			ID:    string(c.Family) + ":" + string(row.Role) + ":" + strconv.Itoa(i),
			Owner: row.Owner, Role: row.Role, Lifetime: row.Lifetime,
			CapacityTokens: capacityTokens,
		}
		if row.Lifetime == ProposalLocal {
			groups[i].CapacityTokens = max(1, maxRollbackTokens)
			groups[i].Rollback = RollbackProtection{Bounded: true, MaxRollbackTokens: maxRollbackTokens}
		}
	}
	return groups
}

// CheckGroups checks declared groups, defaults filled in, against the family
// (contract 04 section 2.5).
func (c *FamilyContract) CheckGroups(groups []StateGroup) error {
	present := make([]bool, len(c.State))
	for i := range groups {
		g := &groups[i]
		if g.Role == RoleTargetAux {
			if g.Owner != OwnedByTarget || g.Lifetime != CommittedPrefix {
				return issue.New("state_group", "", "group %q: role target_aux must be owned by the target with lifetime committed_prefix", g.ID)
			}
			continue
		}
		if !c.hasRole(g.Role) {
			return issue.New("state_group", "", "group %q: role %s does not occur in family %s", g.ID, g.Role, c.Family)
		}
		for r, row := range c.State {
			present[r] = present[r] || g.Row() == row
		}
	}
	for r, row := range c.State {
		if !present[r] {
			return issue.New("state_group", "", "family %s needs a group with role %s, owner %s, lifetime %s, and none is declared",
				c.Family, row.Role, row.Owner, row.Lifetime)
		}
	}
	return nil
}

// The two ways of decoding.
const (
	Greedy   = "greedy"
	Sampling = "sampling"
)

// Eligibility is what a backend offers to a proposer (contract 04 sections 2.4 and
// 13.5). It is mandatory for callers: the zero value is eligible for nothing.
type Eligibility struct {
	ProposerAvailable      bool
	Decoding               string // Greedy or Sampling
	GrammarActive          bool
	TargetKVAvailable      bool
	TargetHiddenOutputs    int64
	SharedKVGroups         int64
	TargetLayers           float64 // read for self_speculative only
	EarlyExitLayer         float64 // read for self_speculative only
	AllowDesignOnly        bool    // read for self_speculative only
	MultiTokenVerification bool    // a target forward may have more than one row
}

// DefaultEligibility is what a configuration file that names the family has unless
// it says otherwise; naming a design-only family is the opt-in.
func (c *FamilyContract) DefaultEligibility() Eligibility {
	e := Eligibility{
		ProposerAvailable: true, Decoding: Greedy, TargetKVAvailable: true,
		TargetHiddenOutputs: c.TargetHiddenOutputs, TargetLayers: 32, EarlyExitLayer: 16,
		AllowDesignOnly: true, MultiTokenVerification: true,
	}
	if c.RequiresSharedKVGroups {
		e.SharedKVGroups = 1
	}
	return e
}

// CheckEligibility applies the rules of contract 04 sections 2.4 and 13.5 for an
// additional width of that many tokens. Every error names the family.
func (c *FamilyContract) CheckEligibility(e *Eligibility, maxAdditionalTokens int64) error {
	refuse := func(field, format string, args ...any) error {
		return issue.New("ineligible", "eligibility."+field, "family "+string(c.Family)+": "+format, args...)
	}
	switch {
	case !e.ProposerAvailable:
		return refuse("proposer_available", "the proposer is not available")
	case !e.TargetKVAvailable:
		return refuse("target_kv_available", "the target's KV is not available")
	case e.GrammarActive:
		return refuse("grammar_active", "speculation cannot be combined with an active grammar")
	case e.Decoding != Greedy:
		return refuse("decoding", "decoding must be greedy, found %q", e.Decoding)
	case !quantity.IsCount(e.TargetHiddenOutputs):
		return refuse("target_hidden_output_count", "is %d, must be a non-negative integer", e.TargetHiddenOutputs)
	case !quantity.IsCount(e.SharedKVGroups):
		return refuse("shared_kv_group_count", "is %d, must be a non-negative integer", e.SharedKVGroups)
	case e.TargetHiddenOutputs < c.TargetHiddenOutputs:
		return refuse("target_hidden_output_count", "needs %d hidden outputs of the target, found %d", c.TargetHiddenOutputs, e.TargetHiddenOutputs)
	case c.RequiresSharedKVGroups && e.SharedKVGroups < 1:
		return refuse("shared_kv_group_count", "needs at least one shared-KV group")
	case c.Support == SupportDesignOnly && !e.AllowDesignOnly:
		return refuse("allow_design_only", "the family is design-only and the opt-in is missing")
	case c.Family == SelfSpeculative && !layerSplit(e):
		return refuse("early_exit_layer", "needs integers with target_layer_count >= 2 and 1 <= early_exit_layer < target_layer_count, found %s and %s",
			canonical.Number(e.TargetLayers), canonical.Number(e.EarlyExitLayer))
	case !e.MultiTokenVerification && (c.GuaranteedTokens() == 1 || maxAdditionalTokens >= 1):
		return refuse("multi_token_verification", "the backend verifies one row a forward, and this proposal is wider; there is no silent split")
	}
	return nil
}

func layerSplit(e *Eligibility) bool {
	layers, whole := quantity.FromFloat(e.TargetLayers)
	exit, also := quantity.FromFloat(e.EarlyExitLayer)
	return whole && also && layers >= 2 && exit >= 1 && exit < layers
}
