"""Splits of levels in two: whole trees against the oracle, the search against brute force, joins,
limits, reading."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import fasttree
from fasttree import FastTreeClassifier, Table
from fasttree.exports.reading import Reading
from fasttree.pruning import CostComplexity
from fasttree.table.table import Column

from .test_growth import NAMES, check, evaluator

HOW = ("subset", "one_vs_rest")
TIED = ("auc",)
"""Criteria for which divisions that do not cut the order of the shares may tie with the best
cut."""


def nominal(codes, y, levels=None, classes=None):
    """A Table of nominal columns from codes (-1: missing)."""
    codes = np.atleast_2d(np.asarray(codes))
    columns = [
        Column(
            f"f{j}",
            "nominal",
            c.astype(np.int32),
            tuple(f"v{v}" for v in range(levels or c.max() + 1)),
        )
        for j, c in enumerate(codes)
    ]
    y = np.asarray(y, dtype=np.int32)
    target = Column("class", "nominal", y, tuple(f"k{c}" for c in range(classes or y.max() + 1)))
    return Table.from_columns(columns, target)


@pytest.mark.parametrize("splits", HOW)
@pytest.mark.parametrize("name", [n for n in NAMES if n not in TIED])
def test_trees_are_the_oracles(name, splits):
    how = {"nominal_splits": splits, "min_score": -np.inf}
    sizes = [
        check(seed, name, kinds, n=50, n_classes=2 + seed % 3, missing=missing, how=how)
        for seed, (kinds, missing) in enumerate(
            [("ccc", 0.0), ("ncc", 0.0), ("cnc", 0.2), ("cc", 0.0)]
        )
    ]
    assert max(sizes) > 10


LIMITS = {
    "leaf size": {"min_samples_leaf": 4},
    "leaf share": {"min_weight_fraction_leaf": 0.06},
    "best first": {"max_leaf_nodes": 6},
    "depth, no decay": {"max_depth": 3, "no_distance_decay": True},
    "score": {"min_score": 0.02, "empty_branch": "unclassified"},
}


@pytest.mark.parametrize("splits", HOW)
@pytest.mark.parametrize(
    "weights", [None, [0.0, 1.0, 2.0], [0.25, 0.5, 1.75]], ids=["unit", "whole", "real"]
)
@pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)
def test_limits_and_weights(limit, weights, splits):
    for seed, name in ((3, "gini"), (4, "gain_ratio")):
        how = {**limit, "nominal_splits": splits}
        check(
            seed, name, "cncc", n=60, n_classes=2 + seed % 2, missing=0.1, weights=weights, how=how
        )


def best_by_hand(codes, y, name, classes):
    """Score of the best division of the levels of one feature, every one tried."""
    table = np.zeros((codes.max() + 1, classes))
    np.add.at(table, (codes, y), 1)
    rows = table[table.sum(axis=1) > 0]
    tables = []
    for mask in range(2 ** (len(rows) - 1) - 1):
        first = np.array([True] + [bool(mask >> i & 1) for i in range(len(rows) - 1)])
        tables.append([rows[first].sum(axis=0).tolist(), rows[~first].sum(axis=0).tolist()])
    occurring = (table.sum(axis=0) > 0).tolist()
    return max(score for score, _ in evaluator(name, classes, occurring)(tables))


@pytest.mark.parametrize("name", NAMES)
def test_the_root_is_the_best_of_all_divisions(name):
    rng = np.random.default_rng(5)
    for case in range(12):
        classes, levels = 2 + case % 2, 3 + case % 6
        codes = rng.integers(0, levels, 40)
        y = (codes * 7 % 5 + rng.integers(0, 2, 40)) % classes
        if len(set(y)) < 2 or len(set(codes)) < 2:
            continue
        table = nominal(codes, y, levels, classes)
        how = {"nominal_splits": "subset", "max_depth": 1, "min_score": -np.inf}
        model = fasttree.fit(table, criterion=name, **how)
        assert model.tree_.score[0] == pytest.approx(
            best_by_hand(codes, y, name, classes), rel=1e-12, abs=1e-15
        )


@pytest.mark.parametrize("name", ["gini", "info_gain", "gain_ratio", "hellinger"])
def test_two_classes_and_many_levels_are_cut_where_the_shares_say(name):
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 40, 600)
    y = (rng.random(600) < rng.random(40)[codes]).astype(int)
    model = fasttree.fit(
        nominal(codes, y, 45), criterion=name, nominal_splits="subset", max_depth=1
    )
    tree = model.tree_
    table = np.zeros((40, 2))
    np.add.at(table, (codes, y), 1)
    order = np.argsort(table[:, 1] / table.sum(axis=1), kind="stable")
    tables = [
        [table[order[:i]].sum(0).tolist(), table[order[i:]].sum(0).tolist()] for i in range(1, 40)
    ]
    assert tree.score[0] == max(s for s, _ in evaluator(name, 2, [True, True])(tables))
    first = np.isin(np.arange(45), tree.levels_of(0))
    heavier = int(tree.n_node_samples[2] > tree.n_node_samples[1])
    assert set(first[40:]) == {heavier == 0}, "levels that do not occur join the heavier branch"
    assert tree.n_node_samples[1] == np.isin(codes, np.flatnonzero(first)).sum()


def test_many_levels_and_classes_are_joined_to_a_good_division():
    rng = np.random.default_rng(8)
    group = rng.integers(0, 4, 400)  # the class depends on the level's hidden group
    codes = rng.integers(0, 400, 8000)
    y = np.where(rng.random(8000) < 0.9, group[codes], rng.integers(0, 4, 8000))
    table = nominal(codes, y, 400, 4)
    model = fasttree.fit(table, nominal_splits="subset", max_depth=2)
    assert model.score(table) > 0.85
    found = model.apply(table)
    assert all(len(set(group[codes[found == leaf]])) <= 2 for leaf in np.unique(found))
    again = fasttree.fit(table, nominal_splits="subset", max_depth=2, n_jobs=2)
    assert again.to_bytes() == model.to_bytes()


def test_thirteen_levels_are_joined_once_and_the_rest_is_exact():
    rng = np.random.default_rng(9)
    codes = np.repeat(np.arange(13), 30)
    y = (codes % 3 + (rng.random(390) < 0.3)) % 3
    model = fasttree.fit(nominal(codes, y), criterion="gini", nominal_splits="subset", max_depth=1)
    assert (
        0.97 * best_by_hand(codes, y, "gini", 3)
        <= model.tree_.score[0]
        <= best_by_hand(codes, y, "gini", 3) + 1e-12
    )


@pytest.mark.parametrize("evaluation", ["global", "glocal"])
@pytest.mark.parametrize("labels", ["majority", "distinct"])
def test_global_growth_takes_divisions(evaluation, labels):
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 5, (3, 90))
    y = (np.isin(codes[0], (1, 3)) ^ np.isin(codes[1], (0, 4))).astype(int) + (codes[2] == 2)
    table = nominal(codes, y, 5)
    model = fasttree.fit(
        table, criterion="jaccard", evaluation=evaluation, labels=labels, nominal_splits="subset"
    )
    assert set(model.tree_.n_children) == {0, 2}
    if labels == "majority":
        assert model.score(table) == 1.0
    distances = [s.global_distance for s in model.trace_]
    reached = np.bincount(model.apply(table), minlength=model.n_nodes_)
    leaves = model.tree_.n_children == 0
    assert np.array_equal(reached[leaves], model.tree_.n_node_samples[leaves])
    assert min(distances) == pytest.approx(distances[-1]) or evaluation == "glocal"


FRAME = pd.DataFrame(
    {
        "colour": pd.Categorical(
            ["red", "blue", "green", "red", None, "blue", "green", "grey"] * 4,
            ["blue", "green", "grey", "red", "white"],
        ),
        "size": [1.0, 2.0, 3.0, 4.0, 5.0, None, 7.0, 8.0] * 4,
    }
)
Y = np.array(["a", "b", "b", "a", "c", "b", "b", "a"] * 4)


@pytest.mark.parametrize("splits", HOW)
def test_trees_are_read_kept_and_explained(splits, tmp_path):
    model = fasttree.fit(FRAME, Y, nominal_splits=splits, trace="candidates", missing="branch")
    model.save(tmp_path / "tree.json")
    other = fasttree.load_model(tmp_path / "tree.json")
    assert other.to_bytes() == model.to_bytes()
    assert other.fit(FRAME, Y).to_bytes() == model.to_bytes()
    assert model.score(FRAME, Y) == 1.0
    text = model.to_text()
    assert " in {" in text or " != " in text
    assert model.to_dot().count("->") == model.n_nodes_ - 1
    for step in model.trace_:
        own = [c for c in step.candidates if c[:2] == (step.feature, step.levels or step.threshold)]
        assert len(own) == 1 and own[0][2] == step.score == max(c[2] for c in step.candidates)
        explained = model.explain(step.node, FRAME, Y)
        assert [e["score"] for e in explained] == sorted(
            (c[2] for c in step.candidates), reverse=True
        )
        assert sum(e["chosen"] for e in explained) == 1
        per_feature = [e["feature"] for e in explained if e["levels"] is not None]
        assert len(per_feature) == len(set(per_feature)), (
            "of the divisions of a feature the best one"
        )
    for part in (model.cut(1), model.prune("cost_complexity")):
        assert fasttree.from_bytes(part.to_bytes()).to_bytes() == part.to_bytes()


def test_levels_without_rows_go_with_the_heavier_branch_unseen_ones_with_the_missing():
    model = fasttree.fit(FRAME, Y, nominal_splits="subset", max_depth=1, missing="branch")
    tree = model.tree_
    assert tree.n_children[0] == 3, "missing values have a branch of their own"
    levels = FRAME["colour"].cat.categories
    code = list(levels).index("white")
    heavier = 2 if tree.n_node_samples[2] > tree.n_node_samples[1] else 1
    assert (code in tree.levels_of(0)) == (heavier == 1)
    white = pd.DataFrame({"colour": pd.Categorical(["white"], levels), "size": [1.0]})
    assert model.apply(white)[0] == heavier
    with pytest.warns(UserWarning, match="colour"):
        assert model.apply(pd.DataFrame({"colour": ["pink"], "size": [1.0]}))[0] == 3


@pytest.mark.parametrize("splits", HOW)
def test_bins_are_cut_in_their_order(splits):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = (np.abs(X[:, 0]) < 0.7).astype(int)
    binned = fasttree.fit(
        X, y, discretize="equal_width", n_bins=8, nominal_splits=splits, trace="candidates"
    )
    tree = binned.tree_
    assert set(tree.n_children) <= {0, 2} and tree.n_levels.sum() == 0
    cuts = [feature.cuts for feature in Reading(binned).features]
    for node in np.flatnonzero(tree.n_children):
        assert tree.threshold[node] in cuts[tree.feature[node]]
    assert binned.score(X, y) > 0.9
    for step in binned.trace_:
        assert [c for c in step.candidates if c[:2] == (step.feature, step.threshold)][0][
            2
        ] == step.score
    assert fasttree.from_bytes(binned.to_bytes()).to_bytes() == binned.to_bytes()


def test_a_level_can_be_asked_for_again_below():
    codes = np.tile(np.arange(4), 20)
    table = nominal(codes, codes, 4)
    model = fasttree.fit(table, nominal_splits="subset")
    assert model.score(table) == 1.0 and model.get_n_leaves() == 4
    assert set(model.tree_.feature[model.tree_.n_children > 0]) == {0}


def test_pair_criteria_and_unknown_words_are_refused():
    with pytest.raises(
        ValueError, match="nominal_splits='binary'.*'multiway', 'subset', 'one_vs_rest'"
    ):
        fasttree.fit(FRAME, Y, nominal_splits="binary")


@pytest.mark.parametrize("splits", HOW)
def test_cross_validation_and_clones_know_the_word(splits):
    estimator = FastTreeClassifier(nominal_splits=splits, missing="mode")
    assert clone(estimator).get_params()["nominal_splits"] == splits
    result = fasttree.model_selection.cross_validate(
        Table(FRAME, Y), criterion=["gini"], cv="5x2", nominal_splits=splits, random_state=0
    )
    assert len(result.to_frame()) >= 1


@pytest.mark.parametrize(
    "method", ["pessimistic", "error_based", "cost_complexity", "m_estimate", "mdl"]
)
def test_pruning_loses_no_row_and_is_done_once(method):
    rng = np.random.default_rng(6)
    codes = rng.integers(0, 6, (3, 160))
    y = (np.isin(codes[0], (1, 4)) ^ (rng.random(160) < 0.25)).astype(int)
    table = nominal(codes, y, 6)
    grown = fasttree.fit(table, nominal_splits="subset")
    how = CostComplexity(0.01) if method == "cost_complexity" else method
    pruned = grown.prune(how, table) if method == "error_based" else grown.prune(how)
    assert pruned.get_n_leaves() < grown.get_n_leaves()
    passed = pruned.decision_path(table).toarray()
    reached = np.stack([passed[y == c].sum(axis=0) for c in range(2)], axis=1)
    assert np.array_equal(reached, pruned.tree_.value)
    again = pruned.prune(how, table) if method == "error_based" else pruned.prune(how)
    assert again.to_text() == pruned.to_text()
    assert fasttree.from_bytes(pruned.to_bytes()).to_bytes() == pruned.to_bytes()


def many_levels(n=900, seed=0):
    """A column of 40 levels, one of 20, both with an effect, some cells missing."""
    rng = np.random.default_rng(seed)
    many, few = rng.integers(0, 40, n), rng.integers(0, 20, n)
    y = (rng.random(40)[many] + rng.random(20)[few] + 0.3 * rng.normal(size=n) > 1).astype(int)
    X = [[f"m{a:02d}" if rng.random() > 0.03 else None, f"f{b:02d}"] for a, b in zip(many, few)]
    return fasttree.Table(X, y.tolist(), feature_names=["many", "few"])


@pytest.mark.parametrize("missing", ["fractional", "branch"])
@pytest.mark.parametrize("criterion", ["info_gain", "gain_ratio", "gini"])
@pytest.mark.parametrize("evaluation", ["local", "global"])
def test_auto_is_multiway_up_to_32_levels_and_subsets_beyond(missing, criterion, evaluation):
    if evaluation == "global" and missing == "fractional":
        missing = "mode"
    table = many_levels()
    options = {"criterion": criterion, "missing": missing, "evaluation": evaluation, "max_depth": 3}
    model = fasttree.fit(table, **options)
    tree = model.tree_
    inner = np.flatnonzero(tree.n_children > 0)
    assert set(tree.feature[inner].tolist()) == {0, 1}
    for node in inner.tolist():
        if tree.feature[node] == 0:
            assert tree.n_levels[node] > 0 and tree.n_children[node] <= 3
        else:
            assert tree.n_levels[node] == 0 and tree.n_children[node] == 20
    # A column alone is split as by the fixed setting that auto means for it; below the root of
    # "many" a division may not save what it takes to name.
    for name, how in (("many", "subset"), ("few", "multiway")):
        other = {"many": "few", "few": "many"}[name]
        alone = table.drop(other)
        depth = {"max_depth": 1 if name == "many" else 3}
        fixed = fasttree.fit(alone, nominal_splits=how, **{**options, **depth})
        assert fasttree.fit(alone, **{**options, **depth}).to_text() == fixed.to_text()
    again = fasttree.from_bytes(model.to_bytes())
    assert again.predict(table).tolist() == model.predict(table).tolist()
    assert fasttree.fit(table, n_jobs=1, **options).to_bytes() == model.to_bytes()


@pytest.mark.parametrize("criterion", ["info_gain", "gini", "hellinger"])
def test_auto_takes_the_better_of_both_kinds_in_each_node(criterion):
    """The root against the two columns alone, and explain against the tree."""
    for seed in range(8):
        table = many_levels(300, seed)
        options = {"criterion": criterion, "missing": "branch", "max_depth": 1}
        best = {
            name: fasttree.fit(table.drop(other), nominal_splits=how, **options).tree_.score[0]
            for name, other, how in (("many", "few", "subset"), ("few", "many", "multiway"))
        }
        model = fasttree.fit(table, **options)
        name = table.feature_names[model.tree_.feature[0]]
        assert model.tree_.score[0] == max(best.values()) == best[name]
        listed = {c["feature"]: c for c in model.explain(0, table)}
        assert {k: c["score"] for k, c in listed.items()} == best
        assert listed[name]["chosen"] and listed["many"]["levels"] and not listed["few"]["levels"]


def test_auto_is_multiway_where_subsets_are_not_served():
    table = many_levels(200)
    for options in ({"criterion": "pi"}, {"criterion": "relieff"}, {**fasttree.presets.C45}):
        auto = fasttree.fit(table, **{**options, "nominal_splits": "auto"}, max_depth=2)
        fixed = fasttree.fit(table, **{**options, "nominal_splits": "multiway"}, max_depth=2)
        assert auto.to_text() == fixed.to_text()
    scores = fasttree.score_features(table, criterion="info_gain")
    multiway = fasttree.score_features(table, criterion="info_gain", nominal_splits="multiway")
    assert np.array_equal(scores, multiway)
    forest = fasttree.FastForestClassifier(3, random_state=0).fit(table)
    assert {int(t.tree_.n_children[0]) for t in forest.estimators_} <= {2, 3, 20}


@pytest.mark.parametrize("missing", ["branch", "fractional"])
def test_auto_cuts_numbers_of_more_than_32_bins_in_two(missing):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 2))
    y = (x[:, 0] + 0.5 * rng.normal(size=400) > 0.3).astype(int)
    x[rng.random((400, 2)) < 0.05] = np.nan
    for bins, how in ((32, "multiway"), (33, "subset")):
        options = {"discretize": "equal_width", "n_bins": bins, "missing": missing, "max_depth": 2}
        auto = fasttree.fit(x, y, **options)
        fixed = fasttree.fit(x, y, nominal_splits=how, **options)
        assert auto.to_text() == fixed.to_text()
        assert auto.explain(0, x, y) == fixed.explain(0, x, y)
