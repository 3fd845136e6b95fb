"""Targets whose numbers are of very different sizes, against exact rationals: what nodes say, which
tests they choose, and the laws of order, threads and copies.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fasttree import FastForestRegressor, FastTreeRegressor
from fasttree.criteria import Quantile

from ..tools import thinned

CASES, CHUNK = 1000, 20
NEAR = Fraction(1, 10**9)
OF_MEANS = ["squared_error", "standard_deviation", "poisson"]
CRITERIA: list[Any] = [*OF_MEANS, "absolute_error", Quantile(q=0.25)]


def decades(rng: np.random.Generator, n: int, kind: int) -> np.ndarray:
    """Positive and negative numbers, over 30 decades or with one of them far off."""
    sizes = 10.0 ** rng.uniform(-12, 18, n)
    if kind == 1:
        sizes = rng.uniform(0.1, 2, n)
        sizes[rng.integers(n)] = 10.0 ** rng.uniform(3, 18)
    if kind == 2:
        sizes = rng.choice([1.0, 1e6, 1e13], n) + 10.0 ** rng.uniform(-6, 0) * rng.normal(size=n)
    return sizes * rng.choice([-1.0, 1.0], n)


def rows_by_node(tree: Any, X: np.ndarray) -> list[list[int]]:
    """The rows of each node of a tree of thresholds."""
    rows: list[list[int]] = [[] for _ in tree.feature]
    for row in range(len(X)):
        node = 0
        while True:
            rows[node].append(row)
            if tree.feature[node] < 0:
                break
            left = X[row, tree.feature[node]] <= tree.threshold[node]
            node = tree.children_left[node] if left else tree.children_right[node]
    return rows


def exact_mean(pairs: list[tuple[Fraction, Fraction]]) -> Fraction:
    return sum((w * y for y, w in pairs), Fraction()) / sum(w for _, w in pairs)


def exact_variance(pairs: list[tuple[Fraction, Fraction]]) -> Fraction:
    mean = exact_mean(pairs)
    return sum((w * (y - mean) ** 2 for y, w in pairs), Fraction()) / sum(w for _, w in pairs)


def exact_quantile(pairs: list[tuple[Fraction, Fraction]], q: Fraction) -> Fraction:
    """The smallest number up to which the weight reaches q, or the midpoint where it meets it."""
    pairs = sorted(pairs)
    wanted, below = q * sum(w for _, w in pairs), Fraction()
    for at, (y, w) in enumerate(pairs):
        below += w
        if below >= wanted:
            return (y + pairs[min(at + (below == wanted), len(pairs) - 1)][0]) / 2
    raise AssertionError


def deviance(pairs: list[tuple[Fraction, Fraction]]) -> float:
    """Half the mean Poisson deviance, by logarithms of numbers near 1 where these are near."""
    mean, total = exact_mean(pairs), 0.0
    for y, w in pairs:
        r = float((y - mean) / mean)
        near = r * r / 2 - r**3 / 6 + r**4 / 12
        far = (1 + r) * math.log1p(r) - r if r > -1 else 1.0
        total += float(w) * float(mean) * (near if abs(r) < 1e-4 else far)
    return total / float(sum(w for _, w in pairs))


def best_gain(X: np.ndarray, pairs: list[tuple[Fraction, Fraction]], rows: list[int]) -> Fraction:
    """The largest decrease of the variance of any threshold."""
    best = Fraction()
    whole = sum((pairs[r][0] * pairs[r][1] for r in rows), Fraction())
    weight = sum(pairs[r][1] for r in rows)
    for column in range(X.shape[1]):
        order = sorted(rows, key=lambda r: X[r, column])
        left, on_left = Fraction(), Fraction()
        for a, b in zip(order[:-1], order[1:], strict=True):
            left, on_left = left + pairs[a][0] * pairs[a][1], on_left + pairs[a][1]
            if X[a, column] < X[b, column]:
                best = max(best, gain_of(left, on_left, whole, weight))
    return best


def gain_of(left: Fraction, on_left: Fraction, whole: Fraction, weight: Fraction) -> Fraction:
    difference = left / on_left - (whole - left) / (weight - on_left)
    return on_left * (weight - on_left) / weight**2 * difference**2


def check(seed: int) -> None:
    rng = np.random.default_rng([71, seed])
    n, criterion = int(rng.integers(5, 40)), CRITERIA[seed % len(CRITERIA)]
    X = rng.integers(0, 12, (n, 2)).astype(float)
    y = decades(rng, n, seed // len(CRITERIA) % 3)
    y = np.abs(y) if criterion == "poisson" else y
    w = None if seed % 2 else rng.integers(1, 4, n).astype(float)
    tree = FastTreeRegressor(criterion=criterion).fit(X, y, sample_weight=w).tree_
    pairs = [
        (Fraction(a), Fraction(b)) for a, b in zip(y, np.ones(n) if w is None else w, strict=True)
    ]
    for node, rows in enumerate(rows_by_node(tree, X)):
        own, value = [pairs[r] for r in rows], Fraction(tree.value[node])
        impurity, variance = Fraction(tree.impurity[node]), exact_variance(own)
        assert abs(Fraction(tree.variance[node]) - variance) <= NEAR * variance
        if criterion in OF_MEANS:
            assert abs(value - exact_mean(own)) <= Fraction(1, 2**52) * abs(exact_mean(own))
        if criterion == "squared_error":
            assert impurity == Fraction(tree.variance[node])
        elif criterion == "standard_deviation":
            assert float(impurity) == pytest.approx(math.sqrt(variance), rel=1e-9)
        elif criterion == "poisson":
            assert float(impurity) == pytest.approx(deviance(own), rel=1e-9, abs=1e-300)
        else:
            q = Fraction(1, 2) if criterion == "absolute_error" else Fraction(1, 4)
            middle, scale = exact_quantile(own, q), 2 if criterion == "absolute_error" else 1
            assert value == Fraction(float(middle))
            loss = sum(w * (q if y > middle else 1 - q) * abs(y - middle) for y, w in own)
            loss *= scale / sum(w for _, w in own)
            assert abs(impurity - loss) <= NEAR * loss
        if criterion == "squared_error" and tree.feature[node] >= 0:
            left = [pairs[r] for r in rows if X[r, tree.feature[node]] <= tree.threshold[node]]
            sums = [sum((y * w for y, w in some), Fraction()) for some in (left, own)]
            weights = [sum(w for _, w in some) for some in (left, own)]
            found = gain_of(sums[0], weights[0], sums[1], weights[1])
            # Gains far below the variance are lost in the squares of the grid.
            assert found >= (1 - NEAR) * best_gain(X, pairs, rows) - NEAR * variance
            slack = Fraction(1, 10**5) * found + NEAR * variance
            assert abs(Fraction(tree.score[node]) - found) <= slack
        if criterion != "poisson" and tree.feature[node] < 0:
            # A leaf has one number, or rows that no threshold divides.
            assert variance == 0 or len({tuple(X[r]) for r in rows}) == 1


@pytest.mark.parametrize("start", thinned(range(0, CASES, CHUNK), 10))
def test_nodes_are_those_of_exact_rationals(start):
    for seed in range(start, start + CHUNK):
        check(seed)


@pytest.mark.parametrize("criterion", CRITERIA, ids=str)
@pytest.mark.parametrize("kind", [0, 1, 2])
@pytest.mark.parametrize("how", [{}, {"max_leaf_nodes": 9}, {"missing": "branch", "max_depth": 6}])
def test_order_threads_and_copies_change_no_byte(criterion, kind, how):
    rng = np.random.default_rng([72, kind])
    X, y = rng.normal(size=(300, 3)).round(1), np.abs(decades(rng, 300, kind))
    X[::9, 1] = np.nan
    w = rng.integers(1, 4, 300)

    def grown(X, y, w=None, jobs=1):
        model = FastTreeRegressor(criterion=criterion, n_jobs=jobs, **how)
        return model.fit(X, y, sample_weight=w).to_bytes()

    order = rng.permutation(300)
    assert grown(X, y) == grown(X[order], y[order], jobs=2)
    some = grown(X, y, w.astype(float))
    assert some == grown(X[order], y[order], w[order].astype(float), jobs=2)
    if how.get("missing"):
        copies = np.repeat(np.arange(300), w)
        one = FastTreeRegressor(criterion=criterion, **how).fit(X, y, sample_weight=w)
        all_of = FastTreeRegressor(criterion=criterion, **how).fit(X[copies], y[copies])
        assert np.array_equal(one.predict(X), all_of.predict(X))


@pytest.mark.parametrize("far", [1e3, 1e9, 1e12, 1e18])
@pytest.mark.parametrize("kind", ["numbers", "levels", "gaps", "histogram", "forest"])
def test_one_far_number_leaves_the_rest_of_the_tree_alone(far, kind):
    rng = np.random.default_rng(73)
    X = rng.normal(size=(400, 2)).round(2)
    y = np.abs(X[:, 0]) + rng.uniform(0, 0.1, 400)
    y[7] = far
    how: dict[str, Any] = {"min_samples_leaf": 5}
    frame = pd.DataFrame(X, columns=["a", "b"])
    if kind == "levels":
        frame["b"] = rng.choice(list("uvwxyz"), 400)
        how["nominal_splits"] = "subset"
    if kind == "gaps":
        frame.loc[::11, "b"] = np.nan
    if kind == "histogram":
        how |= {"threshold_search": "histogram"}
    if kind == "forest":
        model = FastForestRegressor(5, random_state=0, max_features=None, **how).fit(frame, y)
        near = model.predict(frame) < 3
        assert near.sum() > 350
        assert np.abs(model.predict(frame)[near] - y[near]).mean() < 0.1
        return
    tree = FastTreeRegressor(**how).fit(frame, y)
    leaves = tree.apply(frame)
    for leaf in np.unique(leaves):
        rows = np.flatnonzero(leaves == leaf)
        if kind != "gaps":
            assert tree.tree_.value[leaf] == pytest.approx(
                math.fsum(y[rows]) / len(rows), rel=1e-14
            )
    without = leaves != leaves[7]
    assert np.abs(tree.predict(frame)[without] - y[without]).mean() < (
        0.35 if kind == "levels" else 0.1
    )


@pytest.mark.parametrize("leaves", [2, 3, 5, 9, 17])
def test_a_limit_on_leaves_takes_the_best_splits_of_the_whole_tree(leaves):
    rng = np.random.default_rng([74, leaves])
    X, y = rng.normal(size=(200, 2)), decades(rng, 200, 0)
    whole = FastTreeRegressor().fit(X, y).tree_
    gain = whole.score * whole.weighted_n_node_samples
    opened, chosen = {0}, set()
    while len(chosen) < leaves - 1:
        node = max((n for n in opened if whole.feature[n] >= 0), key=lambda n: gain[n])
        opened = opened - {node} | {whole.children_left[node], whole.children_right[node]}
        chosen.add(node)
    limited = FastTreeRegressor(max_leaf_nodes=leaves).fit(X, y)
    assert limited.get_n_leaves() == leaves
    kept = sorted(whole.value[n] for n in opened)
    inner = limited.tree_.feature < 0
    assert sorted(limited.tree_.value[inner]) == kept


def test_poisson_far_from_0_loses_no_digits():
    rng = np.random.default_rng(75)
    X, noise = rng.normal(size=(200, 3)), rng.uniform(0, 1e-4, 200)
    y = 1e9 + 1e-3 * (X[:, 1] > 0) + noise
    tree = FastTreeRegressor(criterion="poisson", max_depth=2).fit(X, y).tree_
    assert tree.feature[0] == 1
    pairs = [(Fraction(a), Fraction(1)) for a in y]
    for node, rows in enumerate(rows_by_node(tree, X)):
        assert tree.impurity[node] == pytest.approx(deviance([pairs[r] for r in rows]), rel=1e-9)
    # The score is the decrease of the impurity.
    share = tree.n_node_samples / 200
    left, right = tree.children_left[0], tree.children_right[0]
    after = share[left] * tree.impurity[left] + share[right] * tree.impurity[right]
    assert tree.score[0] == pytest.approx(tree.impurity[0] - after, rel=1e-9)


@pytest.mark.parametrize("y", [[1, 2, 9, 1e13], [1, 1, 1e13, 1], [1e-9, 1e18, 2e-9, 3e-9]])
def test_poisson_divides_small_counts_beside_a_large_one(y):
    X = np.arange(len(y))[:, None]
    assert FastTreeRegressor(criterion="poisson").fit(X, y).predict(X).tolist() == y


def test_predictions_of_heavy_tails_are_positive():
    rng = np.random.default_rng(76)
    X = rng.normal(size=(1000, 2))
    y = np.exp(8 * (X[:, 0] + 0.3 * rng.normal(size=1000)))
    for criterion in ("squared_error", "absolute_error", "poisson"):
        model = FastTreeRegressor(criterion=criterion, min_samples_leaf=5).fit(X, y)
        assert model.predict(X).min() >= y.min()


def test_values_of_a_monotonic_tree_stay_in_order_at_all_scales():
    for seed in range(30):
        rng = np.random.default_rng([77, seed])
        X, y = rng.normal(size=(80, 2)), decades(rng, 80, seed % 3)
        model = FastTreeRegressor(monotonic_cst=[1, 0]).fit(X, y)
        at = np.repeat(X[:, :], 40, axis=0)
        at[:, 0] = np.tile(np.linspace(-3, 3, 40), 80)
        assert (np.diff(model.predict(at).reshape(80, 40), axis=1) >= 0).all()
