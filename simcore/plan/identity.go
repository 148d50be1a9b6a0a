package plan

// WithIdentity returns the same steps under another plan and execution id. It
// shares everything else with f.
func (f *Frozen) WithIdentity(id, executionID string) *Frozen {
	p := *f.plan
	p.ID, p.ExecutionID = id, executionID
	c := *f
	c.plan = &p
	return &c
}
