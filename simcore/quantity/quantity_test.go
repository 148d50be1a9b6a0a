package quantity_test

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"
	"unicode/utf16"

	"github.com/inferlab/inferlab/simcore/quantity"
	"pgregory.net/rapid"
)

func TestCheckedArithmeticAgreesWithBigIntegers(t *testing.T) {
	limit := big.NewInt(quantity.MaxSafe)
	safe := func(v *big.Int) bool { return new(big.Int).Abs(v).Cmp(limit) <= 0 }
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Int64Range(-quantity.MaxSafe, quantity.MaxSafe), rapid.Int64Range(-1<<27, 1<<27))
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		check := func(op string, got int64, err error, want *big.Int) {
			if !safe(want) {
				if !errors.Is(err, quantity.ErrOverflow) {
					t.Fatalf("%d %s %d = %d, %v; want overflow", a, op, b, got, err)
				}
				return
			}
			if err != nil || got != want.Int64() {
				t.Fatalf("%d %s %d = %d, %v; want %s", a, op, b, got, err, want)
			}
		}
		sum, err := quantity.Add(a, b)
		check("+", sum, err, new(big.Int).Add(big.NewInt(a), big.NewInt(b)))
		product, err := quantity.Mul(a, b)
		check("*", product, err, new(big.Int).Mul(big.NewInt(a), big.NewInt(b)))
	})
}

func TestSumStopsAtTheFirstOverflow(t *testing.T) {
	if got, err := quantity.Sum(1, 2, 3); got != 6 || err != nil {
		t.Errorf("Sum(1,2,3) = %d, %v", got, err)
	}
	if _, err := quantity.Sum(quantity.MaxSafe, 1, -1); !errors.Is(err, quantity.ErrOverflow) {
		t.Errorf("a sum that passes through an unsafe value gave %v", err)
	}
}

func TestFromFloat(t *testing.T) {
	for _, c := range []struct {
		in   float64
		want int64
		ok   bool
	}{
		{5, 5, true}, {math.Copysign(0, -1), 0, true}, {9007199254740991, quantity.MaxSafe, true},
		{-9007199254740991, -quantity.MaxSafe, true}, {9007199254740992, 0, false}, {2.5, 0, false},
		{math.NaN(), 0, false}, {math.Inf(1), 0, false}, {math.Inf(-1), 0, false},
	} {
		if got, ok := quantity.FromFloat(c.in); got != c.want || ok != c.ok {
			t.Errorf("FromFloat(%v) = %d, %v; want %d, %v", c.in, got, ok, c.want, c.ok)
		}
	}
}

func TestRanges(t *testing.T) {
	for _, c := range []struct {
		v                     int64
		safe, count, positive bool
	}{
		{0, true, true, false}, {1, true, true, true}, {-1, true, false, false},
		{quantity.MaxSafe, true, true, true}, {quantity.MaxSafe + 1, false, false, false},
		{-quantity.MaxSafe - 1, false, false, false},
	} {
		if quantity.IsSafe(c.v) != c.safe || quantity.IsCount(c.v) != c.count || quantity.IsPositive(c.v) != c.positive {
			t.Errorf("%d: safe %v, count %v, positive %v", c.v, quantity.IsSafe(c.v), quantity.IsCount(c.v), quantity.IsPositive(c.v))
		}
	}
}

// The figures are those of contract 02 section 7.1 and contract 06 section 1.
func TestServiceFollowsDoubleArithmetic(t *testing.T) {
	for _, c := range []struct{ bytes, rate, want int64 }{
		{61 << 20, 4e9, 15990785}, {31250048, 32e9, 976565}, {262144, 600e9, 437},
	} {
		if got, ok := quantity.ServiceNs(c.bytes, c.rate); !ok || got != c.want {
			t.Errorf("ServiceNs(%d, %d) = %d, %v; want %d", c.bytes, c.rate, got, ok, c.want)
		}
	}
	if _, ok := quantity.ServiceNs(quantity.MaxSafe, 1); ok {
		t.Error("a service time beyond the safe integers was accepted")
	}
}

func TestRoundTakesHalvesUp(t *testing.T) {
	for _, c := range []struct {
		in   float64
		want int64
	}{{2.5, 3}, {2.4999, 2}, {-2.5, -2}, {-2.6, -3}, {0.49999999999999994, 0}, {7, 7}} {
		if got, ok := quantity.Round(c.in); !ok || got != c.want {
			t.Errorf("Round(%v) = %d, %v; want %d", c.in, got, ok, c.want)
		}
	}
	if _, ok := quantity.Round(math.NaN()); ok {
		t.Error("Round accepted NaN")
	}
}

func TestCeilDiv(t *testing.T) {
	for _, c := range []struct{ a, b, want int64 }{{0, 3, 0}, {1, 3, 1}, {3, 3, 1}, {4, 3, 2}} {
		if got := quantity.CeilDiv(c.a, c.b); got != c.want {
			t.Errorf("CeilDiv(%d, %d) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestOrderOfContractExamples(t *testing.T) {
	for _, want := range [][]string{
		{"gpu10:", "gpu1:"}, {"B", "_", "a"}, {"z10", "z2"}, {"A-2", "A_2", "B0", "_x", "a1"},
		{"expert-load-10", "expert-load-9"}, {"", "a", "ab"}, {"z", "\U0001F600", "\uE000", "\uFFFD"},
	} {
		got := slices.Clone(want)
		slices.Reverse(got)
		quantity.SortIDs(got)
		if !slices.Equal(got, want) {
			t.Errorf("sorted %q, want %q", got, want)
		}
	}
}

func TestOrderIsThatOfUTF16CodeUnits(t *testing.T) {
	char := rapid.OneOf(rapid.Rune(), rapid.RuneFrom([]rune{'a', '\uD7FF', '\uE000', '\uFFFF', 0x10000, 0x10FFFF}))
	text := rapid.StringOfN(char, 0, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		want := slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		if got := sign(quantity.CompareIDs(a, b)); got != want {
			t.Fatalf("CompareIDs(%q, %q) = %d, want %d", a, b, got, want)
		}
		var units []uint16
		quantity.UTF16Units(a, func(u uint16) { units = append(units, u) })
		if !slices.Equal(units, utf16.Encode([]rune(a))) {
			t.Fatalf("units of %q are %x", a, units)
		}
	})
}

func sign(v int) int {
	switch {
	case v < 0:
		return -1
	case v > 0:
		return 1
	}
	return 0
}
