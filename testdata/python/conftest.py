"""The run under test: a directory with result.json and the tables of the same run.

INFERLAB_OUT names the directory. It holds NAME.parquet for every table, NAME.arrow
as well when the run was written in both forms, and the full result document.
"""

import json
import os
import pathlib

import pytest


@pytest.fixture(scope="session")
def out():
    path = os.environ.get("INFERLAB_OUT")
    if not path:
        pytest.fail("INFERLAB_OUT does not name the directory of a run")
    return pathlib.Path(path)


@pytest.fixture(scope="session")
def document(out):
    with open(out / "result.json", encoding="utf-8") as f:
        return json.load(f)


@pytest.fixture(scope="session")
def serving(document):
    return document["serving"]
