"""Multiway, subset and one-vs-rest splits beside scikit-learn on one-hot columns: the same rows,
one thread, CPU time.

    python benches/nominal_splits.py [--rows 100000]
    python benches/nominal_splits.py --record        # keeps the numbers in benches/record

scikit-learn's tree on one-hot columns asks one level against the rest, as
``nominal_splits="one_vs_rest"`` does; it has no subsets. All trees are grown until pure, and their
training accuracy is checked before anything is timed.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from clock import add_record, keep
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import fasttree
from fasttree.table import Column, Table

FEATURES, LEVELS = 30, 5


def rows(n: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Codes (FEATURES, n) and classes (n,), a fifth of them drawn at random."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, LEVELS, (FEATURES, n))
    signal = codes[0] % 2 + (codes[1] > 2) + (codes[2] == 3)
    return codes, np.where(rng.random(n) < 0.8, signal % classes, rng.integers(0, classes, n))


def main() -> None:
    """Measure, print, and keep."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=100_000)
    add_record(parser)
    args = parser.parse_args()
    found = []
    for classes in (2, 4):
        codes, y = rows(args.rows, classes)
        names = tuple(f"v{i}" for i in range(LEVELS))
        columns = [
            Column(f"f{j}", "nominal", c.astype(np.int32), names) for j, c in enumerate(codes)
        ]
        table = Table.from_columns(
            columns, Column("class", "nominal", y.astype(np.int32), tuple(range(classes)))
        )
        onehot = OneHotEncoder(sparse_output=False, dtype=np.float32).fit_transform(codes.T)
        fasttree.fit(table, criterion="gini", max_depth=1)
        for splits in ("multiway", "subset", "one_vs_rest", "scikit-learn, one-hot"):
            start = time.process_time()
            if splits.startswith("scikit"):
                model = DecisionTreeClassifier(random_state=0).fit(onehot, y)
            else:
                model = fasttree.fit(table, criterion="gini", nominal_splits=splits, trace=None)
            seconds = time.process_time() - start
            right = model.score(onehot, y) if splits.startswith("scikit") else model.score(table)
            assert right > 0.99, f"{splits}: {right}"
            found.append(
                {
                    "classes": classes,
                    "splits": splits,
                    "cpu_seconds": round(seconds, 4),
                    "leaves": int(model.get_n_leaves()),
                }
            )
            print(found[-1], flush=True)
    if args.record:
        keep({"rows": found})


if __name__ == "__main__":
    main()
