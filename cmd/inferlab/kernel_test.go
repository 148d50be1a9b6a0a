package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferlab/inferlab/notebooks"
	"github.com/inferlab/inferlab/notebooks/kernelspec"
)

// The commands of the kernel, told once through.
func TestKernelCommands(t *testing.T) {
	prefix := t.TempDir()
	dir := filepath.Join(prefix, "share", "jupyter", "kernels", "inferlab")

	code, stdout, _ := inferlab("kernel", "doctor", "--prefix", prefix)
	if code != exitNegative || !strings.Contains(stdout, "to get kernel: inferlab kernel install --prefix "+prefix+"\n") {
		t.Errorf("doctor without a kernel: exit %d\n%s", code, stdout)
	}
	code, _, stderr := inferlab("kernel", "uninstall", "--prefix", prefix)
	if code != exitFailure || stderr != "inferlab: there is no kernel in "+dir+"\n" {
		t.Errorf("uninstall without a kernel: exit %d\n%s", code, stderr)
	}
	code, stdout, stderr = inferlab("kernel", "install", "--prefix", prefix, "--no-gopls")
	root := filepath.Dir(filepath.Dir(packageDir))
	if want := "installed Inferlab (Go) in " + dir + "\ncells import through " + root + "\n"; code != 0 || stdout != want {
		t.Fatalf("install: exit %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = inferlab("kernel", "doctor", "--prefix", prefix, "--format", "json")
	var answer struct {
		Healthy  bool
		Findings []struct{ What, Status string }
	}
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil || code != 0 || !answer.Healthy || len(answer.Findings) != 7 {
		t.Errorf("doctor: exit %d, %v\n%s%s", code, err, stdout, stderr)
	}
	if code, stdout, _ = inferlab("kernel", "uninstall", "--prefix", prefix); code != 0 || stdout != "removed "+dir+"\n" {
		t.Errorf("uninstall: exit %d\n%s", code, stdout)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the kernel is still there (%v)", err)
	}
}

func TestKernelRefusals(t *testing.T) {
	outside(t)
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"kernel"}, "kernel: missing subcommand\nusage: inferlab kernel install | uninstall | doctor"},
		{[]string{"kernel", "install", "--prefix", "p"}, errNothingToImport.Error()},
		{[]string{"lab", "--env", "e"}, errNothingToImport.Error()},
		{[]string{"kernel", "install", "--prefix", "p", "--user"}, "if any flags in the group [user sys-prefix prefix] are set none of the others can be; [prefix user] were all set"},
		{[]string{"kernel", "doctor", "--format", "xml"}, `kernel doctor: --format: found "xml", expected table or json`},
		{[]string{"lab", "--module-root", "."}, "no checkout of github.com/inferlab/inferlab at or above "},
		{[]string{"lab", "--env", "e", "--module-root", packageDir}, "lab: something has to be set up, and nobody is there to ask; run it with --yes\nThis will\n  fetch JupyterLab"},
	}
	for _, tt := range tests {
		code, stdout, stderr := inferlab(tt.args...)
		if code != exitFailure || stdout != "" || !strings.HasPrefix(stderr, "inferlab: "+tt.want) {
			t.Errorf("%v: exit %d\n%s%s", tt.args, code, stdout, stderr)
		}
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 0 {
		t.Errorf("refusals left %v (%v)", entries, err)
	}
}

// outside makes the current folder one outside any checkout, and forgets in which
// one this test was built.
func outside(t *testing.T) {
	t.Helper()
	dir, built := t.TempDir(), builtIn
	t.Chdir(dir)
	builtIn = func() string { return dir }
	t.Cleanup(func() { builtIn = built })
}

// Where cells import from when no flag says it: the checkout around the current
// folder first, outside of one that which the command was built in.
func TestKernelSource(t *testing.T) {
	root := filepath.Dir(filepath.Dir(packageDir))
	other := t.TempDir()
	if err := os.MkdirAll(filepath.Join(other, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "go.mod"), []byte("module github.com/inferlab/inferlab\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		in   string
		from kernelSource
		want kernelspec.Source
	}{
		{filepath.Join(other, "sub"), kernelSource{}, kernelspec.Source{Root: other}},
		{t.TempDir(), kernelSource{}, kernelspec.Source{Root: root}},
		{other, kernelSource{root: packageDir}, kernelspec.Source{Root: root}},
		{other, kernelSource{version: "v1.2.3"}, kernelspec.Source{Version: "v1.2.3"}},
	}
	for _, tt := range tests {
		t.Chdir(tt.in)
		if got, err := tt.from.find(); err != nil || got != tt.want {
			t.Errorf("in %s with %+v: %+v (%v), want %+v", tt.in, tt.from, got, err, tt.want)
		}
	}
}

// Where the kernel goes, by flag.
func TestKernelPlaces(t *testing.T) {
	user, env, prefix := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("JUPYTER_DATA_DIR", user)
	t.Setenv("VIRTUAL_ENV", env)
	for _, tt := range []struct {
		flags []string
		want  string
	}{
		{nil, user},
		{[]string{"--user"}, user},
		{[]string{"--sys-prefix"}, filepath.Join(env, "share", "jupyter")},
		{[]string{"--prefix", prefix}, filepath.Join(prefix, "share", "jupyter")},
	} {
		code, _, stderr := inferlab(append([]string{"kernel", "uninstall"}, tt.flags...)...)
		if want := "inferlab: there is no kernel in " + filepath.Join(tt.want, "kernels", "inferlab") + "\n"; code != exitFailure || stderr != want {
			t.Errorf("%v: exit %d, %q, want %q", tt.flags, code, stderr, want)
		}
	}
}

// The folder that JupyterLab opens on: the checkout's notebooks, or copies that
// are made once and then belong to the reader.
func TestLabFolder(t *testing.T) {
	home := t.TempDir()
	root := filepath.Dir(filepath.Dir(packageDir))
	if dir, err := labFolder("", home, kernelspec.Source{Root: root}); err != nil || dir != filepath.Join(root, "notebooks") {
		t.Errorf("checkout: %s (%v)", dir, err)
	}
	dir, err := labFolder("", home, kernelspec.Source{Version: "v1.2.3"})
	if err != nil || dir != filepath.Join(home, "notebooks") {
		t.Fatalf("release: %s (%v)", dir, err)
	}
	quickstart := filepath.Join(dir, notebooks.QuickstartName)
	if data, err := os.ReadFile(quickstart); err != nil || !bytes.Equal(data, notebooks.Quickstart) {
		t.Errorf("the copy of the quickstart differs (%v)", err)
	}
	if err := os.WriteFile(quickstart, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := labFolder("", home, kernelspec.Source{Version: "v1.2.3"}); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(quickstart); err != nil || string(data) != "mine" {
		t.Errorf("the reader's notebook was replaced: %q (%v)", data, err)
	}
	if _, err := labFolder(quickstart, home, kernelspec.Source{}); err == nil || err.Error() != quickstart+" is not a folder" {
		t.Errorf("a file: %v", err)
	}
}
