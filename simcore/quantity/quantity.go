// Package quantity holds the checked numbers and the one text order that every
// other package of the simulator builds on.
//
// Times are nanoseconds and extents are bytes or tokens, all int64 and all
// within the safe integers of IEEE-754 doubles (magnitude at most 2^53 - 1), so
// that any reader of the JSON documents, whatever its language, sees the same
// value. Sums and products are checked before any state changes.
//
// Contracts: 01 section 1.1, 02 sections 1.1 and 1.2, 06 section 1.
package quantity

import (
	"errors"
	"math"
	"math/bits"
)

// MaxSafe is 2^53 - 1, the largest integer that a double, and therefore a
// document of this product, holds exactly together with its neighbours.
const MaxSafe int64 = 1<<53 - 1

// ErrOverflow reports a sum or product that left the safe integers.
var ErrOverflow = errors.New("result is not a safe integer (magnitude above 9007199254740991)")

// IsSafe reports whether v is a safe integer.
func IsSafe(v int64) bool { return v >= -MaxSafe && v <= MaxSafe }

// IsCount reports whether v is a safe integer of at least zero.
func IsCount(v int64) bool { return v >= 0 && v <= MaxSafe }

// IsPositive reports whether v is a safe integer of at least one.
func IsPositive(v int64) bool { return v >= 1 && v <= MaxSafe }

// FromFloat takes a double by value: integral doubles of safe magnitude give
// their integer (5.0 and 1e0 are integers, -0 is 0), anything else gives false.
func FromFloat(f float64) (int64, bool) {
	if math.IsNaN(f) || math.Abs(f) > float64(MaxSafe) || f != math.Trunc(f) {
		return 0, false
	}
	return int64(f), true
}

// Add returns a + b, or ErrOverflow when the sum is not a safe integer. Both
// operands must be safe.
func Add(a, b int64) (int64, error) {
	s := a + b // cannot wrap: both magnitudes are below 2^53
	if !IsSafe(s) {
		return 0, ErrOverflow
	}
	return s, nil
}

// Mul returns a * b, or ErrOverflow when the product is not a safe integer.
// Both operands must be safe.
func Mul(a, b int64) (int64, error) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if hi != 0 || lo > uint64(MaxSafe) {
		return 0, ErrOverflow
	}
	if (a < 0) != (b < 0) {
		return -int64(lo), nil
	}
	return int64(lo), nil
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return uint64(-v)
	}
	return uint64(v)
}

// Sum adds any number of safe integers, checking after each addition.
func Sum(values ...int64) (int64, error) {
	var total int64
	for _, v := range values {
		var err error
		if total, err = Add(total, v); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// Ceil returns the smallest integer that is not below the double x, and false
// when that integer is not safe or x is not a number.
func Ceil(x float64) (int64, bool) { return FromFloat(math.Ceil(x)) }

// Round returns the integer nearest to x with halves going toward plus
// infinity, and false when it is not safe. It differs from math.Round, which
// takes halves away from zero, for negative halves only.
func Round(x float64) (int64, bool) {
	f := math.Floor(x)
	if x-f >= 0.5 {
		f++
	}
	return FromFloat(f)
}

// CeilDiv returns the smallest integer that is not below a / b, in exact integer
// arithmetic. Both operands must be positive or a zero.
func CeilDiv(a, b int64) int64 { return (a + b - 1) / b }

// ServiceNs is the time that bytes take at a rate: ceil((bytes / rate) * 1e9),
// where quotient and product are each rounded to a double before the ceiling
// (contract 02 section 7.1). It differs from exact arithmetic on purpose:
// 61 MiB at 4 GB/s takes 15990785 ns. False means the result is not safe.
func ServiceNs(bytes, bytesPerSecond int64) (int64, bool) {
	quotient := float64(bytes) / float64(bytesPerSecond)
	return Ceil(float64(quotient * 1e9))
}
