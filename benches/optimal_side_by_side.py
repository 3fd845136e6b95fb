"""Optimal trees of depth 3 beside pycontree: CPU time of one thread on the same rows.

Both prove the same number of errors, which is compared before anything is kept. A peer that does
not end within the limit counts with the limit. The sets are those of the folder that FASTTREE_DATA
names, or of ../shared/data: files of ``contree``, class first, then numbers. ``--record`` keeps the
numbers in ``benches/record/``.

    pip install '.[bench]'
    python benches/optimal_side_by_side.py --record
"""

from __future__ import annotations

import argparse
import gzip
import multiprocessing
import os
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # its threads spin for work, which counts as CPU time

import numpy as np
from clock import add_record, check, cpu_seconds, have, keep

import fasttree

ROOT = Path(__file__).resolve().parents[1]
SETS = ("bank", "raisin", "wilt", "room", "occupancy", "bidding", "segment", "avila", "bean")


def folder() -> Path:
    """The folder of the sets."""
    given = os.environ.get("FASTTREE_DATA")
    return (Path(given) if given else ROOT.parent / "shared" / "data" / "uci").parent / "contree"


def read(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Numbers and classes of a set."""
    with gzip.open(folder() / f"{name}.txt.gz", "rt") as file:
        rows = np.loadtxt(file)
    return rows[:, 1:], rows[:, 0].astype(int)


def ours(X: np.ndarray, y: np.ndarray, depth: int, ties: str) -> tuple[float, int]:
    """CPU seconds and errors."""
    start = cpu_seconds()
    model = fasttree.optimal_tree(X, y, max_depth=depth, ties=ties)
    taken = cpu_seconds() - start
    check(model.proven_, "the tree is proven")
    return taken, int(model.training_errors_)


def _theirs(X: np.ndarray, y: np.ndarray, depth: int, limit: float, found) -> None:
    import pandas as pd
    from pycontree import ConTree

    start = cpu_seconds()
    model = ConTree(max_depth=depth, time_limit=limit)
    model.fit(pd.DataFrame(X), y)
    found.put((cpu_seconds() - start, int(np.sum(model.predict(pd.DataFrame(X)) != y))))


def theirs(X: np.ndarray, y: np.ndarray, depth: int, limit: float) -> tuple[float, int] | None:
    """CPU seconds and errors; none if it does not end in time."""
    found = multiprocessing.Queue()
    job = multiprocessing.Process(target=_theirs, args=(X, y, depth, limit, found))
    job.start()
    job.join(4 * limit)
    if job.is_alive():
        job.kill()
        return None
    result = found.get() if not found.empty() else None
    return None if result is None or result[0] >= limit else result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for the peer")
    parser.add_argument("--rounds", type=int, default=3)
    add_record(parser)
    options = parser.parse_args()
    if not folder().is_dir():
        raise SystemExit(f"no sets in {folder()}")
    peer, results = have("pycontree"), []
    for name in SETS:
        X, y = read(name)
        own, errors = min(ours(X, y, options.depth, "any") for _ in range(options.rounds))
        first, _ = min(ours(X, y, options.depth, "first") for _ in range(options.rounds))
        row = {
            "set": name,
            "rows": len(y),
            "columns": X.shape[1],
            "errors": errors,
            "any": own,
            "first": first,
        }
        if peer:
            other = theirs(X, y, options.depth, options.limit)
            if other is not None:
                check(other[1] == errors, f"{name}: {errors} errors, pycontree {other[1]}")
            row["pycontree"] = options.limit if other is None else other[0]
            row["ended"] = other is not None
            row["ratio"] = row["pycontree"] / own
        results.append(row)
        print(row, flush=True)
    if peer:
        mean = float(np.exp(np.mean([np.log(row["ratio"]) for row in results])))
        print(f"geometric mean of the ratios: {mean:.1f}")
    if options.record:
        keep({"depth": options.depth, "limit": options.limit, "results": results})


if __name__ == "__main__":
    main()
