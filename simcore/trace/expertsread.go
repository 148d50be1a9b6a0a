package trace

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/workload"
)

// The identity of a trace document of an expert cache.
const (
	ExpertsDocumentKind           = "inferlab/expert-cache-trace"
	ExpertsDocumentRevision int64 = 1
)

// EventFault is the first event of a document that is no event of its protocol: it
// cannot be put into a trace at all, so no rule between events is asked.
type EventFault struct {
	Index  int64
	Code   string // "contract_revision", "source_sequence", "source_id", "unknown_kind" or "malformed_event"
	Detail string
}

// Error states the event and the fault.
func (f *EventFault) Error() string {
	return fmt.Sprintf("event %d: %s: %s", f.Index, f.Code, f.Detail)
}

// Codes of an EventFault.
const (
	EventRevision  = "contract_revision"
	EventSequence  = "source_sequence"
	EventSource    = "source_id"
	EventKind      = "unknown_kind"
	EventMalformed = "malformed_event"
)

// ReadExperts reads a list of events in the spelling of WriteEvents, up to the
// first that is none. Ids and names that mean nothing (an undeclared expert, an
// unknown tier, a foreign load id) become values that no rule accepts, so that a
// replay refuses the event at its place.
func ReadExperts(events *document.Value) (*Experts, *EventFault) {
	r := expertsReader{tr: &Experts{}}
	for i := range events.Len() {
		if f := r.event(int64(i), events.At(i)); f != nil {
			return r.tr, f
		}
	}
	return r.tr, nil
}

type expertsReader struct {
	tr     *Experts
	index  map[string]int32
	source string // of the first event
	at     int64
	parts  [2]map[string]int32 // partition ids of the hot and warm tables
}

func (r *expertsReader) fault(code, format string, args ...any) *EventFault {
	return &EventFault{Index: r.at, Code: code, Detail: fmt.Sprintf(format, args...)}
}

// expertFields names the fields of each kind; "?" marks one that may be absent.
var expertFields = map[string]string{
	"initialize":        "config",
	"route":             "requestId tokenIndex topK atNs expertIds",
	"prefetch":          "atNs targetTier expertIds trigger",
	"prefetch_decision": "tokenIndex atNs observedRoutes expertIds",
	"evict":             "atNs tier partitionId expertId bytes",
	"load_start":        "load",
	"load_retime":       "loadId atNs priorCompletesAtNs completesAtNs physicalCompletesAtNs?",
	"load_complete":     "loadId expertId targetTier completedAtNs",
	"access":            "requestId requestedAtNs readyAtNs expertIds sourceTiers stallNs",
}

// event reads one event: its envelope, then the fields of its kind.
func (r *expertsReader) event(i int64, v *document.Value) *EventFault {
	r.at = i
	doc := document.NewReader(*v, "trace["+strconv.FormatInt(i, 10)+"]")
	n := doc.Root()
	kind := n.Get("kind").Text()
	if err := doc.Err(); err != nil {
		return r.fault(EventMalformed, "%s", err)
	}
	fields, known := expertFields[kind]
	if !known {
		return r.fault(EventKind, "%q", kind)
	}
	required := []string{"kind", "contractRevision", "sourceId", "sourceSequence"}
	var optional []string
	for _, f := range strings.Fields(fields) {
		if name, absent := strings.CutSuffix(f, "?"); absent {
			optional = append(optional, name)
		} else {
			required = append(required, f)
		}
	}
	n.Closed(required, optional...)
	revision, sequence, source := n.Get("contractRevision").Integer(), n.Get("sourceSequence").Integer(), n.Get("sourceId").Text()
	if err := doc.Err(); err != nil {
		return r.fault(EventMalformed, "%s", err)
	}
	if i == 0 {
		r.source = source
	}
	switch {
	case revision != ExpertsContractRevision:
		return r.fault(EventRevision, "%d, want %d", revision, ExpertsContractRevision)
	case sequence != i:
		return r.fault(EventSequence, "%d, want %d", sequence, i)
	case source != r.source:
		return r.fault(EventSource, "%q, want %q", source, r.source)
	}
	r.fields(kind, n)
	if err := doc.Err(); err != nil {
		return r.fault(EventMalformed, "%s", err)
	}
	if kind == "initialize" && i == 0 {
		return r.settle()
	}
	return nil
}

// settle fixes what ids mean, once the configuration is known.
func (r *expertsReader) settle() *EventFault {
	c := &r.tr.Config
	if c.SourceID == "" && r.source != workload.DefaultExpertSourceID {
		c.SourceID = r.source
	}
	if c.Source() != r.source {
		return r.fault(EventSource, "%q, but the configuration has %q", r.source, c.Source())
	}
	r.index = make(map[string]int32, len(c.Experts))
	for i := range c.Experts {
		r.index[c.Experts[i].ID] = int32(i)
	}
	for t, table := range [2][]workload.ExpertPartition{c.HotTable(), c.WarmTable()} {
		r.parts[t] = make(map[string]int32, len(table))
		for p := range table {
			r.parts[t][table[p].ID] = int32(p)
		}
	}
	return nil
}

