package unit_test

import (
	"math"
	"testing"

	"github.com/inferlab/inferlab/report/unit"
)

func TestSpelling(t *testing.T) {
	cases := []struct{ got, want string }{
		{unit.Duration(0), "0 ns"},
		{unit.Duration(999), "999 ns"},
		{unit.Duration(1000), "1 µs"},
		{unit.Duration(999_999), "1 ms"},
		{unit.Duration(412_345_678), "412 ms"},
		{unit.Duration(1_234_567_890), "1.23 s"},
		{unit.Duration(98_765_432_109_876), "98,765 s"},
		{unit.Duration(-1500), "-1.5 µs"},
		{unit.Bytes(0), "0 B"},
		{unit.Bytes(1023), "1,023 B"},
		{unit.Bytes(1536), "1.5 KiB"},
		{unit.Bytes(80 << 30), "80 GiB"},
		{unit.Bytes(123.4 * (1 << 20)), "123 MiB"},
		{unit.Bytes(3000 * (1 << 40)), "3,000 TiB"},
		{unit.Rate(3.35e12), "3.35 TB/s"},
		{unit.Rate(64e9), "64 GB/s"},
		{unit.Flops(989.4e12), "989 TFLOP/s"},
		{unit.Flops(1.2e15), "1.2 PFLOP/s"},
		{unit.Percent(0.98765), "98.8 %"},
		{unit.Percent(13.801), "1,380.1 %"},
		{unit.Percent(math.Inf(1)), "+Inf %"},
		{unit.Count(1_234_567), "1,234,567"},
		{unit.Count(-1234), "-1,234"},
		{unit.Number(0.0412), "0.041"},
		{unit.Number(1234.5), "1,234"},
		{unit.Factor(3.14159), "3.1 ×"},
		{unit.Plural(1, "request"), "1 request"},
		{unit.Plural(2000, "batch"), "2,000 batches"},
		{unit.Plural(2, "entry"), "2 entries"},
		{unit.Plural(2, "key"), "2 keys"},
	}
	for _, c := range cases {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
