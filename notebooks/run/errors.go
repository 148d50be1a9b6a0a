package run

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// ErrTimeout is the cause of a CellError whose cell ran longer than
// Options.CellTimeout.
var ErrTimeout = errors.New("the cell ran longer than its time limit")

// ErrInput is the cause of a CellError whose cell asked for input, which
// nobody is there to give.
var ErrInput = errors.New("the cell asks for input, which a headless run cannot give")

// FormatError says why a document is not a notebook this package can read.
type FormatError struct {
	// Path leads to the offending field, as in cells[3].source; empty for the
	// document itself.
	Path string
	// Offset is the byte at which reading stopped, for errors of syntax.
	Offset int64
	// Reason is what was found or expected.
	Reason string
}

// Error returns path, offset and reason in one line.
func (e *FormatError) Error() string {
	s := "not a notebook: " + e.Reason
	if e.Path != "" {
		s = "not a notebook: " + e.Path + ": " + e.Reason
	}
	if e.Offset > 0 {
		s += fmt.Sprintf(" (byte %d)", e.Offset)
	}
	return s
}

// ToolError says that gonb or goimports could not be built.
type ToolError struct {
	// Command is the command that failed.
	Command string
	// Output is what it printed.
	Output string
	// Err is how it ended.
	Err error
}

// Error returns the command and what it printed.
func (e *ToolError) Error() string {
	s := fmt.Sprintf("cannot build the notebook kernel: %s: %v", e.Command, e.Err)
	if out := strings.TrimSpace(e.Output); out != "" {
		s += "\n" + indent(out)
	}
	return s
}

// Unwrap returns how the command ended.
func (e *ToolError) Unwrap() error { return e.Err }

// KernelError says that the kernel process did not start, died or stopped
// answering.
type KernelError struct {
	// Doing says what was going on, for instance "starting" or "executing cell 3".
	Doing string
	// Cell is the index of the cell that was executing, or -1.
	Cell int
	// Status is how the process ended ("signal: killed"), or what it failed to do.
	Status string
	// Stderr holds the last lines the kernel printed.
	Stderr string
	// Err is the underlying error, when there is one.
	Err error
}

// Error returns what happened, followed by the kernel's last lines.
func (e *KernelError) Error() string {
	s := fmt.Sprintf("the notebook kernel failed while %s: %s", e.Doing, e.Status)
	if e.Stderr != "" {
		s += "\nits last lines were:\n" + indent(e.Stderr)
	}
	return s
}

// Unwrap returns the underlying error.
func (e *KernelError) Unwrap() error { return e.Err }

// CellError says that a cell failed, timed out, asked for input or was
// interrupted.
type CellError struct {
	// Cell is the index of the cell among all cells, from 0.
	Cell int
	// ID is the cell's id, when the document has ids.
	ID string
	// Number is the cell's position among the code cells, from 1, of Total.
	Number, Total int
	// Source is the text of the cell.
	Source string
	// Line is the line of Source that the error points at, from 1, or 0 when
	// it points at none.
	Line int
	// Name and Value are the kernel's name for the error and its text: for
	// Go, the compiler's messages or how the program ended.
	Name, Value string
	// Stderr is what the cell printed to its standard error.
	Stderr string
	// Elapsed is how long the cell had run.
	Elapsed time.Duration
	// Cause is ErrTimeout, ErrInput or the context's error; nil when the cell
	// failed by itself.
	Cause error
}

// Unwrap returns the cause.
func (e *CellError) Unwrap() error { return e.Cause }

