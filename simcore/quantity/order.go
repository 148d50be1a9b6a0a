package quantity

import (
	"slices"
	"unicode/utf8"
)

// CompareIDs orders two texts by their UTF-16 code units from the left, a proper
// prefix first: the one order of the product (contract 02 section 1.2). It is
// never a locale's order and never numeric: "z10" < "z2", "B" < "_" < "a".
//
// For text within the Basic Multilingual Plane this is the order of the UTF-8
// bytes; characters above U+FFFF, whose code units begin at U+D800, sort before
// U+E000 to U+FFFF.
func CompareIDs(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	if i == n {
		switch {
		case len(a) < len(b):
			return -1
		case len(a) > len(b):
			return 1
		}
		return 0
	}
	if a[i] < utf8.RuneSelf && b[i] < utf8.RuneSelf {
		return int(a[i]) - int(b[i])
	}
	return compareUnits(firstRune(a, i), firstRune(b, i))
}

// firstRune decodes the character that holds byte i. Both texts agree up to i, so
// stepping back over continuation bytes reaches a common boundary.
func firstRune(s string, i int) rune {
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return r
}

// compareUnits compares two different characters by UTF-16 code units.
func compareUnits(a, b rune) int {
	ka, kb := unitKey(a), unitKey(b)
	switch {
	case ka < kb:
		return -1
	case ka > kb:
		return 1
	}
	return 0
}

// unitKey maps a character to a number that sorts as its code units do:
// supplementary characters take the place of the surrogates that spell them.
func unitKey(r rune) int64 {
	const low, surrogates = 0x10000, 0xD800
	if r < low {
		return int64(r) << 21
	}
	return surrogates<<21 + int64(r)
}

// SortIDs sorts texts in place by CompareIDs.
func SortIDs(ids []string) { slices.SortFunc(ids, CompareIDs) }

// UTF16Units calls yield for each UTF-16 code unit of s, in order. Hashes and
// seeded draws that are defined over code units use it.
func UTF16Units(s string, yield func(unit uint16)) {
	for _, r := range s {
		if r < 0x10000 {
			yield(uint16(r))
			continue
		}
		r -= 0x10000
		yield(uint16(0xD800 + r>>10))
		yield(uint16(0xDC00 + r&0x3FF))
	}
}
