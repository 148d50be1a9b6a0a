package figure_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/inferlab/inferlab/report/figure"
	"github.com/inferlab/inferlab/report/internal/sample"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/inferlab/inferlab/simcore/topology"
)

var (
	look      = flag.String("look", "", "write every figure in every format into this directory, to be looked at")
	lookAt    = flag.String("scenario", "", "scenario file for -look (JSON)")
	lookCount = flag.Int("requests", 200, "requests of the run for -look")
	lookWidth = flag.Float64("width", 760, "width for -look")
	lookDark  = flag.Bool("dark", false, "dark theme for -look")
)

// figures lists every figure of a run by file name.
func figures(run *serving.Run) map[string]figure.Figure {
	return map[string]figure.Figure{
		"ttft": figure.TTFT(run), "itl": figure.ITL(run), "latency": figure.Latency(run),
		"batches": figure.Batches(run), "kv": figure.KV(run), "utilization": figure.Utilization(run),
		"throughput": figure.Throughput(run), "requests": figure.Requests(run),
		"timeline": figure.Timeline(run), "flow": figure.Flow(run), "memory": figure.Memory(run.Scenario), "machine": figure.Machine(run.Scenario),
	}
}

// TestLook writes pictures for human eyes; without -look it has nothing to do.
func TestLook(t *testing.T) {
	if *look == "" {
		t.Skip("no -look directory given")
	}
	o := sample.Options{Requests: *lookCount, Output: 60, Rate: 30, Scenario: preset(t, "multi-gpu")}
	if *lookAt != "" {
		data, err := os.ReadFile(*lookAt)
		if err != nil {
			t.Fatal(err)
		}
		v, err := document.ParseJSON(data, *lookAt)
		if err != nil {
			t.Fatal(err)
		}
		if o.Scenario, err = topology.ReadScenario(v); err != nil {
			t.Fatal(err)
		}
	}
	show(t, figures(sample.Run(o)))
}

// show writes figures in every format into the -look directory.
func show(t *testing.T, figures map[string]figure.Figure) {
	t.Helper()
	o := figure.Options{Width: *lookWidth, Scale: 1.5}
	if *lookDark {
		o.Theme = figure.Dark
	}
	for name, f := range figures {
		for ending, render := range map[string]func(figure.Options) ([]byte, error){"svg": f.SVG, "png": f.PNG, "pdf": f.PDF} {
			out, err := render(o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := os.WriteFile(filepath.Join(*look, name+"."+ending), out, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
