// Package experiment does what commands are asked to do, apart from where they were
// asked.
//
// In go [Inputs]: validated machines and the documents that a command line names, as
// value trees. Out comes [Made]: the finished, independently replayed result, and its
// document, which carries the inputs. From such a document [Again] makes the result
// once more and refuses it when one value of its own document differs, so that nothing
// that is read back has to be believed and pages need no other file.
//
// The table of commands is [Commands]; serving is not among them, because its document
// holds its whole trace and is replayed instead (package arrowio/resultdoc).
//
// Contracts: 03 section 19, 04 sections 7 to 10 and 13.7, 05 sections 3 and 7.2, 06
// sections 14 to 16.
package experiment
