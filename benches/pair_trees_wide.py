"""Trees on pairs of rows over thousands of columns: CPU time and memory, with counts by distance
and without, beside NumPy.

    python benches/pair_trees_wide.py            # 300 x 1000 and 2000 x 5000 columns of three
    values python benches/pair_trees_wide.py --record   # keeps the numbers in benches/record

Two columns interact (XOR) among the noise, and every tree must find them: three branches of three
leaves. Each contestant runs in a process of its own, one thread; memory is the largest it took
beyond what it had after its imports and a small tree. The peer is the NumPy grower of
`pair_trees.py`: one-hot columns and matrix products.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from typing import Any

import numpy as np
from clock import add_record, check, cpu_seconds, keep
from pair_trees import numpy_leaves, numpy_scores
from threadpoolctl import threadpool_limits

import fasttree
from fasttree import Table
from fasttree.criteria import ContextualMerit, Pi

SIZES = ((300, 1000), (2000, 5000))
CONTESTANTS = ("pi exact", "pi fixed", "contextual_merit fixed", "relief", "numpy")
REFUSED = {("pi exact", 5000)}


def grow(name: str, rows: int, columns: int) -> int:
    """Leaves with rows."""
    X = np.random.default_rng(0).integers(3, size=(rows, columns), dtype=np.uint8)
    y = (X[:, 3] == 0) ^ (X[:, 7] == 0)
    alpha = 5 / (2 / 3 * columns)
    if name == "numpy":
        return numpy_leaves(X.astype(np.intp), y.astype(np.intp), alpha)
    criterion: Any = {
        "pi exact": Pi(alpha=alpha),
        "pi fixed": Pi(alpha=alpha, precision="fixed"),
        "contextual_merit fixed": ContextualMerit(precision="fixed"),
        "relief": fasttree.criteria.Relief(radius=round(0.66 * columns)),
    }[name]
    table = Table(X, y, categorical_features="all")
    model = fasttree.fit(table, criterion=criterion, n_jobs=1)
    found = {int(j) for j in model.tree_.feature if j >= 0}
    check(found == {3, 7}, f"{name} on {rows} x {columns} splits by {sorted(found)}")
    return int(((model.tree_.n_children == 0) & (model.tree_.n_node_samples > 0)).sum())


def peak() -> float:
    """Largest memory of this process so far, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def child(name: str, rows: int, columns: int) -> None:
    """Measure one contestant and print JSON."""
    with threadpool_limits(1):
        numpy_scores(np.eye(4, dtype=np.intp), np.array([0, 1, 0, 1]), 0.1)
        fasttree.fit(
            np.eye(4, dtype=np.uint8), [0, 1, 0, 1], criterion="pi", categorical_features="all"
        )
        before, begun = peak(), cpu_seconds()
        leaves = grow(name, rows, columns)
        print(
            json.dumps(
                {"cpu_s": cpu_seconds() - begun, "mb": round(peak() - before), "leaves": leaves}
            )
        )


def main() -> None:
    """Run all, print, and keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    add_record(parser)
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        name, rows, columns = options.child
        return child(name, int(rows), int(columns))
    results = []
    for rows, columns in SIZES:
        names = [n for n in CONTESTANTS if (n, columns) not in REFUSED]
        runs: dict[str, list[dict[str, Any]]] = {n: [] for n in names}
        for _ in range(options.rounds):
            for name in names:
                command = [sys.executable, __file__, "--child", name, str(rows), str(columns)]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                check(done.returncode == 0, done.stderr[-500:])
                runs[name].append(json.loads(done.stdout))
        best = {n: min(r["cpu_s"] for r in runs[n]) for n in names}
        for name in names:
            facts = {"mb": max(r["mb"] for r in runs[name]), "leaves": runs[name][0]["leaves"]}
            ratio = best["numpy"] / best[name]
            results.append(
                {
                    "rows": rows,
                    "columns": columns,
                    "tree": name,
                    "cpu_s": best[name],
                    "ratio": ratio,
                }
                | facts
            )
            print(
                f"{rows} x {columns}  {name:24} {best[name]:8.3f} s  x {ratio:5.1f}  {facts}",
                flush=True,
            )
    if options.record:
        keep({"simd": fasttree._engine.simd_level(), "rows": results})


if __name__ == "__main__":
    main()
