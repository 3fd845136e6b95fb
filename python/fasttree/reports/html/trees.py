"""The trees of a result, each fitted on all rows of its data set, in the explorer.

A cross-validation grows one tree per fold; the page shows the tree of all rows, which is the tree
that one would use. Two trees stand side by side, all others can be chosen. Each tree keeps a
limited number of nodes, so that a page of many sets stays small. Trees of scikit-learn are shown as
text. Among many trees, the trees by criteria on pairs or neighbours of rows, or by a search over
trees, are not fitted again. O(nodes), beside the fits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._checks.plain_text import one_line
from ..._checks.words import counted
from ...criteria import evidence_of
from ...exports.explorer import ExplorerLimits, data_element

if TYPE_CHECKING:
    from ...model_selection.result import CrossValidation

TEXT_LINES = 60

CANDIDATE_NODES, CANDIDATES, HISTOGRAMS = 5, 16, 24
"""Limits of a tree in the explorer of a report: nodes with candidates, candidates of each, nodes
with histograms."""

MANY_TREES = 6
"""Trees beside which no tree by a slow criterion is fitted again, and whose nodes share candidates:
these take time by trees x criteria."""


ShownTree = tuple[str, str, str]
"""A tree as text: the method, a note on the tree, the text."""


def _as_text(method: str, note: str, lines: list[str]) -> ShownTree:
    if len(lines) > TEXT_LINES:
        note += f"; the first {TEXT_LINES} of {len(lines)} lines"
    return method, note, "\n".join(one_line(line) for line in lines[:TEXT_LINES])


def _scikit_learn(method: str, model: Any, names: list[str] | None) -> ShownTree:
    from sklearn.tree import export_text

    wanted = names if names is not None and len(names) == model.n_features_in_ else None
    lines = export_text(model, feature_names=wanted, max_depth=8).splitlines()
    note = f"{counted(int(model.get_n_leaves()), 'leaf')}, depth {int(model.get_depth())}"
    return _as_text(method, note, lines)


def _is_slow(estimator: Any) -> bool:
    """Whether a tree takes more than sums over rows: its time grows with their square, or worse."""
    return evidence_of(estimator.criterion) in ("pairs", "neighbours", "rows")


def trees_of(result: CrossValidation, nodes: int, identity: str) -> tuple[str, list[ShownTree]]:
    """Return the trees among the methods, fitted again on all rows; an empty list when the rows are
    not kept.

    Args:
        result: the cross-validation.
        nodes: most nodes of a tree that are shown.
        identity: of the explorer's data element.

    Returns:
        The data element, empty without trees of ours, and the other trees; of many trees of ours,
        the slow ones are among these.
    """
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    from ...estimators import FastTreeClassifier, FastTreeRegressor

    texts: list[ShownTree] = []
    if result.data is None:
        return "", texts
    table = result.data.table
    names = getattr(table, "feature_names", None)
    models = []
    ours = (FastTreeClassifier, FastTreeRegressor)
    estimators = result.settings["methods"]
    many = sum(isinstance(one, ours) for one in estimators.values()) > MANY_TREES
    for method, estimator in estimators.items():
        if isinstance(estimator, ours) and many and _is_slow(estimator):
            note = "not fitted on all rows, which takes long"
            texts.append((method, note, f"print(result.refit({method!r}))"))
        elif isinstance(estimator, ours):
            models.append((method, result.refit(method)))
        elif isinstance(estimator, DecisionTreeClassifier | DecisionTreeRegressor):
            texts.append(_scikit_learn(method, result.refit(method), names))
    data = ""
    if models:
        from ...estimators.explored import explored  # loads scikit-learn

        limits = ExplorerLimits(
            max_nodes=nodes * len(models),
            max_rows=0,
            max_candidates=CANDIDATES,
            candidate_nodes=CANDIDATE_NODES * min(len(models), MANY_TREES),
            candidate_rows=2000,
            max_histograms=HISTOGRAMS * len(models),
            bins=12,
        )
        page = explored(models, table, criteria=(), title=result.name or "", limits=limits)
        data = data_element(page.document, identity)
    return data, texts
