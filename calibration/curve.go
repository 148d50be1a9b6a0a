package calibration

import (
	"slices"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// curveGroup is the observations of one transport, in order of message size, equal
// sizes in dataset order.
type curveGroup struct {
	identity string
	members  []int // indices into Dataset.Transports
}

// curveGroups groups the transports by identity and orders the groups by identity
// text (contract 06 section 16.5).
func curveGroups(d *Dataset) []curveGroup {
	index := make(map[string]int)
	var groups []curveGroup
	var text []byte
	for i := range d.Transports {
		text = appendIdentity(text[:0], &d.Transports[i].CurveKey)
		at, ok := index[string(text)]
		if !ok {
			at = len(groups)
			groups = append(groups, curveGroup{identity: string(text)})
			index[groups[at].identity] = at
		}
		groups[at].members = append(groups[at].members, i)
	}
	for _, g := range groups {
		slices.SortStableFunc(g.members, func(a, b int) int {
			return compareInts(d.Transports[a].Bytes, d.Transports[b].Bytes)
		})
	}
	slices.SortFunc(groups, func(a, b curveGroup) int { return quantity.CompareIDs(a.identity, b.identity) })
	return groups
}

func compareInts(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// appendIdentity writes the identity text of a transport: compact JSON with a
// fixed key order.
func appendIdentity(b []byte, k *cost.CurveKey) []byte {
	b = append(b, `{"scenarioId":`...)
	b = canonical.AppendString(b, k.ScenarioID)
	b = append(b, `,"operation":`...)
	b = canonical.AppendString(b, string(k.Operation))
	b = append(b, `,"algorithm":`...)
	b = canonical.AppendString(b, k.Algorithm)
	b = append(b, `,"participantCount":`...)
	b = appendInt(b, k.ParticipantCount)
	b = append(b, `,"linkIds":`...)
	b = appendTexts(b, k.LinkIDs)
	if k.TrafficSignature != "" {
		b = append(b, `,"trafficSignature":`...)
		b = canonical.AppendString(b, k.TrafficSignature)
	}
	return append(b, '}')
}
