package topology

import (
	"strings"
	"testing"
)

// A number beyond the safe integers is refused with the limit.
func TestNumbersBeyondTheLimitNameIt(t *testing.T) {
	_, err := LAN(2, LANOptions{BandwidthBytesPerSec: 1 << 53})
	const want = "bandwidthBytesPerSec: expected a positive integer up to 9007199254740991, found 9007199254740992"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v; want %s", err, want)
	}
}
