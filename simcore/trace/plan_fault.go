package trace

import "strconv"

// Normal returns the fault with only the keys that its kind has, so that two
// records of one fault are equal.
func (f Fault) Normal() Fault {
	n := Fault{Kind: f.Kind, AtNs: f.AtNs, Reason: f.Reason}
	switch f.Kind {
	case NodeFailure:
		n.NodeID, n.HasQuiesceTimeout = f.NodeID, f.HasQuiesceTimeout
		if f.HasQuiesceTimeout {
			n.QuiesceTimeoutNs = f.QuiesceTimeoutNs
		}
	case DeviceFailure:
		n.DeviceID = f.DeviceID
	case LinkFailure:
		n.LinkID = f.LinkID
	case TopologyEpochChange:
		n.NextTopologyEpoch = f.NextTopologyEpoch
	}
	return n
}

// CaseID names the case of a fault campaign that has this fault (contract 03 section 12).
func (f *Fault) CaseID() string {
	switch f.Kind {
	case NodeFailure:
		return "node:" + f.NodeID
	case DeviceFailure:
		return "device:" + f.DeviceID
	case LinkFailure:
		return "link:" + f.LinkID
	}
	return "epoch:" + strconv.FormatInt(f.NextTopologyEpoch, 10)
}
