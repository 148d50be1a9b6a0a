// Package document turns the bytes of a YAML or JSON file into a tree of values
// and reads settings out of such a tree strictly.
//
// In go the bytes of one file and its name; out comes a Value that knows its
// kind, its source text and its place (line and column), or one *issue.Error
// with code "syntax". A Reader then walks the tree with cursors (Node) that
// remember the first refusal, so that a configuration reader is a list of
// fields:
//
//	r := document.NewReader(value, "serving")
//	n := r.Root()
//	n.Known("max_batch_size", "max_events", "requests")
//	cfg.MaxBatchSize = n.Get("max_batch_size").Positive()
//	cfg.MaxEvents = n.Get("max_events").PositiveOr(1_000_000)
//	for _, item := range n.Get("requests").Items() {
//		id := item.Get("id").NonEmpty()
//		…
//	}
//	return cfg, r.Err()
//
// A refusal names the path (serving.requests[1].arrival_ns), what was expected
// and what was found. null is a value, never absence.
//
// YAML of the plain form that WriteYAML gives and most people write is read
// directly, which is an order of magnitude faster; everything else, and everything
// that is wrong, is read through gopkg.in/yaml.v3.
//
// Contract 02 sections 1.1 and 2: YAML 1.2 core schema with one document, JSON
// by RFC 8259, duplicate keys refused in both. The package reads no files.
package document
