"""Optimal trees on numbers: published optima, every loss beside grown trees, limits, threads."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.special import gammaln
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import f1_score, fbeta_score, matthews_corrcoef

import fasttree

OPTIMA = {
    "bank": (82, 19),
    "bidding": (95, 37),
    "occupancy": (86, 47),
    "raisin": (91, 76),
    "room": (441, 62),
    "segment": (786, 208),
    "wilt": (37, 18),
}
"""Errors of the best trees of depth 2 and 3 (Brita, van der Linden & Demirovic 2025)."""

LOSSES = ("error", "gini", "info_gain", "g_statistic", "laplace", "dkm", "mdl")


@pytest.fixture(scope="session")
def contree(uci: Path) -> Path:
    """The folder of the sets with published optima; the test is skipped without it."""
    folder = uci.parent / "contree"
    if not folder.is_dir():
        pytest.skip(f"no sets with published optima in {folder}")
    return folder


def read(folder: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    with gzip.open(folder / f"{name}.txt.gz", "rt") as file:
        rows = np.loadtxt(file)
    return rows[:, 1:], rows[:, 0].astype(int)


@pytest.mark.parametrize("name", sorted(OPTIMA))
def test_published_optima_are_found_and_proven(contree, name):
    X, y = read(contree, name)
    for depth, errors in zip((2, 3), OPTIMA[name], strict=True):
        model = fasttree.optimal_tree(X, y, max_depth=depth, ties="any")
        assert (model.training_errors_, model.proven_, model.gap_) == (errors, True, 0.0)
        assert (model.predict(X) != y).sum() == errors
        assert model.get_depth() <= depth


def loss(criterion: str, counts: np.ndarray) -> float:
    """The loss of a leaf with these class counts, from the definitions."""
    n, k, most = counts.sum(), len(counts), counts.max()
    shares = counts[counts > 0] / n
    bits = -n * np.sum(shares * np.log2(shares))
    if criterion == "mdl":
        arranged = gammaln(n + k) - gammaln(k) - gammaln(counts + 1).sum()
        return float(arranged / np.log(2))
    majority = max(most / n, 0.5)
    return float(
        {
            "error": n - most,
            "gini": n - np.sum(counts**2) / n,
            "info_gain": bits,
            "g_statistic": 2 * np.log(2) * bits,
            "laplace": n * (1 - (most + 1) / (n + k)),
            "dkm": n * 2 * np.sqrt(majority * (1 - majority)),
        }[criterion]
    )


def objective(model: fasttree.FastTreeClassifier, criterion: str, X, y) -> float:
    """The mean loss of a tree's leaves."""
    leaves = model.apply(X)
    losses = [
        loss(criterion, np.bincount(y[leaves == leaf], minlength=y.max() + 1))
        for leaf in set(leaves)
    ]
    return sum(losses) / len(y)


@pytest.mark.parametrize("criterion", LOSSES)
def test_no_grown_tree_is_better_under_its_own_criterion(criterion):
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :6]
    for depth in (1, 2):
        best = fasttree.optimal_tree(X, y, criterion=criterion, max_depth=depth)
        assert best.proven_
        assert best.upper_bound_ == pytest.approx(objective(best, criterion, X, y))
        for grown_by in {criterion, "gini"}:
            grown = fasttree.fit(X, y, criterion=grown_by, max_depth=depth)
            assert best.upper_bound_ <= objective(grown, criterion, X, y) + 1e-9


def test_fractional_weights_are_those_of_copies():
    X, y = load_iris(return_X_y=True)
    copies = np.random.default_rng(0).integers(1, 5, len(y))
    for criterion in ("error", "gini"):
        how = {"criterion": criterion, "max_depth": 2}
        whole = fasttree.optimal_tree(X, y, sample_weight=copies, **how)
        parts = fasttree.optimal_tree(X, y, sample_weight=copies / 8 + 0.0, **how)
        repeated = fasttree.optimal_tree(np.repeat(X, copies, axis=0), np.repeat(y, copies), **how)
        assert whole.to_text() == repeated.to_text()
        assert parts.upper_bound_ == pytest.approx(whole.upper_bound_)
        assert whole.upper_bound_ == pytest.approx(repeated.upper_bound_)


