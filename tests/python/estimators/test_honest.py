"""Honest leaves: counts equal those of rows sent down by hand, and intervals hold what they say."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone

import fasttree
from fasttree import FastForestClassifier, FastTreeClassifier, FastTreeRegressor, _engine
from fasttree.estimators.honest import split_rows
from fasttree.estimators.parameters import config_of
from fasttree.model_selection import cross_validate

CLASSES = {
    "usual": {"missing": "branch"},
    "mean and mode": {"missing": "mode", "criterion": "gini", "min_samples_leaf": 4},
    "bins": {"missing": "branch", "discretize": "mdlp", "pruning": "error_based"},
    "histogram": {"missing": "branch", "threshold_search": "histogram", "max_bins": 5},
    "global": {"evaluation": "global", "max_leaf_nodes": 9},
    "glocal": {"evaluation": "glocal", "max_depth": 3, "empty_branch": "unclassified"},
    "labels": {"evaluation": "global", "labels": "distinct", "nominal_splits": "subset",
               "missing": "mode", "max_leaf_nodes": 5},
    "costs": {"missing": "branch", "cost_matrix": [[0, 1, 9], [2, 0, 1], [1, 3, 0]]},
    "smoothed": {"missing": "branch", "leaf_smoothing": "m_estimate"},
    "balanced": {"missing": "branch", "class_weight": "balanced", "pruning": "mdl"},
    "held out": {"missing": "branch", "pruning": "reduced_error"},
}  # fmt: skip
NUMBERS = {
    "squared_error": {"missing": "branch", "min_samples_leaf": 3},
    "absolute_error": {"missing": "branch", "criterion": "absolute_error", "max_depth": 4},
    "poisson": {"missing": "mode", "criterion": "poisson", "max_leaf_nodes": 7},
    "bins of the target": {"missing": "branch", "criterion": "gini", "target_bins": 3},
    "m5": {"missing": "branch", "pruning": "m5"},
}
KINDS = [(FastTreeClassifier, words) for words in CLASSES.values()]
KINDS += [(FastTreeRegressor, words) for words in NUMBERS.values()]
IDS = [*CLASSES, *NUMBERS]
WEIGHTS = ("none", "copies", "fractional")


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def rows(kind, seed=0, n=160):
    """Numbers with gaps, levels and noise, as a frame, and a target."""
    random = np.random.default_rng(seed)
    a, b = random.integers(0, 12, n).astype(float), random.random(n)
    c = random.integers(0, 6, n)
    y = (a + 3 * (c % 2) + 6 * b + random.integers(0, 9, n)) // 9
    X = pd.DataFrame({"a": a, "b": b, "c": [f"c{i}" for i in c]})
    X.loc[random.random(n) < 0.1, "a"] = np.nan
    return X, (y.astype(int) if kind is FastTreeClassifier else y + random.integers(0, 3, n) / 7)


def weights_of(name, n, seed=1):
    random = np.random.default_rng(seed)
    return {
        "none": None,
        "copies": random.integers(0, 4, n).astype(float),
        "fractional": np.where(random.random(n) < 0.1, 0.0, random.random(n) * 3),
    }[name]


def parts(model, X, y, weights=None, groups=None):
    """The rows of a fit, and its two parts as `split_rows` makes them."""
    given = model._training_rows(X, y, weights)
    return given, *split_rows(model, given, groups)


def by_hand(model, kept):
    """Rows of each node, walked one by one by the arrays of the tree."""
    path = model.decision_path(kept.table).toarray().astype(bool)
    weights = kept.importances
    return path, np.ones(len(path)) if weights is None else np.asarray(weights)


def leaves_and_rows(tree, path):
    """Each leaf, and which rows it answers with: its own, or those of the nearest node above that
    has some."""
    for leaf in np.flatnonzero(tree.tree_.n_children == 0).tolist():
        node = leaf
        while not path[:, node].any():
            node = int(tree.tree_.parent[node])
        yield leaf, path[:, node]


@pytest.mark.parametrize("weighing", WEIGHTS)
@pytest.mark.parametrize(("kind", "words"), KINDS, ids=IDS)
def test_nodes_say_what_the_kept_rows_say(kind, words, weighing):
    X, y = rows(kind)
    weights = weights_of(weighing, len(y))
    model = kind(**words, honest=0.4, random_state=3).fit(X, y, sample_weight=weights)
    given, grown, kept = parts(model, X, y, weights)
    # The two parts are all rows of weight > 0, and the share is the one asked for.
    positive = np.arange(len(y)) if weights is None else np.flatnonzero(weights > 0)
    together = np.concatenate([grown.kept[0], kept.kept[0]])
    assert sorted(together.tolist()) == positive.tolist()
    assert len(kept.table) == round(0.4 * len(positive))
    # The tests are those of a tree of the other rows alone.
    alone = clone(model).set_params(honest=None)
    config, custom = config_of(alone.get_params(deep=False), grown.table, grown.copies)
    config = grown.configured(config)
    plain = _engine.fit(grown.table, config, sample_weight=grown.weights, custom=custom).arrays()
    tree = model.tree_
    for name in ("feature", "threshold", "levels", "children", "missing_branch", "score", "step"):
        np.testing.assert_array_equal(getattr(tree, name), plain[name], err_msg=name)
    # What the nodes count and predict.
    path, of_row = by_hand(model, kept)
    np.testing.assert_allclose(tree.weighted_n_node_samples, of_row @ path, rtol=1e-9)
    times = kept.weights if weighing == "copies" else np.ones(len(path))
    np.testing.assert_array_equal(tree.n_node_samples, times @ path)
    if kind is FastTreeClassifier:
        code = kept.table.y_codes
        counts = [of_row[code == c] @ path[code == c] for c in range(len(kept.table.classes))]
        np.testing.assert_allclose(tree.value, np.transpose(counts), rtol=1e-12, atol=1e-12)
        if not {"labels", "cost_matrix", "leaf_smoothing"} & words.keys():
            for node in np.flatnonzero(tree.n_node_samples).tolist():
                assert tree.value[node, tree.label[node]] >= tree.value[node].max() * (1 - 1e-9)
        return
    numbers = kept.table.numbers
    for node in np.flatnonzero(tree.n_node_samples).tolist():
        y_of, w = numbers[path[:, node]], of_row[path[:, node]]
        mean = np.average(y_of, weights=w)
        np.testing.assert_allclose(tree.variance[node], np.average((y_of - mean) ** 2, weights=w),
                                   rtol=1e-9, atol=1e-9)  # fmt: skip
        if words.get("criterion") == "absolute_error":
            below, above = w[y_of < tree.value[node]].sum(), w[y_of > tree.value[node]].sum()
            assert max(below, above) <= w.sum() / 2 * (1 + 1e-9)
        else:
            np.testing.assert_allclose(tree.value[node], mean, rtol=1e-9)


@pytest.mark.parametrize("weighing", WEIGHTS)
@pytest.mark.parametrize("name", [name for name in IDS if name != "held out"])
def test_the_rows_of_growth_in_the_leaves_change_nothing(name, weighing):
    kind, words = KINDS[IDS.index(name)]
    X, y = rows(kind, seed=5)
    model = kind(**words, random_state=0)
    given, *_ = parts(model, X, y, weights_of(weighing, len(y)))
    config, custom = config_of(model.get_params(deep=False), given.table, given.copies)
    words = {"sample_weight": given.weights, "custom": custom}
    config = given.configured(config)
    plain = _engine.fit(given.table, config, **words).arrays()
    again = _engine.fit(given.table, config, **words, leaves=(given.table, given.weights)).arrays()
    for name, array in plain.items():
        if array.dtype.kind == "f":
            np.testing.assert_allclose(again[name], array, rtol=1e-9, atol=1e-9, err_msg=name)
        else:
            np.testing.assert_array_equal(again[name], array, err_msg=name)


def test_the_draw_sees_neither_the_target_nor_the_order_of_groups():
    X, y = rows(FastTreeClassifier)
    model = FastTreeClassifier(honest=True, random_state=7, missing="branch")
    _, _, kept = parts(model, X, y)
    _, _, other = parts(model, X, y[::-1])
    assert kept.kept[0].tolist() == other.kept[0].tolist()
    _, _, others = parts(clone(model).set_params(random_state=8), X, y)
    assert kept.kept[0].tolist() != others.kept[0].tolist()
    groups = np.arange(len(y)) % 20
    _, grown, kept = parts(model, X, y, groups=groups.tolist())
    assert set(groups[grown.kept[0]]).isdisjoint(groups[kept.kept[0]])
    assert len(set(groups[kept.kept[0]])) == 10


@pytest.mark.parametrize(("kind", "words"), [KINDS[0], KINDS[-5]])
def test_groups_may_be_a_column(kind, words):
    X, y = rows(kind)
    groups = np.arange(len(y)) // 4
    model = kind(**words, honest=True, random_state=1)
    listed = clone(model).fit(X, y, groups=groups)
    named = clone(model).fit(X.assign(patient=groups), y, groups="patient")
    assert named.to_bytes() == listed.to_bytes()
    again = fasttree.fit(X, y, groups=groups, task=model._task, **words, honest=True,
                         criterion=model.criterion, random_state=1)  # fmt: skip
    assert again.to_text() == listed.to_text()
    weights = weights_of("copies", len(y))
    fitted = clone(model).fit(X, y, sample_weight=weights, groups=groups)
    _, grown, kept = parts(model, X, y, weights, groups.tolist())
    assert set(groups[grown.kept[0]]).isdisjoint(groups[kept.kept[0]])
    assert fitted.tree_.n_node_samples[0] == weights[kept.kept[0]].sum()


def test_a_leaf_without_rows_answers_as_the_node_above_or_not_at_all():
    X = np.repeat(np.arange(40.0), 1)[:, None]
    y = (np.arange(40) * 7 % 5 < 2).astype(int)
    for seed in range(5):
        words = {"honest": 0.2, "random_state": seed}
        tree = FastTreeClassifier(**words).fit(X, y)
        arrays, inner = tree.tree_, tree.tree_.n_children > 0
        bare = np.flatnonzero((arrays.n_node_samples == 0) & ~inner)
        assert len(bare)
        found = tree.leaf_intervals()
        for node in bare.tolist():
            above = node
            while not arrays.n_node_samples[above]:
                above = int(arrays.parent[above])
            assert arrays.label[node] == arrays.value[above].argmax()
            n = arrays.value[above].sum()
            low = stats.binomtest(int(arrays.value[above, 0]), int(n)).proportion_ci().low
            np.testing.assert_allclose(found.low[node, 0], low, rtol=1e-9, atol=1e-12)
        silent = FastTreeClassifier(**words, empty_branch="unclassified").fit(X, y)
        assert set(silent.tree_.label[bare]) == {-1}
        assert (silent.predict_proba(X)[np.isin(silent.apply(X), bare)] == 0).all()
        ends = silent.leaf_intervals()
        assert (ends.low[bare] == 0).all() and (ends.high[bare] == 1).all()
        assert pickle.loads(pickle.dumps(silent)).to_text() == silent.to_text()
        number = FastTreeRegressor(**words).fit(X, y + X[:, 0])
        bare = np.flatnonzero(number.tree_.n_node_samples == 0)
        above = number.tree_.parent[bare]
        assert number.tree_.value[bare].tolist() == number.tree_.value[above].tolist()


# -- intervals ------------------------------------------------------------------------------------


def test_shares_have_clopper_pearson_intervals():
    X, y = rows(FastTreeClassifier)
    tree = FastTreeClassifier(missing="branch", honest=True, random_state=0, max_depth=3).fit(X, y)
    for level in (0.5, 0.95, 0.999):
        found = tree.leaf_intervals(level)
        leaf = (tree.tree_.n_children == 0) & (tree.tree_.n_node_samples > 0)
        assert np.isnan(found.low[tree.tree_.n_children > 0]).all()
        for node in np.flatnonzero(leaf).tolist():
            counts = tree.tree_.value[node].astype(int)
            for c, count in enumerate(counts.tolist()):
                ends = stats.binomtest(count, int(counts.sum())).proportion_ci(level)
                np.testing.assert_allclose((found.low[node, c], found.high[node, c]),
                                           (ends.low, ends.high), rtol=1e-7, atol=1e-9)  # fmt: skip


@pytest.mark.parametrize("weighing", WEIGHTS)
def test_means_have_students_intervals(weighing):
    X, y = rows(FastTreeRegressor)
    weights = weights_of(weighing, len(y))
    tree = FastTreeRegressor(missing="branch", honest=True, random_state=0, max_depth=3)
    tree.fit(X, y, sample_weight=weights)
    _, _, kept = parts(tree, X, y, weights)
    path, w = by_hand(tree, kept)
    for how in ("copies", "sampling"):
        found = tree.leaf_intervals(0.9, how)
        for node, mine in leaves_and_rows(tree, path):
            of, numbers = w[mine], kept.table.numbers[mine]
            if weighing == "copies" and how == "copies":
                of, numbers = np.ones(int(of.sum())), np.repeat(numbers, of.astype(int))
            n = of.sum() ** 2 / (of**2).sum()
            if n < 1.0001:
                assert (found.low[node], found.high[node]) == (-np.inf, np.inf)
                continue
            mean = np.average(numbers, weights=of)
            variance = np.average((numbers - mean) ** 2, weights=of) * n / (n - 1)
            ends = stats.t.interval(0.9, n - 1, mean, np.sqrt(variance / n) + 1e-300)
            np.testing.assert_allclose((found.low[node], found.high[node]), ends, rtol=1e-7)


@pytest.mark.parametrize("criterion", ["absolute_error", fasttree.criteria.Quantile(q=0.8)])
@pytest.mark.parametrize("weighing", WEIGHTS)
def test_quantiles_have_order_statistics(criterion, weighing):
    X, y = rows(FastTreeRegressor, n=300)
    weights, q = weights_of(weighing, len(y)), getattr(criterion, "q", 0.5)
    words = {"missing": "branch", "honest": True, "random_state": 0, "max_depth": 2}
    tree = FastTreeRegressor(criterion=criterion, **words).fit(X, y, sample_weight=weights)
    found, alpha = tree.leaf_intervals(0.9), 0.1
    _, _, kept = parts(tree, X, y, weights)
    path, w = by_hand(tree, kept)
    for node, mine in leaves_and_rows(tree, path):
        numbers, of = kept.table.numbers[mine], w[mine]
        order = np.argsort(numbers)
        numbers, of = numbers[order], of[order]
        if weighing == "copies":
            numbers, of = np.repeat(numbers, of.astype(int)), np.ones(int(of.sum()))
        n = int(of.sum() ** 2 / (of**2).sum() * (1 + 1e-9))
        # Ranks by their definition: the narrowest ends that are missed by at most a half of alpha.
        lows = [k for k in range(1, n + 1) if stats.binom.cdf(k - 1, n, q) <= alpha / 2]
        highs = [k for k in range(1, n + 1) if stats.binom.sf(k - 1, n, q) <= alpha / 2]
        reached = np.cumsum(of) / of.sum()

        def at(rank, n=n, numbers=numbers, reached=reached):
            return numbers[np.argmax(reached >= rank / n - 1e-9)]

        assert found.low[node] == (at(lows[-1]) if lows else -np.inf)
        assert found.high[node] == (at(highs[0]) if highs else np.inf)


def test_fractional_weights_count_as_the_rows_that_they_are_worth():
    X, y = rows(FastTreeClassifier)
    weights = weights_of("fractional", len(y))
    tree = FastTreeClassifier(missing="branch", honest=True, random_state=0, max_depth=2)
    tree.fit(X, y, sample_weight=weights)
    _, _, kept = parts(tree, X, y, weights)
    path, w = by_hand(tree, kept)
    found, again = tree.leaf_intervals(), pickle.loads(pickle.dumps(tree)).leaf_intervals()
    np.testing.assert_array_equal(found.low, again.low)
    for node, mine in leaves_and_rows(tree, path):
        of = w[mine]
        n = of.sum() ** 2 / (of**2).sum()
        p = of[kept.table.y_codes[mine] == 1].sum() / of.sum()
        low = stats.beta.ppf(0.025, n * p, n * (1 - p) + 1) if p > 0 else 0.0
        high = stats.beta.ppf(0.975, n * p + 1, n * (1 - p)) if p < 1 - 1e-9 else 1.0
        np.testing.assert_allclose((found.low[node, 1], found.high[node, 1]), (low, high),
                                   rtol=1e-7)  # fmt: skip


@pytest.mark.parametrize("weighing", WEIGHTS)
@pytest.mark.parametrize("kind", [FastTreeClassifier, FastTreeRegressor])
def test_parts_of_rows_count_no_more_than_their_parts(kind, weighing):
    X, y = rows(kind)
    weights = weights_of(weighing, len(y))
    tree = kind(missing="fractional", max_depth=3).fit(X, y, sample_weight=weights)
    w = np.ones(len(y)) if weights is None else weights
    Xt = tree._encode(X)
    for node in np.flatnonzero(tree.tree_.n_children == 0).tolist():
        parts_of = w * tree._model.reach(*Xt, node)
        kish = parts_of.sum() ** 2 / (parts_of**2).sum()
        found = tree.leaf_intervals(weights="sampling").n[node]
        np.testing.assert_allclose(found, parts_of.sum() / w.max(), rtol=1e-6)
        assert found <= kish * (1 + 1e-9)


def test_copies_are_said_and_sampling_weights_are_wider():
    X, y = rows(FastTreeClassifier)
    weights = weights_of("copies", len(y)) * 50
    tree = FastTreeClassifier(missing="branch", honest=True, random_state=0, max_depth=2)
    tree.fit(X, y, sample_weight=weights)
    copies, sampling = tree.leaf_intervals(), tree.leaf_intervals(weights="sampling")
    n = tree.tree_.weighted_n_node_samples[0]
    assert f"n = {n:g}" in str(copies) and "survey weights" in tree.to_text(intervals=copies)
    assert "survey" not in str(sampling)
    assert np.nansum(sampling.high - sampling.low) > np.nansum(copies.high - copies.low)


# -- what stands around it ------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "words"), [KINDS[0], KINDS[-5], KINDS[-4]])
def test_files_and_pickles_say_the_same(kind, words, tmp_path):
    X, y = rows(kind)
    tree = kind(**words, honest=0.3, random_state=2).fit(X, y)
    tree.save(tmp_path / "tree.json")
    loaded, pickled = fasttree.load(tmp_path / "tree.json"), pickle.loads(pickle.dumps(tree))
    for other in (loaded, pickled):
        assert other.honest == 0.3 and other.to_text() == tree.to_text()
        np.testing.assert_array_equal(other.predict(X), tree.predict(X))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # known to be honest
        found = tree.leaf_intervals()
        assert str(pickled.leaf_intervals()) == str(found)
        if words.get("criterion") == "absolute_error":
            with pytest.raises(ValueError, match="model file"):
                loaded.leaf_intervals()
        else:
            assert str(loaded.leaf_intervals()) == str(found)
    if kind is FastTreeRegressor:
        _, _, kept = parts(tree, X, y)
        lowest = tree.predict_quantiles(X, [0.0]).min()
        assert lowest == kept.table.numbers.min()


def test_intervals_stand_in_text_and_rule():
    X, y = rows(FastTreeClassifier)
    tree = FastTreeClassifier(missing="branch", honest=True, random_state=0, max_depth=2).fit(X, y)
    found = tree.leaf_intervals(0.9)
    text = tree.to_text(intervals=found)
    for node in np.flatnonzero(tree.tree_.n_children == 0).tolist():
        assert f"[{found.said(node)}]" in text
    assert "level 0.9" in text and "level 0.9" in str(found)
    rule = tree.decision_rule(X.head(1), intervals=found)
    assert f"{found.said(int(tree.apply(X.head(1))[0]))} at level 0.9" in rule


def test_folds_and_refits_are_honest_too():
    X, y = rows(FastTreeClassifier)
    model = FastTreeClassifier(missing="branch", honest=True, random_state=0, max_depth=3)
    table = fasttree.Table(X, y)
    alone = clone(model).set_params(honest=None)
    result = cross_validate(table, estimators={"tree": model}, cv=3)
    plain = cross_validate(table, estimators={"tree": alone}, cv=3)
    assert str(result) != str(plain)
    fitted = clone(model).fit(table)
    found = fitted.stability(table, repeats=3)
    for i, refit in enumerate(found._models):
        rows_of = np.repeat(np.arange(len(y)), found.multiplicities(i))
        again = clone(model).fit(table.take(rows_of), groups=rows_of)
        assert again._model.arrays()["counts"].tolist() == refit.arrays()["counts"].tolist()
    assert fitted.stability(table, repeats=1, nodes=True).nodes is None


def test_rates_weigh_their_exposure():
    X, _ = rows(FastTreeRegressor)
    random = np.random.default_rng(4)
    exposure, claims = random.integers(1, 9, len(X)).astype(float), random.integers(0, 4, len(X))
    model = FastTreeRegressor(criterion="poisson", missing="branch", honest=True, random_state=0)
    model.set_params(max_depth=2).fit(X, claims, exposure=exposure)
    _, _, kept = (
        (given := model._training_rows(X, claims, None, exposure)),
        *split_rows(model, given),
    )
    path, of_row = by_hand(model, kept)
    assert sorted(set(of_row)) == list(range(1, 9))  # years, not copies of rows
    np.testing.assert_array_equal(model.tree_.n_node_samples, path.sum(axis=0))
    found = model.leaf_intervals()
    for leaf, mine in leaves_and_rows(model, path):
        of = of_row[mine]
        rate = np.average(kept.table.numbers[mine], weights=of)
        np.testing.assert_allclose(model.tree_.value[leaf], rate, rtol=1e-9)
        np.testing.assert_allclose(found.n[leaf], of.sum() ** 2 / (of**2).sum(), rtol=1e-9)


def test_trees_that_are_not_honest_say_so():
    X, y = rows(FastTreeClassifier)
    tree = FastTreeClassifier(missing="branch", max_depth=2).fit(X, y)
    with pytest.warns(UserWarning, match="have chosen the tests.*too narrow.*honest=True"):
        found = tree.leaf_intervals()
    assert "too narrow" in tree.to_text(intervals=found)
    tree.set_params(honest=True)  # the rows in the leaves are those of the fit
    with pytest.warns(UserWarning, match="too narrow"):
        tree.leaf_intervals()


def test_what_does_not_go_with_honest_leaves_is_refused():
    X, y = rows(FastTreeClassifier)
    whole = X.assign(a=X["a"].fillna(0.0))
    made = FastTreeClassifier(honest=True, random_state=0)
    whole_too = FastTreeClassifier(honest=True, random_state=0, missing="branch")
    for some in (whole, X):  # "auto" is "branch"
        assert made.fit(some, y).to_text() == whole_too.fit(some, y).to_text()
        assert made.n_nodes_ > 1
    cases = [
        (lambda: FastTreeClassifier(honest=True, missing="fractional").fit(whole, y),
         "missing='fractional': parts of rows .* set missing='branch'"),
        (lambda: clone(made).fit(whole.head(9), y[:9]), "honest=True: 9 rows .* too few .* 10"),
        (lambda: clone(made).fit(whole, y, sample_weight=(np.arange(len(y)) < 9) * 1.0),
         "9 rows .* too few"),
        (lambda: clone(made).fit(whole, y, groups=np.zeros(len(y))), "group"),
        (lambda: clone(made).fit(whole, y, groups=[1, 2]), "groups has 2 values"),
        (lambda: FastTreeClassifier().fit(whole, y, groups=y), "groups: .* set honest=True"),
        (lambda: FastTreeRegressor(honest=True, monotonic_cst=[1, 0, 0]).fit(whole[["a", "b"]], y),
         "monotonic_cst"),
        (lambda: clone(made).fit(whole, y).prune("mdl"), "prune of an honest tree"),
        (lambda: clone(made).fit(whole, y).leaf_intervals(1.0), "level=1.0 must be a number"),
        (lambda: clone(made).fit(whole, y).leaf_intervals(weights="survey"), "weights='survey'"),
        (lambda: FastTreeClassifier(missing="branch")
         .fit(whole, y, sample_weight=np.linspace(0.1, 2, len(y))).leaf_intervals(),
         "squared weights"),
        (lambda: fasttree.score_features(whole, y, criterion="gini", honest=True),
         "honest=True cannot act"),
    ]  # fmt: skip
    for call, message in cases:
        with pytest.raises(ValueError, match=message):
            call()
    for value in (0.0, 1.0, -0.5, 2, "half"):
        with pytest.raises((ValueError, TypeError), match="honest"):
            FastTreeClassifier(honest=value).fit(whole, y)
    with pytest.raises(TypeError, match="honest"):
        FastForestClassifier(honest=0.5)
    with pytest.raises(ValueError, match="honest=True on rows in batches"):
        fasttree.FastTreeRegressor(threshold_search="histogram", honest=True).fit(
            lambda: iter([whole[["a", "b"]].assign(y=y * 1.0)]), "y", groups="a"
        )


def test_a_share_is_as_good_as_its_word():
    X, y = rows(FastTreeClassifier)
    words = {"missing": "branch", "random_state": 0}
    half = FastTreeClassifier(honest=0.5, **words).fit(X, y)
    for value in (True, np.True_, np.float64(0.5)):
        assert FastTreeClassifier(honest=value, **words).fit(X, y).to_text() == half.to_text()
    plain = FastTreeClassifier(**words).fit(X, y)
    assert FastTreeClassifier(honest=False, **words).fit(X, y).to_text() == plain.to_text()
    assert '"honest"' not in plain._model.parameters


def test_explain_says_that_other_rows_have_chosen_the_split():
    said = "the rows that honest keeps for the leaves"
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 6)), rng.integers(0, 2, 60)
    seen = set()
    for seed in range(6):
        tree = FastTreeClassifier(honest=True, max_depth=1, random_state=seed).fit(X, y)
        listed = tree.explain(0, X, y)
        assert tree.get_depth() == 1
        is_other = f"x{tree.tree_.feature[0]}" != listed[0]["feature"]
        assert (said in str(listed)) == is_other
        seen.add(is_other)
    assert seen == {True, False}


@pytest.mark.parametrize("number", [False, True])
def test_the_interval_of_a_leaf_without_rows_is_marked(number):
    rng = np.random.default_rng(1)
    rows = [[f"v{i}"] for i in rng.integers(0, 30, 120)]
    y = rng.integers(0, 2, 120)
    kind = FastTreeRegressor if number else FastTreeClassifier
    model = kind(honest=0.2, random_state=0, nominal_splits="multiway").fit(rows, y)
    found, tree = model.leaf_intervals(), model.tree_
    leaves = np.flatnonzero(tree.n_children == 0)
    empty = [node for node in leaves.tolist() if tree.n_node_samples[node] == 0]
    assert 0 < len(empty) < len(leaves)
    marked = [node for node in leaves.tolist() if found.said(node).endswith("of a node above")]
    assert marked == empty
    for text in (found.to_text(), model.to_text(intervals=found)):
        assert text.count("of a node above") == len(empty)
