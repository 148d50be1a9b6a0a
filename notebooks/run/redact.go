package run

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// redactor takes what differs from run to run out of texts: the kernel's
// temporary directory everywhere, and the place of the checkout in errors.
type redactor struct {
	all    *strings.Replacer
	errors *strings.Replacer
}

// workDir matches the name of gonb's own directory, which is also the name of
// the program that a cell becomes.
var workDir = regexp.MustCompile(`^gonb_[0-9a-f]+$`)

// newRedactor looks into the private directory of a kernel that has started.
func newRedactor(private, moduleRoot string) redactor {
	dirs := []string{private}
	if real, err := filepath.EvalSymlinks(private); err == nil && real != private {
		dirs = append(dirs, real)
	}
	var pairs []string
	if entries, err := os.ReadDir(private); err == nil {
		for _, e := range entries {
			if e.IsDir() && workDir.MatchString(e.Name()) {
				for _, d := range dirs {
					pairs = append(pairs, filepath.Join(d, e.Name())+string(filepath.Separator), "")
				}
				pairs = append(pairs, e.Name(), "cell")
			}
		}
	}
	for _, d := range dirs {
		pairs = append(pairs, d, "$TMPDIR")
	}
	return redactor{
		all:    strings.NewReplacer(pairs...),
		errors: strings.NewReplacer(append(pairs, moduleRoot+string(filepath.Separator), "")...),
	}
}

// output cleans what a cell displays or prints.
func (r redactor) output(s string) string {
	if r.all == nil {
		return s
	}
	return r.all.Replace(s)
}

// error cleans error messages, stack traces and standard error.
func (r redactor) error(s string) string {
	if r.errors == nil {
		return s
	}
	return plain(r.errors.Replace(s))
}
