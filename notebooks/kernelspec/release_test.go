package kernelspec_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/inferlab/inferlab/notebooks/kernelspec"
)

const path = "github.com/inferlab/inferlab"

// version is another one in each run: Go keeps an index of what a version holds
// even when the version is gone.
var version = fmt.Sprintf("v0.0.0-kerneltest.%d", time.Now().UnixNano())

// A released version, outside any checkout: the command is installed as everybody
// installs it, and the kernel that it installs pins the command's own version. The
// version comes from a module proxy in a folder, everything else from the module
// cache, and once the kernel is installed nothing is fetched. It builds the whole
// module anew, which takes minutes, so it runs where INFERLAB_LAB_TESTS is set
// (make lab-test).
func TestInstallRelease(t *testing.T) {
	if os.Getenv("INFERLAB_LAB_TESTS") == "" {
		t.Skip("takes minutes; make lab-test sets INFERLAB_LAB_TESTS")
	}
	root := checkout(t)
	cache := goEnv(t, "GOMODCACHE")
	proxy := t.TempDir()
	forget(t, cache) // of a run that was ended, the list of versions may be left
	publish(t, root, proxy)
	t.Cleanup(func() { forget(t, cache) })
	t.Setenv("GOPROXY", "file://"+proxy+",file://"+filepath.Join(cache, "cache", "download"))
	t.Setenv("GOSUMDB", "off")
	t.Chdir(t.TempDir())
	t.Setenv("GOBIN", t.TempDir())
	output(t, "go", "install", path+"/cmd/inferlab@"+version)
	command := filepath.Join(os.Getenv("GOBIN"), "inferlab")
	if said := output(t, command, "version"); !strings.Contains(said, version) {
		t.Errorf("the command is of another version:\n%s", said)
	}
	prefix := t.TempDir()
	dataDir, err := kernelspec.PrefixDataDir(prefix)
	if err != nil {
		t.Fatal(err)
	}
	pin := filepath.Join(kernelspec.Dir(dataDir), "module")
	if said := output(t, command, "kernel", "install", "--prefix", prefix, "--no-gopls"); !strings.HasSuffix(said, "\ncells import through "+pin+"\n") {
		t.Errorf("kernel install: %s", said)
	}
	mod, err := os.ReadFile(filepath.Join(pin, "go.mod"))
	if err != nil || !strings.Contains(string(mod), path+" "+version) {
		t.Errorf("%v: the module does not pin the version:\n%s", err, mod)
	}
	if have, err := kernelspec.InstalledSource(dataDir); err != nil || have.Version != version {
		t.Errorf("imports from %+v (%v)", have, err)
	}
	checkHealth(t, dataDir)
}

// output runs a program and returns what it printed.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, complaints.String())
	}
	return string(out)
}

// publish puts the committed state of the checkout into a module proxy.
func publish(t *testing.T, root, proxy string) {
	t.Helper()
	dir := filepath.Join(proxy, path, "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	archive, err := os.Create(filepath.Join(dir, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.CreateFromVCS(archive, module.Version{Path: path, Version: version}, root, "HEAD", ""); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	mod, err := exec.Command("git", "-C", root, "show", "HEAD:go.mod").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{version + ".mod": string(mod), version + ".info": fmt.Sprintf(`{"Version":%q}`, version), "list": version + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// forget removes the version, and the list of versions, from the module cache again.
func forget(t *testing.T, cache string) {
	source := filepath.Join(cache, path+"@"+version)
	_ = filepath.WalkDir(source, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(p, 0o755)
		}
		return nil
	})
	if err := os.RemoveAll(source); err != nil {
		t.Error(err)
	}
	kept := filepath.Join(cache, "cache", "download", path, "@v")
	files, err := filepath.Glob(filepath.Join(kept, version+".*"))
	if err != nil {
		t.Error(err)
	}
	for _, f := range append(files, filepath.Join(kept, "list")) {
		if err := os.Remove(f); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSpace(output(t, "go", "env", name))
}
