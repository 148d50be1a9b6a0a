package wholefile_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/inferlab/inferlab/internal/wholefile"
)

// writesForever makes the test binary a process that is within a file.
const writesForever = "WHOLEFILE_WRITES_FOREVER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writesForever); path != "" {
		err := wholefile.Write(path, func(w io.Writer) error {
			for i := 0; ; i++ {
				if _, err := w.Write(make([]byte, 1<<12)); err != nil {
					return err
				}
				if i == 64 { // far more than any buffer
					fmt.Println("under way")
				}
				if i > 64 {
					time.Sleep(time.Hour)
				}
			}
		})
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestKillLeavesNothing kills a process in the middle of a file: neither a half file
// nor a hidden one stands, and an older file is untouched.
func TestKillLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "old")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0], "-test.run=none")
	child.Env = append(os.Environ(), writesForever+"="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "under way\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	child.Wait()
	if text, _ := os.ReadFile(path); string(text) != "old" {
		t.Errorf("the file holds %d bytes", len(text))
	}
	only(t, dir, "old")
}
