package run

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ProbeOptions says which kernel to try.
type ProbeOptions struct {
	// Argv starts the kernel; {connection_file} in it stands for the file that
	// tells it where to listen.
	Argv []string
	// Env is the kernel's whole environment, but for TMPDIR.
	Env []string
	// Code is the one cell to execute.
	Code string
	// Root is the directory whose path is left out of errors.
	Root string
	// CellTimeout bounds the cell, compiling included; 0 does not.
	CellTimeout time.Duration
}

// Probe starts a kernel as Jupyter would, has it execute one cell and ends it.
// It returns how long the cell took, or what went wrong: a *KernelError or a
// *CellError.
func Probe(ctx context.Context, o ProbeOptions) (time.Duration, error) {
	nb := &Notebook{root: &object{}, cells: []*Cell{{&object{}}}}
	cell := nb.cells[0]
	cell.fields.set("cell_type", "code")
	cell.SetSource(o.Code)
	dir, err := os.MkdirTemp("", "inferlab-probe-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	options := Options{Dir: dir, ModuleRoot: o.Root, CellTimeout: o.CellTimeout, AutoGet: true}
	if options, err = options.complete(); err != nil {
		return 0, err
	}
	startCtx, cancel := context.WithTimeout(ctx, options.StartTimeout)
	defer cancel()
	k, err := launch(startCtx, options, func(file, private string) (string, []string, []string) {
		argv := make([]string, len(o.Argv))
		for i, a := range o.Argv {
			argv[i] = strings.ReplaceAll(a, "{connection_file}", file)
		}
		return argv[0], argv[1:], append(without(o.Env, "TMPDIR"), "TMPDIR="+private)
	})
	if err != nil {
		return 0, err
	}
	report := &Report{}
	r := &runner{nb: nb, options: options, kernel: k, collector: newCollector(k.paths), report: report, counts: map[int]int{}}
	err = r.all(ctx)
	polite := politeExit
	if r.broken {
		polite = 0
	}
	if stopErr := k.stop(polite); err == nil {
		err = stopErr
	}
	if err != nil {
		return 0, err
	}
	return report.Cells[0].Duration, nil
}

// gonbCommand is how a headless run starts the kernel: the program, its
// arguments and its environment.
func gonbCommand(o Options, toolDir string) startCommand {
	return func(file, private string) (string, []string, []string) {
		args := []string{"-kernel", file, "-raw_error", "-go_work", o.ModuleRoot}
		return filepath.Join(toolDir, "gonb"), args, kernelEnv(o, toolDir, private)
	}
}

// startCommand says how to start a kernel, given its connection file and its
// private directory: program, arguments and environment.
type startCommand func(file, private string) (program string, args, env []string)
