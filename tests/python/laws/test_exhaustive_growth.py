"""Four thousand small random configurations of growth, node by node against the slow truth.

The tests of `test_growth` vary one thing at a time; here everything varies at once: criterion,
kinds of columns, ties, missing cells, weights, divisions of levels, all limits. Small tables reach
corners (empty branches, ties everywhere, nodes of two rows) that large ones hardly see.

Off by default; ``pytest -m exhaustive`` runs it, and ``.ci/run`` does.
"""

from __future__ import annotations

import numpy as np
import pytest

from fasttree import criteria

from ..estimators.test_growth import NAMES, OPTIONS, check

CONFIGURATIONS = 4000
CHUNK = 250

LIMITS = {
    "max_depth": [1, 2, 4],
    "min_samples_split": [3, 5, 9],
    "min_samples_leaf": [2, 3],
    "min_weight_fraction_leaf": [0.1, 0.25],
    "min_score": [1e-6, 0.02],
    "no_distance_decay": [True, "strict"],
    "max_leaf_nodes": [2, 3, 5, 8],
    "min_impurity_decrease": [1e-6, 0.01, 0.05],
    "empty_branch": ["unclassified"],
    "ties": ["row", "even"],
    "thresholds": ["value"],
    "nominal_splits": ["subset", "one_vs_rest"],
}
WEIGHTS = [None, None, [1, 2], [0, 1, 1, 4], [0.5, 2.25], [0.0, 0.125, 1.0]]
# What reads the labels of the leaves, or needs a class by name, has tests of its own.
FORMS = [*NAMES, *(o for o in OPTIONS if getattr(o, "positive", None) is None)]


def configuration(seed: int) -> dict:
    """The arguments of `check` that belong to a seed."""
    rng = np.random.default_rng([2026, seed])

    def one(values):
        return values[int(rng.integers(len(values)))]

    how = {name: one(values) for name, values in LIMITS.items() if rng.random() < 0.2}
    if "max_leaf_nodes" in how and rng.random() < 0.5:
        how["leaf_order"] = "distance"
    criterion, guard = one(FORMS), None
    if criterion == "gain_ratio" and rng.random() < 0.5:
        guard = one(["average", "j48", "chen2013"])
        criterion = criteria.GainRatio(guard=guard)
    kinds = "".join(rng.choice(["n", "c"], int(rng.integers(1, 5))))
    return {
        "criterion": criterion,
        "kinds": kinds,
        "n": int(rng.integers(3, 31)),
        "n_classes": int(rng.integers(2, 5)),
        "missing": one([0.0, 0.0, 0.15, 0.5]),
        "weights": one(WEIGHTS),
        "how": how,
        "guard": guard,
    }


@pytest.mark.exhaustive
@pytest.mark.parametrize("start", range(0, CONFIGURATIONS, CHUNK))
def test_small_trees_are_those_of_the_slow_grower(start):
    sizes = []
    for seed in range(start, start + CHUNK):
        arguments = configuration(seed)
        try:
            sizes.append(check(seed, **arguments))
        except ValueError as e:  # a few rows may all be drawn with weight 0
            assert "all sample weights are zero" in str(e), arguments
        except AssertionError as e:
            raise AssertionError(f"configuration({seed}) = {arguments}\n{e}") from e
    assert max(sizes) > 10 and sum(s > 1 for s in sizes) > CHUNK // 2
