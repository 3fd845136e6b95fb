"""What a search proves: bounds at every early end beside enumeration, weights beside copies."""

from __future__ import annotations

import numpy as np
import pytest

import fasttree
from tests.oracle.exact_oracle import best_tree, wrong_by_class
from tests.python.exact.test_optimal import like_a_bank, loss
from tests.python.tools import thinned

COSTS = [[0.0, 1.0], [3.0, 0.0]]

OBJECTIVES = {
    **{name: {"criterion": name} for name in ("error", "gini", "info_gain", "g_statistic")},
    **{name: {"criterion": name} for name in ("laplace", "dkm", "mdl", "f_measure", "matthews")},
    "f3": {"criterion": fasttree.criteria.FMeasure(beta=3.0)},
    "cost": {"cost_matrix": COSTS},
}


MEASURES = ("f_measure", "matthews", "f3")


def measure(name, wrong, sides):
    """1 - F or Matthews of (false positives, false negatives), from the definitions."""
    (fp, fn), (negative, positive) = wrong, sides
    tp, tn = positive - fn, negative - fp
    if name == "matthews":
        above = tp * tn - fp * fn
        below = np.sqrt(float((tp + fp) * positive * negative * (tn + fn)))
    else:
        square = 9.0 if name == "f3" else 1.0
        above = (1 + square) * tp
        below = above + square * fn + fp
    return 1.0 - (above / below if below > 0 else 0.0)


RISING = np.maximum.accumulate(
    np.maximum.accumulate(np.random.default_rng(0).integers(0, 90, (50, 50)), axis=0), axis=1
)
OWN = {
    "root": lambda counts: np.sqrt(counts[:, 0] * counts[:, 1]),
    "square": lambda counts: counts.min(axis=1) ** 2,
    "steps": lambda counts: 1 + 3 * (counts[:, 0] > 2) + counts[:, 1] // 3,
    "any": lambda counts: RISING[tuple(counts.T.astype(int))],
}
"""Losses that no row makes smaller: concave, convex, with a price of a pure leaf, any."""


def optimum(name, X, y, weights, depth, least_rows, penalty):
    """The least objective of all trees."""

    def counts(rows):
        return np.bincount(y[list(rows)], weights[list(rows)], minlength=2)

    def is_allowed(rows):
        return counts(rows).sum() >= least_rows or len(rows) == len(y)

    if name in MEASURES:
        found = wrong_by_class(X.T.tolist(), lambda rows: tuple(counts(rows)), is_allowed, depth)
        sides = counts(range(len(y)))
        return min(measure(name, wrong, sides) for wrong in found)

    def leaf(rows):
        own = counts(rows)
        costs = np.asarray(COSTS) if name == "cost" else None
        lost = (own @ costs).min() if costs is not None else None
        if lost is None:
            lost = OWN[name](own[None])[0] if name in OWN else loss(name, own)
        return (lost + penalty * weights.sum()) if is_allowed(rows) else np.inf

    return best_tree(X.T.tolist(), leaf, 0.0, depth) / weights.sum()


