"""What a regression tree says of itself: candidates of nodes, rules of rows, and how it prints."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree import FastTreeRegressor, criteria


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(4)
    X = pd.DataFrame({"a": rng.integers(0, 12, 80) / 2, "c": rng.choice(["p", "q", "r"], 80)})
    return X, X.a.to_numpy() + 3 * (X.c == "q").to_numpy() + rng.normal(size=80)


def decrease(y, groups, loss):
    """How much a partition lowers the mean loss of its parts."""
    parts = [y[groups == g] for g in np.unique(groups)]
    return loss(y) - sum(len(part) * loss(part) for part in parts) / len(y)


LOSSES = {
    "squared_error": np.var,
    "standard_deviation": np.std,
    "absolute_error": lambda y: np.abs(y - np.median(y)).mean(),
}


@pytest.mark.parametrize("criterion", LOSSES)
@pytest.mark.parametrize("node", [0, 1])
def test_candidates_have_the_scores_of_the_definition(rows, criterion, node):
    X, y = rows
    model = FastTreeRegressor(criterion=criterion, max_leaf_nodes=6).fit(X, y)
    here = model.decision_path(X).toarray()[:, node].astype(bool)
    a, c, numbers = X.a.to_numpy()[here], X.c.to_numpy()[here], y[here]
    found = model.explain(node, X, y)
    assert [r["score"] for r in found] == sorted((r["score"] for r in found), reverse=True)
    cuts = np.unique(a)
    assert {r["threshold"] for r in found if r["feature"] == "a"} == {*(cuts[1:] + cuts[:-1]) / 2}
    for row in found:
        groups = c if row["threshold"] is None else a <= row["threshold"]
        assert row["score"] == pytest.approx(decrease(numbers, groups, LOSSES[criterion]), abs=1e-9)
    [chosen] = [r for r in found if r["chosen"]]
    assert chosen["feature"] == ("a", "c")[model.tree_.feature[node]]
    assert chosen["score"] == pytest.approx(model.tree_.score[node])


def test_the_trace_keeps_the_candidates(rows):
    X, y = rows
    model = FastTreeRegressor(max_leaf_nodes=4, trace="candidates").fit(X, y)
    for step in model.trace_:
        told = [(r["feature"], r["score"]) for r in model.explain(step.node, X, y)]
        kept = sorted(((f, s) for f, _, s in step.candidates), key=lambda pair: -pair[1])
        assert [s for _, s in kept] == pytest.approx([s for _, s in told])
    assert list(model.explain(0)) == list(model.explain(0, X, y))


@pytest.mark.parametrize(
    ("criterion", "what"),
    [
        ("squared_error", "mean"),
        ("absolute_error", "median"),
        (criteria.Quantile(q=0.9), "0.9-quantile"),
    ],
    ids=["mean", "median", "quantile"],
)
def test_the_rule_of_a_row_says_what_the_number_is(rows, criterion, what):
    X, y = rows
    model = FastTreeRegressor(criterion=criterion, max_leaf_nodes=5).fit(X, y)
    text = model.decision_rule(X.iloc[[7]]).splitlines()
    leaf, number = int(model.apply(X)[7]), model.predict(X)[7]
    count = int((model.apply(X) == leaf).sum())
    assert text[0] == f"{number:.4g}, because"
    spread = f"{np.std(y[model.apply(X) == leaf]):.4g}"
    assert text[-1] == (
        f"Leaf {leaf}: {what} of {count} training rows, standard deviation {spread}."
    )
    assert len(text) == model.tree_.depth[leaf] + 2


def test_rules_of_divided_rows_and_of_one_leaf():
    X = [[0.0], [1.0], [np.nan], [2.0]]
    model = FastTreeRegressor().fit(X, [1.0, 2.0, 3.0, 10.0])
    text = model.decision_rule([np.nan])
    assert text.splitlines()[0] == f"{model.predict([[np.nan]])[0]:.4g}, because"
    assert "leaves answer together" in text
    alone = FastTreeRegressor().fit([[0.0], [1.0]], [2.5, 2.5])
    assert alone.decision_rule([0.0]) == (
        "2.5: the tree is one leaf\nLeaf 0: mean of 2 training rows."
    )


def test_it_prints_and_shows_itself_in_a_notebook(rows):
    model = FastTreeRegressor(max_leaf_nodes=3).fit(*rows)
    text, page = str(model), model._repr_html_()
    sizes = f"{model.get_n_leaves()} leaves, {model.n_nodes_} nodes"
    assert sizes in text and model.to_text() in text + "\n"
    leaf = model.tree_.value[model.tree_.n_children == 0][0]
    assert f"{leaf:.4g}" in page and page.count("data-node") == model.n_nodes_
    # Texts, rules and pictures have four digits of the number and of the standard deviation.
    tree, rules, dot = model.tree_, str(model.to_rules()), model.to_dot()
    for node in np.flatnonzero(tree.n_children == 0).tolist():
        number, rows_ = f"{tree.value[node]:.4g}", f"{tree.weighted_n_node_samples[node]:g}"
        deviation = f"{np.sqrt(tree.variance[node]):.4g}"
        assert f": {number} ({rows_}/{deviation})" in text
        assert f"then {number}  [{rows_} rows, sd {deviation}]" in rules
        for picture in (page, dot):
            assert number in picture and f"± {deviation} ({rows_} rows)" in picture


def test_a_plot_has_a_text_for_every_card(rows):
    pytest.importorskip("matplotlib").use("Agg")
    model = FastTreeRegressor(max_leaf_nodes=4).fit(*rows)
    ax = model.plot()
    texts = [text.get_text() for text in ax.texts]
    leaves = np.flatnonzero(model.tree_.n_children == 0)
    for leaf in leaves.tolist():
        assert f"{model.tree_.value[leaf]:.4g}" in texts
    ax.figure.clf()


def test_a_warning_says_that_no_candidate_is_the_test_of_the_node():
    """On other rows or weights than those of the fit."""
    forest = fasttree.FastForestClassifier(4, random_state=0).fit("iris")
    counts = forest.bootstrap_counts("iris")
    warned = 0
    for tree, weights in zip(forest.estimators_, counts, strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            chosen = [one["chosen"] for one in tree.explain(0, "iris", sample_weight=weights)]
        assert sum(chosen) == 1
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found = tree.explain(0, "iris")
        assert ["no candidate is the test of node 0" in str(one.message) for one in said] == (
            [] if any(one["chosen"] for one in found) else [True]
        )
        warned += len(said)
    assert warned > 0
