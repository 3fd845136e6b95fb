"""`FastForestClassifier`: samples, votes, out-of-bag scores, importances, files, errors."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance

import fasttree
from fasttree import FastForestClassifier, FastTreeClassifier
from tests.oracle import forest_oracle

from ..tools import setting_id

IRIS = load_iris(return_X_y=True)


def gini_by_numpy(tables):
    n = tables.sum(axis=(1, 2))
    sizes = np.maximum(tables.sum(axis=2), 1)
    return ((tables**2).sum(axis=2) / sizes).sum(axis=1) / n


def mixed_rows(n=300):
    random = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "size": random.normal(size=n).round(1),
            "colour": random.choice(["red", "green", "blue"], n),
            "weight": np.where(random.random(n) < 0.1, np.nan, random.normal(size=n)),
        }
    )
    y = np.where((frame["size"] > 0) ^ (frame["colour"] == "red"), "yes", "no")
    return frame, y


SETTINGS = [
    {"criterion": "gini"},
    {"criterion": "info_gain", "max_samples": 0.5, "min_samples_leaf": 3},
    {"criterion": "gain_ratio", "max_features": None, "ties": "random"},
    {"criterion": "gini", "evaluation": "global", "max_leaf_nodes": 6},
    {"criterion": "gini", "evaluation": "glocal", "max_samples": 60},
    {"criterion": "gini", "max_leaf_nodes": 5, "leaf_smoothing": "laplace"},
    {"criterion": "gini", "pruning": "pessimistic", "discretize": "equal_width", "n_bins": 6},
    {"criterion": "gain_ratio", "pruning": "error_based", "max_samples": 0.9},
    {"criterion": gini_by_numpy},
]


def made(setting, trees=6, **how):
    return FastForestClassifier(trees, random_state=7, **setting, **how)


@pytest.mark.parametrize("setting", SETTINGS, ids=setting_id)
def test_a_tree_of_a_forest_is_the_tree_of_its_sample(setting):
    X, y = IRIS
    forest = made(setting).fit(X, y)
    counts = forest.bootstrap_counts(X, y)
    draws = {None: 150, 0.5: 75, 0.9: 135, 60: 60}[setting.get("max_samples")]
    assert (counts.sum(axis=1) == draws).all()
    assert len({row.tobytes() for row in counts}) == len(counts)
    for t, tree in enumerate(forest.estimators_):
        alone = FastTreeClassifier(**tree.get_params())
        if setting.get("discretize"):
            assert (
                tree.tree_.value[0].sum() == draws
            )  # bins come from all rows, so the tree alone has others
            continue
        alone.fit(X, y, sample_weight=counts[t])
        assert alone.to_text() == tree.to_text()
        assert np.array_equal(alone.predict_proba(X), tree.predict_proba(X))


@pytest.mark.parametrize("setting", SETTINGS, ids=setting_id)
@pytest.mark.filterwarnings("ignore:.* rows were in the sample of every tree")
def test_any_number_of_threads_gives_the_same_forest(setting):
    X, y = IRIS
    one = made(setting, oob_score=True, trees=12).fit(X, y)
    for n_jobs in (2, 16):
        many = made(setting, oob_score=True, trees=12, n_jobs=n_jobs).fit(X, y)
        assert many.to_bytes() == one.to_bytes()
        assert np.array_equal(
            many.oob_decision_function_, one.oob_decision_function_, equal_nan=True
        )
        assert np.array_equal(many.predict_proba(X), one.predict_proba(X))
    assert made(setting, trees=12).set_params(random_state=8).fit(X, y).to_bytes() != one.to_bytes()


@pytest.mark.filterwarnings("ignore:.* rows were in the sample of every tree")
def test_many_rows_and_threads():
    random = np.random.default_rng(0)
    X = random.normal(size=(6000, 6)).astype(np.float32)
    y = (X[:, 0] * X[:, 1] + 0.3 * random.normal(size=6000) > 0).astype(int)
    one = made({"criterion": "gini"}, trees=4, oob_score=True).fit(X, y)
    two = made({"criterion": "gini"}, trees=4, oob_score=True, n_jobs=8).fit(X, y)
    assert one.to_bytes() == two.to_bytes()
    assert np.array_equal(one.oob_decision_function_, two.oob_decision_function_, equal_nan=True)


def test_without_samples_and_subsets_every_tree_is_the_tree():
    X, y = load_breast_cancer(return_X_y=True)
    tree = FastTreeClassifier(criterion="gini").fit(X, y)
    forest = FastForestClassifier(3, criterion="gini", bootstrap=False, max_features=None).fit(X, y)
    for one in forest.estimators_:
        assert one.to_text() == tree.to_text()
    assert np.array_equal(forest.predict_proba(X), tree.predict_proba(X))
    assert np.allclose(forest.feature_importances_, tree.feature_importances_)
    assert np.array_equal(forest.class_prior_, tree.class_prior_)


def test_votes_importances_and_out_of_bag_scores_by_hand():
    X, y = IRIS
    forest = FastForestClassifier(12, criterion="gini", oob_score=True, random_state=3)
    with pytest.warns(UserWarning, match="rows were in the sample of every tree"):
        FastForestClassifier(2, oob_score=True, random_state=3).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        forest.fit(X, y)
    trees = [e.tree_ for e in forest.estimators_]
    expected, _ = forest_oracle.vote(trees, X)
    assert np.allclose(forest.predict_proba(X), expected, atol=1e-12)
    assert np.array_equal(forest.predict(X), expected.argmax(axis=1))
    leaves = np.array([[forest_oracle.leaf_of(t, row) for t in trees] for row in X])
    assert np.array_equal(forest.apply(X), leaves)
    seen = forest.bootstrap_counts(X, y)
    unseen, voters = forest_oracle.vote(trees, X, seen)
    assert np.allclose(forest.oob_decision_function_, unseen, atol=1e-12, equal_nan=True)
    judged = voters > 0
    assert forest.oob_score_ == pytest.approx(np.mean(unseen[judged].argmax(axis=1) == y[judged]))
    assert 0.85 < forest.oob_score_ < 1
    assert np.allclose(forest.feature_importances_, forest_oracle.importances(trees, 4), atol=1e-12)


@pytest.mark.parametrize(
    "setting",
    [{"criterion": "pi"}, {"criterion": "info_gain"}, {"criterion": "mantaras"}],
    ids=lambda s: s["criterion"],
)
def test_nominal_features_and_every_kind_of_evidence(setting):
    table = fasttree.datasets.make_monks(1)
    forest = FastForestClassifier(15, oob_score=True, random_state=0, **setting).fit(table)
    assert forest.oob_score_ > 0.8
    counts = forest.bootstrap_counts(table)
    for t in (0, 14):
        tree = forest.estimators_[t]
        alone = FastTreeClassifier(**tree.get_params()).fit(table, sample_weight=counts[t])
        assert alone.to_text() == tree.to_text()


def test_samples_are_drawn_with_replacement():
    X, y = np.arange(500.0)[:, None], np.arange(500) % 2
    counts = FastForestClassifier(80, max_depth=1, random_state=0).fit(X, y).bootstrap_counts(X, y)
    # Drawn 0, 1, 2, 3 times: Poisson with mean 1 in the limit, (1 - 1/n)^n for 0.
    shares = np.array([(counts == times).mean() for times in range(4)])
    assert shares == pytest.approx([(1 - 1 / 500) ** 500, 0.3679, 0.1839, 0.0613], abs=0.006)
    # Means over 80 trees have a standard deviation of 0.11 a row; rows and trees are drawn
    # independently.
    assert np.abs(counts.mean(axis=0) - 1).max() < 0.5
    correlation = np.corrcoef(counts)
    assert np.abs(correlation[np.triu_indices(80, 1)]).max() < 0.25


@pytest.mark.parametrize("missing", ["auto", "branch", "mode"])
def test_the_search_for_thresholds_does_not_change_the_samples(missing):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.integers(0, 2, 80)
    counts = [
        FastForestClassifier(3, missing=missing, random_state=0, **search)
        .fit(X, y)
        .bootstrap_counts(X, y)
        for search in ({}, {"threshold_search": "histogram", "max_bins": 7})
    ]
    np.testing.assert_array_equal(*counts)


@pytest.mark.parametrize("weights", ["whole", "real", "equal cells"])
def test_weights_and_the_order_of_rows_change_no_sample(weights):
    X, y = IRIS
    random = np.random.default_rng(1)
    w = random.integers(0, 4, len(y)) * (0.7 if weights == "real" else 1)
    if weights == "equal cells":  # rows that differ in their weight alone
        X, y = np.zeros_like(X), np.zeros_like(y)
    forest = made({"criterion": "gini"}, trees=5).fit(X, y, sample_weight=w)
    counts = forest.bootstrap_counts(X, y, sample_weight=w)
    kept = w > 0
    assert counts.shape == (5, 150)
    assert (counts.sum(axis=1) == kept.sum()).all()
    assert (counts[:, ~kept] == 0).all()
    rows = random.permutation(len(y))
    other = made({"criterion": "gini"}, trees=5).fit(X[rows], y[rows], sample_weight=w[rows])
    assert other.to_bytes() == forest.to_bytes()
    if weights != "equal cells":
        free = made({"criterion": "gini"}, trees=5).fit(X[kept], y[kept])
        drawn, found = free.bootstrap_counts(X[kept], y[kept]), counts[:, kept]
        # Rows of the same cells and class may change places.
        places = np.unique(np.column_stack([X, y])[kept], axis=0, return_inverse=True)[1].ravel()
        for one, two in zip(drawn, found, strict=True):
            np.testing.assert_array_equal(np.bincount(places, one), np.bincount(places, two))


@pytest.mark.parametrize("kind", [FastForestClassifier, fasttree.FastForestRegressor])
def test_large_whole_weights_leave_rows_out(kind):
    """Survey weights: trees differ, rows stay out, and nothing grows with the weights."""
    X, y = IRIS
    w = np.full(len(y), 20_000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        forest = kind(60, random_state=0, oob_score=True).fit(X, y, sample_weight=w)
        free = kind(60, random_state=0, oob_score=True).fit(X, y)
    counts = forest.bootstrap_counts(X, y, sample_weight=w)
    np.testing.assert_array_equal(counts, free.bootstrap_counts(X, y))
    assert forest.oob_score_ == pytest.approx(free.oob_score_, abs=1e-12)
    np.testing.assert_allclose(forest.predict(X), free.predict(X), atol=1e-12)
    assert len({tree.to_text() for tree in forest.estimators_}) == 60


@pytest.mark.parametrize("max_samples", [None, 0.5, 30])
@pytest.mark.parametrize("weights", [0.7, 3, 1e9], ids=str)
@pytest.mark.parametrize("search", ["exact", "histogram"])
def test_equal_weights_grow_the_forest_of_none(search, weights, max_samples):
    X, y = IRIS
    words = {"random_state": 3, "max_samples": max_samples, "threshold_search": search}
    free = FastForestClassifier(5, **words).fit(X, y)
    forest = FastForestClassifier(5, **words).fit(X, y, np.full(len(y), weights))
    np.testing.assert_allclose(forest.predict_proba(X), free.predict_proba(X), atol=1e-12)
    for one, two in zip(forest.estimators_, free.estimators_, strict=True):
        np.testing.assert_array_equal(one.tree_.threshold, two.tree_.threshold)


def test_rows_have_the_same_chance_whatever_they_weigh():
    X, y = np.arange(60.0)[:, None], np.arange(60) % 2
    w = np.where(np.arange(60) < 20, 0.1, 0.7)
    forest = FastForestClassifier(400, max_depth=1, random_state=0).fit(X, y, sample_weight=w)
    counts = forest.bootstrap_counts(X, y, sample_weight=w)
    assert (counts.sum(axis=1) == 60).all()
    assert counts[:, :20].mean() == pytest.approx(1, abs=0.04)
    balanced = FastForestClassifier(50, class_weight="balanced", random_state=0, max_depth=1)
    rare = (np.arange(60) < 6).astype(int)
    share = balanced.fit(X, rare).bootstrap_counts(X, rare)[:, :6].sum() / (50 * 60)
    assert share == pytest.approx(0.1, abs=0.02)  # class weights draw no more rows
    np.testing.assert_allclose(balanced.class_prior_, 0.5)


def test_frames_tables_missing_values_and_names():
    frame, y = mixed_rows()
    forest = FastForestClassifier(30, random_state=1, oob_score=True).fit(frame, y)
    assert forest.feature_names_in_.tolist() == ["size", "colour", "weight"]
    assert forest.oob_score_ > 0.9
    assert forest.score(frame, y) > 0.97
    table = fasttree.Table(frame, y)
    assert (
        FastForestClassifier(30, random_state=1).fit(table).to_bytes()
        == forest.set_params(oob_score=False).fit(frame, y).to_bytes()
    )
    assert (
        forest.predict(frame[["weight", "size", "colour"]]).tolist()
        == forest.predict(frame).tolist()
    )
    assert forest.estimators_[3].to_text().count("colour") > 0
    weighted = np.arange(len(y)) % 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        few = FastForestClassifier(4, random_state=1, oob_score=True).fit(
            frame, y, sample_weight=weighted
        )
    assert few.oob_decision_function_.shape == (len(y), 2)
    assert np.isnan(few.oob_decision_function_[weighted == 0]).all()


@pytest.mark.parametrize(
    "setting", [{"criterion": "gini"}, {"criterion": gini_by_numpy}, {"missing": "mode"}]
)
def test_saved_and_pickled_forests(setting, tmp_path):
    frame, y = mixed_rows(120)
    forest = FastForestClassifier(5, random_state=2, **setting).fit(frame, y)
    forest.save(tmp_path / "forest.json")
    others = [
        fasttree.load_model(tmp_path / "forest.json"),
        fasttree.from_bytes(forest.to_bytes()),
        pickle.loads(pickle.dumps(forest)),
    ]
    for other in others:
        assert type(other) is FastForestClassifier
        assert other.to_bytes() == forest.to_bytes()
        assert np.array_equal(other.predict_proba(frame), forest.predict_proba(frame))
        assert np.array_equal(other.class_prior_, forest.class_prior_)
        assert other.classes_.tolist() == ["no", "yes"]
        assert other.n_estimators == 5
        assert other.estimators_[4].to_text() == forest.estimators_[4].to_text()
    if setting.get("criterion") != gini_by_numpy:
        assert clone(others[0]).fit(frame, y).to_bytes() == forest.to_bytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ((b'"fasttree forest"', b'"fasttree forfst"'), "format is"),
        ((b'"seeds":[', b'"seeds":[1,'), "checksum"),
        ((b'"version":1', b'"version":9'), "version 9"),
    ],
)
def test_damaged_files_are_refused(change, message):
    X, y = IRIS
    data = FastForestClassifier(2, random_state=0, max_depth=2).fit(X, y).to_bytes()
    with pytest.raises(ValueError, match=message):
        fasttree.from_bytes(data.replace(*change))
    with pytest.raises(ValueError, match="truncated"):
        fasttree.from_bytes(data[: len(data) // 2])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "n_estimators=0 must be at least 1"),
        ({"n_estimators": 2.5}, "n_estimators=2.5 must be a whole number"),
        ({"max_samples": 0}, "max_samples=0 must be at least 1"),
        ({"max_samples": 151}, "max_samples=151 must not exceed the number of rows, 150"),
        ({"max_samples": 0.0}, "max_samples=0.0 must lie above 0"),
        ({"max_samples": 1.5}, r"max_samples=1.5 must be a number in \[0, 1\]"),
        ({"max_samples": 10, "bootstrap": False}, "max_samples=10 needs bootstrap=True"),
        ({"oob_score": True, "bootstrap": False}, "oob_score=True needs bootstrap=True"),
        ({"bootstrap": "yes"}, "bootstrap='yes' must be True or False"),
        ({"max_features": 9}, "max_features=9 must lie between 1 and the number of features, 4"),
        ({"pruning": "reduced_error"}, "reduced_error.*in a forest"),
        ({"criterion": "ginny"}, "ginny"),
    ],
)
def test_errors_name_parameter_and_domain(parameters, message):
    with pytest.raises(ValueError, match=message):
        FastForestClassifier(**{"n_estimators": 3, **parameters}).fit(*IRIS)


def test_progress_and_interruption():
    X, y = IRIS
    seen = []
    FastForestClassifier(
        20, random_state=0, progress=lambda done, total: seen.append((done, total))
    ).fit(X, y)
    assert seen[-1] == (20, 20)
    random = np.random.default_rng(0)
    X = random.normal(size=(20_000, 20))

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        FastForestClassifier(2000, progress=stop).fit(X, random.integers(0, 2, len(X)))


def test_a_users_error_comes_through():
    def broken(tables):
        raise RuntimeError("no luck")

    with pytest.raises(RuntimeError, match="no luck"):
        FastForestClassifier(3, criterion=broken).fit(*IRIS)


def test_as_good_as_scikit_learns():
    X, y = load_breast_cancer(return_X_y=True)
    ours = FastForestClassifier(60, criterion="gini", oob_score=True, random_state=0, n_jobs=2).fit(
        X, y
    )
    theirs = RandomForestClassifier(60, oob_score=True, random_state=0).fit(X, y)
    assert abs(ours.oob_score_ - theirs.oob_score_) < 0.015
    assert np.corrcoef(ours.feature_importances_, theirs.feature_importances_)[0, 1] > 0.9
    found = permutation_importance(ours, X[::4], y[::4], n_repeats=2, random_state=0)
    assert found.importances_mean.shape == (30,)


def test_permutation_importance_by_hand():
    random = np.random.default_rng(2)
    X = random.normal(size=(400, 5))
    X[:, 4] = random.normal(size=400).round(2)  # many values, no meaning
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 0)).astype(int)
    forest = FastForestClassifier(20, criterion="gini", max_features=None, random_state=0).fit(X, y)
    found = forest.permutation_importance(X, y)
    assert found.importances.shape == (5, 20)
    assert found.importances_mean[:2].min() > 0.2
    assert np.abs(found.importances_mean[2:]).max() < 0.02
    # The same by NumPy's shuffles: equal up to the luck of the shuffle.
    seen = forest.bootstrap_counts(X, y)
    losses = np.zeros((20, 5))
    for t, tree in enumerate(forest.estimators_):
        rows = np.flatnonzero(seen[t] == 0)
        before = tree.score(X[rows], y[rows])
        for j in range(5):
            shuffled = X[rows].copy()
            shuffled[:, j] = random.permutation(shuffled[:, j])
            losses[t, j] = before - tree.score(shuffled, y[rows])
    assert found.importances_mean == pytest.approx(losses.mean(axis=0), abs=0.03)
    order = random.permutation(400)
    again = forest.set_params(n_jobs=4).permutation_importance(X[order], y[order])
    assert np.array_equal(again.importances, found.importances)
    with pytest.raises(ValueError, match="bootstrap=False"):
        FastForestClassifier(2, bootstrap=False).fit(X, y).permutation_importance(X, y)


def test_cross_validation_takes_a_forest():
    X, y = IRIS
    result = fasttree.model_selection.cross_validate(
        X,
        y,
        criterion="gini",
        estimators={"forest": FastForestClassifier(10, random_state=0)},
        cv="2x5",
        random_state=0,
    )
    frame = result.to_frame()
    assert "forest" in str(frame)


def grown_on(first, then, rows, **words):
    """A forest whose trees are grown in two fits."""
    forest = FastForestClassifier(first, random_state=3, warm_start=True, **words).fit(*rows)
    return forest.set_params(n_estimators=then).fit(*rows)


@pytest.mark.parametrize(
    "words",
    [
        {"oob_score": True},
        {"bootstrap": False, "splitter": "random"},
        {"threshold_search": "histogram", "max_bins": 8, "oob_score": True},
        {"criterion": "relieff", "max_depth": 3},
        {"pruning": "mdl", "max_samples": 0.5, "n_jobs": 2},
    ],
    ids=lambda w: next(iter(w)),
)
@pytest.mark.filterwarnings("ignore:.*rows were in the sample")
def test_warm_start_keeps_its_trees_and_ends_at_the_forest_grown_at_once(words):
    whole = FastForestClassifier(9, random_state=3, **words).fit(*IRIS)
    grown = grown_on(4, 9, IRIS, **words)
    assert grown.to_bytes() == whole.to_bytes()
    assert getattr(grown, "oob_score_", None) == getattr(whole, "oob_score_", None)
    if words.get("oob_score"):
        mine, other = grown.oob_decision_function_, whole.oob_decision_function_
        assert np.array_equal(mine, other, equal_nan=True)


def test_warm_start_grows_only_the_trees_that_are_not_there():
    forest, asked = FastForestClassifier(4, random_state=3, warm_start=True).fit(*IRIS), []
    forest.set_params(n_estimators=6, progress=lambda done, all_: asked.append(all_)).fit(*IRIS)
    assert set(asked) == {2}, "trees of the second fit"
    again = pickle.loads(pickle.dumps(forest.set_params(progress=None)))
    whole = FastForestClassifier(8, random_state=3).fit(*IRIS)
    assert again.set_params(n_estimators=8).fit(*IRIS).to_bytes() == whole.to_bytes()
    shuffled = np.random.default_rng(0).permutation(len(IRIS[0]))
    other_order = forest.set_params(n_estimators=8).fit(IRIS[0][shuffled], IRIS[1][shuffled])
    assert other_order.to_bytes() == whole.to_bytes()
    with pytest.warns(UserWarning, match="without increasing n_estimators"):
        forest.fit(*IRIS)
    assert forest.to_bytes() == whole.to_bytes()


def test_warm_start_without_a_seed_keeps_its_trees():
    for state in (None, np.random.default_rng(5)):
        forest = FastForestClassifier(3, random_state=state, warm_start=True).fit(*IRIS)
        first = [t.to_text() for t in forest.estimators_]
        forest.set_params(n_estimators=5).fit(*IRIS)
        assert [t.to_text() for t in forest.estimators_[:3]] == first


def test_warm_start_refuses_what_would_not_be_one_forest():
    X, y = IRIS

    def forest():
        return FastForestClassifier(4, random_state=3, warm_start=True, max_depth=3).fit(X, y)

    with pytest.raises(ValueError, match="n_estimators=3 must be larger or equal to the 4 trees"):
        forest().set_params(n_estimators=3).fit(X, y)
    for words, name in (
        ({"max_depth": 2}, "max_depth=2 was 3"),
        ({"criterion": "gini"}, "criterion='gini' was 'info_gain'"),
        ({"random_state": 4}, "random_state=4 was 3"),
    ):
        with pytest.raises(ValueError, match=name):
            forest().set_params(n_estimators=6, **words).fit(X, y)
    for rows in ((X[1:], y[1:]), (X, y[::-1]), (X[:, :3], y), (X * 2, y)):
        with pytest.raises(ValueError, match="warm_start=True goes on with the rows of the last"):
            forest().set_params(n_estimators=6).fit(*rows)
    with pytest.raises(ValueError, match="warm_start=True goes on with the rows of the last"):
        forest().set_params(n_estimators=6).fit(X, y, sample_weight=np.arange(150) % 2 + 1)
    model = FastForestClassifier(9, random_state=3, max_depth=2).fit(X, y)
    anew = forest().set_params(n_estimators=9, max_depth=2, warm_start=False).fit(X, y)
    assert anew.to_bytes() == model.to_bytes()
