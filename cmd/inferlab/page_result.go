package main

import (
	"os"

	"github.com/inferlab/inferlab/simcore/jsondoc"
)

// settle makes sure that what was printed into a file is on the disk before
// anything is drawn. Pipes and terminals cannot be synced and need not be.
func (a *app) settle() error {
	f, ok := a.stdout.(*os.File)
	if !ok {
		return nil
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return printed(f.Sync())
}

// printing prints a document, or sheets for people, and settles it.
func (a *app) printing(document func(*jsondoc.Writer), sheets func() []sheet) func() error {
	return func() error {
		var err error
		if a.format == "table" {
			err = a.show(sheets()...)
		} else {
			err = a.emit(document)
		}
		if err != nil {
			return err
		}
		return a.settle()
	}
}
