"""A person's session: JupyterLab in a browser opens the quickstart, runs all cells,
moves a slider and sees the figure change; a table turns its page."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time

import pytest
from conftest import NOTEBOOKS


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("lab")
    shutil.copy(NOTEBOOKS / "quickstart.ipynb", root)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    token = os.urandom(16).hex()
    log = open(root / "jupyter.log", "w")
    jupyter = pathlib.Path(sys.executable).parent / "jupyter"
    p = subprocess.Popen(
        [jupyter, "lab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}",
         f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={root}",
         "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate", "--LabApp.news_url=None"],
        cwd=root, stdout=log, stderr=subprocess.STDOUT)
    address = f"http://127.0.0.1:{port}"
    for _ in range(240):
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.25)
    else:
        pytest.fail("JupyterLab does not listen")
    yield address, token
    p.terminate()
    p.wait(timeout=60)


def figure_of_controls(page):
    return page.evaluate(
        """() => { const cell = document.querySelector('input[data-control]').closest('.jp-Cell');
            const images = [...cell.querySelectorAll('.jp-OutputArea-output img')];
            return images.length ? images[images.length - 1].src : '' }""")


def wait_for(what, condition, seconds=90):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.25)
    pytest.fail(f"{what} has not come in {seconds} s")


def test_session(server, browser, shots):
    address, token = server
    page = browser.new_page(viewport={"width": 1300, "height": 1100})
    page.goto(f"{address}/lab/tree/quickstart.ipynb?token={token}&reset")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=120_000)
    page.wait_for_selector(".jp-NotebookPanel-toolbar", timeout=60_000)
    page.wait_for_selector("text=Inferlab (Go)", timeout=60_000)
    page.locator(".lm-MenuBar-itemLabel", has_text=re.compile("^Run$")).click()
    page.locator(".lm-Menu-itemLabel", has_text=re.compile("^Run All Cells$")).click()
    slider = page.locator("input[data-control][type=range]").first
    slider.wait_for(timeout=240_000)
    wait_for("the first figure", lambda: figure_of_controls(page))
    before = figure_of_controls(page)
    page.screenshot(path=shots / "before.png")
    slider.fill("4")
    wait_for("another figure", lambda: figure_of_controls(page) not in ("", before))
    page.screenshot(path=shots / "after.png")
    moved = figure_of_controls(page)
    slider.fill("16")
    wait_for("the first figure again", lambda: figure_of_controls(page) == before)
    assert moved != before
    page.locator("button[data-done]").click()
    wait_for("the line of values", lambda: page.locator("text=sequences in a batch = 16, machine = multi-gpu").count() == 1)
    turn_table(page)
    page.screenshot(path=shots / "table.png")


def turn_table(page):
    """The table of requests turns its page and sorts by a column."""
    later = page.locator("button", has_text="later ›").first
    for _ in range(60):  # cells out of view are not in the page
        if later.count():
            break
        page.mouse.move(700, 600)
        page.mouse.wheel(0, -500)
        time.sleep(0.3)
    later.scroll_into_view_if_needed()
    later.click()
    box = later.locator("xpath=ancestor::div[1]/..")
    assert "rows 11 to 20 of" in box.inner_text()
    first = box.locator("tbody tr").first.inner_text()
    box.locator("th").nth(2).click()
    wait_for("the sorted table", lambda: box.locator("tbody tr").first.inner_text() != first)
    assert "rows 1 to 10 of" in box.inner_text()
