"""What refits of a tree on resampled rows ask, as bars.

When not to use it
    For how much a feature matters to the prediction: that is `plot_importances`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._checks import checked, having, whole
from ..exports.palette import colour
from .canvas import AXES, Axes, axes_of, finish


@checked(stability=having("what stability(X, y) found", "features"), largest=whole(1), ax=AXES)
def stability_bars(
    stability: Any, *, largest: int = 15, title: str = "", ax: Axes | None = None
) -> Axes:
    """Shares of the refits that ask each feature anywhere, and of those that ask it first.

    Args:
        stability: what ``model.stability(X, y)`` found.
        largest: number of features shown, at least 1: those that most refits ask.
        title: title of the axes.
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes.

    Raises:
        ValueError: an argument outside its range.
        ImportError: matplotlib is not installed.

    Examples:
        >>> import fasttree
        >>> table = fasttree.datasets.load_weather()
        >>> ax = stability_bars(fasttree.fit(table).stability(table, repeats=20))
        >>> [text.get_text() for text in ax.get_legend().get_texts()]
        ['anywhere', 'first']
    """
    features = stability.features
    order = stability.ranked()[:largest][::-1]
    ax = axes_of(ax, height=1.2 + 0.32 * len(order))
    places = np.arange(len(order))
    ax.barh(places, features.used[order], color=colour(0), height=0.7, label="anywhere")
    ax.barh(places, features.root[order], color=colour(1), height=0.35, label="first")
    ax.set_yticks(places, [features.names[j] for j in order], parse_math=False)
    ax.set_xlim(0.0, 1.0)
    label = f"share of {stability.repeats} refits that ask the feature"
    return finish(ax, title, "x", legend={"loc": "lower right"}, xlabel=label)
