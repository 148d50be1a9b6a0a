"""Every notebook, executed by nbclient on the installed kernel and converted by
nbconvert; the page, opened with the network off, shows every figure."""

import os
import pathlib

import nbformat
import pytest
from conftest import all_notebooks, language
from nbclient import NotebookClient
from nbconvert import HTMLExporter


@pytest.fixture(scope="module")
def workdir(tmp_path_factory):
    return tmp_path_factory.mktemp("notebooks")


def in_order():
    """The quickstart first: the Python notebook reads what it wrote."""
    return sorted(all_notebooks(), key=lambda p: (p.name != "quickstart.ipynb", p.name))


def figures(nb):
    return [o for c in nb.cells for o in c.get("outputs", []) if "image/svg+xml" in o.get("data", {}) or "image/png" in o.get("data", {})]


def texts(nb):
    """What the cells show in words, without what differs between runs."""
    shown = []
    for c in nb.cells:
        for o in c.get("outputs", []):
            data = o.get("data", {})
            shown.append((c.id, o.output_type, sorted(data), data.get("text/plain")))
    return shown


@pytest.mark.parametrize("path", in_order(), ids=lambda p: p.stem)
def test_nbclient(path, workdir, browser):
    committed = nbformat.read(path, as_version=4)
    nb = nbformat.read(path, as_version=4)
    name = nb.metadata.kernelspec.name
    assert name == {"go": "inferlab", "python": "python3"}[language(path)]
    NotebookClient(nb, timeout=300, kernel_name=name, resources={"metadata": {"path": str(workdir)}}).execute()
    assert texts(nb) == texts(committed)
    check_page(nb, workdir / (path.stem + ".html"), browser)


def check_page(nb, page_path, browser):
    body, _ = HTMLExporter().from_notebook_node(nb)
    page_path.write_text(body, encoding="utf-8")
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(pathlib.Path(page_path).as_uri(), wait_until="load")
    drawn = page.evaluate(
        """() => [...document.querySelectorAll('.jp-OutputArea-output svg, .jp-OutputArea-output img')]
            .filter(e => { const r = e.getBoundingClientRect(); return r.width > 100 && r.height > 60 && (e.tagName !== 'IMG' || e.naturalWidth > 0) }).length"""
    )
    context.close()
    assert drawn >= len(figures(nb))
