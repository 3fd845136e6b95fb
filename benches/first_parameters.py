"""What single parameters change: accuracy and leaves on 20 data sets, beside the defaults.

    python benches/first_parameters.py            # two minutes
    python benches/first_parameters.py --record   # keeps the figures in benches/record

One parameter differs from ``FastTreeClassifier()`` at a time; the folds (2 x 10) are the same for
all.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from advice_on_uci import DATA, rows_of
from clock import add_record, keep

from fasttree.model_selection import cross_validate

SETS = (
    "anneal", "audiology", "autos", "balance-scale", "breast-w", "colic", "credit-a", "credit-g",
    "diabetes", "glass", "heart-c", "heart-statlog", "hepatitis", "ionosphere", "kr-vs-kp", "lymph",
    "segment", "tic-tac-toe", "vote", "vowel",
)  # fmt: skip
SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"pruning": "error_based"},
    {"pruning": "cart_min"},
    {"pruning": "cart"},
    {"nominal_splits": "subset"},
    {"criterion": "gini"},
    {"criterion": "hellinger"},
    {"criterion": "gain_ratio"},
    {"min_samples_leaf": 5},
    {"max_leaf_nodes": 16},
    {"max_leaf_nodes": 8},
    {"missing": "branch"},
    {"threshold_search": "histogram"},
    {"evaluation": "glocal"},
)


def measured(folder: Path, name: str) -> list[dict[str, float]]:
    """Accuracy in percent and leaves under each setting."""
    table, found = rows_of(folder, name), []
    for setting in SETTINGS:
        setting = {"criterion": "info_gain", **setting}
        criterion = setting.pop("criterion")
        result = cross_validate(table, [criterion], cv="2x10", random_state=0, **setting)
        found.append(
            {
                "accuracy": 100 * float(result.mean(criterion, "accuracy")),
                "leaves": float(result.mean(criterion, "leaves")),
            }
        )
    return found


def main() -> None:
    """Print a row per setting."""
    parser = argparse.ArgumentParser(description="what single parameters change")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the ARFF files")
    add_record(parser)
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # classes with fewer rows than folds
    by_set = [measured(given.data, name) for name in SETS]
    accuracy, leaves = (
        np.array([[one[what] for one in row] for row in by_set]) for what in ("accuracy", "leaves")
    )
    difference = accuracy - accuracy[:, :1]
    error = difference.std(axis=0, ddof=1) / np.sqrt(len(SETS))
    results = []
    for j, setting in enumerate(SETTINGS):
        name = ", ".join(f"{k}={v!r}" for k, v in setting.items()) or "defaults"
        one = {
            "setting": name,
            "accuracy": accuracy[:, j].mean(),
            "difference": difference[:, j].mean(),
            "standard_error": error[j],
            "better": int((difference[:, j] > 0).sum()),
            "worse": int((difference[:, j] < 0).sum()),
            "leaves": float(np.median(leaves[:, j])),
        }
        results.append(one)
        print(
            f"{name:32s} {one['accuracy']:5.1f} {one['difference']:+6.2f} "
            f"({one['standard_error']:.2f})  better on {one['better']:2d}, worse on "
            f"{one['worse']:2d}  leaves {one['leaves']:.0f}",
            flush=True,
        )
    if given.record:
        keep({"sets": SETS, "settings": results})


if __name__ == "__main__":
    main()
