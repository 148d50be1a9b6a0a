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
	hidden string      // its name until then; empty: it has none
	mode   os.FileMode // of the file that it replaces; 0: there is none
	done   bool
}

// Create opens a pending file that belongs at path. A symbolic link is followed;
// anything but a regular file at its end is refused, not replaced.
func Create(path string) (*File, error) {
	f, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, reason(err))
	}
	return f, nil
}

// everyone is the mode of a new file, less what the umask takes away.
const everyone = 0o666

func open(path string) (*File, error) {
	path, mode, err := destination(path)
	if err != nil {
		return nil, err
	}
	if f := openNameless(filepath.Dir(path)); f != nil {
		return &File{File: f, path: path, mode: mode}, nil
	}
	const attempts = 1000
	for i := range attempts {
		hidden := filepath.Join(filepath.Dir(path), hiddenName(i))
		f, err := os.OpenFile(hidden, os.O_RDWR|os.O_CREATE|os.O_EXCL, everyone)
		if err == nil {
			return &File{File: f, path: path, hidden: hidden, mode: mode}, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	return nil, errors.New("no hidden name is free in its folder")
}

// hiddenName is the i-th hidden name of this process: short, so that it fits
// wherever the final name does.
func hiddenName(i int) string { return fmt.Sprintf(".inferlab-%d-%d", os.Getpid(), i) }

// destination follows symbolic links and says where the file goes and which mode a
// file has that stands there.
func destination(path string) (string, os.FileMode, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, 0, nil
	}
	if err != nil {
		return path, 0, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return path, 0, err
		}
		if info, err = os.Lstat(path); err != nil {
			return path, 0, err
		}
	}
	switch {
	case info.IsDir():
		return path, 0, errors.New("it is a folder")
	case !info.Mode().IsRegular():
		return path, 0, errors.New("it is not a regular file")
	}
	return path, info.Mode().Perm(), nil
}

// Commit syncs the file and gives it its name. It has the mode of the file that it
// replaces, or the one that the umask leaves.
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
	if f.mode != 0 {
		if err := f.Chmod(f.mode); err != nil {
			return err
		}
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
// path: its folder exists and takes new files, and nothing but a regular file
// stands there.
func Check(path string) error {
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
