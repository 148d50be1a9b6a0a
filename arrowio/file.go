package arrowio

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/inferlab/inferlab/internal/wholefile"
	"github.com/inferlab/inferlab/simcore/issue"
)

// fileBuffer is the size of the writes to disk.
const fileBuffer = 1 << 20

// PrepareDir makes a directory for output, with its parents, and proves that a
// file can be written into it. Call it before a long simulation, so that a path
// that cannot be written is refused before work is spent. Nothing but the
// directory remains. The refusal is an *issue.Error with code "output_path" that
// wraps the system's error.
func PrepareDir(dir string) error {
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		err = wholefile.Check(filepath.Join(dir, "inferlab"))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", issue.New("output_path", dir, "tables cannot be written here"), err)
	}
	return nil
}

// WriteDir writes every table into dir as NAME.EXT, all or none of them: all are
// written and synced to disk under hidden names before the first takes its own,
// so an error or a full disk leaves nothing behind and older files untouched. The
// directory must exist.
func WriteDir(dir, ext string, write func(w io.Writer, t *Table) error, tables ...*Table) (err error) {
	var pending []*wholefile.File
	defer func() {
		for _, f := range pending { // those that took their name stay
			f.Abort()
		}
	}()
	for _, t := range tables {
		path := filepath.Join(dir, t.Name()+"."+strings.TrimPrefix(ext, "."))
		f, err := wholefile.Create(path)
		if err != nil {
			return err
		}
		pending = append(pending, f)
		if err := fill(f, t, write); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
	}
	for _, f := range pending {
		if err := f.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// fill writes the table through a buffer and syncs the file.
func fill(f *wholefile.File, t *Table, write func(w io.Writer, t *Table) error) error {
	w := bufio.NewWriterSize(f, fileBuffer)
	if err := write(w, t); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Sync()
}
