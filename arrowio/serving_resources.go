package arrowio

import "strings"

// ResourcesDeclaration declares the table resources.
var ResourcesDeclaration = Declaration{
	Table: "resources", Revision: 1, Contract: servingContract,
	Description: "one row a compute, link or network resource with at least one reservation, by utilization descending, then resource_id",
	Fields: []Field{
		{"resource_id", Label, false, UnitID, "compute:, link: or network: and the id"},
		{"kind", Label, false, UnitWord, "compute, link or network"},
		{"busy_ns", Int64, false, UnitNs, "sum of the service times of the operations that reserve it, over all lanes"},
		{"capacity_lanes", Int64, false, UnitCount, "lanes of the resource"},
		{"observation_ns", Int64, false, UnitNs, "window of observation, from the first arrival"},
		{"utilization", Float64, false, UnitCount, "busy_ns / (observation_ns * capacity_lanes), at most 1"},
	},
}

var resourceKinds = []string{"compute", "link", "network"}

// Resources is the table resources.
func (t *ServingTables) Resources() *Table {
	use, window := t.run.Topology.ResourceUtilization, t.run.Topology.ResourceObservationNs
	ids := make([]string, len(use))
	kinds := make([]int32, len(use))
	for i := range use {
		ids[i], kinds[i] = use[i].ResourceID, -1
		for k, kind := range resourceKinds {
			if strings.HasPrefix(use[i].ResourceID, kind+":") {
				kinds[i] = int32(k)
			}
		}
	}
	ints := func(value func(i int64) int64) column {
		return column{ints: func(dst []int64, from int64) {
			for i := range dst {
				dst[i] = value(from + int64(i))
			}
		}}
	}
	return t.table(&ResourcesDeclaration, int64(len(use)),
		column{words: ids, codes: func(dst []int32, from int64) {
			for i := range dst {
				dst[i] = int32(from) + int32(i)
			}
		}},
		column{words: resourceKinds, codes: func(dst []int32, from int64) { copy(dst, kinds[from:]) }},
		ints(func(i int64) int64 { return use[i].BusyNs }),
		ints(func(i int64) int64 { return use[i].CapacityLanes }),
		ints(func(int64) int64 { return window }),
		column{floats: func(dst []float64, _ []bool, from int64) {
			for i := range dst {
				dst[i] = use[from+int64(i)].Utilization
			}
		}},
	)
}
