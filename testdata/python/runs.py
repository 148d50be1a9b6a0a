"""The runs whose tables are read: each leaves a directory with result.json, NAME.parquet
and NAME.arrow for every table, and trace.json where the command writes a protocol trace."""

import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).parents[2]
BINARY = os.environ.get("INFERLAB", str(ROOT / "bin" / "inferlab"))

EXPERT_CACHE = """expert_cache:
  experts:
    - {id: a, bytes: 1048576, routing_weight: 2}
    - {id: "ü\\"b", bytes: 1048576}
    - {id: c, bytes: 1048576}
  hot_capacity_bytes: 2097152
  warm_capacity_bytes: 2097152
  warm_to_hot_latency_ns: 3000
  cold_to_hot_latency_ns: 30000
  cold_to_warm_latency_ns: 20000
  adaptive_prefetch: {target_tier: warm, min_observations: 1, interval_tokens: 4, max_experts_per_decision: 1}
"""

COMPOSED = """serving:
  max_batch_size: 2
  max_batch_tokens: 8
  prefill_chunk_tokens: 4
  max_kv_tokens: 40
  requests:
    - {id: r0, arrival_ns: 0, prompt_tokens: 6, output_tokens: 4}
    - {id: r1, arrival_ns: 90000000, prompt_tokens: 4, output_tokens: 3}
""" + EXPERT_CACHE.replace("expert_cache:\n", "expert_cache:\n  contract_revision: 3\n  top_k: 1\n")

EXPERTS = EXPERT_CACHE + "workload: {token_count: 30, top_k: 1, token_interval_ns: 1000}\n"


def testdata(name):
    return (ROOT / "testdata" / name).read_text(encoding="utf-8")


def strict_calibration():
    """A dataset that its own gate refuses."""
    return testdata("calibration.yaml").replace("max_normalized_rmse: 0.05", "max_normalized_rmse: 0.015")


# name: (the file it is made of, the command with FILE in its place, has a trace, exit status)
RUNS = {
    "served": (lambda: testdata("serving.yaml"), ["serving", "multi-gpu", "FILE"], True, 0),
    "drafted": (lambda: testdata("speculative.yaml"), ["speculative", "FILE"], False, 0),
    "compared": (lambda: testdata("serving.yaml"), ["serving-compare", "FILE"], False, 0),
    "experts": (lambda: EXPERTS, ["expert-cache", "FILE"], True, 0),
    "composed": (lambda: COMPOSED, ["serving", "multi-gpu", "FILE"], True, 0),
    "planned": (lambda: testdata("target-only.yaml"), ["run", "multi-gpu", "FILE"], True, 0),
    "faulted": (lambda: testdata("target-only.yaml"), ["fault-campaign", "multi-node", "FILE"], False, 0),
    "calibrated": (lambda: testdata("calibration.yaml"), ["calibrate", "FILE"], False, 0),
    "refused": (strict_calibration, ["calibrate", "FILE"], False, 1),
}

# The run in which each table of the catalog is read.
TABLES = {
    **dict.fromkeys(["requests", "tokens", "batches", "batch_members", "operations", "reservations", "resources", "metrics",
                     "memory_timeline"], "served"),
    **dict.fromkeys(["speculative_iterations", "acceptance_by_position", "kv_events", "kv_pages"], "drafted"),
    "serving_comparison": "compared",
    **dict.fromkeys(["expert_events", "expert_accesses", "expert_residency"], "experts"),
    **dict.fromkeys(["batch_routing", "executions", "physical_operations", "physical_reservations"], "composed"),
    **dict.fromkeys(["plan_operations", "plan_terminals", "plan_steps", "plan_executions"], "planned"),
    **dict.fromkeys(["plan_faults", "plan_fault_ranks"], "faulted"),
    **dict.fromkeys(["calibration_groups", "calibration_points", "calibration_transports", "calibration_sizes",
                     "calibration_samples"], "calibrated"),
    "calibration_refusals": "refused",
}


def catalog():
    """Every table that the product declares, by name."""
    out = subprocess.run([BINARY, "tables", "--format", "json"], check=True, capture_output=True, text=True).stdout
    return {t["table"]: t for t in json.loads(out)["tables"]}


class Run:
    """One finished run."""

    def __init__(self, name, directory):
        self.directory = directory
        text, command, traced, status = RUNS[name]
        directory.mkdir(parents=True, exist_ok=True)
        file = directory / "config.yaml"
        file.write_text(text(), encoding="utf-8")
        argv = [BINARY, *(str(file) if word == "FILE" else word for word in command), "--parquet", str(directory), "--arrow", str(directory)]
        if traced:
            argv += ["--trace", str(directory / "trace.json")]
        done = subprocess.run(argv, capture_output=True, text=True)
        assert done.returncode == status, done.stderr
        self.document = json.loads(done.stdout) if done.stdout else None
        self.trace = json.loads((directory / "trace.json").read_text(encoding="utf-8")) if traced else None
