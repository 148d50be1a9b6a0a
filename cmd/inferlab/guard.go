package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// guard refuses, before any command begins, what no command line can mean: an empty
// path (mostly an unset variable of a shell), a limit of zero, and an output that
// stands on an input, on another output or where standard output goes.
func guard(cmd *cobra.Command, args []string) error {
	if err := emptyOptions(cmd); err != nil {
		return fmt.Errorf("%s: %w", cmd.Name(), err)
	}
	if slices.Contains(args, "") {
		return fmt.Errorf("%s: found an empty text among the arguments", cmd.Name())
	}
	if err := collisions(cmd, args); err != nil {
		return fmt.Errorf("%s: %w", cmd.Name(), err)
	}
	return nil
}

// optionError says in words what an option expected, instead of how its value was read.
func optionError(err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	wanted := map[string]string{"int": "an integer", "int64": "an integer", "float64": "a number", "bool": "true or false",
		"duration": "a duration such as 5s"}[bad.GetFlag().Value.Type()]
	if wanted == "" {
		return err
	}
	return fmt.Errorf("--%s: found %q, expected %s", bad.GetFlag().Name, bad.GetValue(), wanted)
}

func emptyOptions(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch {
		case err != nil:
		case f.Value.Type() == "string" && f.Value.String() == "":
			err = fmt.Errorf("--%s: found an empty text", f.Name)
		case holdsEmpty(f.Value):
			err = fmt.Errorf("--%s: found an empty text", f.Name)
		case f.Value.Type() == "int64" && f.Value.String() == "0":
			err = fmt.Errorf("--%s: found 0, expected a positive integer", f.Name)
		}
	})
	return err
}

// holdsEmpty reports whether a repeatable option was given an empty text.
func holdsEmpty(v pflag.Value) bool {
	list, repeatable := v.(pflag.SliceValue)
	return repeatable && slices.Contains(list.GetSlice(), "")
}

// outputOptions name the files that commands write. A notebook may be written back
// onto itself.
var outputOptions = []string{"report", "perfetto", "trace", "output", "out"}

func collisions(cmd *cobra.Command, args []string) error {
	reads := append([]string(nil), args...)
	if from := option(cmd, "from"); from != "" {
		reads = append(reads, from)
	}
	if traces, err := cmd.Flags().GetStringArray("trace"); err == nil { // of the report command
		reads = append(reads, traces...)
	}
	readsTrace := option(cmd, "trace-format") != ""
	if readsTrace {
		reads = append(reads, option(cmd, "trace"))
	}
	var names, writes []string
	for _, name := range outputOptions {
		path := option(cmd, name)
		if path == "" || path == "-" || name == "trace" && readsTrace || name == "output" && cmd.HasParent() && cmd.Parent().Name() == "notebook" {
			continue
		}
		for _, input := range reads {
			if sameFile(path, input) {
				return fmt.Errorf("--%s %s: would overwrite the input %s", name, path, input)
			}
		}
		if printsInto(cmd, path) {
			return fmt.Errorf("--%s %s: standard output goes into this file", name, path)
		}
		for i, other := range writes {
			if sameFile(path, other) {
				return fmt.Errorf("--%s and --%s name one file, %s", names[i], name, path)
			}
		}
		names, writes = append(names, name), append(writes, path)
	}
	return nil
}

// printsInto reports whether standard output is a file that stands at the path.
func printsInto(cmd *cobra.Command, path string) bool {
	out, isFile := cmd.OutOrStdout().(*os.File)
	if !isFile {
		return false
	}
	there, errThere := os.Stat(path)
	here, errHere := out.Stat()
	return errThere == nil && errHere == nil && here.Mode().IsRegular() && os.SameFile(there, here)
}

// option is the value of an option that was given and takes a path.
func option(cmd *cobra.Command, name string) string {
	f := cmd.Flags().Lookup(name)
	if f == nil || !f.Changed || f.Value.Type() != "string" {
		return ""
	}
	return f.Value.String()
}

// sameFile reports whether two paths lead to one file, which need not exist.
func sameFile(a, b string) bool {
	ia, errA := os.Stat(a)
	ib, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(ia, ib)
	}
	pa, errA := filepath.Abs(a)
	pb, errB := filepath.Abs(b)
	return errA == nil && errB == nil && pa == pb
}