def test_costs_decide_tree_and_labels():
    X, y = load_breast_cancer(return_X_y=True)
    costs = [[0.0, 10.0], [1.0, 0.0]]
    model = fasttree.optimal_tree(X, y, max_depth=2, cost_matrix=costs)
    paid = np.asarray(costs)[y, model.predict(X)].sum()
    assert model.upper_bound_ == pytest.approx(paid / len(y))
    plain = fasttree.optimal_tree(X, y, max_depth=2)
    assert paid <= np.asarray(costs)[y, plain.predict(X)].sum()
    with pytest.raises(ValueError, match="take the place"):
        fasttree.optimal_tree(X, y, max_depth=2, cost_matrix=costs, criterion="gini")


def test_missing_values_go_where_they_cost_least():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [np.nan], [np.nan]])
    for y, branch in (([0, 0, 1, 1, 1, 1], 1), ([0, 0, 1, 1, 0, 0], 0)):
        model = fasttree.optimal_tree(X, y, max_depth=1)
        assert (model.training_errors_, model.get_n_leaves()) == (0.0, 2)
        assert model.predict([[np.nan]]).tolist() == [y[-1]]
        assert model.tree_.missing_branch[0] == branch


@pytest.mark.parametrize("splits", ["ordered", "one_vs_rest", "subset"])
def test_levels_are_divided_as_asked(splits):
    import pandas as pd

    level = pd.Categorical(list("abcd") * 5, categories=list("abcd"))
    y = np.isin(level, ["a", "c"]).astype(int)
    model = fasttree.optimal_tree(
        pd.DataFrame({"level": level}), y, max_depth=2, nominal_splits=splits
    )
    leaves = {"ordered": 4, "one_vs_rest": 3, "subset": 2}[splits]
    assert (model.training_errors_, model.get_n_leaves()) == (0.0, leaves)


def test_limits_hold_together():
    X, y = (rows[::3] for rows in load_breast_cancer(return_X_y=True))
    X = X[:, :5]
    model = fasttree.optimal_tree(X, y, max_depth=3, max_leaf_nodes=5, min_samples_leaf=20)
    assert model.proven_
    assert model.get_n_leaves() <= 5
    assert np.unique(model.apply(X), return_counts=True)[1].min() >= 20
    free = fasttree.optimal_tree(X, y, max_depth=3)
    assert free.training_errors_ <= model.training_errors_


def test_threads_and_ties_change_no_loss():
    X, y = load_iris(return_X_y=True)
    first = fasttree.optimal_tree(X, y, max_depth=3)
    assert fasttree.optimal_tree(X, y, max_depth=3, n_jobs=2).to_text() == first.to_text()
    loose = fasttree.optimal_tree(X, y, max_depth=3, ties="any")
    assert loose.upper_bound_ == first.upper_bound_
    assert loose.get_n_leaves() >= first.get_n_leaves()


def test_a_time_limit_leaves_a_proven_gap():
    rng = np.random.default_rng(0)
    X, y = rng.random((2000, 12)), rng.integers(0, 3, 2000)
    started = time.perf_counter()
    model = fasttree.optimal_tree(X, y, max_depth=4, time_limit=0.5)
    assert time.perf_counter() - started < 10.0
    assert not model.proven_
    assert 0.0 < model.gap_ <= 1.0
    assert model.gap_ == pytest.approx(1 - model.lower_bound_ / model.upper_bound_)
    assert model.upper_bound_ == pytest.approx(np.mean(model.predict(X) != y))


