package wholefile

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// openNameless opens a file without a name in a folder, or returns nil where the
// kernel or the file system has none or it could not be named later.
func openNameless(dir string) *os.File {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, everyone)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), filepath.Join(dir, "(nameless)"))
	if _, err := os.Lstat(descriptor(f)); err != nil {
		f.Close()
		return nil
	}
	return f
}

// descriptor is the path through which a nameless file can be linked.
func descriptor(f *os.File) string {
	return "/proc/self/fd/" + strconv.FormatUint(uint64(f.Fd()), 10)
}

// name gives a nameless file its name. A link never replaces a file, so a name that
// is taken is taken over from a hidden one; the file is whole by then.
func name(f *os.File, path string) error {
	err := link(f, path)
	if !errors.Is(err, unix.EEXIST) {
		return err
	}
	const attempts = 1000
	for i := range attempts {
		hidden := filepath.Join(filepath.Dir(path), hiddenName(i))
		if err = link(f, hidden); err == nil {
			if err = os.Rename(hidden, path); err != nil {
				os.Remove(hidden)
			}
			return err
		}
		if !errors.Is(err, unix.EEXIST) {
			return err
		}
	}
	return err
}

func link(f *os.File, path string) error {
	if err := unix.Linkat(unix.AT_FDCWD, descriptor(f), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW); err != nil {
		return &os.LinkError{Op: "link", Old: "(nameless)", New: path, Err: err}
	}
	return nil
}
