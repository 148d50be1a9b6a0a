package arrowio

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRunDir(t *testing.T) {
	root := t.TempDir()
	for run, want := range map[string]string{
		"a-1.x_Y": "run=a-1.x_Y", "a/b": "run=a%2Fb", "..": "run=..", "ü=1": "run=%C3%BC%3D1",
	} {
		dir, err := RunDir(root, run)
		if err != nil || dir != filepath.Join(root, want) {
			t.Errorf("%q: %s, %v; want %s", run, dir, err, want)
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			t.Errorf("%q: no directory: %v", run, err)
		}
	}
	if _, err := RunDir(root, ""); err == nil {
		t.Error("an empty name was accepted")
	}
}
