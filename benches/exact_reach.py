"""Reach of the exact searches, and PySTreeD beside them: CPU seconds on one thread.

What
    `minimal_tree` on the MONK's problems and on samples of random trees (500 rows, 6 features, 4
    classes, three seeds a size), with the nodes and bounds it ends with; `optimal_tree` of depth 2
    to 4 on binary tables beside PySTreeD, where it is installed, with the errors of both. The
    answers are compared: a proven optimum of the one must be the other's.
Usage
    ``python benches/exact_reach.py [--seconds 30] [--record]``; with ``--record`` the rows are kept
    in ``benches/record``.

Examples
--------
>>> timed(lambda: 7)[0]
7
"""

from __future__ import annotations

import argparse
import importlib.metadata
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from clock import add_record, keep

import fasttree
from fasttree.datasets import make_monks, make_random_tree


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What a call gives, and its CPU seconds."""
    start = time.process_time()
    out = work()
    return out, round(time.process_time() - start, 4)


def smallest(seconds: float) -> list[dict[str, Any]]:
    """The rows of `minimal_tree`."""
    tables = [(f"monks-{p}", None, make_monks(p)) for p in (1, 2, 3)]
    for leaves in range(2, 12):
        for seed in range(3):
            table, tree = make_random_tree(500, 6, leaves, 4, random_state=seed)
            tables.append((f"random tree, seed {seed}", tree.n_nodes, table))
    rows = []
    for name, generating, table in tables:
        model, cpu = timed(lambda t=table: fasttree.minimal_tree(t, time_limit=seconds))
        greedy = fasttree.fit(table, nominal_splits="multiway")
        row = {
            "table": name, "generating_nodes": generating, "nodes": model.n_nodes_,
            "lower_bound": model.lower_bound_,
            "greedy_nodes": greedy.n_nodes_, "search_nodes": model.n_search_nodes_, "cpu_s": cpu,
        }  # fmt: skip
        print(row, flush=True)
        rows.append(row)
    return rows


def binary_tables() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Tables of zeros and ones."""
    rng = np.random.default_rng(0)
    made = {}
    for n, d in ((500, 20), (1000, 30), (3000, 40)):
        X = rng.integers(0, 2, (n, d))
        signal = X[:, :6] @ rng.random(6) + 0.4 * rng.random(n)
        made[f"noisy sum, {n} x {d}"] = (X, (signal > np.median(signal)).astype(int))
    monks = make_monks(2)
    codes = np.array([np.asarray(c.values) for c in monks.columns]).T
    made["monks-2, one column a value"] = (
        np.column_stack(
            [codes[:, j] == v for j in range(6) for v in range(codes[:, j].max() + 1)]
        ).astype(int),
        np.asarray(monks.y, dtype=int),
    )
    return made


def cheapest(seconds: float) -> list[dict[str, Any]]:
    """The rows of `optimal_tree`, with PySTreeD where it is installed."""
    try:
        from pystreed import STreeDClassifier
    except ImportError:
        STreeDClassifier = None
    rows = []
    for name, (X, y) in binary_tables().items():
        table = fasttree.Table(X.astype(float), y)
        for depth in (2, 3, 4):
            model, cpu = timed(
                lambda t=table, d=depth: fasttree.optimal_tree(t, max_depth=d, time_limit=seconds)
            )
            row = {
                "table": name, "depth": depth, "errors": model.training_errors_,
                "proven": model.proven_,
                "lower_bound": model.lower_bound_, "cpu_s": cpu,
            }  # fmt: skip
            if STreeDClassifier is not None:
                # All nodes that the depth allows: the limit is the depth, as above.
                peer = STreeDClassifier(
                    max_depth=depth, max_num_nodes=2**depth - 1, time_limit=seconds
                )
                _, row["pystreed_cpu_s"] = timed(lambda p=peer, X=X, y=y: p.fit(X, y))
                row["pystreed_errors"] = float(np.sum(peer.predict(X) != y))
                if model.proven_ and row["pystreed_errors"] < model.training_errors_:
                    raise AssertionError(
                        f"{name}, depth {depth}: a better tree than the proven optimum"
                    )
            print(row, flush=True)
            rows.append(row)
    return rows


def main() -> None:
    """Measure, print, and keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=30.0, help="time limit of each search")
    add_record(parser)
    given = parser.parse_args()
    seconds = given.seconds
    try:
        peer = importlib.metadata.version("pystreed")
    except importlib.metadata.PackageNotFoundError:
        peer = None
    found = {
        "seconds": seconds,
        "pystreed": peer,
        "minimal_tree": smallest(seconds),
        "optimal_tree": cheapest(seconds),
    }
    if given.record:
        keep(found)


if __name__ == "__main__":
    main()
