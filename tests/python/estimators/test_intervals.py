"""Split-conformal intervals: their formula, their coverage on fresh rows, and their errors."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import fasttree
from fasttree import FastForestRegressor, FastTreeRegressor
from tests.python.tools import body_of, file_of


def drawn(n, seed):
    """Rows whose noise grows with the first feature."""
    random = np.random.default_rng(seed)
    X = random.uniform(0, 4, size=(n, 2))
    return X, np.sin(2 * X[:, 0]) + X[:, 0] * random.standard_t(4, size=n) / 4


MODELS = [
    FastTreeRegressor(min_samples_leaf=8),
    FastForestRegressor(8, min_samples_leaf=5, random_state=0),
]


@pytest.mark.parametrize("method", ["residual", "quantile"])
@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("coverage", [0.5, 0.9])
def test_coverage_of_fresh_rows(model, method, coverage):
    # Over calibration sets of n rows the mean coverage lies in [c, c + 1 / (n + 1)]; that of one
    # set is Beta(k, n + 1 - k), and each fresh row adds a binomial draw.
    model.fit(*drawn(300, 1))
    n, repeats, fresh = 39, 150, 40
    shares = []
    for repeat in range(repeats):
        model.calibrate(*drawn(n, 100 + repeat), method=method)
        X, y = drawn(fresh, 10_000 + repeat)
        low, high = model.predict_interval(X, coverage).T
        assert (low <= high).all()
        shares.append(np.mean((low <= y) & (y <= high)))
    exact = math.ceil((n + 1) * coverage) / (n + 1)
    variance = exact * (1 - exact) * (1 / (n + 2) + 1 / fresh)
    assert np.mean(shares) == pytest.approx(exact, abs=3.5 * math.sqrt(variance / repeats))


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_the_intervals_by_hand(model):
    model.fit(*drawn(200, 1))
    (X, y), new = drawn(30, 2), drawn(10, 3)[0]
    for coverage, place in ((0.5, 16), (0.8, 25), (0.9, 28), (30 / 31, 30)):
        margin = np.sort(np.abs(y - model.predict(X)))[place - 1]
        found = model.calibrate(X, y).predict_interval(new, coverage)
        assert np.allclose(found[:, 0], model.predict(new) - margin, rtol=1e-12)
        assert np.allclose(found[:, 1], model.predict(new) + margin, rtol=1e-12)
        at = ((1 - coverage) / 2, (1 + coverage) / 2)
        band = model.predict_quantiles(X, at)
        scores = np.maximum(band[:, 0] - y, y - band[:, 1])
        margin = np.sort(scores)[place - 1]
        found = model.calibrate(X, y, method="quantile").predict_interval(new, coverage)
        expected = model.predict_quantiles(new, at) + np.array([-margin, margin])
        assert np.allclose(found, expected, rtol=1e-12)


def test_intervals_of_quantiles_are_wide_where_the_target_varies():
    X, y = drawn(1500, 1)
    forest = FastForestRegressor(30, min_samples_leaf=10, random_state=0).fit(X, y)
    forest.calibrate(*drawn(300, 2), method="quantile")
    low, high = forest.predict_interval([[0.2, 2.0], [3.8, 2.0]]).T
    assert high[1] - low[1] > 3 * (high[0] - low[0])
    low, high = forest.calibrate(*drawn(300, 2)).predict_interval([[0.2, 2.0], [3.8, 2.0]]).T
    assert high[1] - low[1] == pytest.approx(high[0] - low[0])


def test_ends_that_would_cross_meet():
    X = np.arange(40.0)[:, None] % 2
    y = np.tile([0.0, 0.0, 10.0, 10.0], 10)
    tree = FastTreeRegressor(max_depth=1).fit(X, y)
    # Every calibration row lies in the middle of the band 0 to 10.
    tree.calibrate(np.arange(19.0)[:, None] % 2, np.full(19, 5.0), method="quantile")
    assert tree.predict_interval([[0.0], [1.0]], 0.9).tolist() == [[5.0, 5.0], [5.0, 5.0]]


def test_pickles_keep_the_calibration_and_a_further_fit_forgets_it():
    rows, new = drawn(200, 1), drawn(10, 3)[0]
    for method in ("residual", "quantile"):
        forest = FastForestRegressor(5, random_state=0).fit(*rows)
        forest.calibrate(*drawn(50, 2), method=method)
        other = pickle.loads(pickle.dumps(forest))
        assert np.array_equal(other.predict_interval(new), forest.predict_interval(new))
        with pytest.raises(ValueError, match=r"call calibrate\(X, y\)"):
            forest.fit(*rows).predict_interval(new)
    # A model file holds enough for intervals of one width.
    loaded = fasttree.from_bytes(forest.to_bytes()).calibrate(*drawn(50, 2))
    assert loaded.predict_interval(new).shape == (10, 2)
    loaded.calibrate(*drawn(50, 2), method="quantile")
    with pytest.raises(ValueError, match="does not have: a model file"):
        loaded.predict_interval(new)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_files_keep_the_calibration_by_residuals(model):
    new = drawn(50, 3)[0]
    model.fit(*drawn(200, 1))
    bare = model.to_bytes()
    with pytest.raises(ValueError, match="holds that of method='residual', not that of 'quantile'"):
        fasttree.from_bytes(
            model.calibrate(*drawn(99, 2), method="quantile").to_bytes()
        ).predict_interval(new)
    assert model.to_bytes() == bare
    ends = model.calibrate(*drawn(99, 2)).predict_interval(new, 0.8)
    loaded = fasttree.from_bytes(model.to_bytes())
    for one in (loaded, fasttree.from_bytes(loaded.to_bytes()), pickle.loads(pickle.dumps(loaded))):
        np.testing.assert_array_equal(one.predict_interval(new, 0.8), ends)
    assert loaded.to_bytes() == model.to_bytes() != bare
    if model is MODELS[0]:  # another tree is another model
        assert b"calibration" not in loaded.cut(1).to_bytes() + loaded.prune().to_bytes()
        for wrong in ("x", [-1.0], [None], [1], {}):
            body = body_of(model.to_bytes())
            body["parameters"]["calibration"] = wrong
            with pytest.raises(ValueError, match="its calibration cannot be read"):
                fasttree.from_bytes(file_of(body))


def test_tables_serve_and_what_is_wrong_is_named():
    X, y = drawn(60, 1)
    tree = FastTreeRegressor(max_depth=3).fit(X, y)
    held, numbers = drawn(30, 2)
    table = fasttree.Table(held, numbers, task="regression")
    expected = tree.calibrate(held, numbers).predict_interval(X)
    assert np.array_equal(
        tree.calibrate(table).predict_interval(table.take(range(5))).shape, (5, 2)
    )
    assert np.array_equal(tree.predict_interval(X), expected)
    for coverage, message in (
        (0.99, "coverage=0.99 needs at least 99 calibration rows, and there are 30"),
        (1.0, "coverage=1.0 must lie between 0 and 1"),
        (0, "coverage=0.0 must lie between 0 and 1"),
        (90, r"coverage=90 must be a number in \[0, 1\]"),
        ("a", "coverage='a' must be a number"),
    ):
        with pytest.raises(ValueError, match=message):
            tree.predict_interval(X, coverage)
    with pytest.raises(ValueError, match="calibrate got the rows that the model was fitted on"):
        tree.calibrate(X, y)
    with pytest.raises(ValueError, match="method='cqr' is not known|method='cqr'"):
        tree.calibrate(held, numbers, method="cqr")
    with pytest.raises(ValueError, match="row 4 of the target"):
        tree.calibrate(held, np.where(np.arange(30) == 4, np.nan, numbers))
    with pytest.raises(ValueError, match="X has 30 rows and y has 29"):
        tree.calibrate(held, numbers[:29])
    with pytest.raises(ValueError, match=r"call calibrate\(X, y\)"):
        FastTreeRegressor().fit(X, y).predict_interval(X)
    for call in ("predict_interval", "predict_quantiles", "calibrate"):
        with pytest.raises(ValueError, match="not fitted"):
            getattr(FastTreeRegressor(), call)(X)


def test_a_file_of_more_whole_numbers_than_a_column_may_have_levels_is_read_as_numbers(tmp_path):
    n = 70_000
    lines = [f"{number // 10},{number}" for number in range(n)]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["a,y", *lines]), encoding="utf-8")
    tree = FastTreeRegressor(max_depth=2).fit([[0.0], [7000.0]], [0.0, n])
    assert tree.calibrate(path).predict_interval([[0.0]]).shape == (1, 2)
    assert tree.evaluate(path).r2 == pytest.approx(tree.score(path), abs=1e-12)
    assert len(tree.staged_score(path)) == 2


@pytest.mark.parametrize("method", ["residual", "quantile"])
@pytest.mark.parametrize("kind", [FastTreeRegressor, FastForestRegressor])
def test_intervals_of_counts_do_not_go_below_0(kind, method):
    random = np.random.default_rng(0)
    X = random.uniform(size=(600, 2))
    y = random.poisson(0.3 + X[:, 0])
    model = kind(criterion="poisson", min_samples_leaf=20, random_state=0).fit(X[:300], y[:300])
    low, high = model.calibrate(X[300:], y[300:], method=method).predict_interval(X, 0.9).T
    assert low.min() == 0 and (high >= low).all()
    other = kind(min_samples_leaf=20, random_state=0).fit(X[:300], y[:300])
    assert other.calibrate(X[300:], y[300:]).predict_interval(X, 0.9)[:, 0].min() < 0
