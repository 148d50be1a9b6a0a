package kernelspec

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/inferlab/inferlab/notebooks/run"
)

// Status is how a thing that notebooks need was found.
type Status string

// The states of a finding. Only Missing keeps the kernel from working.
const (
	OK      Status = "ok"
	Lacking Status = "lacking"
	Missing Status = "missing"
)

// Finding is one thing that notebooks need.
type Finding struct {
	// What is looked for.
	What string `json:"what"`
	// Status is how it was found.
	Status Status `json:"status"`
	// Found says what was found.
	Found string `json:"found"`
	// Fix is a command or a sentence that helps, "" when nothing is to be done.
	Fix string `json:"fix,omitempty"`
}

// Diagnose looks at everything the kernel in dataDir needs and at what using it
// takes: Go, the kernel's files, what cells import, the programs, Jupyter, and
// whether a cell answers with an empty PATH and the module proxy off.
func Diagnose(ctx context.Context, dataDir string) []Finding {
	d := &doctor{ctx: ctx, dir: Dir(dataDir)}
	d.golang()
	if d.kernel() {
		d.module()
		d.programs()
		d.cell()
	}
	d.jupyter()
	return d.findings
}

type doctor struct {
	ctx      context.Context
	dir      string
	spec     *spec
	findings []Finding
}

func (d *doctor) add(what string, status Status, found, fix string) {
	if status == OK {
		fix = ""
	}
	d.findings = append(d.findings, Finding{what, status, found, fix})
}

func (d *doctor) golang() {
	g, err := goFacts(d.ctx)
	if err != nil {
		d.add("Go", Missing, err.Error(), "install Go from https://go.dev/dl and put it on the PATH")
		return
	}
	d.add("Go", OK, g["GOVERSION"]+" in "+g["GOROOT"], "")
}

const installFix = "inferlab kernel install"

// kernel looks at the installed files and reports whether there is a kernel to
// look into.
func (d *doctor) kernel() bool {
	s, err := readSpec(d.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.add("kernel", Missing, "none in "+d.dir, installFix)
		return false
	case err != nil:
		d.add("kernel", Missing, err.Error(), installFix)
		return false
	case len(s.Argv) == 0:
		d.add("kernel", Missing, d.dir+"/kernel.json starts nothing", installFix)
		return false
	}
	d.spec = s
	if _, err := exec.LookPath(s.Argv[0]); err != nil {
		d.add("kernel", Missing, "its program is gone: "+s.Argv[0], installFix)
		return false
	}
	d.add("kernel", OK, fmt.Sprintf("%s in %s", s.DisplayName, d.dir), "")
	return true
}

// moduleDir is the directory that cells import through.
func (d *doctor) moduleDir() string {
	fields, _ := d.spec.Metadata[Name].(map[string]any)
	dir, _ := fields["module"].(string)
	return dir
}

func (d *doctor) module() {
	dir := d.moduleDir()
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		d.add("imports", Missing, "cells import through "+dir+", which is no module any more", installFix+", in the checkout that cells are to use")
		return
	}
	if _, err := command(d.ctx, dir, []string{"GOPROXY=off", "GOWORK=off", "GOFLAGS=-mod=mod"}, "go", append([]string{"list", "-deps"}, cellImports...)...); err != nil {
		lines := strings.Split(err.Error(), "\n")
		d.add("imports", Lacking, "the module cache lacks something that cells import: "+lines[len(lines)-1], "cd "+dir+" && go mod download, with the network on")
		return
	}
	d.add("imports", OK, "cells import through "+dir+"; nothing has to be fetched", "")
}

func (d *doctor) programs() {
	bin := filepath.Join(d.dir, "bin")
	for _, p := range []struct {
		name   string
		status Status
		why    string
	}{{"goimports", Missing, "every cell needs it"}, {"gopls", Lacking, "completion and contextual help need it"}} {
		path := filepath.Join(bin, program(p.name))
		version, err := command(d.ctx, d.dir, nil, "go", "version", "-m", path)
		if err != nil {
			d.add(p.name, p.status, "not in "+bin+"; "+p.why, installFix+", with the network on")
			continue
		}
		d.add(p.name, OK, moduleVersion(version), "")
	}
}

// moduleVersion reads the module and its version from `go version -m`.
func moduleVersion(text string) string {
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) >= 3 && f[0] == "mod" {
			return f[1] + " " + f[2]
		}
	}
	return strings.TrimSpace(text)
}

func (d *doctor) jupyter() {
	for _, name := range []string{"jupyter-lab", "jupyter"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		args := []string{"--version"}
		out, err := command(d.ctx, "", nil, path, args...)
		if err != nil {
			d.add("Jupyter", Lacking, err.Error(), "inferlab lab")
			return
		}
		first, _, _ := strings.Cut(strings.TrimSpace(out), "\n")
		d.add("Jupyter", OK, name+" "+first+" in "+filepath.Dir(path), "")
		return
	}
	d.add("Jupyter", Lacking, "not on the PATH; `inferlab notebook run` does without it", "inferlab lab, which sets JupyterLab up in an environment of its own")
}

// cellTimeout bounds the doctor's one cell, compiling included.
const cellTimeout = 3 * time.Minute

// cell starts the kernel as Jupyter would and has it execute one cell.
func (d *doctor) cell() {
	took, err := run.Probe(d.ctx, run.ProbeOptions{
		// Errors as text, not as a page.
		Argv: append(slices.Clone(d.spec.Argv), "-raw_error"), Env: append(environ(d.spec.Env), "GOPROXY=off"),
		Code: "import \"" + modulePath + "/simcore\"\n\n%%\nif _, err := simcore.Scenario(\"multi-gpu\"); err != nil {\n\tpanic(err)\n}",
		Root: d.moduleDir(), CellTimeout: cellTimeout,
	})
	if err != nil {
		d.add("a cell", Missing, err.Error(), installFix+"; if that does not help, the lines above say why")
		return
	}
	d.add("a cell", OK, fmt.Sprintf("imported the simulator and answered in %s, with an empty PATH and the module proxy off", took.Round(100*time.Millisecond)), "")
}

// environ is the environment of a kernel that Jupyter starts, from the spec and
// the home directory alone.
func environ(env map[string]string) []string {
	list := []string{"HOME=" + os.Getenv("HOME")}
	for _, name := range []string{"PATH", "GOFLAGS", "GOWORK", "GOCACHE", "GOMODCACHE", "GOPATH"} {
		list = append(list, name+"="+env[name])
	}
	return list
}