// fields reads what follows the envelope and appends row and event.
func (r *expertsReader) fields(kind string, n document.Node) {
	t := r.tr
	at := func(key string) int64 { return n.Get(key).Integer() }
	add := func(k ExpertEventKind, atNs int64, rows int) {
		t.Events = append(t.Events, ExpertEvent{AtNs: atNs, Ref: int32(rows - 1), Kind: k})
	}
	switch kind {
	case "initialize":
		if len(t.Events) == 0 {
			t.Config = readExpertCache(n.Get("config"))
		}
		add(ExpertInitialize, 0, 1)
	case "route":
		row := ExpertRoute{TokenIndex: at("tokenIndex"), TopK: at("topK"), Request: numbered(n.Get("requestId").Text(), "expert-request-")}
		row.From, row.To = r.experts(n.Get("expertIds"))
		t.Routes = append(t.Routes, row)
		add(ExpertRouted, at("atNs"), len(t.Routes))
	case "prefetch":
		row := ExpertPrefetch{Target: tierNamed(n.Get("targetTier").Text()), Trigger: PrefetchTrigger(position(n.Get("trigger").Text(), "manual", "adaptive"))}
		row.From, row.To = r.experts(n.Get("expertIds"))
		t.Prefetches = append(t.Prefetches, row)
		add(ExpertPrefetched, at("atNs"), len(t.Prefetches))
	case "prefetch_decision":
		row := ExpertDecision{TokenIndex: at("tokenIndex"), ObservedRoutes: at("observedRoutes")}
		row.From, row.To = r.experts(n.Get("expertIds"))
		t.Decisions = append(t.Decisions, row)
		add(ExpertDecided, at("atNs"), len(t.Decisions))
	case "evict":
		t.Evictions = append(t.Evictions, r.eviction(n))
		add(ExpertEvicted, at("atNs"), len(t.Evictions))
	case "load_start":
		row := r.load(n.Get("load"))
		t.Loads = append(t.Loads, row)
		add(ExpertLoadStarted, row.StartedAtNs, len(t.Loads))
	default:
		r.progress(kind, n, at, add)
	}
}

// progress reads the events that follow a load or end a route.
func (r *expertsReader) progress(kind string, n document.Node, at func(string) int64, add func(ExpertEventKind, int64, int)) {
	t := r.tr
	switch kind {
	case "load_retime":
		row := ExpertRetime{Load: numbered(n.Get("loadId").Text(), "expert-load-"),
			PriorCompletesAtNs: at("priorCompletesAtNs"), CompletesAtNs: at("completesAtNs")}
		if p := n.Get("physicalCompletesAtNs"); p.Present() {
			row.PhysicalCompletesAtNs, row.HasPhysical = p.Integer(), true
		}
		t.Retimes = append(t.Retimes, row)
		add(ExpertLoadRetimed, at("atNs"), len(t.Retimes))
	case "load_complete":
		t.Completions = append(t.Completions, ExpertCompletion{Load: numbered(n.Get("loadId").Text(), "expert-load-"),
			Expert: r.expert(n.Get("expertId")), Target: tierNamed(n.Get("targetTier").Text())})
		add(ExpertLoadCompleted, at("completedAtNs"), len(t.Completions))
	case "access":
		row := ExpertAccess{RequestedAtNs: at("requestedAtNs"), StallNs: at("stallNs"), Request: numbered(n.Get("requestId").Text(), "expert-request-")}
		row.From, row.To = r.experts(n.Get("expertIds"))
		row.TierFrom = int32(len(t.TierLists))
		for _, tier := range n.Get("sourceTiers").Texts() {
			t.TierLists = append(t.TierLists, tierNamed(tier))
		}
		row.TierTo = int32(len(t.TierLists))
		t.Accesses = append(t.Accesses, row)
		add(ExpertAccessed, at("readyAtNs"), len(t.Accesses))
	}
}

func (r *expertsReader) eviction(n document.Node) ExpertEviction {
	v := ExpertEviction{Tier: tierNamed(n.Get("tier").Text()), Expert: r.expert(n.Get("expertId")),
		Bytes: n.Get("bytes").Integer(), Partition: -1}
	id := n.Get("partitionId").Text()
	if v.Tier <= TierWarm {
		if p, known := r.parts[v.Tier][id]; known {
			v.Partition = p
		}
	}
	return v
}

