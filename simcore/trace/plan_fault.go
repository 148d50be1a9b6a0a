package trace

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