def problem(seed):
    """A small table with weights, and the limits of its trees."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 14))
    X = rng.integers(0, 4, (n, int(rng.integers(2, 4)))).astype(float)
    y = (X[:, 0] % 2 != X[:, 1] % 2) ^ (rng.random(n) < 0.3)
    y[:2] = [False, True]
    weights = rng.integers(1, 4, n).astype(float) if seed % 3 else np.ones(n)
    X[rng.random(X.shape) < (0.2 if seed % 6 in (0, 3) else 0.0)] = np.nan
    how = {
        "max_depth": 2 + seed % 2,
        "min_samples_leaf": int(rng.integers(1, 5)) if seed % 4 == 1 else 1,
        "ties": ("first", "any")[seed // 2 % 2],
    }
    return X, y.astype(int), weights, how


def assert_valid(model, best):
    """The bounds enclose the optimum and meet if they say so."""
    assert model.lower_bound_ <= best + 1e-12 <= model.upper_bound_ + 2e-12
    assert model.lower_bound_ >= 0.0 and 0.0 <= model.gap_ <= 1.0
    assert model.proven_ == (model.lower_bound_ == model.upper_bound_)
    if model.proven_:
        assert model.upper_bound_ == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("seed", thinned(range(36), 12))
@pytest.mark.parametrize("name", OBJECTIVES)
def test_bounds_hold_wherever_a_search_ends(name, seed):
    X, y, weights, how = problem(seed)
    how |= OBJECTIVES[name]
    if name not in MEASURES and seed % 5 == 2:
        how["leaf_penalty"] = 0.02
    penalty = how.get("leaf_penalty", 0.0)
    best = optimum(name, X, y, weights, how["max_depth"], how["min_samples_leaf"], penalty)
    full = fasttree.optimal_tree(X, y, sample_weight=weights, **how)
    assert full.proven_ and full.upper_bound_ == pytest.approx(best, abs=1e-9)
    # One level less takes at most half of the budget, so twice the nodes of a proof prove.
    enough = max(1, 2 * full.n_search_nodes_)
    for budget in [*range(1, full.n_search_nodes_ + 2), enough]:
        for n_jobs in (1, 2) if budget % 4 == 1 else (1,):
            ends = {"node_budget": budget, "n_jobs": n_jobs}
            model = fasttree.optimal_tree(X, y, sample_weight=weights, **how, **ends)
            assert_valid(model, best)
            assert model.n_search_nodes_ <= budget
            assert model.proven_ or budget < enough
    for seconds in np.random.default_rng(seed).random(6) * 1e-3:
        for n_jobs in (1, 2):
            ends = {"time_limit": seconds, "n_jobs": n_jobs}
            assert_valid(fasttree.optimal_tree(X, y, sample_weight=weights, **how, **ends), best)


@pytest.mark.parametrize("seed", thinned(range(60), 12))
@pytest.mark.parametrize("name", ["error", "gini", "info_gain", "laplace", "cost"])
def test_many_thresholds_few_rows_of_a_leaf_and_missing_values_give_the_optimum(name, seed):
    """Two levels have more thresholds than one pass takes, three levels have gaps of gaps."""
    rng = np.random.default_rng(seed)
    depth, n = (2, 60) if seed % 2 else (3, 26)
    X = np.column_stack((rng.integers(0, 90 if depth == 2 else 5, n), rng.integers(0, 4, n)))
    X = X.astype(float)
    y = ((X[:, 0] > np.median(X[:, 0])) ^ (X[:, 1] > 1) ^ (rng.random(n) < 0.3)).astype(int)
    X[rng.random(X.shape) < rng.choice([0.0, 0.05, 0.3])] = np.nan
    weights = rng.integers(1, 4, n).astype(float) if seed % 3 == 0 else np.ones(n)
    least = int(rng.integers(1, 9))
    best = optimum(name, X, y, weights, depth, least, 0.0)
    for ties in ("first", "any"):
        how = {"max_depth": depth, "min_samples_leaf": least, "ties": ties, **OBJECTIVES[name]}
        model = fasttree.optimal_tree(X, y, sample_weight=weights, **how)
        assert model.proven_ and model.upper_bound_ == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("seed", [29, *thinned(range(29), 3)])
def test_columns_of_few_levels_and_leaves_of_many_rows_give_the_optimum(seed):
    """Columns of few levels are counted in tables, and more thresholds than one pass takes depend
    on the bounds that tables give."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(100, 400))
    levels = np.array([rng.integers(60, 200), *rng.integers(2, 6, 2)])
    X = rng.integers(0, levels, (n, 3)).astype(float)
    flips = rng.random(n) < 0.3
    y = ((X[:, 0] > levels[0] / 2) ^ (X[:, 1] > levels[1] / 2 - 0.5) ^ flips).astype(int)
    X[rng.random(X.shape) < (0.05 if seed % 2 else 0.0)] = np.nan
    least = int(rng.integers(2, 60))
    best = optimum("error", X, y, np.ones(n), 2, least, 0.0)
    model = fasttree.optimal_tree(X, y, max_depth=2, min_samples_leaf=least)
    assert model.proven_ and model.upper_bound_ == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("seed", thinned(range(100), 10))
