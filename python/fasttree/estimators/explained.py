"""The method `explain` of trees: the candidate splits of a node, and why one was chosen.

What
    The scores of all candidates come from the trace or from given rows (`candidates`). `explain`
    lists them best first, marks the split of the tree, and adds notes: ties, constraints, tests of
    significance, and why growth ended at a leaf (`ended_by`).
Complexity
    One search of the node, none with ``trace="candidates"``.
When not to use it
    To explain a prediction: `decision_rule`.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._checks import shown
from .._checks.aliases import MaybeArray
from .._checks.data_warnings import warn_caller
from .._checks.naming import shown_criterion, splits_by_significance
from .._checks.plain_text import one_line
from .._checks.words import counted, p_value_text
from ..exports.reading import Reading, ValueSet
from ..exports.tables.html import bar
from ..exports.tables.listing import Records
from ..exports.words import condition
from ..table import Table
from .candidates import NodeCandidates, score_candidates_by, scoring_criterion, split_at
from .constraints import constraints_given
from .honest import is_honest
from .labelled_rows import labelled
from .training_rows import sample_weights

F = TypeVar("F", bound=Callable[..., Any])

TIED = 1e-12
"""Relative difference up to which two scores are taken to be equal: rounding explains it."""

SAME_ROWS = 1e-9
"""Relative difference up to which the score of a candidate and the score of the tree's split are
taken to be of the same rows."""

APART = ", missing apart"
"""What is said of a candidate that gives rows without a value a branch of their own."""

Entry = dict[str, Any]
"""A candidate split as `explain` returns it."""


def by_own_criterion(method: F) -> F:
    """A decorator of `explain`: refuses ``criterion=``, which it does not have, and names the
    functions that do."""

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
        sample_weight: their weights, shape (n_rows,); default: the weights of the Table, or 1.
            Class weights and priors of the model multiply them.

    Returns:
        One dict per candidate: ``feature``; ``threshold`` (None for a nominal feature); ``levels``
        of the first branch of a subset split (the best subset of each feature; else None);
        ``score``; ``chosen``: whether it is the split of the tree (a warning where none is, as on
        other rows or weights than the fit). Where the split has a branch for each group of levels
        or bins, or for each bin, also its ``limits``: of each branch the levels, or (lower, upper)
        of the numbers above the first and up to the second. With ``selection="significance"`` also
        ``statistic`` and ``p_value`` of the feature (adjusted; NaN where it does not vary), by
        which the candidates are then sorted first, and with ``cut="statistic"`` the score is
        Pearson's chi-squared X² of the split (the largest squared standardised deviation with
        ``cut_test="maximum"``), or the decrease d of the variance v: the two-sample statistics of n
        rows are X² (n - 1) / n and (n - 1) d / v. Printed are the best candidate of each feature,
        and the split of the tree; "missing apart" means that rows without a value are a further
        branch, which counts in the score. With `honest`, rows kept for the leaves have chosen
        nothing: so p-values and scores on all rows differ from the ones in ``tree_``.

    Raises:
        ValueError: no rows given and no candidates kept, or no row reaches the node.
    """
    check_is_fitted(fitted)
    fitted = fitted._as_grown()
    _check_node(node, fitted.tree_.node_count)
    candidates = _candidates_at(fitted, node, X, y, sample_weight)
    feature, split = _split_among(fitted, node, candidates)
    entries = _entries(fitted, node, candidates, (feature, split))
    if feature is not None and not is_honest(fitted) and not any(e["chosen"] for e in entries):
        warn_caller(
            f"no candidate is the test of node {node}: the rows or their weights are not those of "
            "the fit (a tree i of a forest has sample_weight=forest.bootstrap_counts(X, y)[i])",
            UserWarning,
        )
    by_test = splits_by_significance(fitted)
    criterion = fitted.criterion
    by = repr(criterion) if isinstance(criterion, str) and not by_test else shown_criterion(fitted)
    best = entries[0]["score"] if entries else 0.0
    test_columns: dict[str, Any] = {
        "statistic": "statistic",
        "p": lambda entry: p_value_text(entry["p_value"]),
    }
    displayed = _one_per_feature(entries)
    return Records(
        entries,
        {
            "candidate": lambda entry: (
                _candidate_text(fitted, node, entry)
                + (APART if candidates.apart and entry["feature"] in candidates.lacking else "")
            ),
            **(test_columns if by_test else {}),
            "score": "score",
            "": lambda entry: bar(entry["score"] / best if best > 0 else 0.0),
            "chosen": lambda entry: "chosen" if entry["chosen"] else "",
        },
        title=f"Candidates of node {node} by {by}, best first",
        notes=_notes(fitted, node, entries, feature, len(entries) - len(displayed)),
        displayed=displayed,
    )


