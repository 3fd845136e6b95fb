"""Missing values and empty branches, when a tree is grown and when it is asked."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree import Table, model_selection
from fasttree.exports.reading import Reading

NAN = np.nan
ON_TABLES = [row for row in fasttree.list_criteria() if row["evidence"] == "table"]


def numeric(**how):
    """Below 5: no; above: yes; missing: perhaps."""
    X = np.array([[1.0], [2.0], [8.0], [9.0], [NAN], [NAN], [NAN]])
    y = np.array(["no", "no", "yes", "yes", "perhaps", "perhaps", "perhaps"])
    return fasttree.fit(X, y, **how), X, y


def nominal(**how):
    X = [["a"], ["a"], ["b"], ["b"], [None], [None], [None]]
    y = np.array(["no", "no", "yes", "yes", "perhaps", "perhaps", "perhaps"])
    return fasttree.fit(X, y, **how), X, y


@pytest.mark.parametrize("make", [numeric, nominal])
@pytest.mark.parametrize(
    "how", [{"missing": "branch"}, {"criterion": "chi2"}], ids=["branch", "auto"]
)
def test_a_branch_of_its_own(make, how):
    model, X, y = make(**how)
    tree = model.tree_
    assert (tree.n_children[0], tree.missing_branch[0], model.get_n_leaves()) == (3, 2, 3)
    assert model.score(X, y) == 1.0
    assert "x0 is missing: perhaps (3)" in model.to_text()
    gap = np.array([[NAN]]) if make is numeric else [[None]]
    assert model.predict(gap).tolist() == ["perhaps"]
    assert model.predict_proba(gap).tolist() == [[0.0, 1.0, 0.0]]


def test_missing_where_training_had_none_goes_the_heaviest_way():
    X = np.array([[1.0], [2.0], [3.0], [8.0], [9.0]])
    how = {"missing": "branch"}
    model = fasttree.fit(X, ["no", "no", "no", "yes", "yes"], **how)
    assert (model.tree_.n_children[0], model.tree_.missing_branch[0]) == (2, 0)
    assert model.predict([[NAN]]).tolist() == ["no"]
    weighted = fasttree.fit(
        X, ["no", "no", "no", "yes", "yes"], sample_weight=[1, 1, 1, 2, 2], **how
    )
    assert weighted.predict([[NAN]]).tolist() == ["yes"]
    levels = fasttree.fit([["a"], ["b"], ["b"], ["c"]], [0, 1, 1, 2], **how)
    assert levels.predict([[None]]).tolist() == [1]
    equal = fasttree.fit([["a"], ["b"]], [0, 1], **how)
    assert equal.predict([[None]]).tolist() == [0]  # the first of equally heavy ones


def test_a_node_without_gaps_has_no_branch_for_them():
    """Only the nodes that gaps reach get a third branch."""
    X = np.array([[0, 1.0], [0, 2.0], [0, NAN], [1, 3.0], [1, 4.0], [1, 5.0]])
    y = [0, 1, 2, 3, 3, 4]
    model = fasttree.fit(X, y, missing="branch")
    tree = model.tree_
    for node in np.flatnonzero(tree.feature == 1):
        rows = model.decision_path(X).toarray()[:, node].astype(bool)
        assert (tree.n_children[node] == 3) == np.isnan(X[rows, 1]).any()
    assert model.score(X, y) == 1.0


def test_mode_fills_with_mean_and_mode_of_the_training_rows():
    frame = pd.DataFrame(
        {"x": [1.0, 2.0, 6.0, NAN, 7.0, NAN], "c": ["u", None, "v", "v", "u", "v"]}
    )
    y = [0, 0, 1, 1, 1, 0]
    model = fasttree.fit(frame, y, missing="mode")
    filled = frame.fillna({"x": 4.0, "c": "v"})
    same = fasttree.fit(filled, y)
    for name in ("feature", "threshold", "value", "label"):
        np.testing.assert_array_equal(getattr(model.tree_, name), getattr(same.tree_, name))
    np.testing.assert_array_equal(model.predict_proba(frame), same.predict_proba(filled))
    np.testing.assert_array_equal(model.apply(frame), model.apply(filled))
    # What was learnt is kept: it does not depend on the rows that are asked about.
    one = pd.DataFrame({"x": [NAN], "c": [None]})
    assert model.apply(one) == model.apply(pd.DataFrame({"x": [4.0], "c": ["v"]}))
    assert fasttree.from_bytes(model.to_bytes()).apply(one) == model.apply(one)


def test_mode_counts_weights_and_takes_the_first_of_equals():
    frame = pd.DataFrame({"x": [1.0, 5.0, NAN], "c": ["v", "u", None]})
    weighted = fasttree.fit(frame, [0, 1, 1], missing="mode", sample_weight=[3, 1, 2])
    plain = fasttree.fit(frame, [0, 1, 1], missing="mode")
    assert [feature.fill for feature in Reading(weighted).features] == [2.0, 1]
    assert [feature.fill for feature in Reading(plain).features] == [3.0, 0]


def test_mode_of_a_column_without_any_value():
    frame = pd.DataFrame({"x": [NAN, NAN, NAN], "z": [1.0, 2.0, 3.0]})
    model = fasttree.fit(frame, [0, 1, 1], missing="mode")
    assert model.score(frame, [0, 1, 1]) == 1.0


@pytest.mark.parametrize("make", [numeric, nominal])
def test_error_names_the_cell(make):
    with pytest.raises(
        ValueError, match="column 'x0', row 4 is missing, and missing='error'.*'mode' or 'branch'"
    ):
        make(missing="error")
    X = np.array([[1.0], [2.0]]) if make is numeric else [["a"], ["b"]]
    model = fasttree.fit(X, [0, 1], missing="error")
    gap = np.array([[1.0], [NAN]]) if make is numeric else [["a"], [None]]
    for method in (model.predict, model.predict_proba, model.apply, model.decision_path):
        with pytest.raises(
            ValueError,
            match="column 'x0', row 1 is missing, and the model was made with missing='error'",
        ):
            method(gap)
    assert model.score(X, [0, 1]) == 1.0


def test_error_looks_at_the_training_rows_alone():
    table = Table([[1.0], [NAN], [3.0]], [0, 1, 1])
    assert fasttree.fit(table.take([0, 2]), missing="error").get_n_leaves() == 2
    assert fasttree.fit(table, missing="error", sample_weight=[1, 0, 1]).get_n_leaves() == 2


@pytest.mark.parametrize("how", ["equal_width", "equal_frequency", "mdlp"])
@pytest.mark.parametrize("missing", ["branch", "mode"])
def test_binned_columns_with_gaps(how, missing):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = (X[:, 0] > 0.3).astype(int)
    X[rng.random(X.shape) < 0.2] = NAN
    model = fasttree.fit(X, y, discretize=how, missing=missing)
    assert model.score(X, y) > 0.8
    (inner, *_) = np.flatnonzero(model.tree_.feature == 0)
    assert (model.tree_.n_children[inner] == len(Reading(model).features[0].cuts) + 2) == (
        missing == "branch"
    )
    # Beyond the training range lie the first and the last bin.
    far = np.array([[-1e9, 0.0], [1e9, 0.0]])
    near = np.array([[np.nanmin(X[:, 0]), 0.0], [np.nanmax(X[:, 0]), 0.0]])
    np.testing.assert_array_equal(model.apply(far), model.apply(near))


def test_score_features_leaves_out_gaps_and_scales_by_the_known_share():
    X = [
        ["a", 1.0],
        ["a", 2.0],
        ["b", 3.0],
        [None, 4.0],
        ["b", NAN],
        [None, NAN],
        ["a", NAN],
        ["b", 9.0],
    ]
    y = [0, 0, 1, 1, 1, 0, 1, 1]
    known = [
        [r for r in range(8) if X[r][0] is not None],
        [r for r in range(8) if X[r][1] == X[r][1]],
    ]
    for name, scaled in (
        ("info_gain", True),
        ("gini", True),
        ("gain_ratio", True),
        ("accuracy", False),
        ("chi2", False),
    ):
        scores = fasttree.score_features(X, y, criterion=name)
        for j in range(2):
            rows = known[j]
            alone = fasttree.score_features(
                [[X[r][j]] for r in rows], [y[r] for r in rows], criterion=name
            )[0]
            assert scores[j] == pytest.approx(
                alone * (len(rows) / 8 if scaled else 1.0), abs=1e-15
            ), (
                name,
                j,
            )
    branch = fasttree.score_features(X, y, criterion="info_gain", missing="branch")
    assert branch[0] != fasttree.score_features(X, y, criterion="info_gain")[0]
    full = [[row[0] or "a", 3.8 if row[1] != row[1] else row[1]] for row in X]
    np.testing.assert_allclose(
        fasttree.score_features(X, y, criterion="info_gain", missing="mode"),
        fasttree.score_features(full, y, criterion="info_gain"),
        atol=1e-15,
    )


# -- branches that no training row reached --------------------------------------------------------

LEVELS = ["a", "b", "c"]


def empty(**how):
    """Level c never occurs: its leaf is empty."""
    X = pd.DataFrame({"level": pd.Categorical(["a"] * 3 + ["b"] * 2, LEVELS)})
    return fasttree.fit(X, ["no", "no", "yes", "yes", "yes"], **how)


ASKED = pd.DataFrame({"level": pd.Categorical(["a", "c", "b"], LEVELS)})


def test_an_empty_branch_says_what_its_parent_would():
    model = empty()
    assert (model.get_n_leaves(), model.tree_.n_node_samples[-1]) == (3, 0)
    assert model.predict(ASKED).tolist() == ["no", "yes", "yes"]
    assert model.predict_proba(ASKED)[1] == pytest.approx([0.4, 0.6])
    assert "level = c: yes (0)" in model.to_text()


@pytest.mark.parametrize("smoothing", [None, "laplace", "m_estimate"])
def test_an_unclassified_branch_says_nothing(smoothing):
    model = empty(empty_branch="unclassified", leaf_smoothing=smoothing)
    predicted = model.predict(ASKED)
    assert predicted.dtype == object
    assert predicted.tolist() == ["no", None, "yes"]
    assert model.predict(ASKED.iloc[[0, 2]]).tolist() == ["no", "yes"]
    assert model.predict(ASKED.iloc[[0, 2]]).dtype == model.classes_.dtype
    proba = model.predict_proba(ASKED)
    assert proba[1].tolist() == [0.0, 0.0]
    assert proba[[0, 2]].sum(axis=1) == pytest.approx([1.0, 1.0])
    assert model.get_n_leaves() == 3
    assert "level = c: unclassified (0)" in model.to_text()
    assert model.score(ASKED, ["no", "no", "yes"]) == pytest.approx(2 / 3)
    assert model.score(ASKED, ["no", "yes", "yes"]) == pytest.approx(2 / 3)
    assert model.staged_score(ASKED, ["no", "yes", "yes"])[-1] == pytest.approx(2 / 3)
    other = fasttree.from_bytes(model.to_bytes())
    assert other.predict(ASKED).tolist() == ["no", None, "yes"]


def test_smoothing_of_leaf_probabilities():
    X = pd.DataFrame({"level": pd.Categorical(["a"] * 3 + ["b"] * 2, LEVELS)})
    y = ["no", "no", "yes", "yes", "yes"]
    leaf = {"min_score": None, "max_depth": 1}
    assert fasttree.fit(X, y, **leaf).predict_proba(ASKED[:1])[0] == pytest.approx([2 / 3, 1 / 3])
    laplace = fasttree.fit(X, y, leaf_smoothing="laplace", **leaf)
    assert laplace.predict_proba(ASKED)[0] == pytest.approx([3 / 5, 2 / 5])
    assert laplace.predict_proba(ASKED)[2] == pytest.approx([1 / 4, 3 / 4])
    assert laplace.predict_proba(ASKED)[1] == pytest.approx([3 / 7, 4 / 7])  # the parent's rows
    m = fasttree.fit(X, y, leaf_smoothing="m_estimate", **leaf)
    assert m.predict_proba(ASKED)[0] == pytest.approx([(2 + 2 * 0.4) / 5, (1 + 2 * 0.6) / 5])


@pytest.mark.parametrize("mode", ["parent", "unclassified"])
def test_cross_validate_agrees_with_fits_by_hand(mode):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {f"c{j}": pd.Categorical(rng.choice(list("abc"), 90), list("abcdef")) for j in range(4)}
    )
    frame.loc[::9, "c1"] = None
    y = rng.choice(["u", "v", "w"], 90)
    table = Table(frame, y)
    folds = [
        (np.flatnonzero(np.arange(90) % 5 != f), np.flatnonzero(np.arange(90) % 5 == f))
        for f in range(5)
    ]
    result = model_selection.cross_validate(
        table, criterion=["info_gain", "gini"], cv=folds, empty_branch=mode
    )
    for name in ("info_gain", "gini"):
        models = [
            fasttree.fit(table.take(train), criterion=name, empty_branch=mode) for train, _ in folds
        ]
        predicted = [
            m.predict(table.take(test)) for m, (_, test) in zip(models, folds, strict=True)
        ]
        right = [np.mean(p == y[test]) for p, (_, test) in zip(predicted, folds, strict=True)]
        silent = [np.mean([label is None for label in p.tolist()]) for p in predicted]
        np.testing.assert_allclose(result[name]["accuracy"], right)
        np.testing.assert_allclose(result[name]["unclassified"], silent)
        np.testing.assert_allclose(result[name]["leaves"], [m.get_n_leaves() for m in models])
        assert [
            m.score(table.take(test)) for m, (_, test) in zip(models, folds, strict=True)
        ] == pytest.approx(right)
        assert (sum(silent) > 0) == (mode == "unclassified")


ONE_VALUE = [
    {},
    {"threshold_search": "histogram"},
    {"splitter": "random", "random_state": 0},
    {"ties": "row"},
    {"ties": "even"},
    {"thresholds": "value"},
    {"thresholds": "training_value"},
    {"max_leaf_nodes": 4},
    {"min_samples_leaf": 5},
    {"trace": "candidates"},
]
OF_CLASSES = [
    {"evaluation": "global"},
    {"evaluation": "glocal"},
    {"criterion": "gini"},
    {"criterion": "hellinger"},
    {"criterion": "mdl"},
]
OF_NUMBERS = [
    {"criterion": "absolute_error"},
    {"criterion": "quantile"},
    {"target_bins": 2, "criterion": "gini"},
]


@pytest.mark.parametrize("weights", [None, "whole", "real"])
@pytest.mark.parametrize("how", [*ONE_VALUE, *OF_CLASSES, *OF_NUMBERS], ids=str)
def test_one_known_value_is_tested_against_none(how, weights):
    rng = np.random.default_rng(0)
    known = rng.random(80) < 0.5
    X = np.column_stack([np.where(known, 7.0, np.nan), rng.normal(size=80)])
    w = {"whole": rng.integers(1, 4, 80), "real": rng.random(80) + 0.1}.get(weights)
    kinds = [fasttree.FastTreeClassifier] * (how not in OF_NUMBERS)
    kinds += [fasttree.FastTreeRegressor] * (how not in OF_CLASSES)
    for kind in kinds:
        for columns in (X, X[:, :1]):
            model = kind(missing="branch", max_depth=1, **how).fit(columns, known.astype(int), w)
            assert np.array_equal(model.predict(columns), known), kind
            assert model.tree_.threshold[0] == 7.0
            loaded = fasttree.from_bytes(model.to_bytes())
            assert np.array_equal(loaded.predict(columns), known)


@pytest.mark.parametrize("n_columns", [1, 2, 3])
def test_rows_of_numbers_and_gaps_are_told_apart(n_columns):
    """Below any node one value may be left beside none: trees are as right as the rows allow."""
    for seed in range(25):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 3, (60, n_columns)).astype(float)
        X[rng.random(X.shape) < 0.3] = np.nan
        y = rng.integers(0, 2, 60)
        cells = np.unique(np.nan_to_num(X, nan=-1.0), axis=0, return_inverse=True)[1].ravel()
        counts = np.zeros((cells.max() + 1, 2))
        np.add.at(counts, (cells, y), 1)
        exact = fasttree.FastTreeClassifier(missing="branch").fit(X, y)
        assert round(exact.score(X, y) * 60) == counts.max(axis=1).sum()
        rounded = fasttree.FastTreeClassifier(missing="branch", threshold_search="histogram")
        assert rounded.fit(X, y).to_text() == exact.to_text()


def rows_that_lack(n=300):
    """Numbers and a town of two classes; one class lacks most values."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    x, town = rng.random((n, 2)), rng.choice(list("abc"), n).astype(object)
    x[:, 1] += 0.5 * y
    x[(y == 1) & (rng.random(n) < 0.6), 0] = np.nan
    town[rng.random(n) < 0.1] = None
    return {"x": x[:, 0], "z": x[:, 1], "town": town}, y


