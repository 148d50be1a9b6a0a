package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/arrowio/requesttrace"
	"github.com/inferlab/inferlab/notebooks"
	notebookrun "github.com/inferlab/inferlab/notebooks/run"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/spf13/cobra"
)

// demoRequests is a trace of our own making with the shape of production traffic:
// a calm stream with five bursts and a lull, log-normal lengths with a long tail.
//
//go:embed demo/requests.csv
var demoRequests []byte

// The demonstration's machine and limits.
const (
	demoTarget      = "multi-gpu-ring-4"
	demoBatchSize   = 48
	demoBatchTokens = 1024
	demoChunkTokens = 256
	demoKVTokens    = 60_000
)

func (a *app) demoCommand() *cobra.Command {
	var out string
	var withoutNotebook bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run the main job on a bundled trace: a page, tables and a notebook in ./out",
		Long: `Serves a bundled trace of 425 requests, with bursts and a long tail, on four GPUs, and
leaves a report page, Parquet tables and an executed notebook in one folder. Only
Go is needed.`,
		Example: `  inferlab demo
  inferlab demo --out /tmp/first-look`,
		Args: positional(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), out, withoutNotebook) },
	}
	cmd.Flags().StringVarP(&out, "out", "o", "out", "folder for the results")
	cmd.Flags().BoolVar(&withoutNotebook, "no-notebook", false, "leave the notebook out")
	return cmd
}

func (a *app) demo(ctx context.Context, out string, withoutNotebook bool) error {
	outputs := servingOutputs{report: filepath.Join(out, "report.html"), parquet: out}
	if err := arrowio.PrepareDir(out); err != nil {
		return err
	}
	if err := outputs.prepare(); err != nil {
		return err
	}
	run, err := a.demoRun(ctx)
	if err != nil {
		return err
	}
	if err := outputs.write(run, nil, func() (report.Meta, error) {
		meta := report.Meta{Command: "demo", CommandLine: "inferlab demo"}
		var err error
		meta.Result, meta.OutputFingerprint, err = report.Embeddable(func(w *jsondoc.Writer) { result.Serving(w, run, result.Full) })
		return meta, err
	}); err != nil {
		return err
	}
	var notebook string
	if !withoutNotebook {
		if notebook, err = a.demoNotebook(ctx, out); err != nil {
			return err
		}
	}
	return a.demoFindings(run, out, notebook)
}

func (a *app) demoRun(ctx context.Context) (*serving.Run, error) {
	requests, err := requesttrace.Read(bytes.NewReader(demoRequests), "the bundled trace", requesttrace.Options{Format: requesttrace.CSV})
	if err != nil {
		return nil, err
	}
	machine, err := simcore.Scenario(demoTarget)
	if err != nil {
		return nil, err
	}
	bar := newProgress(a.stderr, "serving")
	defer bar.end()
	return simcore.Serve(machine, simcore.Serving{
		MaxBatchSize: demoBatchSize, MaxBatchTokens: demoBatchTokens, PrefillChunkTokens: demoChunkTokens,
		MaxKVTokens: demoKVTokens, Requests: requests.Requests,
	}, simcore.ServingOptions{
		Progress:    func(done, total, _ int64) { bar.at(done, total) },
		Interrupted: func() bool { return ctx.Err() != nil },
	})
}

// demoNotebook executes the quickstart beside the results. Outside a checkout there
// is nothing that cells could import, and the result says so.
func (a *app) demoNotebook(ctx context.Context, out string) (string, error) {
	path := filepath.Join(out, notebooks.QuickstartName)
	wd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	root, err := notebookrun.FindModuleRoot(wd)
	if err != nil {
		return "not executed: run the demonstration inside a checkout, from which cells import", nil
	}
	nb, err := notebookrun.Parse(notebooks.Quickstart)
	if err != nil {
		return "", err
	}
	failed := a.executeNotebook(ctx, nb, notebookrun.Options{Dir: out, ModuleRoot: root, CellTimeout: 5 * time.Minute})
	return path, errors.Join(failed, nb.WriteFile(path))
}

// demoFindings says in plain words what the run shows and where to look.
func (a *app) demoFindings(run *serving.Run, out, notebook string) error {
	m, t := &run.Metrics, &run.Topology
	slowest := float64(m.P95TimeToFirstTokenNs) / float64(max(m.P50TimeToFirstTokenNs, 1))
	busiest := t.ResourceUtilization[0]
	text := fmt.Sprintf(`%d requests with bursts and a long tail, served on %s (four GPUs in a ring).

What was found (modeled time, confidence %s; the replay verified all %d events):
  · The server produced %.0f tokens/s over %s; the busiest resource, %s, was in use %s of the time.
  · Half of the requests had their first token within %s, but one in twenty waited longer than %s: %.1f times the median.
  · Between tokens, half of the gaps were at most %s and 95 %% at most %s.
  · KV peaked at %s of %s tokens (%s); the admission guard never let the pool deadlock.
  · Only %d distinct batches had to be compiled; %d others reused their plans.

Where to look:
  %s   the page: open it in a browser
  %s   the tables: pandas.read_parquet("%s")
`,
		m.Requests, run.Scenario.ID(), run.Confidence, run.Replay.AppliedEvents,
		m.ThroughputTokensPerSecond, duration(float64(m.TotalDurationNs)), busiest.ResourceID, percent(busiest.Utilization),
		duration(float64(m.P50TimeToFirstTokenNs)), duration(float64(m.P95TimeToFirstTokenNs)), slowest,
		duration(float64(m.P50InterTokenLatencyNs)), duration(float64(m.P95InterTokenLatencyNs)),
		count(m.KVHighWaterTokens), count(run.Config.MaxKVTokens), percent(float64(m.KVHighWaterTokens)/float64(run.Config.MaxKVTokens)),
		t.CompiledTopologyTemplates, t.ReusedTopologyBatches,
		filepath.Join(out, "report.html"), filepath.Join(out, "*.parquet"), filepath.ToSlash(filepath.Join(out, "requests.parquet")))
	if notebook != "" {
		text += fmt.Sprintf("  %s   the notebook, executed\n", notebook)
	}
	_, err := fmt.Fprint(a.stdout, strings.TrimLeft(text, "\n"))
	return printed(err)
}
