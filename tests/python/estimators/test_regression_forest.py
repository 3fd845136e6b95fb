"""`FastForestRegressor`: samples, means, out-of-bag scores, warm starts, other processes, files."""

from __future__ import annotations

import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import r2_score

import fasttree
from fasttree import FastForestRegressor, FastTreeRegressor
from tests.oracle import forest_oracle

from ..tools import cluster_client, setting_id

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(120, 4)).round(2)
Y = X[:, 0] ** 2 + X[:, 1] + RANDOM.normal(size=120) / 4
WEIGHTS = np.arange(120) % 4 + 1

SETTINGS = [
    {},
    {"criterion": "absolute_error", "max_samples": 0.5},
    {"criterion": "standard_deviation", "max_leaf_nodes": 6, "max_features": None},
    {"criterion": "info_gain", "target_bins": "equal_frequency"},
    {"splitter": "random", "min_samples_leaf": 4},
    {"missing": "mode", "ccp_alpha": 0.01},
]


def made(trees=6, **words):
    return FastForestRegressor(trees, random_state=7, **words)


@pytest.mark.parametrize("setting", SETTINGS, ids=setting_id)
@pytest.mark.parametrize("weights", [None, WEIGHTS, WEIGHTS * 7000], ids=["none", "few", "many"])
def test_a_tree_of_a_forest_is_the_tree_of_its_sample(setting, weights):
    forest = made(**setting).fit(X, Y, weights)
    counts = forest.bootstrap_counts(X, Y, weights)
    assert (counts.sum(axis=1) == (60 if setting.get("max_samples") else 120)).all()
    for t, tree in enumerate(forest.estimators_):
        drawn = counts[t] if weights is None else counts[t] * weights
        alone = FastTreeRegressor(**tree.get_params()).fit(X, Y, sample_weight=drawn)
        for name in ("feature", "threshold", "weighted_n_node_samples"):
            assert np.array_equal(
                getattr(alone.tree_, name), getattr(tree.tree_, name), equal_nan=True
            )
        # The grid of the numbers is that of the range of all rows, or of those of the sample.
        assert np.allclose(alone.predict(X), tree.predict(X), rtol=0, atol=1e-11)
    trees = np.array([tree.predict(X) for tree in forest.estimators_])
    assert np.allclose(forest.predict(X), trees.mean(axis=0), rtol=1e-12)


@pytest.mark.parametrize("times", [1.0, 0.75], ids=["whole", "parts"])
@pytest.mark.parametrize("histogram", [False, True], ids=["exact", "histogram"])
def test_a_forest_with_an_exposure_is_one_on_rates_with_weights(times, histogram):
    random = np.random.default_rng(5)
    exposure = times * random.integers(1, 30, 120)
    counts = random.poisson(exposure * np.exp(X[:, 0] / 2)).astype(float)
    words = {"criterion": "poisson", "min_samples_leaf": 0.05}
    words |= {"threshold_search": "histogram"} if histogram else {}
    forest = made(40, oob_score=True, **words).fit(X, counts, exposure=exposure)
    drawn = forest.bootstrap_counts(X, counts, exposure=exposure)
    # An exposure is no number of rows, and changes no sample.
    rates = counts / exposure
    assert np.array_equal(drawn, made(40, **words).fit(X, rates).bootstrap_counts(X, rates))
    for t, tree in enumerate(forest.estimators_[:8]):
        rows = np.repeat(np.arange(120), drawn[t])
        alone = FastTreeRegressor(**tree.get_params())
        alone.fit(X[rows], counts[rows], exposure=exposure[rows])
        assert np.array_equal(alone.tree_.threshold, tree.tree_.threshold, equal_nan=True)
        assert np.allclose(alone.predict(X), tree.predict(X), rtol=1e-11)
    assert np.average(forest.predict(X), weights=exposure) == pytest.approx(
        counts.sum() / exposure.sum(), rel=0.1
    )
    assert forest.oob_score_ == pytest.approx(
        r2_score(rates, forest.oob_prediction_, sample_weight=exposure)
    )
    found = forest.permutation_importance(X, counts, exposure=exposure)
    assert found.importances_mean.argmax() == 0
    # Without samples every tree is that of the rows themselves.
    whole = made(2, bootstrap=False, max_features=None, **words)
    whole = whole.fit(X, counts, exposure=exposure)
    tree = FastTreeRegressor(random_state=0, **words).fit(X, counts, exposure=exposure)
    assert np.array_equal(whole.predict(X), tree.predict(X))
    if times < 1.0:
        same = made(40, **words).fit(X, rates, sample_weight=exposure)
        assert np.array_equal(same.predict(X), forest.predict(X))


def test_a_share_of_the_rows_counts_no_exposure():
    rng = np.random.default_rng(2)
    exposure = rng.integers(6, 13, 120)
    counts = rng.poisson(exposure * np.exp(X[:, 0]))
    share, rows = (
        FastTreeRegressor(criterion="poisson", min_samples_leaf=least).fit(
            X, counts, exposure=exposure
        )
        for least in (0.1, 12)
    )
    assert share.to_text() == rows.to_text() and share.get_n_leaves() > 3


