package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"

	"github.com/inferlab/inferlab/notebooks/kernelspec"
	notebookrun "github.com/inferlab/inferlab/notebooks/run"
	"github.com/spf13/cobra"
)

func (a *app) kernelCommand() *cobra.Command {
	parent := &cobra.Command{
		Use:   "kernel",
		Short: "Install, remove and examine the Jupyter kernel Inferlab (Go)",
		Args:  positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return fmt.Errorf("kernel: missing subcommand\nusage: %s install | uninstall | doctor", cmd.CommandPath())
		},
	}
	parent.AddCommand(a.kernelInstallCommand(), a.kernelUninstallCommand(), a.kernelDoctorCommand())
	return parent
}

// kernelPlace is where a kernel is or goes.
type kernelPlace struct {
	user, sysPrefix bool
	prefix          string
}

// flags adds the options; unset says what holds without any.
func (p *kernelPlace) flags(cmd *cobra.Command, unset string) {
	cmd.Flags().BoolVar(&p.user, "user", false, "where Jupyter keeps this user's kernels ("+unset+")")
	cmd.Flags().BoolVar(&p.sysPrefix, "sys-prefix", false, "in the Python environment in use")
	cmd.Flags().StringVar(&p.prefix, "prefix", "", "in the Python environment at `DIR`")
	cmd.MarkFlagsMutuallyExclusive("user", "sys-prefix", "prefix")
}

// place is the one that the flags name, or this user's.
func (p *kernelPlace) place(ctx context.Context) (kernelspec.Place, error) {
	prefix := p.prefix
	if p.sysPrefix {
		var err error
		if prefix, err = kernelspec.SysPrefix(ctx); err != nil {
			return kernelspec.Place{}, err
		}
	}
	if prefix != "" {
		return kernelspec.PrefixPlace(prefix)
	}
	dir, err := kernelspec.UserDataDir()
	return kernelspec.Place{DataDir: dir}, err
}

// dataDir is the data directory of the place.
func (p *kernelPlace) dataDir(ctx context.Context) (string, error) {
	place, err := p.place(ctx)
	return place.DataDir, err
}

// places are the one that the flags name, or all where Jupyter looks.
func (p *kernelPlace) places(ctx context.Context) ([]kernelspec.Place, error) {
	if *p == (kernelPlace{}) {
		return kernelspec.Places(ctx)
	}
	place, err := p.place(ctx)
	return []kernelspec.Place{place}, err
}

func (a *app) kernelInstallCommand() *cobra.Command {
	var place kernelPlace
	var source kernelSource
	var withoutGopls bool
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Install the kernel for Jupyter",
		Long: `Builds GoNB and its helpers and installs the kernel "Inferlab (Go)". Cells import
github.com/inferlab/inferlab at once: from the checkout at or above the current
folder, or else the released version or the checkout that this command was built
from. Installing again replaces the kernel.

gopls, which completion and contextual help need, is fetched at the newest version
that the Go in use can build; without the network it is left out.`,
		Example: `  inferlab kernel install
  inferlab kernel install --sys-prefix
  inferlab kernel install --prefix .venv --version v1.2.0`,
		Args: positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := place.dataDir(cmd.Context())
			if err != nil {
				return err
			}
			from, err := source.find()
			if err != nil {
				return err
			}
			return a.kernelInstall(cmd.Context(), kernelspec.Options{DataDir: dir, Source: from, Gopls: !withoutGopls})
		},
	}
	place.flags(cmd, "the default")
	source.flags(cmd)
	cmd.Flags().BoolVar(&withoutGopls, "no-gopls", false, "leave gopls out")
	return cmd
}

func (a *app) kernelInstall(ctx context.Context, o kernelspec.Options) error {
	o.Progress = func(what string) { fmt.Fprintln(a.stderr, "inferlab: "+what) }
	in, err := kernelspec.Install(ctx, o)
	if err != nil {
		return err
	}
	if in.GoplsProblem != "" {
		fmt.Fprintf(a.stderr, "inferlab: warning: no gopls, so no completion and no contextual help: %s\n", in.GoplsProblem)
	}
	_, err = fmt.Fprintf(a.stdout, "installed %s in %s\ncells import through %s\n", kernelspec.DisplayName, in.Dir, in.Module)
	return printed(err)
}

// kernelSource is what cells are to import from, as far as flags say.
type kernelSource struct{ root, version string }

func (s *kernelSource) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.root, "module-root", "", "the checkout that cells import from")
	cmd.Flags().StringVar(&s.version, "version", "", "the released version that cells import")
	cmd.MarkFlagsMutuallyExclusive("module-root", "version")
}

