package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/topology"
)

// readFile reads a whole file; the error names it and says what is wrong.
func readFile(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, readFailure(path, err)
	}
	return data, nil
}

// readFailure says which file could not be read and why.
func readFailure(path string, err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return fmt.Errorf("cannot read %s: %w", spelled(path), err)
}

// spelled is a path on one line: quoted when it holds line breaks or other characters
// that do not print.
func spelled(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(path)
	}
	return path
}

// unknownName refuses a name with the nearest known ones.
func unknownName(kind, name string, known []string) error {
	return fmt.Errorf("unknown %s %q%s", kind, name, document.Suggest(name, known))
}

// readDocument reads and decodes a YAML or JSON file.
func readDocument(path string) (document.Value, error) {
	data, err := readFile(path)
	if err != nil {
		return document.Value{}, err
	}
	return document.Parse(data, path)
}

// target resolves a scenario target: a preset, a ring, or a file.
func target(name string) (*topology.Scenario, error) {
	s, err := topology.Target(name, readFile)
	if err != nil && isFile(name) && !strings.Contains(err.Error(), name) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, err
}

// warn reports the keys that a reader ignored.
func (a *app) warn(path string, warnings []document.Warning) {
	for _, w := range warnings {
		fmt.Fprintf(a.stderr, "inferlab: warning: %s: %s\n", path, w)
	}
}
