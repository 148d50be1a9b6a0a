package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/internal/experiment"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/speculative"
	"github.com/spf13/cobra"
)

func (a *app) speculativeCommand() *cobra.Command {
	var out servingOutputs
	cmd := &cobra.Command{
		Use:   "speculative CONFIG",
		Short: "Run speculative decoding as a protocol, without a machine",
		Long: `Runs a speculative workload: proposals, verification, acceptance, the checkpoint
transaction over all state groups, and optionally paged KV. Every iteration is
derived again by an independent replay. Accepted lengths come from a replay list,
or are drawn from a conditional distribution by position.

--trace leaves the record of every iteration with the configuration it follows from;
inferlab export replays it before it makes tables of it.`,
		Example: `  inferlab speculative speculative.yaml
  inferlab speculative speculative.yaml --format table
  inferlab speculative speculative.yaml --parquet out/ --report out.html`,
		Args: leading("CONFIG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := a.asked(cmd, args, experiment.ConfigFile)
			if err != nil {
				return err
			}
			return a.draft(&out, q, experiment.Speculative)
		},
	}
	out.tableFlags(cmd, "iterations and acceptance by position")
	out.traceFlag(cmd)
	a.formatFlag(cmd)
	return cmd
}

func (a *app) speculativeTraceCommand() *cobra.Command {
	var out servingOutputs
	cmd := &cobra.Command{
		Use:   "speculative-trace TRACE [TARGET] [CALIBRATION]",
		Short: "Check a token trace against the target-only output",
		Long: `Derives every iteration of a token trace from its token values, replays the derived
widths and accepted counts through the checkpoint transaction, and compares the
committed stream with the target-only output. With TARGET the iterations also run
on a machine.

--trace leaves the derived iterations with the token values they follow from and, with
TARGET, the trace of the plan that carried them out.

Exit status: 0 the streams are equal; 2 they differ; 1 the trace is malformed.`,
		Example: `  inferlab speculative-trace trace.yaml
  inferlab speculative-trace trace.yaml multi-gpu`,
		Args: leading("TRACE", "[TARGET]", "[CALIBRATION]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := a.asked(cmd, args, experiment.TokenTraceFile, targetArgument, experiment.CalibrationFile)
			if err != nil {
				return err
			}
			return a.draft(&out, q, experiment.TokenTrace)
		},
	}
	out.tableFlags(cmd, "iterations and acceptance by position")
	out.traceFlag(cmd)
	a.formatFlag(cmd)
	return cmd
}

func (a *app) speculativeCaptureCommand() *cobra.Command {
	var out servingOutputs
	cmd := &cobra.Command{
		Use:   "speculative-capture TARGET_ONLY SPECULATIVE [TARGET] [CALIBRATION]",
		Short: "Bind two runtime captures and compare their outputs",
		Long: `Binds a target-only and a speculative capture of one configuration, derives every
commit of the speculative run, and compares it with what the runtime claims and
with the target-only output. With TARGET the iterations also run on a machine.

--trace leaves the derived iterations with the token values they follow from and, with
TARGET, the trace of the plan that carried them out.

Exit status: 0 the outputs are equal; 2 they differ; 1 a capture is malformed or
contradicts itself.`,
		Example: `  inferlab speculative-capture target.yaml speculative.yaml`,
		Args:    leading("TARGET_ONLY", "SPECULATIVE", "[TARGET]", "[CALIBRATION]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := a.asked(cmd, args, experiment.TargetOnlyFile, experiment.SpeculativeFile, targetArgument, experiment.CalibrationFile)
			if err != nil {
				return err
			}
			return a.draft(&out, q, experiment.Capture)
		},
	}
	out.tableFlags(cmd, "iterations and acceptance by position")
	out.traceFlag(cmd)
	a.formatFlag(cmd)
	return cmd
}

// draft makes the result of a speculative workload and leaves its outputs. Tokens that
// differ from the target-only run are a negative answer.
func (a *app) draft(out *servingOutputs, q *asked, command func(*experiment.Inputs) (*experiment.Drafted, *experiment.Made, error)) error {
	if err := errors.Join(checkTraceFile(out.trace), out.prepare()); err != nil {
		return fmt.Errorf("%s: %w", q.cmd.Name(), err)
	}
	d, made, err := command(q.Inputs)
	if err != nil {
		return err
	}
	err = a.leave(out, q, made, func() []sheet { return draftedSheets(d) }, servingEvidence{
		trace: d.WriteTrace,
		tables: func(opt arrowio.Options) []*arrowio.Table {
			if e := d.Execution; e != nil { // iterations have times
				return arrowio.SpeculativeOn(d.Workload, e.Run, e.Speculation, opt).All()
			}
			return arrowio.Speculative(d.Workload, opt).All()
		},
	})
	if err == nil && d.Tokens != nil && !d.Tokens.Differential.MatchesTargetOnly() {
		return errNegative
	}
	return err
}

