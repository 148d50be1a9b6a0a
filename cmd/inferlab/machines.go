package main

import (
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/evidence"
	"github.com/inferlab/inferlab/simcore/hardware"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/model"
	"github.com/inferlab/inferlab/simcore/model/library"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/spf13/cobra"
)

func (a *app) presetsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "presets",
		Short: "List the built-in machines, devices and models",
		Example: `  inferlab presets
  inferlab presets --format table`,
		Args: leading(),
		RunE: func(*cobra.Command, []string) error {
			if a.format == "table" {
				return a.show(presetSheets()...)
			}
			return a.emit(writePresets)
		},
	}
	a.formatFlag(cmd)
	return cmd
}

const (
	parameterizedScenario = "multi-gpu-ring-<2..64>"
	customScenario        = "<scenario.yaml|json>"
)

func writePresets(w *jsondoc.Writer) {
	w.Object()
	w.Head(jsondoc.Head{
		Command:           "presets",
		ContractRevisions: []jsondoc.Revision{{Name: "scenario", Revision: topology.SchemaVersion}, {Name: "computeRegistry", Revision: hardware.RegistryRevision}},
		Confidence:        evidence.Exact,
	})
	w.Key("scenarios").Texts(topology.PresetNames())
	w.Key("parameterizedScenario").Text(parameterizedScenario)
	w.Key("customScenario").Text(customScenario)
	w.Key("hardware").Object()
	w.Key("gpus").Texts(hardware.DeviceNames())
	w.Key("topologies").Texts(hardware.TopologyNames())
	w.End()
	w.Key("models").Texts(model.PresetNames())
	w.Key("modelLibrary").Texts(library.Names())
	w.End()
}

func presetSheets() []sheet {
	machines := sheet{columns: []string{"machine", "family", ">systems", ">devices", ">memory domains", ">links"}}
	for _, name := range topology.TargetNames() {
		s, err := topology.Preset(name)
		if err != nil { // the list and the builders are of one package
			continue
		}
		spec := s.Spec()
		nodes := map[string]bool{}
		for i := range spec.Devices {
			nodes[spec.Devices[i].NodeID] = true
		}
		machines.rows = append(machines.rows, []string{name, string(spec.Family), count(int64(len(nodes))),
			count(int64(len(spec.Devices))), count(int64(len(spec.MemoryDomains))), count(int64(len(spec.Links)))})
	}
	machines.rows = append(machines.rows, []string{parameterizedScenario, "multi_gpu"}, []string{customScenario, "any"})
	static := sheet{columns: []string{"for static analysis", "names"}, rows: [][]string{
		{"devices", strings.Join(hardware.DeviceNames(), " ")},
		{"topologies", strings.Join(hardware.TopologyNames(), " ")},
		{"models", strings.Join(model.PresetNames(), " ")},
	}}
	return []sheet{machines, static, librarySheet()}
}

// librarySheet shows the model library in 16-bit weights and KV.
func librarySheet() sheet {
	out := sheet{columns: []string{"library model", "kind", ">layers", ">parameters", ">published", ">fp16 weights", ">fp16 KV per token"}}
	for _, name := range library.Names() {
		p, err := library.Model(name, "fp16", "fp16")
		if err != nil { // the list and the look-up are of one package
			continue
		}
		weights, _ := quantity.Round(p.WeightBytes()) // the library's tests hold every figure below 2^53
		kv, _ := quantity.Round(p.KVBytesPerToken())
		out.rows = append(out.rows, []string{name, string(p.Kind), count(int64(len(p.Layers))), billions(p.TotalParams), billions(p.PublishedParams), binary(weights), binary(kv)})
	}
	return out
}

// billions spells a parameter count as models are named, for people.
func billions(params int64) string {
	return strconv.FormatFloat(float64(params)/1e9, 'f', 2, 64) + " B"
}

func (a *app) scenarioCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scenario TARGET",
		Short: "Show one machine with its memory ledger",
		Long: `Shows one machine: the validated revision-5 scenario as it is, and the reservation
ledger of its memory domains. TARGET is a preset, multi-gpu-ring-N, or a file.
--format yaml prints the scenario alone, as a file to edit; --format dot its
drawing for Graphviz.`,
		Example: `  inferlab scenario multi-gpu-ring-8
  inferlab scenario multi-node --format yaml > my-lab.yaml
  inferlab scenario my-lab.yaml --format table`,
		Args: leading("TARGET"),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := target(args[0])
			if err != nil {
				return err
			}
			switch a.format {
			case "table":
				return a.show(scenarioSheets(s)...)
			case "yaml":
				_, err = a.stdout.Write(s.YAML())
				return printed(err)
			case "dot":
				_, err = a.stdout.Write(s.DOT())
				return printed(err)
			}
			return a.emit(func(w *jsondoc.Writer) { writeScenario(w, s) })
		},
	}
	a.formatFlag(cmd, "yaml", "dot")
	return cmd
}

func writeScenario(w *jsondoc.Writer, s *topology.Scenario) {
	w.Object()
	w.Head(jsondoc.Head{
		Command:             "scenario",
		ContractRevisions:   []jsondoc.Revision{{Name: "scenario", Revision: topology.SchemaVersion}},
		ScenarioFingerprint: s.Fingerprint(),
		Confidence:          evidence.Exact,
	})
	w.Key("schemaVersion").Int(topology.SchemaVersion)
	w.Key("scenario").Value(s.Document())
	w.Key("memoryLedger").Array()
	for _, entry := range s.Ledger() {
		w.Element().Value(entry.Object())
	}
	w.End()
	w.End()
}

func scenarioSheets(s *topology.Scenario) []sheet {
	var sheets []sheet
	for _, t := range s.Tables() {
		sheets = append(sheets, sheet{title: t.Title, columns: t.Columns, rows: t.Rows})
	}
	return sheets
}

func (a *app) validateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "validate FILE",
		Short: "Check a scenario file against every rule",
		Long: `Checks a scenario file: its structure, then every semantic rule, and says where each
violation is. Exit status 2 when the scenario is invalid, 1 when the file cannot
be read or is no YAML or JSON.`,
		Example: `  inferlab validate my-lab.yaml`,
		Args:    leading("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			doc, err := readDocument(args[0])
			if err != nil {
				return err
			}
			_, invalid := topology.ReadScenario(doc)
			if err := a.emit(func(w *jsondoc.Writer) { w.Value(verdict(invalid)) }); err != nil || invalid == nil {
				return err
			}
			return errNegative
		},
	}
	return cmd
}

// verdict is the document of the validate command: one issue carries the whole
// text of the first failure of structure, or of every failure of meaning.
func verdict(invalid error) canonical.Object {
	issues := []any{}
	if invalid != nil {
		issues = append(issues, canonical.Object{
			{Key: "code", Value: "scenario_boundary"}, {Key: "path", Value: "scenario"}, {Key: "message", Value: invalid.Error()},
		})
	}
	return canonical.Object{
		{Key: "kind", Value: jsondoc.ResultKind}, {Key: "command", Value: "validate"}, {Key: "revision", Value: jsondoc.ResultRevision},
		{Key: "contractRevisions", Value: canonical.Object{{Key: "scenario", Value: topology.SchemaVersion}}},
		{Key: "confidence", Value: string(evidence.Exact)},
		{Key: "valid", Value: invalid == nil}, {Key: "issues", Value: issues},
	}
}
