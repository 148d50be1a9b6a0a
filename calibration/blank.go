package calibration

import "strings"

// blank reports a text of nothing but white space (contract 04 section 1). U+0085
// is not white space there.
func blank(s string) bool { return strings.TrimFunc(s, space) == "" }

func space(r rune) bool {
	switch {
	case r >= 0x09 && r <= 0x0D, r == 0x20, r == 0xA0, r == 0x1680, r >= 0x2000 && r <= 0x200A:
		return true
	case r == 0x2028, r == 0x2029, r == 0x202F, r == 0x205F, r == 0x3000, r == 0xFEFF:
		return true
	}
	return false
}
