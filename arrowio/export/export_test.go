package export

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/internal/samplerun"
	"github.com/inferlab/inferlab/arrowio/parquetio"
	"github.com/inferlab/inferlab/simcore/issue"
)

func sample() []*arrowio.Table { return arrowio.Serving(samplerun.Small(), arrowio.Options{}).All() }

func names(tables []*arrowio.Table) []string {
	var out []string
	for _, t := range tables {
		out = append(out, t.Name())
	}
	return out
}

func TestSelect(t *testing.T) {
	got, err := Select(sample(), "tokens", "requests")
	if diff := cmp.Diff([]string{"tokens", "requests"}, names(got)); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if got, err := Select(sample()); len(got) != 8 || err != nil {
		t.Errorf("without names: %v, %v", names(got), err)
	}
	for _, bad := range [][]string{{"token"}, {"tokens", "tokens"}} {
		_, err := Select(sample(), bad...)
		var refusal *issue.Error
		if !errors.As(err, &refusal) || refusal.Code != "export_table" {
			t.Errorf("%v: error %v", bad, err)
		}
	}
}

// TestEveryFormat writes the tokens in every format, as a stream and into a
// directory, to the same bytes, and reads them back.
func TestEveryFormat(t *testing.T) {
	picked, err := Select(sample(), "tokens")
	if err != nil {
		t.Fatal(err)
	}
	want := picked[0].Cells(0, 99)
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	read := map[string]func([]byte) (*arrowio.Table, error){
		"parquet": func(b []byte) (*arrowio.Table, error) { return parquetio.Read(bytes.NewReader(b)) },
		"arrow": func(b []byte) (*arrowio.Table, error) {
			return arrowio.ReadIPC(bytes.NewReader(b), mem)
		},
		"arrow-stream": func(b []byte) (*arrowio.Table, error) {
			return arrowio.ReadIPCStream(bytes.NewReader(b), mem)
		},
		"csv": func(b []byte) (*arrowio.Table, error) {
			return arrowio.ReadCSV(bytes.NewReader(b), "tokens.csv", &arrowio.TokensDeclaration, arrowio.Provenance{}, arrowio.Options{}, mem)
		},
	}
	for _, f := range Formats() {
		if parsed, err := ParseFormat(f.Name); err != nil || parsed.Ext != f.Ext {
			t.Errorf("%s is not found by its name: %v", f.Name, err)
		}
		var out bytes.Buffer
		dir := t.TempDir()
		if err := errors.Join(f.Stream(&out, picked...), f.Dir(dir, picked...)); err != nil {
			t.Fatal(f.Name, err)
		}
		onDisk, err := os.ReadFile(dir + "/tokens" + f.Ext)
		if err != nil || !bytes.Equal(onDisk, out.Bytes()) {
			t.Errorf("%s: the file differs from the stream (%v)", f.Name, err)
		}
		got, err := read[f.Name](out.Bytes())
		if err != nil {
			t.Fatal(f.Name, err)
		}
		if diff := cmp.Diff(want, got.Cells(0, 99)); diff != "" {
			t.Errorf("%s: %s", f.Name, diff)
		}
		got.Release()
	}
}

func TestRefusals(t *testing.T) {
	if _, err := ParseFormat("parket"); err == nil || issue.All(err)[0].Code != "export_format" {
		t.Errorf("an unknown format: %v", err)
	}
	if err := Formats()[0].Stream(&bytes.Buffer{}, sample()...); err == nil || issue.All(err)[0].Code != "export_stream" {
		t.Errorf("several tables for one stream: %v", err)
	}
}
