//go:build unix && !linux

package run

import (
	"os/exec"
	"syscall"
)

// Isolate gives a process that is to be started a session of its own, so that a
// key at the terminal does not interrupt it.
func Isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

func terminate(cmd *exec.Cmd) {
	_ = cmd.Process.Signal(syscall.SIGTERM)
}

// killAll ends the process group that the kernel leads.
func killAll(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
