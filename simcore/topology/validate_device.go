package topology

import (
	"math"
	"slices"
	"strconv"

	"github.com/inferlab/inferlab/simcore/hardware"
)

// device checks section 5.4.
func (v *validator) device(p place, d *Device) {
	enum(v, p, ".kind", d.Kind, deviceKinds)
	v.provenance(p, &d.Provenance)
	if d.ID == "" {
		v.issues.Add("empty_id", p.path(""), "a device needs an id")
	}
	if d.ExecutionProvider == "" {
		v.issues.Add("empty_ep", p.path(".executionProvider"), "a device needs an execution provider")
	}
	v.positive(p, ".maxConcurrentCompute", &d.MaxConcurrentCompute)
	distinct(v, p, ".memoryDomainIds", d.MemoryDomainIDs)
	distinct(v, p, ".capabilities", d.Capabilities)
	enums(v, p, ".capabilities", d.Capabilities, capabilities)
	distinct(v, p, ".supportedDtypes", d.SupportedDtypes)
	v.compute(p, d)
	if len(d.MemoryDomainIDs) == 0 {
		v.issues.Add("no_memory", p.path(".memoryDomainIds"), "a device lists at least one memory domain")
	}
	for _, id := range d.MemoryDomainIDs {
		switch domain := v.domainByID(id); {
		case domain == nil:
			v.issues.Add("unknown_domain", p.path(".memoryDomainIds"), "there is no memory domain %q", id)
		case !slices.Contains(domain.AccessibleBy, d.ID):
			v.issues.Add("asymmetric_access", p.path(".memoryDomainIds"), "the domain %q does not list the device %q in accessibleBy", id, d.ID)
		}
	}
}

// compute checks a device's compute binding.
func (v *validator) compute(p place, d *Device) {
	if d.ComputeProfileID != "" {
		profile, known := hardware.ProfileByID(d.ComputeProfileID)
		switch {
		case !known:
			v.issues.Add("unknown_compute_profile", p.path(".computeProfileId"), "the compute registry has no profile %q", d.ComputeProfileID)
		case string(profile.DeviceKind) != string(d.Kind):
			v.issues.Add("compute_profile_kind_mismatch", p.path(".computeProfileId"), "the profile %q is of kind %s, the device of kind %s", d.ComputeProfileID, profile.DeviceKind, d.Kind)
		}
	}
	if !d.HasCustomPeaks {
		return
	}
	if d.ComputeProfileID != "" {
		v.issues.Add("multiple_compute_profiles", p.path(""), "computeProfileId and customComputePeaks exclude each other")
	}
	if len(d.CustomComputePeaks) == 0 {
		v.issues.Add("empty_custom_compute_peaks", p.path(".customComputePeaks"), "at least one peak must be given")
	}
	dtypes := make([]string, len(d.CustomComputePeaks))
	for k := range d.CustomComputePeaks {
		dtypes[k] = d.CustomComputePeaks[k].Dtype
	}
	distinct(v, p, ".customComputePeaks.dtypes", dtypes)
	for k := range d.CustomComputePeaks {
		if rate := d.CustomComputePeaks[k].OperationsPerSecond; !(rate > 0) || math.IsInf(rate, 0) {
			v.issues.Add("positive_compute_peak", p.path(".customComputePeaks["+strconv.Itoa(k)+"].operationsPerSecond"), "expected a finite rate above 0, found %s", show(rate))
		}
	}
}
