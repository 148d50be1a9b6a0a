"""Rows of a table by each of the four readers: a list of tuples of Python values."""

import duckdb
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest


def parquet(out, name):
    return out / f"{name}.parquet"


def rows_pyarrow(out, name, columns):
    table = pq.read_table(parquet(out, name), columns=columns)
    return [tuple(r[c] for c in columns) for r in table.to_pylist()]


def rows_pandas(out, name, columns):
    frame = pd.read_parquet(parquet(out, name), columns=columns, dtype_backend="pyarrow")
    cells = [frame[c].astype(object).tolist() for c in columns]
    return [tuple(map(plain, row)) for row in zip(*cells)]


def plain(value):
    """A pandas cell as a Python value: arrays are lists, missing is None."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return None if value is pd.NA or value != value else value


def rows_polars(out, name, columns):
    return pl.read_parquet(parquet(out, name), columns=columns).select(columns).rows()


def rows_duckdb(out, name, columns):
    names = ", ".join(f'"{c}"' for c in columns)
    return duckdb.sql(f"select {names} from read_parquet('{parquet(out, name)}')").fetchall()


READERS = [rows_pyarrow, rows_pandas, rows_polars, rows_duckdb]
readers = pytest.mark.parametrize("read", READERS, ids=lambda f: f.__name__.removeprefix("rows_"))
