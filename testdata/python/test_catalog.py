"""Every table of the catalog, in every reader: types, units, nulls and the same rows."""

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

import runs
from readers import READERS, parquet, readers, rows_pyarrow

CATALOG = runs.catalog()
tables = pytest.mark.parametrize("name", CATALOG)

ARROW = {
    "int64": pa.int64(), "float64": pa.float64(), "text": pa.string(), "label": pa.dictionary(pa.int32(), pa.string()),
    "list<int64>": pa.list_(pa.field("element", pa.int64(), nullable=False)),
    "list<label>": pa.list_(pa.field("element", pa.dictionary(pa.int32(), pa.string()), nullable=False)),
}
DUCKDB = {"int64": "BIGINT", "float64": "DOUBLE", "text": "VARCHAR", "label": "VARCHAR", "list<int64>": "BIGINT[]", "list<label>": "VARCHAR[]"}


def polars_type(dtype):
    if isinstance(dtype, pl.List):
        return f"list<{polars_type(dtype.inner)}>"
    if dtype in (pl.Categorical, pl.String) or isinstance(dtype, pl.Categorical):
        return "label"
    return {pl.Int64: "int64", pl.Float64: "float64"}[dtype.base_type()]


@pytest.fixture
def table(run_of, name):
    return run_of(runs.TABLES[name]).directory


def columns(name):
    return [f["name"] for f in CATALOG[name]["fields"]]


def test_every_table_has_a_run_and_a_test_of_its_rows(request):
    """Whoever declares a table adds it to the runs, and a test of what its rows say."""
    assert set(runs.TABLES) == set(CATALOG)
    if request.config.option.keyword or request.config.option.markexpr or any(".py" in a for a in request.config.args):
        pytest.skip("not all tests were collected")
    tested = {name for item in request.session.items for mark in item.iter_markers("table") for name in mark.args}
    assert tested == set(CATALOG)


def test_every_file_of_every_run_is_in_the_catalog(run_of):
    for name in runs.RUNS:
        written = {p.stem for p in run_of(name).directory.glob("*.parquet")}
        assert written <= set(CATALOG)
        assert {t for t, run in runs.TABLES.items() if run == name} <= written


@tables
def test_schema_is_the_declared_one(name, table):
    declared, schema = CATALOG[name], pq.read_schema(parquet(table, name))
    assert schema.names == columns(name)
    meta = {k.decode(): v.decode() for k, v in schema.metadata.items()}
    assert meta["inferlab.table"] == name
    assert meta["inferlab.table_revision"] == str(declared["revision"])
    assert meta["inferlab.contract"] == declared["contract"]
    for figure, text in declared["definitions"].items():
        assert meta[f"inferlab.definition.{figure}"] == text
    for f in declared["fields"]:
        field = schema.field(f["name"])
        assert field.type.equals(ARROW[f["type"]], check_metadata=False), f["name"]
        assert field.nullable == f["nullable"], f["name"]
        assert field.metadata[b"unit"].decode() == f["unit"]
        assert field.metadata[b"description"].decode() == f["description"]


@tables
def test_types_in_other_readers(name, table):
    declared = CATALOG[name]["fields"]
    described = duckdb.sql(f"describe select * from read_parquet('{parquet(table, name)}')").fetchall()
    assert [(d[0], d[1]) for d in described] == [(f["name"], DUCKDB[f["type"]]) for f in declared]
    frame = pl.read_parquet(parquet(table, name))
    assert [(c, polars_type(t)) for c, t in frame.schema.items()] == [(f["name"], f["type"].replace("text", "label")) for f in declared]
    for f in declared:
        dtype = pd.read_parquet(parquet(table, name), columns=[f["name"]], dtype_backend="pyarrow")[f["name"]].dtype
        assert str(dtype).startswith({"int64": "int64", "float64": "double", "text": "string", "label": "dictionary",
                                      "list<int64>": "list", "list<label>": "list"}[f["type"]]), f["name"]


@tables
def test_nulls_stand_only_where_declared(name, table):
    read = pq.read_table(parquet(table, name))
    read.validate(full=True)
    for f in CATALOG[name]["fields"]:
        column = read.column(f["name"])
        if not f["nullable"]:
            assert column.null_count == 0, f["name"]
        if f["type"].startswith("list"):
            assert all(None not in row for row in column.to_pylist() if row is not None), f["name"]


@tables
@readers
def test_every_reader_reads_the_same_rows(read, name, table):
    got, want = read(table, name, columns(name)), rows_pyarrow(table, name, columns(name))
    assert got == want
    assert want, "the run must fill the table"
    for row in got:
        for f, value in zip(CATALOG[name]["fields"], row):
            kinds = {"int64": int, "float64": float, "text": str, "label": str}.get(f["type"], list)
            assert value is None or type(value) is kinds, f["name"]


@tables
def test_arrow_file_equals_parquet(name, table):
    with pa.memory_map(str(table / f"{name}.arrow")) as source:
        arrow, read = pa.ipc.open_file(source).read_all(), pq.read_table(parquet(table, name))
        assert arrow.schema.equals(read.schema, check_metadata=True)
        assert arrow.equals(read)
    assert pl.read_ipc(table / f"{name}.arrow").height == read.num_rows


def test_four_readers():
    assert len(READERS) == 4
