"""How often estimated pair scores lie within two and three of their standard errors of the exact
scores, by number of feature subsets.

    python benches/pair_coverage.py                  # 40 CPU seconds
    python benches/pair_coverage.py --record         # keeps the numbers in benches/record

Three drawn sets of 1000 rows and 18 features: one where features matter alone, one where two and
one where three matter only together. A normal error bar would cover 95.4 and 99.7 %. Shares are
over all features and seeds; the differences to the best feature are covered by `difference_errors`.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from clock import add_record, keep

from fasttree import Table, estimate_features, score_features
from fasttree.criteria import ContextualMerit, Pi

SEEDS = {64: 60, 256: 40, 1024: 20}
SETTINGS = (Pi(), Pi(alpha=0.3), Pi(alpha=0.7), ContextualMerit(alpha=0.2, decay="exponential"))


def drawn(kind: str, rows: int = 1000, features: int = 18) -> Table:
    """Uniform values, one feature that half copies another; the class by one, two or three
    features, 15 % turned over."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2 if kind == "three" else 4, (rows, features)).astype(np.uint8)
    X[:, 5] = np.where(rng.random(rows) < 0.5, X[:, 4], X[:, 5])
    of = {
        "alone": X[:, 0] < 2,
        "two": (X[:, 0] ^ X[:, 1]) & 1,
        "three": X[:, 0] ^ X[:, 1] ^ X[:, 2],
    }[kind]
    y = np.where(rng.random(rows) < 0.15, 1 - of, of)
    return Table(X, y, categorical_features="all", name=kind)


def coverage(table: Table, criterion: Any, subsets: int, seeds: int) -> dict[str, Any]:
    """Shares of the features and seeds within two and three standard errors, and the feature that
    is covered least."""
    exact = score_features(table, criterion=criterion)
    best = int(np.argmax(exact))
    off, gaps = [], []
    for seed in range(seeds):
        found = estimate_features(table, criterion=criterion, n_subsets=subsets, random_state=seed)
        off.append(np.abs(found.scores - exact) / found.standard_errors)
        c = found.covariance
        errors = np.sqrt(np.maximum(np.diag(c) + c[best, best] - 2 * c[best], 1e-300))
        gap = np.abs((found.scores - found.scores[best]) - (exact - exact[best]))
        gaps.append(np.delete(gap / errors, best))
    within = np.array(off) <= 2
    return {
        "within_2": round(float(within.mean()), 3),
        "within_3": round(float((np.array(off) <= 3).mean()), 3),
        "least_feature_within_2": round(float(within.mean(axis=0).min()), 3),
        "differences_within_2": round(float((np.array(gaps) <= 2).mean()), 3),
    }


def main() -> None:
    """Run all, print, and keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_record(parser)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for subsets, seeds in SEEDS.items():
        for kind in ("alone", "two", "three"):
            for criterion in SETTINGS:
                found = coverage(drawn(kind), criterion, subsets, seeds)
                what = f"{criterion.name} alpha={criterion.alpha}"
                rows.append(
                    {"subsets": subsets, "data": kind, "criterion": what, "seeds": seeds, **found}
                )
                print("  ".join(f"{k}={v}" for k, v in rows[-1].items()), flush=True)
    if options.record:
        keep({"rows": rows})


if __name__ == "__main__":
    main()
