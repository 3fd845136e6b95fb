"""Bars of the feature importances of a fitted tree or forest.

The features with the largest importances are drawn from top to bottom. For scores of features
without a model, see `criteria_bars`. O(features log features).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._checks import checked, having, listing, maybe, number_array, whole
from .._checks.plain_text import one_line
from .._checks.words import counted
from .canvas import AXES, Axes, axes_of, colour, finish


def _names(model: Any, names: Sequence[str] | None, n_features: int) -> list[str]:
    """The given names, those of the training data, or ``x0, x1, ...``."""
    if names is None:
        names = getattr(model, "feature_names_in_", None)
    if names is None:
        return [f"x{j}" for j in range(n_features)]
    if len(names) != n_features:
        raise ValueError(
            f"feature_names has {counted(len(names), 'name')}, but the model has "
            f"{counted(n_features, 'feature')}"
        )
    return [one_line(str(name)) for name in names]


@checked(
    model=having("a fitted model with feature_importances_", "feature_importances_"),
    largest=whole(1),
    feature_names=maybe(listing),
    ax=AXES,
)
def plot_importances(
    model: Any,
    *,
    largest: int = 15,
    feature_names: Sequence[str] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Bar chart of the feature importances of a model, the largest on top.

    Args:
        model: a fitted tree or forest, or any estimator with ``feature_importances_``.
        largest: number of features shown, at least 1; equal ones in the order of the columns.
        feature_names: names of all features; by default those of the training data, or
            ``x0, x1, ...``.
        title: title of the axes.
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes.

    Raises:
        TypeError: a model without importances, such as one that is not fitted.
        ValueError: names that are too few or too many.
        ImportError: matplotlib is not installed.

    Examples:
        >>> import fasttree
        >>> ax = plot_importances(fasttree.fit("iris", criterion="gini"), largest=2)
        >>> [label.get_text() for label in ax.get_yticklabels()]
        ['petal length (cm)', 'petal width (cm)']
    """
    values = number_array("feature_importances_", model.feature_importances_)
    names = _names(model, feature_names, len(values))
    order = np.argsort(-values, kind="stable")[:largest]
    ax = axes_of(ax, height=max(2.0, 1.0 + 0.28 * len(order)))
    places = np.arange(len(order))
    ax.barh(places, values[order], 0.75, color=colour(0))
    ax.set_yticks(places, [names[j] for j in order.tolist()], parse_math=False)
    ax.invert_yaxis()
    return finish(ax, title, xlabel="importance")
