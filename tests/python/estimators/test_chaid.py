"""CHAID: merged levels under `selection="significance"`, against a slow oracle, a printed tree, and
the laws that weights, missing values and orders of levels obey."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree import FastForestClassifier, FastTreeClassifier, FastTreeRegressor, datasets, presets
from fasttree.exports.reading import Reading

from ..tools import body_of, chaid_oracle, file_of, thinned
from .test_significance import same_p

ORDERS = ["nominal", "ordered", "ordered", "nominal"]
"""Kinds of the columns of `random_rows`; the second holds numbers."""


def grown(X, y, w=None, **params):
    """A tree by the preset, of the columns as they are."""
    model = FastTreeClassifier(**{**presets.CHAID, **params}, columns="as_given")
    return model.fit(X, y, sample_weight=w)


def random_rows(seed: int, n: int = 500, *, missing: bool, weighted: str):
    """Levels as text, numbers, an ordered Categorical, and levels without influence, in a frame;
    classes; weights."""
    rng = np.random.default_rng(seed)
    colour, size, other = rng.integers(0, 6, n), rng.integers(0, 7, n), rng.integers(0, 4, n)
    number = rng.normal(size=n).round(1)
    score = (colour % 3 == 1) + 0.4 * size * (seed % 2) + (number > 0.5) * (1 + seed % 3)
    y = np.digitize(score + rng.normal(size=n), [0.7, 2.0][: 1 + seed % 2])
    frame = pd.DataFrame(
        {
            "colour": [f"c{c}" for c in colour],
            "number": number,
            "size": pd.Categorical.from_codes(size, [f"s{s}" for s in range(7)], ordered=True),
            "other": [f"o{o}" for o in other],
        }
    )
    if missing:
        for j, name in enumerate(frame):
            if j < 3:
                frame.loc[rng.random(n) < 0.1, name] = None
    w = {"none": None, "whole": rng.integers(0, 4, n), "real": rng.random(n) + 0.2}[weighted]
    return frame, y, w


def codes_of(model, frame: pd.DataFrame) -> np.ndarray:
    """Codes of the levels and bins of a model, NaN where the value is missing."""
    columns = []
    for feature, name in zip(Reading(model).features, frame, strict=True):
        cells = frame[name]
        if feature.levels is None:
            codes = np.searchsorted(feature.cuts, cells.to_numpy(float)).astype(float)
        else:
            codes = np.array([math.nan if c != c or c is None else feature.levels.index(c)
                              for c in cells.tolist()])  # fmt: skip
        columns.append(np.where(cells.isna(), np.nan, codes))
    return np.column_stack(columns)


def groups_of(model, node: int, codes: np.ndarray) -> list[frozenset]:
    """The categories of some rows on each branch of a node."""
    tree, column = model.tree_, codes[:, model.tree_.feature[node]]
    branch_of = tree.groups_of(node)
    groups = [set() for _ in range(tree.n_children[node])]
    for code in set(column[~np.isnan(column)].astype(int).tolist()):
        groups[branch_of[code]].add(code)
    if np.isnan(column).any():
        groups[tree.missing_branch[node]].add(chaid_oracle.MISSING)
    return [frozenset(g) for g in groups]


def compare(model, expected, codes: np.ndarray) -> int:
    """Compare a tree with the oracle's, node by node; the number of splits."""
    tree, splits, pairs = model.tree_, 0, [(0, expected)]
    while pairs:
        node, one = pairs.pop()
        assert math.isclose(tree.weighted_n_node_samples[node], one.weight, rel_tol=1e-9)
        assert (one.feature < 0) == (tree.n_children[node] == 0)
        if not one.tests:
            assert math.isnan(tree.p_value[node])
            continue
        best = min(one.tests, key=lambda j: (one.tests[j][1], -one.tests[j][0]))
        statistic, log_p, _ = one.tests[best if one.feature < 0 else one.feature]
        assert math.isclose(tree.statistic[node], statistic, rel_tol=1e-8, abs_tol=1e-9)
        assert same_p(tree.p_value[node], math.exp(log_p))
        if one.feature < 0:
            continue
        splits += 1
        assert tree.feature[node] == one.feature
        found = groups_of(model, node, codes[one.rows])
        assert set(found) == set(one.groups)
        children = dict(zip(found, tree.children_of(node).tolist(), strict=True))
        pairs += [(children[g], child) for g, child in zip(one.groups, one.children, strict=True)]
    return splits


SETTINGS = [
    (seed, weighted, missing, alpha_split)
    for seed in range(6)
    for weighted in ("none", "whole", "real")
    for missing in (False, True)
    for alpha_split in (None, 0.2)
]


