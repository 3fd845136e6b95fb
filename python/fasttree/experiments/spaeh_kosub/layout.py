"""Tables of figures 4 to 6 of Späh & Kosub (2022), and the paper's distances.

`run` prints these tables for trees that take the first of tied splits. `repeats` computes the
numbers; this module only lays them out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...exports.tables.table import ReportTable, report_table
from ..reproduction import header_beside
from .claims import FEW, efficient
from .repeats import Curves, Sizes, method_name

MEASURES = {
    "info_gain": "Information gain",
    "gain_ratio": "Gain ratio",
    "normalized_vi": "Normalized VI",
    "gini": "Gini impurity",
    "jaccard": "Extended Jaccard",
    "accuracy": "Accuracy",
}
"""The paper's distances with the titles of its figures, in the order of figure 5."""

FIGURE_4 = ("info_gain", "gini", "jaccard", "normalized_vi")
"""The distances of figure 4, in its order."""

EVALUATIONS = ("local", "global")

SHOWN_SHARES = (0.05, 0.25)
"""Training sizes of figure 4 in its table, beside the largest: shares of the training rows."""


def figure_4_table(curves: Mapping[str, Curves], shares: Sequence[float]) -> ReportTable:
    """Accuracy at three training sizes and nodes at the largest, by data set and distance.

    Args:
        curves: results by data set.
        shares: the training sizes of the results, ascending.
    """
    shown = (*SHOWN_SHARES, shares[-1])
    rows = []
    for dataset, result in curves.items():
        for measure in FIGURE_4:
            methods = [method_name(measure, evaluation) for evaluation in EVALUATIONS]
            row = [dataset, measure]
            for share in shown:
                size = shares.index(share)
                row += [_mean_sd(result.accuracy[method][size], 100) for method in methods]
            row += [_mean_sd(result.nodes[method][-1]) for method in methods]
            rows.append(row)
    header = ["data set", "distance"]
    header += [f"{evaluation} {share:g}" for share in shown for evaluation in EVALUATIONS]
    header += [f"nodes {evaluation}" for evaluation in EVALUATIONS]
    rules = tuple(range(len(FIGURE_4), len(rows), len(FIGURE_4)))  # a line below each data set
    return report_table(
        "Figure 4: accuracy and tree size, ties first",
        header,
        rows,
        "Test accuracy in percent, mean (sd) over the repeats, at shares of the training part; "
        "nodes at the largest.",
        rules=rules,
    )


def _mean_sd(values: np.ndarray, factor: int = 1) -> str:
    """Mean and standard deviation over the repeats, as text.

    Args:
        values: the values of the repeats.
        factor: number that values are multiplied by; 100: percent.
    """
    return f"{factor * values.mean():.1f} ({factor * values.std(ddof=1):.1f})"


def figure_5_table(sizes: Sizes) -> ReportTable:
    """Mean nodes of consistent trees, one row per size of the generating tree, with a column for
    each distance and evaluation."""
    rows: list[list[Any]] = []
    for place, size in enumerate(sizes.generating):
        row: list[Any] = [size, sizes.discarded[place]]
        names = [method_name(m, evaluation) for m in MEASURES for evaluation in EVALUATIONS]
        rows.append([*row, *(f"{sizes.nodes[name][place].mean():.1f}" for name in names)])
    measures = [f"{measure} L" for measure in MEASURES]
    return report_table(
        "Figure 5: mean nodes of consistent trees, local (L) and global (G), ties first",
        header_beside(["nodes of the tree", "drawn again"], measures, "G"),
        rows,
        "Samples for which a method found a smaller consistent tree than the generating one "
        "were drawn again.",
    )


def redundant_table(sizes: Sizes) -> ReportTable:
    """Redundant splits per tree, their share of all splits, and whether a distance avoids them, one
    row per distance."""
    rows = []
    for measure, title in MEASURES.items():
        row = [title]
        for evaluation in EVALUATIONS:
            name = method_name(measure, evaluation)
            redundant, nodes = sizes.redundant[name], sizes.nodes[name]
            share = redundant.sum() / ((nodes - 1) / 2).sum()  # n nodes are (n - 1) / 2 splits
            row += [f"{redundant.mean():.2f}", f"{100 * share:.1f} %", efficient(redundant)]
        rows.append(row)
    return report_table(
        "Figure 6 (c): redundant splits on the trees of figure 5, ties first",
        [
            "distance",
            "L per tree",
            "of its splits",
            "L efficient",
            "G per tree",
            "of its splits",
            "G efficient",
        ],
        rows,
        "A redundant split: two nested tests of one feature whose cut-off sides are leaves "
        "of one class.",
        f"Efficient: fewer than {FEW:g} redundant splits per tree.",
    )
