"""A person's session: `inferlab lab` starts JupyterLab, a browser opens the quickstart
in it, runs all cells, moves a slider and sees the figure change, and a table turns its
page; an interrupt ends JupyterLab with its kernels."""

import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

import psutil
import pytest
from conftest import NOTEBOOKS

INFERLAB = os.environ.get("INFERLAB", str(NOTEBOOKS.parent / "bin" / "inferlab"))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root, log = tmp_path_factory.mktemp("lab"), tmp_path_factory.mktemp("log") / "lab.log"
    shutil.copy(NOTEBOOKS / "quickstart.ipynb", root)
    with open(log, "w") as out:
        p = subprocess.Popen(
            [INFERLAB, "lab", "--env", sys.prefix, "--dir", root, "--no-browser", "--port", str(free_port())],
            cwd=NOTEBOOKS, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
    address = re.compile(r"http://127\.0\.0\.1:\d+/lab\?token=\w+")
    wait_for("JupyterLab's address", lambda: p.poll() is not None or address.search(log.read_text()))
    assert p.poll() is None, log.read_text()
    yield address.search(log.read_text()).group()
    started = psutil.Process(p.pid).children(recursive=True)
    assert len(started) > 1  # JupyterLab and the kernel at least
    p.send_signal(signal.SIGINT)
    assert p.wait(timeout=60) == 0, log.read_text()
    assert log.read_text().endswith("inferlab: JupyterLab has ended\n")
    _, alive = psutil.wait_procs(started, timeout=10)
    assert not alive


def test_asks_before_it_sets_up(tmp_path):
    """At a terminal it says what it will do and waits for an answer."""
    terminal, its_end = pty.openpty()
    env = tmp_path / "env"
    p = subprocess.Popen([INFERLAB, "lab", "--env", env, "--setup-only"], cwd=NOTEBOOKS, stdin=its_end, stdout=its_end, stderr=its_end)
    os.close(its_end)
    said = b""
    while b"Go on? [y/N] " not in said:
        said += os.read(terminal, 4096)
    os.write(terminal, b"n\n")
    assert p.wait(timeout=60) == 1
    said += os.read(terminal, 4096)
    os.close(terminal)
    assert b"fetch JupyterLab and what it needs" in said and b"build the kernel Inferlab (Go)" in said
    assert b"lab: nothing was set up" in said
    assert not env.exists()


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
    page = browser.new_page(viewport={"width": 1300, "height": 1100})
    page.goto(server.replace("/lab?", "/lab/tree/quickstart.ipynb?") + "&reset")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=120_000)
    page.wait_for_selector(".jp-NotebookPanel-toolbar", timeout=60_000)
    page.wait_for_selector("text=Inferlab (Go)", timeout=60_000)
    page.locator(".lm-MenuBar-itemLabel", has_text=re.compile("^Run$")).click()
    page.locator(".lm-Menu-itemLabel", has_text=re.compile("^Run All Cells$")).click()
    slider = page.locator("input[data-control][type=range]").first
    slider.wait_for(timeout=240_000)
    wait_for("the first figure", lambda: figure_of_controls(page))
    before = figure_of_controls(page)
    slider.scroll_into_view_if_needed()
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
