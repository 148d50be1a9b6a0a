package kernelspec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Name is the kernel's name in Jupyter's files and commands.
const Name = "inferlab"

// DisplayName is the kernel's name in Jupyter's menus.
const DisplayName = "Inferlab (Go)"

// Dir returns the kernel's folder below a Jupyter data directory.
func Dir(dataDir string) string { return filepath.Join(dataDir, "kernels", Name) }

// Place is where Jupyter keeps kernels.
type Place struct {
	// DataDir is the Jupyter data directory.
	DataDir string
	// Prefix is the Python environment that DataDir belongs to; "" for the
	// user's own directory.
	Prefix string
}

// PrefixPlace is the place of kernels in the Python environment at prefix.
func PrefixPlace(prefix string) (Place, error) {
	abs, err := filepath.Abs(prefix)
	if err != nil {
		return Place{}, err
	}
	dir, err := PrefixDataDir(abs)
	return Place{DataDir: dir, Prefix: abs}, err
}

// Places are those where Jupyter looks for kernels, in its order: an active
// environment before the user's own directory, any other Python after it. Without
// a Python there is the user's directory alone.
func Places(ctx context.Context) ([]Place, error) {
	dir, err := UserDataDir()
	if err != nil {
		return nil, err
	}
	places := []Place{{DataDir: dir}}
	prefix, err := SysPrefix(ctx)
	if err != nil {
		return places, nil // no Python, so no environment to look into
	}
	env, err := PrefixPlace(prefix)
	if err != nil {
		return nil, err
	}
	if isEnvironment(env.Prefix) {
		return append([]Place{env}, places...), nil
	}
	return append(places, env), nil
}

// isEnvironment reports whether a prefix is that of an environment, virtual or of
// Conda, and not that of an ordinary Python.
func isEnvironment(prefix string) bool {
	if os.Getenv("VIRTUAL_ENV") != "" || os.Getenv("CONDA_PREFIX") != "" {
		return true
	}
	_, err := os.Stat(filepath.Join(prefix, "pyvenv.cfg"))
	return err == nil
}

// UserDataDir returns the directory in which Jupyter keeps a user's kernels.
func UserDataDir() (string, error) {
	if dir := os.Getenv("JUPYTER_DATA_DIR"); dir != "" {
		return filepath.Abs(dir)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Jupyter"), nil
	case "windows":
		if dir := os.Getenv("APPDATA"); dir != "" {
			return filepath.Join(dir, "jupyter"), nil
		}
		return filepath.Join(home, ".jupyter", "data"), nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "jupyter"), nil
	}
	return filepath.Join(home, ".local", "share", "jupyter"), nil
}

// PrefixDataDir returns the directory in which a Python installation at prefix,
// a virtual environment for instance, keeps its kernels.
func PrefixDataDir(prefix string) (string, error) {
	abs, err := filepath.Abs(prefix)
	return filepath.Join(abs, "share", "jupyter"), err
}

// SysPrefix returns the prefix of the Python in use: that of the active virtual
// or Conda environment, or what python3 answers.
func SysPrefix(ctx context.Context) (string, error) {
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if dir := os.Getenv(name); dir != "" {
			return dir, nil
		}
	}
	out, err := exec.CommandContext(ctx, "python3", "-c", "import sys; print(sys.prefix)").Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("--sys-prefix: there is no active environment and no python3 on the PATH")
	}
	if err != nil {
		return "", fmt.Errorf("--sys-prefix: python3: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
