package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// modulePath is the module whose checkout cells import from.
const modulePath = "github.com/inferlab/inferlab"

// tools are the programs a headless run needs besides Go itself, by the import
// path from which they are built.
var tools = []string{"github.com/janpfeifer/gonb", "golang.org/x/tools/cmd/goimports"}

// FindModuleRoot returns the directory of the inferlab checkout that holds
// dir: the nearest one at or above it whose go.mod declares the module.
func FindModuleRoot(dir string) (string, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for at := start; ; at = filepath.Dir(at) {
		data, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil && modfile.ModulePath(data) == modulePath {
			return at, nil
		}
		if filepath.Dir(at) == at {
			return "", fmt.Errorf("no checkout of %s at or above %s", modulePath, start)
		}
	}
}

// BuildTools makes sure that gonb and goimports stand in a directory of their
// own, built from the versions that the go.mod in moduleRoot names, and
// returns that directory. With cache "" they go below the user's cache
// directory. What is there already is used again; building takes a few seconds
// when Go's build cache is warm and 40 s of processor time when it is cold.
func BuildTools(ctx context.Context, moduleRoot, cache string) (string, error) {
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(user, "inferlab", "tools")
	}
	key, err := toolKey(ctx, moduleRoot)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, key)
	if haveTools(dir) {
		return dir, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	fresh, err := os.MkdirTemp(cache, ".building-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh)
	if err := buildInto(ctx, moduleRoot, fresh); err != nil {
		return "", err
	}
	// Another process may have been faster; its build is as good as ours.
	if err := os.Rename(fresh, dir); err != nil && !haveTools(dir) {
		return "", err
	}
	return dir, nil
}

func buildInto(ctx context.Context, moduleRoot, dir string) error {
	args := append([]string{"build", "-o", dir + string(filepath.Separator)}, tools...)
	_, err := goCommand(ctx, moduleRoot, args...)
	if err != nil {
		return err
	}
	// MkdirTemp makes directories for the user alone; caches are shared.
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	if !haveTools(dir) {
		return fmt.Errorf("go %s left no programs in %s", strings.Join(args, " "), dir)
	}
	return nil
}

// toolKey names a build: it changes with the Go in use, the platform and the
// version of every module in go.mod, since any of them can enter the tools.
func toolKey(ctx context.Context, moduleRoot string) (string, error) {
	path := filepath.Join(moduleRoot, "go.mod")
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	mod, err := modfile.Parse(path, data, nil)
	if err != nil {
		return "", err
	}
	goVersion, err := goCommand(ctx, moduleRoot, "env", "GOVERSION")
	if err != nil {
		return "", err
	}
	facts := []string{}
	for _, r := range mod.Require {
		facts = append(facts, "require "+r.Mod.String())
	}
	for _, r := range mod.Replace {
		facts = append(facts, "replace "+r.Old.String()+" "+r.New.String())
	}
	slices.Sort(facts)
	facts = append(facts, strings.TrimSpace(goVersion), runtime.GOOS, runtime.GOARCH)
	sum := sha256.Sum256([]byte(strings.Join(facts, "\n")))
	return hex.EncodeToString(sum[:8]), nil
}

func haveTools(dir string) bool {
	for _, t := range tools {
		name := t[strings.LastIndex(t, "/")+1:]
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

// goCommand runs the go command in dir and returns what it printed.
func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	// The tools run here, whatever platform the environment builds for.
	cmd.Env = without(os.Environ(), "GOOS", "GOARCH")
	out, err := cmd.Output()
	if err == nil {
		return string(out), nil
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	failure := &ToolError{Command: "go " + strings.Join(args, " "), Output: string(out), Err: err}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		failure.Output += string(exit.Stderr)
	}
	if errors.Is(err, exec.ErrNotFound) {
		failure.Output = "Go itself is not on the PATH; see https://go.dev/dl"
	}
	return "", failure
}

// without returns env without the named variables.
func without(env []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(names, name)
	})
}
