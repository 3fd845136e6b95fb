"""Predicted numbers beside the observed ones: against each other, and their differences.

The axes have the layout of scikit-learn's `PredictionErrorDisplay`: predicted across, observed (or
the residual, observed less predicted) up. A tree predicts one number per leaf, so its rows stand in
columns. O(rows).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._checks import checked, mapping
from ..metrics.cost_curves import is_pair
from ..metrics.number_errors import mean_absolute_error, number_pair, r2_score
from .canvas import AXES, REFERENCE, Axes, axes_of, colour, finish, marker

POINTS = mapping("a pair (observed, predicted)", is_pair)


def _pairs(points: Any) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Observed and predicted numbers by name."""
    if hasattr(points, "true_numbers"):  # a CrossValidation: the rows of its first repetition
        n = int(points.folds.test_sizes[: points.folds.n_splits].sum())
        points = {
            name: (points.true_numbers[:n], scores.predictions[:n])
            for name, scores in points.items()
        }
    elif hasattr(points, "observed"):  # a RegressionEvaluation
        points = {"": (points.observed, points.predicted)}
    pairs = {name: number_pair(*pair) for name, pair in POINTS("points", points).items()}
    if not pairs:
        raise ValueError("points is empty; give at least one pair (observed, predicted)")
    return pairs


def _scatter(ax: Any, index: int, x: np.ndarray, y: np.ndarray, label: str) -> None:
    """Draw a dot for each row that a method predicts; dots are small where there are many.

    Args:
        ax: the axes.
        index: position of the method, which selects colour and marker.
        x, y: the coordinates of the rows.
        label: name of the method, for the legend.
    """
    size = float(np.clip(6000 / len(x), 5, 32))
    ax.scatter(
        x,
        y,
        s=size,
        marker=marker(index),
        label=label,
        zorder=3,
        facecolor=colour(index) + "60",  # hexadecimal opacity, so that overlaps are seen
        edgecolor=colour(index) + "a0",
        linewidth=0.6,
    )


@checked(ax=AXES)
def observed_by_predicted(
    points: Mapping[str, Any] | Any, *, title: str = "", ax: Axes | None = None
) -> Axes:
    """Observed numbers over predicted ones; on the dashed line both are equal.

    Args:
        points: name -> a pair of arrays (observed, predicted), each of shape (n_rows,); or a
            `RegressionEvaluation`; or the `CrossValidation` of a regression, whose out-of-fold
            predictions of the first repetition are drawn, each row once.
        title: title of the axes.
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes; the legend gives R2.

    Raises:
        TypeError: `points` is none of these.
        ValueError: a pair of other lengths, or a number that is not finite.
        ImportError: matplotlib is not installed.

    Examples:
        >>> ax = observed_by_predicted({"tree": ([1.0, 2.0, 3.0], [1.0, 2.0, 2.0])})
        >>> ax.get_legend().get_texts()[0].get_text()
        'tree (R2 0.500)'
    """
    pairs = _pairs(points)
    ax = axes_of(ax, width=5.2, height=5.2)
    ends = np.concatenate([np.concatenate(pair) for pair in pairs.values()])
    low, high = float(ends.min()), float(ends.max())
    ax.plot([low, high], [low, high], **REFERENCE)
    for index, (name, (observed, predicted)) in enumerate(pairs.items()):
        r2 = f"R2 {r2_score(observed, predicted):.3f}" if len(observed) > 1 else ""
        label = f"{name} ({r2})" if name and r2 else name or r2
        _scatter(ax, index, predicted, observed, label)
    ax.set_aspect("equal", adjustable="box")
    # Few rows are in the lower right corner: a low number that was predicted high.
    legend = {"loc": "lower right", "frameon": True, "framealpha": 0.8, "edgecolor": "none"}
    return finish(ax, title, "both", legend=legend, xlabel="predicted", ylabel="observed")


@checked(ax=AXES)
def residuals(points: Mapping[str, Any] | Any, *, title: str = "", ax: Axes | None = None) -> Axes:
    """Residuals, observed less predicted, over predicted numbers; the dashed line is no error.

    Args:
        points: as in `observed_by_predicted`.
        title: title of the axes.
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes; the legend gives the mean absolute error.

    Raises:
        TypeError, ValueError, ImportError: as in `observed_by_predicted`.

    Examples:
        >>> ax = residuals({"tree": ([1.0, 2.0, 3.0], [1.0, 2.0, 2.0])})
        >>> ax.get_legend().get_texts()[0].get_text()
        'tree (mean absolute error 0.333)'
    """
    pairs = _pairs(points)
    ax = axes_of(ax, width=7.4, height=4.2)
    ax.axhline(0.0, **REFERENCE)
    for index, (name, (observed, predicted)) in enumerate(pairs.items()):
        error = f"mean absolute error {mean_absolute_error(observed, predicted):.3g}"
        _scatter(ax, index, predicted, observed - predicted, f"{name} ({error})" if name else error)
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.16), "ncols": min(2, len(pairs))}
    ylabel = "observed - predicted"
    return finish(ax, title, "both", legend=below, xlabel="predicted", ylabel=ylabel)