@pytest.mark.parametrize("depth", [3, 4, 5])
@pytest.mark.parametrize("ties", ["any", "first"])
@pytest.mark.parametrize("seed", [0, 2])
def test_a_deeper_search_that_ends_early_is_no_worse_than_two_levels(seed, ties, depth):
    # An exclusive or with noise, which greedy growth does not see.
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, 8))
    y = (X[:, 0] > 0.1) ^ (X[:, 1] > -0.2) ^ (rng.random(600) < 0.1)
    two = fasttree.optimal_tree(X, y, max_depth=2, ties=ties)
    assert two.proven_
    for budget in (1, 2 * two.n_search_nodes_, 4 * two.n_search_nodes_):
        # A budget of nodes ends a search with a time limit at the same place everywhere.
        model = fasttree.optimal_tree(
            X, y, max_depth=depth, ties=ties, time_limit=1e6, node_budget=budget
        )
        assert not model.proven_
        assert model.training_errors_ == int((model.predict(X) != y).sum())
        assert model.upper_bound_ == pytest.approx(model.training_errors_ / 600)
        if budget > two.n_search_nodes_:
            assert model.training_errors_ <= two.training_errors_


def test_rows_that_stand_several_times_are_errors_as_often():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 2))
    y = np.digitize(X[:, 0] * X[:, 1] + rng.normal(size=1500), [-0.3, 0.4])
    once = fasttree.optimal_tree(X, y, max_depth=2)
    often = fasttree.optimal_tree(np.tile(X, (12, 1)), np.tile(y, 12), max_depth=2)
    assert often.training_errors_ == 12 * once.training_errors_
    assert np.array_equal(often.tree_.threshold, once.tree_.threshold, equal_nan=True)


def test_lookahead_is_optimal_above_and_greedy_below():
    X, y = load_breast_cancer(return_X_y=True)
    ahead = fasttree.optimal_tree(X, y, max_depth=4, lookahead=2)
    above = fasttree.optimal_tree(X, y, max_depth=2)
    assert ahead.training_errors_ <= above.training_errors_
    assert ahead.get_depth() <= 4
    assert fasttree.optimal_tree(X, y, max_depth=2, lookahead=2).proven_
    with pytest.raises(ValueError, match="lookahead with max_leaf_nodes"):
        fasttree.optimal_tree(X, y, max_depth=4, lookahead=2, max_leaf_nodes=5)


def test_what_has_no_loss_is_refused_with_what_has():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"gain_ratio.*no sum over the leaves.*gini.*mdl"):
        fasttree.optimal_tree(X, y, max_depth=1, criterion="gain_ratio")
    for wrong in (
        {"ties": "last"},
        {"nominal_splits": "multiway"},
        {"min_samples_leaf": 0},
        {"max_leaf_nodes": 0},
        {"lookahead": 0},
        {"memory_limit": 0},
        {"cost_matrix": [[0, 1], [1, 0]]},
    ):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            fasttree.optimal_tree(X, y, max_depth=2, **wrong)
    with pytest.raises(MemoryError, match="optimal tree"):
        fasttree.optimal_tree(X, y, max_depth=2, memory_limit=1000)


def test_a_criterion_is_kept_with_the_model(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = fasttree.OptimalTreeClassifier(
        criterion=fasttree.criteria.Gini(), max_depth=2, cost_matrix=None
    ).fit(X, y)
    model.save(tmp_path / "tree.json")
    again = fasttree.load_model(tmp_path / "tree.json")
    assert again.to_text() == model.to_text()
    assert again.gap_ == model.gap_ == 0.0


def test_greedy_trees_are_compared_within_the_same_limits():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :6]
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    model = fasttree.optimal_tree(X, y, max_depth=2, min_samples_leaf=5, sample_weight=weights)
    found = model.compare_with_greedy(X, y, weights)
    assert {"gini", "hellinger", "f_measure"} < {row["criterion"] for row in found}
    assert [row["errors"] for row in found] == sorted(row["errors"] for row in found)
    for row in found:
        tree = fasttree.fit(
            X,
            y,
            criterion=row["criterion"],
            sample_weight=weights,
            max_depth=2,
            min_samples_leaf=5,
            min_score=-np.inf,
        )
        assert row["errors"] == weights[tree.predict(X) != y].sum()
        assert row["more"] == row["errors"] - model.training_errors_ >= 0
        assert row["leaves"] == tree.get_n_leaves() <= 4


