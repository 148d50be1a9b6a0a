package run

import (
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"
)

// process is a kernel process and everything it starts.
type process struct {
	cmd    *exec.Cmd
	stderr *tail
	// exited is closed once the process has ended; status is set before that.
	exited chan struct{}
	status string
}

// startProcess starts a program in a process group of its own, so that an
// interrupt from the terminal does not reach it and all of it can be ended.
func startProcess(path string, args, env []string, dir string) (*process, error) {
	p := &process{
		cmd:    exec.Command(path, args...),
		stderr: &tail{limit: 64 << 10},
		exited: make(chan struct{}),
	}
	p.cmd.Env = env
	p.cmd.Dir = dir
	p.cmd.Stdout = io.Discard
	p.cmd.Stderr = p.stderr
	// A child that outlives the process must not hold Wait up by keeping the
	// pipe open.
	p.cmd.WaitDelay = time.Second
	Isolate(p.cmd)
	started := make(chan error)
	go p.supervise(started)
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// supervise starts the process and waits for its end on one thread: on Linux
// the process is told when the thread that started it ends, which must not
// happen before the whole of this program ends.
func (p *process) supervise(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	err = p.cmd.Wait()
	p.status = p.cmd.ProcessState.String()
	if err != nil && p.cmd.ProcessState == nil {
		p.status = err.Error()
	}
	close(p.exited)
}

// hasEnded reports whether the process has ended.
func (p *process) hasEnded() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// ended reports whether the process ends within d.
func (p *process) ended(d time.Duration) bool {
	select {
	case <-p.exited:
		return true
	case <-time.After(d):
		return false
	}
}

// interrupt asks the kernel to stop the running cell.
func (p *process) interrupt() error { return p.cmd.Process.Signal(os.Interrupt) }

// Time given to a kernel to end by itself before it is told to, and before it
// is killed.
const (
	politeExit = 3 * time.Second
	firmExit   = 2 * time.Second
)

// stop ends the process and all it started, first politely.
func (p *process) stop(polite time.Duration) {
	if !p.ended(polite) {
		terminate(p.cmd)
		p.ended(firmExit)
	}
	// Also after a clean end: cells can leave programs running.
	killAll(p.cmd)
	<-p.exited
}

// tail keeps the last bytes written to it.
type tail struct {
	mu    sync.Mutex
	limit int
	buf   []byte
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - t.limit; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

// last returns the last n lines that tell of trouble, without colours: errors
// of the kernel's log, and what is not log at all, such as a panic.
func (t *tail) last(n int) string {
	t.mu.Lock()
	printed := plain(string(t.buf))
	t.mu.Unlock()
	var kept []string
	for _, entry := range logEntries(printed) {
		if tellsOfTrouble(entry) {
			kept = append(kept, entry...)
		}
	}
	return strings.Join(kept[max(0, len(kept)-n):], "\n")
}

// logStart matches the first line of an entry in the kernel's log; the letter
// is its severity.
var logStart = regexp.MustCompile(`^([IWEF])\d{4} `)

// logEntries cuts text into entries of one or more non-empty lines.
func logEntries(text string) [][]string {
	var entries [][]string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if len(entries) == 0 || logStart.MatchString(line) || strings.HasPrefix(line, "panic:") {
			entries = append(entries, nil)
		}
		entries[len(entries)-1] = append(entries[len(entries)-1], line)
	}
	return entries
}

// tellsOfTrouble leaves out what every kernel logs: information, warnings, a
// test of its own log, and that gopls is missing, which only editors need.
func tellsOfTrouble(entry []string) bool {
	m := logStart.FindStringSubmatch(entry[0])
	switch {
	case m == nil:
		return true
	case m[1] == "I" || m[1] == "W":
		return false
	case strings.HasSuffix(entry[0], "] Error message"):
		return false
	}
	return !strings.Contains(strings.Join(entry, "\n"), "gopls is not installed")
}
