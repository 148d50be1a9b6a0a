// Package campaign runs the experiments of contract 03: a fault campaign over
// everything that a plan uses, a seeded campaign of many concurrent executions of
// one plan, a concurrent node failure, and a failover to a replanned machine.
//
// In go a valid scenario, a plan and options; out come results whose every trace
// the independent replay has confirmed, and the documents of section 19. A trace
// that the replay rejects is an error that names the case, and for drawn
// campaigns the seed.
//
// Contract 03 sections 12 and 16 to 19.
package campaign
