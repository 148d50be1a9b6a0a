package main

import (
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/spf13/cobra"
)

func (a *app) topologyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "topology TARGET",
		Short: "Print the topology projection of one machine",
		Long: `Prints the projection that every drawing of a machine is made from: systems, devices,
memory domains and network resources as nodes; visibility and directed links as
edges. Coordinates and colours are no part of it.`,
		Example: `  inferlab topology multi-node`,
		Args:    leading("TARGET"),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := target(args[0])
			if err != nil {
				return err
			}
			return a.emit(func(w *jsondoc.Writer) {
				w.Object()
				w.Head(jsondoc.Head{
					Command:             "topology",
					ContractRevisions:   []jsondoc.Revision{{Name: "scenario", Revision: topology.SchemaVersion}},
					ScenarioFingerprint: s.Fingerprint(),
					Confidence:          evidence.Exact,
				})
				for _, m := range s.Projection().Object() {
					w.Key(m.Key).Value(m.Value)
				}
				w.End()
			})
		},
	}
}