def test_own_losses_have_the_optimum_of_enumeration(seed):
    X, y, weights, how = problem(seed)
    how["leaf_penalty"] = 0.02 if seed % 5 == 2 else 0.0
    for name, own in OWN.items():
        best = optimum(
            name, X, y, weights, how["max_depth"], how["min_samples_leaf"], how["leaf_penalty"]
        )
        model = fasttree.optimal_tree(X, y, loss=own, sample_weight=weights, **how)
        assert model.proven_ and model.upper_bound_ == pytest.approx(best, abs=1e-9)
        leaves = model.tree_.value[model.tree_.n_children == 0]
        paid = own(leaves).sum() / weights.sum() + how["leaf_penalty"] * len(leaves)
        assert paid == pytest.approx(best, abs=1e-9)
        for budget in (1, 2, 1 + model.n_search_nodes_ // 2):
            ended = fasttree.optimal_tree(
                X, y, loss=own, sample_weight=weights, node_budget=budget, **how
            )
            assert_valid(ended, best)


def test_own_losses_are_those_of_criteria_and_refused_by_their_reason():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 3)).round(1)
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 0.3) ^ (rng.random(120) < 0.15)).astype(int)
    for name in ("error", "gini", "info_gain", "dkm", "mdl"):

        def own(counts, name=name):
            return [loss(name, one) if one.any() else 0.0 for one in counts]

        built_in = fasttree.optimal_tree(X, y, criterion=name, max_depth=2)
        model = fasttree.optimal_tree(X, y, loss=own, max_depth=2)
        assert model.proven_ and model.upper_bound_ == pytest.approx(built_in.upper_bound_)
        assert model.to_text() == built_in.to_text()
        loaded = fasttree.from_bytes(model.to_bytes())
        assert (loaded.predict(X) == model.predict(X)).all() and "own" in repr(loaded.loss)
    near = model.near_optimal(X, y, within=0.05)
    assert near[0]["objective"] == pytest.approx(model.upper_bound_)
    table = model.compare_with_greedy(X, y, names=["gini", "mdl"])
    assert table.objective == "own" and min(row["excess"] for row in table) >= -1e-9
    three = np.arange(120) % 3
    for words, how in {
        "two classes; the target has 3": {"y": three},
        "weights that are not whole": {"sample_weight": rng.random(120)},
        "more than 4,000,000 different leaves": {"sample_weight": rng.integers(20, 90, 120)},
        r"returned 6 for counts \[0, 1\]: one row more": {"loss": lambda c: 7 - c.sum(axis=1) % 5},
        "at least 0": {"loss": lambda c: -c[:, 0]},
        r"must return \S+ numbers": {"loss": lambda c: c},
        "takes the place of criterion": {"criterion": "gini"},
        "must be None or a function": {"loss": "gini"},
    }.items():
        given = {"y": y, "loss": OWN["root"], "max_depth": 2, **how}
        with pytest.raises(ValueError, match=words):
            fasttree.optimal_tree(X, **given)


def test_an_infinite_loss_is_refused_before_it_is_computed_with():
    y = np.arange(10) % 2
    with np.errstate(invalid="raise"), pytest.raises(ValueError, match="finite"):
        fasttree.optimal_tree(
            y[:, None], y, loss=lambda c: np.where(c[:, 0] > 1, np.inf, 0), max_depth=1
        )


