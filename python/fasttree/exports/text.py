"""A fitted tree as indented text, as ``model.to_text()`` and the command line show it.

One line per branch, in the style of C4.5: ``name <= 2.5: label (rows/errors)`` for a leaf, the
condition alone for an inner node, whose branches follow, indented by one step more.
O(nodes x levels of the subset tests); no recursion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from .._checks import as_list, check_integer, check_whole, object_with, one_of, shown
from .._checks.plain_text import one_line
from .._checks.words import counted, given, p_value_text
from .reading import Feature, Reading
from .words import MAX_LEVELS, condition

MAX_INDENT = 60
"""Depth from which on the indent is a number, so that lines of a deep chain stay short."""


def to_text(
    model: Any,
    decimals: int = 6,
    max_depth: int | None = None,
    style: str = "tree",
    *,
    feature_names: Sequence[str] | None = None,
    max_levels: int | None = MAX_LEVELS,
    stability: Any = None,
    p_values: bool = False,
    intervals: Any = None,
) -> str:
    """Indented text: one line per branch, leaves as ``label (rows/errors)``, of a regression
    tree ``number (rows/standard deviation)``.

    Args:
        decimals: digits of thresholds after the point.
        max_depth: deepest level shown; None shows all.
        style: ``"tree"``, or, of classes, ``"j48"``: the layout and number format of Weka's
            J48, for which `decimals` and `max_depth` have no effect.
        feature_names: names of the features, in their order, in place of the model's own; for
            the style ``"tree"`` alone.
        max_levels: longest list of levels that is shown in full; of a longer one, the first
            levels and the number of the others. None shows all.
        stability: what ``model.stability(X, y)`` has found: behind the first branch of each
            test stands the share of the refits that ask the feature (of the root first, below
            it anywhere; of searched nodes the share of the searches that choose it); for the
            style ``"tree"`` alone.
        p_values: whether each test is followed by its adjusted p-value, of a tree grown with
            ``selection="significance"``, in the style ``"tree"`` alone.
        intervals: what ``model.leaf_intervals()`` has found: each leaf has its interval behind
            it; for the style ``"tree"`` alone.

    Raises:
        ValueError: an unknown style, J48's of a regression tree, or names that are too few or
            too many.

    Examples:
        >>> import fasttree
        >>> tree = fasttree.fit([[0.0, 1.0], [1.0, 1.0]], ["no", "yes"])
        >>> print(tree.to_text(feature_names=["rain", "wind"]), end="")
        rain <= 0.5: no (1)
        rain > 0.5: yes (1)
    """
    reading = Reading(model)
    features: Sequence[Feature] = reading.features
    if feature_names is not None:
        features = _renamed(features, as_list("feature_names", feature_names), style)
    if style == "j48":
        from .j48 import to_j48

        return to_j48(model)
    one_of("style", style, ("tree", "j48"))
    if p_values:
        reading.refuse_untested(given("p_values", "True"))
    if stability is not None:
        object_with("what stability(X, y) of this model found", "share_of")("stability", stability)
    if intervals is not None:
        object_with("what leaf_intervals() of this model found", "said")("intervals", intervals)
    if max_depth is not None:
        max_depth = check_integer("max_depth", max_depth, 0)
    decimals = check_whole("decimals", decimals, 0, 1000)
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
                    conditions[child] += f" [p{p_value_text(reading.tree.p_value[node], '=')}]"
            if stability is not None:
                conditions[reading.children[node][0]] += f" [{stability.share_of(node)}]"
        else:
            answers = reading.answers
            line += f"{': ' if node else ''}{answers.said(node)} ({answers.rows(node)})"
            if intervals is not None and not opens:
                line += f" [{intervals.said(node)}]"
            line += " ..." if folded else ""
        if line:
            indent = f"[{depth - 1}] " if depth > MAX_INDENT else "|   " * (depth - 1)
            lines.append(indent + one_line(line) + "\n")
    for known in (stability, intervals):
        lines += [line + "\n" for line in known.legend()] if known is not None else []
    return "".join(lines)


def _renamed(features: Sequence[Feature], names: list[Any], style: str) -> Sequence[Feature]:
    """The features with other names.

    Args:
        features: the features of the model.
        names: the names, one per feature.
        style: style of the text; only "tree" takes other names.

    Raises:
        ValueError: another style, or another number of names.
    """
    if style != "tree":
        raise ValueError(f"feature_names do not go with style={shown(style)}")
    if len(names) != len(features):
        raise ValueError(
            f"feature_names has {counted(len(names), 'name')}, but the model has "
            f"{counted(len(features), 'feature')}"
        )
    return [replace(f, name=str(name)) for f, name in zip(features, names, strict=True)]
