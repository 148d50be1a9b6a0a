package requesttrace

import (
	"maps"
	"slices"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
)

// roles are the columns of the formats csv and jsonl.
var roles = []string{"arrival_ns", "arrival_us", "arrival_ms", "arrival_s",
	"prompt_tokens", "output_tokens", "id", "priority"}

// checkMapping refuses a mapping of names that are no roles, in a fixed order.
func checkMapping(mapping map[string]string) error {
	for _, role := range slices.Sorted(maps.Keys(mapping)) {
		if !slices.Contains(roles, role) {
			return issue.New("trace_columns", "columns."+role, "is no role%s; roles are %v", document.Suggest(role, roles), roles)
		}
	}
	return nil
}

// columns says which column of a file plays which role: the role's position in
// the file (CSV) or its key (JSON Lines).
type columns struct {
	unit string            // arrival_ns, arrival_us, arrival_ms or arrival_s
	name map[string]string // role -> name in the file
	role map[string]string // name in the file -> role
}

// mapColumns resolves roles to names, given a mapping that overrides the roles'
// own names.
func mapColumns(mapping map[string]string) columns {
	c := columns{name: map[string]string{}, role: map[string]string{}}
	for _, role := range roles {
		name, mapped := mapping[role]
		if !mapped {
			name = role
		}
		if _, taken := c.role[name]; !taken || mapped {
			c.name[role], c.role[name] = name, role
		}
	}
	return c
}

// chooseUnit picks the one arrival column that present has.
func (c *columns) chooseUnit(present func(name string) bool) error {
	for _, role := range roles[:4] {
		if !present(c.name[role]) {
			continue
		}
		if c.unit != "" {
			return issue.New("trace_header", "", "has both %s and %s; expected one arrival column", quote(c.name[c.unit]), quote(c.name[role]))
		}
		c.unit = role
	}
	if c.unit == "" {
		return issue.New("trace_header", "", "has no arrival column; expected one of arrival_ns, arrival_us, arrival_ms, arrival_s")
	}
	return nil
}
