// Package requesttrace imports production request traces as a serving workload:
// who came when, with how long a prompt, and how long an answer.
//
// In goes a file in one of the formats below; out come workload requests in the
// order of the file, or the first thing that is wrong with it, with file, line and
// column. Times go from decimal text to int64 nanoseconds without passing through
// floating point.
//
//	azure     Azure Public Dataset, LLM inference 2023 and 2024: CSV with
//	          TIMESTAMP (date and time with up to nine fractional digits, an
//	          optional zone), ContextTokens, GeneratedTokens. Arrivals are
//	          relative to the first row.
//	mooncake  JSON Lines with timestamp in ms, input_length, output_length.
//	csv       CSV with a header; jsonl: JSON Lines. Both take arrival_ns (or
//	          arrival_us, arrival_ms, arrival_s with decimals), prompt_tokens,
//	          output_tokens, and optionally id and priority; Options.Columns maps
//	          other names onto these.
//
// FromTable imports the same columns from a table that was read from a Parquet or
// Arrow file.
//
// Requests without an id are named request-000001, request-000002, … by row.
//
// A row with zero prompt or output tokens is refused, because it asks for nothing
// that a server would do and dropping it would change the arrival process without
// a word; Options.SkipEmpty drops such rows and counts them.
//
// The requests obey contract 05 section 4.1.
package requesttrace
