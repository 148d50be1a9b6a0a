package run

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ParametersTag marks the code cell whose variables are a notebook's parameters.
const ParametersTag = "parameters"

// Parameter is one variable of the cell tagged parameters.
type Parameter struct {
	// Name is the name of the Go variable.
	Name string
	// Value is the Go expression that the variable is initialised with.
	Value string
}

// ParameterError says why a parameter could not be set.
type ParameterError struct {
	// Name is the parameter's name, "" when no name is to blame.
	Name string
	// Reason is what was found or expected.
	Reason string
}

// Error returns name and reason in one line.
func (e *ParameterError) Error() string {
	if e.Name == "" {
		return e.Reason
	}
	return fmt.Sprintf("parameter %s: %s", e.Name, e.Reason)
}

// setting is where a parameter's value stands in the source of its cell.
type setting struct {
	Parameter
	from, to int
	expr     ast.Expr
}

// Parameters lists the package-level variables with a value in the code cells
// tagged parameters, in the order they stand. A notebook without such a cell
// has none.
func (nb *Notebook) Parameters() ([]Parameter, error) {
	var all []Parameter
	for _, c := range nb.parameterCells() {
		found, err := c.settings()
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			all = append(all, p.Parameter)
		}
	}
	return all, nil
}

func (nb *Notebook) parameterCells() []*Cell {
	var cells []*Cell
	for _, c := range nb.cells {
		if c.Type() == "code" && slices.Contains(c.Tags(), ParametersTag) {
			cells = append(cells, c)
		}
	}
	return cells
}

// SetParameter replaces the value of one parameter where it stands in the cell
// tagged parameters; all else of the cell, comments included, stays.
//
// The value is a Go expression. Three forms that are no Go are understood by
// what stands there now: plain text for a string, a duration such as 20ms for
// an expression of package time, and a list such as 4,8,16 for a slice.
// Anything else is a *ParameterError.
func (nb *Notebook) SetParameter(name, value string) error {
	cells := nb.parameterCells()
	if len(cells) == 0 {
		return &ParameterError{name, "the notebook has no code cell tagged " + ParametersTag}
	}
	var known []string
	for _, c := range cells {
		found, err := c.settings()
		if err != nil {
			return err
		}
		for _, p := range found {
			if p.Name != name {
				known = append(known, p.Name)
				continue
			}
			text, err := p.spell(value)
			if err != nil {
				return err
			}
			source := c.Source()
			c.SetSource(source[:p.from] + text + source[p.to:])
			return nil
		}
	}
	return &ParameterError{name, "there is none of this name; there are " + strings.Join(known, ", ")}
}

// settings finds the values of the package-level variables of a cell.
func (c *Cell) settings() ([]setting, error) {
	const head = "package p\n"
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, "", head+declarations(c.Source()), parser.SkipObjectResolution)
	if err != nil {
		return nil, &ParameterError{"", "the cell tagged " + ParametersTag + " is no Go that declares variables: " + err.Error()}
	}
	source := c.Source()
	offset := func(p token.Pos) int { return files.Position(p).Offset - len(head) }
	var found []setting
	for _, d := range tree.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.VAR {
			continue
		}
		for _, s := range gen.Specs {
			spec := s.(*ast.ValueSpec)
			if len(spec.Values) != len(spec.Names) {
				continue // no value, or several from one call
			}
			for i, n := range spec.Names {
				v := spec.Values[i]
				from, to := offset(v.Pos()), offset(v.End())
				found = append(found, setting{Parameter{n.Name, source[from:to]}, from, to, v})
			}
		}
	}
	return found, nil
}

// declarations is the part of a cell outside functions that the kernel makes
// for it, with the kernel's own commands blanked. Every byte keeps its place.
func declarations(source string) string {
	var b strings.Builder
	for line := range strings.Lines(source) {
		switch {
		case strings.HasPrefix(line, "%%") || strings.HasPrefix(line, "%main"):
			return b.String()
		case strings.HasPrefix(line, "%") || strings.HasPrefix(line, "!"):
			blank := strings.Repeat(" ", len(strings.TrimSuffix(line, "\n")))
			b.WriteString(blank + line[len(blank):])
		default:
			b.WriteString(line)
		}
	}
	return b.String()
}

// spell writes a value as the Go expression that replaces what stands there.
func (p setting) spell(value string) (string, error) {
	if isString(p.expr) {
		return spellString(value), nil
	}
	if list, ok := p.expr.(*ast.CompositeLit); ok {
		if _, slice := list.Type.(*ast.ArrayType); slice && !strings.Contains(value, "{") {
			return p.spellList(list, value), nil
		}
	}
	if mentionsTime(p.expr) {
		if d, err := time.ParseDuration(value); err == nil {
			return spellDuration(d), nil
		}
	}
	if _, err := parser.ParseExpr(value); err != nil || strings.TrimSpace(value) == "" {
		return "", &ParameterError{p.Name, fmt.Sprintf("found %q, expected a Go expression such as %s", value, p.Value)}
	}
	return value, nil
}

// spellList writes comma-separated elements under the type that stands there.
func (p setting) spellList(list *ast.CompositeLit, value string) string {
	element, _ := list.Type.(*ast.ArrayType).Elt.(*ast.Ident)
	items := strings.Split(value, ",")
	for i, item := range items {
		items[i] = strings.TrimSpace(item)
		if element != nil && element.Name == "string" {
			items[i] = spellString(items[i])
		}
	}
	open := strings.IndexByte(p.Value, '{')
	return p.Value[:open] + "{" + strings.Join(items, ", ") + "}"
}

func isString(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Kind == token.STRING
}

// spellString quotes a text that is not quoted yet.
func spellString(value string) string {
	if e, err := parser.ParseExpr(value); err == nil && isString(e) {
		return value
	}
	return strconv.Quote(value)
}

// mentionsTime reports whether an expression names something of package time.
func mentionsTime(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" {
				found = true
			}
		}
		return !found
	})
	return found
}

// spellDuration writes a duration in its largest whole unit.
func spellDuration(d time.Duration) string {
	for _, u := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"}, {time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"}} {
		if d%u.size == 0 && d != 0 {
			return fmt.Sprintf("%d * time.%s", d/u.size, u.name)
		}
	}
	return fmt.Sprintf("%d * time.Nanosecond", d)
}
