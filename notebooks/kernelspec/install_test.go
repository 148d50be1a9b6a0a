package kernelspec_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/notebooks/kernelspec"
)

// checkout is the root of this checkout.
func checkout(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// readKernelJSON returns kernel.json as Jupyter would read it.
func readKernelJSON(t *testing.T, dir string) (argv []string, env map[string]string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "kernel.json"))
	if err != nil {
		t.Fatal(err)
	}
	var k struct {
		Argv          []string          `json:"argv"`
		Env           map[string]string `json:"env"`
		DisplayName   string            `json:"display_name"`
		Language      string            `json:"language"`
		InterruptMode string            `json:"interrupt_mode"`
	}
	if err := json.Unmarshal(data, &k); err != nil {
		t.Fatal(err)
	}
	if k.DisplayName != "Inferlab (Go)" || k.Language != "go" || k.InterruptMode != "message" {
		t.Errorf("kernel.json: %+v", k)
	}
	return k.Argv, k.Env
}

// The life of a kernel: installed from a checkout, in good health with an empty
// PATH and the module proxy off, installed again, removed.
func TestInstallFromCheckout(t *testing.T) {
	dataDir, err := kernelspec.PrefixDataDir(filepath.Join(t.TempDir(), "a prefix"))
	if err != nil {
		t.Fatal(err)
	}
	source := kernelspec.Source{Root: checkout(t)}
	if _, err := kernelspec.InstalledSource(dataDir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before: %v", err)
	}
	for range 2 {
		in, err := kernelspec.Install(t.Context(), kernelspec.Options{DataDir: dataDir, Source: source})
		if err != nil {
			t.Fatal(err)
		}
		if want := (kernelspec.Installed{Dir: kernelspec.Dir(dataDir), Module: source.Root}); *in != want {
			t.Errorf("installed %+v, want %+v", *in, want)
		}
	}
	if have, err := kernelspec.InstalledSource(dataDir); err != nil || have != source {
		t.Errorf("imports from %+v (%v)", have, err)
	}
	dir := kernelspec.Dir(dataDir)
	argv, env := readKernelJSON(t, dir)
	want := []string{filepath.Join(dir, "bin", "gonb"), "-kernel", "{connection_file}", "-go_work", source.Root}
	if diff := cmp.Diff(want, argv); diff != "" {
		t.Errorf("argv (-want +got):\n%s", diff)
	}
	for _, entry := range filepath.SplitList(env["PATH"]) {
		if !filepath.IsAbs(entry) {
			t.Errorf("PATH holds %q, which is not absolute", entry)
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) != 1 {
		t.Errorf("the folder of kernels holds %v (%v)", entries, err)
	}
	checkHealth(t, dataDir)
	checkGo(t, filepath.Join(dir, "bin", "go"))

	if removed, err := kernelspec.Uninstall(dataDir); err != nil || removed != dir {
		t.Errorf("removed %s: %v", removed, err)
	}
	if _, err := kernelspec.Uninstall(dataDir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed twice: %v", err)
	}
}

// checkGo looks at the go command that stands before Go's own: a bare "go get"
// does nothing, and everything else is Go's own.
func checkGo(t *testing.T, program string) {
	t.Helper()
	for _, tt := range []struct {
		args []string
		want string
	}{{[]string{"get"}, ""}, {[]string{"get", "-t"}, ""}, {[]string{"env", "GOOS"}, runtime.GOOS + "\n"}} {
		cmd := exec.Command(program, tt.args...)
		cmd.Dir = t.TempDir() // outside any module, where "go get" fails
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != tt.want {
			t.Errorf("go %v: %q, %v", tt.args, out, err)
		}
	}
	cmd := exec.Command(program, "get", "./nowhere")
	cmd.Dir = t.TempDir()
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Errorf("go get with a package did nothing: %s", out)
	}
}

// checkHealth has the doctor look at an installed kernel that lacks gopls.
func checkHealth(t *testing.T, dataDir string) {
	t.Helper()
	got := map[string]kernelspec.Status{}
	for _, f := range kernelspec.Diagnose(t.Context(), kernelspec.Place{DataDir: dataDir}) {
		got[f.What] = f.Status
		t.Logf("%s: %s: %s (%s)", f.What, f.Status, f.Found, f.Fix)
		if (f.Status == kernelspec.OK) != (f.Fix == "") {
			t.Errorf("%s is %s with the fix %q", f.What, f.Status, f.Fix)
		}
	}
	delete(got, "Jupyter") // as the machine has it
	want := map[string]kernelspec.Status{"Go": "ok", "kernel": "ok", "imports": "ok", "goimports": "ok", "gopls": "lacking", "a cell": "ok"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("doctor (-want +got):\n%s", diff)
	}
}

// A folder that holds somebody else's kernel is neither replaced nor removed.
func TestForeignKernel(t *testing.T) {
	dataDir := t.TempDir()
	dir := kernelspec.Dir(dataDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	foreign := `{"argv": ["/bin/other"], "display_name": "Other"}`
	if err := os.WriteFile(filepath.Join(dir, "kernel.json"), []byte(foreign), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := kernelspec.Install(t.Context(), kernelspec.Options{DataDir: dataDir, Source: kernelspec.Source{Root: checkout(t)}})
	want := dir + ` holds another kernel, "Other"; remove it first`
	if err == nil || err.Error() != want {
		t.Errorf("install: got %v, want %s", err, want)
	}
	if _, err := kernelspec.Uninstall(dataDir); err == nil || err.Error() != want {
		t.Errorf("uninstall: got %v, want %s", err, want)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "kernel.json")); err != nil || string(data) != foreign {
		t.Errorf("kernel.json is now %s (%v)", data, err)
	}
}

func TestDiagnoseWithoutKernel(t *testing.T) {
	dataDir := t.TempDir()
	for _, f := range kernelspec.Diagnose(t.Context(), kernelspec.Place{DataDir: dataDir}) {
		if f.What == "kernel" && f.Status == kernelspec.Missing && f.Fix == "inferlab kernel install" && strings.Contains(f.Found, dataDir) {
			return
		}
	}
	t.Error("the missing kernel is not found missing")
}

func TestDataDirs(t *testing.T) {
	t.Setenv("JUPYTER_DATA_DIR", "/data/jupyter")
	if got, err := kernelspec.UserDataDir(); err != nil || got != "/data/jupyter" {
		t.Errorf("user: %s, %v", got, err)
	}
	t.Setenv("VIRTUAL_ENV", "/envs/one")
	if got, err := kernelspec.SysPrefix(t.Context()); err != nil || got != "/envs/one" {
		t.Errorf("sys-prefix: %s, %v", got, err)
	}
	if got, err := kernelspec.PrefixDataDir("/envs/one"); err != nil || got != "/envs/one/share/jupyter" {
		t.Errorf("prefix: %s, %v", got, err)
	}
}
