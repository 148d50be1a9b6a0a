package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/documents"
	"github.com/inferlab/inferlab/arrowio/export"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/spf13/cobra"
)

// exportFlags are the options of the export command.
type exportFlags struct {
	tables []string
	format string
	out    string
	plain  bool
}

func (a *app) exportCommand() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export RESULT|TRACE -o DIR",
		Short: "Write the tables of an exported result or trace",
		Long: `Reads a JSON document that another command left and writes its tables: the result of
serving (the full document, not the summary), of speculative or of expert-cache, or
the protocol trace that --trace leaves (serving with and without an expert cache,
plans, faults, concurrent and failed-over executions, expert caches, speculative
workloads). -o - writes one table to standard output.

Nothing is believed. Traces are replayed first, and a trace that breaks a rule is
refused. Results are made again from the inputs that they carry, operations of the
plans included, and one differing value is a refusal; a result of an older version
that carries none gives the tables of what it says.`,
		Example: `  inferlab serving multi-gpu serving.yaml --trace trace.json > run.json
  inferlab export run.json -o tables/
  inferlab export trace.json --tables operations --format arrow -o tables/
  inferlab export run.json --tables requests --format csv -o -`,
		Args: positional("RESULT|TRACE"),
		RunE: func(_ *cobra.Command, args []string) error { return a.export(args[0], &f) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.tables, "tables", nil, "tables to write, by name (default: all; see inferlab tables)")
	flags.StringVar(&f.format, "format", "parquet", "form of the tables: "+strings.Join(exportFormats(), ", "))
	flags.StringVarP(&f.out, "output", "o", "", "folder for the tables, or - for standard output")
	flags.BoolVar(&f.plain, "plain-strings", false, "plain strings instead of dictionaries")
	return cmd
}

func exportFormats() []string {
	var names []string
	for _, f := range export.Formats() {
		names = append(names, f.Name)
	}
	return names
}

func (a *app) export(path string, f *exportFlags) error {
	format, err := export.ParseFormat(f.format)
	if err != nil {
		return fmt.Errorf("export: --format: %w", err)
	}
	switch f.out {
	case "":
		return fmt.Errorf("export: -o is missing: name a folder, or - for standard output")
	}
	file, err := os.Open(path)
	if err != nil {
		return readFailure(path, err)
	}
	defer file.Close()
	read, err := documents.Tables(file, arrowio.Options{PlainStrings: f.plain})
	if err != nil {
		return fmt.Errorf("%s: %w", spelled(path), err)
	}
	if err := lackingTable(path, read, f.tables); err != nil {
		return fmt.Errorf("export: --tables: %w", err)
	}
	tables, err := export.Select(read, f.tables...)
	if err != nil {
		return fmt.Errorf("export: --tables: %w", err)
	}
	if f.out == "-" {
		if len(tables) != 1 {
			return fmt.Errorf("export: standard output takes one table, found %d; name it with --tables", len(tables))
		}
		return printed(format.Stream(a.stdout, tables...))
	}
	// Only now is there something to write: a refusal leaves no folder behind.
	if err := arrowio.PrepareDir(f.out); err != nil {
		return err
	}
	return format.Dir(f.out, tables...)
}

// lackingTable refuses names of tables that exist, but not in this document.
func lackingTable(path string, read []*arrowio.Table, names []string) error {
	var has []string
	for _, t := range read {
		has = append(has, t.Name())
	}
	for _, name := range names {
		exists := slices.ContainsFunc(export.Catalog(), func(d *arrowio.Declaration) bool { return d.Table == name })
		if exists && !slices.Contains(has, name) {
			return fmt.Errorf("%q is not in %s, which gives %s; another document of the run may have it, "+
				"such as the trace: run the command again with --trace FILE.json and export that file", name, spelled(path), strings.Join(has, ", "))
		}
	}
	return nil
}

func (a *app) tablesCommand() *cobra.Command {
	const markdown, table, asJSON = "markdown", "table", "json"
	var form string
	cmd := &cobra.Command{
		Use:   "tables [NAME...]",
		Short: "Describe every table with its fields, units and meaning",
		Example: `  inferlab tables
  inferlab tables requests tokens
  inferlab tables --format table
  inferlab tables --format json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			chosen, err := declarations(args)
			switch {
			case err != nil:
				return fmt.Errorf("tables: %w", err)
			case form == table:
				return a.show(tableSheet(chosen))
			case form == asJSON:
				w := jsondoc.NewWriter(a.stdout)
				writeDeclarations(w, chosen)
				return printed(w.Close())
			case form != markdown:
				return fmt.Errorf("tables: --format: found %q, expected one of %s, %s, %s", form, markdown, table, asJSON)
			}
			var text bytes.Buffer
			if err := arrowio.Describe(&text, chosen...); err != nil {
				return err
			}
			_, err = io.Copy(a.stdout, &text)
			return printed(err)
		},
	}
	cmd.Flags().StringVar(&form, "format", markdown, "output form: markdown, table, json")
	return cmd
}

// declarations picks tables by name, all of them without names.
func declarations(names []string) ([]*arrowio.Declaration, error) {
	all := export.Catalog()
	if len(names) == 0 {
		return all, nil
	}
	var chosen []*arrowio.Declaration
	known := make([]string, len(all))
	for i, d := range all {
		known[i] = d.Table
	}
	for _, name := range names {
		found := false
		for _, d := range all {
			if d.Table == name {
				chosen, found = append(chosen, d), true
			}
		}
		if !found {
			return nil, fmt.Errorf("%w; there are %s", unknownName("table", name, known), strings.Join(known, ", "))
		}
	}
	return chosen, nil
}

// writeDeclarations writes tables with their fields for programs.
func writeDeclarations(w *jsondoc.Writer, chosen []*arrowio.Declaration) {
	w.Object().Key("tables").Array()
	for _, d := range chosen {
		w.Element().Object()
		w.Key("table").Text(d.Table)
		w.Key("revision").Int(d.Revision)
		w.Key("contract").Text(d.Contract)
		w.Key("description").Text(d.Description)
		w.Key("fields").Array()
		for _, f := range d.Fields {
			w.Element().Object()
			w.Key("name").Text(f.Name)
			w.Key("type").Text(f.Kind.String())
			w.Key("nullable").Bool(f.Nullable)
			w.Key("unit").Text(f.Unit)
			w.Key("description").Text(f.Description)
			w.End()
		}
		w.End().Key("definitions").Object()
		for _, definition := range d.Definitions {
			w.Key(definition.Figure).Text(definition.Text)
		}
		w.End().End()
	}
	w.End().End()
}

func tableSheet(chosen []*arrowio.Declaration) sheet {
	s := sheet{columns: []string{"table", "field", "type", "unit", "meaning"}}
	for _, d := range chosen {
		for _, f := range d.Fields {
			s.rows = append(s.rows, []string{d.Table, f.Name, f.Kind.String(), f.Unit, f.Description})
		}
	}
	return s
}