def _entries(
    fitted: Any, node: int, candidates: NodeCandidates, chosen: tuple[str | None, Any]
) -> list[Entry]:
    """What `explain` returns: one dict per candidate, in its order.

    Args:
        fitted, node: the tree and the node.
        candidates: the candidates of the node.
        chosen: feature and split of the node; (None, None) for a leaf.
    """
    entries: list[Entry] = [
        {
            "feature": name,
            "threshold": None if isinstance(split, tuple) else split,
            "levels": split if isinstance(split, tuple) else None,
            "score": score,
            "chosen": (name, split) == chosen,
        }
        for name, split, score in candidates.best_first()
    ]
    if chosen[0] is not None and (limits := _limits_of(fitted, node)):
        for entry in entries:
            entry["limits"] = limits if entry["chosen"] else None
    if splits_by_significance(fitted):
        for entry in entries:
            test = candidates.tests.get(entry["feature"], (math.nan, math.nan))
            entry["statistic"], entry["p_value"] = test
        entries.sort(key=lambda entry: (math.isnan(entry["p_value"]), entry["p_value"]))
    return entries


def _notes(
    fitted: Any, node: int, entries: list[Entry], feature: str | None, n_hidden: int
) -> list[str]:
    """The sentences below the list of `explain`.

    Args:
        fitted, node: the tree and the node.
        entries: its candidates.
        feature: the feature of its split; None for a leaf.
        n_hidden: candidates that the printed list leaves out.
    """
    notes = []
    if n_hidden:
        verb = "is" if n_hidden == 1 else "are"
        notes.append(f"{counted(n_hidden, 'more split')} of these features {verb} in the list.")
    # A test has chosen the feature: scores have decided among its candidates alone.
    by_test = splits_by_significance(fitted)
    compared = [entry for entry in entries if entry["feature"] == feature] if by_test else entries
    return [
        *notes,
        *_measured(fitted),
        *_chosen_by_other_rows(fitted, entries, feature),
        *_tied(fitted, node, compared),
        *_forbidden(fitted, node, compared),
    ]


def _limits_of(fitted: Any, node: int) -> list[tuple[Any, ...]]:
    """The values of each branch of a split by bins or by groups of levels or bins. A branch for
    missing values alone has no values. The list is empty for other nodes."""
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
    """A note that the rows given to `explain` are not those that chose the split of an honest tree,
    if they put another feature first."""
    if not entries or not is_honest(fitted) or feature in (None, entries[0]["feature"]):
        return []
    return [
        "The split was chosen without the rows that honest keeps for the leaves; on the rows given "
        "here another feature comes first."
    ]


def _measured(fitted: Any) -> list[str]:
    """A note on the scale of the scores where a two-sample statistic chooses the cut."""
    if not splits_by_significance(fitted) or fitted.cut == "criterion":
        return []
    names = {"chi2": "Pearson's chi-squared", "squared_error": "decrease of the variance"}
    what = names.get(str(scoring_criterion(fitted)), "largest squared standardised deviation")
    return [f"score: {what}, a multiple of the two-sample statistic that chooses the cut"]


