package lab

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/inferlab/inferlab/simcore/issue"
)

// Where a failed cell says so, and how it ends. Tests replace both.
var (
	complaints io.Writer = os.Stderr
	exit                 = os.Exit
)

// Must returns v, or ends the cell when err is not nil: it prints the error
// with the line of the cell that called, and the program exits with status 1.
// A list of issues is printed one a line.
func Must[T any](v T, err error) T {
	if err != nil {
		fail(err)
	}
	return v
}

// Check ends the cell as Must does when err is not nil.
func Check(err error) {
	if err != nil {
		fail(err)
	}
}

// fail is called by exported functions only: the caller's caller is the cell.
func fail(err error) {
	where := ""
	if _, file, line, ok := runtime.Caller(2); ok {
		// The kernel turns this into "Cell [3] Line 4".
		where = fmt.Sprintf("%s:%d: ", file, line)
	}
	fmt.Fprintf(complaints, "%s%s\n", where, errorText(err))
	endBars()
	gonbui.Sync()
	exit(1)
}

// errorText is the error on one line, or a list of issues on several.
func errorText(err error) string {
	list, ok := errors.AsType[*issue.List](err)
	if !ok || len(list.Issues) < 2 {
		return err.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d issues", len(list.Issues))
	if list.Subject != "" {
		b.WriteString(" in " + list.Subject)
	}
	for _, e := range list.Issues {
		fmt.Fprintf(&b, "\n  [%s] %v", e.Code, e)
	}
	return b.String()
}
