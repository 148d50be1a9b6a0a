package main

import (
	"fmt"

	"github.com/inferlab/inferlab/arrowio"
	"github.com/inferlab/inferlab/internal/experiment"
	"github.com/inferlab/inferlab/simcore/campaign"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/spf13/cobra"
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
			q, err := a.asked(cmd, args, targetArgument, experiment.WorkloadFile, experiment.CalibrationFile)
			if err != nil {
				return err
			}
			faults, made, err := watchFaults(q.Inputs, out.trace)
			if err != nil {
				return err
			}
			return a.leave(&out.servingOutputs, q, made, func() []sheet { return []sheet{faultSheet(q.Scenario, faults)} }, servingEvidence{
				tables: func(opt arrowio.Options) []*arrowio.Table { return arrowio.FaultCampaign(faults, opt).All() },
			})
		},
	}
	a.formatFlag(cmd)
	out.on(cmd)
	return cmd
}

func faultSheet(s *topology.Scenario, f *campaign.Faults) sheet {
	out := sheet{
		title:   fmt.Sprintf("%s on %s; without one the plan completes at %s (modeled)", counted(int64(len(f.Cases)), "fault"), s.ID(), duration(float64(f.Baseline.CompletedAtNs))),
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
stress test of the protocol, not a model of request throughput.

The block stands beside the workload in its file; without it, 32 executions run:
  concurrent_campaign: {execution_count: 8, arrival_window_ns: 500000, seed: 7}`,
		Example: `  inferlab concurrent-campaign multi-gpu workload.yaml
  inferlab concurrent-campaign multi-gpu workload.yaml --format table
  inferlab concurrent-campaign multi-gpu workload.yaml --report campaign.html`,
		Args: positional("TARGET", "WORKLOAD", "[CALIBRATION]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := a.asked(cmd, args, targetArgument, experiment.WorkloadFile, experiment.CalibrationFile)
			if err != nil {
				return err
			}
			c, made, err := experiment.ConcurrentCampaign(q.Inputs)
			if err != nil {
				return err
			}
			return a.leave(&out.servingOutputs, q, made, func() []sheet { return campaignSheets(c) }, servingEvidence{
				trace: func(d *jsondoc.Writer) {
					trace.WriteConcurrentDocument(d, c.Scenario, c.Requests, nil, &c.Run.Trace)
				},
				tables: func(opt arrowio.Options) []*arrowio.Table { return arrowio.ConcurrentCampaign(c, opt).All() },
			})
		},
	}
	a.formatFlag(cmd)
	out.on(cmd)
	return cmd
}

func (a *app) concurrentNodeFailureCommand() *cobra.Command {
	var out planOutputs
	cmd := &cobra.Command{
		Use:   "concurrent-node-failure TARGET WORKLOAD [CALIBRATION]",
		Short: "Let a node fail under many concurrent executions",
		Long: `Runs the campaign of concurrent-campaign and lets the node of the block node_failure
fail: work on the failed node stops at the fault, work confined to surviving nodes
drains, and the epoch closes at the abort deadline at the latest.

The block stands beside the workload in its file; every execution must have arrived
before at_ns, and the abort deadline is quiesce_timeout_ns after it:
  node_failure: {node_id: node1, at_ns: 1500000, quiesce_timeout_ns: 100000}`,
		Example: `  inferlab concurrent-node-failure multi-node workload.yaml
  inferlab concurrent-node-failure multi-node workload.yaml --format table
  inferlab concurrent-node-failure multi-node workload.yaml --report failure.html`,
		Args: positional("TARGET", "WORKLOAD", "[CALIBRATION]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := a.asked(cmd, args, targetArgument, experiment.WorkloadFile, experiment.CalibrationFile)
			if err != nil {
				return err
			}
			n, made, err := experiment.NodeFailure(q.Inputs)
			if err != nil {
				return err
			}
			return a.leave(&out.servingOutputs, q, made, func() []sheet { return nodeFailureSheets(n) }, servingEvidence{
				trace: func(d *jsondoc.Writer) {
					trace.WriteConcurrentDocument(d, n.Scenario, n.Requests, &n.Fault, &n.Run.Trace)
				},
				tables: func(opt arrowio.Options) []*arrowio.Table { return arrowio.NodeFailure(n, opt).All() },
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
second machine in the next topology epoch. The old plan is never edited or resumed.

The block stands beside the workload in its file:
  node_failover: {failed_node_id: node1, fault_at_ns: 300000}`,
		Example: `  inferlab node-failover multi-node single-gpu-cpu workload.yaml
  inferlab node-failover multi-node single-gpu-cpu workload.yaml --format table
  inferlab node-failover multi-node single-gpu-cpu workload.yaml --report failover.html`,
		Args: positional("FAILED-TARGET", "RECOVERY-TARGET", "WORKLOAD", "[CALIBRATION]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := a.asked(cmd, args, targetArgument, recoveryArgument, experiment.WorkloadFile, experiment.CalibrationFile)
			if err != nil {
				return err
			}
			f, made, err := experiment.Failover(q.Inputs)
			if err != nil {
				return err
			}
			return a.leave(&out.servingOutputs, q, made, func() []sheet { return failoverSheets(f) }, servingEvidence{
				trace:  func(d *jsondoc.Writer) { trace.WriteFailoverDocument(d, &f.Request, &f.Run.Trace) },
				tables: func(opt arrowio.Options) []*arrowio.Table { return arrowio.Failover(f, opt).All() },
			})
		},
	}
	a.formatFlag(cmd)
	out.on(cmd)
	return cmd
}
