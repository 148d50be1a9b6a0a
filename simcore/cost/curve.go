package cost

import (
	"slices"
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// Operation is what a transport curve measures.
type Operation string

// The two operations.
const (
	TransferOperation   Operation = "transfer"
	CollectiveOperation Operation = "collective"
)

// PointToPoint is the algorithm of a transfer over one link.
const PointToPoint = "point_to_point"

// CurveKey identifies a transport curve: it applies to a step only when every
// part is equal, the order of links included (contract 06 section 10.4).
type CurveKey struct {
	ScenarioID       string
	Operation        Operation
	Algorithm        string
	ParticipantCount int64
	LinkIDs          []string
	TrafficSignature string // empty: absent
}

// Point is one measured message size.
type Point struct{ Bytes, DurationNs int64 }

// Curve is a measured transport: strictly increasing sizes with durations that
// never decrease.
type Curve struct {
	CurveKey
	Points []Point
}

// Equal reports whether two keys identify the same transport.
func (k *CurveKey) Equal(o *CurveKey) bool {
	return k.Operation == o.Operation && k.ParticipantCount == o.ParticipantCount &&
		k.Algorithm == o.Algorithm && k.ScenarioID == o.ScenarioID &&
		k.TrafficSignature == o.TrafficSignature && slices.Equal(k.LinkIDs, o.LinkIDs)
}

// String names the transport for messages; the words that files choose are quoted.
func (k *CurveKey) String() string {
	var b strings.Builder
	b.WriteString(string(k.Operation) + " " + strconv.Quote(k.Algorithm) + " of " + strconv.FormatInt(k.ParticipantCount, 10) +
		" participants on scenario " + strconv.Quote(k.ScenarioID) + " over links [" + strings.Join(k.LinkIDs, ", ") + "]")
	if k.TrafficSignature != "" {
		b.WriteString(" with traffic " + k.TrafficSignature)
	}
	return b.String()
}

// TransportNs looks up the duration of a whole step of the given bytes on its
// exact curve, interpolating between neighbouring points and never beyond them.
func (m *Model) TransportNs(key *CurveKey, bytes int64) (int64, error) {
	for i := range m.Curves {
		if m.Curves[i].Equal(key) {
			return m.Curves[i].DurationNs(bytes)
		}
	}
	return 0, issue.New("missing_curve", "", "no measured curve for %s", key)
}

// DurationNs interpolates the curve at a message size.
func (c *Curve) DurationNs(bytes int64) (int64, error) {
	first, last := c.Points[0], c.Points[len(c.Points)-1]
	if bytes < first.Bytes || bytes > last.Bytes {
		return 0, issue.New("outside_range", "", "%d bytes are outside the measured %d to %d bytes of %s",
			bytes, first.Bytes, last.Bytes, &c.CurveKey)
	}
	i, found := slices.BinarySearchFunc(c.Points, bytes, func(p Point, b int64) int {
		switch {
		case p.Bytes < b:
			return -1
		case p.Bytes > b:
			return 1
		}
		return 0
	})
	if found {
		return c.Points[i].DurationNs, nil
	}
	lo, hi := c.Points[i-1], c.Points[i]
	share := float64(bytes-lo.Bytes) / float64(hi.Bytes-lo.Bytes)
	ns, ok := quantity.Ceil(float64(lo.DurationNs) + float64(share*float64(hi.DurationNs-lo.DurationNs)))
	if !ok || ns <= 0 {
		return 0, issue.New("overflow", "", "%d bytes interpolate to no positive safe duration on %s", bytes, &c.CurveKey)
	}
	return ns, nil
}

// validateCurves checks what contract 06 section 16.6 asks of a model's curves.
func (m *Model) validateCurves(l *issue.List) {
	seen := make(map[string]int, len(m.Curves))
	for i := range m.Curves {
		c := &m.Curves[i]
		path := "transportCurves[" + strconv.Itoa(i) + "]"
		if first, ok := seen[c.String()]; ok {
			l.Add("duplicate_curve", path, "repeats the identity of transportCurves[%d]: %s", first, &c.CurveKey)
		} else {
			seen[c.String()] = i
		}
		if m.Applicability != nil && !m.Applicability.covers(c.ScenarioID) {
			l.Add("not_applicable", path+".scenarioId", "scenario %s is not in the applicability", c.ScenarioID)
		}
		c.validateKey(l, path)
		c.validatePoints(l, path)
	}
}

func (c *Curve) validateKey(l *issue.List, path string) {
	if len(c.LinkIDs) == 0 {
		l.Add("empty_list", path+".linkIds", "a curve needs at least one link")
	}
	for i, id := range c.LinkIDs {
		if slices.Contains(c.LinkIDs[:i], id) {
			l.Add("duplicate_value", path+".linkIds", "repeats link %s", id)
		}
	}
	switch c.Operation {
	case TransferOperation:
		if len(c.LinkIDs) != 1 || c.ParticipantCount != 2 {
			l.Add("transfer_shape", path, "a transfer has exactly one link and two participants, this one %d and %d",
				len(c.LinkIDs), c.ParticipantCount)
		}
	case CollectiveOperation:
		if c.ParticipantCount < 2 {
			l.Add("participants", path+".participantCount", "a collective needs at least two participants, this one has %d", c.ParticipantCount)
		}
	default:
		l.Add("operation", path+".operation", "%q is not transfer or collective", c.Operation)
	}
	if err := CheckSignature(c.Operation, c.Algorithm, c.ParticipantCount, c.TrafficSignature); err != nil {
		l.Add("traffic_signature", path+".trafficSignature", "%v", err)
	}
}

func (c *Curve) validatePoints(l *issue.List, path string) {
	if len(c.Points) < 2 {
		l.Add("too_few_points", path+".points", "a curve needs at least two points, this one has %d", len(c.Points))
	}
	for i, p := range c.Points {
		at := path + ".points[" + strconv.Itoa(i) + "]"
		positive(l, at+".bytes", p.Bytes)
		positive(l, at+".durationNs", p.DurationNs)
		if i == 0 {
			continue
		}
		if p.Bytes <= c.Points[i-1].Bytes {
			l.Add("order", at+".bytes", "%d does not exceed the point before, %d", p.Bytes, c.Points[i-1].Bytes)
		}
		if p.DurationNs < c.Points[i-1].DurationNs {
			l.Add("order", at+".durationNs", "%d is less than the point before, %d", p.DurationNs, c.Points[i-1].DurationNs)
		}
	}
}

// CheckSignature applies the rule of contract 06 section 16.2: a collective of
// algorithm all_to_all_v carries the canonical signature of an N x N matrix, and
// nothing else carries one. An empty text is an absent signature.
func CheckSignature(op Operation, algorithm string, participants int64, signature string) error {
	wanted := op == CollectiveOperation && algorithm == string(plan.AllToAllV)
	switch {
	case wanted && signature == "":
		return issue.New("missing_signature", "", "an %s curve needs a traffic signature", plan.AllToAllV)
	case !wanted && signature != "":
		return issue.New("unexpected_signature", "", "only %s curves carry a traffic signature", plan.AllToAllV)
	case !wanted:
		return nil
	}
	matrix, err := ParseSignature(signature)
	if err != nil {
		return err
	}
	if int64(len(matrix)) != participants {
		return issue.New("signature_dimension", "", "the traffic matrix is %d x %d for %d participants",
			len(matrix), len(matrix), participants)
	}
	return nil
}
