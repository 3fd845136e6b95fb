"""``nominal_splits="auto"`` with a limit on leaves: levels are divided in two groups."""

from __future__ import annotations

import numpy as np
import pytest

from fasttree import FastTreeClassifier, FastTreeRegressor, Table

RANDOM = np.random.default_rng(0)
COLOUR, SIZE = RANDOM.choice(list("abcdefgh"), 600), RANDOM.normal(size=600)
NUMBER = 3.0 * np.isin(COLOUR, list("aceg")) + SIZE


@pytest.mark.parametrize(
    ("kind", "y", "task"),
    [
        (FastTreeRegressor, NUMBER, "regression"),
        (FastTreeClassifier, NUMBER > 1.5, "classification"),
    ],
)
def test_a_limit_on_leaves_is_not_spent_on_levels(kind, y, task):
    rows = Table({"colour": COLOUR.tolist(), "size": SIZE}, y, task=task)
    limited = kind(max_leaf_nodes=4).fit(rows)
    assert limited.to_text().startswith("colour in {a, c, e, g}")
    assert limited.to_text() == kind(max_leaf_nodes=4, nominal_splits="subset").fit(rows).to_text()
    grown = kind(min_samples_leaf=30).fit(rows)
    assert grown.to_text().startswith("colour = a")
    multiway = kind(max_leaf_nodes=10, nominal_splits="multiway").fit(rows)
    assert multiway.to_text().startswith("colour = a")
