package main

import "github.com/spf13/cobra"

// commands lists every command in the order of the help text.
func (a *app) commands() []*cobra.Command {
	return []*cobra.Command{
		a.demoCommand(),
		a.presetsCommand(),
		a.scenarioCommand(),
		a.validateCommand(),
		a.topologyCommand(),
		a.servingCommand(),
		a.servingCompareCommand(),
		a.reportCommand(),
		a.runCommand(),
		a.compareCommand(),
		a.calibrateCommand(),
		a.planExportCommand(),
		a.planRunCommand(),
		a.speculativeCommand(),
		a.speculativeTraceCommand(),
		a.speculativeCaptureCommand(),
		a.expertCacheCommand(),
		a.faultCampaignCommand(),
		a.concurrentCampaignCommand(),
		a.concurrentNodeFailureCommand(),
		a.nodeFailoverCommand(),
		a.exportCommand(),
		a.tablesCommand(),
		a.notebookCommand(),
		a.kernelCommand(),
		a.labCommand(),
		a.versionCommand(),
	}
}
