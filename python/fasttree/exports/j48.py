"""A fitted tree in the layout of Weka's J48, so that two trees can be compared line by line.

What
    ``petal width <= 0.6: Iris-setosa (50.0)``, a bar and three blanks per level. Weights have two
    digits, errors stand after a slash, thresholds have six. Then come the number of leaves and the
    size of the tree. With nominal values split in two, thresholds print as ``J48 -B`` prints them,
    ``<= 70.0``, and the rest of the values as ``!= value``. Counts include the parts of rows with
    missing values, as J48's do. Bins of a discretised column print as Weka's `Discretize` names
    them; a branch of missing values, which J48 has not, as ``is missing``.
Complexity
    O(nodes x depth) characters, as the layout wants it.
When not to use it
    For trees of thousands of levels: `to_text` keeps the lines of a deep chain short.
"""

from __future__ import annotations

import math
from typing import Any

from .reading import Feature, Part, Reading
from .words import one_line

__all__ = ["to_j48"]


def _rounded(x: float, digits: int) -> float:
    """Half up, as Java rounds."""
    scaled = abs(x) * 10.0**digits
    if not scaled < 2.0**63:
        return x
    return math.copysign(math.floor(scaled + 0.5) / 10.0**digits, x)


def _java(x: float) -> str:
    """A double as Java prints it."""
    if x == 0 or 1e-3 <= abs(x) < 1e7:
        return repr(float(x))
    mantissa, exponent = f"{x:.17e}".split("e")
    for digits in range(1, 18):
        short = f"{x:.{digits}e}"
        if float(short) == x:
            mantissa, exponent = short.split("e")
            break
    whole, _, rest = mantissa.partition(".")
    return f"{whole}.{rest.rstrip('0') or '0'}E{int(exponent)}"


def _threshold(x: float) -> str:
    """A number with at most six digits after the point and no zeros at its end."""
    text = f"{_rounded(x, 6):.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _weight(x: float) -> str:
    return _java(_rounded(x, 2))


def _side(feature: Feature, parts: list[Part], branch: int, binary: bool) -> str:
    """What a branch takes; `binary`: as J48 -B writes thresholds."""
    part = parts[branch]
    if part.empty:
        return " is missing"
    if part.codes is None:
        if feature.cuts is not None and len(parts) > 2:
            low = "(-inf" if part.lower == -math.inf else f"({_threshold(part.lower)}"
            high = "inf)" if part.upper == math.inf else f"{_threshold(part.upper)}]"
            return f" = '{low}-{high}'"
        written = _java if binary else _threshold
        first = part.lower == -math.inf
        end = written(feature.said(part.upper if first else part.lower))
        return f" <= {end}" if first else f" > {end}"
    names = [one_line((feature.levels or ())[c]) for c in sorted(part.codes)]
    return f" = {names[0]}" if len(names) == 1 else f" in {{{', '.join(names)}}}"


def to_j48(model: Any) -> str:
    """A fitted tree as J48 prints it.

    Args:
        model: a fitted `FastTreeClassifier`.

    Returns:
        The lines of the tree, a blank line, ``Number of Leaves  :`` and ``Size of the tree :``.

    Examples:
        >>> import fasttree
        >>> print(to_j48(fasttree.fit(fasttree.datasets.load_weather())).splitlines()[1])
        |   humidity = high: no (3.0)
    """
    reading = Reading(model)
    tree = reading.tree
    binary = getattr(model, "nominal_splits", "auto") in ("subset", "one_vs_rest")
    depth, weights, counts = tree.depth.tolist(), tree.weighted_n_node_samples, tree.value

    def summary(node: int) -> str:
        label, total = reading.label[node], float(weights[node])
        name = "null" if label < 0 else one_line(reading.classes[label])
        wrong = total - (0.0 if label < 0 else float(counts[node, label]))
        errors = f"/{_weight(wrong)}" if wrong > 1e-9 * max(1.0, total) else ""
        return f": {name} ({_weight(total)}{errors})"

    lines = [summary(0)] if not reading.children[0] else []
    said: dict[int, str] = {}
    for node, kids in enumerate(reading.children):
        if node:
            end = "" if kids else summary(node)
            lines.append("|   " * (depth[node] - 1) + said.pop(node) + end)
        if kids:
            feature, parts = reading.features[reading.feature[node]], reading.parts(node)
            for branch, child in enumerate(kids):
                said[child] = one_line(feature.name) + _side(feature, parts, branch, binary)
            if tree.n_levels[node] == 1:  # one value against the others
                said[kids[1]] = one_line(feature.name) + _side(feature, parts, 0, binary).replace(
                    " = ", " != ", 1
                )
    leaves = len(reading.leaves)
    return "\n".join(
        [
            *lines,
            "",
            f"Number of Leaves  : \t{leaves}",
            "",
            f"Size of the tree : \t{tree.node_count}",
            "",
        ]
    )
