"""Trees and forests as scikit-learn's own: equal to the last bit, read by what reads those."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text, plot_tree

import fasttree
from fasttree import FastForestClassifier, FastForestRegressor, FastTreeRegressor, presets
from fasttree.estimators.sklearn_trees import _between

from ..tools import thinned, without_idle

IRIS = load_iris()
X32 = IRIS.data.astype(np.float32).astype(float)


def same(model, X, **options):
    """The converted model, after it gave the same probabilities and classes."""
    made = model.to_sklearn(**options)
    assert np.array_equal(made.predict_proba(X), model.predict_proba(X))
    assert np.array_equal(made.predict(X), model.predict(X))
    return made


def words(seed, n=60, missing=0.0):
    """Rows of two numbers of 32 bits and two words."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n).astype(np.float32).astype(float),
            "colour": rng.choice(["red", "green", "blue", "grey", "black"], n),
            "count": rng.integers(0, 9, n).astype(float),
            "kind": rng.choice(["x", "y"], n),
        }
    )
    y = np.where(frame.colour.isin(["red", "grey"]) ^ (frame["count"] > 4), "in", "out")
    y = np.where(rng.random(n) < 0.2, rng.choice(["in", "out", "both"], n), y)
    for name in frame if missing else ():
        frame.loc[rng.random(n) < missing, name] = None
    return frame, y


@st.composite
def ways(draw):
    pick = lambda *values: draw(st.sampled_from(values))  # noqa: E731
    return {
        "criterion": pick("info_gain", "gini", "jaccard", "hellinger"),
        "nominal_splits": pick("multiway", "subset", "one_vs_rest"),
        "missing": pick("branch", "mode"),
        "leaf_smoothing": pick(None, "laplace", "m_estimate"),
        "discretize": pick(None, "equal_width", "equal_frequency"),
        "n_bins": pick(3, 12),
        "max_depth": pick(None, 3),
    }


@settings(max_examples=30, deadline=None)
@given(ways(), st.integers(0, 10**6), st.sampled_from([0.0, 0.2]))
def test_any_tree_gives_the_same_probabilities(how, seed, missing):
    X, y = words(seed, missing=missing)
    rows, _ = words(seed + 1, missing=0.2)
    model = fasttree.fit(X, y, **without_idle(how))
    made = same(model, X)
    assert isinstance(made, Pipeline) and type(made[-1]) is DecisionTreeClassifier
    assert np.array_equal(made.predict_proba(rows), model.predict_proba(rows))
    assert np.array_equal(made[-1].classes_, model.classes_)


@st.composite
def ways_of_numbers(draw):
    pick = lambda *values: draw(st.sampled_from(values))  # noqa: E731
    return {
        "criterion": pick("squared_error", "absolute_error", "poisson", "standard_deviation"),
        "nominal_splits": pick("multiway", "subset", "one_vs_rest"),
        "missing": pick("branch", "mode"),
        "discretize": pick(None, "equal_width"),
        "n_bins": pick(3, 12),
        "max_depth": pick(None, 3),
    }


@settings(max_examples=20, deadline=None)
@given(ways_of_numbers(), st.integers(0, 10**6), st.sampled_from([0.0, 0.2]))
def test_any_tree_predicts_the_same_numbers(how, seed, missing):
    X, _ = words(seed, missing=missing)
    rows, _ = words(seed + 1, missing=0.2)
    y = np.random.default_rng(seed).gamma(1.0, 3.0, len(X))
    tree = FastTreeRegressor(**without_idle(how)).fit(X, y)
    made = tree.to_sklearn()
    assert isinstance(made, Pipeline) and type(made[-1]) is DecisionTreeRegressor
    for asked in (X, rows):
        assert np.array_equal(made.predict(asked), tree.predict(asked))
    forest = FastForestRegressor(5, random_state=0, **without_idle(how)).fit(X, y)
    made = forest.to_sklearn(X)
    assert type(made[-1]) is RandomForestRegressor
    for asked in (X, rows):
        np.testing.assert_allclose(made.predict(asked), forest.predict(asked), rtol=1e-15)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_statistics_of_numbers_are_those_that_scikit_learn_computes(criterion):
    y = np.random.default_rng(0).gamma(1.0, 3.0, len(X32))
    model = FastTreeRegressor(criterion=criterion, max_depth=3, missing="branch").fit(X32, y)
    made = model.to_sklearn()
    assert made.criterion == criterion
    # The rows of a node are a training set whose root scikit-learn measures.
    ways = made.decision_path(X32).toarray().astype(bool)
    for node in range(made.tree_.node_count):
        rows = ways[:, node]
        root = DecisionTreeRegressor(criterion=criterion, max_depth=1).fit(X32[rows], y[rows])
        assert made.tree_.impurity[node] == pytest.approx(root.tree_.impurity[0], abs=1e-9)
        assert made.tree_.value[node, 0, 0] == pytest.approx(root.tree_.value[0, 0, 0], rel=1e-9)
        assert made.tree_.n_node_samples[node] == rows.sum()
    assert "value: " in export_text(made)


