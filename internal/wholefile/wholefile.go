// Package wholefile writes files that appear whole or not at all: the bytes go to
// a file without a name in the target's folder, are synced, and take the target's
// name only when everything has succeeded. On failure nothing is left behind and an
// older file of that name is untouched. A process that is killed leaves nothing
// either, because the system drops files without names with their process.
//
// Files without names are a matter of Linux and of its file systems; elsewhere the
// bytes go to a hidden file beside the target, which only a kill leaves behind.
package wholefile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write creates or replaces the file at path with what produce writes.
func Write(path string, produce func(io.Writer) error) (err error) {
	pending, err := Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			pending.Abort()
		}
	}()
	buffered := bufio.NewWriterSize(pending, 1<<16)
	if err = produce(buffered); err != nil {
		return err
	}
	if err = buffered.Flush(); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return pending.Commit()
}

// File is a pending file: it takes its name on Commit and vanishes on Abort.
type File struct {
	*os.File
	path   string
	hidden string // its name until then; empty: it has none
	done   bool
}

// Create opens a pending file that belongs at path.
func Create(path string) (*File, error) {
	f, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, reason(err))
	}
	return f, nil
}

func open(path string) (*File, error) {
	if f := openNameless(filepath.Dir(path)); f != nil {
		return &File{File: f, path: path}, nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), hiddenPattern(path))
	if err != nil {
		return nil, err
	}
	return &File{File: f, path: path, hidden: f.Name()}, nil
}

// hiddenPattern is the form of hidden names beside path, as os.CreateTemp takes it.
func hiddenPattern(path string) string { return "." + filepath.Base(path) + ".*" }

// Commit syncs the file and gives it its name, readable by everyone the umask
// allows.
func (f *File) Commit() error {
	if f.done {
		return fmt.Errorf("writing %s: already closed", f.path)
	}
	if err := f.finish(); err != nil {
		f.Abort()
		return fmt.Errorf("writing %s: %w", f.path, reason(err))
	}
	f.done = true
	return nil
}

func (f *File) finish() error {
	const readable = 0o644
	if err := f.Chmod(readable); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if f.hidden == "" {
		if err := name(f.File, f.path); err != nil {
			return err
		}
		return f.Close()
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.hidden, f.path)
}

// Abort removes the pending file. It does nothing after Commit or a first Abort.
func (f *File) Abort() {
	if f.done {
		return
	}
	f.done = true
	f.Close()
	if f.hidden != "" {
		os.Remove(f.hidden)
	}
}

// Check reports, before any work is done, whether a file could be written at
// path: its folder exists and takes new files, and path is not a folder.
func Check(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("cannot write %s: it is a folder", path)
	}
	probe, err := open(path)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, reason(err))
	}
	probe.Abort()
	return nil
}

// reason drops the name of the hidden file from an error, which would only
// puzzle a reader.
func reason(err error) error {
	var pathErr *fs.PathError
	var linkErr *os.LinkError
	switch {
	case errors.As(err, &pathErr):
		return pathErr.Err
	case errors.As(err, &linkErr):
		return linkErr.Err
	}
	return err
}
