package main

import (
	"fmt"

	"github.com/inferlab/inferlab/internal/wholefile"
	notebookrun "github.com/inferlab/inferlab/notebooks/run"
	"github.com/spf13/cobra"
)

func (a *app) notebookPageCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "page FILE.ipynb...",
		Short: "Make self-contained HTML pages of notebooks as they are",
		Long: `Writes each notebook, with the outputs that it holds, as one HTML file that needs
neither other files nor the network. Nothing is executed.`,
		Example: `  inferlab notebook page notebooks/*.ipynb --output out/docs/`,
		Args: func(cmd *cobra.Command, args []string) error {
			return positional("FILE.ipynb")(cmd, args[:min(len(args), 1)])
		},
		RunE: func(_ *cobra.Command, args []string) error {
			outputs, err := notebookOutputs(args, output, ".html")
			if err != nil {
				return fmt.Errorf("notebook page: %w", err)
			}
			for i, file := range args {
				nb, err := notebookrun.ReadFile(file)
				if err != nil {
					return err
				}
				if err := wholefile.Check(outputs[i]); err != nil {
					return err
				}
				if err := writeNotebook(nb, outputs[i], "html"); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write here instead of beside FILE; a folder when there are several")
	return cmd
}

func (a *app) notebookParametersCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "parameters FILE.ipynb",
		Short:   "List what --set can change in a notebook",
		Example: `  inferlab notebook parameters notebooks/quickstart.ipynb`,
		Args:    positional("FILE.ipynb"),
		RunE: func(_ *cobra.Command, args []string) error {
			nb, err := notebookrun.ReadFile(args[0])
			if err != nil {
				return err
			}
			parameters, err := nb.Parameters()
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			rows := sheet{columns: []string{"name", "value"}}
			for _, p := range parameters {
				rows.rows = append(rows.rows, []string{p.Name, p.Value})
			}
			return a.show(rows)
		},
	}
}