def test_chains_of_numbers_keep_means_and_variances():
    """A test with a branch for each level becomes a chain, whose tests hold several branches."""
    X, _ = words(5, n=200)
    y = np.random.default_rng(1).normal(size=len(X)) + (X.colour == "red").to_numpy()
    model = FastTreeRegressor(max_depth=2, nominal_splits="multiway").fit(X, y)
    encoder, made = model.to_sklearn()
    ways = made.decision_path(encoder.transform(X)).toarray().astype(bool)
    assert made.tree_.node_count > model.n_nodes_  # a chain
    for node in range(made.tree_.node_count):
        own = y[ways[:, node]]
        assert made.tree_.value[node, 0, 0] == pytest.approx(own.mean())
        assert made.tree_.impurity[node] == pytest.approx(own.var())


def test_fractions_of_numbers_are_refused():
    X, _ = words(0, missing=0.2)
    y = np.random.default_rng(0).normal(size=len(X))
    model = FastTreeRegressor(missing="fractional").fit(X, y)
    with pytest.raises(ValueError, match="in fractions"):
        model.to_sklearn()
    full = X.dropna()
    made = model.to_sklearn(missing="largest")
    assert np.array_equal(made.predict(full), model.predict(full))


@pytest.mark.parametrize("criterion", ["gini", "info_gain"])
def test_numbers_alone_need_no_pipeline(criterion):
    model = fasttree.fit(X32, IRIS.target, criterion=criterion)
    made = same(model, X32)
    assert type(made) is DecisionTreeClassifier
    assert made.get_n_leaves() == model.get_n_leaves() and made.get_depth() == model.get_depth()
    assert made.tree_.threshold[0] == model.tree_.threshold[0]
    weights = model.tree_.weighted_n_node_samples
    assert np.array_equal(made.tree_.weighted_n_node_samples, weights)
    # Our values are counts, theirs are shares.
    assert np.allclose(made.tree_.value[:, 0] * weights[:, None], model.tree_.value)
    theirs = DecisionTreeClassifier(criterion=made.criterion).fit(X32, IRIS.target)
    assert made.tree_.impurity[0] == pytest.approx(theirs.tree_.impurity[0])
    assert pickle.loads(pickle.dumps(made)).predict(X32).tolist() == model.predict(X32).tolist()


def test_names_of_frames_stay():
    frame = pd.DataFrame(X32, columns=IRIS.feature_names)
    made = same(fasttree.fit(frame, IRIS.target_names[IRIS.target]), frame)
    assert made.feature_names_in_.tolist() == IRIS.feature_names
    with pytest.raises(ValueError, match="feature names"):
        made.predict(frame[frame.columns[::-1]])


@pytest.mark.parametrize("how", [{}, {"nominal_splits": "subset"}], ids=str)
def test_forests(how):
    forest = FastForestClassifier(n_estimators=8, random_state=1, **how)
    made = same(forest.fit(X32, IRIS.target), X32)
    assert type(made) is RandomForestClassifier and len(made.estimators_) == 8
    X, y = words(4, 200)
    forest.set_params(missing="branch").fit(X, y)
    made = forest.to_sklearn()
    assert type(made[-1]) is RandomForestClassifier
    assert np.abs(made.predict_proba(X) - forest.predict_proba(X)).max() < 1e-15
    tree = fasttree.fit(X32, IRIS.target)
    assert type(same(tree, X32, as_forest=True)) is RandomForestClassifier
    sub = forest.estimators_[0].to_sklearn()
    assert np.array_equal(sub.predict_proba(X), forest.estimators_[0].predict_proba(X))


