//go:build !linux

package wholefile

import (
	"errors"
	"os"
)

// openNameless returns nil: there are no files without names here.
func openNameless(string) *os.File { return nil }

func name(*os.File, string) error { return errors.ErrUnsupported }
