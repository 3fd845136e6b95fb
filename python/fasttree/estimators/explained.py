"""The methods `explain` and `decision_rule` of trees.

What
    `explain` lists the scores of all candidate splits of a node, from the trace or from given rows.
    The core scores them on the rows that reach the node.
    `decision_rule` writes the path of a row as text.
Complexity
    `explain`: one search of the node. The candidates of a whole trace: one search per inner node.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _engine
from .._checks import shown
from .._checks.aliases import MaybeArray
from .._checks.data_warnings import warn_caller
from .._checks.naming import is_by_test, shown_criterion
from .._checks.plain_text import one_line
from .._checks.words import counted, p_value_text
from ..criteria import NamedCallable
from ..exports.reading import Reading
from ..exports.tables.html import Lines, bar
from ..exports.tables.listing import Records
from ..table import Table
from .constraints import constraints_given
from .honest import is_honest
from .new_rows import labelled, rows_for
from .parameters import config_of
from .training_rows import TrainingRows, own_weights

F = TypeVar("F", bound=Callable[..., Any])

Candidate = tuple[str, Any, float]
"""A candidate split: feature, threshold or levels of the first branch (None: one branch per level),
and score."""


SORTED_AT_ONCE = 500_000
"""Largest number of candidates in one call of `sort`, which cannot be interrupted."""


@dataclass(frozen=True, eq=False)
class NodeCandidates:
    """Candidates of a node; iteration gives a `Candidate` for each.

    Attributes:
        names: names of all features.
        features: number of the feature of each candidate, shape (n_candidates,).
        splits: threshold or levels of each candidate.
        scores: by the criterion, shape (n_candidates,).
        tests: statistic and adjusted p-value of each feature that was tested.
        lacking: the features of candidates without a value in some row of the node.
        apart: whether such rows have a branch of their own; else they are left out.
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
        """The candidates with these numbers, in this order."""
        splits = [self.splits[place] for place in order.tolist()]
        features, scores = self.features[order], self.scores[order]
        return replace(self, features=features, splits=splits, scores=scores)

    def best_first(self) -> NodeCandidates:
        """The candidates in descending order of their score, equal ones in their order.

        A sort cannot be interrupted, so that long lists are sorted in blocks, then merged.
        """
        starts = range(0, len(self), SORTED_AT_ONCE)
        parts = [self.scores[start : start + SORTED_AT_ONCE] for start in starts]
        blocks = [np.argsort(-part, kind="stable") for part in parts]
        sorted_blocks = [start + block for start, block in zip(starts, blocks, strict=True)]
        order = np.concatenate([np.zeros(0, np.int64), *sorted_blocks])
        return self.take(order[np.argsort(-self.scores[order], kind="stable")])

    def feature_splits(self) -> list[tuple[int, Any]]:
        """Number of the feature, and split, of each candidate."""
        return list(zip(self.features.tolist(), self.splits, strict=True))


TIED = 1e-12
"""Relative difference of two scores up to which they are equal, but for rounding."""

SAME_ROWS = 1e-9
"""Relative difference up to which the score of a candidate and the score of the tree's split are
taken to be of the same rows."""

APART = ", missing apart"
"""What is said of a candidate that gives rows without a value a branch of their own."""

Entry = dict[str, Any]
"""A candidate split as `explain` returns it."""


def rows_by_node(leaves: np.ndarray, ends: np.ndarray) -> Callable[[int], np.ndarray]:
    """A function that gives the rows below a node, in the order of their leaves.

    The leaves of a subtree are consecutive in pre-order, so its rows are a range of all rows sorted
    by leaf.

    Args:
        leaves: leaf of each row, (n_rows,).
        ends: for each node, the number after the last node of its subtree, (n_nodes,).

    Examples:
        >>> rows_of = rows_by_node(np.array([2, 1, 2]), np.array([3, 2, 3]))
        >>> rows_of(0).tolist(), rows_of(2).tolist()
        ([1, 0, 2], [0, 2])
    """
    order = np.argsort(leaves, kind="stable")
    first, last = np.searchsorted(leaves[order], np.array([np.arange(len(ends)), ends]))
    return lambda node: order[first[node] : last[node]]