def _check_node(node: Any, n_nodes: int) -> None:
    """Raise a TypeError or ValueError for a value that is not the number of a node."""
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
    """The candidates of a node on given rows; if X is None, the candidates that the trace has kept.

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
    blocks, n = fitted._encode(X)
    table = labelled(fitted._schema, X, y)
    if sample_weight is None and isinstance(X, Table):
        sample_weight = X.sample_weight
    weights = sample_weights(table, sample_weight)
    fractions = fitted._model.reach(blocks, n, node)
    if not fractions.any():
        raise ValueError(f"none of {counted(n, 'row')} reaches node {node}")
    return score_candidates_by(fitted, fitted.get_params(deep=False), table, fractions, weights)


def _split_among(fitted: Any, node: int, candidates: NodeCandidates) -> tuple[str | None, Any]:
    """Feature and split of a node, as its entry among the candidates has them; (None, None) for a
    leaf."""
    tree = fitted.tree_
    if not tree.n_children[node]:
        return None, None
    feature, split = split_at(fitted, node)
    if isinstance(split, float) and fitted.threshold_search == "histogram":
        own = candidates.take(np.flatnonzero(candidates.features == feature))
        split = _nearest_cut(own, split, float(tree.score[node]))
    return fitted._schema.names[feature], split


def _candidate_text(fitted: Any, node: int, entry: Entry) -> str:
    """A candidate as text, such as ``x <= 3`` or ``colour in {blue, red}``. A subset test divides
    the levels that can reach the node into two sets, and the shorter one is named."""

    if entry["threshold"] is not None:
        return f"{entry['feature']} <= {entry['threshold']:g}"
    if entry["levels"] is None:
        return str(entry["feature"])
    reading, place = Reading(fitted), fitted._schema.names.index(entry["feature"])
    codes = frozenset(map(fitted._schema.levels[place].index, entry["levels"]))
    among = reading.reaching(node, place)
    return condition(reading.features[place], ValueSet(codes=codes & among or codes, among=among))


def _leaf_text(fitted: Any, node: int) -> str:
    """A sentence on a leaf: what it predicts, and why growth ended there."""

    why = (Reading(fitted).answers.reason(node), ended_by(fitted, node))
    return f"node {node} is a leaf: {'; '.join(filter(None, why))}"


def ended_by(fitted: Any, node: int) -> str:
    """Why growth ended at a leaf, as text; empty where rows and parameters do not tell.

    The model does not store the reason. It is found by comparing the leaf with the parameters, in
    this order: a pure leaf, tests of significance, limits on depth, rows and leaves. If none of
    them explains the leaf, the text names the parameters by which a split may not be worth it.
    """
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
    if splits_by_significance(fitted) and math.isnan(p):
        return "no feature varies, so that none can be tested"
    others = ("pruning", "ccp_alpha", "min_score", "min_impurity_decrease")
    settings = [f"{name}={given[name]!r}" for name in others if given.get(name)]
    return f"no split is worth it by {' and '.join(settings)}" if settings else ""


def _tied(fitted: Any, node: int, entries: list[Entry]) -> list[str]:
    """A note that the node is a leaf, that several candidates have the score of its split, or that
    the criterion has a rule beside the score which decided."""
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
    of = f" of {one_line(entries[0]['feature'])}" if splits_by_significance(fitted) else ""
    return [f"{tied} candidates{of} are tied at {chosen[0]:.4g}: ties={ties!r} {taken}"]


def _forbidden(fitted: Any, node: int, entries: list[Entry]) -> list[str]:
    """A note on candidates with a higher score than the split of the node, if only constraints can
    have ruled them out: this needs the rows of the fit, and a search of all features and
    thresholds."""
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


def _nearest_cut(candidates: NodeCandidates, threshold: float, score: float) -> float:
    """The candidate that a threshold of a histogram search came from.

    Growth puts a threshold between two bins, while candidates lie at their edges. The result is the
    one of the two candidates beside the threshold whose score is closer to `score`, and the
    threshold itself if there is no candidate.
    """
    cuts = [(cut, s) for _, cut, s in candidates if isinstance(cut, float)]
    below = [cut for cut in cuts if cut[0] < threshold]
    above = [cut for cut in cuts if cut[0] >= threshold]
    nearest = ([max(below)] if below else []) + ([min(above)] if above else [])
    return min(nearest, key=lambda cut: abs(cut[1] - score))[0] if nearest else threshold