@pytest.mark.parametrize("criterion", LOSSES)
def test_the_excess_of_greedy_trees_is_that_of_the_objective(criterion):
    X, y = load_iris(return_X_y=True)
    model = fasttree.optimal_tree(X, y, criterion=criterion, max_depth=2, leaf_penalty=0.001)
    found = model.compare_with_greedy(X, y, names=["gini", "hellinger", "auc", "accuracy"])
    assert (found.objective, found.optimum) == (criterion, model.upper_bound_)
    assert [row["excess"] for row in found] == sorted(row["excess"] for row in found)
    for row in found:
        tree = fasttree.fit(X, y, criterion=row["criterion"], max_depth=2, min_score=-np.inf)
        expected = objective(tree, criterion, X, y) + 0.001 * tree.get_n_leaves()
        assert row["loss"] == pytest.approx(expected, abs=1e-9)
        assert row["excess"] == pytest.approx(expected - model.upper_bound_, abs=1e-9)
        assert row["excess"] >= 0


def test_greedy_trees_pay_costs_and_weights():
    X, y = load_iris(return_X_y=True)
    weights = np.random.default_rng(1).random(len(y)) + 0.5
    costs = np.array([[0, 1, 5], [2, 0, 1], [1, 8, 0]])
    model = fasttree.optimal_tree(X, y, cost_matrix=costs, max_depth=2, sample_weight=weights)
    for row in model.compare_with_greedy(X, y, weights, names=["gini", "mdl"]):
        tree = fasttree.fit(
            X, y, criterion=row["criterion"], max_depth=2, cost_matrix=costs, sample_weight=weights
        )
        paid = weights @ costs[y, tree.predict(X)] / weights.sum()
        assert row["loss"] == pytest.approx(paid, abs=1e-9)
        assert row["excess"] >= 0


