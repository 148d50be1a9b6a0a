"""Rows of the tables that are not of a serving run alone, beside the documents of their runs."""

import json

import duckdb
import pytest

from readers import parquet, readers, rows_pyarrow


@pytest.mark.table("serving_comparison")
@readers
def test_comparison(read, run_of):
    run = run_of("compared")
    keys = {"rank": "rank", "scenario_id": "scenarioId", "confidence": "confidence", "relative_to_fastest": "relativeToFastest",
            "total_duration_ns": "totalDurationNs", "throughput_tokens_per_second": "throughputTokensPerSecond",
            "p95_ttft_ns": "p95TimeToFirstTokenNs", "p95_itl_ns": "p95InterTokenLatencyNs", "average_request_latency": "averageRequestLatencyNs",
            "batches": "batches", "kv_high_water_tokens": "kvHighWaterTokens", "target_forwards": "targetForwards",
            "proposed_draft_tokens": "proposedDraftTokens", "accepted_draft_tokens": "acceptedDraftTokens", "replay_applied_events": "replayAppliedEvents"}
    assert read(run.directory, "serving_comparison", list(keys)) == [tuple(e[k] for k in keys.values()) for e in run.document["comparison"]]


@pytest.mark.table("speculative_iterations")
@readers
def test_iterations(read, run_of):
    run = run_of("drafted")
    keys = {"iteration": "iteration", "outcome": "outcome", "base_tokens": "baseTokenLength", "guaranteed_target_tokens": "guaranteedTargetTokens",
            "proposed_additional_tokens": "proposedAdditionalTokens", "accepted_additional_tokens": "acceptedAdditionalTokens",
            "proposed_draft_tokens": "proposedDraftTokens", "accepted_draft_tokens": "acceptedDraftTokens",
            "rejected_draft_tokens": "rejectedDraftTokens", "target_authoritative_tokens": "targetAuthoritativeTokens",
            "committed_tokens": "committedTokens", "final_tokens": "finalTokenLength"}
    assert read(run.directory, "speculative_iterations", list(keys)) == [tuple(e[k] for k in keys.values()) for e in run.document["iterations"]]


@pytest.mark.table("acceptance_by_position")
@readers
def test_acceptance(read, run_of):
    """A position is tried when all before it were accepted."""
    run = run_of("drafted")
    want = []
    for position, share in enumerate(run.document["metrics"]["acceptanceByPosition"], start=1):
        lengths = [(e["proposedAdditionalTokens"], e["acceptedAdditionalTokens"]) for e in run.document["iterations"]]
        proposals = sum(p >= position for p, _ in lengths)
        trials = sum(p >= position and a >= position - 1 for p, a in lengths)
        accepted = sum(a >= position for _, a in lengths)
        want.append((position, proposals, trials, accepted, accepted / trials, share))
    columns = ["position", "proposals", "trials", "accepted", "conditional_acceptance", "share_of_proposals"]
    assert read(run.directory, "acceptance_by_position", columns) == want


def at_ns(event):
    if "load" in event:
        return event["load"]["startedAtNs"]
    for key in ("atNs", "completedAtNs", "readyAtNs"):
        if key in event:
            return event[key]
    return 0


@pytest.mark.table("expert_events")
@readers
def test_expert_events(read, run_of):
    run = run_of("experts")
    want = []
    for e in run.document["trace"]:
        load = e.get("load", {})
        experts = e.get("expertIds", []) if e["kind"] != "initialize" else []
        want.append((e["sourceSequence"], e["kind"], at_ns(e), e.get("tokenIndex"), load.get("expertId", e.get("expertId")),
                     load.get("bytes", e.get("bytes")), load.get("completesAtNs"), e.get("stallNs"), experts))
    columns = ["source_sequence", "kind", "at_ns", "token_index", "expert_id", "bytes", "completes_at_ns", "stall_ns", "experts"]
    assert read(run.directory, "expert_events", columns) == want


