package kernelspec_test

import (
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

// A kernel for a released version, outside any checkout: the version comes from
// a module proxy in a folder, everything else from the module cache, and once it
// is installed nothing is fetched. It builds the whole module anew, which takes
// minutes, so it runs where INFERLAB_LAB_TESTS is set (make lab-test).
func TestInstallRelease(t *testing.T) {
	if os.Getenv("INFERLAB_LAB_TESTS") == "" {
		t.Skip("takes minutes; make lab-test sets INFERLAB_LAB_TESTS")
	}
	root := checkout(t)
	cache := goEnv(t, "GOMODCACHE")
	proxy := t.TempDir()
	publish(t, root, proxy)
	t.Cleanup(func() { forget(t, cache) })
	t.Setenv("GOPROXY", "file://"+proxy+",file://"+filepath.Join(cache, "cache", "download"))
	t.Setenv("GOSUMDB", "off")
	t.Chdir(t.TempDir())
	dataDir := t.TempDir()
	in, err := kernelspec.Install(t.Context(), kernelspec.Options{DataDir: dataDir, Source: kernelspec.Source{Version: version}})
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(in.Module, "go.mod"))
	if err != nil || !strings.Contains(string(mod), path+" "+version) {
		t.Errorf("%v: the module does not pin the version:\n%s", err, mod)
	}
	if have, err := kernelspec.InstalledSource(dataDir); err != nil || have.Version != version {
		t.Errorf("imports from %+v (%v)", have, err)
	}
	checkHealth(t, dataDir)
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
	for name, text := range map[string]string{".mod": string(mod), ".info": fmt.Sprintf(`{"Version":%q}`, version)} {
		if err := os.WriteFile(filepath.Join(dir, version+name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// forget removes the version from the module cache again.
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
	kept, err := filepath.Glob(filepath.Join(cache, "cache", "download", path, "@v", version+".*"))
	if err != nil {
		t.Error(err)
	}
	for _, f := range kept {
		if err := os.Remove(f); err != nil {
			t.Error(err)
		}
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