@pytest.mark.parametrize("setting", thinned(SETTINGS, 6), ids=str)
def test_random_trees_are_those_of_the_oracle(setting):
    seed, weighted, missing, alpha_split = setting
    frame, y, w = random_rows(seed, missing=missing, weighted=weighted)
    how = {"alpha_split": alpha_split, "alpha_merge": 0.2 if alpha_split else 0.05}
    how |= {"adjust": ("none", "bonferroni")[seed % 2], "alpha": 0.2, "min_samples_leaf": 3}
    model = grown(frame, y, w, **how, n_bins=8)
    codes = codes_of(model, frame)
    expected = chaid_oracle.grow(codes, y, ORDERS, w, chaid_oracle.Options(**how))
    assert compare(model, expected, codes) > 0


CREDIT = [
    [[5, 12], [28, 61], [20, 113], [7, 36]],
    [[5, 5], [27, 52], [32, 92], [7, 12]],
    [[7, 11], [37, 72], [48, 129], [10, 18]],
    [[3, 2], [17, 16], [46, 68], [1, 1]],
]
"""The German credit data (Fahrmeir & Tutz): property x marital status x (bad, good)."""


def test_a_printed_tree():
    """The tree that R's package CHAID prints in `tests/regtest_SPSS.Rout.save`; its comment says
    that SPSS finds the same."""
    counts = np.array(CREDIT)
    cells = np.argwhere(counts > 0)
    frame = pd.DataFrame({"verm": cells[:, 0] + 1, "famges": cells[:, 1] + 1}).astype(str)
    model = grown(frame, cells[:, 2], counts[tuple(cells.T)])
    assert model.to_text().splitlines() == [
        "verm = 1",
        "|   famges in {1, 2}: 1 (106/33)",
        "|   famges in {3, 4}: 1 (176/27)",
        "verm in {2, 3}: 1 (564/173)",
        "verm = 4: 1 (154/67)",
    ]


COFFEE = [[3004, 2076], [2761, 1803], [6704, 4815], [3651, 2284], [1589, 950]]
"""Class of household x loyalty, of the lowest price: a node of `treue ~ preis + klasse` there."""


def test_groups_that_are_no_neighbours_have_p_values_of_their_own():
    """R's package CHAID mixes up p-values after groups that are no neighbours were merged, and
    finds a leaf here; with the row of its matrix that it means it finds this split."""
    counts = np.array(COFFEE)
    levels, classes = np.indices(counts.shape)
    frame = pd.DataFrame({"klasse": levels.ravel() + 1}).astype(str)
    model = grown(frame, classes.ravel(), counts.ravel())
    assert model.tree_.groups_of(0).tolist() == [0, 1, 0, 1, 1]
    assert model.tree_.value.tolist() == [[17709, 11928], [9708, 6891], [8001, 5037]]


def test_missing_values_may_join_any_group_of_ordered_levels():
    """Those of the first and last bins differ from the middle ones, missing values do not."""
    x = np.repeat([0.0, 1, 2, 3, 4, np.nan], 60)
    y = np.concatenate([np.arange(60) < k for k in (10, 30, 30, 30, 52, 11)]).astype(int)
    model = grown(x[:, None], y, n_bins=5)
    assert model.tree_.missing_branch[0] == model.tree_.groups_of(0)[0] == 0
    assert model.predict_proba([[0.0], [np.nan]]).tolist() == [[99 / 120, 21 / 120]] * 2
    assert "> 3" in model.to_text()
    alone = grown(x[:, None], np.where(np.isnan(x), 1, y), n_bins=5)
    assert alone.tree_.missing_branch[0] not in alone.tree_.groups_of(0)


def test_threads_order_and_copies_of_rows_change_nothing():
    frame, y, w = random_rows(4, missing=True, weighted="whole")
    w = w + 1
    model = grown(frame, y, w, alpha_split=0.04)
    order = np.random.default_rng(1).permutation(len(y))
    copies = np.repeat(np.arange(len(y)), w)
    for other in (
        grown(frame, y, w, alpha_split=0.04, n_jobs=2),
        grown(frame.iloc[order], y[order], w[order], alpha_split=0.04),
        grown(frame.iloc[copies], y[copies], alpha_split=0.04),
    ):
        assert other.to_text() == model.to_text()
        for field in ("statistic", "p_value", "groups"):
            np.testing.assert_array_equal(getattr(other.tree_, field), getattr(model.tree_, field))


