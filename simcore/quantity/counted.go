package quantity

import "strconv"

// Counted is a number with its noun, which takes an s unless the number is one: "1
// token", "2 tokens".
func Counted(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.FormatInt(n, 10) + " " + noun + "s"
}
