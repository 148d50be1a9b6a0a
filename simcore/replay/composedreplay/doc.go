// Package composedreplay checks what ties the three traces of a serving run with an
// expert cache together. Each trace has a checker of its own (servingreplay,
// expertsreplay, planreplay), which proves that the trace follows its protocol;
// this package proves that they tell of the same run: routes begin when batches and
// earlier routes let them, demand loads end when their transfers do, batches are
// admitted when their experts are ready and last until their foreground work is
// done, and background copies arrive when their transfers end.
//
// In go the three traces and the admitted plans; out come counts, or a *Mismatch
// that names the rule and the batch or load. It shares no code with package
// composed.
//
// Contract 05 sections 6.4 to 6.8 (serving expert-cache composition revision 3).
package composedreplay
