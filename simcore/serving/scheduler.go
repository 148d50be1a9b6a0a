package serving

import (
	"slices"
	"strconv"

	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
	"github.com/inferlab/inferlab/simcore/workload"
)

// Scheduler is a validated serving configuration with its two static orders. It
// holds no run state: [Scheduler.Schedule] may be called any number of times.
type Scheduler struct {
	cfg      workload.Serving
	arrivals []int32 // request indices by arrivalNs, priority descending, id
	byRank   []int32 // request indices by priority descending, arrivalNs, id
	rankOf   []int32 // request index -> position in byRank

	promptTokens int64 // sum over the requests
	outputTokens int64 // sum over the requests
}

// New validates a configuration (contract 05 section 4.1) and refuses it with the
// first *issue.Error found: a limit that is not positive, no request, an empty or
// repeated id, a request figure out of bounds, a request whose peak KV exceeds the
// pool, or totals that are no safe integers. Errors of a request carry its id.
func New(cfg workload.Serving) (*Scheduler, error) {
	if cfg.MaxEvents == 0 {
		cfg.MaxEvents = workload.DefaultServingMaxEvents
	}
	cfg.Requests = slices.Clone(cfg.Requests)
	s := &Scheduler{cfg: cfg}
	if err := s.checkLimits(); err != nil {
		return nil, err
	}
	seen := make(map[string]struct{}, len(cfg.Requests))
	for i := range cfg.Requests {
		r := &cfg.Requests[i]
		if err := s.checkRequest(i, r); err != nil {
			return nil, err
		}
		if _, again := seen[r.ID]; again {
			return nil, requestIssue("duplicate_id", i, "id", r.ID, "the id is used by an earlier request")
		}
		seen[r.ID] = struct{}{}
	}
	s.sortRequests()
	return s, nil
}

// Config is the validated configuration, with the event budget filled in.
func (s *Scheduler) Config() workload.Serving { return s.cfg }

// ArrivalOrder lists request indices by arrivalNs, priority descending and id:
// the order in which arrivals enter the event queue and results are listed. The
// slice must not be written to.
func (s *Scheduler) ArrivalOrder() []int32 { return s.arrivals }

func (s *Scheduler) checkLimits() error {
	c := &s.cfg
	for _, f := range []struct {
		key   string
		value int64
	}{
		{"max_batch_size", c.MaxBatchSize},
		{"max_batch_tokens", c.MaxBatchTokens},
		{"prefill_chunk_tokens", c.PrefillChunkTokens},
		{"max_kv_tokens", c.MaxKVTokens},
		{"max_events", c.MaxEvents},
	} {
		if !quantity.IsPositive(f.value) {
			return issue.New("positive_integer", "serving."+f.key,
				"%d is not a positive safe integer", f.value)
		}
	}
	if len(c.Requests) == 0 {
		return issue.New("no_requests", "serving.requests", "at least one request is needed")
	}
	return nil
}

// checkRequest checks one request's own fields and adds it to the totals.
func (s *Scheduler) checkRequest(i int, r *workload.Request) error {
	switch {
	case r.ID == "":
		return requestIssue("empty_id", i, "id", r.ID, "the id is empty")
	case !quantity.IsCount(r.ArrivalNs):
		return requestIssue("non_negative_integer", i, "arrival_ns", r.ID, "the arrival is no safe integer from 0")
	case !quantity.IsPositive(r.PromptTokens):
		return requestIssue("positive_integer", i, "prompt_tokens", r.ID, "the prompt needs at least one token")
	case !quantity.IsPositive(r.OutputTokens):
		return requestIssue("positive_integer", i, "output_tokens", r.ID, "the output needs at least one token")
	case !quantity.IsSafe(r.Priority):
		return requestIssue("safe_integer", i, "priority", r.ID, "the priority is no safe integer")
	case r.PeakKVTokens() > s.cfg.MaxKVTokens:
		return requestIssue("peak_over_pool", i, "prompt_tokens", r.ID,
			"its peak of "+strconv.FormatInt(r.PeakKVTokens(), 10)+
				" KV tokens (prompt_tokens + output_tokens - 1) exceeds max_kv_tokens "+
				strconv.FormatInt(s.cfg.MaxKVTokens, 10))
	}
	var err error
	if s.promptTokens, err = quantity.Add(s.promptTokens, r.PromptTokens); err != nil {
		return requestIssue("overflow", i, "prompt_tokens", r.ID, "the prompts' total: "+err.Error())
	}
	if s.outputTokens, err = quantity.Add(s.outputTokens, r.OutputTokens); err != nil {
		return requestIssue("overflow", i, "output_tokens", r.ID, "the outputs' total: "+err.Error())
	}
	return nil
}

func requestIssue(code string, i int, field, id, message string) error {
	return issue.New(code, "serving.requests["+strconv.Itoa(i)+"]."+field, "request %q: %s", id, message)
}

// sortRequests makes the two static orders. Ids are unique, so both are total.
func (s *Scheduler) sortRequests() {
	reqs := s.cfg.Requests
	s.byRank = make([]int32, len(reqs))
	for i := range s.byRank {
		s.byRank[i] = int32(i)
	}
	s.arrivals = slices.Clone(s.byRank)
	byPriority := func(a, b *workload.Request) int { return compare(b.Priority, a.Priority) }
	byArrival := func(a, b *workload.Request) int { return compare(a.ArrivalNs, b.ArrivalNs) }
	order := func(list []int32, first, second func(a, b *workload.Request) int) {
		slices.SortFunc(list, func(i, j int32) int {
			a, b := &reqs[i], &reqs[j]
			if c := first(a, b); c != 0 {
				return c
			}
			if c := second(a, b); c != 0 {
				return c
			}
			return quantity.CompareIDs(a.ID, b.ID)
		})
	}
	order(s.byRank, byPriority, byArrival)
	order(s.arrivals, byArrival, byPriority)
	s.rankOf = make([]int32, len(reqs))
	for rank, i := range s.byRank {
		s.rankOf[i] = int32(rank)
	}
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
