package figure_test

import "strconv"

func parse(cell string) (int64, error) { return strconv.ParseInt(cell, 10, 64) }