@pytest.mark.parametrize("seed", thinned(range(24), 8))
@pytest.mark.parametrize("name", OBJECTIVES)
def test_bounds_of_larger_searches_hold_for_their_own_optimum(name, seed):
    rng = np.random.default_rng(seed)
    n, depth = int(rng.integers(30, 80)), 2 + seed % 2
    X = rng.normal(size=(n, 3 if depth == 2 else 2)).round(seed % 3)
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 0.3) ^ (rng.random(n) < 0.15)).astype(int)
    X[rng.random(X.shape) < (0.1 if seed % 4 == 3 else 0.0)] = np.nan
    weights = rng.random(n) + 0.1 if seed % 5 == 1 else None
    how = {"max_depth": depth, "min_samples_leaf": 1 + 4 * (seed % 6 == 2)}
    how |= {"max_leaf_nodes": 3 + seed % 4} if seed % 4 == 2 else {}
    how |= {"sample_weight": weights, **OBJECTIVES[name]}
    full = fasttree.optimal_tree(X, y, **how)
    assert full.proven_
    for budget in np.unique(np.linspace(1, full.n_search_nodes_, 15).astype(int)).tolist():
        assert_valid(fasttree.optimal_tree(X, y, node_budget=budget, **how), full.upper_bound_)
    for at, seconds in enumerate(rng.random(8) * 4e-3):
        model = fasttree.optimal_tree(X, y, time_limit=seconds, n_jobs=1 + at % 2, **how)
        assert_valid(model, full.upper_bound_)


@pytest.mark.parametrize("seed", thinned(range(20), 5))
def test_bounds_of_smallest_trees_hold_wherever_a_search_ends(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (40, 3)).astype(float)
    y = (X.sum(axis=1) + (rng.random(40) < 0.2)) % 2
    full = fasttree.minimal_tree(X, y, errors="minimise")
    assert full.proven_
    for budget in np.unique(np.linspace(1, full.n_search_nodes_, 40).astype(int)).tolist():
        model = fasttree.minimal_tree(X, y, errors="minimise", node_budget=budget)
        assert model.lower_bound_ <= full.n_nodes_ <= model.upper_bound_ == model.n_nodes_


