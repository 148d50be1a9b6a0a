// Package perfetto writes runs as trace-event files, which the Perfetto UI
// (ui.perfetto.dev, also from disk) and other viewers of that form open.
//
// In goes a finished run; out comes JSON as a stream: nothing is kept but the ends
// of the tracks, and the same run gives the same bytes. Times are decimal
// microseconds made from integer nanoseconds, so none is rounded.
//
// A serving run shows its batches, its requests (a row is shared by requests that
// follow each other), every operation on the lanes of every device, link, network
// resource and communicator, and counters for KV, memory, and waiting and running
// requests. A flow leads from the arrival of a request through its first prefill
// to its first decode step. Operations of a plan that runs on behind its batch (the
// background drain) may reach into the next batch's; they then move to a further
// row of the same lane, so that slices on a row are nested or apart.
//
// A run with an expert cache also shows the cache: loads that routes wait for,
// prefetches, the waits, evictions and decisions as instants, the bytes of every
// partition as counters, and a flow from each load to the wait that it ends.
//
// The form is not a contract of ours: it carries the views V7, V8 and V13 of
// contract 09 into another viewer. All times are modeled.
package perfetto
