package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/parquetio"
)

// tableIn reads a Parquet table of a folder as text.
func tableIn(t *testing.T, dir, name string) ([][]string, arrowio.Provenance) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, name+".parquet"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := parquetio.Read(f)
	if err != nil {
		t.Fatal(name, err)
	}
	defer table.Release()
	return table.Cells(0, table.NumRows()), arrowio.ProvenanceOf(table.Schema())
}

// TestServingStream: a run that streams prints the summary of the run and leaves its
// tables, with a proposer too.
func TestServingStream(t *testing.T) {
	in(t, map[string]string{"served.yaml": servedFile, "drafted.yaml": servedFile + "  speculative:\n    family: mtp\n    max_additional_tokens: 2\n" +
		"    acceptance: {kind: conditional_heuristic, match_probability_by_position: [0.7, 0.5], seed: 3}\n"})
	for _, file := range []string{"served.yaml", "drafted.yaml"} {
		kept, streamed := file+"-kept", file+"-streamed"
		code, want, stderr := inferlab("serving", "multi-gpu", file, "--summary", "--parquet", kept)
		if code != exitDone {
			t.Fatal(stderr)
		}
		code, got, stderr := inferlab("serving", "multi-gpu", file, "--stream", "--parquet", streamed)
		if code != exitDone || got != want {
			t.Fatalf("%s: exit %d %s\n%s", file, code, stderr, cmp.Diff(want, got))
		}
		tables := tablesIn(t, kept, ".parquet")
		if diff := cmp.Diff(tables, tablesIn(t, streamed, ".parquet")); diff != "" {
			t.Fatalf("%s (-kept +streamed):\n%s", file, diff)
		}
		for name := range tables {
			a, p := tableIn(t, kept, name)
			b, q := tableIn(t, streamed, name)
			if diff := cmp.Diff(a, b); diff != "" || !cmp.Equal(p, q) {
				t.Errorf("%s: %s (-kept +streamed):\n%s", file, name, diff+cmp.Diff(p, q))
			}
		}
	}
}

// TestServingStreamRefusals: what needs the whole run is refused before anything is
// done, and says what to leave out.
func TestServingStreamRefusals(t *testing.T) {
	in(t, map[string]string{"served.yaml": servedFile, "composed.yaml": servedFile + expertFile})
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"served.yaml"}, "--parquet"},
		{[]string{"served.yaml", "--parquet", "p", "--report", "r.html"}, "--report"},
		{[]string{"served.yaml", "--parquet", "p", "--perfetto", "r.json"}, "--perfetto"},
		{[]string{"served.yaml", "--parquet", "p", "--trace", "t.json"}, "--trace"},
		{[]string{"served.yaml", "--parquet", "p", "--arrow", "a"}, "--arrow"},
		{[]string{"composed.yaml", "--parquet", "p"}, "expert cache"},
	} {
		code, stdout, stderr := inferlab(append([]string{"serving", "multi-gpu", "--stream"}, c.args...)...)
		if code != exitFailure || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit %d, stdout %q, stderr %q", c.args, code, stdout, stderr)
		}
	}
	if entries, err := os.ReadDir("p"); err == nil && len(entries) > 0 {
		t.Errorf("refused runs leave %v", entries)
	}
}

// TestServingStreamInterrupted: an interrupt leaves no table.
func TestServingStreamInterrupted(t *testing.T) {
	in(t, map[string]string{"served.yaml": servedFile})
	ctx, stop := context.WithCancel(context.Background())
	stop()
	var stdout, stderr bytes.Buffer
	if code := execute(ctx, []string{"serving", "multi-gpu", "served.yaml", "--stream", "--parquet", "p"}, &stdout, &stderr); code == exitDone {
		t.Error("an interrupted run succeeded")
	}
	if entries, _ := os.ReadDir("p"); len(entries) != 0 || stdout.Len() != 0 {
		t.Errorf("it leaves %v and prints %q", entries, &stdout)
	}
}