def test_searched_trees_and_presets():
    table = fasttree.datasets.make_monks(1)
    for model in (fasttree.minimal_tree(table), fasttree.optimal_tree(table, max_depth=2)):
        same(model, table.X)
    same(fasttree.fit(X32, IRIS.target, **presets.CART), X32)
    weather = fasttree.datasets.load_weather()
    rows = weather.to_frame().drop(columns=weather.target)
    same(fasttree.fit(weather, **presets.ID3), rows)
    same(fasttree.fit(weather, **presets.C45), rows, missing="largest")


def test_fractions_of_rows_are_refused_with_the_remedy():
    X, y = words(0, missing=0.2)
    for model in (fasttree.fit(X, y), FastForestClassifier(n_estimators=3).fit(X, y)):
        with pytest.raises(ValueError, match=r"column '.*fractions.*missing='branch'.*largest"):
            model.to_sklearn()
        whole = X.dropna()
        made = model.to_sklearn(missing="largest")
        assert np.abs(made.predict_proba(whole) - model.predict_proba(whole)).max() < 1e-15
    with pytest.raises(ValueError, match="missing='branch'"):
        fasttree.fit(X32, IRIS.target, missing="fractional").to_sklearn()
    with pytest.raises(ValueError, match="missing='heaviest' is not known"):
        fasttree.fit(X32, IRIS.target).to_sklearn(missing="heaviest")


def test_a_column_that_float32_cannot_hold_is_named():
    X = np.column_stack([np.zeros(4), [1.0, 1.0 + 1e-12, 1.0, 1.0 + 1e-12]])
    model = fasttree.fit(pd.DataFrame(X, columns=["flat", "fine"]), [0, 1, 0, 1])
    with pytest.raises(ValueError, match=r"column 'fine'.*float32.*1\.0000000000005.*astype"):
        model.to_sklearn()
    with pytest.raises(ValueError, match="column 'fine'"):
        pickle.loads(pickle.dumps(model)).to_sklearn()
    again = fasttree.from_bytes(model.to_bytes())  # a file does not know the training rows
    with pytest.raises(ValueError, match=r"column 'fine', row 1"):
        again.to_sklearn(pd.DataFrame(X, columns=["flat", "fine"]))
    assert (
        type(again.to_sklearn(pd.DataFrame(X[::2], columns=["flat", "fine"])))
        is DecisionTreeClassifier
    )
    forest = FastForestClassifier(n_estimators=3, max_features=None, bootstrap=False).fit(
        X, [0, 1, 0, 1]
    )
    with pytest.raises(ValueError, match="column 'x1'"):
        forest.to_sklearn()
    # Cutting the split off takes the refusal with it; numbers of 32 bits are never refused.
    assert type(model.cut(0).to_sklearn()) is DecisionTreeClassifier
    fasttree.fit(X.astype(np.float32), [0, 1, 0, 1]).to_sklearn()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_what_is_not_refused_agrees_on_the_training_rows(seed, binned):
    rng = np.random.default_rng(seed)
    X = 1 + rng.integers(0, 40, (30, 2)) * 2.0**-25
    y = rng.integers(0, 2, 30)
    model = fasttree.fit(X, y, discretize="equal_frequency" if binned else None)
    agrees = np.array_equal(model.predict_proba(X.astype(np.float32)), model.predict_proba(X))
    try:
        made = model.to_sklearn()
    except ValueError as error:
        assert "float32" in str(error)
        return
    assert agrees and np.array_equal(made.predict_proba(X), model.predict_proba(X))
    assert model.to_sklearn(X) is not None


def drawn_from(X, seed=0, n=10_000):
    """Rows whose cells are drawn from the values of each column."""
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.choice(np.unique(column), n) for column in X.T])


def same_on_decimals(model, made, X):
    """The same answers on the rows, and on new rows made of their values."""
    for asked in (X, drawn_from(X)):
        if hasattr(model, "predict_proba"):
            assert np.array_equal(made.predict_proba(asked), model.predict_proba(asked))
        elif hasattr(made, "estimators_"):
            np.testing.assert_allclose(made.predict(asked), model.predict(asked), rtol=1e-14)
        else:
            assert np.array_equal(made.predict(asked), model.predict(asked))


