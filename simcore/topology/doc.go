// Package topology holds machines: revision-5 scenarios of memory domains,
// devices, links, network resources, reservations and policies.
//
// In goes a document (package document) or a Spec filled in by a builder or a
// notebook; out comes an immutable Scenario that every rule of the contract has
// been proved of, with look-ups by id and index, the reservation ledger,
// minimum-duration routes, the topology projection, and edits that make new
// scenarios. Presets and builders (Preset, Ring, LAN) make the built-in machines.
//
// A refusal is one *issue.Error from the structural boundary (the first failure)
// or an *issue.List from semantic validation (every failure, in order).
//
// Contract 02, scenario revision 5; contract 08 sections B1 and B2.
package topology
