package quantity_test

import (
	"testing"

	"github.com/inferlab/inferlab/simcore/quantity"
)

func TestCounted(t *testing.T) {
	for n, want := range map[int64]string{0: "0 tokens", 1: "1 token", 2: "2 tokens", 1 << 53: "9007199254740992 tokens"} {
		if got := quantity.Counted(n, "token"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
