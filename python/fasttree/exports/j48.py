"""A fitted tree in the layout of Weka's J48, so that two trees can be compared line by line.

What
    One line per branch, ``petal width <= 0.6: Iris-setosa (50.0)``, indented by a bar and three
    blanks per level; errors follow a slash. Weights have two digits, thresholds six. Below are the
    number of leaves and the size of the tree. If nominal values are split in two, the format
    follows ``J48 -B``: thresholds as ``<= 70.0``, the other values as ``!= value``. Counts include
    fractions of rows with missing values, as J48's do. Bins of a discretised column are named as by
    Weka's `Discretize`; a branch of missing values, which J48 does not have, is ``is missing``.
Complexity
    O(nodes x depth) characters, because of the indentation.
When not to use it
    For trees of thousands of levels: `to_text` does not indent a deep chain.
"""

from __future__ import annotations

import math
from typing import Any

from .._checks.plain_text import level_text, one_line
from .reading import Feature, Reading, ValueSet


def _rounded(x: float, digits: int) -> float:
    """A number rounded half away from zero, as Java rounds positive numbers.

    Args:
        x: the number.
        digits: digits behind the point.
    """
    scaled = abs(x) * 10.0**digits
    if not scaled < 2.0**63:  # Java's long overflows; doubles of that size are whole numbers
        return x
    return math.copysign(math.floor(scaled + 0.5) / 10.0**digits, x)


def _java(x: float) -> str:
    """A double as Java's ``Double.toString`` prints it: shortest digits, exponent from 1E7 on."""
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
    """A weight of rows with two digits."""
    return _java(_rounded(x, 2))


def _branch_text(feature: Feature, subsets: list[ValueSet], branch: int, binary: bool) -> str:
    """The values that a branch takes, without its feature.

    Args:
        feature: the feature that is tested.
        subsets: the values that each branch takes.
        branch: number of the branch.
        binary: whether thresholds are written as ``J48 -B`` prints them.
    """
    subset = subsets[branch]
    if subset.empty:
        return " is missing"
    if subset.codes is None:
        if feature.cuts is not None and len(subsets) > 2:
            low = "(-inf" if subset.lower == -math.inf else f"({_threshold(subset.lower)}"
            high = "inf)" if subset.upper == math.inf else f"{_threshold(subset.upper)}]"
            return f" = '{low}-{high}'"
        printed = _java if binary else _threshold
        first = subset.lower == -math.inf
        end = printed(feature.threshold_of(subset.upper if first else subset.lower))
        return f" <= {end}" if first else f" > {end}"
    names = [(feature.levels or ())[c] for c in sorted(subset.codes)]
    if len(names) == 1:  # as J48 prints it, which has no sets
        return f" = {one_line(names[0])}"
    return f" in {{{', '.join(one_line(level_text(name)) for name in names)}}}"


def to_j48(model: Any) -> str:
    """A fitted tree as J48 prints it.

    Args:
        model: a fitted `FastTreeClassifier`.

    Returns:
        The lines of the tree, a blank line, ``Number of Leaves  :`` and ``Size of the tree :``.

    Raises:
        ValueError: a tree that predicts a number, which J48 cannot.

    Examples:
        >>> import fasttree
        >>> print(to_j48(fasttree.fit(fasttree.datasets.load_weather())).splitlines()[1])
        |   humidity = high: no (3.0)
    """
    reading = Reading(model)
    if reading.predicts_number:
        raise ValueError("J48 grows trees for classes and has no layout for numbers: to_text()")
    tree = reading.tree
    binary = getattr(model, "nominal_splits", "auto") in ("subset", "one_vs_rest")
    depth, weights, counts = tree.depth.tolist(), tree.weighted_n_node_samples, tree.value

    def summary(node: int) -> str:
        """``: class (weight)`` of a leaf, or ``: class (weight/errors)``."""
        label, total = reading.label[node], float(weights[node])
        name = "null" if label < 0 else one_line(reading.classes[label])
        wrong = total - (0.0 if label < 0 else float(counts[node, label]))
        errors = f"/{_weight(wrong)}" if wrong > 1e-9 * max(1.0, total) else ""
        return f": {name} ({_weight(total)}{errors})"

    # Nodes come in pre-order, so the text of a branch is known when its node is reached.
    lines = [summary(0)] if not reading.children[0] else []
    branch_texts: dict[int, str] = {}
    for node, children in enumerate(reading.children):
        if node:
            end = "" if children else summary(node)
            lines.append("|   " * (depth[node] - 1) + branch_texts.pop(node) + end)
        if children:
            feature, subsets = reading.features[reading.feature[node]], reading.branch_sets(node)
            name = one_line(feature.name)
            for branch, child in enumerate(children):
                branch_texts[child] = name + _branch_text(feature, subsets, branch, binary)
            if tree.n_levels[node] == 1:  # one value against the others
                first = _branch_text(feature, subsets, 0, binary)
                branch_texts[children[1]] = name + first.replace(" = ", " != ", 1)
    leaves = len(reading.leaves)
    end = f"Number of Leaves  : \t{leaves}\n\nSize of the tree : \t{tree.node_count}\n"
    return "\n".join([*lines, "", end])
