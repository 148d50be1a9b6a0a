package arrowio

import (
	"fmt"
	"io"
	"strings"
)

// Describe writes the documentation of tables as Markdown: what a row is, every
// field with type, unit and meaning, and the definitions of the figures.
func Describe(w io.Writer, decls ...*Declaration) error {
	for i, d := range decls {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if err := describe(w, d); err != nil {
			return err
		}
	}
	return nil
}

func describe(w io.Writer, d *Declaration) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\nRevision %d, %s. %s.\n\n", d.Table, d.Revision, d.Contract, sentence(d.Description))
	b.WriteString("| field | type | unit | meaning |\n|---|---|---|---|\n")
	for _, f := range d.Fields {
		kind := f.Kind.String()
		if f.Nullable {
			kind += ", nullable"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, cell(kind), cell(f.Unit), cell(f.Description))
	}
	if len(d.Definitions) > 0 {
		b.WriteString("\n")
	}
	for _, def := range d.Definitions {
		fmt.Fprintf(&b, "- **%s**: %s.\n", def.Figure, def.Text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sentence begins with a capital letter.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// escapeCell keeps a text within its cell of a Markdown table.
var escapeCell = strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ")

func cell(s string) string { return escapeCell.Replace(s) }