def _one_row(row: Any) -> Any:
    """A row in any form as a table of one row; what is no single row is left as it is.

    Raises:
        TypeError: a single value or None.
    """
    if row is None or (np.isscalar(row) and not isinstance(row, str)):
        raise TypeError(
            f"row={shown(row)} must be one row: a mapping of names to cells, a frame of one row "
            "(X[i:i+1]), or a list of cells in the order of the columns"
        )
    if isinstance(row, Mapping):
        return {k: [v] if np.ndim(v) == 0 else v for k, v in row.items()}
    if hasattr(row, "to_frame") and hasattr(row, "index") and np.ndim(row) == 1:  # a pandas row
        return {str(k): [v] for k, v in row.items()}
    if isinstance(row, np.ndarray) and row.ndim == 1:
        return row.reshape(1, -1)
    if isinstance(row, (list, tuple)) and (not row or np.ndim(row[0]) == 0):
        return [list(row)]
    return row


def by_own_criterion(method: F) -> F:
    """Refuse ``criterion=`` of a method that explains by the criterion of the tree, and say what
    has other criteria."""

    @wraps(method)
    def explain(self: Any, *args: Any, **options: Any) -> Any:
        for name in ("criterion", "criteria"):
            if name in options:
                raise TypeError(
                    f"{name}={shown(options[name])}: explain scores by the criterion of the tree; "
                    "for others fasttree.score_features(X, y, criterion=...) scores the features "
                    "of the rows given (model.decision_path has the rows of a node), and "
                    "model.explore(X, y, criteria=[...]) the candidates of each node"
                )
        return method(self, *args, **options)

    return explain  # type: ignore[return-value]


def all_candidates(
    fitted: Any, rows: TrainingRows, config: dict[str, Any], custom: Any
) -> dict[int, NodeCandidates]:
    """Candidates of every inner node.

    Args:
        rows: the training rows.
        config: the parameters as the core takes them, with the class weights.
        custom: the criterion, if it is a user's function.
    """
    blocks, n = rows_for(fitted._schema, rows.table)
    rows_of = rows_by_node(fitted._model.apply(blocks, n), fitted.tree_.subtree_ends())
    table = labelled(fitted._schema, rows.table)
    candidates = {}
    for node in np.flatnonzero(fitted.tree_.n_children > 0).tolist():
        if divides_rows(fitted):
            fractions = fitted._model.reach(blocks, n, node)
        else:
            fractions = np.zeros(n)
            fractions[rows_of(node)] = 1.0
        candidates[node] = candidates_of(
            fitted, table, fractions, config, custom, weights=rows.weights
        )
    return candidates


def divides_rows(fitted: Any) -> bool:
    """True if rows with a missing value go down all branches, each with a fraction."""
    return bool(np.any(fitted.tree_.missing_branch == -2))


