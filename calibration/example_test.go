package calibration_test

import (
	"fmt"

	"github.com/inferlab/inferlab/calibration"
	"github.com/inferlab/inferlab/calibration/internal/synthetic"
	"github.com/inferlab/inferlab/simcore/run"
	"github.com/inferlab/inferlab/simcore/topology"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Fit a dataset, look at one group, and price a run with the model.
func ExampleFit() {
	r, err := calibration.Fit(synthetic.Measure(1, 0, 3, 1, 6, 40))
	if err != nil {
		fmt.Println(err)
		return
	}
	g := &r.Groups[6]
	fmt.Printf("%s: %d ns a work item, %d to %d work items\n", g.Name(), g.CoefficientNs, g.MinWorkItems, g.MaxWorkItems)

	s, _ := topology.Preset("multi-gpu")
	p, _ := workload.TargetOnly(2)
	done, err := run.Execute(s, p, r.Model)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(done.Metrics.TotalDurationNs, "ns,", done.Confidence)
	// Output:
	// gpu attention: 27100 ns a work item, 1 to 40 work items
	// 539550 ns, heuristic
}