@pytest.mark.table("expert_accesses")
@readers
def test_expert_accesses(read, run_of):
    run = run_of("experts")
    want = [(int(r["requestId"].removeprefix("expert-request-")), choice, expert, tier, r["requestedAtNs"], r["readyAtNs"], r["stallNs"])
            for r in run.document["routes"] for choice, (expert, tier) in enumerate(zip(r["expertIds"], r["sourceTiers"], strict=True))]
    columns = ["request", "choice", "expert_id", "source_tier", "requested_at_ns", "ready_at_ns", "stall_ns"]
    assert read(run.directory, "expert_accesses", columns) == want


@pytest.mark.table("expert_residency")
@readers
def test_expert_residency(read, run_of):
    """A stay begins when a load completes and ends with an eviction, or with the trace."""
    run = run_of("experts")
    stays, open_stays = [], {}
    for e in run.document["trace"]:
        if e["kind"] == "load_complete":
            key = e["targetTier"], e["expertId"]
            open_stays[key] = len(stays)
            stays.append([e["expertId"], e["targetTier"], int(e["loadId"].removeprefix("expert-load-")), e["completedAtNs"],
                          run.document["snapshot"]["currentTimeNs"], "resident"])
        elif e["kind"] == "evict":
            stays[open_stays.pop((e["tier"], e["expertId"]))][4:] = [e["atNs"], "evicted"]
    got = read(run.directory, "expert_residency", ["expert_id", "tier", "load", "from_ns", "to_ns", "end"])
    assert got == [tuple(s) for s in stays]


@pytest.mark.table("batch_routing")
@readers
def test_batch_routing(read, run_of):
    run = run_of("composed")
    got = read(run.directory, "batch_routing", ["batch_id", "routes", "cache_constraint_ns"])
    assert got == [(b["batchId"], b["expertRoutes"], b["cacheConstraintNs"]) for b in run.document["batches"]]
    assert sum(n for n, in read(run.directory, "batch_routing", ["demand_loads"])) == run.document["expertCache"]["metrics"]["demandLoads"]


@pytest.mark.table("executions")
@readers
def test_executions(read, run_of):
    run = run_of("composed")
    physical = run.trace["physical"]
    ends = {t["executionId"]: t["timestampNs"] for t in physical["terminals"]}
    count = {}
    for o in physical["operations"]:
        count[o["event"]["executionId"]] = count.get(o["event"]["executionId"], 0) + 1
    want = [(a["executionId"], a["admissionOrder"], a["arrivalNs"], ends[a["executionId"]], count[a["executionId"]]) for a in physical["admissions"]]
    assert read(run.directory, "executions", ["execution_id", "admission_order", "admitted_at_ns", "finished_at_ns", "operations"]) == want


def operation(e):
    return (e["executionId"], e["sourceSequence"], e["stepId"], e["kind"], e.get("collectiveAlgorithm"), e.get("groupId"), e["submittedAtNs"],
            e["startNs"], e["finishNs"], e["startNs"] - e["submittedAtNs"], e["finishNs"] - e["startNs"],
            [r["resourceId"] for r in e["resources"]], [r["resourceLane"] for r in e["resources"]], e["participants"])


OPERATION = ["execution_id", "source_sequence", "step_id", "kind", "algorithm", "group_id", "submitted_at_ns", "start_ns", "finish_ns", "wait_ns",
             "service_ns", "resources", "lanes", "participants"]


@pytest.mark.table("physical_operations")
@readers
def test_physical_operations(read, run_of):
    run = run_of("composed")
    want = [(o["globalSequence"], *operation(o["event"])) for o in run.trace["physical"]["operations"]]
    assert read(run.directory, "physical_operations", ["global_sequence", *OPERATION]) == want


@pytest.mark.table("physical_reservations")
@readers
def test_physical_reservations(read, run_of):
    run = run_of("composed")
    want = sorted((r["resourceId"], r["resourceLane"], o["event"]["startNs"], o["event"]["finishNs"], o["globalSequence"], o["event"]["kind"])
                  for o in run.trace["physical"]["operations"] for r in o["event"]["resources"])
    got = read(run.directory, "physical_reservations", ["resource_id", "lane", "start_ns", "finish_ns", "global_sequence", "kind"])
    assert sorted(got) == want