func (r *expertsReader) load(n document.Node) ExpertLoad {
	n.Closed([]string{"loadId", "expertId", "sourceTier", "targetTier", "kind", "startedAtNs", "completesAtNs", "bytes"})
	return ExpertLoad{
		StartedAtNs: n.Get("startedAtNs").Integer(), CompletesAtNs: n.Get("completesAtNs").Integer(), Bytes: n.Get("bytes").Integer(),
		Load: numbered(n.Get("loadId").Text(), "expert-load-"), Expert: r.expert(n.Get("expertId")),
		Source: tierNamed(n.Get("sourceTier").Text()), Target: tierNamed(n.Get("targetTier").Text()),
		Kind: LoadKind(position(n.Get("kind").Text(), "demand", "prefetch")),
	}
}

// experts appends a list of ids to the flat list; an undeclared one becomes -1.
func (r *expertsReader) experts(n document.Node) (from, to int32) {
	from = int32(len(r.tr.ExpertLists))
	for _, item := range n.Items() {
		r.tr.ExpertLists = append(r.tr.ExpertLists, r.expert(item))
	}
	return from, int32(len(r.tr.ExpertLists))
}

func (r *expertsReader) expert(n document.Node) int32 {
	if e, known := r.index[n.Text()]; known {
		return e
	}
	return -1
}

// numbered reads the number of an id; 0, which no id has, stands for a foreign one.
func numbered(id, prefix string) int32 {
	digits, ok := strings.CutPrefix(id, prefix)
	n, err := strconv.ParseInt(digits, 10, 32)
	if !ok || err != nil || n < 1 || strconv.FormatInt(n, 10) != digits {
		return 0
	}
	return int32(n)
}

func tierNamed(s string) Tier { return Tier(position(s, "hot", "warm", "cold")) }

// position is the place of a name in its enumeration; the largest value, which no
// enumeration has, stands for a foreign one.
func position(s string, names ...string) uint8 {
	for i, n := range names {
		if s == n {
			return uint8(i)
		}
	}
	return math.MaxUint8
}

// readExpertCache reads a configuration in the spelling of WriteExpertCache. Its
// rules are those of ExpertCache.Validate.
func readExpertCache(n document.Node) workload.ExpertCache {
	n.Closed([]string{"experts", "hotCapacityBytes", "warmCapacityBytes", "warmToHotLatencyNs", "coldToHotLatencyNs", "coldToWarmLatencyNs", "routingSeed"},
		"initialHotExpertIds", "initialWarmExpertIds", "adaptivePrefetch", "hotPartitions", "warmPartitions", "sourceId")
	c := workload.ExpertCache{
		HotCapacityBytes:   n.Get("hotCapacityBytes").Integer(),
		WarmCapacityBytes:  n.Get("warmCapacityBytes").Integer(),
		WarmToHotLatencyNs: n.Get("warmToHotLatencyNs").Integer(), ColdToHotLatencyNs: n.Get("coldToHotLatencyNs").Integer(),
		ColdToWarmLatencyNs: n.Get("coldToWarmLatencyNs").Integer(), RoutingSeed: n.Get("routingSeed").Integer(),
		SourceID: n.Get("sourceId").TextOr(""),
	}
	for _, item := range n.Get("experts").Items() {
		item.Closed([]string{"id", "bytes"}, "routingWeight")
		c.Experts = append(c.Experts, workload.Expert{ID: item.Get("id").Text(), Bytes: item.Get("bytes").Integer(), RoutingWeight: item.Get("routingWeight").NumberOr(1)})
	}
	c.InitialHotExpertIDs, c.InitialWarmExpertIDs = optionalTexts(n.Get("initialHotExpertIds")), optionalTexts(n.Get("initialWarmExpertIds"))
	if a := n.Get("adaptivePrefetch"); a.Present() {
		a.Closed([]string{"targetTier", "minObservations", "intervalTokens", "maxExpertsPerDecision"})
		c.AdaptivePrefetch = &workload.AdaptivePrefetch{
			TargetTier: workload.SourceTier(a.Get("targetTier").Text()), MinObservations: a.Get("minObservations").Integer(),
			IntervalTokens: a.Get("intervalTokens").Integer(), MaxExpertsPerDecision: a.Get("maxExpertsPerDecision").Integer(),
		}
	}
	c.HotPartitions, c.WarmPartitions = readExpertPartitions(n.Get("hotPartitions")), readExpertPartitions(n.Get("warmPartitions"))
	return c
}

func optionalTexts(n document.Node) []string {
	if !n.Present() {
		return []string{}
	}
	return n.Texts()
}

func readExpertPartitions(n document.Node) []workload.ExpertPartition {
	if !n.Present() {
		return nil
	}
	table := make([]workload.ExpertPartition, 0, n.Len())
	for _, item := range n.Items() {
		item.Closed([]string{"id", "expertIds", "capacityBytes"})
		table = append(table, workload.ExpertPartition{ID: item.Get("id").Text(), ExpertIDs: item.Get("expertIds").Texts(), CapacityBytes: item.Get("capacityBytes").Integer()})
	}
	return table
}
