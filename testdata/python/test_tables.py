"""pandas, pyarrow, polars and DuckDB read every table and find what the result
document of the same run says."""

import shutil

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

import runs
import truth
from readers import parquet, readers, rows_polars

TABLES = [name for name, run in runs.TABLES.items() if run == "served"]


@pytest.mark.table("tokens")
@readers
def test_tokens(read, out, serving):
    got = read(out, "tokens", ["batch_id", "request_id", "token_index", "emitted_at_ns", "itl_ns", "source"])
    assert got == truth.tokens(serving)


@pytest.mark.table("requests")
@readers
def test_requests(read, out, serving):
    got = read(out, "requests", ["request_id", "arrival_ns", "output_tokens", "first_token_ns", "completed_at_ns", "ttft_ns", "latency_ns"])
    assert got == [
        (r["id"], r["arrivalNs"], len(r["tokenTimestampsNs"]), r["firstTokenNs"], r["completedAtNs"], r["timeToFirstTokenNs"], r["latencyNs"])
        for r in serving["requests"]
    ]


@pytest.mark.table("requests")
@readers
def test_request_means(read, out, serving):
    """Time per output token is absent, not zero, for requests of one token."""
    want = []
    for r in serving["requests"]:
        times = r["tokenTimestampsNs"]
        want.append(((times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else None,))
    assert read(out, "requests", ["tpot_ns_per_token"]) == want
    assert (None,) in want, "the run must have a request of one token"


@pytest.mark.table("batches")
@readers
def test_batches(read, out, document, serving):
    got = read(out, "batches", [
        "batch_id", "start_ns", "duration_ns", "finish_ns", "prefill_sequences", "decode_sequences", "token_work",
        "emitted_tokens", "completed_requests", "kv_tokens_before", "transient_kv_tokens", "kv_tokens_after",
        "plan_steps", "topology_duration_ns"])
    want = []
    for (start, finish), row in zip(truth.batches(serving), document["batches"], strict=True):
        batch = start["batch"]
        want.append((
            batch["batchId"], start["atNs"], start["durationNs"], finish["atNs"], len(batch["prefill"]), len(batch["decode"]),
            batch["tokenWork"], len(finish["emittedTokens"]), len(finish["completedRequestIds"]), start["kvTokensBefore"],
            start["transientKvTokens"], finish["kvTokensAfter"], row["planSteps"], row["topologyDurationNs"]))
    assert got == want


@pytest.mark.table("batch_members")
@readers
def test_batch_members(read, out, serving):
    got = read(out, "batch_members", ["batch_id", "request_id", "phase", "tokens", "committed_tokens"])
    assert got == truth.members(serving)


@pytest.mark.table("resources")
@readers
def test_resources(read, out, document):
    got = read(out, "resources", ["resource_id", "kind", "busy_ns", "capacity_lanes", "observation_ns", "utilization"])
    metrics = document["metrics"]
    assert got == [
        (u["resourceId"], u["resourceId"].split(":")[0], u["busyNs"], u["capacityLanes"], metrics["resourceObservationNs"], u["utilization"])
        for u in metrics["resourceUtilization"]
    ]


@pytest.mark.table("memory_timeline")
@readers
def test_memory_timeline(read, out, document, serving):
    """Every domain's KV follows the counters of the trace; what else it reserves is constant."""
    budget, level, series = document["inputs"]["serving"]["maxKvTokens"], truth.kv_level(serving), {}
    for domain, purpose, *row in read(out, "memory_timeline", ["domain_id", "purpose", "at_ns", "held_bytes", "kv_tokens", "reserved_bytes", "limit_bytes"]):
        series.setdefault((domain, purpose), []).append(tuple(row))
    assert any(purpose == "kv" for _, purpose in series) and any(purpose == "weights" for _, purpose in series)
    for (_, purpose), rows in series.items():
        reserved, limit = rows[0][3], rows[0][4]
        if purpose == "kv":
            assert rows == [(at, tokens * (reserved / budget), tokens, reserved, limit) for at, tokens in level]
        else:
            assert rows == [(0, float(reserved), None, reserved, limit)]


@pytest.mark.table("metrics")
@readers
def test_metrics(read, out, document, serving):
    """Every number of the document's metrics stands in the table, integers as integers."""
    want = dict(serving["metrics"])
    for key, value in document["metrics"].items():
        if not isinstance(value, list):
            want.setdefault(key, value)
    for name, integer, real in read(out, "metrics", ["metric", "integer", "real"]):
        value = want.pop(name)
        assert real == value
        if integer is not None:
            assert integer == value and isinstance(integer, int)
    assert want == {}


@pytest.mark.table("operations")
@readers
def test_operation_lists(read, out, document):
    """Lists have as many lanes as resources, and batches the operations that they count."""
    per_batch = {}
    for batch, resources, lanes, participants, kind in read(out, "operations", ["batch_id", "resources", "lanes", "participants", "kind"]):
        assert len(resources) == len(lanes)
        assert len(participants) >= 1
        counts = per_batch.setdefault(batch, {"compute": 0, "transfer": 0, "collective": 0})
        counts[kind] += 1
    assert per_batch == {
        b["batchId"]: {k: b["operationCounts"][k] for k in ("compute", "transfer", "collective")} for b in document["batches"]
    }


def test_percentiles_to_the_last_digit(out, serving):
    """TTFT and ITL percentiles of the document follow from the tables in SQL."""
    metrics = serving["metrics"]
    for table, column, figure in [("requests", "ttft_ns", "TimeToFirstTokenNs"), ("tokens", "itl_ns", "InterTokenLatencyNs")]:
        for name, p in [("p50", (1, 2)), ("p95", (19, 20))]:
            [(got,)] = duckdb.sql(f"""
                with samples as (select {column} as v, row_number() over (order by {column}) as rank, count(*) over () as n
                                 from read_parquet('{parquet(out, table)}') where {column} is not null)
                select v from samples where rank = greatest(1, (n * {p[0]} + {p[1]} - 1) // {p[1]})""").fetchall()
            assert got == metrics[name + figure]
        values = [v for (v,) in rows_polars(out, table, [column]) if v is not None]
        assert sum(values) / len(values) == metrics["average" + figure]
        assert truth.nearest_rank(values, 19, 20) == metrics["p95" + figure]


def test_join_on_ids(out, serving):
    """The first token of each request, found through a join, is the request's own figure."""
    got = duckdb.sql(f"""
        select r.request_id, min(t.emitted_at_ns) - min(r.arrival_ns) = min(r.ttft_ns), count(*) = min(r.output_tokens)
        from read_parquet('{parquet(out, "requests")}') r join read_parquet('{parquet(out, "tokens")}') t using (request_id)
        group by r.request_id""").fetchall()
    assert len(got) == len(serving["requests"])
    assert all(same_time and same_count for _, same_time, same_count in got)
    requests, tokens = pl.read_parquet(parquet(out, "requests")), pl.read_parquet(parquet(out, "tokens"))
    joined = tokens.join(requests, on="request_id").group_by("request_id").agg(pl.col("itl_ns").sum(), pl.col("latency_ns").first(), pl.col("ttft_ns").first())
    assert joined.filter(pl.col("itl_ns") + pl.col("ttft_ns") != pl.col("latency_ns")).height == 0
    assert joined.height == len(serving["requests"])


@pytest.mark.table("reservations")
def test_busy_time_follows_from_reservations(out, document):
    got = duckdb.sql(f"""
        select resource_id, sum(finish_ns - start_ns)::bigint from read_parquet('{parquet(out, "reservations")}')
        where kind is not null group by resource_id""").fetchall()
    busy = dict(got)
    for use in document["metrics"]["resourceUtilization"]:
        assert busy[use["resourceId"]] == use["busyNs"]


@pytest.mark.parametrize("name", TABLES)
def test_schema(out, document, name):
    """dtypes, units, nulls and provenance, as pyarrow and DuckDB see them."""
    schema = pq.read_schema(parquet(out, name))
    meta = {k.decode(): v.decode() for k, v in schema.metadata.items()}
    assert meta["inferlab.table"] == name
    assert int(meta["inferlab.table_revision"]) >= 1
    assert meta["inferlab.scenario_id"] == document["scenarioId"]
    assert meta["inferlab.scenario_fingerprint"] == document["scenarioFingerprint"]
    assert meta["inferlab.confidence"] == document["confidence"]
    revisions = dict(word.split("=") for word in meta["inferlab.contract_revisions"].split())
    assert revisions == {k: str(v) for k, v in document["contractRevisions"].items()}
    for field in schema:
        unit, description = field.metadata[b"unit"].decode(), field.metadata[b"description"].decode()
        assert description
        if field.name.endswith("_ns"):
            assert field.type == pa.int64() and unit == "ns"
        element = field.type.value_type if pa.types.is_list(field.type) else field.type
        if unit in ("id", "word") and not pa.types.is_integer(element):
            assert element == pa.dictionary(pa.int32(), pa.string())
    table = pq.read_table(parquet(out, name))
    table.validate(full=True)
    for field in schema:
        if not field.nullable:
            assert table.column(field.name).null_count == 0
    described = duckdb.sql(f"describe select * from read_parquet('{parquet(out, name)}')").fetchall()
    assert [d[0] for d in described] == schema.names
    assert all(d[1] == "BIGINT" for d in described if d[0].endswith("_ns"))


@pytest.mark.parametrize("name", TABLES)
def test_statistics_are_those_of_the_rows(out, name):
    """Every statistic in the footer is the true one of its row group."""
    with pq.ParquetFile(parquet(out, name)) as f:
        for g in range(f.metadata.num_row_groups):
            group, rows = f.metadata.row_group(g), f.read_row_group(g)
            for c in range(group.num_columns):
                chunk = group.column(c)
                assert chunk.compression == "ZSTD"
                if not chunk.is_stats_set or "." in chunk.path_in_schema:
                    continue
                values = rows.column(chunk.path_in_schema).drop_null().to_pylist()
                s = chunk.statistics
                assert s.null_count == rows.num_rows - len(values)
                if s.has_min_max:
                    assert (s.min, s.max) == (min(values), max(values))


@pytest.mark.parametrize("name", TABLES)
def test_arrow_files_equal_parquet(out, name):
    path = out / f"{name}.arrow"
    if not path.exists():
        pytest.skip("the run was not written as Arrow files")
    with pa.memory_map(str(path)) as source:
        arrow = pa.ipc.open_file(source).read_all()
        table = pq.read_table(parquet(out, name))
        assert arrow.schema.equals(table.schema, check_metadata=True)
        assert arrow.equals(table)
    assert pl.read_ipc(path).height == table.num_rows


def test_partitioned_dataset(out, tmp_path):
    """run=NAME/tokens.parquet of several runs opens as one table with a column run."""
    names = ["first", "second-2"]
    for name in names:
        directory = tmp_path / f"run={name}"
        directory.mkdir()
        shutil.copy(parquet(out, "tokens"), directory)
    rows = pq.read_metadata(parquet(out, "tokens")).num_rows
    files = sorted(str(p) for p in tmp_path.glob("run=*/tokens.parquet"))
    dataset = ds.dataset(files, format="parquet", partitioning="hive", partition_base_dir=str(tmp_path))
    assert dataset.count_rows(filter=ds.field("run") == "second-2") == rows
    assert dataset.count_rows() == 2 * rows
    got = duckdb.sql(f"select run, count(*) from read_parquet('{tmp_path}/run=*/tokens.parquet', hive_partitioning = true) group by run order by run").fetchall()
    assert got == [(name, rows) for name in names]
    frame = pl.scan_parquet(f"{tmp_path}/run=*/tokens.parquet", hive_partitioning=True).group_by("run").len().sort("run").collect()
    assert frame.rows() == [(name, rows) for name in names]
