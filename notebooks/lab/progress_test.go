package lab

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/inferlab/inferlab/simcore"
)

// An interrupt stops a run at the next point where it asks, the bar says how far
// it came, and the cell fails with the run's error.
func TestProgressInterrupted(t *testing.T) {
	machine, err := simcore.Scenario("multi-gpu")
	if err != nil {
		t.Fatal(err)
	}
	requests := make([]simcore.Request, 2000)
	for i := range requests {
		requests[i] = simcore.Request{ID: "r" + string(rune('a'+i%26)) + strings.Repeat("x", i), PromptTokens: 10, OutputTokens: 50}
	}
	shown, complained, status := captured(t, func() {
		bar := Progress("serving")
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			t.Error(err)
		}
		for start := time.Now(); !bar.Interrupted() && time.Since(start) < 5*time.Second; {
			time.Sleep(time.Millisecond)
		}
		Must(simcore.Serve(machine, simcore.Serving{MaxBatchSize: 4, MaxBatchTokens: 64, PrefillChunkTokens: 32, MaxKVTokens: 10_000, Requests: requests}, bar.Serving()))
	})
	if status != 1 || !strings.HasSuffix(shown, " of 2,000, then stopped\n") && !strings.HasSuffix(shown, " of 0, then stopped\n") {
		t.Errorf("status %d, shown %q", status, shown)
	}
	if !strings.Contains(complained, "interrupted") {
		t.Errorf("complaint %q", complained)
	}
}

func TestProgressEnds(t *testing.T) {
	shown, _, _ := captured(t, func() {
		bar := Progress("<counting>")
		bar.At(1234, 2000)
		if got := bar.live().text(mimeHTML); !strings.Contains(got, `&lt;counting&gt; <progress max="2000" value="1234"`) {
			t.Errorf("live: %s", got)
		}
		bar.End()
		bar.End()
		bar.At(5, 5)
	})
	if shown != "<counting>: 1,234 of 2,000\n" {
		t.Errorf("shown %q", shown)
	}
	shown, _, status := captured(t, func() {
		Progress("work").At(1, 3)
		Check(errors.New("broken"))
	})
	if status != 1 || shown != "work: 1 of 3\n" {
		t.Errorf("a failing cell: status %d, shown %q", status, shown)
	}
}
