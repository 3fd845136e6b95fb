"""Stability: counts equal those of refits by hand on the multiplicities that it names."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes

import fasttree
from fasttree import FastTreeClassifier, FastTreeRegressor
from fasttree.estimators.stability import _percent
from fasttree.pruning import ReducedError

X, Y = load_breast_cancer(return_X_y=True)
NUMBERS = load_diabetes(return_X_y=True)
WEIGHTS = np.random.default_rng(0).integers(0, 4, len(Y)).astype(float)
GROUPS = np.arange(len(Y)) // 5
MODELS = {
    "usual": FastTreeClassifier(),
    "small": FastTreeClassifier(criterion="gini", max_leaf_nodes=6),
    "share of rows": FastTreeClassifier(criterion="hellinger", min_samples_leaf=0.02),
    "pruned": FastTreeClassifier(pruning="error_based"),
    "bins": FastTreeClassifier(threshold_search="histogram"),
    "bins of columns": FastTreeClassifier(discretize="mdlp"),
    "balanced": FastTreeClassifier(class_weight="balanced"),
    "folds of a pruning": FastTreeClassifier(pruning="cart"),
    "rows of a pruning": FastTreeClassifier(pruning=ReducedError(random_state=0)),
    "glocal": FastTreeClassifier(evaluation="glocal", max_depth=3),
    "costs": FastTreeClassifier(cost_matrix=np.array([[0.0, 1.0], [5.0, 0.0]])),
    "ctree": FastTreeClassifier(**fasttree.presets.CTREE),
    "merged levels": FastTreeClassifier(selection="significance", merge_levels=True),
    "weight of leaves": FastTreeClassifier(min_weight_fraction_leaf=0.05),
    "own criterion": FastTreeClassifier(
        criterion=lambda tables: -tables.min(axis=2).sum(axis=1), max_depth=2
    ),
}


def refits(model, X, y, found, weights=None):
    """The trees that the multiplicities say."""
    for i in range(found.repeats):
        times = found.multiplicities(i).astype(float)
        yield clone(model).fit(X, y, sample_weight=times * (1.0 if weights is None else weights))


def check(model, X, y, found, weights=None):
    """All counts of the result, beside those of refits by hand."""
    again = list(refits(model, X, y, found, weights))
    tested = [tree.tree_.feature[tree.tree_.feature >= 0] for tree in again]
    counts = np.array([np.bincount(one, minlength=X.shape[1]) for one in tested])
    roots = np.array([np.arange(X.shape[1]) == tree.tree_.feature[0] for tree in again])
    assert found.features.used.tolist() == (counts > 0).mean(axis=0).tolist()
    assert found.features.uses.tolist() == counts.mean(axis=0).tolist()
    assert found.features.root.tolist() == roots.mean(axis=0).tolist()
    j = int(counts.sum(axis=0).argmax())
    thresholds = [t.tree_.threshold[t.tree_.feature == j].tolist() for t in again]
    mine = found.thresholds(found.features.names[j])
    if "threshold" in mine and np.isfinite(sum(thresholds, [])).all():
        np.testing.assert_array_equal(mine.threshold, sum(thresholds, []))
        assert mine.refit.tolist() == sum([[i] * len(one) for i, one in enumerate(thresholds)], [])
    leaves = sorted(tree.get_n_leaves() for tree in again)
    assert leaves[0] <= found.trees.leaves[0] <= found.trees.leaves[2] <= leaves[-1]
    X, y = (X, y) if weights is None else (X[weights > 0], y[weights > 0])
    said = np.array([tree.predict(X) for tree in again])
    pairs = list(combinations(range(len(again)), 2))
    if found._fitted._task == "regression":
        expected = np.sqrt(said.var(axis=0, ddof=1).mean())
        np.testing.assert_allclose(found.votes(X).mean, said.mean(axis=0), rtol=1e-12)
    else:
        expected = np.mean([(said[i] == said[j]).mean() for i, j in pairs])
        shares = [(said == label).mean(axis=0) for label in model.fit(X, y).classes_]
        np.testing.assert_allclose(found.votes(X), np.transpose(shares), rtol=1e-12)
    assert found.trees.agreement == pytest.approx(expected, rel=1e-12)
    assert 0 <= found.trees.similarity <= 1


@pytest.mark.parametrize("name", MODELS)
def test_counts_are_those_of_refits_by_hand(name):
    model = clone(MODELS[name]).fit(X, Y)
    check(MODELS[name], X, Y, model.stability(X, Y, repeats=8))


def test_refits_draw_the_permutations_of_a_fit():
    rows, y = X[::9, [0, 1, 4]], Y[::9]
    how = {"selection": "significance", "test": "permutation", "alpha": 0.3, "max_depth": 2}
    model = FastTreeClassifier(**how, random_state=1)
    check(model, rows, y, clone(model).fit(rows, y).stability(rows, y, repeats=6))


@pytest.mark.parametrize("sample", ["bootstrap", "subsample"])
@pytest.mark.parametrize("grouped", [False, True])
def test_samples_of_rows_and_of_groups(sample, grouped):
    model = FastTreeClassifier(max_depth=3)
    options = {"sample": sample, "groups": GROUPS if grouped else None}
    found = clone(model).fit(X, Y).stability(X, Y, repeats=6, **options)
    check(model, X, Y, found)
    units = len(np.unique(GROUPS)) if grouped else len(Y)
    for i in range(found.repeats):
        times = found.multiplicities(i)
        if grouped:
            assert all(len(set(times[g == GROUPS])) == 1 for g in np.unique(GROUPS))
            times = times[np.unique(GROUPS, return_index=True)[1]]
        assert times.sum() == (units if sample == "bootstrap" else int(0.632 * units))
        assert sample == "bootstrap" or times.max() == 1


@pytest.mark.parametrize("limits", [{}, {"min_samples_leaf": 0.05}, {"min_samples_split": 30}])
def test_draws_multiply_weights_and_rows_without_weight_are_not_drawn(limits):
    model = FastTreeClassifier(max_depth=4, **limits)
    fitted = clone(model).fit(X, Y, sample_weight=WEIGHTS)
    found = fitted.stability(X, Y, repeats=6, sample_weight=WEIGHTS)
    check(model, X, Y, found, WEIGHTS)
    assert not found.multiplicities(0)[WEIGHTS == 0].any()
    assert found.multiplicities(0).sum() == (WEIGHTS > 0).sum()


@pytest.mark.parametrize("preset", ["CTREE", "CHAID"])
def test_copies_of_rows_make_p_values_too_small_and_texts_say_so(preset):
    rng = np.random.default_rng(1)
    noise, y = rng.normal(size=(300, 2)), rng.integers(0, 2, 300)
    tree = FastTreeClassifier(**getattr(fasttree.presets, preset)).fit(noise, y)
    kinds = ("bootstrap", "subsample")
    refits = {s: tree.stability(noise, y, repeats=60, sample=s) for s in kinds}
    split = {s: found.features.root.sum() for s, found in refits.items()}
    assert split["subsample"] < 0.3 < split["bootstrap"]
    for sample, found in refits.items():
        page = str(tree.explore(noise, y, stability=found).document["kept"])
        said = [found.to_text(), tree.to_text(stability=found), page]
        assert {"p-values too small" in one for one in said} == {sample == "bootstrap"}
    usual = FastTreeClassifier(max_depth=1).fit(noise, y).stability(noise, y, repeats=2)
    assert "p-values" not in usual.to_text()


def test_numbers():
    model = FastTreeRegressor(max_leaf_nodes=8)
    check(model, *NUMBERS, clone(model).fit(*NUMBERS).stability(*NUMBERS, repeats=6))


def test_similarity_is_mutual_information_over_joint_entropy():
    model = FastTreeClassifier(max_depth=3).fit(X, Y)
    found = model.stability(X, Y, repeats=2)
    a, b = (tree.apply(X) for tree in refits(FastTreeClassifier(max_depth=3), X, Y, found))
    joint = np.array([[np.mean((a == i) & (b == j)) for j in set(b)] for i in set(a)])
    pa, pb = joint.sum(axis=1), joint.sum(axis=0)

    def entropy(p):
        return -np.sum(p[p > 0] * np.log(p[p > 0]))

    both = entropy(joint.ravel())
    expected = (entropy(pa) + entropy(pb) - both) / both
    assert found.trees.similarity == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("data", ["numbers", "levels", "target"])
def test_nodes_are_searched_as_by_hand(data):
    table = fasttree.datasets.load("breast-cancer" if data == "numbers" else "tic-tac-toe")
    model: object = FastTreeClassifier(
        max_depth=2, min_samples_leaf=0.01, min_impurity_decrease=0.001, nominal_splits="subset"
    )
    rows, y = table, None
    if data == "target":
        model, (rows, y) = FastTreeRegressor(max_depth=2, min_samples_leaf=5), NUMBERS
    fitted = model.fit(rows, y)
    found = fitted.stability(rows, y, repeats=12, nodes=True)
    tree, leaf = fitted.tree_, fitted.apply(rows)
    ends = tree.subtree_ends()
    assert set(found.nodes) == set(np.flatnonzero(tree.n_children > 0).tolist())
    for node, one in found.nodes.items():
        total = one.chosen + sum(one.rivals.values()) + one.none
        assert total == pytest.approx(1.0) and one.node == node
        assert one.feature == fitted._schema.names[tree.feature[node]]
        inside = (leaf >= node) & (leaf < ends[node])
        assert inside.sum() == tree.n_node_samples[node]
        if one.thresholds is not None:
            low, middle, high = one.thresholds
            assert low <= middle <= high
        assert (one.same_division is None) == (data != "levels")
    # The root is searched on all rows: the share of its column is that of stumps.
    limits = {"max_depth": 1}
    stump = clone(fitted).set_params(**limits).fit(rows, y).stability(rows, y, repeats=12)
    root = found.nodes[0]
    j = stump.features.names.index(root.feature)
    assert stump.features.root[j] == pytest.approx(root.chosen)


@pytest.mark.parametrize("sample", ["bootstrap", "subsample"])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("limits", [{"min_samples_leaf": 7}, {"min_samples_leaf": 0.35}])
def test_a_node_that_just_meets_the_limits_is_searched(sample, grouped, limits):
    x, y = np.arange(20.0), np.repeat([0, 1], 10)
    groups = np.arange(20) // 2 if grouped else None
    model = FastTreeClassifier(min_samples_split=20, **limits).fit(x[:, None], y)
    words = {"groups": groups, "repeats": 50, "nodes": True}
    root = model.stability(x[:, None], y, sample=sample, **words).nodes[0]
    # A limit on branches can refuse an uneven draw, one on the node none.
    assert root.chosen > (0.9 if sample == "subsample" else 0.6) and not root.rivals


@pytest.mark.parametrize("how", [{"class_weight": "balanced"}, {"priors": [0.5, 0.5]}])
def test_nodes_are_searched_with_the_class_weights_of_the_tree(how):
    weights = dict(enumerate((len(Y) / (2 * np.bincount(Y))).tolist()))
    model = FastTreeClassifier(max_depth=3)
    by_rule, by_number = (
        clone(model).set_params(**one).fit(X, Y).stability(X, Y, repeats=8, nodes=True)
        for one in (how, {"class_weight": weights})
    )
    assert by_rule.nodes == by_number.nodes


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("name", ["usual", "bins"])
def test_threads_and_repeats_change_nothing(name, n_jobs):
    model = clone(MODELS[name]).fit(X, Y)
    few, many = (model.stability(X, Y, repeats=r, n_jobs=n_jobs) for r in (3, 6))
    one = model.stability(X, Y, repeats=6)
    assert many.to_dict() == one.to_dict()
    assert all((few.multiplicities(i) == many.multiplicities(i)).all() for i in range(3))


def test_searched_trees_are_refitted_unless_the_clock_ends_them():
    rows = X[:, :3]
    found = fasttree.optimal_tree(rows, Y, max_depth=2)
    assert found.stability(rows, Y, repeats=3, nodes=True).nodes is None
    timed = fasttree.optimal_tree(rows, Y, max_depth=2, time_limit=60)
    with pytest.raises(ValueError, match="time_limit=60"):
        timed.stability(rows, Y, repeats=3)
    smallest = fasttree.minimal_tree(fasttree.datasets.load_weather())
    assert 0 < smallest.stability(fasttree.datasets.load_weather(), repeats=3).trees.agreement <= 1


def test_what_cannot_act_is_refused_by_name():
    model = FastTreeClassifier(max_depth=1).fit(X, Y)
    with pytest.raises(
        ValueError, match="fraction=0.5 is of a subsample; leave it out, or set sample='subsample'"
    ):
        model.stability(X, Y, repeats=2, fraction=0.5)
    with pytest.raises(ValueError, match="nodes='all'"):
        model.stability(X, Y, repeats=2, nodes="all")
    found = model.stability(X, Y, repeats=2)
    np.testing.assert_array_equal(found.multiplicities(-1), found.multiplicities(1))
    with pytest.raises(IndexError, match="i=2: there are refits 0 to 1"):
        found.multiplicities(2)


def test_a_date_is_one_feature_and_its_parts_are_tests_of_their_own():
    pd = pytest.importorskip("pandas")
    days = pd.date_range("2024-01-01", periods=400, freq="D")
    frame = pd.DataFrame({"day": days, "noise": np.random.default_rng(0).normal(size=400)})
    y = np.where(days.month < 5, "a", "b")
    model = FastTreeClassifier().fit(frame, y)
    found = model.stability(frame, y, repeats=5)
    assert found.features.names == ["day", "noise"] and found.features.root[0] == 1.0
    assert "day (month) <= 4.5 [100 %]" in model.to_text(stability=found)
    # Its parts are tests of their own: a few refits ask the weekday, all of them the date.
    days, random = pd.date_range("2024-01-01", periods=730, freq="D"), np.random.default_rng(0)
    frame, turned = pd.DataFrame({"day": days}), random.random((2, 730)) < 0.3
    y = np.where(((days.month < 5) ^ turned[0]) | ((days.year > 2024) & turned[1]), "a", "b")
    model = FastTreeClassifier(max_depth=2).fit(frame, y)
    found = model.stability(frame, y, repeats=20)
    shares = {found.features.used[0]}
    for node in np.flatnonzero(model.tree_.feature >= 0).tolist():
        asked = [one.arrays()["feature"][: None if node else 1] for one in found._models]
        share = np.mean([model.tree_.feature[node] in one for one in asked])
        assert found.share_of(node) == f"{100 * share:.0f} %"
        shares.add(share)
    assert len(shares) > 1


def test_text_marks_each_test_with_its_share():
    table = fasttree.datasets.load_iris()
    model = fasttree.fit(table, max_leaf_nodes=3)
    found = model.stability(table, repeats=10, nodes=True)
    for node, one in found.nodes.items():
        assert found.share_of(node) == f"{100 * one.chosen:.0f} %"
    assert model.to_text(stability=found).count("%]") == 2
    text = str(found)
    assert text.startswith("10 refits on bootstrap samples of 150 rows\nOf 10 trees")
    assert "conditional on the way to it" in text


@pytest.mark.parametrize(
    "options, words",
    [
        ({"repeats": 0}, "repeats=0 must be a whole number"),
        ({"sample": "jackknife"}, "sample='jackknife' is not known"),
        ({"fraction": 0.0}, "fraction=0.0"),
        ({"fraction": 0.001, "sample": "subsample"}, "leaves none"),
        ({"groups": [1, 2]}, "groups has 2 values"),
        ({"random_state": -1}, "random_state=-1"),
    ],
)
def test_bad_arguments_are_named(options, words):
    model = FastTreeClassifier(max_depth=2).fit(X, Y)
    with pytest.raises(ValueError, match=words):
        model.stability(X, Y, **{"repeats": 3, **options})


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
@pytest.mark.parametrize("kind, data", [(FastTreeClassifier, (X, Y)), (FastTreeRegressor, NUMBERS)])
@pytest.mark.parametrize("empty", [0.0, 1.0])
def test_bad_weights_are_named_by_the_row_as_given(bad, kind, data, empty):
    """Wherever rows are drawn by their weights: for refits, and for the leaves of honest trees."""
    weights = np.ones(len(data[0]))
    weights[[2, 7]] = empty, bad
    tree = kind(max_depth=2).fit(*data)
    with pytest.raises(ValueError, match="row 7 is"):
        tree.stability(*data, repeats=2, sample="subsample", sample_weight=weights)
    with pytest.raises(ValueError, match="row 7 is"):
        clone(tree).set_params(honest=True).fit(*data, sample_weight=weights)


def test_other_columns_are_refused():
    model = FastTreeClassifier(max_depth=2).fit(X, Y)
    with pytest.raises(ValueError, match="columns"):
        model.stability(X[:, :5], Y, repeats=2)


def test_one_refit_has_no_agreement():
    found = FastTreeClassifier(max_depth=2).fit(X, Y).stability(X, Y, repeats=1)
    assert np.isnan(found.trees.agreement) and np.isnan(found.trees.similarity)


def test_a_share_that_is_not_0_is_not_printed_as_0():
    shares = [_percent(n / 1000) for n in (0, 1, 4, 6, 999, 1000)]
    assert shares == ["0 %", "<1 %", "<1 %", "1 %", "100 %", "100 %"]
    assert _percent(0.005) != "0 %"


def test_nodes_that_cannot_be_searched_name_the_way_out():
    frame = fasttree.datasets.load_iris().to_frame()[["petal length (cm)", "class"]]
    frame.loc[::7, "petal length (cm)"] = None
    model = fasttree.fit(frame, "class", max_depth=2)
    found = model.stability(frame, "class", repeats=3, nodes=True)
    assert found.nodes is None and "missing='branch'" in str(found)
    model = fasttree.fit(frame, "class", max_depth=2, missing="branch")
    assert model.stability(frame, "class", repeats=3, nodes=True).nodes


@pytest.mark.parametrize(
    "params",
    [
        {"discretize": "equal_width", "n_bins": 4, "max_depth": 2},
        {"discretize": "mdlp", "max_depth": 2},
        fasttree.presets.CHAID,
    ],
    ids=str,
)
def test_thresholds_of_bins_are_those_that_the_text_shows(params):
    table = fasttree.datasets.load("iris")
    model = fasttree.fit(table, **params)
    found = model.stability(table, repeats=4)
    again = [
        fasttree.fit(table, sample_weight=found.multiplicities(i), **params)
        for i in range(found.repeats)
    ]
    for name in table.feature_names:
        mine = found.thresholds(name)
        assert len(mine.depth) == len(mine.refit) == len(mine.threshold)
        for i, tree in enumerate(again):
            limits = re.findall(rf"{re.escape(name)} <= ([\d.]+\d)", tree.to_text())
            expected = {float(text) for text in limits}
            assert {round(one, 6) for one in mine.threshold[mine.refit == i]} == expected
