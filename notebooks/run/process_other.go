//go:build !unix

package run

import "os/exec"

// Isolate does nothing on this platform.
func Isolate(*exec.Cmd) {}

func terminate(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func killAll(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
