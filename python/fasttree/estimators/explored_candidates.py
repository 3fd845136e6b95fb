"""Scores of candidate splits by several criteria, for the pages of `explore`.

What
    In the nodes with the most rows, every candidate split is scored by every criterion on the rows
    that reach the node. The page keeps the best candidates by each criterion, and the best one of
    each feature.
Complexity
    One search of a node per criterion, by the core.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import criteria as registry
from .._checks.naming import display_name, splits_by_significance
from .._checks.plain_text import level_text
from .._checks.words import counted, p_value_text, some_of
from ..criteria import Criterion, NamedCallable
from ..exports.explorer import ExplorerLimits, TreeData
from ..exports.explorer.trees import name_of, rounded
from ..table import Table
from .candidates import NodeCandidates, score_candidates_by, scoring_criterion, split_at
from .conditions import merges
from .declaration import REGRESSION_TREE, TREE
from .explained import APART
from .honest import is_honest
from .labelled_rows import labelled

COPIED = (
    "selection",
    "missing",
    "nominal_splits",
    "discretize",
    "n_bins",
    "threshold_search",
    "max_bins",
    "thresholds",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
)
"""Parameters of a tree on which the candidates of a node depend, beside the criterion."""


@dataclass
class Rows:
    """The rows of a page.

    The blocks are encoded once and serve all trees of the page.

    Attributes:
        table: the rows with labels, in the columns of the first model.
        blocks: their features as blocks for the core.
        weights: weights of the rows, shape (n_rows,); None: all 1.
    """

    table: Table
    blocks: list[np.ndarray]
    weights: np.ndarray | None

    @property
    def weight(self) -> np.ndarray:
        """Weight of each row, float64, shape (n_rows,); ones where the rows have no weights. Unlike
        the attribute `weights`, it is never None."""
        return np.ones(len(self.table)) if self.weights is None else self.weights


def candidates(
    trees: list[TreeData], rows: Rows, wanted: Iterable[Any] | None, limits: ExplorerLimits
) -> tuple[list[dict[str, Any]], list[str]]:
    """Add candidates to the nodes with the most rows.

    Nodes at which the first two trees split differently come before nodes with more rows. A
    criterion that cannot score a node is left out there, and a note says why.

    Args:
        trees: the trees of the page, whose `candidates` are filled.
        rows: the rows from which they are scored.
        wanted: criteria beside the trees' own; None: all on tables, or on numbers.
        limits: limits of the page.

    Returns:
        The criteria as plain values, and notes on what is left out.
    """
    criteria = _criteria(trees, wanted)
    # The nodes with the most rows, after those at which two trees first differ.
    inner = [(tree, int(node)) for tree in trees for node in tree.inner()]
    inner.sort(key=lambda pair: -float(pair[0].reading.tree.weighted_n_node_samples[pair[1]]))
    first = _first_difference(trees)
    inner.sort(key=lambda pair: pair not in first)
    listed = inner[: limits.candidate_nodes]
    # Their candidates.
    scorer = _Scorer(rows, criteria, limits)
    most = n_cut = 0
    for tree, node in listed:
        document = scorer.score(tree, node)
        if document is not None:
            tree.candidates[node] = document
            most = max(most, document["of"])
            n_cut += document["of"] > len(document["feature"])
    # What is left out.
    notes = []
    if len(listed) < len(inner):
        notes.append(f"candidates of {len(listed):,} of {counted(len(inner), 'node')}")
    if n_cut:
        notes.append(
            f"of {counted(n_cut, 'node')} the best {counted(limits.max_candidates, 'candidate')} "
            f"and the best of each feature (of up to {most:,})"
        )
    if len(scorer.sample) < len(rows.table):
        notes.append(
            f"candidates scored on {len(scorer.sample):,} of {counted(len(rows.table), 'row')}"
        )
    reasons: dict[str, list[str]] = {}
    for name, why in scorer.refused.items():
        reasons.setdefault(why, []).append(name)
    for why, names in reasons.items():
        notes.append(f"{some_of(names)} {'is' if len(names) == 1 else 'are'} not listed: {why}")
    # Criteria that refused are dropped.
    described = [_plain(criterion) for criterion in criteria]
    served = [c for c, facts in enumerate(described) if facts["name"] not in scorer.refused]
    for tree, node in listed:
        if node in tree.candidates:
            of_node = tree.candidates[node]
            of_node.update({key: [of_node[key][c] for c in served] for key in ("scores", "best")})
    return [described[c] for c in served], notes


def _criteria(trees: list[TreeData], wanted: Iterable[Any] | None) -> list[Any]:
    """The criteria of a page, each once: first the criterion of the first tree, then the wanted
    ones, then the criteria of the other trees.

    A function that a model file names but does not hold (`NamedCallable`) is left out.
    """
    names: list[Any] = []
    measure = scoring_criterion(trees[0].model)
    if measure is not None and not registry.is_of_trees(measure):
        names.append(measure)
    evidence = ("moments", "order") if trees[0].reading.predicts_number else ("table",)
    names += list(wanted) if wanted is not None else _on(evidence)
    names += [scoring_criterion(tree.model) or "info_gain" for tree in trees[1:]]
    criteria: list[Any] = []
    for criterion in map(registry.make, names):
        if criterion not in criteria:
            criteria.append(criterion)
    return [one for one in criteria if not isinstance(one, NamedCallable)]


def _first_difference(trees: list[TreeData]) -> list[tuple[TreeData, int]]:
    """The first nodes, level by level, at which the first two trees split differently."""
    if len(trees) < 2:
        return []
    left, right = trees[:2]
    queue = [(0, 0)]
    for i, j in queue:
        if not left.reading.n_children[i] or not right.reading.n_children[j]:
            if left.reading.n_children[i] or right.reading.n_children[j]:
                return [(left, i), (right, j)]
            continue
        if split_at(left.model, i) != split_at(right.model, j):
            return [(left, i), (right, j)]
        queue += zip(left.reading.children[i], right.reading.children[j], strict=False)
    return []


def _on(evidence: Sequence[str]) -> list[str]:
    """Names of all criteria on some kinds of evidence."""
    return [row["name"] for row in registry.list_criteria() if row["evidence"] in evidence]


def _plain(criterion: Any) -> dict[str, Any]:
    """A criterion as plain values: ``name``, and ``zero``, whether its lowest score is 0."""
    if isinstance(criterion, Criterion):
        has_defaults = criterion == type(criterion)()
        name = criterion.name if has_defaults else repr(criterion)
        return {"name": name_of(name), "zero": criterion.info["lowest"] == 0}
    name = registry.name_of(criterion) or display_name(criterion)
    return {"name": name_of(name), "zero": False}


class _Scorer:
    """Scores the candidates of nodes by several criteria.

    Attributes:
        sample: the rows from which candidates are scored, evenly spaced.
        refused: why a criterion could not score some node, by its name.
    """

    def __init__(self, rows: Rows, criteria: list[Any], limits: ExplorerLimits) -> None:
        n = len(rows.table)
        self.rows, self.limits, self.criteria = rows, limits, criteria
        count = min(n, limits.candidate_rows)
        self.sample = np.unique(np.linspace(0, n - 1, count).round().astype(int))
        self.refused: dict[str, str] = {}
        self._tables: dict[str, Table] = {}

    def _table(self, model: Any) -> Table:
        """The rows in the columns of a model; models of the same columns share them."""
        key = model._model.schema_json()
        if key not in self._tables:
            self._tables[key] = labelled(model._schema, self.rows.table)
        return self._tables[key]

    def score(self, tree: TreeData, node: int) -> dict[str, Any] | None:
        """Candidates of a node as plain values (`_arrange`); None if no row reaches it."""
        model, n = tree.model, len(self.rows.table)
        fractions = np.zeros(n)
        fractions[self.sample] = model._model.reach(self.rows.blocks, n, node)[self.sample]
        if not fractions.any():
            return None
        listed = [self._candidates(tree, fractions, criterion) for criterion in self.criteria]
        document = _arrange(tree, node, listed, self.limits.max_candidates)
        by = [_plain(criterion)["name"] for criterion in self.criteria]
        if document is not None and (
            sentence := _missing_in_words(dict(zip(by, listed, strict=True)))
        ):
            document["missing"] = sentence
        if document is not None and splits_by_significance(model) and not is_honest(model):
            document["tests"] = self._tests(model, node, document["feature"])
        return document

    def _tests(self, model: Any, node: int, features: list[int]) -> list[str]:
        """The p-value of the feature of each candidate as text, from all rows, as in growth; empty
        where the feature is not tested."""
        fractions = model._model.reach(self.rows.blocks, len(self.rows.table), node)
        table, params = self._table(model), model.get_params(deep=False)
        tests = score_candidates_by(model, params, table, fractions, self.rows.weights).tests
        p_values = {name: f"p{p_value_text(p, ' = ')}" for name, (_, p) in tests.items() if p >= 0}
        return [p_values.get(model._schema.names[f], "") for f in features]

    def _candidates(self, tree: TreeData, fractions: np.ndarray, criterion: Any) -> NodeCandidates:
        """The candidates of a node by one criterion.

        If the criterion cannot score them, there are none, and `refused` says why.

        Args:
            tree: the tree.
            fractions: fraction of each row that reaches the node, shape (n_rows,).
            criterion: the criterion.
        """
        model, weights = tree.model, self.rows.weights
        table = self._table(model)
        try:
            found = score_candidates_by(
                model, _plain_tree(model, criterion), table, fractions, weights
            )
        except ValueError as error:
            why = str(error)
            if "is not binned" in why:
                why = f"scores on pairs or neighbours need bins, and {tree.name} splits thresholds"
            self.refused.setdefault(_plain(criterion)["name"], why)
            found = NodeCandidates()
        return found


def _missing_in_words(listed: dict[str, NodeCandidates]) -> str:
    """A sentence on how scores treat rows without a value; empty if there are no such rows.

    Args:
        listed: the candidates of a node by the name of the criterion.
    """
    scored = {name: candidates for name, candidates in listed.items() if candidates}
    if not any(candidates.lacking for candidates in scored.values()):
        return ""
    apart = [name for name, candidates in scored.items() if candidates.apart]
    if len(apart) == len(scored):
        return "Rows without a value are a branch of their own, as in this tree."
    sentence = "Rows without a value are left out, as in this tree"
    return (
        f"{sentence}; by {some_of(apart)} they are a branch of their own."
        if apart
        else f"{sentence}."
    )


def _plain_tree(model: Any, criterion: Any) -> dict[str, Any]:
    """Parameters of a tree that has the same candidate splits as a model, scored by `criterion`."""
    params = {"nominal_splits": "ordered", **model.get_params(deep=False)}
    # Exact trees cut the order of the levels, which growth does not: it splits into all branches.
    if params["nominal_splits"] == "ordered":
        params["nominal_splits"] = "multiway"
    copied = {name: params[name] for name in COPIED if name in params}
    if merges(params):  # rows without a value are a level
        copied["selection"] = "score"
    if not registry.is_on_number(criterion) and "target_bins" in params:
        copied["target_bins"] = params["target_bins"]
    declared = REGRESSION_TREE if model._task == "regression" else TREE
    defaults = {p.name: p.default for p in declared}
    return {**defaults, "criterion": criterion, "cut": "criterion", **copied}


def _align(listed: list[NodeCandidates]) -> tuple[list[tuple[int, Any]], np.ndarray]:
    """Bring the candidates by several criteria together.

    Args:
        listed: candidates by each criterion.

    Returns:
        (feature, split) of each candidate, and scores (n_criteria, n_candidates), NaN where a
        criterion has no such candidate.
    """
    place: dict[tuple[int, Any], int] = {}
    for candidates in listed:
        for key in candidates.feature_splits():
            place.setdefault(key, len(place))
    scores = np.full((len(listed), len(place)), np.nan)
    for row, candidates in zip(scores, listed, strict=True):
        row[[place[key] for key in candidates.feature_splits()]] = candidates.scores
    return list(place), scores


def _arrange(
    tree: TreeData, node: int, listed: list[NodeCandidates], most: int
) -> dict[str, Any] | None:
    """The candidates of a node as plain values for the page; None without candidates.

    Args:
        tree, node: the node.
        listed: candidates by each criterion.
        most: largest number of candidates that are kept because of their rank, which is the best
            rank by any criterion. The best candidate of each of the `most` best features by each
            criterion is kept in any case.
    """
    names = tree.model._schema.names
    keys, scores = _align(listed)
    if not keys:
        return None
    scored = [candidates for candidates in listed if candidates]
    lacking = scored[0].lacking if all(candidates.apart for candidates in scored) else ()
    comparable = np.where(np.isfinite(scores), scores, -np.inf)
    best = [int(row.argmax()) if np.isfinite(row).any() else -1 for row in comparable]
    kept = np.arange(len(keys))
    if len(keys) > most:
        order = np.argsort(-comparable, axis=1, kind="stable")
        ranks = np.empty_like(order)
        np.put_along_axis(ranks, order, np.arange(len(keys))[None, :], axis=1)
        features, leads = np.array([feature for feature, _ in keys]), np.zeros(len(keys), bool)
        for row in order:
            first = np.sort(np.unique(features[row], return_index=True)[1])[:most]
            leads[row[first]] = True
        kept = np.lexsort((ranks.min(axis=0), ~leads))[: max(most, int(leads.sum()))]
        kept = np.sort(kept)
    index = {int(j): i for i, j in enumerate(kept)}
    split = split_at(tree.model, node)
    return {
        "of": len(keys),
        "feature": [keys[j][0] for j in kept.tolist()],
        "words": [
            _test_text(keys[j][1]) + (APART if names[keys[j][0]] in lacking else "")
            for j in kept.tolist()
        ],
        "scores": [[rounded(v, 5) for v in row[kept].tolist()] for row in scores],
        "best": [index.get(j, -1) for j in best],
        "chosen": next((i for i, j in enumerate(kept.tolist()) if keys[j] == split), -1),
    }


def _test_text(test: Any) -> str:
    """The split of a candidate as text, without the feature."""
    if test is None:
        return ""
    if isinstance(test, tuple):
        names = ", ".join(map(level_text, test))
        return name_of(f"= {names}" if len(test) == 1 else f"in {{{names}}}")
    return f"\u2264 {test:.6g}"


def traced(trees: list[TreeData], limits: ExplorerLimits) -> list[dict[str, Any]]:
    """Add the candidates that the fit of the first tree kept (``trace="candidates"``).

    They are all candidates of one criterion, so the page can show them without any rows.

    Returns:
        Their criterion as plain values, in a list; empty if there are none.
    """
    model = trees[0].model
    traced = getattr(model, "_candidates", None)
    if not traced:
        return []
    for node in trees[0].inner()[: limits.candidate_nodes].tolist():
        listed = [traced.get(node, NodeCandidates())]
        document = _arrange(trees[0], node, listed, limits.max_candidates)
        if document is not None:
            trees[0].candidates[node] = document
    return [_plain(registry.make(scoring_criterion(model)))]