@pytest.mark.table("plan_operations")
@readers
def test_plan_operations(read, run_of):
    run = run_of("planned")
    want = [(*operation(e), e["reads"], e["writes"]) for e in run.trace["trace"]["operations"]]
    assert read(run.directory, "plan_operations", [*OPERATION, "reads", "writes"]) == want


@pytest.mark.table("plan_terminals")
@readers
def test_plan_terminals(read, run_of):
    run = run_of("planned")
    terminal = run.trace["trace"]["terminal"]
    want = [(terminal["executionId"], terminal["status"], r["rankId"], r["status"], r["terminalAtNs"]) for r in terminal["rankStates"]]
    assert read(run.directory, "plan_terminals", ["execution_id", "execution_status", "rank_id", "status", "terminal_at_ns"]) == want


@pytest.mark.table("plan_steps")
@readers
def test_plan_steps(read, run_of):
    run = run_of("planned")
    want = []
    for i, step in enumerate(run.trace["inputs"]["plan"]["steps"]):
        o = step["operation"]
        want.append((0, i, step["id"], o["kind"], o.get("deviceId"), o.get("capability"), step["participants"], step["dependencies"], step["reads"], step["writes"]))
    columns = ["plan", "plan_index", "step_id", "kind", "device_id", "capability", "participants", "dependencies", "reads", "writes"]
    assert read(run.directory, "plan_steps", columns) == want


@pytest.mark.table("plan_executions")
@readers
def test_plan_executions(read, run_of):
    run = run_of("planned")
    terminal = run.trace["trace"]["terminal"]
    want = [(terminal["executionId"], terminal["status"], terminal["timestampNs"], len(run.trace["trace"]["operations"]), 0)]
    assert read(run.directory, "plan_executions", ["execution_id", "status", "completed_at_ns", "submitted_operations", "unsubmitted_steps"]) == want


@pytest.mark.table("plan_faults")
@readers
def test_plan_faults(read, run_of):
    """The run without a fault comes first, without the facts of a case."""
    run = run_of("faulted")
    b, ranks = run.document["baseline"], len(run.document["cases"][0]["rankStates"])
    want = [(None, None, None, b["status"], b["completedAtNs"], b["submittedSteps"], 0, ranks, 0, 0, b["replayAppliedEvents"])]
    want += [(c["id"], c["fault"]["kind"], c["fault"]["atNs"], c["status"], c["completedAtNs"], c["submittedSteps"], c["unsubmittedSteps"],
             *(sum(r["status"] == s for r in c["rankStates"]) for s in ("succeeded", "aborted", "failed")), c["replayAppliedEvents"])
            for c in run.document["cases"]]
    columns = ["case_id", "fault_kind", "at_ns", "status", "completed_at_ns", "submitted_steps", "unsubmitted_steps",
               "ranks_succeeded", "ranks_aborted", "ranks_failed", "replay_applied_events"]
    assert read(run.directory, "plan_faults", columns) == want
    (none,), *lists = read(run.directory, "plan_faults", ["unsubmitted_step_ids"])
    assert none == []
    for case, (steps,) in zip(run.document["cases"], lists, strict=True):
        preview = case["unsubmittedStepIdsPreview"]
        assert len(steps) == case["unsubmittedSteps"] and steps[:len(preview)] == preview


@pytest.mark.table("plan_fault_ranks")
@readers
def test_plan_fault_ranks(read, run_of):
    run = run_of("faulted")
    want = [(c["id"], r["rankId"], r["status"], r["terminalAtNs"]) for c in run.document["cases"] for r in c["rankStates"]]
    got = read(run.directory, "plan_fault_ranks", ["case_id", "rank_id", "status", "terminal_at_ns"])
    without = [row for row in got if row[0] is None]
    assert got == without + want
    assert {status for _, _, status, _ in without} == {"succeeded"}
    assert max(at for *_, at in without) == run.document["baseline"]["completedAtNs"]


def dataset(run):
    return run.document["inputs"]["dataset"]["calibration"]


