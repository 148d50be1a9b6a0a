"""The tables of a paged KV cache say what the result document of the same speculative
run says."""

import pytest

from readers import readers


@pytest.fixture(scope="module")
def pages(run_of):
    return run_of("drafted").directory


@pytest.fixture(scope="module")
def paged(run_of):
    return run_of("drafted").document["pagedKv"]


@pytest.mark.table("kv_events")
@readers
def test_events(read, pages, paged):
    got = read(pages, "kv_events", ["source_sequence", "kind", "checkpoint_id", "pages_allocated", "pages_released", "length_tokens"])
    want, length = [], 0
    for e in paged["trace"]:
        length = e.get("finalTokenLength", e.get("initialTokenLength", length))
        checkpoint = e["checkpoint"]["checkpointId"] if e["kind"] == "checkpoint" else e.get("checkpointId")
        want.append((e["sourceSequence"], e["kind"], checkpoint, len(e.get("allocatedPageIds", [])), len(e.get("releasedPageIds", [])), length))
    assert got == want


@pytest.mark.table("kv_pages")
@readers
def test_pages(read, pages, paged):
    """Every page stands once, from the event that takes it to the one that gives it back."""
    taken, released = {}, {}
    for e in paged["trace"]:
        for page in e.get("allocatedPageIds", []):
            taken[page] = e["sourceSequence"]
        for page in e.get("releasedPageIds", []):
            released[page] = e["sourceSequence"]
    got = read(pages, "kv_pages", ["page_id", "allocated_by", "released_by"])
    assert got == [(page, at, released.get(page)) for page, at in taken.items()]
    assert released, "the run must give pages back"


@readers
def test_live_pages_are_those_of_the_snapshot(read, pages, paged):
    live = [page for page, end in read(pages, "kv_pages", ["page_id", "released_by"]) if end is None]
    assert live == [page["physicalPageId"] for page in paged["snapshot"]["livePages"]]