@pytest.mark.parametrize("name", [r["name"] for r in ON_TABLES])
def test_scores_with_a_branch_for_gaps_are_those_of_the_root_which_says_so(name):
    X, y = rows_that_lack()
    model = fasttree.fit(X, y, criterion=name, max_depth=1)
    listed = model.explain(0, X, y)
    divided = fasttree.criteria.make(name).info["fractional"]
    given = {} if divided else {"missing": "branch"}
    scores = fasttree.score_features(X, y, criterion=name, named=True, **given)
    for feature, score in scores.items():
        best = max(one["score"] for one in listed if one["feature"] == feature)
        assert best == pytest.approx(score, rel=1e-12)
    apart = [line for line in str(listed).splitlines() if ", missing apart" in line]
    assert len({line.split()[0].rstrip(",") for line in apart}) == (0 if divided else 2)
    assert not any(line.startswith("z") for line in apart)


@pytest.mark.parametrize("missing", ["fractional", "branch", "mode"])
def test_the_explorer_says_how_the_scores_of_a_node_treat_gaps(missing):
    X, y = rows_that_lack()
    model = fasttree.fit(X, y, criterion="gain_ratio", missing=missing, max_depth=2)
    document = model.explore(X, y, criteria=["gini", "chi2"], max_candidates=2000).document
    own = document["trees"][0]["candidates"]["0"]
    said = {
        "fractional": "left out, as in this tree; by chi2 they are a branch of their own.",
        "branch": "Rows without a value are a branch of their own, as in this tree.",
    }
    assert own.get("missing", "").endswith(said.get(missing, "")) and ("missing" in own) == (
        missing != "mode"
    )
    names = [document["features"][f]["name"] for f in own["feature"]]
    apart = {n for n, word in zip(names, own["words"], strict=True) if "missing apart" in word}
    assert apart == ({"x", "town"} if missing == "branch" else set())
