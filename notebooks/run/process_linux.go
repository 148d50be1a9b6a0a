package run

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// Isolate gives a process that is to be started a session of its own, so that a
// key at the terminal does not interrupt it, and has the system end it should this
// program be killed without a chance to clean up. For that the thread that starts
// it must last (runtime.LockOSThread).
func Isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGTERM}
}

func terminate(cmd *exec.Cmd) {
	_ = cmd.Process.Signal(syscall.SIGTERM)
}

// killAll ends every process of the kernel's session, and returns when they are
// gone. The session is found by number and not only by process group, because the
// kernel starts helpers in groups of their own. It is searched again until nothing
// is left: a shell whose program was ended may start the next one before its own
// turn comes.
func killAll(cmd *exec.Cmd) {
	leader := cmd.Process.Pid
	_ = syscall.Kill(-leader, syscall.SIGKILL)
	const searches, pause = 500, 2 * time.Millisecond // a second in all, for what no signal ends
	for range searches {
		members := sessionMembers(leader)
		if len(members) == 0 {
			return
		}
		for _, pid := range members {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(pause)
	}
}

// sessionMembers lists the live processes whose session leader is leader.
func sessionMembers(leader int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var members []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // it ended meanwhile
		}
		if sessionOf(stat) == leader {
			members = append(members, pid)
		}
	}
	return members
}

// sessionOf reads the session number from a /proc/PID/stat line, or 0 for a
// process that has ended. The name field is in parentheses and may hold spaces.
func sessionOf(stat []byte) int {
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return 0
	}
	fields := bytes.Fields(stat[end+1:])
	const state, session = 0, 3
	if len(fields) <= session || string(fields[state]) == "Z" {
		return 0
	}
	n, err := strconv.Atoi(string(fields[session]))
	if err != nil {
		return 0
	}
	return n
}
