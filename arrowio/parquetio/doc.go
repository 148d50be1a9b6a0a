// Package parquetio writes and reads arrowio tables as Parquet files: zstd pages,
// dictionary encoding for ids and words, streaming row groups, and the Arrow
// schema with its units and provenance inside.
//
// It is apart from arrowio because it links several times as much code, which a
// notebook cell would pay on every run.
package parquetio