func draftedSheets(d *experiment.Drafted) []sheet {
	sheets := speculativeSheets(d.Workload)
	if d.Tokens != nil {
		sheets = append([]sheet{paritySheet(d.Tokens)}, sheets...)
	}
	if d.Execution != nil {
		sheets = append(sheets, speculationSheet(d.Execution.Speculation))
	}
	return sheets
}

func paritySheet(t *speculative.TokenRun) sheet {
	verdict := "equal"
	if m := t.Differential.Mismatch; m != nil {
		verdict = fmt.Sprintf("first difference at output %d: expected %d, found %d", m.OutputIndex, m.Expected, m.Actual)
	}
	p := &t.Trace.Provenance
	return sheet{
		title:   fmt.Sprintf("trace %s: %s against target-only", t.Trace.ID, t.Trace.Family),
		columns: []string{"evidence", "value"},
		rows: [][]string{
			{"compared tokens", count(t.Differential.ComparedTokens)}, {"outputs", verdict},
			{"target-only run", p.TargetOnlyRunID}, {"speculative run", p.SpeculativeRunID}, {"runtime", p.RuntimeRevision},
		},
	}
}

func speculativeSheets(s *speculative.Run) []sheet {
	m := &s.Trace.Metrics
	ratio := func(part, whole int64) string {
		return fmt.Sprintf("%s of %s", count(part), count(whole))
	}
	figures := sheet{
		title: fmt.Sprintf("%s (%s), width %d: %s, replay verified", s.Trace.Family, s.Contract.Support,
			s.Config.MaxAdditionalTokens, counted(m.Iterations, "iteration")),
		columns: []string{"figure", ">value"},
		rows: [][]string{
			{"committed tokens", count(m.CommittedTokens)},
			{"committed tokens per target forward", strconv.FormatFloat(m.CommittedTokensPerTargetForward, 'f', 3, 64)},
			{"accepted additional tokens", ratio(m.AcceptedAdditionalTokens, m.ProposedAdditionalTokens)},
			{"rejected draft tokens", count(m.RejectedDraftTokens)},
			{"corrections, bonuses", count(m.CorrectionTokens) + ", " + count(m.BonusTokens)},
			{"accepted tails, target-only steps", count(m.AcceptedTailIterations) + ", " + count(m.TargetOnlyTokens)},
			{"KV high water, target and proposer", count(m.TargetKVHighWaterTokens) + ", " + count(m.ProposerKVHighWaterTokens) + " tokens"},
		},
	}
	if s.Trace.PagedKV != nil {
		figures.rows = append(figures.rows, []string{"paged KV high water, final", binary(m.KVHighWaterReservedBytes) + ", " + binary(m.KVFinalReservedBytes)})
	}
	positions := sheet{columns: []string{">draft position", ">accepted", ">of trials", ">conditional acceptance", ">95 % interval"}}
	for i, p := range speculative.Positions(s.Trace.Iterations) {
		shown, interval := "no trial", ""
		if v, any := p.Conditional(); any {
			low, high := p.Interval()
			shown, interval = percent(v), percent(low)+" to "+percent(high)
		}
		positions.rows = append(positions.rows, []string{strconv.Itoa(i + 1), count(p.Accepted), count(p.Trials), shown, interval})
	}
	if len(positions.rows) == 0 {
		return []sheet{figures}
	}
	return []sheet{figures, positions}
}

func speculationSheet(s *run.Speculation) sheet {
	return sheet{
		title:   "speculation, timing " + string(s.Confidence),
		columns: []string{"modeled figure", ">value"},
		rows: [][]string{
			{"proposer", duration(float64(s.ProposerNs))},
			{"verification", duration(float64(s.VerificationNs))},
			{"rollback (reported, not scheduled)", duration(float64(s.RollbackNs))},
			{"rejected proposer work", duration(float64(s.RejectedProposerNs))},
			{"rejected target work", duration(float64(s.RejectedComputeNs + s.RejectedCommunicationNs))},
			{"target-only duration", duration(float64(s.TargetOnlyDurationNs))},
			{"speedup versus target-only", strconv.FormatFloat(s.SpeedupVersusTargetOnly, 'f', 2, 64) + " ×"},
		},
	}
}