KINDS = {
    "tree": lambda number: FastTreeRegressor() if number else fasttree.FastTreeClassifier(),
    "forest": lambda number: (
        FastForestRegressor(10, random_state=0)
        if number
        else FastForestClassifier(10, random_state=0)
    ),
    "histogram": lambda number: (
        FastTreeRegressor(threshold_search="histogram")
        if number
        else fasttree.FastTreeClassifier(threshold_search="histogram")
    ),
    "value": lambda number: (
        FastTreeRegressor(thresholds="value")
        if number
        else fasttree.FastTreeClassifier(thresholds="value")
    ),
    "bins": lambda number: (
        FastTreeRegressor(discretize="equal_frequency")
        if number
        else fasttree.FastTreeClassifier(discretize="equal_frequency")
    ),
}


def converted(model, X):
    """The model by its own training rows, by those that are given, and after a file."""
    yield model.to_sklearn()
    yield model.to_sklearn(X)
    loaded = fasttree.from_bytes(model.to_bytes())
    yield loaded.to_sklearn()
    yield loaded.to_sklearn(X)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_diabetes])
def test_sets_of_few_decimals_convert(load, kind):
    X, y = load(return_X_y=True, **({"scaled": False} if load is load_diabetes else {}))
    model = KINDS[kind](load is load_diabetes).fit(X, y)
    for made in converted(model, X):
        same_on_decimals(model, made, X)
    if kind == "forest":
        same_on_decimals(model.estimators_[3], model.estimators_[3].to_sklearn(), X)


@pytest.mark.parametrize("seed", thinned(range(100), 5))
def test_random_sets_of_few_decimals_convert(seed):
    rng = np.random.default_rng(seed)
    digits, scale = int(rng.integers(1, 4)), 10.0 ** rng.integers(-1, 3)
    X = (rng.normal(size=(int(rng.integers(20, 300)), 3)) * scale).round(digits)
    number = bool(seed % 2)
    y = X[:, 0] + rng.normal(size=len(X)) * scale
    model = KINDS[list(KINDS)[seed % 5]](number).fit(X, y if number else (y > 0).astype(int))
    for made in converted(model, X):
        same_on_decimals(model, made, X)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from([2.0**-26, 2.0**-24, 1e-7, 1e-3]))
def test_a_threshold_moves_as_little_as_it_must(seed, step):
    """Against all numbers of float32 nearby: the nearest one that divides the values as before."""
    rng = np.random.default_rng(seed)
    low, high = np.sort(1 + rng.integers(0, 40, 2) * step)
    at = float(rng.choice([low, (low + high) / 2, np.nextafter(high, low)]))
    if not low <= at < high:
        return
    found = _between(at, low, high)
    singles = [np.float32(at)]
    for _ in range(3):
        singles = [
            np.nextafter(singles[0], np.float32(0)),
            *singles,
            np.nextafter(singles[-1], np.float32(9)),
        ]
    low, high = float(np.float32(low)), float(np.float32(high))
    fits = [t for t in (at, *map(float, singles)) if low <= t < high]
    assert (found is None) == (low == high)
    if found is not None:
        assert abs(found - at) == min(abs(t - at) for t in fits)


def test_refused_rows_are_those_that_were_given():
    X = np.array([[5.0], [1.0], [1.0 + 1e-12], [1.0], [1.0 + 1e-12]])
    weights = [0.0, 1.0, 1.0, 1.0, 1.0]
    optimal = fasttree.OptimalTreeClassifier(max_depth=1)
    for model in (fasttree.FastTreeClassifier(), FastTreeRegressor(), optimal):
        model.fit(X, [0, 0, 1, 0, 1], sample_weight=weights)
        with pytest.raises(ValueError, match=r"1\.0 \(row [13]\) and 1\.000000000001 \(row [24]\)"):
            model.to_sklearn()
    # Where no row with the second value comes to the threshold, the rows keep their ways.
    X = np.array([[0.0, 1.0], [0.0, 2.0], [1.0, 1.0 + 1e-12], [1.0, 1.0 + 1e-12], [1.0, 9.0]])
    model = fasttree.fit(X, [0, 1, 2, 2, 2], thresholds="value")
    made = model.to_sklearn(X)
    assert np.array_equal(made.predict(X), model.predict(X))


