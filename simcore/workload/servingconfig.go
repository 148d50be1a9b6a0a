package workload

import (
	"strings"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/quantity"
)

// ServingConfig is a serving file (contract 05 section 7.1): the scheduler's
// settings, and the blocks that other engines read, absent unless the file has
// them.
type ServingConfig struct {
	Serving     Serving
	Speculative document.Node // serving.speculative; see Node.Present
	ExpertCache document.Node // expert_cache at the root
}

var (
	servingKeys = []string{
		"max_batch_size", "max_batch_tokens", "prefill_chunk_tokens", "max_kv_tokens", "max_events", "requests", "speculative",
	}
	servingRootKeys = []string{"serving", "expert_cache"}
	requestKeys     = []string{"id", "arrival_ns", "prompt_tokens", "output_tokens", "priority"}
)

// servingName is the first part of every path of a serving file, whether or not
// its settings stand below a key of that name.
const servingName = "serving"

// ReadServing reads a serving file. Settings stand below the key serving if that
// is present and not null, otherwise at the root. Unknown keys become warnings,
// or refusals in a strict pass. Values are checked one by one; the scheduler
// checks them against each other.
func ReadServing(root document.Value, strict bool) (*ServingConfig, []document.Warning, error) {
	return readServing(root, strict, true)
}

// ReadServingLimits is ReadServing for requests that come from elsewhere: the
// file's own requests, if any, are not read.
func ReadServingLimits(root document.Value, strict bool) (*ServingConfig, []document.Warning, error) {
	return readServing(root, strict, false)
}

func readServing(root document.Value, strict, withRequests bool) (*ServingConfig, []document.Warning, error) {
	r := document.NewReader(root, "")
	known := servingRootKeys
	nested := root.Get(servingName) != nil && root.Get(servingName).Kind() != document.Null
	settings := r.Root()
	if nested {
		settings = settings.Get(servingName)
	} else {
		r = document.NewReader(root, servingName)
		settings = r.Root()
		known = append(append([]string(nil), servingRootKeys...), servingKeys...)
	}
	r.Strict = strict
	r.Root().Known(known...)
	if nested {
		settings.Known(servingKeys...)
	}
	c := &ServingConfig{
		Serving:     readScheduler(settings, withRequests),
		Speculative: settings.Get("speculative"),
		ExpertCache: r.Root().Get("expert_cache"),
	}
	return c, rooted(r.Warnings(), nested), r.Err()
}

// rooted gives the keys of settings that stand at the root the paths that the file
// shows.
func rooted(warnings []document.Warning, nested bool) []document.Warning {
	for i := range warnings {
		if !nested {
			warnings[i].Path = strings.TrimPrefix(warnings[i].Path, servingName+".")
		}
	}
	return warnings
}

func readScheduler(n document.Node, withRequests bool) Serving {
	s := Serving{
		MaxBatchSize:       n.Get("max_batch_size").Positive(),
		MaxBatchTokens:     n.Get("max_batch_tokens").Positive(),
		PrefillChunkTokens: n.Get("prefill_chunk_tokens").Positive(),
		MaxKVTokens:        n.Get("max_kv_tokens").Positive(),
		MaxEvents:          n.Get("max_events").PositiveOr(DefaultServingMaxEvents),
	}
	if !withRequests {
		return s
	}
	list := n.Get("requests")
	s.Requests = make([]Request, 0, list.Len())
	for _, item := range list.Items() {
		s.Requests = append(s.Requests, readRequest(item))
	}
	if list.OK() && len(s.Requests) == 0 {
		list.Fail("empty_list", "expected at least one request, found an empty list")
	}
	return s
}

func readRequest(n document.Node) Request {
	n.Known(requestKeys...)
	r := Request{ID: n.Get("id").NonEmpty()}
	r.ArrivalNs = requestInteger(n.Get("arrival_ns"), r.ID, 0)
	r.PromptTokens = requestInteger(n.Get("prompt_tokens"), r.ID, 1)
	r.OutputTokens = requestInteger(n.Get("output_tokens"), r.ID, 1)
	if priority := n.Get("priority"); priority.Present() {
		r.Priority = requestInteger(priority, r.ID, -quantity.MaxSafe)
	}
	return r
}

// requestInteger reads an integer of at least lo; a refused value names the
// request beside its path.
func requestInteger(n document.Node, request string, lo int64) int64 {
	f := n.Number()
	if !n.OK() {
		return 0
	}
	v, ok := quantity.FromFloat(f)
	if ok && v >= lo {
		return v
	}
	wanted := "an integer (magnitude at most 9007199254740991)"
	switch lo {
	case 0:
		wanted = "a non-negative integer"
	case 1:
		wanted = "a positive integer"
	}
	n.Refuse(issue.New(document.CodeRange, n.Path(), "request %s: expected %s, found %s", request, wanted, n.Value().Describe()))
	return 0
}