@pytest.mark.table("calibration_groups")
@readers
def test_calibration_groups(read, run_of):
    run = run_of("calibrated")
    keys = {"device_kind": "deviceKind", "capability": "capability", "observations": "observationPoints", "samples": "samples",
            "min_work_items": "minWorkItems", "max_work_items": "maxWorkItems", "coefficient_ns": "coefficientNs",
            "standard_error_ns_float": "standardErrorNs", "confidence95_ns_float": "confidence95Ns", "normalized_rmse": "normalizedRmse",
            "p95_relative_error": "p95RelativeError"}
    assert read(run.directory, "calibration_groups", list(keys)) == [tuple(d[k] for k in keys.values()) for d in run.document["diagnostics"]]


@pytest.mark.table("calibration_points")
@readers
def test_calibration_points(read, run_of):
    run = run_of("calibrated")
    observed = {o["id"]: (o["device_kind"], o["capability"], o["work_items"], len(o["durations_ns"]), min(o["durations_ns"]), max(o["durations_ns"]))
                for o in dataset(run)["observations"]}
    got = read(run.directory, "calibration_points", ["observation_id", "device_kind", "capability", "work_items", "samples", "min_ns", "max_ns"])
    assert {row[0]: row[1:] for row in got} == observed
    assert len(got) == len(observed)


@pytest.mark.table("calibration_transports")
@readers
def test_calibration_transports(read, run_of):
    run = run_of("calibrated")
    keys = {"scenario_id": "scenarioId", "operation": "operation", "algorithm": "algorithm", "participants": "participantCount",
            "observations": "observationPoints", "samples": "samples", "min_bytes": "minBytes", "max_bytes": "maxBytes",
            "normalized_rmse": "normalizedRmse", "p95_relative_error": "p95RelativeError"}
    got = read(run.directory, "calibration_transports", list(keys))
    assert sorted(got) == sorted(tuple(d[k] for k in keys.values()) for d in run.document["transportDiagnostics"])


@pytest.mark.table("calibration_sizes")
@readers
def test_calibration_sizes(read, run_of):
    run = run_of("calibrated")
    want = [(c["operation"], c["linkIds"], p["bytes"], p["durationNs"]) for c in run.document["costModel"]["transportCurves"] for p in c["points"]]
    got = []
    for transport, size, duration in read(run.directory, "calibration_sizes", ["transport_id", "bytes", "duration_ns"]):
        identity = json.loads(transport)
        got.append((identity["operation"], identity["linkIds"], size, duration))
    assert sorted(got) == sorted(want)


@pytest.mark.table("calibration_samples")
@readers
def test_calibration_samples(read, run_of):
    run = run_of("calibrated")
    data = dataset(run)
    want = {o["id"]: sorted(o["durations_ns"]) for key in ("observations", "transport_observations") for o in data.get(key, [])}
    got = {}
    for name, duration, predicted, residual in read(run.directory, "calibration_samples", ["observation_id", "duration_ns", "predicted_ns_float", "residual_ns_float"]):
        got.setdefault(name, []).append(duration)
        assert abs(residual) == abs(predicted - duration)
    assert {name: sorted(list_) for name, list_ in got.items()} == want


@pytest.mark.table("calibration_refusals")
@readers
def test_calibration_refusals(read, run_of):
    """Every refusal is a figure of a group beyond its gate; the join finds it."""
    out = run_of("refused").directory
    got = read(out, "calibration_refusals", ["group", "statistic", "value", "bound", "observation_id"])
    assert got
    groups = {f"{k} {c}": e for k, c, e in rows_pyarrow(out, "calibration_groups", ["device_kind", "capability", "normalized_rmse"])}
    for group, statistic, value, bound, _ in got:
        assert statistic == "normalizedRmse" and bound == 0.015 and value > bound
        if group in groups:
            assert value == groups[group]
    refused = {g for g, e in groups.items() if e > 0.015}
    assert refused == {group for group, *_ in got} & set(groups)
    [joined] = duckdb.sql(f"""select count(*) from read_parquet('{parquet(out, "calibration_refusals")}') r
        where observation_id in (select observation_id from read_parquet('{parquet(out, "calibration_points")}'))
           or observation_id in (select observation_id from read_parquet('{parquet(out, "calibration_sizes")}'))""").fetchall()
    assert joined == (len(got),)
