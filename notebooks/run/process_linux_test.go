package run

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestSessionOf(t *testing.T) {
	tests := []struct {
		stat string
		want int
	}{
		{"42 (cat) S 1 42 7 0 -1 4194304", 7},
		{"42 (a ) S 9 9) R 1 42 8 0 -1", 8},
		{"42 (dead) Z 1 42 7 0 -1", 0},
		{"42 (short) S 1", 0},
		{"nonsense", 0},
	}
	for _, tt := range tests {
		if got := sessionOf([]byte(tt.stat)); got != tt.want {
			t.Errorf("sessionOf(%q) = %d, want %d", tt.stat, got, tt.want)
		}
	}
}

// A process that ends by itself, one that must be told and one that must be
// killed; each has a child in a process group of its own.
func TestStopLeavesNothing(t *testing.T) {
	const child = "set -m; sleep 300 & set +m; "
	const ready = ": > ready; " // the script has come to the point where the test begins
	tests := []struct {
		name, script string
		polite       time.Duration
		status       string
	}{
		{"ends by itself", child + ready + "exit 3", 5 * time.Second, "exit status 3"},
		{"is told", child + "trap 'exit 5' TERM; " + ready + "while :; do sleep 0.05; done", 0, "exit status 5"},
		{"is killed", child + "trap '' TERM; " + ready + "while :; do sleep 0.05; done", 0, "signal: killed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			p, err := startProcess("/bin/bash", []string{"-c", tt.script}, os.Environ(), dir)
			if err != nil {
				t.Fatal(err)
			}
			for begin := time.Now(); ; time.Sleep(5 * time.Millisecond) {
				if _, err := os.Stat(filepath.Join(dir, "ready")); err == nil {
					break
				}
				if time.Since(begin) > time.Minute {
					t.Fatal("the script does not come to its point")
				}
			}
			p.stop(tt.polite)
			if p.status != tt.status {
				t.Errorf("status %q, want %q", p.status, tt.status)
			}
			for begin := time.Now(); time.Since(begin) < 2*time.Second; time.Sleep(10 * time.Millisecond) {
				if len(sessionMembers(p.cmd.Process.Pid)) == 0 {
					return
				}
			}
			t.Errorf("still running: %v", sessionMembers(p.cmd.Process.Pid))
		})
	}
}

func TestStartProcessFails(t *testing.T) {
	if _, err := startProcess("/nonexistent/gonb", nil, nil, t.TempDir()); err == nil {
		t.Error("a program that does not exist was started")
	}
}

// When the runner itself is killed, the kernel must still end: the test runs
// itself again as a runner, and kills that.
func TestKernelEndsWithRunner(t *testing.T) {
	if os.Getenv("INFERLAB_TEST_RUNNER") != "" {
		p, err := startProcess("/bin/sleep", []string{"300"}, os.Environ(), "/")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("pid %d\n", p.cmd.Process.Pid)
		time.Sleep(time.Minute)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestKernelEndsWithRunner$")
	cmd.Env = append(os.Environ(), "INFERLAB_TEST_RUNNER=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscanf(out, "pid %d\n", &pid); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for begin := time.Now(); time.Since(begin) < 5*time.Second; time.Sleep(10 * time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	t.Error("the kernel outlived its runner")
}
