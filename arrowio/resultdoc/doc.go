// Package resultdoc makes tables of an exported result document, so that a run
// needs no second simulation to be analysed.
//
// In goes the full JSON document of the serving command; out come the tables that
// it holds the rows of: requests, tokens, batches, batch_members, resources, metrics
// and, when the document holds its inputs, memory_timeline, equal to those of the run
// itself. The operations of the plans are not in the document, so there are no tables
// operations and reservations. Priorities are null when the document does not hold its
// inputs. [Serving] believes what does not contradict itself: it is for documents of
// older versions, which hold nothing to make them again from.
//
// [Run] gives the run itself, as far as the document holds it, for pages, comparisons
// and whoever makes the rest of it again.
//
// The document is read as a stream, member by member into the structures of its
// entries; of the text no more is held than the value that is being read. Whatever
// contradicts itself is refused with the path of the entry.
//
// Contracts: 05 sections 4.8, 4.9, 6.2 and 7.1.
package resultdoc
