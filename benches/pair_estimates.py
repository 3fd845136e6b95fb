"""Estimated pair scores beside the exact pass: error, top feature and CPU time by budget; a million
rows; dense domains by transform.

    python benches/pair_estimates.py --data DIR      # mushroom in ARFF, and data drawn at random
    python benches/pair_estimates.py                 # data drawn at random only
    python benches/pair_estimates.py --record        # keeps the numbers in benches/record

Errors are those of the differences to the best feature, as root mean square over features and
seeds, in units of the standard deviation of the exact scores over the features. Nothing is timed
before all subsets of a small table have given the exact scores, and the two ways of counting a
dense domain the same counts.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from clock import add_record, cpu_seconds, keep

import fasttree
from fasttree import Table, estimate_features, pair_counts, score_features

BUDGETS = {"subsets": (32, 64, 128, 256, 512), "rows": (500, 1000, 2000, 4000)}
DENSE = ((432, 6, 0), (20_000, 10, 2), (50_000, 12, 2), (100_000, 8, 3), (100_000, 6, 5))


def drawn(rows: int, features: int, values: int = 5, seed: int = 0) -> Table:
    """Uniform values; the class is an exclusive or of two features, a fifth of it turned over, with
    a little of a third."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, values, (rows, features), dtype=np.uint8)
    y = (X[:, 0] < values / 2) ^ (X[:, 1] < values / 2)
    y = np.where(rng.random(rows) < 0.2, rng.random(rows) < 0.2 + 0.6 * (X[:, 2] == 0), y)
    return Table(
        X, y.astype(np.uint8), categorical_features="all", name=f"drawn {rows} x {features}"
    )


def seconds(work: Any) -> tuple[float, Any]:
    """CPU seconds of one call, and what it returned."""
    begun = cpu_seconds()
    found = work()
    return cpu_seconds() - begun, found


def counts_of_halves(table: Table) -> Any:
    """Pair counts added from two halves of the rows, which never take the transform."""
    first, second = np.array_split(np.arange(len(table)), 2)
    return pair_counts(table, rows=first) + pair_counts(table, rows=second)


def check() -> None:
    """All subsets of a small table are the exact scores."""
    table = drawn(2000, 8)
    found = estimate_features(table, n_subsets=256)
    exact = score_features(table, criterion="pi")
    if not found.exact or np.abs(found.scores - exact).max() > 1e-9 * np.abs(exact).max():
        raise SystemExit("all subsets do not give the exact scores: nothing is timed")


def accuracy(table: Table, seeds: int, tell: Any) -> None:
    """Each estimator at each budget."""
    taken, exact = min(
        (seconds(lambda: score_features(table, criterion="pi")) for _ in range(3)),
        key=lambda p: p[0],
    )
    known = np.flatnonzero(~np.isnan(exact))
    best, spread = int(np.nanargmax(exact)), float(np.nanstd(exact))
    tell(what="exact pass", data=table.name, cpu_s=taken)
    for method, budgets in BUDGETS.items():
        for budget in budgets:
            errors, stated, times, top = [], [], [], 0
            for seed in range(seeds):
                size = {"n_subsets" if method == "subsets" else "sample": budget}
                one, found = seconds(
                    lambda s=seed, m=method, z=size: estimate_features(
                        table, method=m, random_state=s, **z
                    )
                )
                gap = (found.scores - found.scores[best]) - (exact - exact[best])
                errors.append(gap[known] / spread)
                c = found.covariance
                variance = np.maximum(np.diag(c) + c[best, best] - 2 * c[best], 0)
                stated.append(np.sqrt(variance)[known] / spread)
                times.append(one)
                top += int(found.ranking[0] == best)
            rms = float(np.sqrt(np.mean(np.square(errors))))
            tell(
                what=method,
                data=table.name,
                budget=budget,
                cpu_s=float(np.median(times)),
                error=round(rms, 4),
                stated_error=round(float(np.sqrt(np.mean(np.square(stated)))), 4),
                top_1=f"{top}/{seeds}",
            )


def million(rows: int, features: int, subsets: int, jobs: int) -> dict[str, Any]:
    """One estimate, in this process: wall and CPU seconds, and the peak of memory of all."""
    table = drawn(rows, features)
    started, begun = time.perf_counter(), cpu_seconds()
    fasttree._engine.dataset_of(table, jobs)
    encoded = cpu_seconds() - begun
    begun_wall, begun = time.perf_counter(), cpu_seconds()
    found = estimate_features(table, n_subsets=subsets, n_jobs=jobs)
    spread = float(np.std(found.scores))
    return {
        "what": "subsets",
        "data": table.name,
        "budget": found.n_subsets,
        "n_jobs": jobs,
        "cpu_s": round(cpu_seconds() - begun, 2),
        "wall_s": round(time.perf_counter() - begun_wall, 2),
        "encode_cpu_s": round(encoded, 3),
        "wall_with_encoding_s": round(time.perf_counter() - started, 2),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "largest_standard_error": float(np.max(found.standard_errors) / spread),
        "separated": found.separated,
        "best": found.ranking[:3].tolist(),
    }


def dense(tell: Any) -> None:
    """The same counts of a dense domain by transform and by pairs of rows."""
    for rows, features, values in DENSE:
        if rows == 432:
            table = fasttree.datasets.make_monks(1)
        else:
            rng = np.random.default_rng(0)
            X = rng.integers(0, values, (rows, features), dtype=np.uint8)
            table = Table(
                X, (X[:, 0] + X[:, 1] + (rng.random(rows) < 0.2)) % 2, categorical_features="all"
            )
        whole, parts = partial(pair_counts, table), partial(counts_of_halves, table)
        if whole() != parts():
            raise SystemExit(f"{rows} x {features}: the counts differ, nothing is timed")
        cells = int(np.prod([len(c.levels) for c in table.columns]))
        ways = [min(seconds(way)[0] for _ in range(5)) for way in (whole, parts)]
        tell(
            what="dense domain",
            data=f"{rows} x {features}",
            cells=cells,
            cpu_s=ways[0],
            by_halves_cpu_s=ways[1],
        )


def main() -> None:
    """Run all, print, and keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument(
        "--million", type=int, help="only the estimate of so many rows x 50, printed as JSON"
    )
    parser.add_argument("--subsets", type=int, default=256)
    add_record(parser)
    options = parser.parse_args()
    if options.million:
        print(json.dumps(million(options.million, 50, options.subsets, 2)))
        return
    rows: list[dict[str, Any]] = []

    def tell(**facts: Any) -> None:
        rows.append(facts)
        print(
            "  ".join(
                f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in facts.items()
            ),
            flush=True,
        )

    check()
    tables = [drawn(8124, 22), drawn(20_000, 50)]
    if options.data:
        tables.insert(0, fasttree.datasets.load(options.data / "mushroom.arff"))
    for table in tables:
        accuracy(table, options.seeds, tell)
    for subsets in (64, 256):
        call = [sys.executable, __file__, "--million", "1000000", "--subsets", str(subsets)]
        tell(**json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout))
    dense(tell)
    if options.record:
        keep({"simd": fasttree._engine.simd_level(), "seeds": options.seeds, "rows": rows})


if __name__ == "__main__":
    main()
