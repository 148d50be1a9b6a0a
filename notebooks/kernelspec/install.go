package kernelspec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inferlab/inferlab/internal/wholefile"
	"github.com/inferlab/inferlab/notebooks/run"
)

// Source is what cells of the kernel import from.
type Source struct {
	// Root is a checkout of this module; "" for a release.
	Root string
	// Version is a released version of this module, when Root is "".
	Version string
}

// Options says where and how to install.
type Options struct {
	// DataDir is the Jupyter data directory to install into.
	DataDir string
	// Source is what cells import from.
	Source Source
	// Gopls asks for gopls, without which there is no completion and no
	// contextual help. That it cannot be had is no failure.
	Gopls bool
	// Progress, when not nil, is told in a few words what is being done.
	Progress func(string)
}

// Installed tells of an installed kernel.
type Installed struct {
	// Dir is the kernel's folder.
	Dir string
	// Module is the directory that cells import through: the checkout, or the
	// module that pins the version.
	Module string
	// GoplsProblem says why gopls is missing, "" when it is there or was not
	// asked for.
	GoplsProblem string
}

// spec is the content of kernel.json. Jupyter keeps the metadata.
type spec struct {
	Argv          []string          `json:"argv"`
	DisplayName   string            `json:"display_name"`
	Language      string            `json:"language"`
	InterruptMode string            `json:"interrupt_mode"`
	Env           map[string]string `json:"env"`
	Metadata      map[string]any    `json:"metadata"`
}

// Install installs the kernel, replacing one that is there. The old one stays
// whole until the new one is complete.
func Install(ctx context.Context, o Options) (*Installed, error) {
	say := o.Progress
	if say == nil {
		say = func(string) {}
	}
	dir := Dir(o.DataDir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), "."+Name+"-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(fresh)
	if err := os.Chmod(fresh, 0o755); err != nil {
		return nil, err
	}
	module := o.Source.Root
	if module == "" {
		say("fetching " + modulePath + " " + o.Source.Version)
		if err := writeModule(ctx, filepath.Join(fresh, "module"), o.Source.Version); err != nil {
			return nil, err
		}
		module = filepath.Join(fresh, "module")
	}
	say("building gonb and goimports")
	if err := copyTools(ctx, module, filepath.Join(fresh, "bin")); err != nil {
		return nil, err
	}
	if o.Source.Root != "" {
		if err := writeGo(ctx, filepath.Join(fresh, "bin")); err != nil {
			return nil, err
		}
	}
	in := &Installed{Dir: dir, Module: o.Source.Root}
	if in.Module == "" {
		in.Module = filepath.Join(dir, "module")
	}
	if o.Gopls {
		say("building gopls")
		if err := buildGopls(ctx, filepath.Join(fresh, "bin")); err != nil {
			in.GoplsProblem = err.Error()
		}
	}
	if err := writeSpec(ctx, fresh, dir, in.Module, o.Source); err != nil {
		return nil, err
	}
	return in, replaceDir(fresh, dir)
}

