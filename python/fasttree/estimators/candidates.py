"""Candidate splits of a node with their scores, as the core finds them on given rows.

What
    `score_candidates` sends rows to the core, which scores every candidate split of a node on the
    rows that reach it. `NodeCandidates` holds the result; ``trace="candidates"`` keeps one for each
    inner node (`all_candidates`), `explain` and the explorer ask for single nodes.
Complexity
    One search of the node. The candidates of a whole trace: one search per inner node.
When not to use it
    For scores of features on all rows: `fasttree.score_features`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .. import _engine
from .._checks.naming import splits_by_significance
from ..criteria import NamedCallable
from ..table import Table
from .labelled_rows import labelled
from .new_rows import encode_rows
from .parameters import config_of
from .training_rows import TrainingRows

Candidate = tuple[str, Any, float]
"""A candidate split: feature, threshold or levels of the first branch (None: one branch per level),
and score."""


@dataclass(frozen=True, eq=False)
class NodeCandidates:
    """The candidate splits of a node; iteration gives a `Candidate` for each.

    Attributes:
        names: names of all features.
        features: position of the feature of each candidate, shape (n_candidates,).
        splits: threshold or levels of each candidate.
        scores: by the criterion, shape (n_candidates,).
        tests: statistic and adjusted p-value of each feature that was tested.
        lacking: names of the features with a missing value in some row of the node.
        apart: whether such rows are a branch of their own in the scores; else they are left out.
    """

    names: Sequence[str] = ()
    features: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    splits: Sequence[Any] = ()
    scores: np.ndarray = field(default_factory=lambda: np.zeros(0))
    tests: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    lacking: frozenset[str] = frozenset()
    apart: bool = False

    def __len__(self) -> int:
        return len(self.splits)

    def __iter__(self) -> Iterator[Candidate]:
        names = (self.names[feature] for feature in self.features.tolist())
        return zip(names, self.splits, self.scores.tolist(), strict=True)

    def take(self, order: np.ndarray) -> NodeCandidates:
        """The candidates at the positions `order`, in this order. `order` is an array of integers,
        shape (n_taken,); the other attributes stay as they are."""
        splits = [self.splits[place] for place in order.tolist()]
        features, scores = self.features[order], self.scores[order]
        return replace(self, features=features, splits=splits, scores=scores)

    def best_first(self) -> NodeCandidates:
        """The candidates in descending order of their score. Candidates of equal score keep their
        order, and a score that is NaN comes last."""
        return self.take(np.argsort(-self.scores, kind="stable"))

    def feature_splits(self) -> list[tuple[int, Any]]:
        """(position of the feature, split) of each candidate, in order. A split is a threshold, or
        the levels of the first branch, or None for one branch per level."""
        return list(zip(self.features.tolist(), self.splits, strict=True))


def rows_by_node(leaves: np.ndarray, ends: np.ndarray) -> Callable[[int], np.ndarray]:
    """A function that gives the rows below a node, in the order of their leaves.

    The leaves of a subtree are consecutive in pre-order, so its rows are a range of all rows sorted
    by leaf.

    Args:
        leaves: leaf of each row, shape (n_rows,).
        ends: one past the last node below each node (`TreeArrays.subtree_ends`), shape (n_nodes,).

    Examples:
        >>> rows_of = rows_by_node(np.array([2, 1, 2]), np.array([3, 2, 3]))
        >>> rows_of(0).tolist(), rows_of(2).tolist()
        ([1, 0, 2], [0, 2])
    """
    order = np.argsort(leaves, kind="stable")
    first, last = np.searchsorted(leaves[order], np.array([np.arange(len(ends)), ends]))
    return lambda node: order[first[node] : last[node]]


def divides_rows(fitted: Any) -> bool:
    """Whether some node sends rows with a missing value down all branches, in fractions.

    If so, rows reach nodes in parts, and candidates have to be scored on fractions of rows;
    otherwise each row reaches a node or does not.
    """
    return bool(np.any(fitted.tree_.missing_branch == -2))


def all_candidates(
    fitted: Any, rows: TrainingRows, config: dict[str, Any], custom: Any
) -> dict[int, NodeCandidates]:
    """The candidates of every inner node, by node number.

    Each inner node is searched once more, on the rows that reach it.

    Args:
        fitted: a fitted tree.
        rows: its training rows.
        config: the parameters as the core takes them, with the class weights.
        custom: the criterion, if it is a user's function.
    """
    blocks, n = encode_rows(fitted._schema, rows.table)
    rows_of = rows_by_node(fitted._model.apply(blocks, n), fitted.tree_.subtree_ends())
    table = labelled(fitted._schema, rows.table)
    is_divided, candidates = divides_rows(fitted), {}
    for node in np.flatnonzero(fitted.tree_.n_children > 0).tolist():
        if is_divided:
            fractions = fitted._model.reach(blocks, n, node)
        else:
            fractions = np.zeros(n)
            fractions[rows_of(node)] = 1.0
        candidates[node] = score_candidates(
            fitted, table, fractions, config, custom, weights=rows.weights
        )
    return candidates


def score_candidates(
    fitted: Any,
    table: Table,
    fractions: np.ndarray,
    config: dict[str, Any],
    custom: Any,
    *,
    weights: np.ndarray | None,
) -> NodeCandidates:
    """The candidates of a node, with the tests of its features where significance chooses them.

    Args:
        fitted: a fitted tree.
        table: rows with the columns and classes of the model (`labelled`).
        fractions: fraction of each row that reaches the node, shape (n_rows,).
        config: the parameters as the core takes them, with the class weights.
        custom: the criterion, if it is a user's function.
        weights: sample weights, shape (n_rows,); None: all 1.
    """
    rows, sample_weight = _engine.dataset_of(table), _engine.as_weights(weights)
    candidates, tests, left_out = fitted._model.explain(
        rows, config, fractions, sample_weight, custom
    )
    features, thresholds, scores, divisions = candidates
    names, levels = fitted._schema.names, fitted._schema.levels
    splits = thresholds.astype(object)
    splits[np.isnan(thresholds)] = None
    for number, codes in divisions:
        splits[number] = tuple(levels[features[number]][code] for code in codes)
    reached, is_imputed = fractions > 0, fitted.get_params(deep=False).get("missing") == "mode"
    return NodeCandidates(
        names,
        features,
        splits.tolist(),
        scores,
        tests={names[f]: (statistic, math.exp(log_p)) for f, statistic, log_p in tests},
        lacking=frozenset(
            names[f]
            for f in ([] if is_imputed else set(features.tolist()))
            if table.columns[f].is_missing[reached].any()
        ),
        apart=not left_out,
    )


def score_candidates_by(
    fitted: Any,
    params: dict[str, Any],
    table: Table,
    fractions: np.ndarray,
    weights: np.ndarray | None,
) -> NodeCandidates:
    """`score_candidates` by the parameters of an estimator, not by a configuration of the core.

    `params` may differ from the parameters of `fitted`, for example in the criterion. Class weights
    and priors of `fitted` multiply `weights`.
    """
    config, custom = config_of(params, table, weights)
    config = fitted._weigh(table, weights).configured(config)
    return score_candidates(fitted, table, fractions, config, custom, weights=weights)


def scoring_criterion(fitted: Any) -> Any:
    """The criterion by which the splits of a tree are scored.

    Where a two-sample statistic chooses the cut, the statistic is a multiple of this criterion;
    otherwise it is the parameter `criterion`. It is None for an estimator without that parameter.
    """
    if not splits_by_significance(fitted) or fitted.cut == "criterion":
        return getattr(fitted, "criterion", None)
    if fitted._task == "regression":
        return "squared_error"
    return "chi2" if fitted.cut_test == "quadratic" else NamedCallable("largest_deviation")


def split_at(fitted: Any, node: int) -> tuple[int, Any]:
    """The split of an inner node, as `NodeCandidates.feature_splits` has it: number of the
    feature, and threshold or levels of the first branch (None: one branch per level)."""
    tree, levels = fitted.tree_, fitted._schema.levels
    feature, threshold = int(tree.feature[node]), float(tree.threshold[node])
    if not math.isnan(threshold):
        return feature, threshold
    return feature, tuple(levels[feature][code] for code in tree.levels_of(node)) or None
