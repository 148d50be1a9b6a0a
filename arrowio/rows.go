package arrowio

// The columns of a table whose rows are the elements of a slice.

func intsOf[R any](rows []R, value func(r *R) int64) column {
	return column{ints: func(dst []int64, from int64) {
		for i := range dst {
			dst[i] = value(&rows[from+int64(i)])
		}
	}}
}

// optionalOf is a nullable column: value says whether there is one.
func optionalOf[R any](rows []R, value func(r *R) (int64, bool)) column {
	return column{opt: func(dst []int64, ok []bool, from int64) {
		for i := range dst {
			if dst[i], ok[i] = value(&rows[from+int64(i)]); !ok[i] {
				dst[i] = 0
			}
		}
	}}
}

// labelsOf is a column of ids or words; a negative code is null.
func labelsOf[R any](rows []R, words []string, code func(r *R) int32) column {
	return column{words: words, codes: func(dst []int32, from int64) {
		for i := range dst {
			dst[i] = code(&rows[from+int64(i)])
		}
	}}
}

func labelListsOf[R any](rows []R, words []string, codes func(r *R) []int32) column {
	return column{words: words, codeList: func(row int64) ([]int32, bool) { return codes(&rows[row]), true }}
}

func intListsOf[R any](rows []R, values func(r *R) []int64) column {
	return column{intList: func(row int64) ([]int64, bool) { return values(&rows[row]), true }}
}

// constant is a label that is the same in every row; the empty word is null.
func constant(word string) column {
	if word == "" {
		return column{codes: func(dst []int32, _ int64) {
			for i := range dst {
				dst[i] = -1
			}
		}}
	}
	return column{words: []string{word}, codes: func(dst []int32, _ int64) { clear(dst) }}
}