// copyTools builds gonb and goimports as module names them, and copies them:
// the cache they are built into may be emptied at any time.
func copyTools(ctx context.Context, module, bin string) error {
	built, err := run.BuildTools(ctx, module, "")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(built)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := copyProgram(filepath.Join(built, e.Name()), filepath.Join(bin, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func copyProgram(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := wholefile.Write(to, func(w io.Writer) error { _, err := io.Copy(w, in); return err }); err != nil {
		return err
	}
	return os.Chmod(to, 0o755)
}

// writeSpec writes kernel.json and the logo. Paths in it are those of dir,
// where fresh will stand.
func writeSpec(ctx context.Context, fresh, dir, module string, source Source) error {
	env, err := kernelEnv(ctx, filepath.Join(dir, "bin"))
	if err != nil {
		return err
	}
	content := spec{
		Argv:        []string{filepath.Join(dir, "bin", program("gonb")), "-kernel", "{connection_file}", "-go_work", module},
		DisplayName: DisplayName,
		Language:    "go",
		// A signal would end the helpers that gonb starts.
		InterruptMode: "message",
		Env:           env,
		Metadata:      map[string]any{Name: map[string]any{"module": module, "version": source.Version}},
	}
	data, err := json.MarshalIndent(content, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(fresh, "kernel.json"), append(data, '\n'), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(fresh, "logo-svg.svg"), []byte(logo), 0o644)
}

// kernelEnv is what the kernel needs of the environment and may not find where
// it is started: the programs, and Go's directories.
func kernelEnv(ctx context.Context, bin string) (map[string]string, error) {
	g, err := goFacts(ctx)
	if err != nil {
		return nil, err
	}
	path := []string{bin, filepath.Join(g["GOROOT"], "bin")}
	for _, d := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.IsAbs(d) && !slices.Contains(path, d) {
			path = append(path, d)
		}
	}
	env := map[string]string{
		"PATH": strings.Join(path, string(os.PathListSeparator)),
		// Settings that a workspace refuses, should Jupyter have them.
		"GOFLAGS": run.WorkspaceFlags(g["GOFLAGS"]),
		"GOWORK":  "",
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		env[name] = g[name]
	}
	return env, nil
}

// replaceDir puts fresh where dir is.
func replaceDir(fresh, dir string) error {
	if err := refuseForeign(dir); err != nil {
		return err
	}
	old := fresh + "-old"
	switch err := os.Rename(dir, old); {
	case err == nil:
		defer os.RemoveAll(old)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := os.Rename(fresh, dir); err != nil {
		_ = os.Rename(old, dir)
		return err
	}
	return nil
}

// refuseForeign refuses to touch a folder that holds another kernel.
func refuseForeign(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	s, err := readSpec(dir)
	if err != nil {
		return fmt.Errorf("%s is no kernel of inferlab: %w", dir, err)
	}
	if _, ours := s.Metadata[Name]; !ours {
		return fmt.Errorf("%s holds another kernel, %q; remove it first", dir, s.DisplayName)
	}
	return nil
}

func readSpec(dir string) (*spec, error) {
	data, err := os.ReadFile(filepath.Join(dir, "kernel.json"))
	if err != nil {
		return nil, err
	}
	var s spec
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("kernel.json: %w", err)
	}
	return &s, nil
}

// Uninstall removes the kernel from a Jupyter data directory with all that
// Install put there, and returns the folder. One that is not there is an error
// that matches fs.ErrNotExist.
func Uninstall(dataDir string) (string, error) {
	dir := Dir(dataDir)
	if _, err := os.Stat(dir); err != nil {
		return dir, err
	}
	if err := refuseForeign(dir); err != nil {
		return dir, err
	}
	return dir, os.RemoveAll(dir)
}

// logo is the kernel's picture in Jupyter's launcher: bars of a batch over time.
const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="10" fill="#1A1C1E"/><rect x="10" y="14" width="14" height="8" rx="2" fill="#F0B84D"/><rect x="26" y="14" width="28" height="8" rx="2" fill="#56B4E9"/><rect x="18" y="28" width="18" height="8" rx="2" fill="#F0B84D"/><rect x="38" y="28" width="16" height="8" rx="2" fill="#56B4E9"/><rect x="10" y="42" width="8" height="8" rx="2" fill="#F0B84D"/><rect x="20" y="42" width="22" height="8" rx="2" fill="#3CC79B"/></svg>
`

// InstalledSource tells what the cells of the installed kernel import from. A
// kernel that is not there is an error that matches fs.ErrNotExist.
func InstalledSource(dataDir string) (Source, error) {
	s, err := readSpec(Dir(dataDir))
	if err != nil {
		return Source{}, err
	}
	fields, ours := s.Metadata[Name].(map[string]any)
	if !ours {
		return Source{}, fmt.Errorf("%s holds another kernel", Dir(dataDir))
	}
	if version, _ := fields["version"].(string); version != "" {
		return Source{Version: version}, nil
	}
	root, _ := fields["module"].(string)
	return Source{Root: root}, nil
}
