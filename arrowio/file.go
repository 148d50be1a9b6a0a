package arrowio

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/inferlab/inferlab/simcore/issue"
)

// fileBuffer is the size of the writes to disk.
const fileBuffer = 1 << 20

// PrepareDir makes a directory for output, with its parents, and proves that a
// file can be written into it. Call it before a long simulation, so that a path
// that cannot be written is refused before work is spent. Nothing but the
// directory remains. The refusal is an *issue.Error with code "output_path".
func PrepareDir(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return outputError(dir, err)
	}
	probe, err := os.CreateTemp(dir, ".inferlab-*")
	if err != nil {
		return outputError(dir, err)
	}
	_, writeErr := probe.Write([]byte{0})
	closeErr := probe.Close()
	removeErr := os.Remove(probe.Name())
	for _, err := range []error{writeErr, closeErr, removeErr} {
		if err != nil {
			return outputError(dir, err)
		}
	}
	return nil
}

// PrepareFile does for the path of one file what PrepareDir does for a directory:
// its directory must exist and take files, and the path must not be a directory.
func PrepareFile(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return issue.New("output_path", path, "is a directory; expected the path of a file")
	}
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); err != nil {
		return outputError(dir, err)
	}
	return PrepareDir(dir)
}

func outputError(path string, err error) error {
	return fmt.Errorf("%w: %w", issue.New("output_path", path, "cannot be written"), err)
}

// WriteFile writes a file that appears whole or not at all: write fills a
// temporary file in the same directory, which is synced to disk and then renamed
// to path. On any error the temporary file is removed and what stood at path
// before stays as it was.
func WriteFile(path string, write func(w io.Writer) error) error {
	s := stage{}
	if err := s.add(path, write); err != nil {
		s.discard()
		return err
	}
	return s.commit()
}

// WriteFiles writes several files that belong together. All are written and
// synced under temporary names before the first takes its own, so an error or a
// full disk leaves none of them behind.
func WriteFiles(paths []string, write func(i int, w io.Writer) error) error {
	s := stage{}
	for i, path := range paths {
		if err := s.add(path, func(w io.Writer) error { return write(i, w) }); err != nil {
			s.discard()
			return err
		}
	}
	return s.commit()
}

// stage holds files that are written but have not taken their names yet.
type stage struct{ temps, paths []string }

func (s *stage) add(path string, write func(w io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.partial")
	if err != nil {
		return outputError(path, err)
	}
	s.temps, s.paths = append(s.temps, f.Name()), append(s.paths, path)
	if err := fill(f, write); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// fill writes, syncs and closes the file.
func fill(f *os.File, write func(w io.Writer) error) (err error) {
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}()
	w := bufio.NewWriterSize(f, fileBuffer)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	return f.Sync()
}

// commit gives the files their names, in order.
func (s *stage) commit() error {
	for i := range s.temps {
		if err := os.Rename(s.temps[i], s.paths[i]); err != nil {
			s.temps = s.temps[i:]
			s.discard()
			return outputError(s.paths[i], err)
		}
	}
	return nil
}

func (s *stage) discard() {
	for _, t := range s.temps {
		os.Remove(t)
	}
}
