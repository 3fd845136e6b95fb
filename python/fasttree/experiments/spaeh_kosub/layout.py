"""The paper's distances, and the tables of figures 4 to 6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...reports import Cell, ReportTable
from .claims import FEW, efficient
from .repeats import Curves, Sizes

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


def figure_4_table(curves: Mapping[str, Curves], shares: Sequence[float]) -> ReportTable:
    """Accuracy at three sizes and nodes at the largest, one row per data set and distance."""
    rows = []
    for dataset, found in curves.items():
        for measure in FIGURE_4:
            line = [Cell(dataset), Cell(measure)]
            for share in (0.05, 0.25, shares[-1]):
                place = shares.index(share)
                for evaluation in ("local", "global"):
                    values = found.accuracy[f"{measure} {evaluation}"][place]
                    line.append(Cell(f"{100 * values.mean():.1f} ({100 * values.std(ddof=1):.1f})"))
            for evaluation in ("local", "global"):
                values = found.nodes[f"{measure} {evaluation}"][-1]
                line.append(Cell(f"{values.mean():.1f} ({values.std(ddof=1):.1f})"))
            rows.append(line)
    header = ["data set", "distance"]
    for share in (0.05, 0.25, shares[-1]):
        header += [f"local {share:g}", f"global {share:g}"]
    header += ["nodes local", "nodes global"]
    steps = range(len(FIGURE_4), len(rows), len(FIGURE_4))
    notes = [
        "Test accuracy in percent, mean (sd) over the repeats, at shares of the training part; "
        "nodes at the largest."
    ]
    return ReportTable(
        "Figure 4: accuracy and tree size, ties first", header, rows, tuple(steps), notes
    )


def figure_5_table(sizes: Sizes) -> ReportTable:
    """Mean nodes of consistent trees, one row per size of the generating tree."""
    rows = []
    for place, size in enumerate(sizes.generating):
        line = [Cell(str(size)), Cell(str(sizes.discarded[place]))]
        for measure in MEASURES:
            for evaluation in ("local", "global"):
                line.append(Cell(f"{sizes.nodes[f'{measure} {evaluation}'][place].mean():.1f}"))
        rows.append(line)
    header = ["nodes of the tree", "drawn again"]
    for measure in MEASURES:
        header += [f"{measure} L", "G"]
    return ReportTable(
        "Figure 5: mean nodes of consistent trees, local (L) and global (G), ties first",
        header,
        rows,
        (),
        [
            "Samples for which a method found a smaller consistent tree than the generating one "
            "were drawn again."
        ],
    )


def redundant_table(sizes: Sizes) -> ReportTable:
    """Redundant splits per tree and whether a distance avoids them, one row per distance."""
    rows = []
    for measure, title in MEASURES.items():
        line = [Cell(title)]
        for evaluation in ("local", "global"):
            name = f"{measure} {evaluation}"
            redundant, nodes = sizes.redundant[name], sizes.nodes[name]
            share = redundant.sum() / ((nodes - 1) / 2).sum()
            line += [
                Cell(f"{redundant.mean():.2f}"),
                Cell(f"{100 * share:.1f} %"),
                Cell(efficient(redundant)),
            ]
        rows.append(line)
    return ReportTable(
        "Figure 6 (c): redundant splits on the trees of figure 5, ties first",
        [
            "distance",
            "L a tree",
            "of its splits",
            "L efficient",
            "G a tree",
            "of its splits",
            "G efficient",
        ],
        rows,
        (),
        [
            (
                "A redundant split: two nested tests of one feature whose cut-off sides are leaves "
                "of one class."
            ),
            f"Efficient: fewer than {FEW:g} redundant splits a tree.",
        ],
    )
