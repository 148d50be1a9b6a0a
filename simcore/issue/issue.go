// Package issue is the one shape of a refusal: a code that programs compare, the
// path of the offending field that people look for, and a sentence that says
// what was found and what was expected.
//
// Every validating package returns *Error or *List, so that a command line, a
// notebook cell and a test see the same evidence. Paths are written
// collection[index].field, zero-based (contract 02 section 1.3).
package issue

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Error is one refusal.
type Error struct {
	Code    string // stable name of the rule, for example "unknown_domain"
	Path    string // place in the input, for example "links[2].bandwidthBytesPerSec"; may be empty
	Message string // what was found and what was expected
}

// New makes an Error with a formatted message.
func New(code, path, format string, args ...any) *Error {
	return &Error{Code: code, Path: path, Message: fmt.Sprintf(format, args...)}
}

// Error gives "path: message", or the message alone without a path.
func (e *Error) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}

// List is an ordered set of refusals found in one pass. The zero value is ready
// for use.
type List struct {
	Subject string // what was examined, for example "scenario lan-3"
	Issues  []*Error
}

// Add appends one refusal.
func (l *List) Add(code, path, format string, args ...any) {
	l.Issues = append(l.Issues, New(code, path, format, args...))
}

// Err returns the list as an error, or nil when it is empty.
func (l *List) Err() error {
	if l == nil || len(l.Issues) == 0 {
		return nil
	}
	return l
}

// Error states the number of issues and every one of them, in order.
func (l *List) Error() string { return l.Brief(len(l.Issues)) }

// paths lists where issues are, each place once.
func paths(issues []*Error) []string {
	var list []string
	for _, e := range issues {
		if !slices.Contains(list, e.Path) {
			list = append(list, e.Path)
		}
	}
	return list
}

// Brief is Error with the first issues alone, at most that many; it ends with the
// number of those it leaves out, and their paths.
func (l *List) Brief(most int) string {
	var b strings.Builder
	if l.Subject != "" {
		b.WriteString(l.Subject)
		b.WriteString(": ")
	}
	b.WriteString(strconv.Itoa(len(l.Issues)))
	if len(l.Issues) == 1 {
		b.WriteString(" issue")
	} else {
		b.WriteString(" issues")
	}
	for i, e := range l.Issues {
		if i == most {
			b.WriteString("; and " + strconv.Itoa(len(l.Issues)-most) + " more")
			if places := strings.Join(paths(l.Issues[most:]), ", "); places != "" {
				b.WriteString(": " + places)
			}
			break
		}
		if i == 0 {
			b.WriteString(": ")
		} else {
			b.WriteString("; ")
		}
		b.WriteString("[" + e.Code + "] " + e.Error())
	}
	return b.String()
}

// All returns every refusal that err carries, in order: the issues of a List, or
// the single Error, however deeply either is wrapped. It returns nil for errors
// of other kinds.
func All(err error) []*Error {
	var list *List
	if errors.As(err, &list) {
		return list.Issues
	}
	var one *Error
	if errors.As(err, &one) {
		return []*Error{one}
	}
	return nil
}
