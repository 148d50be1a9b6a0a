// Package arrowio is the data door: every finished run leaves through it as Arrow
// tables, in the form that analysts already use.
//
// In goes a verified run in memory; out come tables. A Table has a name, an Arrow
// schema and rows that are produced in record batches of 64 Ki rows on each pass,
// so a table of any length costs the memory of one batch. Each table has one
// declared schema: the Declaration is the single place where a column's name,
// type, unit and meaning are written, and the schema metadata carries the table's
// revision, the contract it restates, the run's contract revisions, the scenario's
// fingerprint, the confidence class and the definitions of the figures.
//
// Conventions. Times are int64 nanoseconds in columns that end in _ns; what is
// estimated and may be fractional ends in _ns_float. Ids and words of closed sets
// are dictionary-encoded strings (Options.PlainStrings turns them into plain ones).
// A null says that a fact does not exist, never zero. Lists stand only where a row
// owns one. Ids join tables: request_id, batch_id, template, resource_id.
//
// This package reads and writes Arrow IPC and CSV and is what notebook cells import;
// it links in the time of Arrow's core alone (a program with Arrow's arrays links in
// 0.32 s on two cores, with IPC in 0.33 s, with Parquet in 1.56 s). Parquet lives in
// arrowio/parquetio for that reason. The packages beside it: stats (quantiles,
// distributions, distances), requesttrace (request traces as workloads), resultdoc
// (tables of exported result documents), documents (tables of every document that
// commands leave), export (tables and formats by name, and the catalog of all).
//
// A finished run gives its tables at once (Serving, Plan, Speculative, Experts). A
// run that is too long for memory streams them: the engine hands windows of its
// trace to a ServingStream, which fills the files of a DirSink.
//
// Same run, same bytes: nothing here depends on the hour, the machine or the
// number of processors.
//
// Contracts: 05 sections 2.15, 4.8, 4.9, 6.9 and 7.2 (serving trace revision 3, expert
// cache revision 5); 03 section 8 (plan revision 5); 04 sections 3 and 7; 09 section
// 1.1 (what a view may rest on).
package arrowio