@pytest.mark.parametrize("kind", ["nominal", "ordered", "missing"])
def test_noise_is_split_no_more_often_than_alpha(kind):
    """One feature without influence, 300 data sets: the rate of p < alpha is at most alpha."""
    found, runs = 0, 300
    for seed in range(runs):
        rng = np.random.default_rng([seed, 17])
        codes = rng.integers(0, 8, 300)
        levels = [f"l{i}" for i in range(8)]
        column = pd.Categorical.from_codes(codes, levels, ordered=kind != "nominal")
        frame = pd.DataFrame({"x": column})
        if kind == "missing":
            frame.loc[rng.random(300) < 0.15, "x"] = None
        p = fasttree.score_features(
            frame, rng.integers(0, 3, 300), test="quadratic", merge_levels=True
        )
        found += p[0] < 0.05
    assert 0 < found <= 0.05 * runs


def test_p_values_of_features_are_those_of_the_root():
    frame, y, w = random_rows(3, missing=True, weighted="whole")
    model = grown(frame, y, w, adjust="bonferroni")
    found = fasttree.score_features(
        frame, y, test="quadratic", sample_weight=w, merge_levels=True, columns="as_given"
    )
    told = {one["feature"]: one for one in model.explain(0, frame, y, sample_weight=w)}
    assert [told[name]["p_value"] for name in frame] == found.tolist()
    chosen = told[frame.columns[model.tree_.feature[0]]]
    assert chosen["chosen"] and math.isclose(chosen["score"], model.tree_.score[0])
    assert found.min() == model.tree_.p_value[0]


@pytest.mark.parametrize("data", ["iris", "tic-tac-toe"])
@pytest.mark.parametrize("how", [presets.CHAID, {"discretize": "equal_width", "n_bins": 4}])
def test_explain_gives_the_limits_of_each_branch(data, how):
    """They send each row where the tree sends it."""
    table = datasets.load(data)
    model = fasttree.FastTreeClassifier(**how, max_depth=1).fit(table)
    rows = {one["feature"]: one for one in model.explain(0, table)}
    name = table.feature_names[model.tree_.feature[0]]
    if how is not presets.CHAID and data == "tic-tac-toe":  # the levels are the branches
        assert "limits" not in rows[name]
        return
    limits = rows[name]["limits"]
    assert all(one["limits"] is None for one in rows.values() if one["feature"] != name)
    assert len(limits) == model.tree_.n_children[0] > 1
    values = [row[0] for row in table.to_frame()[[name]].to_numpy().tolist()]
    inside = [
        [low < value <= high for low, high in limits]
        if isinstance(value, float)
        else [value in levels for levels in limits]
        for value in values
    ]
    assert all(sum(one) == 1 for one in inside)
    children = model.tree_.children_of(0)
    assert [children[one.index(True)] for one in inside] == model.apply(table).tolist()


def test_models_are_kept_and_damaged_groups_refused():
    frame, y, _ = random_rows(2, missing=True, weighted="none")
    model = grown(frame, y)
    again = fasttree.from_bytes(model.to_bytes())
    np.testing.assert_array_equal(again.tree_.groups, model.tree_.groups)
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))
    assert again.to_text() == model.to_text()
    body = body_of(model.to_bytes())
    (node, groups), *others = body["groups"]
    for broken, words in (
        ([[node, groups[1:]], *others], "each level or bin must have one of the branches"),
        ([[node, [99, *groups[1:]]], *others], "each level or bin must have one of the branches"),
        ([*body["groups"], [10**6, groups]], "groups levels, but is no inner node in its turn"),
        (others, "the test does not fit the feature"),
    ):
        with pytest.raises(ValueError, match=words):
            fasttree.from_bytes(file_of({**body, "groups": broken}))


@pytest.mark.parametrize("is_class", [True, False])
def test_ordered_levels_are_tested_and_cut_as_their_numbers(is_class):
    rng = np.random.default_rng(8)
    codes = rng.integers(0, 5, 300)
    y = codes + rng.normal(scale=2, size=300)
    y = (y > 2).astype(int) if is_class else y
    kind = FastTreeClassifier if is_class else FastTreeRegressor
    levels = ["never", "rarely", "sometimes", "often", "always"]
    ordered = pd.DataFrame({"x": pd.Categorical.from_codes(codes, levels, ordered=True)})
    model, on_numbers = (
        kind(**presets.CTREE).fit(X, y) for X in (ordered, pd.DataFrame({"x": codes.astype(float)}))
    )
    trees = [model.tree_, on_numbers.tree_]
    for field in ("statistic", "p_value", "n_node_samples", "children"):
        np.testing.assert_array_equal(getattr(trees[0], field), getattr(trees[1], field))
    assert trees[0].levels_of(0).tolist() == list(range(int(trees[1].threshold[0]) + 1))
    # The order is the model's, whatever rows it is asked about.
    for X in (ordered, ordered.astype({"x": str})):
        assert model.explain(0, X, y)[0]["statistic"] == trees[0].statistic[0]
    # Without an order it has as many degrees of freedom as levels, less one.
    plain = pd.DataFrame({"x": ordered["x"].cat.as_unordered()})
    assert kind(**presets.CTREE).fit(plain, y).tree_.statistic[0] != trees[0].statistic[0]
    # Scores of splits read no order.
    scored = [kind().fit(X, y).to_text() for X in (ordered, plain)]
    assert scored[0] == scored[1]


