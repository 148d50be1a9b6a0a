package trace

import (
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/workload"
)

// WriteEvents writes every event as an element of an array, in the spelling of
// contract 05 section 2.15.
func (t *Experts) WriteEvents(w *jsondoc.Writer) {
	w.Array()
	for i := range t.Events {
		w.Element().Object()
		w.Key("kind").Text(t.Events[i].Kind.String())
		t.writeEvent(w, &t.Events[i])
		w.Key("contractRevision").Int(ExpertsContractRevision)
		w.Key("sourceId").Text(t.Config.Source())
		w.Key("sourceSequence").Int(int64(i))
		w.End()
	}
	w.End()
}

func (t *Experts) writeEvent(w *jsondoc.Writer, e *ExpertEvent) {
	switch e.Kind {
	case ExpertInitialize:
		w.Key("config")
		WriteExpertCache(w, &t.Config)
	case ExpertRouted:
		r := &t.Routes[e.Ref]
		w.Key("requestId").Text(RequestID(r.Request))
		w.Key("tokenIndex").Int(r.TokenIndex)
		w.Key("topK").Int(r.TopK)
		w.Key("atNs").Int(e.AtNs)
		t.writeExperts(w, "expertIds", t.ExpertLists[r.From:r.To])
	case ExpertPrefetched:
		p := &t.Prefetches[e.Ref]
		w.Key("atNs").Int(e.AtNs)
		w.Key("targetTier").Text(p.Target.String())
		t.writeExperts(w, "expertIds", t.ExpertLists[p.From:p.To])
		w.Key("trigger").Text(p.Trigger.String())
	case ExpertDecided:
		d := &t.Decisions[e.Ref]
		w.Key("tokenIndex").Int(d.TokenIndex)
		w.Key("atNs").Int(e.AtNs)
		w.Key("observedRoutes").Int(d.ObservedRoutes)
		t.writeExperts(w, "expertIds", t.ExpertLists[d.From:d.To])
	case ExpertEvicted:
		v := &t.Evictions[e.Ref]
		w.Key("atNs").Int(e.AtNs)
		w.Key("tier").Text(v.Tier.String())
		w.Key("partitionId").Text(t.Partition(v.Tier, v.Partition))
		w.Key("expertId").Text(t.ExpertID(v.Expert))
		w.Key("bytes").Int(v.Bytes)
	case ExpertLoadStarted:
		w.Key("load")
		t.WriteLoad(w, &t.Loads[e.Ref])
	default:
		t.writeProgress(w, e)
	}
}

// writeProgress writes the events that follow a load or end a route.
func (t *Experts) writeProgress(w *jsondoc.Writer, e *ExpertEvent) {
	switch e.Kind {
	case ExpertLoadRetimed:
		r := &t.Retimes[e.Ref]
		w.Key("loadId").Text(LoadID(r.Load))
		w.Key("atNs").Int(e.AtNs)
		w.Key("priorCompletesAtNs").Int(r.PriorCompletesAtNs)
		w.Key("completesAtNs").Int(r.CompletesAtNs)
		if r.HasPhysical {
			w.Key("physicalCompletesAtNs").Int(r.PhysicalCompletesAtNs)
		}
	case ExpertLoadCompleted:
		c := &t.Completions[e.Ref]
		w.Key("loadId").Text(LoadID(c.Load))
		w.Key("expertId").Text(t.ExpertID(c.Expert))
		w.Key("targetTier").Text(c.Target.String())
		w.Key("completedAtNs").Int(e.AtNs)
	case ExpertAccessed:
		t.WriteAccess(w, e)
	}
}

// WriteAccess writes the members of an access event, which are also those of a
// route's result (contract 05 section 2.8), into the open object.
func (t *Experts) WriteAccess(w *jsondoc.Writer, e *ExpertEvent) {
	a := &t.Accesses[e.Ref]
	w.Key("requestId").Text(RequestID(a.Request))
	w.Key("requestedAtNs").Int(a.RequestedAtNs)
	w.Key("readyAtNs").Int(e.AtNs)
	t.writeExperts(w, "expertIds", t.ExpertLists[a.From:a.To])
	w.Key("sourceTiers").Array()
	for _, tier := range t.TierLists[a.TierFrom:a.TierTo] {
		w.Element().Text(tier.String())
	}
	w.End()
	w.Key("stallNs").Int(a.StallNs)
}

// WriteLoad writes a load as an object.
func (t *Experts) WriteLoad(w *jsondoc.Writer, l *ExpertLoad) {
	w.Object()
	w.Key("loadId").Text(LoadID(l.Load))
	w.Key("expertId").Text(t.ExpertID(l.Expert))
	w.Key("sourceTier").Text(l.Source.String())
	w.Key("targetTier").Text(l.Target.String())
	w.Key("kind").Text(l.Kind.String())
	w.Key("startedAtNs").Int(l.StartedAtNs)
	w.Key("completesAtNs").Int(l.CompletesAtNs)
	w.Key("bytes").Int(l.Bytes)
	w.End()
}

