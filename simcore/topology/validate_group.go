package topology

import (
	"math"
	"slices"

	"github.com/inferlab/inferlab/simcore/quantity"
)

// groups checks communicator groups (section 5.10, rules 2 to 6).
func (v *validator) groups() {
	mapped := make(map[string]string)
	for i := range v.spec.Groups {
		g := &v.spec.Groups[i]
		if len(g.OrderedRanks) == 0 {
			v.issues.Add("empty_group", at("groups", i).path(".orderedRanks"), "the group %q has no ranks", g.ID)
		}
		ranks, devices := make(map[string]bool), make(map[string]bool)
		for j, r := range g.OrderedRanks {
			p := at("groups", i).within(".orderedRanks", j)
			if r.RankID == "" || ranks[r.RankID] {
				v.issues.Add("duplicate_rank", p.path(".rankId"), "the rank id %q is empty or repeated in the group %q", r.RankID, g.ID)
			}
			ranks[r.RankID] = true
			if device, known := mapped[r.RankID]; !known {
				mapped[r.RankID] = r.DeviceID
			} else if device != r.DeviceID {
				v.issues.Add("rank_remap", p.path(".rankId"), "the rank id %q already names the device %q, not %q", r.RankID, device, r.DeviceID)
			}
			if v.deviceByID(r.DeviceID) == nil {
				v.issues.Add("unknown_device", p.path(".deviceId"), "there is no device %q", r.DeviceID)
			}
			if devices[r.DeviceID] {
				v.issues.Add("duplicate_group_device", p.path(".deviceId"), "the device %q is already in the group %q", r.DeviceID, g.ID)
			}
			devices[r.DeviceID] = true
		}
	}
}

// parallelism checks section 9.2.
func (v *validator) parallelism() {
	const (
		path = "execution.parallelism"
		code = "parallelism_composition"
	)
	par := &v.spec.Execution.Parallelism
	t, p, e, d := v.num(&par.Tensor), v.num(&par.Pipeline), v.num(&par.Expert), v.num(&par.Data)
	if par.Composition != Cartesian && par.Composition != OverlapByCapability {
		v.issues.Add(code, path+".composition", "%q is neither cartesian nor overlap_by_capability", string(par.Composition))
	}
	required, overflow := math.Max(t, e), false
	if par.Composition == OverlapByCapability {
		if p != 1 || d != 1 {
			v.issues.Add(code, path, "overlap_by_capability needs pipeline 1 and data 1, found %s and %s", show(p), show(d))
		}
		if t != e {
			v.issues.Add(code, path, "overlap_by_capability needs equal tensor and expert degrees, found %s and %s", show(t), show(e))
		}
		if !slices.ContainsFunc(v.spec.Groups, func(g Group) bool { return float64(len(g.OrderedRanks)) == t }) {
			v.issues.Add(code, "groups", "overlap_by_capability needs a group with this number of ranks: %s", show(t))
		}
	} else {
		required = t
		for _, degree := range [...]float64{p, e, d} {
			required *= degree
			if _, safe := quantity.FromFloat(required); !safe {
				overflow = true
			}
		}
	}
	if overflow {
		v.issues.Add("integer_overflow", path, "the product of the degrees is not a safe integer")
	}
	if available := max(float64(len(v.index.ranks)), 1); !overflow && required > available {
		v.issues.Add("parallelism_participants", path, "ranks that the degrees need: %s, that the groups have: %s", show(required), show(float64(len(v.index.ranks))))
	}
}

// calibration checks section 5.10, rules 11 and 12.
func (v *validator) calibration() {
	for i := range v.spec.Calibration {
		p, c := at("calibration.coefficients", i), &v.spec.Calibration[i]
		v.provenance(p, &c.Provenance)
		if c.ID == "" || c.Unit == "" || !(c.Value >= 0) || math.IsInf(c.Value, 0) {
			v.issues.Add("invalid_calibration", p.path(""), "a coefficient has an id, a unit and a finite value of at least 0; found %q, %q, %s", c.ID, c.Unit, show(c.Value))
		}
	}
}
