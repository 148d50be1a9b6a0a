// Package unit spells quantities for readers: durations, bytes, rates, shares and
// counts, with the unit always beside the number.
//
// In go values in base units (ns, bytes, bytes per second, fractions); out comes
// text. Full precision belongs to tables, which print the base units themselves.
//
// Contract 09 section 1.3, rule R3.
package unit

import (
	"math"
	"strconv"
	"strings"
)

// Scale is one step of a ladder of units: a value is divided by Size and followed
// by Name.
type Scale struct {
	Name string
	Size float64
}

// Durations is the ladder of time units; values are ns.
var Durations = []Scale{{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}

// Sizes is the binary ladder of byte counts.
var Sizes = []Scale{{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}}

// Rates is the decimal ladder of bytes per second.
var Rates = []Scale{{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}}

// Work is the decimal ladder of floating-point operations per second.
var Work = []Scale{{"FLOP/s", 1}, {"kFLOP/s", 1e3}, {"MFLOP/s", 1e6}, {"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}, {"PFLOP/s", 1e15}}

// Counts is the decimal ladder of plain numbers on an axis.
var Counts = []Scale{{"", 1}, {"thousand", 1e3}, {"million", 1e6}, {"billion", 1e9}}

// Pick returns the largest unit of the ladder that does not exceed the magnitude
// of v, or the smallest one.
func Pick(ladder []Scale, v float64) Scale {
	v = math.Abs(v)
	best := ladder[0]
	for _, s := range ladder[1:] {
		if v >= s.Size {
			best = s
		}
	}
	return best
}

// significant writes v with three significant digits, never with an exponent, and
// with all digits of its whole part.
func significant(v float64) string {
	a := math.Abs(v)
	prec := 0
	switch {
	case a == 0:
	case a < 0.001:
		prec = 5
	case a < 0.01:
		prec = 4
	case a < 1:
		prec = 3
	case a < 9.995:
		prec = 2
	case a < 99.95:
		prec = 1
	}
	s := strconv.FormatFloat(v, 'f', prec, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return group(s)
}

// group puts a comma between every three digits of the whole part.
func group(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, rest := s, ""
	if i := strings.IndexByte(s, '.'); i >= 0 {
		whole, rest = s[:i], s[i:]
	}
	if len(whole) <= 3 || strings.HasSuffix(whole, "Inf") {
		return sign + whole + rest
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, c := range []byte(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(c)
	}
	return b.String() + rest
}

// scaled picks a unit such that rounding to three digits cannot reach the next
// one ("1 ms", never "1,000 µs").
func scaled(ladder []Scale, v float64, step float64) string {
	s := Pick(ladder, v)
	for i := range ladder[:len(ladder)-1] {
		if ladder[i] == s && math.Abs(v)/s.Size >= step-0.5 {
			s = ladder[i+1]
			break
		}
	}
	return strings.TrimRight(significant(v/s.Size)+" "+s.Name, " ")
}

// Duration spells ns with three significant digits in ns, µs, ms or s.
func Duration(ns float64) string { return scaled(Durations, ns, 1000) }

// Bytes spells a byte count in binary units with one decimal below 100; whole
// bytes have none.
func Bytes(n float64) string {
	s := Pick(Sizes, n)
	v := n / s.Size
	if s.Size == 1 || math.Abs(v) >= 99.95 || v == math.Trunc(v) {
		return group(strconv.FormatFloat(v, 'f', 0, 64)) + " " + s.Name
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + " " + s.Name
}

// Rate spells bytes per second in decimal units.
func Rate(bytesPerSec float64) string { return scaled(Rates, bytesPerSec, 1000) }

// Flops spells floating-point operations per second in decimal units.
func Flops(perSec float64) string { return scaled(Work, perSec, 1000) }

// Percent spells a fraction in percent with one decimal and a comma every three digits.
func Percent(fraction float64) string {
	return group(strconv.FormatFloat(fraction*100, 'f', 1, 64)) + " %"
}

// Count spells a whole number with a comma every three digits.
func Count(n int64) string { return group(strconv.FormatInt(n, 10)) }

// Number spells a plain number with three significant digits.
func Number(v float64) string { return significant(v) }

// Factor spells a ratio, for example "3.1 ×".
func Factor(v float64) string {
	prec := 1
	if math.Abs(v) >= 99.95 {
		prec = 0
	}
	return group(strconv.FormatFloat(v, 'f', prec, 64)) + " ×"
}

// Plural spells a count with its noun, which takes an s unless the count is one.
func Plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	switch {
	case strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "s"):
		noun += "es"
	case strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "ey"):
		noun = noun[:len(noun)-1] + "ies"
	default:
		noun += "s"
	}
	return Count(n) + " " + noun
}
