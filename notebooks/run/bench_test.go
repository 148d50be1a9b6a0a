package run_test

import (
	"strings"
	"testing"
	"time"

	"github.com/inferlab/inferlab/notebooks/run"
)

// BenchmarkCells measures the round trip of a small Go cell on a warm machine,
// start and end of the kernel included.
func BenchmarkCells(b *testing.B) {
	b.ReportAllocs()
	var start, cell time.Duration
	cells := 0
	dir := b.TempDir()
	for b.Loop() {
		nb, err := run.Parse([]byte(`{"nbformat":4,"cells":[{"cell_type":"code","source":"%%\nprintln(1)"},{"cell_type":"code","source":"%%\nprintln(2)"}]}`))
		if err != nil {
			b.Fatal(err)
		}
		report, err := run.Execute(b.Context(), nb, run.Options{Dir: dir, ModuleRoot: "../.."})
		if err != nil {
			b.Fatal(err)
		}
		start += report.KernelStart
		for _, c := range report.Cells {
			cell += c.Duration
			cells++
		}
	}
	b.ReportMetric(start.Seconds()/float64(b.N), "start-s/op")
	b.ReportMetric(cell.Seconds()/float64(cells), "s/cell")
}

// BenchmarkDocument measures reading and writing a notebook of usual size.
func BenchmarkDocument(b *testing.B) {
	output := `{"output_type":"display_data","metadata":{},"data":{"image/svg+xml":["` + strings.Repeat("<path d='M0 0'/>", 1000) + `"]}}`
	doc := []byte(`{"nbformat":4,"cells":[` + strings.Repeat(`{"cell_type":"code","source":["a\n","b"],"outputs":[`+output+`]},`, 15) +
		`{"cell_type":"markdown","source":""}]}`)
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		nb, err := run.Parse(doc)
		if err != nil {
			b.Fatal(err)
		}
		nb.Bytes()
	}
}