def candidates_of(
    fitted: Any,
    table: Table,
    fractions: np.ndarray,
    config: dict[str, Any],
    custom: Any,
    *,
    weights: np.ndarray | None,
) -> NodeCandidates:
    """Candidates of a node, and the tests of its features where significance chooses them.

    Args:
        table: rows with the columns and classes of the model (`labelled`).
        fractions: fraction of each row that reaches the node, (n_rows,).
        config: the parameters as the core takes them, with the class weights.
        custom: the criterion, if it is a user's function.
        weights: weights of the rows; None: all 1.
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


def searched(
    fitted: Any,
    params: dict[str, Any],
    table: Table,
    fractions: np.ndarray,
    weights: np.ndarray | None,
) -> NodeCandidates:
    """`candidates_of` by parameters of a tree as a user gives them."""
    config, custom = config_of(params, table, weights)
    config = fitted._weighted(table, weights).configured(config)
    return candidates_of(fitted, table, fractions, config, custom, weights=weights)


@by_own_criterion
def explain(
    fitted: Any,
    node: int = 0,
    X: Any = None,
    y: MaybeArray = None,
    sample_weight: MaybeArray = None,
) -> Records:
    """Scores of all candidate splits of a node, best first; of a searched tree their information
    gains.

    Args:
        node: node number (`tree_`); 0 is the root.
        X: rows that are sent down to the node. None: the candidates of the trace, which a fit
            with ``trace="candidates"`` keeps.
        y: their labels or numbers, unless X is a Table.
        sample_weight: their weights, shape (n_rows,); default: those of the Table, or 1. Class
            weights and priors of the model multiply them.

    Returns:
        One dict per candidate: ``feature``; ``threshold`` (None for a nominal feature); ``levels``
        of the first branch of a subset split (the best subset of each feature; else None);
        ``score``; ``chosen``: whether it is the split of the tree (a warning where none is, as on
        other rows or weights than the fit). Where the split has a branch for each group
        of levels or bins, or for each bin, also its ``limits``: of each branch the levels, or
        (lower, upper) of the numbers above the first and up to the second. With
        ``selection="significance"`` also ``statistic`` and ``p_value`` of the feature (adjusted;
        NaN where it does not vary), by which the candidates are then sorted first, and with
        ``cut="statistic"`` the score is Pearson's chi-squared X² of the split (the largest squared
        standardised deviation with ``cut_test="maximum"``), or the decrease d of the variance v:
        the two-sample statistics of n rows are X² (n - 1) / n and (n - 1) d / v. Printed are the
        best candidate of each feature, and the split of the tree; "missing apart" means that rows
        without a value are a further branch, which counts in the score. With `honest`, rows kept
        for the leaves have chosen nothing: on all rows p-values and scores are not those of
        ``tree_``.

    Raises:
        ValueError: no rows given and no candidates kept, or no row reaches the node.
    """
    check_is_fitted(fitted)
    fitted = fitted._as_grown()
    _check_node(node, fitted.tree_.node_count)
    candidates = _candidates_at(fitted, node, X, y, sample_weight)
    feature, chosen = _chosen_candidate(fitted, node, candidates)
    entries: list[Entry] = [
        {
            "feature": name,
            "threshold": None if isinstance(split, tuple) else split,
            "levels": split if isinstance(split, tuple) else None,
            "score": score,
            "chosen": name == feature and split == chosen,
        }
        for name, split, score in candidates.best_first()
    ]
    if (
        feature is not None
        and not is_honest(fitted)
        and not any(entry["chosen"] for entry in entries)
    ):
        warn_caller(
            f"no candidate is the test of node {node}: the rows or their weights are not those of "
            "the fit (a tree i of a forest has sample_weight=forest.bootstrap_counts(X, y)[i])",
            UserWarning,
        )
    if feature is not None and (limits := _limits_of(fitted, node)):
        for entry in entries:
            entry["limits"] = limits if entry["chosen"] else None
    by, by_test = repr(fitted.criterion), is_by_test(fitted)
    shown_tests: dict[str, Any] = {}
    if by_test or not isinstance(fitted.criterion, str):
        by = shown_criterion(fitted)
    if by_test:
        shown_tests = {"statistic": "statistic", "p": lambda entry: p_value_text(entry["p_value"])}
        for entry in entries:
            test = candidates.tests.get(entry["feature"], (math.nan, math.nan))
            entry["statistic"], entry["p_value"] = test
        entries.sort(key=lambda entry: (math.isnan(entry["p_value"]), entry["p_value"]))
    displayed = _one_per_feature(entries)
    best = entries[0]["score"] if entries else 0.0
    # A test has chosen the feature: scores have decided among its candidates alone.
    compared = [entry for entry in entries if entry["feature"] == feature] if by_test else entries
    notes = []
    if left := len(entries) - len(displayed):
        verb = "is" if left == 1 else "are"
        notes = [f"{counted(left, 'more split')} of these features {verb} in the list."]
    return Records(
        entries,
        {
            "candidate": lambda entry: (
                _candidate_text(fitted, node, entry)
                + (APART if candidates.apart and entry["feature"] in candidates.lacking else "")
            ),
            **shown_tests,
            "score": "score",
            "": lambda entry: bar(entry["score"] / best if best > 0 else 0.0),
            "chosen": lambda entry: "chosen" if entry["chosen"] else "",
        },
        title=f"Candidates of node {node} by {by}, best first",
        notes=[
            *notes,
            *_measured(fitted),
            *_chosen_by_other_rows(fitted, entries, feature),
            *_tied(fitted, node, compared),
            *_forbidden(fitted, node, compared),
        ],
        displayed=displayed,
    )


def _limits_of(fitted: Any, node: int) -> list[tuple[Any, ...]]:
    """The values of each branch of a split by bins or by groups of levels or bins, a branch of
    missing values alone without any; empty for other nodes."""
    tree = fitted.tree_
    levels = fitted._schema.levels[tree.feature[node]]
    is_other = not math.isnan(tree.threshold[node]) or tree.n_levels[node]
    if is_other or (levels and not tree.n_groups[node]):
        return []
    return [
        tuple(levels[code] for code in sorted(values.codes))
        if values.codes is not None
        else (values.lower, values.upper) * (values.lower < values.upper)
        for values in Reading(fitted).branch_sets(node)
    ]


def _chosen_by_other_rows(fitted: Any, entries: list[Entry], feature: str | None) -> list[str]:
    """That the rows of a call are not those that have chosen the feature of an honest tree."""
    if not entries or not is_honest(fitted) or feature in (None, entries[0]["feature"]):
        return []
    return [
        "The split was chosen without the rows that honest keeps for the leaves; on the rows given "
        "here another feature comes first."
    ]


def measure_of(fitted: Any) -> Any:
    """The criterion that scores the splits of a tree: its own, or where a two-sample statistic
    chooses the cut the one of which the statistic is a multiple; None of a model without any."""
    if not is_by_test(fitted) or fitted.cut == "criterion":
        return getattr(fitted, "criterion", None)
    if fitted._task == "regression":
        return "squared_error"
    return "chi2" if fitted.cut_test == "quadratic" else NamedCallable("largest_deviation")


def _measured(fitted: Any) -> list[str]:
    """What the scores are where a two-sample statistic chooses the cut."""
    if not is_by_test(fitted) or fitted.cut == "criterion":
        return []
    names = {"chi2": "Pearson's chi-squared", "squared_error": "decrease of the variance"}
    what = names.get(str(measure_of(fitted)), "largest squared standardised deviation")
    return [f"score: {what}, a multiple of the two-sample statistic that chooses the cut"]


def _check_node(node: Any, n_nodes: int) -> None:
    """Refuse what is no number of a node."""
    if isinstance(node, bool) or not isinstance(node, numbers.Integral):
        raise TypeError(
            f"node={shown(node)} must be the number of a node: explain(0, X, y) scores the "
            "splits of the root on rows; decision_rule(X[i:i+1]) explains the answer for one "
            "row"
        )
    if not 0 <= int(node) < n_nodes:
        raise ValueError(f"node={node} does not exist; the tree has nodes 0 to {n_nodes - 1}")


def _one_per_feature(entries: list[Entry]) -> list[Entry]:
    """The best candidate of each feature, and the split of the tree."""
    seen: set[str] = set()
    kept = []
    for entry in entries:
        if entry["feature"] not in seen or entry["chosen"]:
            kept.append(entry)
        seen.add(entry["feature"])
    return kept


def _candidates_at(
    fitted: Any, node: int, X: Any, y: MaybeArray, sample_weight: MaybeArray
) -> NodeCandidates:
    """The candidates of a node on given rows; if X is None, those that the trace has kept.

    Raises:
        ValueError: no rows given and no candidates kept, or no row reaches the node.
    """
    if X is None:
        if node not in fitted._candidates:
            raise ValueError(
                f"node {node} has no candidates in the trace: give X and y, or fit with "
                "trace='candidates'"
                if fitted.tree_.n_children[node]
                else f"{_leaf_text(fitted, node)}; give X and y to see the splits it could have"
            )
        return fitted._candidates[node]
    blocks, n = fitted._blocks(X)
    table = labelled(fitted._schema, X, y)
    if sample_weight is None and isinstance(X, Table):
        sample_weight = X.sample_weight
    weights = own_weights(table, sample_weight)
    fractions = fitted._model.reach(blocks, n, node)
    if not fractions.any():
        raise ValueError(f"none of {counted(n, 'row')} reaches node {node}")
    return searched(fitted, fitted.get_params(deep=False), table, fractions, weights)


def split_of(fitted: Any, node: int) -> tuple[int, Any]:
    """Number of the feature of an inner node, and its threshold or the levels of its first branch
    (None: one branch per level)."""
    tree, levels = fitted.tree_, fitted._schema.levels
    feature, threshold = int(tree.feature[node]), float(tree.threshold[node])
    if not math.isnan(threshold):
        return feature, threshold
    return feature, tuple(levels[feature][code] for code in tree.levels_of(node)) or None


def _chosen_candidate(fitted: Any, node: int, candidates: NodeCandidates) -> tuple[str | None, Any]:
    """The feature of the split of a node, None at a leaf, and the split as a candidate has it."""
    tree = fitted.tree_
    if not tree.n_children[node]:
        return None, None
    feature, split = split_of(fitted, node)
    if isinstance(split, float) and fitted.threshold_search == "histogram":
        own = candidates.take(np.flatnonzero(candidates.features == feature))
        split = _nearest_cut(own, split, float(tree.score[node]))
    return fitted._schema.names[feature], split


def _candidate_text(fitted: Any, node: int, entry: Entry) -> str:
    """A candidate of a node as text; levels are those that can come there, the shorter side."""
    from ..exports.reading import Reading, ValueSet
    from ..exports.words import condition

    if entry["threshold"] is not None:
        return f"{entry['feature']} <= {entry['threshold']:g}"
    if entry["levels"] is None:
        return str(entry["feature"])
    reading, place = Reading(fitted), fitted._schema.names.index(entry["feature"])
    codes = frozenset(map(fitted._schema.levels[place].index, entry["levels"]))
    among = reading.reaching(node, place)
    return condition(reading.features[place], ValueSet(codes=codes & among or codes, among=among))


def _leaf_text(fitted: Any, node: int) -> str:
    """That a node is a leaf, what it answers, and why growth ended there."""
    from ..exports.reading import Reading

    why = (Reading(fitted).answers.reason(node), ended_by(fitted, node))
    return f"node {node} is a leaf: {'; '.join(filter(None, why))}"


def ended_by(fitted: Any, node: int) -> str:
    """Why growth ended at a leaf, as far as its rows and the parameters tell; else ""."""
    tree, given = fitted.tree_, fitted.get_params(deep=False)
    weight = tree.weighted_n_node_samples
    answers = np.count_nonzero(tree.value[node]) if fitted._schema.classes else tree.variance[node]
    limits: dict[str, Callable[[float], bool]] = {
        "max_depth": lambda most: tree.depth[node] >= most,
        "min_samples_split": lambda least: weight[node] < least,
        "min_samples_leaf": lambda least: weight[node] < 2 * least,
        "max_leaf_nodes": lambda most: tree.n_leaves >= most,
    }
    if answers <= (1 if fitted._schema.classes else 0):
        return "pure"
    p, alpha = tree.p_value[node], given.get("alpha")
    if alpha is not None and p >= alpha:
        return f"no feature has a p-value below alpha={alpha} (the smallest is {p_value_text(p)})"
    for name, ends in limits.items():
        limit = given.get(name)
        if limit is not None and ends(limit * weight[0] if isinstance(limit, float) else limit):
            return f"{name}={limit} ends growth here"
    if is_by_test(fitted) and math.isnan(p):
        return "no feature varies, so that none can be tested"
    others = ("pruning", "ccp_alpha", "min_score", "min_impurity_decrease")
    settings = [f"{name}={given[name]!r}" for name in others if given.get(name)]
    return f"no split is worth it by {' and '.join(settings)}" if settings else ""


def _tied(fitted: Any, node: int, entries: list[Entry]) -> list[str]:
    """That a node is a leaf, how many candidates share the score of its split, or that other
    rules of the criterion than the score decided."""
    if not fitted.tree_.n_children[node]:
        return [f"{_leaf_text(fitted, node)}."]
    chosen = [entry["score"] for entry in entries if entry["chosen"]]
    if not chosen:
        return []
    tied = sum(math.isclose(entry["score"], chosen[0], rel_tol=TIED) for entry in entries)
    rules = [name for name in ("guard", "mdl_penalty") if getattr(fitted.criterion, name, None)]
    if rules and (tied > 1 or entries[0]["score"] > chosen[0] * (1 + TIED)):
        return [f"not the score alone decides: {' and '.join(rules)} of the criterion do, too"]
    if tied < 2:
        return []
    ties = getattr(fitted, "ties", "first")
    taken = "takes the first of them" if ties == "first" else "decides"
    of = f" of {one_line(entries[0]['feature'])}" if is_by_test(fitted) else ""
    return [f"{tied} candidates{of} are tied at {chosen[0]:.4g}: ties={ties!r} {taken}"]


def _forbidden(fitted: Any, node: int, entries: list[Entry]) -> list[str]:
    """How many candidates score above the split of a node, where constraints alone forbid
    them: on the rows of the fit, with all features and thresholds searched."""
    params = fitted.get_params(deep=False)
    given = constraints_given(params)
    chosen = [entry["score"] for entry in entries if entry["chosen"]]
    searches_all = params.get("max_features") is None and params.get("splitter") == "best"
    if not given or not searches_all or not chosen:
        return []
    if not math.isclose(chosen[0], fitted.tree_.score[node], rel_tol=SAME_ROWS):
        return []
    above = sum(entry["score"] > chosen[0] * (1 + TIED) for entry in entries)
    verb = "forbid" if len(given) > 1 else "forbids"
    what = counted(above, "candidate")
    return [f"{' and '.join(given)} {verb} {what} of higher score"] if above else []


def decision_rule(fitted: Any, row: Any, *, intervals: Any = None) -> str:
    """The path of a row as text: the conditions that it meets, and the rows of its leaf.

    Args:
        row: one row: a mapping or a frame of one row with column names, or a list of cells in
            column order.
        intervals: what ``model.leaf_intervals()`` has found: that of the leaf stands behind it.

    Raises:
        ValueError: more than one row, or a row with another number of cells.

    Examples:
        >>> import fasttree
        >>> model = fasttree.fit("weather")
        >>> day = {
        ...     "outlook": "rainy",
        ...     "temperature": "mild",
        ...     "humidity": "high",
        ...     "windy": "TRUE",
        ... }
        >>> print(model.decision_rule(day))
        no, because
          outlook = rainy  (of 14 rows, 5 come here)
          windy = TRUE  (of 5 rows, 2 come here)
        Leaf 6: 2 of 2 training rows are no.
        >>> model = fasttree.FastTreeRegressor().fit([[0.0], [1.0], [2.0]], [3.0, 3.5, 8.0])
        >>> print(model.decision_rule([0.5]))
        3, because
          x0 <= 1.5  (of 3 rows, 2 come here)
          x0 <= 0.5  (of 2 rows, 1 comes here)
        Leaf 2: mean of 1 training row.
    """
    from ..exports.answers import figures
    from ..exports.reading import Reading

    blocks = _blocks_of_row(fitted, row, "decision_rule explains")
    path, answer = _path_in(fitted, blocks), fitted._answers(fitted._model, blocks, 1)[0]
    reading = Reading(fitted)
    leaves = [node for node in path if not fitted.tree_.n_children[node]]
    cells = [cell for block in blocks for cell in block[0]]
    lines = _conditions(fitted.tree_, reading, path, cells, len(leaves) > 1)
    # The answer above, the leaf below.
    answer_text = "no class" if answer is None else str(answer)
    if reading.predicts_number:
        answer_text = figures(float(answer))
    head = f"{answer_text}, because" if lines else f"{answer_text}: the tree is one leaf"
    if len(leaves) > 1:
        tail = (
            f"A value is missing: {counted(len(leaves), 'leaf')} answer together, weighted by "
            "their rows."
        )
    else:
        tail = f"Leaf {leaves[0]}: {reading.answers.reason(leaves[0])}"
        tail += "." if intervals is None else f"; {intervals.said(leaves[0])} at level "
        tail += "" if intervals is None else f"{intervals.level:g}."
    return Lines("\n".join(map(one_line, [head, *lines, tail])))


def _conditions(
    tree: Any, reading: Any, path: list[int], cells: list[Any], is_divided: bool
) -> list[str]:
    """One line per condition: the branch that leads to each node of a path.

    Args:
        tree: the arrays of the tree.
        reading: the tree as `exports.Reading`.
        path: the nodes that the row goes through, ascending.
        cells: the encoded cells of the row, one per feature.
        is_divided: whether the row goes down several branches; lines are then indented by depth.
    """
    from ..exports.answers import number
    from ..exports.words import condition

    weight = tree.weighted_n_node_samples
    lines = []
    for node in path[1:]:
        parent = int(tree.parent[node])
        subset = reading.shown_sets(parent)[reading.children[parent].index(node)]
        feature = reading.features[reading.feature[parent]]
        test = condition(feature, subset)
        cell = cells[tree.feature[parent]]
        if np.isnan(cell) if cell.dtype.kind == "f" else cell < 0:
            name, share = feature.name, subset.missing
            part = "the row" if share == 1 else f"{100 * share:.3g} % of the row"
            if test != f"{name} is missing":
                test = f"{name} is missing: {part} goes to {test}"
        indent = "  " * (int(tree.depth[node]) if is_divided else 1)
        whole, part = float(weight[parent]), number(float(weight[node]), 2, grouped=True)
        verb = "comes" if reading.answers.weighed or part == "1" else "come"
        lines.append(f"{indent}{test}  (of {reading.answers.amount(whole)}, {part} {verb} here)")
    return lines


def path_of(fitted: Any, row: Any, what: str) -> list[int]:
    """Numbers of the nodes that one row goes through, ascending; `what` begins an error."""
    return _path_in(fitted, _blocks_of_row(fitted, row, what))


def _path_in(fitted: Any, blocks: list[np.ndarray]) -> list[int]:
    """Numbers of the nodes that one encoded row goes through, ascending."""
    indptr, nodes = fitted._model.decision_path(blocks, 1)
    return np.asarray(nodes)[indptr[0] : indptr[1]].tolist()


def _blocks_of_row(fitted: Any, row: Any, what: str) -> list[np.ndarray]:
    """One row in any form, encoded; `what` begins the error of another number of rows."""
    blocks, n = fitted._blocks(_one_row(row))
    if n != 1:
        example = "X.take([i])" if isinstance(row, Table) else "X[i:i+1]"
        raise ValueError(f"{what} one row, got {n}; pass {example}")
    return blocks


def _nearest_cut(candidates: NodeCandidates, threshold: float, score: float) -> float:
    """The cut between bins that a threshold of the tree stands for.

    Growth puts a threshold between two bins, candidates are at their edges. Of the cuts next to the
    threshold, it is the one whose score is closest to `score`; the threshold if there is none.
    """
    cuts = [(cut, s) for _, cut, s in candidates if isinstance(cut, float)]
    below = [cut for cut in cuts if cut[0] < threshold]
    above = [cut for cut in cuts if cut[0] >= threshold]
    nearest = ([max(below)] if below else []) + ([min(above)] if above else [])
    return min(nearest, key=lambda cut: abs(cut[1] - score))[0] if nearest else threshold
