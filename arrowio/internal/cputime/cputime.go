//go:build unix

// Package cputime says how much processor time the process has used. Benchmarks
// report it beside the time on the clock, because on a machine that others use the
// clock tells more of them than of the code.
package cputime

import (
	"syscall"
	"time"
)

// Used is the processor time of all threads since the process began, in user and
// system mode.
func Used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
