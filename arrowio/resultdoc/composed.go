package resultdoc

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/inferlab/inferlab/simcore/composed"
	jsontree "github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/trace"
	"github.com/inferlab/inferlab/simcore/workload"
)

// ComposedTrace reads the serving-trace document of a run with an expert cache back
// into the whole run. The run is made again from the document's inputs, and its own
// trace document must be the one that was read: nothing in it has to be believed.
func ComposedTrace(protocol io.Reader) (*composed.Run, error) {
	text, err := io.ReadAll(protocol)
	if err != nil {
		return nil, err
	}
	d := newDocument(bytes.NewReader(text))
	if err := d.whole(d.protocol); err != nil {
		return nil, err
	}
	if d.kind != result.ServingTraceKind || !d.composed || d.inputs == nil || d.inputs.Experts == nil || d.inputs.Serving == nil || d.inputs.Scenario == nil {
		return nil, issue.New("result_composition", "", "this is no trace document of a serving run with an expert cache")
	}
	run, err := d.composeAgain()
	if err != nil {
		return nil, err
	}
	w := jsondoc.NewWriter(nil)
	result.ComposedTraceDocument(w, run)
	if err := w.Close(); err != nil {
		return nil, err
	}
	same, err := sameDocument(text, w.Bytes())
	if err == nil && !same {
		err = issue.New("result_replay", "trace", "differs from the trace that the document's inputs give")
	}
	return run, err
}

// composeAgain runs the document's inputs.
func (d *document) composeAgain() (*composed.Run, error) {
	scn, err := topologyOf(d.inputs.Scenario)
	if err != nil {
		return nil, err
	}
	model, err := d.inputs.CostModel.model()
	if err != nil {
		return nil, err
	}
	cfg, err := d.inputs.Serving.config()
	if err != nil {
		return nil, err
	}
	speculation, err := d.inputs.Speculation.proposer(cfg.Requests)
	if err != nil {
		return nil, err
	}
	cache, err := expertsOf(d.inputs.Experts)
	if err != nil {
		return nil, err
	}
	return composed.Simulate(scn, cfg, *cache, model, composed.Options{Speculation: speculation})
}

// expertsOf reads the cache's configuration as it was before it was partitioned.
func expertsOf(text json.RawMessage) (*workload.ServingExperts, error) {
	value, err := jsontree.ParseJSON(text, "inputs.experts")
	if err != nil {
		return nil, err
	}
	r := jsontree.NewReader(value, "inputs.experts")
	n, x := r.Root(), &workload.ServingExperts{}
	if n.Closed([]string{"topK", "placementStrategy", "cache"}) {
		x.TopK = n.Get("topK").Positive()
		x.Strategy = workload.PlacementStrategy(n.Get("placementStrategy").Text())
		x.Cache = trace.ReadExpertCache(n.Get("cache"))
	}
	return x, r.Err()
}

// sameDocument compares two JSON texts but for white space between their tokens.
func sameDocument(a, b []byte) (bool, error) {
	var x, y bytes.Buffer
	if err := json.Compact(&x, a); err != nil {
		return false, err
	}
	if err := json.Compact(&y, b); err != nil {
		return false, err
	}
	return bytes.Equal(x.Bytes(), y.Bytes()), nil
}
