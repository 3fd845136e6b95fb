"""Class weights multiply weights, never numbers of rows: copies, limits on rows, samples, rows left
out, for trees, forests, scores and cross-validation."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fasttree
from fasttree import FastForestClassifier, FastTreeClassifier, criteria, score_features
from fasttree.model_selection import cross_validate

from ..laws.test_laws import model_body

N = 60
RNG = np.random.default_rng(5)
X = np.round(RNG.normal(size=(N, 3)), 1)
Y = (X[:, 0] + RNG.normal(size=N) > 0.4).astype(int) + (X[:, 1] > 1)
WHOLE = RNG.integers(0, 4, N)
REAL = RNG.choice([0.0, 0.3, 1.7, 2.5], N)
WEIGHTS = {"none": None, "whole": WHOLE, "real": REAL, "ones": np.ones(N)}
CLASS_WEIGHTS = {
    "balanced": "balanced",
    "whole": {0: 1, 1: 2, 2: 5},
    "real": {0: 0.3, 1: 2.25, 2: 1.0},
    "zero": {0: 1.5, 1: 0, 2: 1},
}
HOW = {
    "plain": {},
    "rows of a leaf": {"min_samples_leaf": 3, "min_samples_split": 8, "criterion": "gini"},
    "share of rows": {"min_samples_leaf": 0.05},
    "histogram": {"threshold_search": "histogram", "min_samples_leaf": 2},
    "bins": {"discretize": "equal_frequency", "n_bins": 4, "criterion": "gain_ratio"},
    "reduced error": {"pruning": "reduced_error", "random_state": 1},
    "pessimistic": {"pruning": "pessimistic", "leaf_smoothing": "laplace"},
    "best first": {"max_leaf_nodes": 5, "criterion": "chi2"},
    "neighbours": {"criterion": criteria.ReliefF(k=3)},
    "pairs": {"criterion": "pi", "max_depth": 3},
    "global": {"evaluation": "global", "criterion": "gini", "max_leaf_nodes": 6},
}
FOREST_HOW = {k: HOW[k] for k in ("plain", "rows of a leaf", "histogram", "pessimistic", "bins")}
FOREST_HOW["no samples"] = {"bootstrap": False, "min_samples_leaf": 2}


def copies_of(weights):
    return np.repeat(np.arange(N), weights)


@pytest.mark.parametrize("class_weight", CLASS_WEIGHTS.values(), ids=CLASS_WEIGHTS)
@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
def test_whole_weights_are_copies_whatever_the_classes_weigh(how, class_weight):
    rows = copies_of(WHOLE)
    weighed = FastTreeClassifier(class_weight=class_weight, **how).fit(X, Y, sample_weight=WHOLE)
    copied = FastTreeClassifier(class_weight=class_weight, **how).fit(X[rows], Y[rows])
    np.testing.assert_array_equal(weighed.predict_proba(X), copied.predict_proba(X))
    assert weighed.to_text() == copied.to_text()


@pytest.mark.parametrize("class_weight", CLASS_WEIGHTS.values(), ids=CLASS_WEIGHTS)
@pytest.mark.parametrize("weights", [WHOLE, REAL], ids=["whole", "real"])
@pytest.mark.parametrize("how", FOREST_HOW.values(), ids=FOREST_HOW)
def test_the_order_of_rows_changes_no_forest(how, weights, class_weight):
    def forest():
        return FastForestClassifier(7, random_state=3, class_weight=class_weight, **how)

    weighed = forest().fit(X, Y, sample_weight=weights)
    rows = np.random.default_rng(1).permutation(N)
    other = forest().fit(X[rows], Y[rows], sample_weight=weights[rows])
    np.testing.assert_array_equal(weighed.predict_proba(X), other.predict_proba(X))
    np.testing.assert_allclose(weighed.class_prior_, other.class_prior_, rtol=1e-12)
    if weights is WHOLE and how.get("bootstrap") is False:
        rows = copies_of(WHOLE)
        copied = forest().fit(X[rows], Y[rows])
        np.testing.assert_array_equal(weighed.predict_proba(X), copied.predict_proba(X))


@pytest.mark.parametrize("class_weight", [None, *CLASS_WEIGHTS.values()], ids=str)
@pytest.mark.parametrize("weights", [None, WHOLE, REAL], ids=["none", "whole", "real"])
@pytest.mark.parametrize("how", FOREST_HOW.values(), ids=FOREST_HOW)
def test_a_tree_of_a_forest_is_the_tree_of_draws_times_weights(how, weights, class_weight):
    """Of whole weights, draws times weights are copies; of others, each draw is a row."""
    if how.get("bootstrap") is False or {"discretize", "threshold_search"} & how.keys():
        return  # bins come from all rows
    if class_weight == "balanced" and "leaf_smoothing" in how:
        return  # a dict has the ratios alone
    forest = FastForestClassifier(7, random_state=3, class_weight=class_weight, **how)
    counts = forest.fit(X, Y, weights).bootstrap_counts(X, Y, weights)
    free = FastForestClassifier(7, random_state=3, **how).fit(X, Y, weights)
    if not isinstance(class_weight, dict) or 0 not in class_weight.values():
        np.testing.assert_array_equal(counts, free.bootstrap_counts(X, Y, weights))
    w = np.ones(N) if weights is None else weights
    # Balanced weights are those of the classes in all rows.
    given = forest_class_weights(class_weight, w)
    for tree, times in zip(forest.estimators_, counts, strict=True):
        rows = np.repeat(np.arange(N), times)
        alone = FastTreeClassifier(**{**tree.get_params(), "class_weight": given})
        alone.fit(X[rows], Y[rows], w[rows])
        if len(alone.classes_) < 3:
            continue
        np.testing.assert_allclose(alone.predict_proba(X), tree.predict_proba(X), rtol=1e-9)


def forest_class_weights(class_weight, w):
    if class_weight != "balanced":
        return class_weight
    sums = np.bincount(Y, w)
    return {c: sums.sum() / s for c, s in enumerate(sums)}


@pytest.mark.parametrize("weights", [None, WHOLE, REAL], ids=["none", "whole", "real"])
@pytest.mark.parametrize("how", FOREST_HOW.values(), ids=FOREST_HOW)
def test_balanced_subsamples_are_balanced_in_their_own_weights(how, weights):
    if how.get("bootstrap") is False or "discretize" in how:
        return
    forest = FastForestClassifier(7, random_state=3, class_weight="balanced_subsample", **how)
    counts = forest.fit(X, Y, weights).bootstrap_counts(X, Y, weights)
    w = np.ones(N) if weights is None else weights
    for tree, times in zip(forest.estimators_, counts, strict=True):
        sums = np.bincount(Y, times * w)
        balanced = tree.tree_.value[0]
        np.testing.assert_allclose(balanced[sums > 0], sums.sum() / (sums > 0).sum(), rtol=1e-9)


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
@pytest.mark.parametrize("equal", [2, 0.1, 7.3])
@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
def test_equal_class_weights_are_none(how, equal, weights):
    class_weight = dict.fromkeys(range(3), equal)
    plain = FastTreeClassifier(**how).fit(X, Y, sample_weight=weights)
    other = FastTreeClassifier(class_weight=class_weight, **how).fit(X, Y, sample_weight=weights)
    assert model_body(plain) == model_body(other)
    if how is HOW["plain"]:
        forests = [
            FastForestClassifier(5, class_weight=c, random_state=0, oob_score=True)
            for c in (None, class_weight)
        ]
        one, two = (f.fit(X, Y, sample_weight=weights) for f in forests)
        np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
        np.testing.assert_array_equal(one.oob_decision_function_, two.oob_decision_function_)


@pytest.mark.parametrize(
    "criterion", [criteria.ReliefF(k=3), "relief", "pi", "gini", "chi2"], ids=str
)
def test_equal_class_weights_score_as_none(criterion):
    how = {"criterion": criterion}
    plain = score_features(X, Y, **how)
    np.testing.assert_array_equal(
        plain, score_features(X, Y, class_weight={0: 3, 1: 3, 2: 3}, **how)
    )
    weighed = score_features(X, Y, sample_weight=WHOLE, class_weight="balanced", **how)
    rows = copies_of(WHOLE)
    copied = score_features(X[rows], Y[rows], class_weight="balanced", **how)
    np.testing.assert_allclose(weighed, copied, rtol=1e-11)


def test_no_leaf_has_fewer_rows_than_asked_for():
    for factor, least in itertools.product((2, 5, 50), (3, 6)):
        model = fasttree.fit(X, Y, class_weight={0: factor, 1: 1, 2: 1}, min_samples_leaf=least)
        tree = model.tree_
        assert tree.n_node_samples[tree.n_children == 0].min() >= least


@settings(max_examples=40, deadline=None)
@given(
    weights=st.sampled_from(list(WEIGHTS)),
    class_weight=st.sampled_from([None, *CLASS_WEIGHTS.values(), "balanced_subsample"]),
    given_as=st.sampled_from(["array", "table"]),
    max_samples=st.sampled_from([None, 0.5]),
)
def test_rows_of_the_bag_stand_where_they_were_given(weights, class_weight, given_as, max_samples):
    w = WEIGHTS[weights]
    forest = FastForestClassifier(
        6, oob_score=True, random_state=2, class_weight=class_weight, max_samples=max_samples
    )
    rows = (fasttree.Table(X, Y),) if given_as == "table" else (X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows in the sample of every tree
        forest.fit(*rows, sample_weight=w)
    counts = forest.bootstrap_counts(*rows, sample_weight=w)
    found = forest.oob_decision_function_
    assert found.shape == (N, 3) and counts.shape == (6, N)
    counted = np.ones(N, bool) if w is None else w > 0
    if class_weight is CLASS_WEIGHTS["zero"]:
        counted &= Y != 1
    assert not counts[:, ~counted].any() and np.isnan(found[~counted]).all()
    trees = [tree.predict_proba(X) for tree in forest.estimators_]
    for row in np.flatnonzero(counted):
        votes = [p[row] for p, times in zip(trees, counts[:, row], strict=True) if times == 0]
        expected = np.mean(votes, axis=0) if votes else np.full(3, np.nan)
        np.testing.assert_allclose(found[row], expected, rtol=1e-12)
    known = counted & ~np.isnan(found).any(axis=1)
    own = np.ones(N) if w is None else w
    right = found[known].argmax(axis=1) == Y[known]
    assert forest.oob_score_ == pytest.approx(np.average(right, weights=own[known]))


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
def test_class_weights_change_no_sample(weights):
    def counts(class_weight):
        forest = FastForestClassifier(4, random_state=0, class_weight=class_weight)
        return forest.fit(X, Y, sample_weight=weights).bootstrap_counts(X, Y, sample_weight=weights)

    plain = counts(None)
    for class_weight in (
        "balanced",
        "balanced_subsample",
        {0: 10, 1: 1, 2: 1},
        {0: 9.999, 1: 1, 2: 1},
        {0: 2, 1: 2, 2: 2},
        {0: 2.0001, 1: 2, 2: 2},
    ):
        np.testing.assert_array_equal(counts(class_weight), plain)


@pytest.mark.parametrize("how", [HOW["plain"], HOW["histogram"], {"missing": "branch"}], ids=str)
def test_balanced_subsample_balances_each_sample(how):
    forest = FastForestClassifier(5, class_weight="balanced_subsample", random_state=0, **how)
    forest.fit(X, Y)
    counts = forest.bootstrap_counts(X, Y)
    for tree, times in zip(forest.estimators_, counts, strict=True):
        present = np.bincount(Y, weights=times, minlength=3) > 0
        root = tree.tree_.value[0]
        np.testing.assert_allclose(root[present], N / present.sum())
        again = FastTreeClassifier(**tree.get_params()).fit(X, Y, sample_weight=times)
        if "threshold_search" not in how:
            assert again.to_text() == tree.to_text()
    with pytest.raises(ValueError, match="balanced_subsample"):
        FastTreeClassifier(class_weight="balanced_subsample").fit(X, Y)


def test_a_hair_of_a_class_weight_is_a_hair_of_the_values():
    plain = fasttree.fit(X, Y, criterion="chi2", max_depth=3)
    near = fasttree.fit(X, Y, criterion="chi2", max_depth=3, class_weight={0: 3, 1: 3.0003, 2: 3})
    assert near.to_text().count("\n") == plain.to_text().count("\n")
    np.testing.assert_allclose(near.tree_.score, plain.tree_.score, rtol=1e-3)


@pytest.mark.parametrize("class_weight", CLASS_WEIGHTS.values(), ids=CLASS_WEIGHTS)
@pytest.mark.parametrize("weights", ["none", "whole"])
def test_cross_validation_fits_as_fit_does(class_weight, weights):
    table = fasttree.Table(X, Y)
    table.sample_weight = WEIGHTS[weights]
    fold = np.arange(N) % 3
    folds = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(3)]
    how = {"class_weight": class_weight, "min_samples_leaf": 2}
    result = cross_validate(table, criterion="gini", cv=folds, keep_proba=True, **how)["gini"]
    for f, (train, test) in enumerate(folds):
        alone = fasttree.fit(table.take(train), criterion="gini", **how)
        assert result["leaves"][f] == alone.get_n_leaves()
        if weights == "none":
            right = (alone.predict(X[test]) == Y[test]).mean()
            assert result["accuracy"][f] == pytest.approx(right)
