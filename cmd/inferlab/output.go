package main

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"golang.org/x/term"
)

// emit prints one JSON document.
func (a *app) emit(write func(*jsondoc.Writer)) error {
	sum := fnv.New32a()
	w := jsondoc.NewWriter(io.MultiWriter(a.stdout, sum))
	write(w)
	err := w.Close()
	if err == nil {
		a.printed = canonical.FormatFingerprint(sum.Sum32())
	}
	return printed(err)
}

// printed explains a failed write to standard output. A reader that has gone away
// (a pager that was quit) is no failure of the command.
func printed(err error) error {
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return fmt.Errorf("cannot write to standard output: %w", err)
}

// sheet is a table for people.
type sheet struct {
	title   string
	columns []string // names with units; a leading '>' aligns to the right
	rows    [][]string
}

// show prints tables for people, a blank line between them.
func (a *app) show(sheets ...sheet) error {
	var out strings.Builder
	for i, s := range sheets {
		if i > 0 {
			out.WriteByte('\n')
		}
		if s.title != "" {
			fmt.Fprintln(&out, s.title)
		}
		s.write(&out)
	}
	_, err := io.WriteString(a.stdout, out.String())
	return printed(err)
}

func (s sheet) write(out io.Writer) {
	right := make([]bool, len(s.columns))
	widths := make([]int, len(s.columns))
	head := make([]string, len(s.columns))
	for i, c := range s.columns {
		right[i] = strings.HasPrefix(c, ">")
		head[i] = strings.TrimPrefix(c, ">")
		widths[i] = len([]rune(head[i]))
	}
	for _, row := range s.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{head}, s.rows...) {
		for i, cell := range row {
			if right[i] {
				cell = strings.Repeat(" ", widths[i]-len([]rune(cell))) + cell
			}
			row[i] = cell
		}
		fmt.Fprintln(tw, strings.TrimRight(strings.Join(row, "\t"), "\t "))
	}
	tw.Flush()
}

// counted is a number with its noun, in the singular for one.
func counted(v int64, noun string) string {
	if v != 1 {
		noun += "s"
	}
	return count(v) + " " + noun
}

// count spells an integer with thin groups of three digits, for people.
func count(v int64) string {
	s := strconv.FormatInt(v, 10)
	var b strings.Builder
	for i, c := range s {
		if left := len(s) - i; i > 0 && left%3 == 0 && s[i-1] != '-' {
			b.WriteByte(' ')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// duration spells nanoseconds in the unit that suits their size, for people.
func duration(ns float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if ns >= u.size {
			return strconv.FormatFloat(ns/u.size, 'f', 3, 64) + " " + u.name
		}
	}
	return strconv.FormatFloat(ns, 'f', -1, 64) + " ns"
}

// binary spells bytes in binary units with one decimal below 100, for people.
func binary(bytes int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	v, i := float64(bytes), 0
	for v >= 1024 && i < len(units)-1 {
		v /= 1024
		i++
	}
	decimals := 0
	if i > 0 && v < 100 {
		decimals = 1
	}
	return strconv.FormatFloat(v, 'f', decimals, 64) + " " + units[i]
}

// percent spells a share, for people.
func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + " %" }

// progress reports long work on standard error, and only where a person watches:
// piped or redirected, it is silent.
type progress struct {
	out   *os.File
	label string
	last  int
}

// newProgress returns a reporter, or nil when nobody watches.
func newProgress(stderr io.Writer, label string) *progress {
	f, ok := stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return &progress{out: f, label: label, last: -1}
}

// at shows the share that is done, at most once a percent.
func (p *progress) at(done, total int64) {
	if p == nil || total <= 0 {
		return
	}
	if share := int(100 * done / total); share != p.last {
		p.last = share
		const width = 30
		filled := width * share / 100
		fmt.Fprintf(p.out, "\r%s %s%s %3d %%", p.label, strings.Repeat("█", filled), strings.Repeat("░", width-filled), share)
	}
}

// end clears the line.
func (p *progress) end() {
	if p != nil && p.last >= 0 {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
