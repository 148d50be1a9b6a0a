"""What the tests of the installed kernel share. INFERLAB names the command, and
INFERLAB_ENV the Python environment into which `inferlab kernel install --prefix`
has installed the kernel; the tests run in that environment's Python."""

import os
import pathlib
import shutil

import nbformat
import pytest

NOTEBOOKS = pathlib.Path(__file__).resolve().parents[2]

# Nothing is fetched once the module cache is warm.
os.environ["GOPROXY"] = "off"


def go_notebooks():
    return [p for p in all_notebooks() if language(p) == "go"]


def all_notebooks():
    return sorted(NOTEBOOKS.glob("*.ipynb"))


def language(path):
    return nbformat.read(path, as_version=4).metadata.kernelspec.language


@pytest.fixture(scope="session")
def chromium():
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.fail("no Chromium is installed")
    return path


@pytest.fixture(scope="session")
def browser(chromium):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as p:
        b = p.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield b
        b.close()


@pytest.fixture(scope="session")
def shots():
    """Where pictures are left for people to look at."""
    path = pathlib.Path(os.environ.get("INFERLAB_OUT", "out/jupyter"))
    path.mkdir(parents=True, exist_ok=True)
    return path
