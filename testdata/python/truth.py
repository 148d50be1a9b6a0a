"""What the tables must say, derived from the result document alone."""

import math


def nearest_rank(samples, numerator, denominator):
    """The percentile of the contracts: no interpolation, 0 without samples."""
    ordered = sorted(samples)
    if not ordered:
        return 0
    return ordered[max(math.ceil(len(ordered) * numerator / denominator), 1) - 1]


def batches(serving):
    """The batch_start and batch_finish events, paired by batch id."""
    starts, finishes = {}, {}
    for event in serving["trace"]:
        if event["kind"] == "batch_start":
            starts[event["batch"]["batchId"]] = event
        elif event["kind"] == "batch_finish":
            finishes[event["batchId"]] = event
    return [(starts[i], finishes[i]) for i in sorted(starts)]


def tokens(serving):
    """Rows of the table tokens: (batch, request, index, time, gap or None, source)."""
    rows, last = [], {}
    for start, finish in batches(serving):
        for token in finish["emittedTokens"]:
            request, now = token["requestId"], finish["atNs"]
            gap = now - last[request] if request in last else None
            last[request] = now
            rows.append((start["batch"]["batchId"], request, token["tokenIndex"], now, gap, token["source"]))
    return rows


def members(serving):
    """Rows of the table batch_members: (batch, request, phase, tokens, committed or None)."""
    rows = []
    for start, _ in batches(serving):
        batch = start["batch"]
        for p in batch["prefill"]:
            rows.append((batch["batchId"], p["requestId"], "prefill", p["tokens"], None))
        for d in batch["decode"]:
            rows.append((batch["batchId"], d["requestId"], "decode", d["targetTokenWidth"], d["committedTokens"]))
    return rows


def kv_level(serving):
    """The level of the KV pool in tokens after each change: (time, tokens)."""
    level = []
    for start, finish in batches(serving):
        if level and level[-1][0] == start["atNs"]:
            level[-1] = (start["atNs"], start["transientKvTokens"])
        else:
            level.append((start["atNs"], start["transientKvTokens"]))
        level.append((finish["atNs"], finish["kvTokensAfter"]))
    return level
