package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// kernel is a running GoNB kernel with the sockets to it.
type kernel struct {
	process *process
	client  *client
	// private is a directory of this run alone: it holds the connection file
	// and, as the kernel's TMPDIR, all that kernel and cells leave behind.
	private string
	paths   redactor
}

const (
	defaultStartTimeout = time.Minute
	// startAttempts bounds how often a kernel is started again because
	// another program took one of its ports first.
	startAttempts = 3
	// silenceLimit is how long a kernel may leave heartbeats unanswered. It is
	// long, because a busy machine must not look like a frozen kernel.
	silenceLimit = 45 * time.Second
	// greetInterval is how long to wait for an answer to kernel_info before
	// asking again: a subscription takes effect some time after connecting.
	greetInterval = 250 * time.Millisecond
	stderrLines   = 15
)

// startKernel builds the tools, starts gonb and waits until it answers.
func startKernel(ctx context.Context, o Options) (*kernel, error) {
	toolDir, err := BuildTools(ctx, o.ModuleRoot, o.ToolDir)
	if err != nil {
		return nil, err
	}
	startCtx, cancel := context.WithTimeout(ctx, o.StartTimeout)
	defer cancel()
	for attempt := 1; ; attempt++ {
		k, err := launch(startCtx, o, gonbCommand(o, toolDir))
		if err == nil {
			return k, nil
		}
		failure, ok := errors.AsType[*KernelError](err)
		if !ok || attempt == startAttempts || !strings.Contains(failure.Stderr, "address already in use") {
			return nil, err
		}
	}
}

// launch starts a kernel and waits until it answers.
func launch(ctx context.Context, o Options, command startCommand) (_ *kernel, err error) {
	private, err := os.MkdirTemp("", "inferlab-notebook-")
	if err != nil {
		return nil, err
	}
	k := &kernel{private: private}
	defer func() {
		if err != nil {
			k.stop(0)
		}
	}()
	conn, err := newConnection()
	if err != nil {
		return nil, err
	}
	file, err := conn.write(private)
	if err != nil {
		return nil, err
	}
	program, args, env := command(file, private)
	k.process, err = startProcess(program, args, env, o.Dir)
	if err != nil {
		return nil, k.failure("starting", -1, err)
	}
	if err := k.greet(ctx, conn); err != nil {
		return nil, err
	}
	k.paths = newRedactor(private, o.ModuleRoot)
	return k, nil
}

// kernelEnv is the environment of kernel and cells: the caller's, with the
// tools first on the PATH, temporary files kept together, and without the
// settings of the go command that a workspace refuses.
func kernelEnv(o Options, toolDir, private string) []string {
	env := without(os.Environ(), "PATH", "TMPDIR", "GOTMPDIR", "GOWORK", "GOFLAGS", "GOOS", "GOARCH", "NO_COLOR")
	env = append(env,
		"PATH="+toolDir+string(os.PathListSeparator)+os.Getenv("PATH"),
		"TMPDIR="+private,
		"GOFLAGS="+withoutModFlag(os.Getenv("GOFLAGS")),
		"NO_COLOR=1",
		// Cells with controls draw once and end (notebooks/lab, HeadlessEnv).
		"INFERLAB_HEADLESS=1",
	)
	return append(env, o.Env...)
}

// withoutModFlag takes -mod and -modfile out of GOFLAGS.
func withoutModFlag(flags string) string {
	var kept []string
	for _, f := range strings.Fields(flags) {
		name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		if name != "mod" && name != "modfile" {
			kept = append(kept, f)
		}
	}
	return strings.Join(kept, " ")
}

// greet connects to a starting kernel and waits until both its replies and
// its publications arrive.
func (k *kernel) greet(ctx context.Context, conn connection) error {
	// Give up connecting as soon as the process ends.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-k.process.exited:
			cancel()
		case <-ctx.Done():
		}
	}()
	var err error
	if k.client, err = connect(ctx, conn); err != nil {
		return k.startFailure(ctx, err)
	}
	replied, published := false, false
	for !replied || !published {
		if _, err := k.client.send(shell, "kernel_info_request", struct{}{}); err != nil {
			return k.startFailure(ctx, err)
		}
		select {
		case <-ctx.Done():
			return k.startFailure(ctx, ctx.Err())
		case <-k.client.inbox.ready:
		case <-time.After(greetInterval):
		}
		for _, a := range k.client.inbox.take() {
			if a.err != nil {
				return k.startFailure(ctx, a.err)
			}
			replied = replied || a.from == shell
			published = published || a.from == iopub
		}
	}
	return nil
}

// startFailure says why a kernel was given up before it answered.
func (k *kernel) startFailure(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, context.DeadlineExceeded) {
		err = fmt.Errorf("it does not answer: %w", cause)
	}
	return k.failure("starting", -1, err)
}

// failure describes what went wrong with the process at the moment.
func (k *kernel) failure(doing string, cell int, err error) error {
	e := &KernelError{Doing: doing, Cell: cell, Err: err, Status: "unknown"}
	if err != nil {
		e.Status = err.Error()
	}
	if k.process != nil {
		if k.process.hasEnded() {
			e.Status = k.process.status
		}
		e.Stderr = k.process.stderr.last(stderrLines)
	}
	return e
}

// program returns the source of the program that the kernel made of the cells
// last, or "" when it has made none.
func (k *kernel) program() string {
	paths, err := filepath.Glob(filepath.Join(k.private, "gonb_*", "main.go"))
	if err != nil || len(paths) != 1 {
		return ""
	}
	text, err := os.ReadFile(paths[0])
	if err != nil {
		return ""
	}
	return string(text)
}

// stop shuts the kernel down and removes every trace of it. polite is how long
// it may take over ending by itself.
func (k *kernel) stop(polite time.Duration) error {
	if k.process != nil {
		if k.client != nil && polite > 0 {
			// Without an answer it is told by signal, so errors do not matter.
			_, _ = k.client.send(control, "shutdown_request", map[string]any{"restart": false})
		}
		k.process.stop(polite)
	}
	if k.client != nil {
		k.client.close()
	}
	if err := removeAll(k.private); err != nil {
		return fmt.Errorf("remove the kernel's temporary directory: %w", err)
	}
	return nil
}

// removeAll is os.RemoveAll, tried again while processes that were just
// killed are still letting go of their files.
func removeAll(dir string) error {
	var err error
	for range 5 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}

// executeRequest asks for one cell to be executed.
type executeRequest struct {
	Code            string         `json:"code"`
	Silent          bool           `json:"silent"`
	StoreHistory    bool           `json:"store_history"`
	UserExpressions map[string]any `json:"user_expressions"`
	AllowStdin      bool           `json:"allow_stdin"`
	StopOnError     bool           `json:"stop_on_error"`
}

// executeReply is the part of an execute_reply that is used.
type executeReply struct {
	Status         string   `json:"status"`
	ExecutionCount int      `json:"execution_count"`
	EName          string   `json:"ename"`
	EValue         string   `json:"evalue"`
	Traceback      []string `json:"traceback"`
}

// statusContent is the content of a status message.
type statusContent struct {
	ExecutionState string `json:"execution_state"`
}

// isIdle reports whether m says that the kernel is done with its parent.
func isIdle(m message) bool {
	var s statusContent
	return m.header.MsgType == "status" && json.Unmarshal(m.content, &s) == nil && s.ExecutionState == "idle"
}

// WorkspaceFlags returns GOFLAGS without the settings that the go command
// refuses in a workspace, in which every kernel runs.
func WorkspaceFlags(flags string) string { return withoutModFlag(flags) }
