package run

import (
	"fmt"
	"slices"
	"strings"
)

// Diff says in one line a cell how the outputs of two executions of a notebook
// differ. Equal documents give none; documents that differ elsewhere give one
// line that says so.
func Diff(before, after *Notebook) []string {
	if slices.Equal(before.Bytes(), after.Bytes()) {
		return nil
	}
	var lines []string
	for i, c := range after.cells {
		if i >= len(before.cells) {
			break
		}
		if d := diffOutputs(before.cells[i].Outputs(), c.Outputs()); d != "" {
			lines = append(lines, fmt.Sprintf("%s: %s", cellName(i, c), d))
		}
	}
	if lines == nil {
		lines = []string{"the document differs outside its outputs"}
	}
	return lines
}

// cellName names a cell by its id, or by its place from 1.
func cellName(i int, c *Cell) string {
	if c.ID() != "" {
		return "cell " + c.ID()
	}
	return fmt.Sprintf("cell %d", i+1)
}

func diffOutputs(before, after []Output) string {
	if len(before) != len(after) {
		return fmt.Sprintf("%d outputs, there were %d", len(after), len(before))
	}
	for i := range after {
		if d := diffOutput(before[i], after[i]); d != "" {
			return fmt.Sprintf("output %d: %s", i+1, d)
		}
	}
	return ""
}

func diffOutput(before, after Output) string {
	if before.Type != after.Type || before.Name != after.Name {
		return fmt.Sprintf("%s, it was %s", strings.TrimSpace(after.Type+" "+after.Name), strings.TrimSpace(before.Type+" "+before.Name))
	}
	parts := []struct{ name, before, after string }{
		{"text", before.Text, after.Text},
		{"error", before.ErrName + ": " + before.ErrValue, after.ErrName + ": " + after.ErrValue},
		{"text/plain", before.Data["text/plain"], after.Data["text/plain"]},
	}
	for mime := range after.Data {
		parts = append(parts, struct{ name, before, after string }{mime, before.Data[mime], after.Data[mime]})
	}
	slices.SortStableFunc(parts[3:], func(a, b struct{ name, before, after string }) int { return strings.Compare(a.name, b.name) })
	for _, p := range parts {
		if p.before != p.after {
			was, is := firstDifference(p.before, p.after)
			return fmt.Sprintf("%s shows %q, it was %q", p.name, is, was)
		}
	}
	if len(before.Data) != len(after.Data) {
		return "a form of it is gone"
	}
	return ""
}

// firstDifference returns the first lines in which two texts differ, shortened
// to what a terminal shows.
func firstDifference(a, b string) (string, string) {
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(la), len(lb)) {
		x, y := at(la, i), at(lb, i)
		if x != y {
			same := 0
			for same < min(len(x), len(y)) && x[same] == y[same] {
				same++
			}
			from := max(0, same-30)
			return clip(x, from), clip(y, from)
		}
	}
	return "", ""
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

func clip(s string, from int) string {
	const width = 60
	s = s[min(from, len(s)):]
	s = strings.ToValidUTF8(s[:min(width, len(s))], "")
	return s
}