// find takes what the flags say, or the checkout at or above the current
// folder, or the release or the checkout that this command was built from.
func (s *kernelSource) find() (kernelspec.Source, error) {
	if s.version != "" {
		return kernelspec.Source{Version: s.version}, nil
	}
	if s.root != "" {
		root, err := notebookrun.FindModuleRoot(s.root)
		return kernelspec.Source{Root: root}, err
	}
	if root, err := notebookrun.FindModuleRoot("."); err == nil {
		return kernelspec.Source{Root: root}, nil
	}
	if v := releasedVersion(); v != "" {
		return kernelspec.Source{Version: v}, nil
	}
	if root, err := notebookrun.FindModuleRoot(builtIn()); err == nil {
		return kernelspec.Source{Root: root}, nil
	}
	return kernelspec.Source{}, errNothingToImport
}

// errNothingToImport refuses a kernel whose cells could import nothing.
var errNothingToImport = errors.New(`cells would have nothing to import: this inferlab is no release, and neither the current
folder nor the folder it was built in belongs to a checkout of github.com/inferlab/inferlab. Either
  name a checkout:  --module-root FOLDER   (or run the command inside one)
  name a release:   --version v1.2.3`)

// builtIn is the folder that this command was built in. A build with -trimpath
// does not tell; then it is no folder.
var builtIn = func() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}

// release matches the versions of releases: neither a state between two
// commits nor one with changes of its own.
var release = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`)

// pseudo matches a version that the go command made from a commit.
var pseudo = regexp.MustCompile(`\d{14}-[0-9a-f]{12}$`)

// releasedVersion is the release that this command was built from, or "".
func releasedVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || !release.MatchString(info.Main.Version) || pseudo.MatchString(info.Main.Version) {
		return ""
	}
	return info.Main.Version
}

func (a *app) kernelUninstallCommand() *cobra.Command {
	var place kernelPlace
	cmd := &cobra.Command{
		Use:     "uninstall",
		Short:   "Remove the kernel",
		Example: `  inferlab kernel uninstall`,
		Args:    positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dataDir, err := place.dataDir(cmd.Context())
			if err != nil {
				return err
			}
			dir, err := kernelspec.Uninstall(dataDir)
			if errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("there is no kernel in %s", dir)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.stdout, "removed %s\n", dir)
			return printed(err)
		},
	}
	place.flags(cmd, "the default")
	return cmd
}

func (a *app) kernelDoctorCommand() *cobra.Command {
	var place kernelPlace
	var format string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what the kernel lacks and how to get it",
		Long: `Looks at everything that notebooks need, and has the kernel execute a cell with an
empty PATH and the module proxy off. Exit status 2 when the kernel cannot work; a
thing that is lacking (gopls, Jupyter) only limits it.

Without a flag it looks where Jupyter does, in the Python environment in use and in
this user's folder, and says where it found the kernel. Of a kernel in an
environment it looks at the Jupyter of that environment.`,
		Example: `  inferlab kernel doctor
  inferlab kernel doctor --sys-prefix
  inferlab kernel doctor --prefix .venv --format json`,
		Args: positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format != "table" && format != "json" {
				return fmt.Errorf("kernel doctor: --format: found %q, expected table or json", format)
			}
			places, err := place.places(cmd.Context())
			if err != nil {
				return err
			}
			return a.kernelDoctor(kernelspec.Diagnose(cmd.Context(), places...), format)
		},
	}
	place.flags(cmd, "default: all places where Jupyter looks")
	cmd.Flags().StringVar(&format, "format", "table", "output form: table, json")
	return cmd
}

func (a *app) kernelDoctor(findings []kernelspec.Finding, format string) error {
	healthy := true
	rows := sheet{columns: []string{"what", "status", "found"}}
	var fixes string
	for _, f := range findings {
		healthy = healthy && f.Status != kernelspec.Missing
		rows.rows = append(rows.rows, []string{f.What, string(f.Status), f.Found})
		if f.Fix != "" {
			fixes += fmt.Sprintf("to get %s: %s\n", f.What, f.Fix)
		}
	}
	var err error
	if format == "json" {
		e := json.NewEncoder(a.stdout)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		err = printed(e.Encode(map[string]any{"healthy": healthy, "findings": findings}))
	} else if err = a.show(rows); err == nil && fixes != "" {
		_, err = fmt.Fprint(a.stdout, "\n"+fixes)
		err = printed(err)
	}
	if err == nil && !healthy {
		return errNegative
	}
	return err
}

// homeFolder is where this user's own files of inferlab stand.
func homeFolder() (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return dir + "/inferlab", nil
	}
	home, err := os.UserHomeDir()
	return home + "/.local/share/inferlab", err
}
