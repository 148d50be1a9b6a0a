"""Every shape of list and null survives: null, empty, one element, several, and
lists longer than a page. The table is made by arrowio/internal/exportshapes, whose
rules are restated here."""

import pathlib
import subprocess

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

ROOT = pathlib.Path(__file__).parents[2]
VOCABULARY = ["", "ü", "\U0001f600"]
ROWS, LONG = 6000, 400_000


@pytest.fixture(scope="module")
def shapes(tmp_path_factory):
    directory = tmp_path_factory.mktemp("shapes")
    subprocess.run(["go", "run", "./arrowio/internal/exportshapes", str(directory)], cwd=ROOT, check=True)
    return directory


def expected():
    word = lambda r: VOCABULARY[r % 3]
    for r in range(ROWS):
        yield (
            r,
            None if r % 3 == 1 else -r,
            None if r % 5 == 2 else word(r),
            None if r % 7 == 3 else [r] * (LONG if r == 5 else r % 4),
            None if r % 11 == 4 else [word(r + i) for i in range(LONG if r == 6 else r % 3)],
        )


def read_pyarrow(directory, name):
    table = pq.read_table(directory / f"{name}.parquet")
    table.validate(full=True)
    return list(zip(*(c.to_pylist() for c in table.columns)))


def read_arrow_file(directory, name):
    with pa.ipc.open_file(directory / f"{name}.arrow") as f:
        table = f.read_all()
    table.validate(full=True)
    return list(zip(*(c.to_pylist() for c in table.columns)))


def read_polars(directory, name):
    return pl.read_parquet(directory / f"{name}.parquet").rows()


def read_polars_arrow_file(directory, name):
    return pl.read_ipc(directory / f"{name}.arrow").rows()


def read_duckdb(directory, name):
    return duckdb.sql(f"select * from read_parquet('{directory}/{name}.parquet')").fetchall()


def read_pandas(directory, name):
    frame = pd.read_parquet(directory / f"{name}.parquet", dtype_backend="pyarrow")

    def plain(v):
        if hasattr(v, "tolist"):
            return v.tolist()
        return None if v is pd.NA or v != v else v

    return [tuple(map(plain, row)) for row in zip(*(frame[c].astype(object).tolist() for c in frame.columns))]


@pytest.mark.parametrize("read", [read_pyarrow, read_arrow_file, read_polars, read_polars_arrow_file, read_duckdb, read_pandas])
@pytest.mark.parametrize("name", ["shapes", "plain_shapes"])
def test_every_shape(read, name, shapes):
    count = 0
    for got, want in zip(read(shapes, name), expected(), strict=True):
        assert got[:3] == want[:3]
        # Compared apart and without a message: a difference of long lists would
        # take minutes to print.
        if got[3] != want[3] or got[4] != want[4]:
            pytest.fail(f"row {want[0]}: a list differs")
        count += 1
    assert count == ROWS


def test_plain_strings_are_plain(shapes):
    """The plain form has no dictionary, neither in the schema nor in the file's own."""
    for schema in (pq.read_schema(shapes / "plain_shapes.parquet"), pa.ipc.open_file(shapes / "plain_shapes.arrow").schema):
        assert schema.field("word").type == pa.string()
        assert schema.field("words").type.value_type == pa.string()
    assert pq.read_schema(shapes / "shapes.parquet").field("word").type == pa.dictionary(pa.int32(), pa.string())
