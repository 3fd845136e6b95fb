"""ROC space: classifiers as points, and as curves over all thresholds (Fawcett 2006).

True positive rate over false positive rate; the diagonal is guessing, the upper left corner a
perfect classifier. Curves are those of `fasttree.metrics.roc_curve`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._checks import checked, mapping
from ..metrics.cost_curves import is_pair
from ..metrics.roc import roc_convex_hull
from .canvas import AXES, Axes, axes_of, colour, curve, draw_legend, marker, unit_square

RATES = ("false positive rate", "true positive rate")
"""Labels of the axes."""


@checked(points=mapping("a pair (false, true positive rate)", is_pair), ax=AXES)
def roc_graph(
    points: Mapping[str, tuple[float, float]], *, title: str = "", ax: Axes | None = None
) -> Axes:
    """Classifiers as points (false positive rate, true positive rate); the dashed line is guessing.

    Args:
        points: name -> (false positive rate, true positive rate), each from 0 to 1.
        title: title of the axes.
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes.

    Examples:
        >>> ax = roc_graph({"gini": (0.1, 0.8), "info_gain": (0.05, 0.7)})
        >>> [text.get_text() for text in ax.get_legend().get_texts()]
        ['gini', 'info_gain']
    """
    ax = axes_of(ax, width=4.8, height=4.8)
    unit_square(ax, title, *RATES)
    for index, (name, (fpr, tpr)) in enumerate(points.items()):
        ax.scatter(
            [fpr],
            [tpr],
            s=64,
            marker=marker(index),
            label=name,
            zorder=3,
            facecolor=colour(index) + "90",  # hexadecimal opacity, so that overlaps are seen
            edgecolor=colour(index),
        )
    draw_legend(ax, loc="lower right")
    return ax


@checked(curves=mapping("a RocCurve or a pair (fpr, tpr)", is_pair), ax=AXES)
def roc_curves(
    curves: Mapping[str, Any], *, hull: bool = False, title: str = "", ax: Axes | None = None
) -> Axes:
    """ROC curves with the area under each (trapezoidal rule).

    Args:
        curves: name -> `fasttree.metrics.RocCurve`, or a pair of arrays (false positive rates, true
            positive rates), both ascending.
        hull: whether to draw the convex hull of all curves. A classifier below it is optimal for
            no combination of costs and class frequencies.
        title: title of the axes.
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes.

    Examples:
        >>> ax = roc_curves({"gini": ([0.0, 0.5, 1.0], [0.0, 0.8, 1.0])})
        >>> ax.get_legend().get_texts()[0].get_text()
        'gini (AUC 0.650)'
    """
    ax = axes_of(ax, width=4.8, height=4.8)
    unit_square(ax, title, *RATES)
    for index, (name, rates) in enumerate(curves.items()):
        fpr, tpr = np.asarray(rates[0], dtype=float), np.asarray(rates[1], dtype=float)
        area = float(((fpr[1:] - fpr[:-1]) * (tpr[1:] + tpr[:-1])).sum() / 2)
        curve(ax, index, fpr, tpr, f"{name} (AUC {area:.3f})")
    if hull:
        ax.plot(
            *roc_convex_hull(*curves.values()),
            color="#777777",
            linewidth=1,
            label="convex hull",
            zorder=2,
        )
    draw_legend(ax, loc="lower right")
    return ax
