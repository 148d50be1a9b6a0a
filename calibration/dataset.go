package calibration

import (
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/topology"
)

// Revision is the revision of the calibration dataset that this package reads;
// any other is refused.
const Revision int64 = 3

// Dataset is a calibration dataset as plain data (contract 06 section 16.1).
// Nothing about it is promised until Validate accepts it.
type Dataset struct {
	Revision      int64
	ID            string
	Provenance    Provenance
	Applicability cost.Applicability
	Constants     Constants
	Quality       Quality
	Observations  []Observation
	Transports    []TransportObservation
}

// Kind is the kind of evidence.
type Kind string

// The two kinds. Synthetic data exercise the import; what they fit stays
// heuristic.
const (
	Measured  Kind = "measured"
	Synthetic Kind = "synthetic"
)

// Provenance says where the measurements come from.
type Provenance struct {
	Kind          Kind
	Source        string
	SoftwareStack string
	ModelArtifact string
	MeasuredAt    string // empty: absent; required for measured data
	Notes         string // empty: absent
}

// Constants are the sizes of the measured model.
type Constants struct {
	ActivationBytesPerToken int64
	CollectiveBytesPerToken int64
	ColdLoadByteMultiplier  int64
}

// Quality are the gates that a dataset sets itself.
type Quality struct {
	MinSamplesPerPoint  int64
	MaxNormalizedRMSE   float64 // in (0, 1]
	MaxP95RelativeError float64 // in (0, 1]
}

// Invocation is the capability of an empty invocation: the overhead of a step
// with no work items.
const Invocation topology.Capability = "invocation"

// Capabilities lists the observed capabilities in document order.
var Capabilities = [...]topology.Capability{
	Invocation, topology.Attention, topology.FFN, topology.Draft, topology.Lookup,
}

// Observation is repeated compute at one work-item point.
type Observation struct {
	ID          string
	DeviceKind  topology.DeviceKind
	Capability  topology.Capability
	WorkItems   int64   // 0 for invocation, positive otherwise
	DurationsNs []int64 // one a sample
	Regime      string  // shape and batch regime, free text
}

// TransportObservation is repeated movement of one message size on one exact
// path.
type TransportObservation struct {
	ID string
	cost.CurveKey
	Bytes       int64
	DurationsNs []int64 // one a sample
	Regime      string
}
