"""Cost matrices and priors: labels, prunings and weights against NumPy, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict

import fasttree
from fasttree import FastTreeClassifier, Table
from fasttree.metrics import cost_optimal_decision
from fasttree.pruning import CostComplexity, MEstimate, ReducedError

COSTS = np.array([[0, 1, 4], [2, 0, 1], [6, 3, 0]])


def noisy(seed=0, n=150, classes=3):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 8, n).astype(float),
            "b": rng.normal(size=n).round(1),
            "c": rng.choice(list("uvwx"), n),
        }
    )
    y = (1 * (X["a"] > 3).to_numpy() + (X["c"] == "u").to_numpy() + (rng.random(n) < 0.3)) % classes
    return X, y.astype(int)


@pytest.mark.parametrize(
    "pruning", [None, CostComplexity(0.01), MEstimate(4), ReducedError()], ids=str
)
@pytest.mark.parametrize("splits", ["multiway", "subset"])
def test_every_node_predicts_the_cheapest_class(pruning, splits):
    X, y = noisy()
    weight = np.random.default_rng(1).random(len(y)) + 0.5
    model = fasttree.fit(
        X, y, sample_weight=weight, cost_matrix=COSTS, pruning=pruning, nominal_splits=splits
    )
    tree = model.tree_
    seen = tree.value.sum(axis=1) > 0
    assert np.array_equal(tree.label[seen], (tree.value[seen] @ COSTS).argmin(axis=1))
    if seen.all():
        decided = cost_optimal_decision(model.predict_proba(X), COSTS)
        assert np.array_equal(model.predict(X), decided)
    plain = fasttree.fit(X, y, sample_weight=weight, nominal_splits=splits)
    if pruning is None:
        assert np.array_equal(plain.tree_.feature, tree.feature), "costs do not move splits"
        assert not np.array_equal(plain.tree_.label, tree.label)


def links(tree, costs):
    """Prices and expected costs of minimal cost-complexity pruning, each weakest link looked for
    anew."""
    total, alive = tree.value[0].sum(), {i for i in range(tree.node_count) if tree.n_children[i]}
    own = (tree.value @ costs).min(axis=1) / total

    def below(node):
        if node not in alive:
            return own[node], 1 if tree.n_node_samples[node] else 0
        parts = [below(c) for c in tree.children_of(node)]
        return sum(p[0] for p in parts), sum(p[1] for p in parts)

    def inside(node):
        return (
            {node, *(d for c in tree.children_of(node) for d in inside(c))}
            if tree.n_children[node]
            else {node}
        )

    alphas, risks = [0.0], [below(0)[0]]
    while alive:
        worth = {n: (own[n] - below(n)[0]) / max(below(n)[1] - 1, 1) for n in alive}
        node = min(worth, key=lambda n: (round(worth[n], 14), n))
        alive -= inside(node)
        alphas.append(worth[node])
        risks.append(below(0)[0])
    return alphas, risks


def test_the_path_prices_expected_costs():
    X, y = noisy(3, 80)
    estimator = FastTreeClassifier(criterion="gini", cost_matrix=COSTS)
    path = estimator.cost_complexity_pruning_path(X, y)
    alphas, risks = links(clone(estimator).fit(X, y).tree_, COSTS)

    def at_each(alphas, risks):
        """The last tree of each price: links of one price may be cut in any order."""
        return dict(zip(np.round(alphas, 10).tolist(), np.round(risks, 10).tolist(), strict=True))

    assert at_each(path.ccp_alphas, path.impurities) == at_each(alphas, risks)
    at = len(alphas) // 2
    pruned = clone(estimator).set_params(ccp_alpha=alphas[at] + 1e-9).fit(X, y)
    tree = pruned.tree_
    leaves = tree.n_children == 0
    assert (tree.value @ COSTS).min(axis=1)[leaves].sum() / len(y) == pytest.approx(
        [r for a, r in zip(alphas, risks, strict=True) if a <= alphas[at] + 1e-9][-1]
    )
    again = clone(estimator).fit(X, y).prune(CostComplexity(alphas[at] + 1e-9))
    assert again.to_text() == pruned.to_text()


def test_rows_held_out_are_charged_what_they_cost():
    X, y = noisy(4, 120)
    grown = fasttree.fit(X[:80], y[:80], cost_matrix=COSTS)
    pruned = grown.prune(ReducedError(), X[80:], y[80:])
    cost = [COSTS[y[80:], m.predict(X[80:])].sum() for m in (grown, pruned)]
    assert cost[1] <= cost[0] and pruned.get_n_leaves() < grown.get_n_leaves()
    for cut in pruned.prune_report_:
        assert cut.as_leaf <= cut.as_tree + 1e-9


def test_the_m_estimate_weighs_costs():
    X, y = noisy(5, 90)
    pruned = fasttree.fit(X, y, cost_matrix=COSTS, pruning=MEstimate(3.0))
    grown = fasttree.fit(X, y, cost_matrix=COSTS)
    tree, prior = grown.tree_, grown.tree_.value[0] / grown.tree_.value[0].sum()
    n = tree.value.sum(axis=1)
    smoothed = (tree.value + 3.0 * prior) / (n + 3.0)[:, None]
    own = (smoothed * COSTS[:, tree.label].T).sum(axis=1)
    cuts = pruned.prune_report_
    assert len(cuts) and all(c.as_leaf == pytest.approx(own[c.node]) for c in cuts)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"pruning": "pessimistic"}, "pessimistic.*with cost_matrix.*'cost_complexity'"),
        ({"pruning": "error_based"}, "error_based.*with cost_matrix"),
        ({"pruning": "mdl"}, "mdl.*with cost_matrix"),
        ({"pruning": CostComplexity(0.1, impurity="gini")}, "impurity='gini'.*'error'"),
        ({"evaluation": "global"}, "cost_matrix with evaluation"),
        ({"cost_matrix": [[0, 1], [1, 0]]}, r"cost_matrix.*\(2, 2\).*\(3, 3\)"),
        ({"cost_matrix": [[0, 1, 1], [1, 0, 1], [1, 1, 2]]}, r"cost_matrix\[2, 2\] = 2.*must be 0"),
        (
            {"cost_matrix": [[0, -1, 1], [1, 0, 1], [1, 1, 0]]},
            r"\[0, 1\] = -1 must be a number from 0",
        ),
        ({"cost_matrix": [[0, np.nan, 1], [1, 0, 1], [1, 1, 0]]}, r"cost_matrix\[0, 1\] = nan"),
        ({"cost_matrix": "cheap"}, "cost_matrix='cheap'"),
        ({"priors": [0.5, 0.5]}, "priors.*3"),
        ({"priors": {0: 0.5, 1: 0.5}}, "priors.*2"),
        ({"priors": [0.5, 0.6, 0.2]}, "priors.*sum to 1"),
        ({"priors": [1.5, -0.5, 0.0]}, "priors.*> 0"),
        ({"priors": "uniform"}, "priors='uniform'.*'equal'"),
        ({"priors": {0: 0.2, 1: 0.2, "z": 0.6}}, "priors.*'z'"),
    ],
)
def test_what_is_not_defined_is_refused(params, words):
    X, y = noisy()
    with pytest.raises(ValueError, match=words):
        fasttree.fit(X, y, **{"cost_matrix": COSTS, **params})


def test_priors_are_class_weights():
    X, y = noisy(2)
    shares = np.bincount(y) / len(y)
    priors = np.array([0.2, 0.5, 0.3])
    model = fasttree.fit(X, y, criterion="gini", priors=priors)
    root = model.tree_.value[0]
    assert np.allclose(root / root.sum(), priors) and root.sum() == pytest.approx(len(y))
    by_hand = fasttree.fit(X, y, criterion="gini", sample_weight=(priors / shares)[y])
    assert by_hand.to_text() == model.to_text()
    named = fasttree.fit(X, y, criterion="gini", priors={0: 0.2, 2: 0.3, 1: 0.5})
    assert named.to_text() == model.to_text()
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    weighted = fasttree.fit(X, y, priors=priors, sample_weight=weight).tree_.value[0]
    assert np.allclose(weighted / weighted.sum(), priors)
    equal = fasttree.fit(X, y, criterion="gini", priors="equal").tree_.value[0]
    assert np.allclose(
        equal, fasttree.fit(X, y, criterion="gini", class_weight="balanced").tree_.value[0]
    )
    both = fasttree.fit(X, y, priors=priors, class_weight={0: 2.0, 1: 1.0, 2: 1.0}).tree_.value[0]
    assert np.allclose(both / both.sum(), priors * [2, 1, 1] / (priors * [2, 1, 1]).sum())


def test_altered_priors_are_costs_of_the_true_class():
    X, y = noisy(7, 200, classes=2)
    shares, costs = np.bincount(y) / len(y), np.array([1.0, 3.5])
    altered = shares * costs / (shares * costs).sum()
    with_costs = fasttree.fit(X, y, max_depth=2, cost_matrix=[[0, 1.0], [3.5, 0]])
    counts = with_costs.tree_.value * (altered / shares)
    assert np.array_equal(with_costs.tree_.label, counts.argmax(axis=1))
    shallow = fasttree.fit(X, y, max_leaf_nodes=2, max_depth=1, priors=altered)
    tree = shallow.tree_
    assert np.array_equal(
        tree.label, (tree.value / (altered / shares) @ [[0, 1.0], [3.5, 0]]).argmin(axis=1)
    )


def test_costs_and_priors_are_kept_cloned_and_cross_validated():
    X, y = noisy()
    table = Table(X, y)
    for params in (
        {"cost_matrix": COSTS.astype(float)},
        {"priors": {0: 0.2, 1: 0.5, 2: 0.3}},
        {"priors": [0.2, 0.5, 0.3]},
    ):
        model = FastTreeClassifier(max_depth=3, **params).fit(X, y)
        again = fasttree.from_bytes(model.to_bytes())
        assert again.fit(X, y).to_bytes() == model.to_bytes()
        assert clone(model).fit(X, y).to_bytes() == model.to_bytes()
        folds = [(np.arange(50, 150), np.arange(50)), (np.arange(100), np.arange(100, 150))]
        result = fasttree.model_selection.cross_validate(
            table, criterion=["info_gain"], cv=folds, scoring="accuracy", max_depth=3, **params
        )
        by_hand = [
            clone(model).fit(X.iloc[train], y[train]).score(X.iloc[test], y[test])
            for train, test in folds
        ]
        assert result.to_frame()["accuracy_mean"][0] == pytest.approx(np.mean(by_hand))
        assert len(cross_val_predict(clone(model), X, y, cv=3)) == len(y)