REFUSED = [
    ({"alpha_merge": 0.0}, "alpha_merge=0:? must lie between 0 and 1"),
    ({"alpha_merge": 1.0}, "alpha_merge=1:? must lie between 0 and 1"),
    ({"alpha_merge": 1.5}, "alpha_merge=1.5"),
    ({"alpha_split": 0.0}, "alpha_split=0:? must lie above 0 and be at most alpha_merge=0.05"),
    ({"alpha_split": 0.1}, "alpha_split=0.1:? must lie above 0 and be at most alpha_merge=0.05"),
    ({"test": "maximum"}, "merge_levels=True and test="),
    ({"cut": "criterion"}, "cut='criterion' cannot act in this fit.*merge_levels=False"),
    ({"nominal_splits": "subset"}, "merge_levels=True and nominal_splits="),
    ({"discretize": None}, "merge_levels=True with discretize=None .column 'number' has numbers"),
    ({"selection": "score", "adjust": "bonferroni"}, "merge_levels=True cannot act in this fit"),
    ({"merge_levels": False, "alpha_merge": 0.01}, "alpha_merge=0.01 cannot act in this fit"),
]


@pytest.mark.parametrize(("how", "words"), REFUSED, ids=str)
def test_what_does_not_go_with_merged_levels_is_refused(how, words):
    frame, y, _ = random_rows(1, missing=False, weighted="none")
    if how.get("discretize", "") is None:
        how = {**how, "n_bins": 10}
    with pytest.raises((ValueError, NotImplementedError), match=words):
        grown(frame, y, **how)


def test_merged_levels_are_a_matter_of_trees_of_classes_and_few_levels():
    with pytest.raises(TypeError, match="merge_levels"):
        FastTreeRegressor(merge_levels=True)
    with pytest.raises(TypeError, match="merge_levels"):
        FastForestClassifier(merge_levels=True)
    many = pd.DataFrame({"x": [f"v{i}" for i in range(1200)] * 2})
    with (
        pytest.warns(UserWarning, match="fewer than five rows per level"),
        pytest.raises(ValueError, match="column 'x' of 1200 levels.*at most 1000"),
    ):
        grown(many, np.arange(2400) % 2)


def test_more_than_twelve_levels_are_divided_in_the_order_of_their_shares():
    """For two classes the cuts of that order hold the best division."""
    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(14), 60)
    y = (rng.random(len(codes)) < 0.35 + 0.02 * (codes * 5 % 14)).astype(int)
    frame = pd.DataFrame({"x": [f"v{c:02d}" for c in codes]})
    how = {"alpha_merge": 0.3, "alpha_split": 0.3, "alpha": 0.5}
    model = grown(frame, y, **how)
    expected = chaid_oracle.grow(
        codes[:, None].astype(float), y, ["nominal"], None, chaid_oracle.Options(**how)
    )
    assert compare(model, expected, codes[:, None].astype(float)) > 0


def test_the_trace_and_the_searches_of_a_node_name_merged_levels_and_bins():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(18, 80, 900), "city": rng.choice([*"ABCDEF"], 900)})
    frame["y"] = np.where((frame.age > 50) & frame.city.isin([*"ABC"]), "p", "q")
    model = fasttree.fit(frame, "y", **{**presets.CHAID, "max_depth": 2})
    text = str(model.trace_)
    for step in model.trace_:
        tree = model.tree_
        assert len(step.branches) == tree.n_children[step.node] and "; ".join(step.branches) in text
    assert any("in {D, E, F}" in step.branches for step in model.trace_)
    ages = [step.branches for step in model.trace_ if step.feature == "age"]
    assert ages and all(one[0].startswith("<= ") and one[-1].startswith("> ") for one in ages)
    found = model.stability(
        frame[["age", "city"]], frame.y, repeats=8, sample="subsample", nodes=True
    )
    alike = [one.same_division for one in found.nodes.values() if one.feature == "city"]
    assert alike and min(alike) > 0 and "the same division" in str(found)
    assert all(step.branches is None for step in fasttree.fit(frame, "y").trace_)