def test_other_answers_than_scikit_learns_are_refused():
    colours = ["red"] * 4 + ["green"] * 8 + ["red"] * 3 + ["blue"]
    X, y = pd.DataFrame({"kind": ["x"] * 8 + ["y"] * 8, "colour": colours}), np.arange(16) // 4
    with pytest.raises(ValueError, match="empty_branch='parent'"):
        fasttree.fit(X, y, criterion="gain_ratio", empty_branch="unclassified").to_sklearn()
    costs = [[0.0, 1.0, 60.0], [1.0, 0.0, 60.0], [1.0, 1.0, 0.0]]
    model = fasttree.fit(X32, IRIS.target, cost_matrix=costs, max_depth=2)
    with pytest.raises(ValueError, match="without cost_matrix"):
        model.to_sklearn()


def test_pictures_and_text():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X, y = words(1)
    made = fasttree.fit(X, y, nominal_splits="subset", missing="branch").to_sklearn()
    names = made[0].get_feature_names_out()
    assert any(" in {" in name for name in names) and len(set(names)) == len(names)
    text = export_text(made[1], feature_names=names)
    assert text.count("class:") == made[1].get_n_leaves()
    assert len(plot_tree(made[1], feature_names=names, class_names=made.classes_.astype(str))) > 3
    matplotlib.pyplot.close("all")
    made.set_output(transform="pandas")
    assert made[0].transform(X).columns.tolist() == names.tolist()


def test_the_shap_package_reads_it():
    shap = pytest.importorskip("shap", reason="reads the tree with the shap package")
    made = fasttree.fit(X32, IRIS.target).to_sklearn()
    values = shap.TreeExplainer(made).shap_values(X32[:10])
    assert values.shape == (10, 4, 3)


def test_dtreeviz_reads_it():
    pytest.importorskip("dtreeviz", reason="reads the tree with dtreeviz")
    from dtreeviz.models.sklearn_decision_trees import ShadowSKDTree

    made = fasttree.fit(X32, IRIS.target).to_sklearn()
    tree = ShadowSKDTree(
        made, X32, IRIS.target, list(IRIS.feature_names), "kind", list(IRIS.target_names)
    )
    assert len(tree.leaves) == made.get_n_leaves()
    assert tree.predict(X32[0]) == 0


def test_treelite_reads_it():
    treelite = pytest.importorskip("treelite", reason="reads the tree with treelite")
    forest = FastForestClassifier(n_estimators=5, random_state=0).fit(X32, IRIS.target)
    for model in (fasttree.fit(X32, IRIS.target), forest):
        read = treelite.sklearn.import_model(model.to_sklearn(as_forest=True))
        found = treelite.gtil.predict(read, X32.astype(np.float32)).reshape(150, 3)
        assert np.abs(found - model.predict_proba(X32)).max() < 1e-6


def test_skl2onnx_reads_it():
    pytest.importorskip("skl2onnx", reason="reads the tree with skl2onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    from skl2onnx import to_onnx

    single = X32.astype(np.float32)
    for model in (
        fasttree.fit(X32, IRIS.target),
        FastForestClassifier(n_estimators=5, random_state=0).fit(X32, IRIS.target),
    ):
        graph = to_onnx(model.to_sklearn(), single[:1], options={"zipmap": False})
        session = onnxruntime.InferenceSession(graph.SerializeToString())
        labels, shares = session.run(None, {session.get_inputs()[0].name: single})
        assert labels.tolist() == model.predict(X32).tolist()
        assert np.abs(shares - model.predict_proba(X32)).max() < 1e-6


def test_the_arrays_show_themselves():
    text = repr(fasttree.fit(X32, IRIS.target, max_depth=2).tree_)
    assert text.startswith("TreeArrays: 5 nodes, 3 leaves, depth 2\n")
    assert len(text.splitlines()) == 7 and "[50, 50, 50]" in text
    long = repr(fasttree.fit("weather", nominal_splits="subset").tree_)
    assert "levels" in long and long.splitlines()[-1].endswith("more")
