"""How often a nominal column of many levels is chosen at the root with the default
`nominal_splits`.

    python benches/many_levels.py              # 200 runs of each case
    python benches/many_levels.py --runs 20
    python benches/many_levels.py --record     # keeps the shares in benches/record

2,000 rows. Wanted: a column without information at the root in at most 5 % of the runs beside five
numeric columns of noise and never beside a good one; one that determines the class of nine rows in
ten always; one that is different in every row never.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
from clock import add_record, keep

import fasttree

ROWS = 2_000
COLUMN = "city"


def noise(random: np.random.Generator, levels: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Five numeric columns and one of `levels` levels, none of which tells anything; two
    classes."""
    X = pd.DataFrame(random.normal(size=(ROWS, 5)), columns=[f"x{j}" for j in range(5)])
    X[COLUMN] = [f"city{c}" for c in random.integers(0, levels, ROWS)]
    return X, random.integers(0, 2, ROWS)


def beside_good(random: np.random.Generator, levels: int) -> tuple[pd.DataFrame, np.ndarray]:
    """One numeric column is good."""
    X, y = noise(random, levels)
    X["good"] = y + random.normal(size=ROWS)
    return X, y


def determines(random: np.random.Generator, levels: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Each level has its class, and one row in ten the other."""
    X, _ = noise(random, levels)
    classes = dict(zip(X[COLUMN].unique(), random.integers(0, 2, levels), strict=False))
    return X, X[COLUMN].map(classes).to_numpy() ^ (random.random(ROWS) < 0.1)


def all_different(random: np.random.Generator, classes: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Only the column, all of whose cells differ, and balanced classes."""
    X = pd.DataFrame({COLUMN: [f"C{i:05}" for i in random.permutation(ROWS)]})
    return X, random.permutation(np.arange(ROWS) % classes)


Case = Callable[[np.random.Generator, int], tuple[pd.DataFrame, np.ndarray]]
CASES: list[tuple[str, Case, int, float, float]] = [
    ("noise, 50 levels", noise, 50, 0.0, 0.05),
    ("noise, 300 levels", noise, 300, 0.0, 0.05),
    ("beside a good column, 50 levels", beside_good, 50, 0.0, 0.0),
    ("beside a good column, 300 levels", beside_good, 300, 0.0, 0.0),
    ("determines nine rows in ten, 300 levels", determines, 300, 1.0, 1.0),
    ("all different, 2 classes", all_different, 2, 0.0, 0.0),
    ("all different, 3 classes", all_different, 3, 0.0, 0.0),
    ("all different, 10 classes", all_different, 10, 0.0, 0.0),
]


def is_at_root(X: pd.DataFrame, y: np.ndarray, criterion: str) -> bool:
    """Whether the column is the test of the root."""
    tree = fasttree.fit(X, y, criterion=criterion, max_depth=1)
    return tree.get_n_leaves() > 1 and X.columns[tree.tree_.feature[0]] == COLUMN


def main() -> None:
    """Print the share of each case under three criteria, beside what is wanted."""
    parser = argparse.ArgumentParser(description="nominal columns of many levels at the root")
    parser.add_argument("--runs", type=int, default=200)
    add_record(parser)
    given = parser.parse_args()
    results = []
    warnings.simplefilter("ignore")
    for criterion in ("info_gain", "gini", "gain_ratio"):
        for name, case, size, low, high in CASES:
            found = np.mean(
                [
                    is_at_root(*case(np.random.default_rng(seed), size), criterion)
                    for seed in range(given.runs)
                ]
            )
            verdict = "PASS" if low <= found <= high else "MISS"
            results.append({"criterion": criterion, "case": name, "at_root": float(found)})
            print(f"{criterion:12s} {name:42s} {found:7.1%}  {low:.0%} to {high:.0%}  {verdict}")
    if given.record:
        keep({"unit": f"share of {given.runs} runs", "results": results})


if __name__ == "__main__":
    main()
