package hardware

import "slices"

// registry is every profile in the order of the registry; byID finds them.
var (
	registry = slices.Concat(cpuProfiles, gpuProfiles, npuProfiles)
	byID     = index(registry)
)

func index(profiles []Profile) map[string]*Profile {
	m := make(map[string]*Profile, len(profiles))
	for i := range profiles {
		m[profiles[i].ID] = &profiles[i]
	}
	return m
}

// Profiles lists the registry: CPUs, then GPUs, then NPUs. The list is shared and
// must not be changed.
func Profiles() []Profile { return registry }

// ProfileByID finds a profile; false means that the registry has no such id.
func ProfileByID(id string) (*Profile, bool) {
	p, ok := byID[id]
	return p, ok
}
