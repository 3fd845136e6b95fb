"""Comparisons and passes over pairs on two worker processes, beside one call in this process.

    python benches/grids.py [--only trees scikit-learn pairs] [--sets N] [--cv 10x10]
                            [--rows 200000] [--rounds 3] [--record]

``trees``: four criteria on data sets of several sizes; here on two threads. ``scikit-learn``: four
of its classifiers, which hold Python's lock; here on two threads. ``pairs``: exact pair counts of
rows x 50 columns of four values; here on one thread. Wall clock and CPU seconds of all processes,
alternately, the median of the rounds. The results are compared: they are equal. With `--record` the
figures are kept in benches/record.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import numpy as np
from clock import add_record, keep
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.tree import DecisionTreeClassifier

import fasttree
from fasttree.model_selection import compare

CRITERIA = ["info_gain", "gain_ratio", "gini", "mantaras"]
SKLEARN = {
    "bayes": GaussianNB(),
    "centroid": NearestCentroid(),
    "scaled": make_pipeline(MinMaxScaler(), GaussianNB()),
    "tree": DecisionTreeClassifier(random_state=0),
}
GOALS = {"trees": 1.15, "scikit-learn": 0.6, "pairs": 1 / (2 * 0.85)}


def data_sets(count: int, largest: int) -> dict[str, Any]:
    """Seeded sets of 100 to `largest` rows, as the sets of a comparison differ."""
    rng = np.random.default_rng(0)
    sizes = np.geomspace(100, largest, count).astype(int)
    found = {}
    for number, rows in enumerate(sizes.tolist()):
        X = rng.normal(size=(rows, int(rng.integers(5, 40))))
        y = (X[:, 0] * X[:, 1] + rng.normal(size=rows) > 0).astype(int)
        found[f"set {number}"] = fasttree.Table(X, y)
    return found


def cpu_of(client: Any) -> float:
    """CPU seconds of this process and the workers so far."""
    return time.process_time() + sum(client.run(time.process_time).values())


def measured(call: Any, client: Any) -> tuple[float, float, Any]:
    """Wall clock, CPU seconds and what the call returns."""
    cpu, started = cpu_of(client), time.perf_counter()
    found = call()
    return time.perf_counter() - started, cpu_of(client) - cpu, found


def cases(told: argparse.Namespace, client: Any) -> dict[str, tuple[Any, Any, Any]]:
    """Name -> the call here, the call on the workers, and what is compared of their results."""
    sets = data_sets(told.sets, told.largest)
    rng = np.random.default_rng(1)
    X = rng.integers(0, 4, (told.rows, 50)).astype(np.uint8)
    table = fasttree.Table(X, (X[:, 0] ^ X[:, 1]) & 1, categorical_features="all")
    how: dict[str, Any] = {"cv": told.cv, "n_jobs": 2}
    trees = {"criteria": CRITERIA, **how}
    others = {"estimators": SKLEARN, **how}
    return {
        "trees": (
            lambda: compare(sets, **trees),
            lambda: compare(sets, **trees, client=client),
            lambda found: found.to_text(),
        ),
        "scikit-learn": (
            lambda: compare(sets, **others),
            lambda: compare(sets, **others, client=client),
            lambda found: found.to_text(),
        ),
        "pairs": (
            lambda: fasttree.pair_counts(table, n_jobs=1),
            lambda: fasttree.distributed.pair_counts(table, client=client),
            lambda found: [counts.tobytes() for counts in found.counts],
        ),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=list(GOALS), default=list(GOALS))
    parser.add_argument("--sets", type=int, default=36)
    parser.add_argument("--largest", type=int, default=3000)
    parser.add_argument("--cv", default="10x10")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=3)
    add_record(parser)
    told = parser.parse_args()
    from distributed import Client, LocalCluster

    results = []
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        for name, (here, there, said) in cases(told, client).items():
            if name not in told.only:
                continue
            rounds = []
            for _ in range(told.rounds):
                own, workers = measured(here, client), measured(there, client)
                rounds.append((*own[:2], *workers[:2]))
                assert said(own[2]) == said(workers[2]), f"{name}: the results differ"
            wall, cpu, wall_there, cpu_there = map(statistics.median, zip(*rounds, strict=True))
            row = {
                "case": name,
                "wall_here": wall,
                "cpu_here": cpu,
                "wall_workers": wall_there,
                "cpu_workers": cpu_there,
                "wall_ratio": statistics.median(r[2] / r[0] for r in rounds),
                "cpu_ratio": statistics.median(r[3] / r[1] for r in rounds),
                "goal_of_wall_ratio": GOALS[name],
            }
            results.append(row)
            print(
                f"{name}: here {wall:.2f} s ({cpu:.2f} s CPU), two workers {wall_there:.2f} s "
                f"({cpu_there:.2f} s CPU), ratio {row['wall_ratio']:.2f} "
                f"(CPU {row['cpu_ratio']:.2f}), asked for {GOALS[name]:.2f}"
            )
    if told.record:
        sizes = {"sets": told.sets, "largest": told.largest, "cv": told.cv, "rows": told.rows}
        keep({"unit": "seconds", **sizes, "rounds": told.rounds, "results": results})


if __name__ == "__main__":
    main()
