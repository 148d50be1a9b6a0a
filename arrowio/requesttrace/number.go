package requesttrace

import (
	"strings"
	"time"

	"github.com/inferlab/inferlab/simcore/quantity"
)

// instant is a point in time in whole seconds and nanoseconds within the second;
// seconds alone carry the sign.
type instant struct{ sec, ns int64 }

const nsPerSecond = 1_000_000_000

// since is the distance from an earlier instant in ns, false when it is negative
// or not a safe integer.
func (t instant) since(from instant) (int64, bool) {
	sec, ns := t.sec-from.sec, t.ns-from.ns
	if ns < 0 {
		sec, ns = sec-1, ns+nsPerSecond
	}
	if sec < 0 || sec > quantity.MaxSafe/nsPerSecond {
		return 0, false
	}
	total := sec*nsPerSecond + ns
	return total, quantity.IsSafe(total)
}

// parseTimestamp reads "2023-11-16 18:17:03.9799600", with a T instead of the
// space, up to nine fractional digits or none, and an optional zone Z or ±hh:mm.
// No digit passes through floating point.
func parseTimestamp(s string) (instant, bool) {
	const layout = "2006-01-02 15:04:05"
	if len(s) < len(layout) || (s[10] != ' ' && s[10] != 'T') {
		return instant{}, false
	}
	for i, want := range []byte("0000-00-00.00:00:00") { // digits where the layout has digits
		if want == '0' && !isDigit(s[i]) {
			return instant{}, false
		}
	}
	at, err := time.Parse(layout, s[:10]+" "+s[11:len(layout)])
	if err != nil {
		return instant{}, false
	}
	ns, rest, ok := parseFraction(s[len(layout):])
	if !ok {
		return instant{}, false
	}
	offset, ok := parseZone(rest)
	return instant{sec: at.Unix() - offset, ns: ns}, ok
}

// parseFraction reads "." and one to nine digits; no point is a fraction of 0.
func parseFraction(s string) (ns int64, rest string, ok bool) {
	if !strings.HasPrefix(s, ".") {
		return 0, s, true
	}
	s = s[1:]
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	if n == 0 || n > 9 {
		return 0, s, false
	}
	for i := range 9 {
		ns *= 10
		if i < n {
			ns += int64(s[i] - '0')
		}
	}
	return ns, s[n:], true
}

// parseZone reads nothing, Z, or ±hh:mm and gives the offset from UTC in seconds.
func parseZone(s string) (int64, bool) {
	if s == "" || s == "Z" {
		return 0, true
	}
	if len(s) != 6 || (s[0] != '+' && s[0] != '-') || s[3] != ':' ||
		!isDigit(s[1]) || !isDigit(s[2]) || !isDigit(s[4]) || !isDigit(s[5]) {
		return 0, false
	}
	hours, minutes := int64(s[1]-'0')*10+int64(s[2]-'0'), int64(s[4]-'0')*10+int64(s[5]-'0')
	if hours > 23 || minutes > 59 {
		return 0, false
	}
	offset := hours*3600 + minutes*60
	if s[0] == '-' {
		offset = -offset
	}
	return offset, true
}

// timeUnits are the units of a decimal arrival: the number of decimal digits from
// the unit down to ns.
var timeUnits = map[string]int{"arrival_ns": 0, "arrival_us": 3, "arrival_ms": 6, "arrival_s": 9}

// parseDecimal reads a non-negative decimal number without exponent and scales it
// by 10^digits. Digits beyond the scale must be zeros. False when the text is
// anything else or the result is not a safe integer.
func parseDecimal(s string, digits int) (int64, bool) {
	whole, fraction, pointed := strings.Cut(s, ".")
	if whole == "" || (pointed && fraction == "") {
		return 0, false
	}
	if len(fraction) > digits {
		if strings.Trim(fraction[digits:], "0") != "" {
			return 0, false
		}
		fraction = fraction[:digits]
	}
	v, ok := appendDigits(0, whole)
	if ok {
		v, ok = appendDigits(v, fraction)
	}
	for range digits - len(fraction) {
		if ok = ok && v <= quantity.MaxSafe/10; !ok {
			return 0, false
		}
		v *= 10
	}
	return v, ok
}

// appendDigits reads v's next decimal digits, checked.
func appendDigits(v int64, s string) (int64, bool) {
	for i := range len(s) {
		if !isDigit(s[i]) || v > quantity.MaxSafe/10 {
			return 0, false
		}
		if v = v*10 + int64(s[i]-'0'); v > quantity.MaxSafe {
			return 0, false
		}
	}
	return v, true
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// count reads a non-negative integer.
func (c *collector) count(v cell, what string) (int64, error) {
	n, ok := parseDecimal(v.text, 0)
	if !ok || strings.Contains(v.text, ".") {
		return 0, c.fail("trace_number", v.at, "%s are %s; expected an integer from 1 to 2^53 - 1", what, quote(v.text))
	}
	return n, nil
}

// integer reads an integer of either sign.
func (c *collector) integer(v cell, what string) (int64, error) {
	text, negative := strings.CutPrefix(v.text, "-")
	n, ok := parseDecimal(text, 0)
	if !ok || strings.Contains(text, ".") {
		return 0, c.fail("trace_number", v.at, "%s is %s; expected an integer", what, quote(v.text))
	}
	if negative {
		n = -n
	}
	return n, nil
}

// decimalArrival reads an arrival of the given unit column.
func (c *collector) decimalArrival(v cell, unit string) (instant, error) {
	ns, ok := parseDecimal(v.text, timeUnits[unit])
	if !ok {
		return instant{}, c.fail("trace_time", v.at, "%s is %s; expected a non-negative decimal number of whole nanoseconds up to 2^53 - 1", unit, quote(v.text))
	}
	return instant{sec: ns / nsPerSecond, ns: ns % nsPerSecond}, nil
}