@pytest.mark.parametrize("splits", ["ordered", "one_vs_rest", "subset"])
@pytest.mark.parametrize("seed", range(4))
def test_no_greedy_tree_is_better_than_the_optimum_of_the_same_tests(splits, seed):
    """Levels and missing values: a grown tree must be one that the search could have found."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (120, 3)).astype(float)
    y = ((X[:, 0] % 2 + X[:, 1] + rng.integers(0, 3, 120)) % 3).astype(int)
    X[rng.random(X.shape) < 0.2] = np.nan
    table = fasttree.Table(X, y, categorical_features=[0, 1])
    model = fasttree.optimal_tree(table, max_depth=2, nominal_splits=splits)
    assert model.proven_
    assert min(row["excess"] for row in model.compare_with_greedy(table)) >= 0


@pytest.mark.parametrize(
    ("splits", "words"),
    [("ordered", "declared order"), ("one_vs_rest", "against the others"), ("subset", "any way")],
)
def test_two_way_tests_are_said_where_levels_could_have_more_branches(splits, words):
    model = fasttree.optimal_tree("monks-1", max_depth=2, nominal_splits=splits)
    found = model.compare_with_greedy("monks-1", names=["gini"])
    assert words in found.tests
    assert found.tests in str(found) and found.tests in found._repr_html_()
    assert str(model).splitlines()[0].endswith(f"depth 2; {found.tests}")
    plots = pytest.importorskip("matplotlib") and fasttree.plots
    assert found.tests in plots.greedy_losses(found).get_title()
    # Two levels, or numbers: growth has no other tests.
    X, y = [["a", 1.0], ["b", 2.0]] * 4, [0, 1] * 4
    table = fasttree.Table(X, y, categorical_features=[0])
    plain = fasttree.optimal_tree(table, max_depth=1, nominal_splits=splits)
    assert plain.compare_with_greedy(table, names=["gini"]).tests == ""
    assert str(plain).splitlines()[0].endswith("depth 1")


def test_limits_of_growth_are_those_of_the_search():
    X, y = load_iris(return_X_y=True)
    model = fasttree.optimal_tree(X, y, max_nodes=5)
    assert {row["leaves"] for row in model.compare_with_greedy(X, y)} == {3}
    with pytest.raises(ValueError, match="one leaf only"):
        fasttree.optimal_tree(X, y, max_depth=0).compare_with_greedy(X, y)


def test_the_picture_of_greedy_losses_shows_the_table():
    pytest.importorskip("matplotlib")
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :6]
    names = ["gini", "mdl", "hellinger"]
    for how, label in (
        ({"max_depth": 2}, "optimal"),
        ({"max_depth": 4, "node_budget": 50}, "grey"),
    ):
        model = fasttree.optimal_tree(X, y, **how)
        found = model.compare_with_greedy(X, y, names=names)
        ax = found.plot()
        bars = [bar.get_width() for bar in ax.patches[: len(names)]]
        assert bars == pytest.approx([100 * row["excess"] for row in found])
        named = [text.get_text() for text in ax.get_yticklabels()]
        assert named == [row["criterion"] for row in found]
        assert label in ax.get_xlabel()
        assert (len(ax.patches) > len(names)) == (not model.proven_)
        assert ax.get_xlim()[0] <= 100 * (model.lower_bound_ - model.upper_bound_)


def test_near_optimal_lists_what_each_feature_can_do_first():
    X, y = load_breast_cancer(return_X_y=True)
    X = np.round(X[:, [0, 1, 7]], 1)
    weights = np.random.default_rng(1).integers(1, 4, len(y)).astype(float)
    model = fasttree.optimal_tree(X, y, max_depth=2, sample_weight=weights)
    within = 0.005
    rows = model.near_optimal(X, y, weights, within=within)
    least = model.training_errors_

    def stump(part):
        """Errors of the best single test of some rows."""
        if len(set(y[part])) < 2:
            return 0.0
        return fasttree.optimal_tree(
            X[part], y[part], max_depth=1, sample_weight=weights[part]
        ).training_errors_

    assert sorted(row["feature"] for row in rows) == ["x0", "x1", "x2"]
    assert rows[0]["more"] == 0.0
    for row in rows:
        x = X[:, int(row["feature"][1:])]
        values = np.unique(x)
        middles = (values[1:] + values[:-1]) / 2
        errors = np.array([stump(x <= t) + stump(x > t) for t in middles])
        assert row["objective"] * weights.sum() == pytest.approx(errors.min())
        near = middles[errors <= least + within * weights.sum()]
        assert row["tests"] == len(near)
        if len(near):
            assert [test["threshold"] for test in row["found"]] == pytest.approx(near)
        assert all(test["missing"] is None and test["levels"] is None for test in row["found"])
    assert "tests within" in str(rows)
    assert "<table" in rows._repr_html_()


def test_near_optimal_names_levels_and_sides_of_missing_values():
    import pandas as pd

    level = pd.Categorical(list("abcd") * 5, categories=list("abcd"))
    number = np.r_[[np.nan] * 4, np.arange(16.0)]
    X = pd.DataFrame({"level": level, "number": number})
    y = np.isin(level, ["a", "c"]).astype(int)
    model = fasttree.optimal_tree(X, y, max_depth=1, nominal_splits="subset")
    first, second = model.near_optimal(X, y)
    assert (first["feature"], first["objective"], first["tests"]) == ("level", 0.0, 1)
    assert first["found"][0]["levels"] == ["a", "c"]
    assert (second["feature"], second["tests"]) == ("number", 0)
    assert second["found"][0]["missing"] in ("left", "right")
    assert second["more"] == second["objective"] > 0
    with pytest.raises(ValueError, match="within"):
        model.near_optimal(X, y, within=-1)
    ahead = fasttree.optimal_tree(X, y, max_depth=2, lookahead=1)
    with pytest.raises(ValueError, match="lookahead"):
        ahead.near_optimal(X, y)


def levels_and_gaps():
    import pandas as pd

    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "colour": pd.Categorical(rng.choice(["red", "green", "blue"], 120)),
            "size": rng.normal(size=120).round(1),
            "age": rng.integers(20, 60, 120).astype(float),
        }
    )
    y = (frame["colour"] == "red") ^ (frame["size"] + rng.normal(size=120) > 0)
    frame.loc[rng.random(120) < 0.1, "age"] = np.nan
    return frame, np.where(y, "yes", "no"), rng.integers(1, 4, 120) / 2


def like_a_bank():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 4)).round(1)
    score = X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=200)
    return X, (score > 0.5).astype(int), None


@pytest.mark.parametrize(
    ("rows", "how", "max_trees"),
    [
        (like_a_bank, {"max_depth": 2}, 20),
        (like_a_bank, {"max_depth": 3, "max_leaf_nodes": 5, "criterion": "gini"}, 5),
        (levels_and_gaps, {"max_depth": 2, "nominal_splits": "subset"}, 3),
        (levels_and_gaps, {"max_depth": 3, "leaf_penalty": 0.02, "min_samples_leaf": 4}, 9),
        (levels_and_gaps, {"max_depth": 2, "cost_matrix": [[0, 3], [1, 0]]}, 9),
    ],
)
def test_the_page_of_first_tests_shows_the_tree_of_each(rows, how, max_trees):
    X, y, weights = rows()
    model = fasttree.optimal_tree(X, y, sample_weight=weights, **how)
    roots = model.near_optimal(X, y, weights, within=0.02, max_trees=max_trees)
    page = roots.explore(X, y, candidate_nodes=0).document
    told, trees = page["roots"], page["trees"]
    assert told["of"] == sum(len(row["found"]) for row in roots)
    assert len(trees) == len(roots.trees) == min(max_trees, told["of"])
    assert told["objective"] == sorted(told["objective"])
    assert told["objective"][0] == pytest.approx(model.upper_bound_)
    least = [test["objective"] for test in roots[0]["found"]]
    assert told["more"][0] == 0 and min(least) == pytest.approx(told["objective"][0])
    kept = {
        test["tree"]: (row, test)
        for row in roots
        for test in row["found"]
        if test["tree"] is not None
    }
    assert sorted(kept) == list(range(len(trees)))
    # The best test of every feature has a tree, if there is room for it.
    best_kept = {
        row["feature"] for row, test in kept.values() if test["objective"] == row["objective"]
    }
    assert len(best_kept) == min(max_trees, len(roots))
    places = sorted(kept, key=lambda tree: kept[tree][1]["objective"])
    each = np.ones(len(y)) if weights is None else weights
    for shown, place in enumerate(places):
        (row, test), tree = kept[place], roots.trees[place]
        assert told["objective"][shown] == test["objective"]
        assert told["tests"][shown] == row["tests"]
        assert told["more"][shown] == pytest.approx(test["objective"] - model.upper_bound_)
        # The objective, from the tree itself.
        leaves = tree.tree_.value[tree.tree_.n_children == 0]
        if "criterion" in how:
            losses = (leaves.sum(1) - (leaves**2).sum(1) / leaves.sum(1)).sum()
        elif "cost_matrix" in how:
            losses = (leaves @ np.array(how["cost_matrix"])).min(axis=1).sum()
        else:
            losses = each[tree.predict(X) != y].sum()
        penalty = how.get("leaf_penalty", 0.0) * len(leaves)
        assert test["objective"] == pytest.approx(losses / each.sum() + penalty)
        assert tree.upper_bound_ == pytest.approx(test["objective"])
        assert tree.lower_bound_ == pytest.approx(model.upper_bound_)
        assert tree.proven_ == (told["more"][shown] < 1e-9)
        assert tree.get_depth() <= how["max_depth"]
        # What the page draws is that tree, and its name is the first test.
        own = trees[shown]
        assert own["parent"] == tree.tree_.parent.tolist()
        assert own["counts"][0][1::2] == pytest.approx(sorted(tree.tree_.value[0])[::-1])
        assert page["features"][own["feature"][0]]["name"] == row["feature"]
        assert own["name"].startswith(row["feature"])
        if test["threshold"] is not None:
            assert own["part"][1][:2] == [None, pytest.approx(test["threshold"])]
        else:
            codes = own["part"][1][0]
            levels = page["features"][own["feature"][0]]["levels"]
            assert [levels[code] for code in codes] == list(test["levels"])
        assert own["name"].endswith("or missing") == (test["missing"] == "left")
        goes = X[row["feature"]] if hasattr(X, "columns") else X[:, int(row["feature"][1:])]
        left = goes.isin(test["levels"]) if test["levels"] else goes <= test["threshold"]
        left = np.asarray(left) | (np.asarray(goes != goes) & (test["missing"] == "left"))
        assert own["weight"][1] == pytest.approx(each[left].sum())


def test_first_tests_without_trees_have_no_page():
    X, y, _ = like_a_bank()
    model = fasttree.optimal_tree(X, y, max_depth=2)
    without = model.near_optimal(X, y, max_trees=0)
    assert without.trees == [] and without[0]["found"][0]["tree"] is None
    with pytest.raises(ValueError, match="max_trees >= 1"):
        without.explore(X, y)
    with pytest.raises(ValueError, match="max_trees"):
        model.near_optimal(X, y, max_trees=-1)
    alone = model.near_optimal(X, y, max_trees=1).explore()
    assert len(alone.document["trees"]) == 1 and alone.document["rows"] is None
    assert model.explore(X, y).document["roots"] is None


@pytest.mark.parametrize(
    ("criterion", "score"),
    [
        ("f_measure", f1_score),
        (fasttree.criteria.FMeasure(beta=3.0), lambda y, p: fbeta_score(y, p, beta=3.0)),
        ("matthews", matthews_corrcoef),
    ],
    ids=["f1", "f3", "matthews"],
)
def test_no_other_tree_has_a_greater_f_or_matthews(criterion, score):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[::2, :5], 1 - y[::2]
    for depth in (1, 2, 3):
        best = fasttree.optimal_tree(X, y, criterion=criterion, max_depth=depth)
        assert best.proven_
        reached = score(y, best.predict(X))
        assert best.upper_bound_ == pytest.approx(1 - reached)
        assert best.get_depth() <= depth
        for how in ("error", "gini"):
            other = fasttree.optimal_tree(X, y, criterion=how, max_depth=depth)
            assert score(y, other.predict(X)) <= reached + 1e-12
        for cost in (0.2, 0.5, 2.0, 5.0):
            costs = [[0.0, 1.0], [cost, 0.0]]
            other = fasttree.optimal_tree(X, y, cost_matrix=costs, max_depth=depth)
            assert score(y, other.predict(X)) <= reached + 1e-12
    early = fasttree.optimal_tree(X, y, criterion=criterion, max_depth=3, node_budget=5)
    assert early.lower_bound_ <= best.upper_bound_ <= early.upper_bound_


def test_f_and_matthews_are_of_two_classes_and_kept_with_the_model(tmp_path):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="classes"):
        fasttree.optimal_tree(X, y, criterion="matthews", max_depth=2)
    y = y == 1
    for wrong in ({"leaf_penalty": 0.1}, {"lookahead": 1}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            fasttree.optimal_tree(X, y, criterion="f_measure", max_depth=2, **wrong)
    with pytest.raises(ValueError, match="classes"):
        fasttree.optimal_tree(X, y, criterion="f_measure", max_depth=2, sample_weight=1.0 * y)
    model = fasttree.optimal_tree(X, y, criterion="matthews", max_depth=2)
    model.save(tmp_path / "tree.json")
    again = fasttree.load_model(tmp_path / "tree.json")
    assert again.criterion == "matthews"
    assert again.upper_bound_ == model.upper_bound_
    assert len(model.trace_) == model.n_nodes_ // 2
    assert "matthews" in model.explore(X, y)._repr_html_()
    for compared in (model.near_optimal, model.compare_with_greedy):
        with pytest.raises(ValueError, match="no sum"):
            compared(X, y)
