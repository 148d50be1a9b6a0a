// Package composed runs continuous serving with an expert cache on one topology:
// the scheduler of package serving, the cache of package experts and the streaming
// runtime of package executor share one absolute clock.
//
// In go a scenario, a serving configuration, an expert-cache configuration and a
// cost model; out comes a [Run]: the serving run, the cache's trace and final
// state, and the physical trace of every plan, each verified by its independent
// replay.
//
// # How a batch lasts
//
// A batch that starts at s first routes its tokens, one after another. What a route
// misses becomes a demand plan of its own, admitted to the runtime at the route's
// time; the route is complete when the last terminal of its plans is. Copies that
// the adaptive policy then wants are put off for ever: nothing may read them before
// their transfers are known. When all tokens are routed, the batch's own plan is
// compiled, with the wanted copies as background transfers after its foreground
// terminal, and admitted. The batch ends when that terminal is complete. When the
// runtime submits the last transfer of a wanted copy, its finish becomes the copy's
// completion, which a later batch, or nobody, will see.
//
// Physical evidence thus replaces the cache's configured latencies for everything
// that is transported. What happens between batches (idle time, transfers that
// drain) happens on the same clock.
//
// Contract 05 sections 6.3 to 6.9 (serving expert-cache composition revision 3),
// contract 03 section 13.6, contract 06 sections 9.6 and 13.
package composed
