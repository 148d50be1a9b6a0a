"""The runs under test. INFERLAB names the binary (bin/inferlab when it is not set) and
INFERLAB_OUT a directory for the runs."""

import os
import pathlib

import pytest

import runs


def pytest_configure(config):
    config.addinivalue_line("markers", "table(name...): the test compares rows of these tables with the document of their run")


@pytest.fixture(scope="session")
def run_of(tmp_path_factory):
    """Finds a run by name; each is made once."""
    root = os.environ.get("INFERLAB_OUT")
    root = pathlib.Path(root) if root else tmp_path_factory.mktemp("runs")
    made = {}

    def get(name):
        if name not in made:
            made[name] = runs.Run(name, root / name)
        return made[name]

    return get


@pytest.fixture(scope="session")
def out(run_of):
    return run_of("served").directory


@pytest.fixture(scope="session")
def document(run_of):
    return run_of("served").document


@pytest.fixture(scope="session")
def serving(document):
    return document["serving"]
