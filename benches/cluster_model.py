"""What a cluster would take: a simulator of growth on partitions and of passes over pairs.

    python benches/cluster_model.py                   # predictions from the constants below
    python benches/cluster_model.py --fit [--rows N]  # constants from runs on 1, 2, 4 workers here
    python benches/cluster_model.py --record

The simulator draws the time of every task (compute x a straggler's factor), adds messages (latency,
bytes over bandwidth), a scheduler that hands out one task after another, and a client that adds up
results one after another. Growth: a level counts the smaller children in every partition, sums
histograms by a tree of eight, splits at the client and divides the rows. Pairs: units of two blocks
of rows. ``--fit`` takes CPU seconds of the workers, so that other load does not count. With
`--record` the figures are kept in benches/record.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from clock import add_record, keep

import fasttree

JOINED = 8
"""Histograms that one task joins."""


@dataclass(frozen=True)
class Costs:
    """Seconds, and bytes a second."""

    cell: float = 1.3e-9  # counting or dividing one cell of a partition in a level
    pair_cell: float = 1.1e-11  # one feature of one pair
    task: float = 6.5e-3  # a worker's own work for a task beside the computation
    schedule: float = 2.0e-4  # the scheduler's work for a task: one after another
    add: float = 2.5e-10  # adding one byte of counts
    split: float = 2.0e-9  # scoring one bin of one class at the client
    latency: float = 5.0e-4
    bandwidth: float = 1.25e9  # 10 Gbit/s
    spread: float = 0.1  # standard deviation of the logarithm of a task's factor
    slow: float = 0.01  # share of tasks on a slow machine
    slowness: float = 3.0


@dataclass(frozen=True)
class Growth:
    """A tree on partitions: one partition a worker and thread."""

    rows: float
    features: int
    bins: int
    classes: int = 2
    depth: int = 10


def factors(costs: Costs, n: int, rng: np.random.Generator) -> np.ndarray:
    """How much longer each of n tasks takes."""
    slow = np.where(rng.random(n) < costs.slow, costs.slowness, 1.0)
    return np.exp(rng.normal(0.0, costs.spread, n)) * slow


def summed(ready: np.ndarray, size: float, costs: Costs) -> float:
    """When the sum of histograms of `size` bytes is at the client; `ready` is when each part is."""
    step = costs.latency + JOINED * (size / costs.bandwidth + size * costs.add) + costs.task
    while len(ready) > 1:
        groups = np.array_split(np.sort(ready), math.ceil(len(ready) / JOINED))
        ready = np.array([group.max() + step for group in groups])
    return float(ready[0] + costs.latency + size / costs.bandwidth)


def grow(what: Growth, workers: int, costs: Costs, rng: np.random.Generator) -> dict[str, float]:
    """Seconds of a fit and what they go to."""
    found = dict.fromkeys(("compute", "wait", "sum", "client", "schedule", "bytes"), 0.0)
    per_worker = what.rows * what.features / workers * costs.cell
    for level in range(what.depth):
        nodes = max(1, 2**level // 2)  # the sibling is obtained by subtraction
        size = 4.0 * nodes * what.bins * what.classes
        tasks = 2 * workers + math.ceil(workers / (JOINED - 1))
        starts = np.arange(workers) * costs.schedule
        counted = per_worker * factors(costs, workers, rng) + costs.task
        ready = starts + counted
        arrived = summed(ready, size, costs)
        found["compute"] += float(counted.mean())
        found["wait"] += float(ready.max() - counted.mean())
        found["sum"] += arrived - float(ready.max())
        found["client"] += nodes * what.bins * what.classes * costs.split
        found["schedule"] += (tasks - workers) * costs.schedule + 2 * costs.latency
        found["bytes"] += size * workers
    found["seconds"] = sum(found[name] for name in found if name != "bytes")
    return found


def blocks_of(workers: int) -> int:
    """Blocks of rows in a pass over pairs, as ``fasttree.distributed`` divides many rows."""
    return math.ceil(math.sqrt(32 * workers))


def pairs(
    rows: float, features: int, workers: int, costs: Costs, rng: np.random.Generator
) -> dict[str, float]:
    """Seconds of a pass over all pairs and what they go to; five values a feature, two classes."""
    blocks = blocks_of(workers)
    units = blocks * (blocks + 1) // 2
    size = 32.0 * 5 * features * 2 * (features + 1)
    block = rows / blocks
    fetch = 2 * (block * features / costs.bandwidth + costs.latency)
    compute = block * block * features * costs.pair_cell * factors(costs, units, rng)
    compute[-blocks:] /= 2  # a block with itself
    free, ends = np.zeros(workers), np.empty(units)
    for unit in range(units):  # the next unit goes to the first worker that is free
        worker = int(free.argmin())
        start = max(free[worker], unit * costs.schedule)
        free[worker] = ends[unit] = start + fetch + costs.task + compute[unit]
    at = 0.0
    for end in np.sort(ends):  # the client adds one result after another
        at = max(at, float(end)) + costs.latency + size / costs.bandwidth + size * costs.add
    return {
        "compute": float(compute.sum() / workers),
        "fetch": fetch * units / workers,
        "client": at - float(ends.max()),
        "bytes": units * (2 * block * features + size),
        "seconds": at,
    }


def fitted(rows: int) -> tuple[Costs, list[dict[str, Any]]]:
    """Constants from CPU seconds of the workers of clusters on this machine."""
    import dask.array
    from distributed import Client, LocalCluster
    from scipy.optimize import nnls

    features, depth, seen = 20, 6, []
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 5, (60_000, features)).astype(np.uint8)
    table = fasttree.Table(codes, codes[:, 0] % 2, categorical_features="all")
    for workers in (1, 2, 4):
        with (
            LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as here,
            Client(here) as client,
        ):

            def spent(call: Any, client: Any = client) -> tuple[float, float]:
                before, own = sum(client.run(time.process_time).values()), time.process_time()
                call()
                used = sum(client.run(time.process_time).values()) - before
                return used, time.process_time() - own

            chunks = -(-rows // workers)
            X = dask.array.random.default_rng(0).standard_normal(
                (rows, features), chunks=(chunks, features)
            )
            y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(np.int64)
            parts = client.persist((X, y))  # else each fit draws the numbers again
            how = {"criterion": "gini", "threshold_search": "histogram", "client": client}
            shallow = {**how, "max_depth": 1}
            deep = {**how, "max_depth": depth}
            fasttree.distributed.fit(*parts, **shallow)

            def least(settings: dict[str, Any], spent: Any = spent, parts: Any = parts) -> Any:
                fit = fasttree.distributed.fit
                return min(spent(lambda: fit(*parts, **settings)) for _ in range(3))

            base, _ = least(shallow)
            grown, own = least(deep)
            fasttree.distributed.pair_counts(table.take(np.arange(4000)), client=client)
            counted, adding = spent(
                lambda c=client: fasttree.distributed.pair_counts(table, client=c)
            )
            seen.append(
                {
                    "workers": workers,
                    "levels_cpu": grown - base,
                    "client_cpu": own,
                    "pairs_cpu": counted,
                    "pairs_client_cpu": adding,
                }
            )
            print(seen[-1])
    cells = float(rows) * features * (depth - 1)
    # CPU of all workers = cell x cells + task x workers x tasks of a level x levels
    A = np.array([[cells, 2.0 * one["workers"] * (depth - 1)] for one in seen])
    cell, task = nnls(A, np.array([one["levels_cpu"] for one in seen]))[0]
    pair_cells = float(len(table)) ** 2 * features
    blocks = [blocks_of(one["workers"]) for one in seen]
    B = np.array([[pair_cells, n * (n + 1) / 2] for n in blocks])
    pair_cell, unit = np.linalg.lstsq(B, np.array([one["pairs_cpu"] for one in seen]), rcond=None)[
        0
    ]
    costs = replace(
        Costs(),
        cell=max(1e-10, float(cell)),
        task=max(2e-4, float(task)),
        pair_cell=max(1e-14, float(pair_cell)),
    )
    for one, (cells_of, units) in zip(seen, B.tolist(), strict=True):
        one["pairs_cpu_fitted"] = float(pair_cell * cells_of + unit * units)
        one["levels_cpu_fitted"] = cell * cells + task * 2.0 * one["workers"] * (depth - 1)
    return costs, seen


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--rows", type=int, default=4_000_000)
    parser.add_argument("--draws", type=int, default=20)
    add_record(parser)
    told = parser.parse_args()
    costs, seen = fitted(told.rows) if told.fit else (Costs(), [])
    results = []
    for workers in (1, 10, 100, 1000):
        for case in ("growth", "pairs", "growth, no slow machine", "pairs, no slow machine"):
            here = replace(costs, slow=0.0) if "," in case else costs
            draws = []
            for seed in range(told.draws):
                rng = np.random.default_rng(seed)
                if case.startswith("growth"):
                    draws.append(grow(Growth(1e9, 100, 10_000), workers, here, rng))
                else:
                    draws.append(pairs(1e7, 50, workers, here, rng))
            row: dict[str, Any] = {"case": case, "workers": workers}
            row |= {name: float(np.median([d[name] for d in draws])) for name in draws[0]}
            results.append(row)
    for row in results:
        one = next(r for r in results if r["case"] == row["case"])
        row["efficiency"] = one["seconds"] / row["seconds"] / row["workers"]
        parts = ", ".join(
            f"{name} {row[name]:.3g}" for name in row if name not in ("case", "workers")
        )
        print(f"{row['case']} on {row['workers']} workers: {parts}")
    if told.record:
        keep({"unit": "seconds", "costs": asdict(costs), "runs": seen, "results": results})


if __name__ == "__main__":
    main()
