"""The trees of a result as SVG, each fitted on all rows of its data set.

A cross-validation grows one tree a fold; what is shown is the tree of all rows, which is what one
would use.  It is cut at the deepest level that stays within a number of nodes, so that a page of
many sets stays small; a dashed card tells what lies below.  Trees of scikit-learn are shown as
text.  O(nodes), beside the fits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...exports.svg import STYLE
from ...exports.words import one_line

if TYPE_CHECKING:
    from ...model_selection.result import CrossValidation

TEXT_LINES = 60
WIDEST = 40
"""Nodes that are still drawn where the first level alone exceeds the budget; wider trees are shown
as text."""


@dataclass(frozen=True)
class ShownTree:
    """A method's tree: `svg` or `text` (the other one empty), and what is said of it."""

    method: str
    note: str
    svg: str = ""
    text: str = ""


def depth_within(tree: Any, nodes: int) -> int | None:
    """Return the deepest level at which the cut tree has at most `nodes` nodes; None when all of it
    has, 0 for none."""
    reached = tree.depth[tree.weighted_n_node_samples > 0]
    by_level = np.cumsum(np.bincount(reached))
    if by_level[-1] <= nodes:
        return None
    if len(by_level) > 1 and by_level[1] > max(nodes, WIDEST):
        return 0
    return max(1, int(np.searchsorted(by_level, nodes, side="right")) - 1)


def _as_text(method: str, note: str, lines: list[str]) -> ShownTree:
    if len(lines) > TEXT_LINES:
        note += f"; the first {TEXT_LINES} of {len(lines)} lines"
    return ShownTree(method, note, text="\n".join(one_line(line) for line in lines[:TEXT_LINES]))


def _ours(method: str, model: Any, nodes: int) -> ShownTree:
    depth = depth_within(model.tree_, nodes)
    leaves, deepest = int(model.get_n_leaves()), int(model.get_depth())
    note = f"{leaves} leaves, depth {deepest}"
    if depth == 0:
        return _as_text(method, note, model.to_text(decimals=4, max_depth=1).splitlines())
    if depth is not None:
        note += f"; shown to depth {depth}, dashed cards hold the rest"
    svg = model.to_svg(max_depth=depth, decimals=4).replace(f"<style>{STYLE}</style>\n", "")
    return ShownTree(method, note, svg=svg)


def _scikit_learn(method: str, model: Any, names: list[str] | None) -> ShownTree:
    from sklearn.tree import export_text

    wanted = names if names is not None and len(names) == model.n_features_in_ else None
    lines = export_text(model, feature_names=wanted, max_depth=8).splitlines()
    note = f"{int(model.get_n_leaves())} leaves, depth {int(model.get_depth())}"
    return _as_text(method, note, lines)


def trees_of(result: CrossValidation, nodes: int) -> list[ShownTree]:
    """Return the trees among the methods, fitted again on all rows; none when the rows are not
    kept."""
    from sklearn.tree import DecisionTreeClassifier

    from ...estimators import FastTreeClassifier

    if result.data is None:
        return []
    names = getattr(result.data.table, "feature_names", None)
    found = []
    for method, estimator in result.settings["methods"].items():
        if isinstance(estimator, FastTreeClassifier):
            found.append(_ours(method, result.refit(method), nodes))
        elif isinstance(estimator, DecisionTreeClassifier):
            found.append(_scikit_learn(method, result.refit(method), names))
    return found
