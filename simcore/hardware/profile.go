// Package hardware holds published facts about machines: the registry of compute
// peaks that devices of a scenario refer to, and the machine presets of the
// static analyser.
//
// In goes a profile id or a preset name; out come peaks, rates and extents. A
// published peak is a theoretical ceiling and never throughput: it bounds modelled
// time from below and says nothing about what a run achieves.
//
// Contract 02 sections 13 and 14.1, registry revision 1; contract 08 section B2.2.
package hardware

import "strings"

// RegistryRevision is the revision of the compute registry.
const RegistryRevision = 1

// Kind is the kind of chip that a profile describes, spelled as the device kinds
// of a scenario.
type Kind string

// The three kinds of chip.
const (
	CPU Kind = "cpu"
	GPU Kind = "gpu"
	NPU Kind = "npu"
)

// Class is the market a product is made for.
type Class string

// The four product classes.
const (
	Datacenter Class = "datacenter"
	Desktop    Class = "desktop"
	Mobile     Class = "mobile"
	Integrated Class = "integrated"
)

// Engine is the part of a chip that a peak belongs to.
type Engine string

// The five engines.
const (
	Vector    Engine = "vector"
	Matrix    Engine = "matrix"
	Tensor    Engine = "tensor"
	NPUEngine Engine = "npu"
	GPUShader Engine = "gpu_shader"
)

// Sparsity says whether a peak counts every operand. Only Dense peaks are roofs.
type Sparsity string

// The three kinds of sparsity.
const (
	Dense       Sparsity = "dense"
	Structured  Sparsity = "structured"
	Unspecified Sparsity = "unspecified"
)

// VendorAI is the dtype of a figure that a vendor gives in TOPS without naming a
// number format. It is for display only.
const VendorAI = "vendor_ai"

// Source cites a primary document of the vendor.
type Source struct {
	Label      string
	AccessedAt string // YYYY-MM-DD
}

// Peak is one published rate.
type Peak struct {
	Dtype               string // fp64 … int1, or VendorAI
	OperationsPerSecond float64
	Engine              Engine
	Sparsity            Sparsity
	Accumulation        string // dtype of the accumulator, empty when not stated
	SourceIndex         int    // into Profile.Sources
}

// Profile is one chip of the registry.
type Profile struct {
	ID          string // the value of computeProfileId
	Vendor      string
	Model       string
	ReleaseDate string // YYYY, YYYY-MM or YYYY-MM-DD
	DeviceKind  Kind
	Class       Class
	Aliases     []string
	Sources     []Source
	Peaks       []Peak // empty when the vendor published none
}

// DensePeak is the dense look-up: among the dense peaks of the dtype (letter case
// is ignored) the first that accumulates in fp32, else the slowest, the first of
// equals. False means that the vendor published no dense rate for it.
func (p *Profile) DensePeak(dtype string) (Peak, bool) {
	dtype = strings.ToLower(dtype)
	slowest := -1
	for i := range p.Peaks {
		peak := &p.Peaks[i]
		if peak.Dtype != dtype || peak.Sparsity != Dense {
			continue
		}
		if peak.Accumulation == "fp32" {
			return *peak, true
		}
		if slowest < 0 || peak.OperationsPerSecond < p.Peaks[slowest].OperationsPerSecond {
			slowest = i
		}
	}
	if slowest < 0 {
		return Peak{}, false
	}
	return p.Peaks[slowest], true
}

// OfferedDtypes lists the distinct number formats of the published peaks in order,
// without VendorAI.
func (p *Profile) OfferedDtypes() []string {
	var offered []string
	seen := func(dtype string) bool {
		for _, d := range offered {
			if d == dtype {
				return true
			}
		}
		return false
	}
	for i := range p.Peaks {
		if d := p.Peaks[i].Dtype; d != VendorAI && !seen(d) {
			offered = append(offered, d)
		}
	}
	return offered
}
