"""The Relief family beside fast-select and scikit-rebate: the same data, the same k, the same run,
one thread, CPU time.

    python benches/relief_side_by_side.py                  # 958 x 9, 3196 x 36, 8124 x 22, 1000 x
    1000, 1000 x 10,000, 2350 x 10,000 python benches/relief_side_by_side.py --only few       # the
    small ones python benches/relief_side_by_side.py --only many      # the wide ones python
    benches/relief_side_by_side.py --largest        # 2350 x 230,000 as well: time and peak memory,
    no peer (minutes) python benches/relief_side_by_side.py --record         # keeps the numbers in
    benches/record

The record is written after each contest, so that an end before the end keeps what was found, and
what other runs of the day found on other data stays in it: therefore every row has a command of its
own.

Scores are compared before anything is timed: scikit-rebate's to 1e-9 (ReliefF with stable sorting),
fast-select's to single precision, where its neighbours are the same. Data are made: codes drawn
uniformly, a class that depends on two columns and noise. A ratio is the peer's time over
fasttree's. Peers come with the extra "bench"; a missing one is left out and named.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from clock import add_record, check, command, cpu_seconds, have, keep, record_file, take_turns

from fasttree import score_features
from fasttree.criteria import MultiSurf, ReliefF  # type: ignore[attr-defined]

GOALS = {
    ("3,196 x 36", "relieff"): 40.0,
    ("3,196 x 36", "multisurf"): 50.0,
    ("2,350 x 10,000", "relieff"): 20.0,
    ("2,350 x 10,000", "multisurf"): 50.0,
}
SMALL = [(958, 9, 3), (3196, 36, 2), (8124, 22, 5), (1000, 1000, 3)]
WIDE = [(1000, 10_000, 3), (2350, 10_000, 3)]
REBATE_UP_TO = 100
K = 10


def codes(rows: int, columns: int, values: int) -> tuple[np.ndarray, np.ndarray]:
    """uint8 codes and classes: the exclusive or of two columns' parities, a tenth of the labels
    drawn."""
    random = np.random.default_rng(0)
    X = random.integers(values, size=(rows, columns), dtype=np.uint8)
    y = (X[:, 0] ^ X[:, 1]) & 1
    drawn = random.random(rows) < 0.1
    y[drawn] = random.integers(2, size=drawn.sum())
    return X, y.astype(np.int64)


def ours(X: np.ndarray, y: np.ndarray, criterion: Any) -> np.ndarray:
    """Scores on one thread."""
    return score_features(X, y, criterion=criterion, categorical_features="all")


def peers(X: np.ndarray, y: np.ndarray, method: str) -> dict[str, Callable[[], np.ndarray]]:
    """What the peers do on one thread."""
    found: dict[str, Callable[[], np.ndarray]] = {}
    numbers = X.astype(np.float32)
    if have("fast_select"):
        import fast_select

        options = {"backend": "cpu", "n_jobs": 1, "discrete_limit": 10}
        if method == "relieff":
            made = fast_select.ReliefF(n_neighbors=K, **options)
        else:
            made = fast_select.MultiSURF(**options)
        found["fast-select"] = lambda: made.fit(numbers, y).feature_importances_
    if X.size * len(X) / 1e6 < REBATE_UP_TO and have("skrebate"):
        import skrebate

        every = list(range(X.shape[1]))
        if method == "relieff":
            rebate = skrebate.ReliefF(n_neighbors=K, categorical_features=every)
        else:
            rebate = skrebate.MultiSURF(categorical_features=every)
        found["scikit-rebate"] = lambda: rebate.fit(X.astype(float), y).feature_importances_
    return found


def compare(X: np.ndarray, y: np.ndarray, method: str) -> dict[str, float]:
    """Largest difference of scores from each peer on the first rows, where the definitions
    agree."""
    few = slice(0, min(len(X), 300))
    X, y = X[few, :200], y[few]
    by_row = ReliefF(k=K, neighbour_ties="first", multiclass="rebate")
    mine = ours(X, y, by_row if method == "relieff" else MultiSurf(multiclass="rebate"))
    plain, gaps = np.argsort, {}
    np.argsort = lambda a, *rest, **options: plain(a, *rest, **{"kind": "stable", **options})  # type: ignore[assignment]
    try:
        for name, work in peers(X, y, method).items():
            gaps[name] = float(np.abs(work() - mine).max())
    finally:
        np.argsort = plain
    check(gaps.get("scikit-rebate", 0.0) < 1e-9, f"scikit-rebate differs by {gaps}")
    check(gaps.get("fast-select", 0.0) < 1e-2, f"fast-select differs by {gaps}")
    return gaps


def contest(rows: int, columns: int, values: int, rounds: int) -> list[dict[str, Any]]:
    """Both methods on one set."""
    X, y = codes(rows, columns, values)
    found = []
    for method, criterion in (("relieff", ReliefF(k=K)), ("multisurf", MultiSurf())):
        gaps = compare(X, y, method)
        work: dict[str, Callable[[], Any]] = {"fasttree": lambda c=criterion: ours(X, y, c)}
        work |= peers(X, y, method)
        for warm in work.values() if rows * columns < 1_000_000 else []:
            warm()  # compiles, where a peer compiles
        times = {name: min(t) for name, t in take_turns(work, rounds).items()}
        size = f"{rows:,} x {columns:,}"
        ratios = {name: t / times["fasttree"] for name, t in times.items() if name != "fasttree"}
        goal = GOALS.get((size, method))
        print(
            f"{size:>16} {method:10}", {n: f"{t * 1e3:.1f} ms" for n, t in times.items()}, end=" "
        )
        print({n: f"{r:.0f}x" for n, r in ratios.items()}, f"goal {goal:.0f}x" if goal else "")
        found.append(
            {
                "data": size,
                "method": method,
                "k": K,
                "seconds": times,
                "ratios": ratios,
                "goal": goal,
                "gaps": gaps,
            }
        )
    return found


def largest(columns: int = 230_000) -> dict[str, Any]:
    """MultiSURF on 2350 genotypes from a memory map: CPU and peak memory of this process (which
    includes what ran before)."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        X = np.memmap(Path(folder) / "codes.bin", dtype=np.uint8, mode="w+", shape=(2350, columns))
        random = np.random.default_rng(0)
        for row in X:
            row[:] = random.integers(3, size=columns, dtype=np.uint8)
        X.flush()
        y = (np.asarray(X[:, 0]) ^ np.asarray(X[:, 1])) & 1
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start, wall = cpu_seconds(), time.perf_counter()
        ours(X, y, MultiSurf())
        taken, wall = cpu_seconds() - start, time.perf_counter() - wall
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"2,350 x {columns:,} multisurf: {taken:.1f} CPU s, {wall:.1f} s, peak {peak / 2**20:.2f} "
        "GB"
    )
    return {
        "data": f"2,350 x {columns:,}",
        "method": "multisurf",
        "seconds": {"fasttree": taken},
        "peak_bytes": peak * 1024,
        "peak_bytes_before": before * 1024,
    }


def main() -> None:
    """Run, print, and keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=["few", "many", "largest"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--largest", action="store_true")
    add_record(parser)
    options = parser.parse_args()
    os.environ["NUMBA_NUM_THREADS"] = "1"
    shapes = SMALL if options.only in (None, "few") else []
    shapes = shapes + (WIDE if options.only in (None, "many") else [])
    results: list[dict[str, Any]] = []
    for shape in [*shapes, None]:
        if shape is not None:
            results += contest(*shape, options.rounds if shape in SMALL else 1)
        elif options.largest or options.only == "largest":
            results.append(largest())
        if options.record:
            keep({"results": others(results) + [{"command": command(), **r} for r in results]})


def others(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What other runs of the day found on other data."""
    path = record_file()
    mine = {(r["data"], r["method"]) for r in results}
    before = json.loads(path.read_text(encoding="utf-8"))["results"] if path.exists() else []
    return [r for r in before if (r["data"], r["method"]) not in mine]


if __name__ == "__main__":
    main()
