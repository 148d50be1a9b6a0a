package main

import (
	"fmt"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore/campaign"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/executor"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/plan"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/spf13/cobra"
)

// campaignHead is the head of a campaign's document.
func (w *work) campaignHead(command string, revisions ...jsondoc.Revision) jsondoc.Head {
	return jsondoc.Head{
		Command:             command,
		ContractRevisions:   append(run.Revisions(), revisions...),
		ScenarioFingerprint: w.scenario.Fingerprint(),
		Confidence:          w.confidence(),
	}
}

// confidence is the label of the timing of a compiled plan.
func (w *work) confidence() evidence.Class { return run.Confidence(w.scenario, w.model, false) }

var (
	concurrentRevision = jsondoc.Revision{Name: "concurrentTrace", Revision: trace.ConcurrentRevision}
	recoveryRevision   = jsondoc.Revision{Name: "nodeRecovery", Revision: trace.RecoveryRevision}
)

func (a *app) faultCampaignCommand() *cobra.Command {
	var out planOutputs
	cmd := &cobra.Command{
		Use:   "fault-campaign TARGET WORKLOAD [CALIBRATION]",
		Short: "Let every node, device and link that a plan uses fail once",
		Long: `Executes a plan without a fault, then once for every node, device and link that it
uses and for a change of the topology epoch, each fault in the middle of the first
operation that occupies the item. Every trace is replayed independently.`,
		Example: `  inferlab fault-campaign multi-gpu workload.yaml
  inferlab fault-campaign multi-node workload.yaml --format table
  inferlab fault-campaign multi-node workload.yaml --report faults.html --parquet faults/`,
		Args: positional("TARGET", "WORKLOAD", "[CALIBRATION]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := a.work(args)
			if err != nil {
				return err
			}
			p, err := w.plan()
			if err != nil {
				return err
			}
			faults, err := runFaults(w, p, out.trace)
			if err != nil {
				return err
			}
			faults.Confidence = w.confidence()
			document := func(d *jsondoc.Writer) { faults.WriteDocument(d, w.campaignHead("fault-campaign")) }
			return out.leave(servingEvidence{
				tables: func(opt arrowio.Options) []*arrowio.Table { return arrowio.FaultCampaign(faults, opt).All() },
				page:   func(about report.Meta) ([]byte, error) { return report.FaultCampaign(faults, about) },
				meta:   func() (report.Meta, error) { return planMeta(cmd, args, 1, document) },
				print:  a.printing(document, func() []sheet { return []sheet{faultSheet(w.scenario, faults)} }),
			})
		},
	}
	a.formatFlag(cmd)
	out.on(cmd)
	return cmd
}

func faultSheet(s *topology.Scenario, f *campaign.Faults) sheet {
	out := sheet{
		title:   fmt.Sprintf("%d faults on %s; without one the plan completes at %s (modeled)", len(f.Cases), s.ID(), duration(float64(f.Baseline.CompletedAtNs))),
		columns: []string{"fault", ">at", "outcome", ">quiesced", ">submitted", ">unsubmitted", ">replayed events"},
	}
	for _, c := range f.Cases {
		out.rows = append(out.rows, []string{c.ID, duration(float64(c.Fault.AtNs)), string(c.Status), duration(float64(c.CompletedAtNs)),
			count(c.SubmittedSteps), count(int64(len(c.UnsubmittedStepIDs))), count(c.AppliedEvents)})
	}
	return out
}

func (a *app) concurrentCampaignCommand() *cobra.Command {
	var out planOutputs
	cmd := &cobra.Command{
		Use:   "concurrent-campaign TARGET WORKLOAD [CALIBRATION]",
		Short: "Run many executions of one plan at once, with seeded arrivals",
		Long: `Clones one plan's execution envelope as often as the block concurrent_campaign says,
draws arrivals from its seed, and runs all of them on the machine's shared lanes,
communicators and allocation leases. Allocations are shared, not copied: this is a
stress test of the protocol, not a model of request throughput.`,
		Example: `  inferlab concurrent-campaign multi-gpu workload.yaml
  inferlab concurrent-campaign multi-gpu workload.yaml --format table
  inferlab concurrent-campaign multi-gpu workload.yaml --report campaign.html`,
		Args: positional("TARGET", "WORKLOAD", "[CALIBRATION]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, p, options, err := a.campaign(args)
			if err != nil {
				return err
			}
			c, err := campaign.RunConcurrent(w.scenario, p, options)
			if err != nil {
				return err
			}
			c.Confidence = w.confidence()
			document := func(d *jsondoc.Writer) {
				c.WriteDocument(d, w.campaignHead("concurrent-campaign", concurrentRevision))
			}
			return out.leave(servingEvidence{
				trace: func(d *jsondoc.Writer) {
					trace.WriteConcurrentDocument(d, c.Scenario, c.Requests, nil, &c.Run.Trace)
				},
				tables: func(opt arrowio.Options) []*arrowio.Table { return arrowio.ConcurrentCampaign(c, opt).All() },
				page:   func(about report.Meta) ([]byte, error) { return report.ConcurrentCampaign(c, about) },
				meta:   func() (report.Meta, error) { return planMeta(cmd, args, 1, document) },
				print:  a.printing(document, func() []sheet { return campaignSheets(c) }),
			})
		},
	}
	a.formatFlag(cmd)
	out.on(cmd)
	return cmd
}

