package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/inferlab/inferlab/notebooks"
	"github.com/inferlab/inferlab/notebooks/kernelspec"
	notebookrun "github.com/inferlab/inferlab/notebooks/run"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// labFlags are the options of lab.
type labFlags struct {
	yes, setupOnly, noBrowser bool
	dir, env                  string
	port                      int
	source                    kernelSource
}

func (a *app) labCommand() *cobra.Command {
	var f labFlags
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "Open JupyterLab on the notebooks, setting up what is missing",
		Long: `Makes a private Python environment with JupyterLab, installs the kernel
Inferlab (Go) there, and opens JupyterLab on the notebooks: those of the checkout
that cells import from (see "kernel install"), or else copies of those that this
command holds.

It says what it will fetch and asks first; --yes answers for scripts. What is set
up once is used again. JupyterLab listens on this machine alone.`,
		Example: `  inferlab lab
  inferlab lab --yes --setup-only
  inferlab lab --dir my-notebooks --no-browser`,
		Args: positional(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.lab(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.yes, "yes", false, "set up without asking")
	flags.BoolVar(&f.setupOnly, "setup-only", false, "set up and do not start JupyterLab")
	flags.BoolVar(&f.noBrowser, "no-browser", false, "do not open a browser; the address is printed")
	flags.StringVar(&f.dir, "dir", "", "the folder to open instead of the notebooks")
	flags.StringVar(&f.env, "env", "", "the Python environment to set up and use (default: one of inferlab's own)")
	flags.IntVar(&f.port, "port", 8888, "the port to listen on; the next free one when it is taken")
	f.source.flags(cmd)
	return cmd
}

func (a *app) lab(ctx context.Context, f labFlags) error {
	home, err := homeFolder()
	if err != nil {
		return err
	}
	env := f.env
	if env == "" {
		env = filepath.Join(home, "lab")
	}
	if env, err = filepath.Abs(env); err != nil {
		return err
	}
	source, err := f.source.find()
	if err != nil {
		return err
	}
	if err := a.setUpLab(ctx, env, source, f.yes); err != nil {
		return err
	}
	dir, err := labFolder(f.dir, home, source)
	if err != nil || f.setupOnly {
		return err
	}
	return a.startLab(ctx, env, dir, f)
}

// setUpLab makes what is missing of environment and kernel, after asking.
func (a *app) setUpLab(ctx context.Context, env string, source kernelspec.Source, yes bool) error {
	dataDir, err := kernelspec.PrefixDataDir(env)
	if err != nil {
		return err
	}
	needEnv := !labIsReady(env)
	needKernel := !kernelFits(dataDir, source)
	var plan []string
	if needEnv {
		plan = append(plan, "fetch JupyterLab and what it needs (about 400 MB) into "+env)
	}
	if needKernel {
		plan = append(plan, "build the kernel "+kernelspec.DisplayName+" into "+kernelspec.Dir(dataDir))
	}
	if len(plan) == 0 {
		return nil
	}
	if !yes {
		if err := a.ask("This will\n  " + strings.Join(plan, "\n  ") + "\nGo on? [y/N] "); err != nil {
			return err
		}
	}
	if needEnv {
		if err := a.makeEnvironment(ctx, env); err != nil {
			return err
		}
	}
	if !needKernel {
		return nil
	}
	return a.kernelInstall(ctx, kernelspec.Options{DataDir: dataDir, Source: source, Gopls: true})
}

// readyMark is the file that says which requirements an environment holds.
const readyMark = "inferlab-requirements.txt"

// labIsReady reports whether the environment holds what is required now.
func labIsReady(env string) bool {
	have, err := os.ReadFile(filepath.Join(env, readyMark))
	return err == nil && bytes.Equal(have, notebooks.Requirements)
}

// kernelFits reports whether a kernel is installed that imports from source.
func kernelFits(dataDir string, source kernelspec.Source) bool {
	have, err := kernelspec.InstalledSource(dataDir)
	return err == nil && have == source
}

// ask asks the person at the terminal; without one it says how to go on.
func (a *app) ask(question string) error {
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return errors.New("lab: something has to be set up, and nobody is there to ask; run it with --yes\n" + strings.TrimSuffix(question, "Go on? [y/N] "))
	}
	fmt.Fprint(a.stderr, question)
	answer, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if word := strings.ToLower(strings.TrimSpace(answer)); err != nil || (word != "y" && word != "yes") {
		return errors.New("lab: nothing was set up")
	}
	return nil
}

