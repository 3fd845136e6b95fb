"""A fitted tree as indented text, as ``model.to_text()`` and the command line show it.

One line per branch, in the style of C4.5: ``name <= 2.5: label (rows/errors)`` for a leaf, the
condition alone for an inner node, whose branches follow, indented by one step more.
O(nodes x levels of the subset tests); no recursion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from .reading import Reading
from .words import MAX_LEVELS, condition, one_line

__all__ = ["to_text"]

MAX_INDENT = 60
"""Depth from which on the indent is a number, so that lines of a deep chain stay short."""


def to_text(
    model: Any,
    decimals: int = 6,
    max_depth: int | None = None,
    max_levels: int | None = MAX_LEVELS,
    names: Sequence[str] | None = None,
    *,
    p_values: bool = False,
) -> str:
    """A fitted tree as text; the arguments are those of ``model.to_text``, which checks them."""
    reading = Reading(model)
    features = reading.features
    if names is not None:
        features = tuple(replace(f, name=name) for f, name in zip(features, names, strict=True))
    conditions, lines = {0: ""}, []
    for node, depth in enumerate(reading.tree.depth.tolist()):
        if node not in conditions:  # below a folded node
            continue
        line, opens = conditions.pop(node), reading.n_children[node] > 0
        folded = opens and depth == max_depth
        if opens and not folded:
            feature = features[reading.feature[node]]
            branches = zip(reading.children[node], reading.shown_sets(node), strict=True)
            for child, subset in branches:
                conditions[child] = condition(feature, subset, decimals, max_levels=max_levels)
                if p_values:
                    conditions[child] += f" [p={reading.tree.p_value[node]:.3g}]"
        else:
            answers = reading.answers
            line += f"{': ' if node else ''}{answers.said(node)} ({answers.rows(node)})"
            line += " ..." if folded else ""
        if line:
            indent = f"[{depth - 1}] " if depth > MAX_INDENT else "|   " * (depth - 1)
            lines.append(indent + one_line(line) + "\n")
    return "".join(lines)
