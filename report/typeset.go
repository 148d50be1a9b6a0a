package report

import (
	"html/template"
	"strings"
)

// cell is the text of a numeric cell: what stands in brackets behind the number, such
// as the difference to a reference, goes on a line of its own.
func cell(text string) template.HTML {
	value, rest, found := strings.Cut(text, " (")
	if !found {
		return template.HTML(template.HTMLEscapeString(text)) //nolint: escaped
	}
	// In the brackets only a comma ends a line: a number and its unit stay together.
	rest = strings.ReplaceAll(strings.ReplaceAll(rest, " ", "\u00a0"), ",\u00a0", ", ")
	return template.HTML(template.HTMLEscapeString(value) + " <br><small>(" + template.HTMLEscapeString(rest) + "</small>") //nolint: escaped
}
