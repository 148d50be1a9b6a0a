package executor

// FirstWords exposes the campaign generator's 32-bit words to its test.
func FirstWords(seed uint32, n int) []uint32 {
	g := generator(seed)
	words := make([]uint32, n)
	for i := range words {
		words[i] = g.next()
	}
	return words
}
