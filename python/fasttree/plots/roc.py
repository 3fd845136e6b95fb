"""ROC space: classifiers as points, and as curves over all thresholds (Fawcett 2006)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks import checked, mapping
from ..metrics.cost_curves import is_pair
from ..metrics.roc import roc_convex_hull
from .canvas import AXES, axes_of, colour, curve, marker, plain_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = ["roc_curves", "roc_graph"]


def _space(ax: Any, title: str) -> None:
    ax.plot([0, 1], [0, 1], color="#999999", linewidth=1, linestyle=(0, (4, 4)), zorder=1)
    ax.set(
        xlim=(-0.02, 1.02),
        ylim=(-0.02, 1.02),
        xlabel="false positive rate",
        ylabel="true positive rate",
    )
    ax.set_aspect("equal")
    ax.set_title(title, fontsize=11)
    plain_frame(ax, "both")


@checked(points=mapping("a pair (false, true positive rate)", is_pair), ax=AXES)
def roc_graph(
    points: Mapping[str, tuple[float, float]], *, title: str = "", ax: Axes | None = None
) -> Axes:
    """Classifiers as points (false positive rate, true positive rate); the dashed line is guessing.

    Examples:
        >>> ax = roc_graph({"gini": (0.1, 0.8), "info_gain": (0.05, 0.7)})
        >>> [text.get_text() for text in ax.get_legend().get_texts()]
        ['gini', 'info_gain']
    """
    ax = axes_of(ax, width=4.8, height=4.8)
    _space(ax, title)
    for place, (name, (fpr, tpr)) in enumerate(points.items()):
        ax.scatter(
            [fpr],
            [tpr],
            s=64,
            marker=marker(place),
            label=name,
            zorder=3,
            facecolor=colour(place) + "90",
            edgecolor=colour(place),
        )
    ax.legend(frameon=False, loc="lower right", fontsize=9)
    return ax


@checked(curves=mapping("a RocCurve or a pair (fpr, tpr)", is_pair), ax=AXES)
def roc_curves(
    curves: Mapping[str, Any], *, hull: bool = False, title: str = "", ax: Axes | None = None
) -> Axes:
    """ROC curves with the area under each; `curves`: name -> `RocCurve` or (fpr, tpr).

    `hull` adds the convex hull of all of them: classifiers below it are the best for no costs and
    class shares.

    Examples:
        >>> ax = roc_curves({"gini": ([0.0, 0.5, 1.0], [0.0, 0.8, 1.0])})
        >>> ax.get_legend().get_texts()[0].get_text()
        'gini (AUC 0.650)'
    """
    ax = axes_of(ax, width=4.8, height=4.8)
    _space(ax, title)
    for place, (name, one) in enumerate(curves.items()):
        fpr, tpr = np.asarray(one[0], dtype=float), np.asarray(one[1], dtype=float)
        area = float(((fpr[1:] - fpr[:-1]) * (tpr[1:] + tpr[:-1])).sum() / 2)
        curve(ax, place, fpr, tpr, f"{name} (AUC {area:.3f})")
    if hull:
        ax.plot(
            *roc_convex_hull(*curves.values()),
            color="#777777",
            linewidth=1,
            label="convex hull",
            zorder=2,
        )
    ax.legend(frameon=False, loc="lower right", fontsize=9)
    return ax
