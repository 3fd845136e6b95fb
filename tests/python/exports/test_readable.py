"""`to_text` under other names of the features."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

import fasttree
from fasttree import Table
from fasttree.discretize import EqualWidth

X, Y = load_iris(return_X_y=True)
WORDS = [["red", "x"], ["blue", "x"], ["green", "y"], [None, "y"]] * 4
CHAIN = np.arange(140.0)[:, None]

MODELS = {
    "thresholds": lambda: (X, Y, {}),
    "bins": lambda: (X, Y, {"discretize": EqualWidth(5)}),
    "levels": lambda: (WORDS, [0, 1, 2, 3] * 4, {"missing": "branch"}),
    "subsets": lambda: (WORDS, [0, 1, 2, 3] * 4, {"nominal_splits": "subset"}),
    "one leaf": lambda: (X, Y * 0, {}),
    "deep": lambda: (
        CHAIN,
        np.arange(140) % 2,
        {"criterion": lambda t: -t[:, 0].sum(axis=1)},
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("max_depth", [None, 0, 1])
@pytest.mark.parametrize("kind", MODELS)
def test_the_text_is_that_of_a_model_with_these_names(kind, max_depth):
    rows, y, how = MODELS[kind]()
    names = ["x1 <= 2", "|   a", "3 < b", "[7] c"][: len(rows[0])]
    own, other = Table(rows, y), Table(rows, y, feature_names=names)
    one, two = (fasttree.fit(table, **how) for table in (own, other))
    expected = two.to_text(max_depth=max_depth)
    assert one.to_text(max_depth=max_depth, feature_names=names) == expected


def test_a_regression_tree_takes_names_and_wrong_ones_are_refused():
    tree = fasttree.FastTreeRegressor(max_depth=1).fit(X[:, :2], X[:, 2])
    assert tree.to_text(feature_names=["long", "wide"]).startswith("long <= ")
    with pytest.raises(ValueError, match="has 1 name, but the model has 2 features"):
        tree.to_text(feature_names=["long"])
    with pytest.raises(TypeError, match="feature_names"):
        tree.to_text(feature_names="long")
    with pytest.raises(ValueError, match="style='j48'"):
        fasttree.fit(X, Y).to_text(style="j48", feature_names=list("abcd"))