@pytest.mark.parametrize("weighted", [False, True])
def test_out_of_bag_predictions_and_importances_by_hand(weighted):
    w = RANDOM.integers(0, 3, 120).astype(float) if weighted else None
    forest = made(40, oob_score=True).fit(X, Y, sample_weight=w)
    unseen = forest.bootstrap_counts(X, Y, sample_weight=w) == 0
    trees = np.array([tree.predict(X) for tree in forest.estimators_])
    expected = (trees * unseen).sum(axis=0) / unseen.sum(axis=0)
    known = np.ones(120, bool) if w is None else w > 0
    assert np.allclose(forest.oob_prediction_[known], expected[known], rtol=1e-12)
    assert np.isnan(forest.oob_prediction_[~known]).all()
    weights = None if w is None else w[known]
    assert forest.oob_score_ == pytest.approx(
        r2_score(Y[known], expected[known], sample_weight=weights)
    )
    assert 0.3 < forest.oob_score_ < 0.95
    arrays = [tree.tree_ for tree in forest.estimators_]
    assert np.allclose(forest.feature_importances_, forest_oracle.importances(arrays, 4))
    assert "out-of-bag R2" in str(forest)


def test_rows_that_every_tree_saw_have_no_out_of_bag_prediction():
    with pytest.warns(UserWarning, match="rows were in the sample of every tree"):
        forest = made(2, oob_score=True).fit(X, Y)
    seen = (forest.bootstrap_counts(X, Y) > 0).all(axis=0)
    assert np.array_equal(np.isnan(forest.oob_prediction_), seen)
    with pytest.raises(ValueError, match="oob_score=True needs bootstrap=True"):
        made(bootstrap=False, oob_score=True).fit(X, Y)


@pytest.mark.parametrize("setting", SETTINGS, ids=setting_id)
@pytest.mark.parametrize("bootstrap", [True, False])
def test_threads_order_and_copies_change_nothing(setting, bootstrap):
    w = RANDOM.integers(0, 3, 120)
    if not bootstrap:
        setting = {**setting, "bootstrap": False, "max_samples": None}
    forest = made(**setting).fit(X, Y, sample_weight=w)
    rows = RANDOM.permutation(120)
    copies = RANDOM.permutation(np.repeat(np.arange(120), w))
    for other in (
        made(n_jobs=8, **setting).fit(X, Y, sample_weight=w),
        made(n_jobs=2, **setting).fit(X[rows], Y[rows], sample_weight=w[rows]),
    ):
        assert other.to_bytes() == forest.to_bytes()
        assert np.array_equal(other.predict(X), forest.predict(X))
    if not bootstrap:
        copied = made(n_jobs=2, **setting).fit(X[copies], Y[copies])
        assert np.array_equal(copied.predict(X), forest.predict(X))


@pytest.mark.parametrize("setting", [{"oob_score": True}, {"bootstrap": False}], ids=setting_id)
@pytest.mark.filterwarnings("ignore:.*rows were in the sample")
def test_a_forest_that_goes_on_is_the_one_grown_at_once(setting):
    forest = FastForestRegressor(4, random_state=3, warm_start=True, **setting).fit(X, Y)
    first = forest.estimators_[0].to_text()
    forest.set_params(n_estimators=11).fit(X, Y)
    whole = FastForestRegressor(**forest.get_params()).fit(X, Y)
    assert forest.to_bytes() == whole.to_bytes()
    assert forest.estimators_[0].to_text() == first
    if "oob_score" in setting:
        assert forest.oob_score_ == whole.oob_score_
    with pytest.warns(UserWarning, match="without increasing n_estimators"):
        forest.fit(X, Y)
    with pytest.raises(ValueError, match="must be larger or equal to the 11 trees"):
        forest.set_params(n_estimators=5).fit(X, Y)
    with pytest.raises(ValueError, match="these are others; give the same rows"):
        forest.set_params(n_estimators=12).fit(X, Y + 1)
    with pytest.raises(ValueError, match="criterion='absolute_error' was 'squared_error'"):
        forest.set_params(criterion="absolute_error").fit(X, Y)


@pytest.mark.parametrize("backend", ["threading", "loky"])
@pytest.mark.filterwarnings("ignore:.*rows were in the sample")
def test_forests_on_the_backends_of_joblib(backend):
    seen = []
    forest = made(9, oob_score=True)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        forest.set_params(progress=lambda done, trees: seen.append((done, trees))).fit(X, Y)
    assert seen[-1] == (9, 9) and seen == sorted(seen)
    whole = made(9, oob_score=True).fit(X, Y)
    assert forest.set_params(progress=None).to_bytes() == whole.to_bytes()
    assert np.array_equal(forest.oob_prediction_, whole.oob_prediction_, equal_nan=True)
    assert np.array_equal(forest.predict_quantiles(X), whole.predict_quantiles(X))


