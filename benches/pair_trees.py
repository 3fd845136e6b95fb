"""Whole Pi trees, their cross-validation and sweeps beside NumPy with BLAS: the same data, the same
run, one thread, CPU time.

    python benches/pair_trees.py --data DIR      # kr-vs-kp, mushroom and letter in ARFF
    python benches/pair_trees.py                 # data of the same sizes, drawn at random
    python benches/pair_trees.py --record        # keeps the numbers in benches/record

There is no peer that grows these trees. The bar is a grower of a few lines of NumPy: one-hot
columns, distances and both sums of a node by matrix products in single precision, one alpha. Roots
are compared before anything is timed.
"""

from __future__ import annotations

import argparse
import itertools
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from clock import add_record, cpu_seconds, keep, take_turns
from threadpoolctl import threadpool_limits

import fasttree
from fasttree import Table

SIZES = {"kr-vs-kp": (3196, 36, 2, 2), "mushroom": (8124, 22, 5, 2), "letter": (20_000, 16, 10, 26)}


def table_of(name: str, folder: Path | None) -> Table:
    """A set of the folder, numbers in ten equal-width bins; drawn at random without a folder."""
    if folder is not None:
        table = fasttree.datasets.load(folder / f"{name}.arff")
        numeric = any(c.kind == "numeric" for c in table.columns)
        return fasttree.discretize.EqualWidth().fit_transform(table) if numeric else table
    rows, features, values, classes = SIZES[name]
    rng = np.random.default_rng(0)
    X = rng.integers(0, values, (rows, features)).astype(np.uint8)
    y = (X[:, :5].astype(int).sum(axis=1) + (rng.random(rows) < 0.2)) % classes
    return Table(X, y, categorical_features="all", name=name)


def numpy_scores(codes: np.ndarray, y: np.ndarray, alpha: float) -> np.ndarray:
    """Pi of every feature by matrix products; codes (rows, features), y (rows,)."""
    rows, n = codes.shape
    arity = codes.max(axis=0) + 1
    first = np.concatenate([[0], np.cumsum(arity)])
    hot = np.zeros((rows, first[-1]), np.float32)
    hot[np.arange(rows)[:, None], codes + first[:-1]] = 1
    weight = np.exp2((-alpha) * np.arange(n + 1)).astype(np.float32)
    pairs = np.zeros(first[-1])
    for at in range(0, rows, 2048):
        part = slice(at, at + 2048)
        near = weight[n - (hot[part] @ hot.T).astype(np.intp)]
        same = np.where(y[part, None] == y[None, :], near, -near)
        # cases 1 - 2 of each value, and cases 3 - 4 as what remains
        equal = np.einsum("is,is->s", hot[part], same @ hot, dtype=np.float64)
        total = hot[part].T @ same.sum(axis=1)
        pairs += equal - (total - equal)
    share = hot.sum(axis=0) / rows
    return np.array([(share[a:b] * pairs[a:b]).sum() for a, b in itertools.pairwise(first)])


def numpy_leaves(codes: np.ndarray, y: np.ndarray, alpha: float) -> int:
    """Leaves with rows of the tree that splits by the largest score until nodes are pure."""
    leaves, stack = 0, [np.arange(len(y))]
    while stack:
        rows = stack.pop()
        own = codes[rows]
        varies = (own != own[:1]).any(axis=0)
        if len(np.unique(y[rows])) < 2 or not varies.any():
            leaves += 1
            continue
        scores = numpy_scores(own[:, varies], y[rows], alpha)
        column = own[:, np.flatnonzero(varies)[int(np.argmax(scores))]]
        stack.extend(rows[column == v] for v in np.unique(column))
    return leaves


def seconds(work: Any) -> tuple[float, Any]:
    """CPU seconds of one call, and what it returned."""
    begun = cpu_seconds()
    found = work()
    return cpu_seconds() - begun, found


def main() -> None:
    """Run all, print, and keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    add_record(parser)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []

    def tell(what: str, data: str, ours: float, peer: float | None = None, **facts: Any) -> None:
        ratio = None if peer is None else peer / ours
        rows.append(
            {
                "what": what,
                "data": data,
                "cpu_s": ours,
                "numpy_cpu_s": peer,
                "ratio": ratio,
                **facts,
            }
        )
        beside = "" if peer is None else f"  NumPy {peer:9.4f} s  x {ratio:.1f}"
        print(f"{data:10} {what:42} {ours:9.4f} s{beside}  {facts or ''}", flush=True)

    for name in SIZES:
        table = table_of(name, options.data)
        codes = np.column_stack([np.asarray(c.values) for c in table.columns]).astype(np.intp)
        codes = np.where(codes < 0, codes.max(axis=0) + 1, codes)
        y = np.asarray(table.y_codes)
        mine = fasttree.score_features(table, criterion="pi")
        with threadpool_limits(1):
            root, theirs = seconds(lambda c=codes, t=y: numpy_scores(c, t, 0.1))
            known = np.isfinite(mine)
            worst = np.abs(mine - theirs)[known].max() / np.abs(theirs).max()
            if worst > 1e-3:
                raise SystemExit(f"{name}: roots differ by {worst:g}, nothing is timed")
            best = {
                k: min(v)
                for k, v in take_turns(
                    {
                        "root": lambda t=table: fasttree.score_features(t, criterion="pi"),
                        "tree": lambda t=table: fasttree.fit(t, criterion="pi", trace=None),
                    },
                    options.rounds,
                ).items()
            }
            tree, leaves = (
                (None, None)
                if name == "letter"
                else seconds(lambda c=codes, t=y: numpy_leaves(c, t, 0.1))
            )
        model = fasttree.fit(table, criterion="pi", trace=None)
        filled = int(((model.tree_.n_children == 0) & (model.tree_.n_node_samples > 0)).sum())
        tell("scores of the root", name, best["root"], root)
        tell("whole tree", name, best["tree"], tree, leaves=filled, numpy_leaves=leaves)
        counts_of = partial(fasttree.pair_counts, table)
        one_pass, counts = min(
            (seconds(counts_of) for _ in range(options.rounds)), key=lambda p: p[0]
        )
        thousand = min(
            seconds(lambda c=counts: c.sweep(alpha=np.linspace(0, 3, 1000)))[0] for _ in range(3)
        )
        tell("pass", name, one_pass)
        tell(
            "a thousand settings of the root",
            name,
            thousand,
            passes=round((one_pass + thousand) / one_pass, 2),
        )
    table = table_of("kr-vs-kp", options.data)
    validate = fasttree.model_selection.cross_validate
    taken, found = min(
        (seconds(lambda: validate(table, criterion="pi", cv="5x10", n_jobs=1)) for _ in range(2)),
        key=lambda p: p[0],
    )
    tell(
        "5 x 10-fold cross-validation",
        "kr-vs-kp",
        taken,
        accuracy=round(found.mean("pi", "accuracy"), 4),
    )
    alphas = np.linspace(0, 2, 20)
    taken, swept = seconds(lambda: fasttree.sweep(table, alpha=alphas, cv="1x10", n_jobs=1))
    tell("sweep of 20 alphas, 10 folds", "kr-vs-kp", taken, best=swept.best["alpha"])
    if options.record:
        keep({"simd": fasttree._engine.simd_level(), "rows": rows})


if __name__ == "__main__":
    main()
