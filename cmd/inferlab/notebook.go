package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/inferlab/inferlab/internal/wholefile"
	notebookrun "github.com/inferlab/inferlab/notebooks/run"
	"github.com/spf13/cobra"
)

func (a *app) notebookCommand() *cobra.Command {
	parent := &cobra.Command{
		Use:   "notebook",
		Short: "Work with notebooks",
		Args:  positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return fmt.Errorf("notebook: missing subcommand\nusage: %s run FILE.ipynb", cmd.CommandPath())
		},
	}
	parent.AddCommand(a.notebookRunCommand())
	return parent
}

func (a *app) notebookRunCommand() *cobra.Command {
	var output string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "run FILE.ipynb",
		Short: "Execute a notebook headlessly, with Go alone",
		Long: `Executes every code cell of a notebook on the GoNB kernel and writes the outputs back
into the file. The kernel is built from this module and started by the command
itself: neither Jupyter nor an installed kernel is needed. Cells import the
checkout that holds the notebook.

A cell that fails ends the run with exit status 1; the cell and its Go error are
shown, and the file keeps the outputs up to there.`,
		Example: `  inferlab notebook run notebooks/quickstart.ipynb
  inferlab notebook run notebooks/quickstart.ipynb --output out/quickstart.ipynb --cell-timeout 2m`,
		Args: positional("FILE.ipynb"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if timeout < 0 {
				return fmt.Errorf("notebook run: --cell-timeout: found %s, expected zero (no limit) or more", timeout)
			}
			if output == "" {
				output = args[0]
			}
			return a.notebookRun(cmd.Context(), args[0], output, timeout)
		},
	}
	cmd.Flags().StringVar(&output, "output", "", "write the executed notebook here instead of back into FILE")
	cmd.Flags().DurationVar(&timeout, "cell-timeout", 10*time.Minute, "time limit of a cell, compiling included (0: none)")
	return cmd
}

func (a *app) notebookRun(ctx context.Context, input, output string, timeout time.Duration) error {
	nb, err := notebookrun.ReadFile(input)
	if err != nil {
		return err
	}
	if err := wholefile.Check(output); err != nil {
		return err
	}
	failed := a.executeNotebook(ctx, nb, notebookrun.Options{Dir: filepath.Dir(input), CellTimeout: timeout})
	return errors.Join(failed, nb.WriteFile(output))
}

// executeNotebook runs the cells and tells a watching person how far it is.
func (a *app) executeNotebook(ctx context.Context, nb *notebookrun.Notebook, o notebookrun.Options) error {
	bar := newProgress(a.stderr, "executing cells")
	o.Progress = func(e notebookrun.Event) {
		if e.State != notebookrun.Running {
			bar.at(int64(e.Number), int64(e.Total))
		}
	}
	_, err := notebookrun.Execute(ctx, nb, o)
	bar.end()
	return err
}