// campaign resolves the arguments of a seeded campaign and its options.
func (a *app) campaign(args []string) (*work, *plan.Plan, executor.CampaignOptions, error) {
	var options executor.CampaignOptions
	w, err := a.work(args)
	if err != nil {
		return nil, nil, options, err
	}
	if err := w.file.block(func(root document.Node) {
		options = campaign.ReadOptions(root, w.scenario.Spec().Execution.Seed)
	}); err != nil {
		return nil, nil, options, err
	}
	p, err := w.plan()
	return w, p, options, err
}

func (a *app) concurrentNodeFailureCommand() *cobra.Command {
	var out planOutputs
	cmd := &cobra.Command{
		Use:   "concurrent-node-failure TARGET WORKLOAD [CALIBRATION]",
		Short: "Let a node fail under many concurrent executions",
		Long: `Runs the campaign of concurrent-campaign and lets the node of the block node_failure
fail: work on the failed node stops at the fault, work confined to surviving nodes
drains, and the epoch closes at the abort deadline at the latest.`,
		Example: `  inferlab concurrent-node-failure multi-node workload.yaml
  inferlab concurrent-node-failure multi-node workload.yaml --format table
  inferlab concurrent-node-failure multi-node workload.yaml --report failure.html`,
		Args: positional("TARGET", "WORKLOAD", "[CALIBRATION]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, p, options, err := a.campaign(args)
			if err != nil {
				return err
			}
			var fault trace.Fault
			if err := w.file.block(func(root document.Node) { fault = campaign.ReadNodeFailure(root) }); err != nil {
				return err
			}
			n, err := campaign.RunNodeFailure(w.scenario, p, options, fault)
			if err != nil {
				return err
			}
			n.Confidence = w.confidence()
			document := func(d *jsondoc.Writer) {
				n.WriteDocument(d, w.campaignHead("concurrent-node-failure", concurrentRevision))
			}
			return out.leave(servingEvidence{
				trace: func(d *jsondoc.Writer) {
					trace.WriteConcurrentDocument(d, n.Scenario, n.Requests, &n.Fault, &n.Run.Trace)
				},
				tables: func(opt arrowio.Options) []*arrowio.Table { return arrowio.NodeFailure(n, opt).All() },
				page:   func(about report.Meta) ([]byte, error) { return report.NodeFailure(n, about) },
				meta:   func() (report.Meta, error) { return planMeta(cmd, args, 1, document) },
				print:  a.printing(document, func() []sheet { return nodeFailureSheets(n) }),
			})
		},
	}
	a.formatFlag(cmd)
	out.on(cmd)
	return cmd
}

func (a *app) nodeFailoverCommand() *cobra.Command {
	var out planOutputs
	cmd := &cobra.Command{
		Use:   "node-failover FAILED-TARGET RECOVERY-TARGET WORKLOAD [CALIBRATION]",
		Short: "Fail a node, quiesce, and recover on a replanned machine",
		Long: `Runs a workload on the first machine, lets the node of the block node_failover fail,
waits for the old epoch to quiesce, and runs the workload, compiled anew, on the
second machine in the next topology epoch. The old plan is never edited or resumed.`,
		Example: `  inferlab node-failover multi-node single-gpu-cpu workload.yaml
  inferlab node-failover multi-node single-gpu-cpu workload.yaml --format table
  inferlab node-failover multi-node single-gpu-cpu workload.yaml --report failover.html`,
		Args: positional("FAILED-TARGET", "RECOVERY-TARGET", "WORKLOAD", "[CALIBRATION]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, request, err := a.failover(args)
			if err != nil {
				return err
			}
			f, err := campaign.RunFailover(request)
			if err != nil {
				return err
			}
			f.Confidence = evidence.Weakest(w.confidence(), run.Confidence(request.RecoveryScenario, w.model, false))
			head := w.campaignHead("node-failover", recoveryRevision)
			head.Confidence = f.Confidence
			document := func(d *jsondoc.Writer) { f.WriteDocument(d, head) }
			return out.leave(servingEvidence{
				trace:  func(d *jsondoc.Writer) { trace.WriteFailoverDocument(d, &f.Request, &f.Run.Trace) },
				tables: func(opt arrowio.Options) []*arrowio.Table { return arrowio.Failover(f, opt).All() },
				page:   func(about report.Meta) ([]byte, error) { return report.Failover(f, about) },
				meta:   func() (report.Meta, error) { return planMeta(cmd, args, 2, document) },
				print:  a.printing(document, func() []sheet { return failoverSheets(f) }),
			})
		},
	}
	a.formatFlag(cmd)
	out.on(cmd)
	return cmd
}

// failover compiles both plans of a failover.
func (a *app) failover(args []string) (*work, trace.FailoverRequest, error) {
	var q trace.FailoverRequest
	w, err := a.work(append([]string{args[0]}, args[2:]...))
	if err != nil {
		return nil, q, err
	}
	recovery, err := target(args[1])
	if err != nil {
		return nil, q, err
	}
	if err := w.file.block(func(root document.Node) { q = campaign.ReadFailover(root) }); err != nil {
		return nil, q, err
	}
	q.FailedScenario = w.scenario
	if q.FailedPlan, err = w.plan(); err != nil {
		return nil, q, err
	}
	if q.RecoveryScenario, err = campaign.NextEpoch(w.scenario, recovery); err != nil {
		return nil, q, err
	}
	q.RecoveryPlan, err = w.file.plan(q.RecoveryScenario, w.model)
	return w, q, err
}
