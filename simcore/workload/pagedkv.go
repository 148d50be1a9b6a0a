package workload

import (
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// PagedKV configures a paged KV cache of one sequence (contract 01 section 9.1).
type PagedKV struct {
	SequenceID         string
	PageSizeTokens     int64
	BytesPerToken      int64
	CapacityBytes      int64
	InitialTokenLength int64
	SourceID           string // empty: paged-kv:<SequenceID>
}

// Source is the source id of the trace.
func (c *PagedKV) Source() string {
	if c.SourceID == "" {
		return "paged-kv:" + c.SequenceID
	}
	return c.SourceID
}

// PageBytes is the size of a page; the configuration must be valid.
func (c *PagedKV) PageBytes() int64 { return c.PageSizeTokens * c.BytesPerToken }

// MaxPages is the number of pages that fit, possibly none.
func (c *PagedKV) MaxPages() int64 { return c.CapacityBytes / c.PageBytes() }

// Pages is the number of pages that hold so many tokens.
func (c *PagedKV) Pages(tokens int64) int64 { return quantity.CeilDiv(tokens, c.PageSizeTokens) }

// Validate refuses a configuration with an *issue.Error whose path is the field.
func (c *PagedKV) Validate() error {
	if c.SequenceID == "" {
		return issue.New("empty", "sequenceId", "must not be empty")
	}
	for _, f := range [...]struct {
		path  string
		value int64
	}{{"pageSizeTokens", c.PageSizeTokens}, {"bytesPerToken", c.BytesPerToken}, {"capacityBytes", c.CapacityBytes}} {
		if !quantity.IsPositive(f.value) {
			return issue.New("positive_integer", f.path, "is %d, must be a positive integer", f.value)
		}
	}
	if !quantity.IsCount(c.InitialTokenLength) {
		return issue.New("non_negative_integer", "initialTokenLength", "is %d, must be a non-negative integer", c.InitialTokenLength)
	}
	if _, err := quantity.Mul(c.PageSizeTokens, c.BytesPerToken); err != nil {
		return issue.New("overflow", "pageSizeTokens", "a page of %s of %s each is no safe integer of bytes", quantity.Counted(c.PageSizeTokens, "token"), quantity.Counted(c.BytesPerToken, "byte"))
	}
	if need := c.Pages(c.InitialTokenLength); need > c.MaxPages() {
		return issue.New("capacity_exceeded", "initialTokenLength", "%s need %s, and %d fit", quantity.Counted(c.InitialTokenLength, "token"), quantity.Counted(need, "page"), c.MaxPages())
	}
	return nil
}
