package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The commands of the kernel, told once through.
func TestKernelCommands(t *testing.T) {
	prefix := t.TempDir()
	dir := filepath.Join(prefix, "share", "jupyter", "kernels", "inferlab")

	code, stdout, _ := inferlab("kernel", "doctor", "--prefix", prefix)
	if code != exitNegative || !strings.Contains(stdout, "to get kernel: inferlab kernel install\n") {
		t.Errorf("doctor without a kernel: exit %d\n%s", code, stdout)
	}
	code, _, stderr := inferlab("kernel", "uninstall", "--prefix", prefix)
	if code != exitFailure || stderr != "inferlab: there is no kernel in "+dir+"\n" {
		t.Errorf("uninstall without a kernel: exit %d\n%s", code, stderr)
	}
	code, stdout, stderr = inferlab("kernel", "install", "--prefix", prefix, "--no-gopls")
	root := filepath.Dir(filepath.Dir(packageDir))
	if want := "installed Inferlab (Go) in " + dir + "\ncells import through " + root + "\n"; code != 0 || stdout != want {
		t.Fatalf("install: exit %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = inferlab("kernel", "doctor", "--prefix", prefix, "--format", "json")
	var answer struct {
		Healthy  bool
		Findings []struct{ What, Status string }
	}
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil || code != 0 || !answer.Healthy || len(answer.Findings) != 7 {
		t.Errorf("doctor: exit %d, %v\n%s%s", code, err, stdout, stderr)
	}
	if code, stdout, _ = inferlab("kernel", "uninstall", "--prefix", prefix); code != 0 || stdout != "removed "+dir+"\n" {
		t.Errorf("uninstall: exit %d\n%s", code, stdout)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the kernel is still there (%v)", err)
	}
}

func TestKernelRefusals(t *testing.T) {
	t.Chdir(t.TempDir()) // outside any checkout
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"kernel"}, "kernel: missing subcommand\nusage: inferlab kernel install | uninstall | doctor"},
		{[]string{"kernel", "install", "--prefix", "p"}, "nothing to import: this build is no release, and the current folder is in no checkout (see --module-root and --version)"},
		{[]string{"kernel", "install", "--prefix", "p", "--user"}, "if any flags in the group [user sys-prefix prefix] are set none of the others can be; [prefix user] were all set"},
		{[]string{"kernel", "doctor", "--format", "xml"}, `kernel doctor: --format: found "xml", expected table or json`},
		{[]string{"lab", "--module-root", "."}, "no checkout of github.com/inferlab/inferlab at or above "},
		{[]string{"lab", "--env", "e", "--module-root", packageDir}, "lab: something has to be set up, and nobody is there to ask; run it with --yes\nThis will\n  fetch JupyterLab"},
	}
	for _, tt := range tests {
		code, stdout, stderr := inferlab(tt.args...)
		if code != exitFailure || stdout != "" || !strings.HasPrefix(stderr, "inferlab: "+tt.want) {
			t.Errorf("%v: exit %d\n%s%s", tt.args, code, stdout, stderr)
		}
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 0 {
		t.Errorf("refusals left %v (%v)", entries, err)
	}
}
