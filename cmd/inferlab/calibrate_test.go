package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A fit that its gates refuse in many points prints the first few and their number,
// and says where the others stand.
func TestRefusedFitIsBrief(t *testing.T) {
	text, err := os.ReadFile("../../testdata/calibration.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	strict, page := filepath.Join(dir, "strict.yaml"), filepath.Join(dir, "fit.html")
	gates := regexp.MustCompile(`(max_normalized_rmse|max_p95_relative_error):\s*[0-9.]+`)
	if err := os.WriteFile(strict, gates.ReplaceAll(text, []byte("$1: 0.0000001")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		options []string
		ending  string
	}{
		{nil, "[node0:storage-read] (--report FILE.html shows the whole diagnosis)\n"},
		{[]string{"--report", page}, "[node0:storage-read]\nthe whole diagnosis is on the page " + page + "\n"},
	} {
		code, stdout, stderr := inferlab(append([]string{"calibrate", strict}, c.options...)...)
		if code != exitFailure || stdout != "" || !strings.HasSuffix(stderr, c.ending) {
			t.Errorf("%v: exit %d, stdout %q, stderr %q", c.options, code, stdout, stderr)
		}
		if listed := strings.Count(stderr, "[gate_"); listed != listedIssues {
			t.Errorf("%v: %d issues are listed; want %d", c.options, listed, listedIssues)
		}
		if rest := "; and 30 more: cpu lookup, gpu invocation, "; !strings.Contains(stderr, rest) {
			t.Errorf("%v: %q does not name the places left out, as %q", c.options, stderr, rest)
		}
	}
	if _, err := os.Stat(page); err != nil {
		t.Error(err)
	}
}
