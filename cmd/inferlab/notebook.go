package main

import (
	"fmt"

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
	parent.AddCommand(a.notebookRunCommand(), a.notebookPageCommand(), a.notebookParametersCommand())
	return parent
}