def drawn_search(seed):
    """A table with levels, missing values and whole weights, and any parameters of a search."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 40))
    X = rng.integers(0, 5, (n, 3)).astype(float)
    y = ((X[:, 0] % 2 + X[:, 1] + (rng.random(n) < 0.3)) % 2).astype(int)
    y[:2] = [0, 1]
    if seed % 3 == 0:
        X[rng.random(X.shape) < 0.15] = np.nan
    weights = rng.integers(1, 5, n)
    name = list(OBJECTIVES)[seed % len(OBJECTIVES)]
    is_sum = name not in MEASURES
    how = {"min_samples_leaf": int(rng.integers(1, 9)), "ties": ("first", "any")[seed % 7 == 0]}
    how |= (
        {"max_depth": 1 + seed % 3},
        {"max_leaf_nodes": 3 + seed % 3},
        {"max_nodes": 5},
        {"max_depth": 2, "lookahead": 1} if is_sum else {"max_depth": 2},
    )[int(rng.integers(0, 4))]
    if is_sum and rng.random() < 0.5:
        how["leaf_penalty"] = 0.01
    splits = ("ordered", "one_vs_rest", "subset")[int(rng.integers(0, 3))]
    how |= {"nominal_splits": splits, "categorical_features": [0], **OBJECTIVES[name]}
    return X, y, weights, how


@pytest.mark.parametrize("seed", thinned(range(400), 10))
def test_whole_weights_of_a_search_are_copies(seed):
    X, y, weights, how = drawn_search(seed)
    rows = np.repeat(np.arange(len(y)), weights)
    weighed = fasttree.optimal_tree(X, y, sample_weight=weights, **how)
    copied = fasttree.optimal_tree(X[rows], y[rows], **how)
    assert weighed.upper_bound_ == pytest.approx(copied.upper_bound_, abs=1e-9)
    assert weighed.proven_ == copied.proven_
    leaf = weighed.tree_.n_children == 0
    least = weighed.tree_.n_node_samples[leaf].min()
    assert least >= how["min_samples_leaf"] or weighed.n_nodes_ == 1
    if how["ties"] == "first":
        assert weighed.to_text() == copied.to_text()
        assert weighed.tree_.n_node_samples.tolist() == copied.tree_.n_node_samples.tolist()


@pytest.mark.parametrize("seed", thinned(range(100), 10))
@pytest.mark.parametrize("fraction", [0.0, 0.5])
def test_no_greedy_tree_is_better_where_rows_have_weights(seed, fraction):
    """Whole weights are copies for the limits of both, fractions are not."""
    X, y, weights, how = drawn_search(seed)
    if how.get("criterion") not in ("error", "gini", "info_gain", "laplace", "mdl", None):
        how["criterion"] = "error"
    how.pop("lookahead", None)
    weights = weights + fraction
    model = fasttree.optimal_tree(X, y, sample_weight=weights, **how)
    assert model.proven_
    for row in model.compare_with_greedy(X, y, weights, names=["gini", "info_gain", "chi2"]):
        assert row["excess"] >= 0.0
        if how.get("criterion") == "error" and how.get("leaf_penalty", 0.0) == 0.0:
            assert row["more"] >= 0.0


@pytest.mark.parametrize("factor", [1e-300, 1e-30, 1e-9, 1e9, 1e30, 1e149])
@pytest.mark.parametrize("ties", ["first", "any"])
def test_the_unit_of_costs_does_not_matter(factor, ties):
    X, y, _ = like_a_bank()
    how = {"max_depth": 2, "ties": ties, "n_jobs": 2}
    plain = fasttree.optimal_tree(X, y, cost_matrix=COSTS, **how)
    scaled = fasttree.optimal_tree(X, y, cost_matrix=factor * np.array(COSTS), **how)
    assert scaled.proven_ and scaled.upper_bound_ == pytest.approx(factor * plain.upper_bound_)
    if ties == "first":
        assert scaled.to_text() == plain.to_text()


@pytest.mark.parametrize("factor", [1e-50, 1e-9, 1 / 3, 1e9, 1e50])
@pytest.mark.parametrize("name", [name for name in OBJECTIVES if name not in ("laplace", "mdl")])
def test_the_unit_of_weights_does_not_matter(name, factor):
    X, y, _ = like_a_bank()
    how = {"max_depth": 2, **OBJECTIVES[name]}
    plain = fasttree.optimal_tree(X, y, **how)
    scaled = fasttree.optimal_tree(X, y, sample_weight=np.full(len(y), factor), **how)
    assert scaled.proven_ and scaled.upper_bound_ == pytest.approx(plain.upper_bound_)


@pytest.mark.parametrize("cost", [-1.0, np.nan, np.inf, 1e151, 1e308, 1.7e308])
def test_a_cost_beyond_the_range_names_its_entry(cost):
    X, y, _ = like_a_bank()
    costs = np.array([[0.0, 1.0], [cost, 0.0]])
    for call in (fasttree.optimal_tree, fasttree.fit):
        with pytest.raises(ValueError, match=r"cost_matrix\[1, 0\] = \S+ must be a number from 0"):
            call(X, y, max_depth=2, cost_matrix=costs)


@pytest.mark.parametrize("beta", [0.0, 1e-200, 1e-9, 1e9, 1e200, 1e308])
def test_f_of_any_beta_is_a_number(beta):
    X, y, _ = like_a_bank()
    model = fasttree.optimal_tree(
        X, y, max_depth=2, criterion=fasttree.criteria.FMeasure(beta=beta)
    )
    assert model.proven_ and model.upper_bound_ == pytest.approx(0.0, abs=1e-6)


def test_huge_limits_and_penalties_leave_one_leaf():
    X, y, _ = like_a_bank()
    for criterion in ("error", "gini"):
        how = {"max_depth": 2, "criterion": criterion}
        for extreme in ({"min_samples_leaf": 2**62}, {"leaf_penalty": 1e9}):
            for weight in (1e-50, 1.0, 1e50):
                weights = np.full(len(y), weight)
                model = fasttree.optimal_tree(X, y, sample_weight=weights, **how, **extreme)
                assert (model.n_nodes_, model.proven_, model.gap_) == (1, True, 0.0)
