package compiler_test

import (
	"fmt"

	"github.com/inferlab/inferlab/simcore/compiler"
	"github.com/inferlab/inferlab/simcore/cost"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// One token on two tensor-parallel GPUs: attention and ffn on each, then a ring.
func ExampleCompile() {
	s, _ := topology.Preset("multi-gpu")
	p, _ := workload.TargetOnly(1)
	compiled, err := compiler.Compile(s, p, cost.Default())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, step := range compiled.Plan.Steps {
		op := &step.Operation
		fmt.Println(step.ID, op.Kind, op.DeviceID, op.Capability, op.DurationNs, "ns, after", step.Dependencies)
	}
	// Output:
	// 0 compute node0:gpu0 attention 134000 ns, after []
	// 1 compute node0:gpu0 ffn 139000 ns, after [0]
	// 2 compute node0:gpu1 attention 134000 ns, after []
	// 3 compute node0:gpu1 ffn 139000 ns, after [2]
	// 4 collective   1874 ns, after [1 3]
}
