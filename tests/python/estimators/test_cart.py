"""CART: node by node against scikit-learn, and the price of a leaf by cross-validation against
leaving out by hand."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.datasets
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

import fasttree
from fasttree import FastTreeClassifier, presets
from fasttree.pruning import CostComplexity

SETS = ("iris", "wine", "breast_cancer", "digits")


def tied_nodes(model):
    """Nodes with two equal best splits (up to rounding), and nodes with such a one below."""
    tree, tied = model.tree_, np.zeros(model.n_nodes_, dtype=bool)
    for node, candidates in model._candidates.items():
        scores = np.array([c[2] for c in candidates])
        tied[node] = (scores >= scores.max() - 1e-12).sum() > 1
    below = tied.copy()
    for node in range(model.n_nodes_ - 1, 0, -1):
        below[tree.parent[node]] |= below[node]
    return tied, below


def walk(full, ours, theirs):
    """Compare two trees top down; returns the nodes that were compared and whether a tie ended the
    walk anywhere."""
    tied, below = tied_nodes(full)
    mine, peer = ours.tree_, theirs.tree_
    stack, compared, stopped = [(0, 0, 0)], 0, False
    while stack:
        whole, node, other = stack.pop()
        assert mine.n_node_samples[node] == peer.n_node_samples[other]
        counts = peer.value[other, 0] * peer.n_node_samples[other]
        assert np.allclose(mine.value[node], counts, atol=1e-6)
        leaf = (mine.n_children[node] == 0, peer.children_left[other] == -1)
        if leaf[0] != leaf[1]:
            assert below[whole], "only another subtree below a tie may be worth another price"
            stopped = True
            continue
        compared += 1
        if leaf[0]:
            continue
        pair = (peer.children_left[other], peer.children_right[other])
        if tied[whole]:
            # Two features may divide the rows alike (setosa by petal length or width): then the
            # walk goes on.
            counts = [peer.value[c, 0] * peer.n_node_samples[c] for c in pair]
            if not np.allclose([mine.value[c] for c in mine.children_of(node)], counts, atol=1e-6):
                stopped = True
                continue
        else:
            assert mine.feature[node] == peer.feature[other]
            assert mine.threshold[node] == pytest.approx(peer.threshold[other], rel=1e-6, abs=1e-6)
        stack.extend(zip(full.tree_.children_of(whole), mine.children_of(node), pair, strict=True))
    return compared, stopped


@pytest.mark.parametrize("name", SETS)
def test_trees_are_scikit_learns_down_to_the_first_tie(name):
    X, y = getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)
    how = {**presets.CART, "pruning": None}
    full = FastTreeClassifier(**how, trace="candidates").fit(X, y)
    peer = DecisionTreeClassifier(random_state=0).fit(X, y)
    compared, stopped = walk(full, full, peer)
    assert compared >= 3
    path = peer.cost_complexity_pruning_path(X, y)
    own = FastTreeClassifier(**presets.CART).cost_complexity_pruning_path(X, y)
    if not stopped:
        assert np.allclose(own.ccp_alphas, path.ccp_alphas, rtol=0, atol=1e-12)
        assert np.allclose(own.impurities, path.impurities, rtol=0, atol=1e-12)
    # The last links are near the root; they are cut alike.
    assert own.ccp_alphas[-1] == pytest.approx(path.ccp_alphas[-1], rel=1e-12)
    for alpha in path.ccp_alphas[[len(path.ccp_alphas) // 2, -3, -2]]:
        alpha = float(alpha) * (1 + 1e-9)
        pruned = full.prune(CostComplexity(alpha))
        theirs = clone(peer).set_params(ccp_alpha=alpha).fit(X, y)
        assert walk(full, pruned, theirs)[0] >= 1


def by_hand(X, y, how, prices, costs):
    """Costs (rows, prices) of leaving out one row after the other."""
    out = np.zeros((len(y), len(prices)))
    for row in range(len(y)):
        rest = np.arange(len(y)) != row
        grown = fasttree.fit(X[rest], y[rest], **how)
        for i, alpha in enumerate(prices):
            told = grown.prune(CostComplexity(float(alpha))) if alpha > 0 else grown
            out[row, i] = costs[y[row], int(told.predict(X[[row]])[0])]
    return out


@pytest.mark.parametrize("rule", ["min", "1se"])
@pytest.mark.parametrize(
    "costs", [None, [[0, 1, 2], [3, 0, 1], [1, 1, 0]]], ids=["errors", "costs"]
)
def test_leaving_one_out_chooses_as_by_hand(rule, costs):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 6, (36, 2)).astype(float)
    y = ((X[:, 0] > 2).astype(int) + (X[:, 1] > 3) + (rng.random(36) < 0.25)) % 3
    how = {"criterion": "gini", "cost_matrix": costs}
    model = fasttree.fit(X, y, pruning=CostComplexity("cv", folds=36, rule=rule), **how)
    found = model.ccp_path_
    path = FastTreeClassifier(**how).cost_complexity_pruning_path(X, y)
    assert np.allclose(found.ccp_alphas, np.unique(path.ccp_alphas.round(14)), atol=1e-13)
    # the last tree is the root alone
    prices = np.append(np.sqrt(found.ccp_alphas[:-1] * found.ccp_alphas[1:]), 1e300)
    matrix = 1 - np.eye(3) if costs is None else np.array(costs)
    each = by_hand(X, y, how, prices, matrix)
    assert np.allclose(found.errors, each.mean(axis=0), atol=1e-12)
    assert np.allclose(found.standard_errors, each.std(axis=0) / 6, atol=1e-12)
    best = found.errors.min()
    at = np.flatnonzero(found.errors <= best + 1e-12)[-1]
    allowed = best + (found.standard_errors[at] if rule == "1se" else 0)
    assert found.chosen == np.flatnonzero(found.errors <= allowed + 1e-12)[-1]
    assert found.ccp_alpha == pytest.approx(min(prices[found.chosen], found.ccp_alphas[-1]))
    expected = fasttree.fit(X, y, pruning=CostComplexity(float(found.ccp_alpha)), **how)
    assert (
        model.to_text() == expected.to_text() and model.get_n_leaves() == found.leaves[found.chosen]
    )


def test_the_choice_depends_on_the_seed_alone():
    X, y = sklearn.datasets.load_breast_cancer(return_X_y=True)
    one = FastTreeClassifier(**presets.CART).fit(X, y)
    two = FastTreeClassifier(**presets.CART, n_jobs=2).fit(X, y)
    assert one.to_bytes() == two.to_bytes()
    assert np.array_equal(one.ccp_path_.errors, two.ccp_path_.errors)
    seeds = [
        fasttree.fit(
            X, y, criterion="gini", pruning=CostComplexity("cv", folds=3, random_state=s)
        ).ccp_path_.errors
        for s in range(2)
    ]
    assert not np.array_equal(*seeds)
    weighted = FastTreeClassifier(**presets.CART).fit(X, y, sample_weight=np.full(len(y), 0.5))
    assert weighted.get_n_leaves() == one.get_n_leaves()


def test_every_fold_of_a_cross_validation_chooses_its_own():
    table = fasttree.datasets.load_iris()
    how = {"pruning": CostComplexity("cv", folds=5), "nominal_splits": "subset"}
    at_once = fasttree.model_selection.cross_validate(
        table, criterion=["gini"], cv="5x2", random_state=1, n_jobs=1, **how
    )
    again = fasttree.model_selection.cross_validate(
        table, criterion=["gini"], cv="5x2", random_state=1, n_jobs=2, **how
    )
    assert at_once.to_frame().equals(again.to_frame())


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_hardly_any_rows(rows):
    X, y = np.arange(rows, dtype=float)[:, None], np.arange(rows) % 2
    model = FastTreeClassifier(**presets.CART).fit(X, y)
    assert 1 <= model.get_n_leaves() <= rows and len(model.ccp_path_.ccp_alphas) >= 1


def test_levels_missing_values_and_saved_presets():
    table = fasttree.datasets.load_weather()
    model = FastTreeClassifier(**presets.CART).fit(table)
    again = fasttree.from_bytes(model.to_bytes())
    assert again.get_params()["pruning"] == presets.CART["pruning"]
    assert again.fit(table).to_bytes() == model.to_bytes()
    with pytest.raises(AttributeError, match="ccp_path_"):
        _ = fasttree.from_bytes(model.to_bytes()).ccp_path_
    with pytest.raises(AttributeError, match="ccp_path_"):
        _ = fasttree.fit(table).ccp_path_


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ccp_alpha": "best"}, "ccp_alpha='best'.*number >= 0.*'cv'"),
        ({"ccp_alpha": "cv", "folds": 1}, "folds=1.*>= 2"),
        ({"ccp_alpha": "cv", "rule": "2se"}, "rule='2se'.*'min'.*'1se'"),
        ({"ccp_alpha": "cv", "random_state": -1}, "random_state=-1"),
    ],
)
def test_wrong_options_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        fasttree.fit([[0.0], [1.0]], [0, 1], pruning=CostComplexity(**options))


def test_a_fitted_tree_is_not_cross_validated():
    model = fasttree.fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match=r"CostComplexity\('cv'\).*fit"):
        model.prune(CostComplexity("cv"))
