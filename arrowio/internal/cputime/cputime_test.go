package cputime

import "testing"

// TestUsed: work takes time.
func TestUsed(t *testing.T) {
	before := Used()
	if before == 0 {
		t.Skip("the system does not say")
	}
	sum := 0
	for i := 0; Used() == before; i++ {
		sum += i
	}
	if Used() < before {
		t.Errorf("the time went back after %d", sum)
	}
}
