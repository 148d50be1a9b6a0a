package kernelspec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

const modulePath = "github.com/inferlab/inferlab"

// program is the file name of a program on this platform.
func program(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// goFacts returns what `go env` tells that an installation depends on.
func goFacts(ctx context.Context) (map[string]string, error) {
	out, err := command(ctx, "", nil, "go", "env", "-json", "GOROOT", "GOVERSION", "GOCACHE", "GOMODCACHE", "GOPATH", "GOFLAGS", "GOPROXY")
	if err != nil {
		return nil, err
	}
	facts := map[string]string{}
	return facts, json.Unmarshal([]byte(out), &facts)
}

// command runs a program in dir with additional settings and returns what it
// printed; its complaints are in the error.
func command(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if err == nil {
		return string(out), nil
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%s is not on the PATH", name)
	}
	failure := fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		if said := strings.TrimSpace(string(exit.Stderr)); said != "" {
			failure = fmt.Errorf("%w\n%s", failure, said)
		}
	}
	return "", failure
}

// goplsTries bounds how many versions of gopls are tried.
const goplsTries = 4

// buildGopls puts the newest gopls that the Go in use can build into bin. The
// Go command refuses a version that asks for a newer Go.
func buildGopls(ctx context.Context, bin string) error {
	const path = "golang.org/x/tools/gopls"
	env := []string{"GOTOOLCHAIN=local", "GOFLAGS=", "GOWORK=off", "GOBIN=" + bin, "GOOS=", "GOARCH="}
	out, err := command(ctx, os.TempDir(), env, "go", "list", "-m", "-versions", path)
	if err != nil {
		return fmt.Errorf("its versions cannot be listed: %w", err)
	}
	tries := 0
	versions := strings.Fields(out)
	for i := len(versions) - 1; i > 0 && tries < goplsTries; i-- {
		if strings.Contains(versions[i], "-") {
			continue // a preview
		}
		tries++
		if _, err = command(ctx, os.TempDir(), env, "go", "install", path+"@"+versions[i]); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// writeModule makes the module through which cells import a released version:
// it requires that version, and imports what cells import so that the sums of
// all they need are known.
func writeModule(ctx context.Context, dir, version string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	g, err := goFacts(ctx)
	if err != nil {
		return err
	}
	files := map[string]string{
		"go.mod": "module inferlab.local/notebooks\n\ngo " + strings.TrimPrefix(strings.Fields(g["GOVERSION"])[0], "go") + "\n",
		"imports.go": "// Package notebooks pins the version of inferlab that notebook cells import.\npackage notebooks\n\nimport (\n\t_ \"" +
			strings.Join(cellImports, "\"\n\t_ \"") + "\"\n)\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	env := []string{"GOWORK=off", "GOFLAGS=-mod=mod"}
	for _, args := range [][]string{
		{"get", modulePath + "@" + version},
		{"get", "-tool", "github.com/janpfeifer/gonb", "golang.org/x/tools/cmd/goimports"},
		{"list", "-deps", "./...", "tool"},
	} {
		if _, err := command(ctx, dir, env, "go", args...); err != nil {
			return err
		}
	}
	return nil
}

// cellImports are the packages whose dependencies the pinning module knows.
var cellImports = []string{
	modulePath + "/arrowio",
	modulePath + "/arrowio/parquetio",
	modulePath + "/notebooks/lab",
	modulePath + "/report",
	modulePath + "/report/figure",
	modulePath + "/simcore",
	"github.com/janpfeifer/gonb/gonbui",
}

// goScript stands before Go's own command on the kernel's PATH. GoNB runs a bare
// "go get" before each cell, which asks the network for retractions and newer
// versions of everything although a cell's imports are all in the workspace: it
// costs up to seconds a cell, and GoNB has no setting that keeps it from it. Cells
// of a release need it, for it writes the requirement into the cell's own module.
// Everything else, "go get" with a package included, is Go's own command.
const goScript = `#!/bin/sh
if [ "$*" = "get" ] || [ "$*" = "get -t" ]; then
	exit 0
fi
exec '%s' "$@"
`

// writeGo writes goScript into bin. Where there is no /bin/sh, cells take longer.
func writeGo(ctx context.Context, bin string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	g, err := goFacts(ctx)
	if err != nil {
		return err
	}
	real := filepath.Join(g["GOROOT"], "bin", "go")
	text := fmt.Sprintf(goScript, strings.ReplaceAll(real, "'", `'\''`))
	return os.WriteFile(filepath.Join(bin, "go"), []byte(text), 0o755)
}
