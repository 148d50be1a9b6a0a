package kernelspec

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// Diagnose looks at everything the kernel needs and at what using it takes: Go,
// the kernel's files, what cells import, the programs, Jupyter, and whether a cell
// answers with an empty PATH and the module proxy off. The kernel is the first that
// the places hold; of a place in a Python environment it is that environment's
// Jupyter, of another the one on the PATH.
func Diagnose(ctx context.Context, places ...Place) []Finding {
	d := &doctor{ctx: ctx, places: places}
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
	places   []Place
	place    Place  // the one that holds the kernel
	dir      string // the kernel's folder there
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

// installFix is the command that installs the kernel at the place looked at.
func (d *doctor) installFix() string {
	const command = "inferlab kernel install"
	if d.place.Prefix == "" {
		return command
	}
	return command + " --prefix " + quoted(d.place.Prefix)
}

// quoted is a path as a shell takes it.
func quoted(path string) string {
	if !strings.ContainsAny(path, " \t\n'\"\\$`&|;<>()*?[]#~!{}") {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// find takes the first place that holds a kernel. When none does, the kernel is to
// be installed where the command does it without a flag, if that was looked at.
func (d *doctor) find() {
	for _, p := range d.places {
		if _, err := os.Stat(Dir(p.DataDir)); err == nil {
			d.place, d.dir = p, Dir(p.DataDir)
			return
		}
	}
	for _, p := range d.places {
		if d.place = p; p.Prefix == "" {
			break
		}
	}
	d.dir = Dir(d.place.DataDir)
}

// kernel looks at the installed files and reports whether there is a kernel to
// look into.
func (d *doctor) kernel() bool {
	d.find()
	s, err := readSpec(d.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		dirs := make([]string, len(d.places))
		for i, p := range d.places {
			dirs[i] = Dir(p.DataDir)
		}
		d.add("kernel", Missing, "none in "+strings.Join(dirs, ", nor in "), d.installFix())
		return false
	case err != nil:
		d.add("kernel", Missing, err.Error(), d.installFix())
		return false
	case len(s.Argv) == 0:
		d.add("kernel", Missing, d.dir+"/kernel.json starts nothing", d.installFix())
		return false
	}
	d.spec = s
	if _, err := exec.LookPath(s.Argv[0]); err != nil {
		d.add("kernel", Missing, "its program is gone: "+s.Argv[0], d.installFix())
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
		d.add("imports", Missing, "cells import through "+dir+", which is no module any more", d.installFix()+", in the checkout that cells are to use")
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
			d.add(p.name, p.status, "not in "+bin+"; "+p.why, d.installFix()+", with the network on")
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

// jupyter looks for a program in which people open notebooks. The command jupyter
// is also there without any.
func (d *doctor) jupyter() {
	for _, name := range []string{"jupyter-lab", "jupyter-notebook"} {
		path, err := d.jupyterProgram(name)
		if err != nil {
			continue
		}
		out, err := command(d.ctx, "", nil, path, "--version")
		if err != nil {
			d.add("Jupyter", Lacking, err.Error(), labFix)
			return
		}
		first, _, _ := strings.Cut(strings.TrimSpace(out), "\n")
		d.add("Jupyter", OK, name+" "+first+" in "+filepath.Dir(path), "")
		return
	}
	found, fix := "JupyterLab is not on the PATH", labFix
	if d.place.Prefix != "" {
		found = "JupyterLab is not in " + d.place.Prefix
		fix = quoted(environmentProgram(d.place.Prefix, "python")) + " -m pip install jupyterlab, or " + labFix
	}
	if path, err := d.jupyterProgram("jupyter"); err == nil {
		found += ", though the command jupyter is in " + filepath.Dir(path)
	}
	d.add("Jupyter", Lacking, found+"; `inferlab notebook run` does without it", fix)
}

const labFix = "inferlab lab, which sets JupyterLab up in an environment of its own"

// jupyterProgram finds a program of Jupyter: that of the kernel's environment, or
// one on the PATH when the kernel is in none.
func (d *doctor) jupyterProgram(name string) (string, error) {
	if d.place.Prefix == "" {
		return exec.LookPath(name)
	}
	return exec.LookPath(environmentProgram(d.place.Prefix, name))
}

// environmentProgram is the path of a program in a Python environment.
func environmentProgram(prefix, name string) string {
	folder := "bin"
	if runtime.GOOS == "windows" {
		folder = "Scripts"
	}
	return filepath.Join(prefix, folder, program(name))
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
		d.add("a cell", Missing, err.Error(), d.installFix()+"; if that does not help, the lines above say why")
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
