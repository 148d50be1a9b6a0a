package report

import "errors"

// Meta is what a page says about the making of a result beside the result itself.
// Every field is optional; what is missing is shown as unknown.
type Meta struct {
	Command   string // command name, for example "serving"
	ModelName string // bound model with its format; empty: synthetic work

	Seed    int64 // of the run, meaningful when HasSeed
	HasSeed bool

	InputFingerprint  string
	OutputFingerprint string

	CommandLine string  // what repeats the run, with only the inputs that differ from defaults
	Inputs      []Input // files and documents that the command line refers to

	Calibration *Calibration // dataset behind the timing; nil: none

	Result []byte `json:"-"` // the result document (JSON); embedded up to MaxResultBytes

	// WhatIf are hot capacities in bytes that the page of an expert cache asks about:
	// each is a run of the cache's own configuration.
	WhatIf []int64 `json:",omitempty"`

	MaxBytes int // size bound of the page; 0: DefaultMaxBytes

	links []linkOperation // of all plans of a composed run
}

// Input is one input of the run.
type Input struct {
	Name        string // as given, for example "serving.yaml"
	Fingerprint string
	Travels     bool // must be handed over as a file: it does not fit a command line
}

// Calibration says which dataset timing rests on.
type Calibration struct {
	DatasetID, Fingerprint, EvidenceKind, Fit string
}

// Limits of a page.
const (
	DefaultMaxBytes  = 8 << 20 // bytes of the whole file (contract 09, F5)
	MaxResultBytes   = 5 << 20 // without the white space between values; larger results are represented by their fingerprint (F4)
	tableRows        = 500     // more rows show the first and last half (F3)
	fallbackRows     = 100     // the same when the page would exceed its bound
	inspectorEntries = 12
)

// ErrNoRun reports that there is nothing to make a page of.
var ErrNoRun = errors.New("report: the run is nil or has no trace")
