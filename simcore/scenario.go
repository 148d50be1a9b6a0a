package simcore

import (
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/topology"
)

// Scenario returns a built-in machine: a preset such as "multi-gpu" or a ring
// such as "multi-gpu-ring-8". An unknown name is refused with the nearest known
// ones.
func Scenario(name string) (*topology.Scenario, error) {
	return topology.Target(name, func(path string) ([]byte, error) {
		return nil, issue.New("no_files", "", "%q names a file; read it and call ParseScenario", path)
	})
}

// ParseScenario reads a machine from the bytes of a YAML or JSON file; a name
// that ends in .json means JSON.
func ParseScenario(data []byte, name string) (*topology.Scenario, error) {
	doc, err := document.Parse(data, name)
	if err != nil {
		return nil, err
	}
	return topology.ReadScenario(doc)
}

// Families returns the six topology families that comparisons run on, in their
// fixed order.
func Families() ([]*topology.Scenario, error) {
	scenarios := make([]*topology.Scenario, len(run.Families))
	for i, name := range run.Families {
		s, err := Scenario(name)
		if err != nil {
			return nil, err
		}
		scenarios[i] = s
	}
	return scenarios, nil
}
