// Package evidence labels results by the weakest thing they rest on.
//
// From strongest to weakest: exact (identities, extents, order, conservation),
// bounded (checked exhaustively in a finite scenario), calibrated (measured
// coefficients with provenance), heuristic (uncalibrated approximation). The
// weakest input decides, and modelled timing is never exact.
//
// Source: design section 3; contract 02 section 3.3; contract 06 section 14.2.
package evidence

// Class is a confidence class, spelled as in documents.
type Class string

// The four classes, strongest first.
const (
	Exact      Class = "exact"
	Bounded    Class = "bounded"
	Calibrated Class = "calibrated"
	Heuristic  Class = "heuristic"
)

// Classes lists the classes from strongest to weakest.
var Classes = [...]Class{Exact, Bounded, Calibrated, Heuristic}

// Valid reports whether c is one of the four classes.
func (c Class) Valid() bool { return c.rank() >= 0 }

// rank is 0 for the strongest class and -1 for a text that is no class.
func (c Class) rank() int {
	for i, known := range Classes {
		if c == known {
			return i
		}
	}
	return -1
}

// Weakest returns the weakest of the given classes. An unknown class is as weak
// as heuristic; no class at all is exact, the neutral element.
func Weakest(classes ...Class) Class {
	worst := 0
	for _, c := range classes {
		r := c.rank()
		if r < 0 {
			r = len(Classes) - 1
		}
		worst = max(worst, r)
	}
	return Classes[worst]
}

// Timing is the label of modelled time whose inputs have the given weakest class:
// heuristic when any input is, otherwise calibrated. Timing is never exact or
// bounded.
func Timing(weakest Class) Class {
	if Weakest(weakest) == Heuristic {
		return Heuristic
	}
	return Calibrated
}

// Provenance says where a coefficient comes from.
type Provenance struct {
	Confidence Class  // class of the coefficient
	Source     string // citation, free text, never empty in a valid scenario
	MeasuredAt string // date of measurement, empty when absent
	Notes      string // free text, empty when absent
}
