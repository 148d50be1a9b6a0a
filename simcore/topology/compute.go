package topology

import (
	"strings"

	"github.com/inferlab/inferlab/simcore/hardware"
)

// ComputePeak is the device look-up of a dense rate in operations per second
// (contract 02 section 13): the device's own peaks first, letter case ignored,
// then the registry profile it names. False means that no rate is known, which is
// never a rate of zero.
func (d *Device) ComputePeak(dtype string) (float64, bool) {
	for i := range d.CustomComputePeaks {
		if strings.EqualFold(d.CustomComputePeaks[i].Dtype, dtype) {
			return d.CustomComputePeaks[i].OperationsPerSecond, true
		}
	}
	profile, known := hardware.ProfileByID(d.ComputeProfileID)
	if !known {
		return 0, false
	}
	peak, known := profile.DensePeak(dtype)
	return peak.OperationsPerSecond, known
}

// offeredDtypes lists the dtypes that a registry profile has rates for.
func offeredDtypes(profileID string) []string {
	profile, known := hardware.ProfileByID(profileID)
	if !known {
		return nil
	}
	return profile.OfferedDtypes()
}
