"""Global growth beside algorithm 3 in plain NumPy (``tests/oracle/global_numpy.py``): same trees,
same run, one thread, CPU time.

    python benches/global_side_by_side.py [--rounds 3]
    python benches/global_side_by_side.py --record        # keeps the numbers in benches/record

iris, wine, and 2126 x 13 drawn at random with 3 classes (the size of Cardiotocography, full
growth). The distance after every step of both is compared before anything is timed. Fitting a Table
is timed, so its columns are sorted once before; NumPy sorts in every step.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from clock import add_record, keep, take_turns
from sklearn.datasets import load_iris, load_wine, make_classification

import fasttree

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "oracle"))

import global_numpy  # noqa: E402  (found by the line above)


def data_sets() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Numbers (rows, features) and class codes (rows,) by name."""
    drawn = make_classification(2126, 13, n_informative=8, n_classes=3, flip_y=0.05, random_state=0)
    return {
        "iris": load_iris(return_X_y=True),
        "wine": load_wine(return_X_y=True),
        "2,126 x 13, 3 classes": drawn,
    }


def beside(name: str, X: np.ndarray, y: np.ndarray, criterion: str, rounds: int) -> dict[str, Any]:
    """One row of the record."""
    table = fasttree.Table(X, y)
    measure = getattr(global_numpy, criterion)

    def ours() -> Any:
        return fasttree.fit(table, criterion=criterion, evaluation="global", n_jobs=1)

    model = ours()
    expected = global_numpy.grow(X, y, measure)
    found = [step.global_distance for step in model.trace_]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    many = len(y) > 1000
    times = take_turns({"fasttree": ours}, rounds) | take_turns(
        {"numpy": lambda: global_numpy.grow(X, y, measure)}, 1 if many else rounds
    )
    best = {who: min(runs) for who, runs in times.items()}
    return {
        "data": name,
        "criterion": criterion,
        "leaves": model.get_n_leaves(),
        "cpu_s": best,
        "ratio": best["numpy"] / best["fasttree"],
    }


def main() -> None:
    """Run, print, and keep."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    add_record(parser)
    given = parser.parse_args()
    results = []
    for name, (X, y) in data_sets().items():
        for criterion in ("gini", "info_gain"):
            row = beside(name, X, y, criterion, given.rounds)
            own, peer = row["cpu_s"]["fasttree"], row["cpu_s"]["numpy"]
            print(
                f"{name:22} {criterion:10} {row['leaves']:4} leaves: {1e3 * own:8.3f} ms, NumPy "
                f"{1e3 * peer:9.1f} ms: {row['ratio']:.0f} x"
            )
            results.append(row)
    if given.record:
        keep({"unit": "CPU seconds of a fit, estimator included; one thread", "results": results})


if __name__ == "__main__":
    main()