func (t *Experts) writeExperts(w *jsondoc.Writer, key string, experts []int32) {
	w.Key(key)
	t.WriteExpertIDs(w, experts)
}

// WriteExpertIDs writes experts as an array of ids.
func (t *Experts) WriteExpertIDs(w *jsondoc.Writer, experts []int32) {
	w.Array()
	for _, e := range experts {
		w.Element().Text(t.ExpertID(e))
	}
	w.End()
}

// WriteExpertCache writes a cache configuration as the initialize event echoes it
// (contract 05 sections 2.2 and 3): defaults filled in, optional parts only when
// given.
func WriteExpertCache(w *jsondoc.Writer, c *workload.ExpertCache) {
	w.Object()
	w.Key("experts").Array()
	for i := range c.Experts {
		w.Element().Object()
		w.Key("id").Text(c.Experts[i].ID)
		w.Key("bytes").Int(c.Experts[i].Bytes)
		w.Key("routingWeight").Float(c.Experts[i].RoutingWeight)
		w.End()
	}
	w.End()
	w.Key("hotCapacityBytes").Int(c.HotCapacityBytes)
	w.Key("warmCapacityBytes").Int(c.WarmCapacityBytes)
	w.Key("warmToHotLatencyNs").Int(c.WarmToHotLatencyNs)
	w.Key("coldToHotLatencyNs").Int(c.ColdToHotLatencyNs)
	w.Key("coldToWarmLatencyNs").Int(c.ColdToWarmLatencyNs)
	w.Key("routingSeed").Int(c.RoutingSeed)
	w.Key("initialHotExpertIds").Texts(c.InitialHotExpertIDs)
	w.Key("initialWarmExpertIds").Texts(c.InitialWarmExpertIDs)
	if a := c.AdaptivePrefetch; a != nil {
		w.Key("adaptivePrefetch").Object()
		w.Key("targetTier").Text(string(a.TargetTier))
		w.Key("minObservations").Int(a.MinObservations)
		w.Key("intervalTokens").Int(a.IntervalTokens)
		w.Key("maxExpertsPerDecision").Int(a.MaxExpertsPerDecision)
		w.End()
	}
	writeExpertPartitions(w, "hotPartitions", c.HotPartitions)
	writeExpertPartitions(w, "warmPartitions", c.WarmPartitions)
	if c.SourceID != "" {
		w.Key("sourceId").Text(c.SourceID)
	}
	w.End()
}

func writeExpertPartitions(w *jsondoc.Writer, key string, table []workload.ExpertPartition) {
	if table == nil {
		return
	}
	w.Key(key).Array()
	for i := range table {
		w.Element().Object()
		w.Key("id").Text(table[i].ID)
		w.Key("expertIds").Texts(table[i].ExpertIDs)
		w.Key("capacityBytes").Int(table[i].CapacityBytes)
		w.End()
	}
	w.End()
}

// WriteSnapshot writes a snapshot of this trace's cache as an object (contract 05
// section 2.14).
func (t *Experts) WriteSnapshot(w *jsondoc.Writer, s *ExpertSnapshot) {
	w.Object()
	w.Key("currentTimeNs").Int(s.CurrentTimeNs)
	w.Key("hotCapacityBytes").Int(s.Hot.CapacityBytes)
	w.Key("warmCapacityBytes").Int(s.Warm.CapacityBytes)
	w.Key("hotResidentBytes").Int(s.Hot.ResidentBytes)
	w.Key("warmResidentBytes").Int(s.Warm.ResidentBytes)
	w.Key("hotReservedBytes").Int(s.Hot.ReservedBytes)
	w.Key("warmReservedBytes").Int(s.Warm.ReservedBytes)
	t.writeExperts(w, "hotExpertIds", s.Hot.Experts)
	t.writeExperts(w, "warmExpertIds", s.Warm.Experts)
	t.WritePartitions(w, "hotPartitions", s.Hot.Partitions)
	t.WritePartitions(w, "warmPartitions", s.Warm.Partitions)
	w.Key("pendingLoads").Array()
	for i := range s.PendingLoads {
		w.Element()
		t.WriteLoad(w, &s.PendingLoads[i])
	}
	w.End()
	w.Key("metrics")
	s.Metrics.Write(w)
	w.End()
}

// WritePartitions writes the partitions of a tier as a member of the open object.
func (t *Experts) WritePartitions(w *jsondoc.Writer, key string, partitions []ExpertPartitionState) {
	w.Key(key).Array()
	for i := range partitions {
		p := &partitions[i]
		w.Element().Object()
		w.Key("id").Text(p.ID)
		w.Key("capacityBytes").Int(p.CapacityBytes)
		w.Key("residentBytes").Int(p.ResidentBytes)
		w.Key("reservedBytes").Int(p.ReservedBytes)
		t.writeExperts(w, "expertIds", p.Experts)
		w.End()
	}
	w.End()
}

// Write writes the metrics as an object.
func (m *ExpertMetrics) Write(w *jsondoc.Writer) {
	w.Object()
	for _, c := range m.named() {
		w.Key(c.name).Int(c.value)
	}
	w.Key("hotHitRate").Float(m.HotHitRate())
	w.End()
}
