package document

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// resolve gives a plain YAML scalar its meaning in the core schema of YAML 1.2.
func resolve(v *Value, text string) {
	v.text = text
	switch text {
	case "", "~", "null", "Null", "NULL":
		v.is(Null)
		return
	case "true", "True", "TRUE", "false", "False", "FALSE":
		v.is(Bool)
		return
	}
	v.is(String)
	if f, ok := plainNumber(text); ok {
		v.is(Number)
		v.number = f
	}
}

// plainNumber reads the number forms of the core schema. What looks like a number
// elsewhere (1_000, 0b11, 12:30, 1e) is not one.
func plainNumber(text string) (float64, bool) {
	switch {
	case strings.HasPrefix(text, "0o"):
		return radix(text[2:], "01234567", 8)
	case strings.HasPrefix(text, "0x"):
		return radix(text[2:], "0123456789abcdefABCDEF", 16)
	}
	body := strings.TrimLeft(text, "+-")
	if len(text)-len(body) > 1 || body == "" {
		return 0, false
	}
	negative := text[0] == '-'
	switch body {
	case ".inf", ".Inf", ".INF":
		if negative {
			return math.Inf(-1), true
		}
		return math.Inf(1), true
	case ".nan", ".NaN", ".NAN":
		return math.NaN(), len(body) == len(text) // .nan carries no sign
	}
	if !isDecimal(body) {
		return 0, false
	}
	return decimal(text, false), true
}

// isDecimal matches (\.[0-9]+ | [0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?.
func isDecimal(s string) bool {
	whole := countDigits(s)
	s = s[whole:]
	if s != "" && s[0] == '.' {
		fraction := countDigits(s[1:])
		if whole == 0 && fraction == 0 {
			return false
		}
		s = s[1+fraction:]
	} else if whole == 0 {
		return false
	}
	if s == "" {
		return true
	}
	if s[0]|0x20 != 'e' {
		return false
	}
	s = s[1:]
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	return s != "" && countDigits(s) == len(s)
}

func countDigits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

// radix reads octal and hexadecimal digits as the nearest double.
func radix(digits, alphabet string, base int) (float64, bool) {
	if digits == "" || strings.Trim(digits, alphabet) != "" {
		return 0, false
	}
	if u, err := strconv.ParseUint(digits, base, 53); err == nil {
		return float64(u), true
	}
	const longest = 1024 // digits; longer ones overflow the double range anyway
	digits = strings.TrimLeft(digits, "0")
	if len(digits) > longest {
		return math.Inf(1), true
	}
	whole, _ := new(big.Int).SetString(digits, base)
	f, _ := new(big.Float).SetInt(whole).Float64()
	return f, true
}
