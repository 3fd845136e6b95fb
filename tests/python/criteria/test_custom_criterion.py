"""A user's criterion: one NumPy function of all candidates of a node."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree import criteria, model_selection


class Gini:
    """The built-in's arithmetic: one minus the impurity after the split, minus one minus the
    impurity before."""

    def __init__(self):
        self.calls = 0
        self.shapes = []

    def __call__(self, tables):
        self.calls += 1
        self.shapes.append(tables.shape)
        sizes = tables.sum(axis=2)
        n = sizes[0].sum()
        share = 1.0 / n
        after = np.zeros(len(tables))
        for m in range(tables.shape[1]):
            squares = np.zeros(len(tables))
            for c in range(tables.shape[2]):
                squares += tables[:, m, c] * tables[:, m, c]
            after += squares / np.where(sizes[:, m] > 0, sizes[:, m], 1.0)
        totals = tables[0].sum(axis=0)
        return after * share - (totals * totals).sum() / n * share


def frame(kind, n=400, seed=4, missing=False):
    rng = np.random.default_rng(seed)
    data = {}
    if kind != "nominal":
        data |= {f"x{j}": rng.normal(size=n).round(1) for j in range(4)}
    if kind != "numeric":
        data |= {f"c{j}": rng.choice(list("abcdef")[: j + 2], n) for j in range(4)}
    out = pd.DataFrame(data)
    if missing:
        out = out.mask(rng.random(out.shape) < 0.1)
    y = rng.integers(0, 3, n)
    return out, y


def same_tree(a, b):
    for name in (
        "feature",
        "threshold",
        "value",
        "label",
        "score",
        "missing_branch",
        "n_node_samples",
        "children",
    ):
        np.testing.assert_array_equal(getattr(a.tree_, name), getattr(b.tree_, name), err_msg=name)


@pytest.mark.parametrize("kind", ["numeric", "nominal", "mixed"])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(
    "how", [{}, {"min_samples_leaf": 5}, {"max_depth": 3}, {"min_score": 0.002}], ids=str
)
def test_gini_in_numpy_grows_the_built_in_tree(kind, missing, how):
    X, y = frame(kind, missing=missing)
    mine = Gini()
    own = fasttree.fit(X, y, criterion=mine, **how)
    same_tree(own, fasttree.fit(X, y, criterion="gini", missing="branch", **how))
    assert own.n_nodes_ > 5


@pytest.mark.parametrize("weights", [[1, 2, 3], [0, 1, 4], [0.5, 0.25, 2.0]], ids=str)
def test_with_weights(weights):
    X, y = frame("mixed", 150)
    w = np.random.default_rng(0).choice(weights, 150)
    same_tree(
        fasttree.fit(X, y, criterion=Gini(), sample_weight=w),
        fasttree.fit(X, y, criterion="gini", missing="branch", sample_weight=w),
    )


def test_at_most_one_call_a_node():
    for kind in ("numeric", "nominal", "mixed"):
        X, y = frame(kind)
        mine = Gini()
        model = fasttree.fit(X, y, criterion=mine)
        # Leaves that are pure or have no candidate are not asked about.
        assert mine.calls == (model.tree_.n_children > 0).sum()
        mine = Gini()
        model = fasttree.fit(X, y, criterion=mine, min_score=0.02, max_leaf_nodes=9)
        assert (model.tree_.n_children > 0).sum() <= mine.calls <= model.n_nodes_


def test_what_the_function_is_given():
    X = pd.DataFrame(
        {"a": [0.0, 1.0, 1.0, 2.0], "c": pd.Categorical(["u", "v", "u", "u"], ["t", "u", "v"])}
    )
    seen = []

    def look(tables):
        seen.append(tables.copy())
        return tables[:, 0, 0]

    fasttree.fit(X, ["n", "y", "n", "y"], criterion=look, max_depth=1)
    (tables,) = seen
    assert tables.dtype == np.float64
    # (candidates, branches, classes): two thresholds of a and the three declared levels of c,
    # padded with empty branches (nominal features come first in a block or last: order within the
    # array follows the features).
    as_sets = sorted(t.tolist() for t in tables)
    assert as_sets == sorted(
        [
            [[1.0, 0.0], [1.0, 2.0], [0.0, 0.0]],
            [[2.0, 1.0], [0.0, 1.0], [0.0, 0.0]],
            [[0.0, 0.0], [2.0, 1.0], [0.0, 1.0]],
        ]
    )


def test_the_score_decides_and_is_kept():
    X, y = frame("numeric", 60)
    rng = np.random.default_rng(1)
    given = []

    def noise(tables):
        given.append(rng.random(len(tables)))
        return given[-1]

    model = fasttree.fit(X, y, criterion=noise)
    inner = np.flatnonzero(model.tree_.n_children > 0)
    assert model.tree_.score[inner].tolist() == [g.max() for g in given]
    assert model.tree_.distance[inner].tolist() == [-g.max() for g in given]


def test_score_features_explain_and_trace_take_functions():
    X, y = frame("mixed", 200)
    np.testing.assert_array_equal(
        fasttree.score_features(X, y, criterion=Gini()),
        fasttree.score_features(X, y, criterion="gini"),
    )
    own = fasttree.fit(X, y, criterion=Gini(), max_depth=2, trace="candidates")
    theirs = fasttree.fit(X, y, criterion="gini", max_depth=2, trace="candidates")
    assert [s.candidates for s in own.trace_] == [s.candidates for s in theirs.trace_]
    assert own.explain(0, X, y) == theirs.explain(0, X, y)


def test_integers_and_lists_are_scores_too():
    X, y = frame("numeric", 60)
    for f in (
        lambda t: [1] * len(t),
        lambda t: np.arange(len(t)),
        lambda t: np.ones(len(t), bool),
        lambda t: np.float32(t[:, 0, 0]),
    ):
        assert fasttree.fit(X, y, criterion=f, max_depth=2).n_nodes_ > 1


class Broken(Exception):
    pass


def broken(tables):
    raise Broken("on purpose", len(tables))


WRONG = {
    "too few": (
        lambda t: np.ones(len(t) - 1),
        r"returned \d+ scores for \d+ candidates; it must return one score for each",
    ),
    "two columns": (
        lambda t: np.ones((len(t), 2)),
        r"array of shape \(\d+, 2\); it must return one score for each",
    ),
    "a number": (lambda t: 1.0, r"array of shape \(\)"),
    "nothing": (lambda t: None, r"array of shape \(\)"),
    "NaN": (
        lambda t: np.full(len(t), np.nan),
        "score of a split on column '.+' is NaN or inf; scores must be finite, or -inf for",
    ),
    "one NaN": (
        lambda t: np.where(np.arange(len(t)) == len(t) - 1, np.nan, 1.0),
        "is NaN or inf; scores must be finite",
    ),
    "infinity": (
        lambda t: np.where(np.arange(len(t)) == len(t) - 1, np.inf, 1.0),
        "score of a split on column '.+' is NaN or inf; scores must be finite, or -inf for",
    ),
    "words": (lambda t: ["good"] * len(t), "could not convert string to float"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_returns_are_explained(case):
    X, y = frame("numeric", 60)
    function, words = WRONG[case]
    for call in (
        lambda: fasttree.fit(X, y, criterion=function),
        lambda: fasttree.score_features(X, y, criterion=function),
    ):
        with pytest.raises((ValueError, TypeError), match=words):
            call()
    assert fasttree.fit(X, y).n_nodes_ > 1


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"evaluation": "global"},
        {"evaluation": "glocal"},
        {"threshold_search": "histogram"},
        {"discretize": "equal_width"},
        {"max_leaf_nodes": 3},
    ],
    ids=str,
)
def test_a_score_that_is_nan_names_the_column(how):
    X, y = {"level": ["a"] * 60, "the width": np.arange(60) % 7}, np.arange(60) % 2

    def function(tables):
        return np.full(len(tables), np.nan)

    for call in (
        lambda: fasttree.fit(X, y, criterion=function, columns="as_given", **how),
        lambda: model_selection.cross_validate(X, y, function, columns="as_given", cv="1x2", **how),
    ):
        with pytest.raises(ValueError, match="a split on column 'the width' is NaN"):
            call()


def test_errors_of_the_function_come_out_unchanged():
    X, y = frame("numeric", 60)
    for call in (
        lambda: fasttree.fit(X, y, criterion=broken),
        lambda: fasttree.fit(X, y, criterion=broken, n_jobs=2, max_leaf_nodes=4),
        lambda: fasttree.score_features(X, y, criterion=broken),
    ):
        with pytest.raises(Broken) as caught:
            call()
        assert caught.value.args[0] == "on purpose"
        assert caught.traceback[-1].name == "broken"
    for kind in (KeyboardInterrupt, SystemExit, MemoryError):

        def stop(tables, kind=kind):
            raise kind

        with pytest.raises(kind):
            fasttree.fit(X, y, criterion=stop)


def test_the_function_may_use_fasttree_itself():
    X, y = frame("numeric", 60)

    def nested(tables):
        fasttree.fit(X, y, max_depth=2, n_jobs=2)
        return criteria.Gini().score(tables)

    same_tree(
        fasttree.fit(X, y, criterion=nested), fasttree.fit(X, y, criterion="gini", missing="branch")
    )


def test_cross_validate_takes_a_function():
    X, y = frame("mixed", 200)
    result = model_selection.cross_validate(X, y, criterion=["gini", Gini()], cv="1x5").to_frame()
    scores = (
        result.filter(like="accuracy").to_numpy()
        if "accuracy" in result
        else result.select_dtypes("number").to_numpy()
    )
    assert len(result) >= 2
    half = len(result) // 2
    np.testing.assert_array_equal(scores[:half], scores[half:])


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore:nominal columns")
def test_memory_is_refused_before_it_is_taken():
    n = 60_000
    X = pd.DataFrame(
        {"id": np.char.mod("%05d", np.arange(n)), "x": np.random.default_rng(0).normal(size=n)}
    )
    with pytest.raises(ValueError, match="up to 60000 branches and 2 classes would pass 4 GiB"):
        fasttree.fit(
            X, np.arange(n) % 2, criterion=Gini(), nominal_splits="multiway", columns="as_given"
        )


@pytest.mark.parametrize("how", [True, "strict"])
def test_a_function_can_stop_where_its_distance_no_longer_falls(how):
    def gini(tables):
        sizes = tables.sum(axis=2)
        inside = (tables**2).sum(axis=2) / np.where(sizes == 0, 1, sizes)
        return inside.sum(axis=1) / sizes.sum(axis=1)

    X, y = np.random.default_rng(0).integers(0, 4, (60, 3)).astype(float), np.arange(60) % 3
    mine = fasttree.fit(X, y, criterion=gini, no_distance_decay=how)
    known = fasttree.fit(X, y, criterion="gini", no_distance_decay=how)
    np.testing.assert_array_equal(mine.tree_.feature, known.tree_.feature)
    np.testing.assert_array_equal(mine.tree_.threshold, known.tree_.threshold)


def test_an_estimator_shows_functions_by_their_names():
    def own(tables):
        return tables.max(axis=2).sum(axis=1)

    for model in (
        fasttree.FastTreeClassifier(criterion=own),
        fasttree.FastForestClassifier(2, criterion=own),
        fasttree.OptimalTreeClassifier(loss=own, max_depth=1),
    ):
        assert "=own" in repr(model) and " at 0x" not in repr(model) + str(model)
