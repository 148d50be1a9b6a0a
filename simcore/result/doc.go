// Package result writes finished runs as the JSON documents of the product. It
// computes nothing: every figure comes from the run.
//
// In go a run and a jsondoc.Writer; out comes one document with the result head
// (kind, command, revision, contract revisions, scenario fingerprint, confidence)
// and the keys of the contract that owns the command.
//
// Contract 05 sections 4.8, 4.9, 6.9 and 7 for serving.
package result