// Error returns a plain text of several lines: which cell, an excerpt of its
// source with the failing line marked, and the error.
func (e *CellError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "code cell %d of %d %s", e.Number, e.Total, e.verb())
	if e.ID != "" {
		fmt.Fprintf(&b, " (cell id %s)", e.ID)
	}
	b.WriteString(":\n")
	b.WriteString(excerpt(e.Source, e.Line))
	for _, part := range []string{e.Stderr, e.Value} {
		part = strings.TrimSpace(part)
		if part != "" && !(part == e.Value && strings.Contains(e.Stderr, part)) {
			b.WriteString(indent(lastLines(part, 40)))
			b.WriteByte('\n')
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

func (e *CellError) verb() string {
	switch {
	case e.Cause == nil:
		return "failed"
	case errors.Is(e.Cause, ErrTimeout):
		return fmt.Sprintf("ran longer than its time limit and was interrupted after %s", e.Elapsed.Round(10*time.Millisecond))
	case errors.Is(e.Cause, ErrInput):
		return "asks for input, which a headless run cannot give"
	}
	return "was interrupted"
}

// excerptLines is how many lines of source an excerpt shows at most.
const excerptLines = 9

// excerpt shows the lines around line (from 1), or the first lines when the
// failing line is not known.
func excerpt(source string, line int) string {
	all := strings.Split(strings.TrimRight(source, "\n"), "\n")
	first := 0
	if line > 0 && line <= len(all) {
		first = max(0, min(line-1-excerptLines/2, len(all)-excerptLines))
	} else {
		line = 0
	}
	last := min(len(all), first+excerptLines)
	var b strings.Builder
	for i := first; i < last; i++ {
		mark := ' '
		if i+1 == line {
			mark = '>'
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("%c %3d | %s", mark, i+1, all[i]), " ") + "\n")
	}
	if last < len(all) {
		fmt.Fprintf(&b, "      | … %d more lines\n", len(all)-last)
	}
	return b.String()
}

func indent(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n    ")
}

func lastLines(s string, n int) string {
	all := strings.Split(strings.TrimRight(s, "\n"), "\n")
	if len(all) <= n {
		return strings.Join(all, "\n")
	}
	return fmt.Sprintf("… %d earlier lines\n", len(all)-n) + strings.Join(all[len(all)-n:], "\n")
}

// cellLine matches the two ways in which gonb points into a cell: in compiler
// messages and in stack traces. The numbers are execution count and line.
var cellLine = regexp.MustCompile(`Cell ?\[(\d+)\]:? Line (\d+)`)

// failingLine returns the first line that the text of an error points at in
// the cell with the given execution count, from 1, or 0.
func failingLine(count int, texts ...string) int {
	for _, t := range texts {
		for _, m := range cellLine.FindAllStringSubmatch(t, -1) {
			if m[1] == strconv.Itoa(count) {
				if line, err := strconv.Atoi(m[2]); err == nil {
					return line
				}
			}
		}
	}
	return 0
}

// mainLine matches a place in the program that gonb made of the cells.
var mainLine = regexp.MustCompile(`main\.go:(\d+)`)

// lineByText finds the failing line when gonb did not point at it: it misses
// places in a stack trace that reaches it in two pieces. The first place in
// the generated program whose text stands exactly once in the cell counts; 0
// says that there is none.
func lineByText(generated, source string, texts ...string) int {
	program := strings.Split(generated, "\n")
	for _, t := range texts {
		for _, m := range mainLine.FindAllStringSubmatch(t, -1) {
			n, err := strconv.Atoi(m[1])
			if err != nil || n < 1 || n > len(program) {
				continue
			}
			if line := onlyLine(source, strings.TrimSpace(program[n-1])); line > 0 {
				return line
			}
		}
	}
	return 0
}

// onlyLine returns the line of source, from 1, that holds text and nothing
// else but space, or 0 when none or several do.
func onlyLine(source, text string) int {
	found := 0
	for i, line := range strings.Split(source, "\n") {
		if text != "" && strings.TrimSpace(line) == text {
			if found > 0 {
				return 0
			}
			found = i + 1
		}
	}
	return found
}

var ansi = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

// plain removes terminal colours.
func plain(s string) string { return ansi.ReplaceAllString(s, "") }