// makeEnvironment makes the Python environment and marks it when it is whole.
func (a *app) makeEnvironment(ctx context.Context, env string) error {
	python, err := findPython(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(env, 0o755); err != nil {
		return err
	}
	list := filepath.Join(env, "requirements.in")
	if err := os.WriteFile(list, notebooks.Requirements, 0o644); err != nil {
		return err
	}
	for _, step := range []struct {
		say  string
		args []string
	}{
		{"making a Python environment in " + env, []string{python, "-m", "venv", env}},
		{"fetching JupyterLab", []string{labProgram(env, "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", list}},
	} {
		fmt.Fprintln(a.stderr, "inferlab: "+step.say)
		cmd := exec.CommandContext(ctx, step.args[0], step.args[1:]...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("lab: %s: %w\n%s", step.say, err, strings.TrimSpace(string(out)))
		}
	}
	if err := settleLab(env); err != nil {
		return err
	}
	return os.Rename(list, filepath.Join(env, readyMark))
}

// labSettings keep JupyterLab from asking at its first start whether it may fetch
// news, and from looking for newer versions: the environment pins one.
const labSettings = `{
  "@jupyterlab/apputils-extension:notification": {"checkForUpdates": false, "doNotDisturbMode": false, "fetchNews": "false"}
}
`

// settleLab writes the settings that JupyterLab starts with in this environment.
func settleLab(env string) error {
	dir := filepath.Join(env, "share", "jupyter", "lab", "settings")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "overrides.json"), []byte(labSettings), 0o644)
}

// findPython returns a Python that the required packages work with.
func findPython(ctx context.Context) (string, error) {
	const need = "lab: JupyterLab needs Python 3.11 or later; `inferlab notebook run` does without"
	python, err := exec.LookPath("python3")
	if err != nil {
		return "", errors.New(need + " (there is no python3 on the PATH)")
	}
	out, err := exec.CommandContext(ctx, python, "-c", "import sys; print('%d.%d' % sys.version_info[:2], sys.version_info >= (3, 11))").Output()
	version, enough, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if err != nil || enough != "True" {
		return "", fmt.Errorf("%s (%s is Python %s)", need, python, version)
	}
	return python, nil
}

// labProgram is a program of a Python environment.
func labProgram(env, name string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(env, "Scripts", name+".exe")
	}
	return filepath.Join(env, "bin", name)
}

// labFolder is the folder that JupyterLab opens on: the one named, the notebooks
// of the checkout that cells import from, or copies of the notebooks in the
// user's own folder. Copies that are there stay as they are.
func labFolder(named, home string, source kernelspec.Source) (string, error) {
	if named != "" {
		info, err := os.Stat(named)
		if err == nil && !info.IsDir() {
			err = fmt.Errorf("%s is not a folder", named)
		}
		return named, err
	}
	if source.Root != "" {
		return filepath.Join(source.Root, "notebooks"), nil
	}
	dir := filepath.Join(home, "notebooks")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	entries, err := fs.ReadDir(notebooks.Files, ".")
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if _, err := os.Stat(path); err == nil {
			continue
		}
		data, err := fs.ReadFile(notebooks.Files, e.Name())
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// startLab runs JupyterLab until it ends or the user interrupts. It has a session
// of its own: an interrupt at the terminal reaches this program alone, which then
// asks JupyterLab to end itself and its kernels. From the terminal JupyterLab would
// ask whether that is meant.
func (a *app) startLab(ctx context.Context, env, dir string, f labFlags) error {
	args := []string{"lab", "--ServerApp.root_dir=" + dir, "--ServerApp.ip=127.0.0.1", fmt.Sprintf("--ServerApp.port=%d", f.port)}
	if f.noBrowser {
		args = append(args, "--no-browser")
	}
	if runtime.GOOS == "linux" && os.Geteuid() == 0 {
		args = append(args, "--allow-root")
	}
	fmt.Fprintln(a.stderr, "inferlab: starting JupyterLab on "+dir+" (end it with Ctrl-C)")
	cmd := exec.CommandContext(ctx, labProgram(env, "jupyter"), args...)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = a.stdout, a.stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	notebookrun.Isolate(cmd)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Run()
	if ctx.Err() != nil {
		fmt.Fprintln(a.stderr, "inferlab: JupyterLab has ended")
		return nil
	}
	return err
}
