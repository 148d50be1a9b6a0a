// Package report makes pages: one self-contained HTML file per result, readable
// from disk without a network and without scripts.
//
// In goes a finished result and Meta, the facts about its making that the result
// does not hold (command line, input fingerprints, the result document). Out come
// bytes that depend on nothing else: no clock, no host name, no path of the
// machine, no random id.
//
// A page states its verdict first, then answers one question a section: a
// sentence, a figure (package figure), the figure's numbers folded below it.
// Evidence, assumptions, limits and the reproduction line close it. Every text
// that comes from an input is escaped and set apart from the direction of the
// text around it. A strict content security policy forbids everything but the
// page's own style sheet and script; the script adds zoom, details, sorting and
// saving to a page that is complete without it.
//
// Serving pages one run, Composed one with an expert cache, ExpertCache a cache that
// stands alone, ServingComparison one configuration on several machines, Comparison one
// workload on several, Runs any serving runs against a reference, Roofline a roofline
// study, Calibrate one fitted dataset; Run, PlanRun, FaultCampaign, ConcurrentCampaign,
// NodeFailure and Failover page executed plans, Speculative a speculative workload.
// PageOf makes the page of any of them.
//
// ReadResult turns the result document of any command (Commands) back into the result:
// it is replayed or made again from the inputs that the document carries, and nothing
// of the document is believed. Its page is the one that the command draws.
//
// A page embeds its full result document (up to MaxResultBytes) and the facts of Meta;
// Rebuild checks the fingerprint of the document, reads it and makes the same bytes
// again, for every kind of page. Where the result is larger, a summary or its
// fingerprint stands for it; the page says so, and is made again from the document.
//
// Contract 09, section 1 and views V0 to V5, V7, V8, V10 to V15 and V17.
package report
