package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	exitDone     = 0
	exitFailure  = 1 // malformed input, bad usage or failure
	exitNegative = 2 // a well-formed negative answer; the document was printed
)

// errNegative ends a command whose document states a negative answer.
var errNegative = errors.New("negative answer")

// app carries what every command shares: where to write and how to report.
type app struct {
	stdout, stderr io.Writer
	strict         bool   // keys that a reader would ignore are errors
	format         string // json, or table for people
	printed        string // fingerprint of the JSON document that was printed; empty: none was
}

// execute runs one command line and returns its exit status.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	a := &app{stdout: stdout, stderr: stderr}
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := unknownCommand(root, args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errNegative):
		return exitNegative
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "inferlab: interrupted; nothing was written")
	default:
		fmt.Fprintln(stderr, "inferlab: "+err.Error())
	}
	return exitFailure
}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "inferlab",
		Short: "A laboratory for LLM inference: deterministic simulation, tables, pages, notebooks",
		Long: `inferlab simulates LLM inference on modelled machines and shows what it found.

Two questions are answered: can this model and plan fit and execute on this
topology, and what do timing, contention and scheduling do to it. Every result
carries a confidence class (exact, bounded, calibrated, heuristic) and was
verified by an independent replay before it is printed.

One JSON document goes to standard output (--format table for people); progress
and messages go to standard error.

Exit status: 0 success; 2 a well-formed negative answer; 1 malformed input or
failure.`,
		Example: `  inferlab demo
  inferlab presets
  inferlab serving multi-gpu serving.yaml --report run.html --parquet run/
  inferlab run multi-gpu-ring-8 workload.yaml --format table`,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		PersistentPreRunE: guard,
	}
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%s: %w", cmd.Name(), optionError(err))
	})
	a.addCommands(root)
	return root
}

// groups orders the help text by what a person wants to do.
var groups = []struct {
	title    string
	commands []string
}{
	{"Begin:", []string{"demo", "presets", "scenario", "topology", "validate"}},
	{"Serve and run:", []string{"serving", "serving-compare", "run", "compare", "speculative", "speculative-trace", "speculative-capture", "expert-cache"}},
	{"Plans, faults and concurrency:", []string{"plan-export", "plan-run", "fault-campaign", "concurrent-campaign", "concurrent-node-failure", "node-failover"}},
	{"Measurements, pages and tables:", []string{"calibrate", "report", "export", "tables"}},
	{"Notebooks:", []string{"notebook", "kernel", "lab"}},
}

// lenient are the commands that read files in which unknown keys mean nothing.
var lenient = []string{"serving", "serving-compare", "run", "compare", "speculative", "speculative-trace", "speculative-capture", "expert-cache",
	"plan-export", "fault-campaign", "concurrent-campaign", "concurrent-node-failure", "node-failover", "calibrate"}

func (a *app) addCommands(root *cobra.Command) {
	cobra.EnableCommandSorting = false
	group := map[string]string{}
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, name := range g.commands {
			group[name] = g.title
		}
	}
	for _, c := range a.commands() {
		c.GroupID = group[c.Name()]
		if slices.Contains(lenient, c.Name()) {
			c.Flags().BoolVar(&a.strict, "strict", false, "make ignored keys of input files errors instead of warnings")
		}
		if strings.Contains(c.Use, "TARGET") && c.ValidArgsFunction == nil {
			c.ValidArgsFunction = completeTarget
		}
		root.AddCommand(c)
	}
}

// unknownCommand refuses a command line whose first words name no command, before
// any option after them can be misread or a group of commands answers with its help.
func unknownCommand(root *cobra.Command, args []string) error {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(args...)
	at := root
	for i, word := range args {
		if strings.HasPrefix(word, "-") {
			if at == root {
				continue
			}
			return nil
		}
		if !at.HasSubCommands() || i == 0 && strings.HasPrefix(word, cobra.ShellCompRequestCmd) {
			return nil
		}
		next := slices.IndexFunc(at.Commands(), func(c *cobra.Command) bool { return c.Name() == word })
		if next < 0 {
			var names []string
			for _, c := range at.Commands() {
				names = append(names, c.Name())
			}
			return unknownName("command", word, names)
		}
		if at = at.Commands()[next]; at.Name() == "help" && at.Parent() == root {
			at = root // the words that follow are those of a command
		}
	}
	return nil
}

// formatFlag adds --format to a command that can print for people.
func (a *app) formatFlag(cmd *cobra.Command, choices ...string) {
	choices = append([]string{"json", "table"}, choices...)
	cmd.Flags().StringVar(&a.format, "format", "json", "output form: "+strings.Join(choices, ", "))
	inner := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for _, c := range choices {
			if a.format == c {
				return inner(cmd, args)
			}
		}
		return fmt.Errorf("%s: --format: found %q, expected one of %s", cmd.Name(), a.format, strings.Join(choices, ", "))
	}
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
}

// positional accepts the named arguments: those in brackets may be left out, the
// others must be there, and nothing may follow them.
func positional(names ...string) cobra.PositionalArgs {
	required := 0
	for _, n := range names {
		if !strings.HasPrefix(n, "[") {
			required++
		}
	}
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < required {
			return fmt.Errorf("%s: missing argument %s\nusage: %s", cmd.Name(), names[len(args)], cmd.UseLine())
		}
		if len(args) > len(names) {
			return fmt.Errorf("%s: surplus argument %q\nusage: %s", cmd.Name(), args[len(names)], cmd.UseLine())
		}
		return nil
	}
}

// leading is positional for commands that ignore what follows their arguments.
func leading(names ...string) cobra.PositionalArgs {
	check := positional(names...)
	return func(cmd *cobra.Command, args []string) error {
		return check(cmd, args[:min(len(args), len(names))])
	}
}

// completeTarget completes the first argument to a machine, beside files.
func completeTarget(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return topology.TargetNames(), cobra.ShellCompDirectiveDefault
}
