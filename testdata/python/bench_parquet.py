"""How fast tables are written as Parquet, beside pyarrow.

    bench_parquet.py --config FILE.yaml
    bench_parquet.py PARQUETBENCH FILE.arrow...

The first form writes the configuration of a serving run of 131,043 tokens, whose tables
are worth measuring. For every file, PARQUETBENCH and pyarrow write the same table in turns, in the same
way: zstd level 1, dictionaries for ids and words, differences for integers, statistics
of numbers only, row groups of 1 Mi rows, into memory. Printed is the best of all turns
of each, by the clock and by processor time, and the ratio of PARQUETBENCH to pyarrow;
1 and more is at least as fast. On a machine that is busy with other work the ratio by
processor time is the one to look at.
"""

import json
import os
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

TURNS = 7


def options(schema):
    """The choices that arrowio/parquetio makes, as pyarrow spells them."""
    path = lambda f: f"{f.name}.list.element" if pa.types.is_list(f.type) else f.name
    leaf = lambda f: f.type.value_type if pa.types.is_list(f.type) else f.type
    integers = [path(f) for f in schema if pa.types.is_int64(leaf(f))]
    numbers = integers + [path(f) for f in schema if pa.types.is_float64(leaf(f))]
    labels = [path(f) for f in schema if pa.types.is_dictionary(leaf(f)) or pa.types.is_string(leaf(f))]
    return dict(compression="zstd", compression_level=1, row_group_size=1 << 20, use_dictionary=labels or False,
                column_encoding={c: "DELTA_BINARY_PACKED" for c in integers}, write_statistics=numbers or False)


def pyarrow_turn(table, chosen):
    best = None
    for _ in range(3):
        began, used = time.perf_counter(), time.process_time()
        out = pa.BufferOutputStream()
        pq.write_table(table, out, **chosen)
        seconds, cpu = time.perf_counter() - began, time.process_time() - used
        best = (min(seconds, best[0]), min(cpu, best[1])) if best else (seconds, cpu)
    return *best, out.tell()


def compare(bench, path):
    with pa.ipc.open_file(path) as f:
        table = f.read_all()
    chosen = options(table.schema)
    ours, theirs = [], []
    for _ in range(TURNS):
        ours.append(json.loads(subprocess.run([bench, path], check=True, capture_output=True).stdout))
        theirs.append(pyarrow_turn(table, chosen))
    rows = table.num_rows
    assert ours[0]["rows"] == rows
    clock, cpu = min(o["seconds"] for o in ours), min(o["cpuSeconds"] for o in ours)
    clock_py, cpu_py = min(t[0] for t in theirs), min(t[1] for t in theirs)
    million = lambda seconds: f"{rows / seconds / 1e6:6.1f} M rows/s"
    print(f"{path}: {rows} rows of {table.num_columns} columns; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print(f"  by the clock         {million(clock)}, pyarrow {million(clock_py)}, ratio {clock_py / clock:.2f}")
    print(f"  by processor time    {million(cpu)}, pyarrow {million(cpu_py)}, ratio {cpu_py / cpu:.2f}")
    print(f"  bytes a row          {ours[0]['bytes'] / rows:6.3f}, pyarrow {theirs[0][2] / rows:.3f}")


def write_config(path):
    with open(path, "w", encoding="utf-8") as f:
        f.write("serving:\n  max_batch_size: 64\n  max_batch_tokens: 2048\n  prefill_chunk_tokens: 256\n"
                "  max_kv_tokens: 200000\n  max_events: 10000000\n  requests:\n")
        for i in range(1024):
            f.write(f"    - {{id: request-{i:05d}, arrival_ns: {i * 40_000_000}, prompt_tokens: {64 + i * 37 % 400}, "
                    f"output_tokens: {96 + i * 29 % 65}}}\n")


if __name__ == "__main__":
    if sys.argv[1] == "--config":
        write_config(sys.argv[2])
        sys.exit()
    for name in sys.argv[2:]:
        compare(sys.argv[1], name)