def test_forests_on_a_cluster():
    pytest.importorskip("distributed", reason="Dask is not installed")
    with cluster_client(processes=False) as client:
        found = made(9, criterion="absolute_error").fit(X, Y, client=client)
        bins = made(4, criterion="gini", target_bins=5).fit(X, Y, client=client)
    assert found.to_bytes() == made(9, criterion="absolute_error").fit(X, Y).to_bytes()
    assert bins.to_bytes() == made(4, criterion="gini", target_bins=5).fit(X, Y).to_bytes()


def test_frames_with_levels_and_missing_cells():
    frame = pd.DataFrame(
        {
            "size": np.where(RANDOM.random(120) < 0.1, np.nan, X[:, 0]),
            "colour": RANDOM.choice(["red", "green", "blue"], 120),
        }
    )
    y = X[:, 0] + 3 * (frame["colour"] == "red")
    forest = made(30, oob_score=True).fit(frame, y)
    assert forest.feature_names_in_.tolist() == ["size", "colour"]
    assert forest.oob_score_ > 0.8
    table = fasttree.Table(frame, y, task="regression")
    assert made(30, oob_score=True).fit(table).to_bytes() == forest.to_bytes()
    assert np.array_equal(forest.predict(frame[["colour", "size"]]), forest.predict(frame))


def test_files_hold_the_forest(tmp_path):
    forest = made(5).fit(X, Y)
    forest.save(tmp_path / "forest.json")
    for other in (
        fasttree.load_model(tmp_path / "forest.json"),
        fasttree.from_bytes(forest.to_bytes()),
    ):
        assert type(other) is FastForestRegressor
        assert other.to_bytes() == forest.to_bytes()
        assert np.array_equal(other.predict(X), forest.predict(X))
        assert other.estimators_[4].to_text() == forest.estimators_[4].to_text()
        assert type(other.estimators_[4]) is FastTreeRegressor
        assert other.get_params() == forest.get_params()


@pytest.mark.parametrize("weighted", [False, True])
def test_permutation_importance_by_hand(weighted):
    random = np.random.default_rng(2)
    rows = random.normal(size=(400, 5))
    rows[:, 4] = rows[:, 4].round(2)
    y = 2 * rows[:, 0] + rows[:, 1] ** 2 + random.normal(size=400) / 10
    w = random.integers(1, 4, 400) if weighted else None
    forest = FastForestRegressor(20, max_features=None, random_state=0)
    forest.fit(rows, y, sample_weight=w)
    found = forest.permutation_importance(rows, y, sample_weight=w)
    assert found.importances.shape == (5, 20)
    assert found.importances_mean[:2].min() > 1
    assert np.abs(found.importances_mean[2:]).max() < 0.2
    # The same by NumPy's shuffles: equal up to the luck of the shuffle. Shuffling x in a + b(x)
    # adds twice the variance of b.
    unseen = forest.bootstrap_counts(rows, y, sample_weight=w) == 0
    added = np.zeros((20, 5))
    for t, tree in enumerate(forest.estimators_):
        own, numbers = rows[unseen[t]], y[unseen[t]]
        weights = None if w is None else w[unseen[t]]
        before = np.average((tree.predict(own) - numbers) ** 2, weights=weights)
        for j in range(5):
            shuffled = own.copy()
            shuffled[:, j] = random.permutation(shuffled[:, j])
            after = np.average((tree.predict(shuffled) - numbers) ** 2, weights=weights)
            added[t, j] = after - before
    assert found.importances_mean == pytest.approx(added.mean(axis=0), abs=0.4)
    order = random.permutation(400)
    again = forest.set_params(n_jobs=4).permutation_importance(
        rows[order], y[order], sample_weight=None if w is None else w[order]
    )
    assert np.array_equal(again.importances, found.importances)
    with pytest.raises(ValueError, match="bootstrap=False"):
        made(bootstrap=False).fit(rows, y).permutation_importance(rows, y)


def test_as_few_warnings_as_can_be():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made(30, oob_score=True).fit(X, Y).predict_quantiles(X)


@pytest.mark.parametrize("rows", [40, 127, 3000])
@pytest.mark.parametrize("values", [2, 3, 5])
def test_the_cut_below_the_last_bin_is_found(rows, values):
    rng = np.random.default_rng(rows + values)
    X = rng.integers(0, values, (rows, 1)).astype(float)
    y = (X[:, 0] == values - 1) + rng.random(rows) / 10
    exact = FastTreeRegressor(max_depth=1).fit(X, y)
    binned = FastTreeRegressor(max_depth=1, threshold_search="histogram").fit(X, y)
    assert exact.tree_.score[0] == binned.tree_.score[0]
    assert exact.tree_.threshold[0] == binned.tree_.threshold[0] == values - 1.5
