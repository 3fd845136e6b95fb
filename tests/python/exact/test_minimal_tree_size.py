"""The criterion `minimal_tree_size`: local growth is minimal, scores are sums of sizes, and what it
cannot serve is refused."""

from __future__ import annotations

import numpy as np
import pytest

import fasttree
from fasttree.criteria import MinimalTreeSize

from ...oracle.exact_oracle import divisions, minimal_tree_size


def tiny(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A small table without contradictions, of two classes at least."""
    rng = np.random.default_rng(seed)
    X = np.unique(rng.integers(0, 4, size=(rng.integers(5, 12), rng.integers(1, 4))), axis=0)
    y = rng.integers(0, 3, size=len(X))
    y[:2] = [0, 1]
    return X.astype(float), y


def size(X: np.ndarray, y: np.ndarray, rows: frozenset[int]) -> int:
    kept = sorted(rows)
    return minimal_tree_size(X[kept].T.tolist(), y[kept].tolist())


@pytest.mark.parametrize("seed", range(60))
def test_local_growth_is_minimal(seed):
    X, y = tiny(seed)
    grown = fasttree.fit(X, y, criterion="minimal_tree_size")
    assert grown.n_nodes_ == minimal_tree_size(X.T.tolist(), y.tolist())
    assert (grown.predict(X) == y).all()
    # The distance of the first split is the size of what follows.
    assert grown.tree_.distance[0] == grown.n_nodes_ - 1
    best_first = fasttree.fit(
        X, y, criterion="mts", max_leaf_nodes=100, ties="random", random_state=seed
    )
    assert best_first.n_nodes_ == grown.n_nodes_


@pytest.mark.parametrize("seed", range(20))
def test_scores_are_sums_of_sizes(seed):
    X, y = tiny(seed)
    scores = fasttree.score_features(X, y, criterion="minimal_tree_size")
    everything = frozenset(range(len(y)))
    for j, score in enumerate(scores):
        sums = [
            size(X, y, left) + size(X, y, right)
            for left, right in divisions([X[:, j].tolist()], everything)
        ]
        assert (np.isnan(score) and not sums) or -score == min(sums)


def test_levels_are_branches_and_count_in_their_declared_order():
    table = fasttree.datasets.make_xor()
    # Under either of the first two bits four rows remain, which one test divides; under the third
    # the parity remains.
    assert fasttree.score_features(table, criterion="mts").tolist() == [-6.0, -6.0, -14.0]


def test_the_criterion_finds_the_tree_of_the_search_on_real_rows():
    table = fasttree.datasets.load_iris()
    smallest = fasttree.minimal_tree(table).n_nodes_
    for criterion in ("mts", MinimalTreeSize(node_budget=100_000, total_budget=10**9)):
        assert fasttree.fit(table, criterion=criterion).n_nodes_ == smallest


def test_a_budget_gives_bounds_that_depend_on_the_data_alone():
    rng = np.random.default_rng(3)
    X, y = rng.random((60, 3)), rng.integers(0, 2, 60)
    small, large = (
        fasttree.score_features(X, y, criterion=MinimalTreeSize(node_budget=b)) for b in (1, 300)
    )
    assert (small >= large).all() and (small > large).any()
    again = fasttree.score_features(X, y, criterion=MinimalTreeSize(node_budget=1), n_jobs=2)
    assert (again == small).all()
    # Weights are copies and change no size; a row of weight 0 is not there.
    weight = np.where(np.arange(60) < 30, 0.0, 2.0)
    weighted = fasttree.score_features(X, y, criterion="mts", sample_weight=weight)
    assert (weighted == fasttree.score_features(X[30:], y[30:], criterion="mts")).all()


def test_a_missing_value_is_a_branch_and_comes_last_in_the_sizes():
    X, y = (
        np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [np.nan, 0.0], [np.nan, 1.0]]),
        [0, 0, 0, 0, 1, 1],
    )
    # x0: two pure sides and a pure branch of missing values; x1: on either side the missing one is
    # cut off.
    assert fasttree.score_features(X, y, criterion="mts").tolist() == [-3.0, -6.0]
    assert (fasttree.fit(X, y, criterion="mts").predict(X) == y).all()


def test_what_it_cannot_serve_is_refused():
    X, y = tiny(0)
    with pytest.raises(ValueError, match="criteria on tables"):
        fasttree.fit(X, y, criterion="minimal_tree_size", evaluation="global")
    with pytest.raises(ValueError, match="no_distance_decay"):
        fasttree.fit(X, y, criterion="minimal_tree_size", no_distance_decay=True)
    with pytest.raises(ValueError, match=r"501 distinct rows.*500.*minimal_tree"):
        fasttree.fit(np.arange(501.0)[:, None], np.arange(501) % 2, criterion="minimal_tree_size")
    with pytest.raises(ValueError, match="node_budget"):
        fasttree.fit(X, y, criterion=MinimalTreeSize(node_budget=0))
    with pytest.raises(ValueError, match="rows themselves"):
        MinimalTreeSize().score([[1, 0], [0, 1]])


def test_all_sizes_of_a_fit_share_a_budget_and_threads_change_nothing():
    rng = np.random.default_rng(8)
    X, y = rng.random((80, 4)), rng.integers(0, 2, 80)
    scores = {}
    for total in (1, 400, 20_000):
        criterion = MinimalTreeSize(total_budget=total)
        models = [fasttree.fit(X, y, criterion=criterion, n_jobs=n) for n in (1, 2, 3)]
        assert len({model.to_bytes() for model in models}) == 1
        assert (models[0].predict(X) == y).all()
        scores[total] = fasttree.score_features(X, y, criterion=criterion)
    # A larger budget proves larger sizes.
    assert (scores[1] >= scores[400]).all() and (scores[400] >= scores[20_000]).all()
    assert (scores[1] > scores[20_000]).any()
    with pytest.raises(ValueError, match="total_budget"):
        fasttree.fit(X, y, criterion=MinimalTreeSize(total_budget=0))


def test_comparisons_say_that_it_was_skipped_and_why():
    rng = np.random.default_rng(9)
    X, y = rng.random((900, 2)), rng.integers(0, 2, 900)
    found = fasttree.model_selection.cross_validate(
        X, y, criterion=["gini", "minimal_tree_size"], cv="1x3", on_error="skip", max_depth=2
    )
    assert list(found.skipped) == ["minimal_tree_size"]
    assert "600 distinct rows" in found.skipped["minimal_tree_size"]
