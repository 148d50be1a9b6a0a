package topology

import (
	"bytes"
	"fmt"
	"strings"
)

// DOT writes the projection in the language of Graphviz: a cluster per system,
// dashed lines for accesses, arrows for links with their effective rate.
func (s *Scenario) DOT() []byte {
	p := s.Projection()
	var b bytes.Buffer
	fmt.Fprintf(&b, "digraph %s {\n", dotText(p.ScenarioID))
	b.WriteString("  rankdir=LR;\n  node [fontname=\"Liberation Sans\", shape=box];\n  edge [fontname=\"Liberation Sans\", fontsize=10];\n")
	open := false
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.Category == SystemNode {
			if open {
				b.WriteString("  }\n")
			}
			fmt.Fprintf(&b, "  subgraph %s {\n    label=%s;\n", dotText("cluster_"+n.NodeID), dotText(n.Title))
			open = true
			continue
		}
		if n.ParentID == "" && open {
			b.WriteString("  }\n")
			open = false
		}
		fmt.Fprintf(&b, "    %s [label=%s%s];\n", dotText(n.ID), dotText(nodeLabel(n)), dotShape(n.Category))
	}
	if open {
		b.WriteString("  }\n")
	}
	for i := range p.Edges {
		writeDotEdge(&b, s, &p.Edges[i])
	}
	b.WriteString("}\n")
	return b.Bytes()
}

func nodeLabel(n *ProjectedNode) string {
	switch n.Category {
	case DeviceNode:
		if n.ComputeModel != "" {
			return n.Title + "\n" + n.Kind + ", " + n.ComputeModel
		}
		return n.Title + "\n" + n.Kind
	case MemoryNode:
		label := n.Title + "\n" + n.Kind + ", " + GiB(n.Memory.ResourceLimitBytes) + " at " + GBps(n.Memory.BandwidthBytesPerSec)
		if !n.Enabled {
			label += ", off"
		}
		return label
	}
	return n.Title + "\n" + n.Kind + ", " + GBps(n.Network.BandwidthBytesPerSec)
}

func dotShape(c NodeCategory) string {
	switch c {
	case MemoryNode:
		return ", shape=cylinder"
	case NetworkNode:
		return ", shape=hexagon"
	}
	return ""
}

func writeDotEdge(b *bytes.Buffer, s *Scenario, e *ProjectedEdge) {
	if e.Link == nil {
		fmt.Fprintf(b, "  %s -> %s [style=dashed, dir=none];\n", dotText(e.Source), dotText(e.Target))
		return
	}
	attributes := "tooltip=" + dotText(e.ID)
	if e.Labelled {
		rate, _ := s.LinkRate(s.LinkIndex(e.Link.ID))
		attributes += ", label=" + dotText(e.Kind+" "+GBps(rate))
	}
	fmt.Fprintf(b, "  %s -> %s [%s];\n", dotText(e.Source), dotText(e.Target), attributes)
}

// dotText quotes an identifier or label.
func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
