package compiler_test

import (
	"strings"
	"testing"

	"github.com/inferlab/inferlab/simcore/compiler"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/topology"
)

func TestModelCapacity(t *testing.T) {
	s := preset(t, "single-gpu-cpu")
	var vram *topology.MemoryDomain
	for i := range s.Spec().MemoryDomains {
		if d := &s.Spec().MemoryDomains[i]; d.Kind == topology.DeviceMemory {
			vram = d
		}
	}
	var others int64
	for _, p := range s.Spec().Placements {
		for _, a := range p.Allocations {
			if a.DomainID == vram.ID && a.Purpose != topology.Weights {
				others += a.Bytes
			}
		}
	}
	fits := vram.ResourceLimitBytes - others
	if err := compiler.CheckModelCapacity(s, []compiler.DomainWeights{{DomainID: vram.ID, Bytes: fits}}); err != nil {
		t.Errorf("exactly the rest of the domain: %v", err)
	}
	err := compiler.CheckModelCapacity(s, []compiler.DomainWeights{{DomainID: vram.ID, Bytes: fits + 1}, {DomainID: "nowhere", Bytes: 1}, {DomainID: vram.ID, Bytes: -1}})
	var codes []string
	for _, i := range issue.All(err) {
		codes = append(codes, i.Code)
	}
	if strings.Join(codes, " ") != "model_capacity unknown_domain weight_bytes" || !strings.Contains(err.Error(), vram.ID) {
		t.Errorf("%v", err)
	}
}
