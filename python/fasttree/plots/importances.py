"""Bars of one fitted tree or forest: feature importances, the features that refits split on, and
the loss by greedy growth against an optimal tree.

The features with the largest importances are drawn from top to bottom. For scores of features
without a model, see `criteria_bars`. O(features log features).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._checks import as_list, checked, maybe, number_array, object_with, whole_in
from .._checks.plain_text import one_line
from .._checks.words import counted
from ..exports.palette import colour
from .canvas import AXES, Axes, axes_of, finish


def _names(model: Any, names: Sequence[str] | None, n_features: int) -> list[str]:
    """The given names, else the names in the training data, else ``x0, x1, ...``.

    Args:
        model: a fitted estimator.
        names: names that the user gives, or None.
        n_features: number of features of the model.

    Raises:
        ValueError: another number of names than of features.
    """
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
    model=object_with("a fitted model with feature_importances_", "feature_importances_"),
    largest=whole_in(1),
    feature_names=maybe(as_list),
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
        feature_names: names of all features; by default the names in the training data, or ``x0,
            x1, ...``.
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


@checked(
    stability=object_with("what stability(X, y) found", "features"), largest=whole_in(1), ax=AXES
)
def stability_bars(
    stability: Any, *, largest: int = 15, title: str = "", ax: Axes | None = None
) -> Axes:
    """Shares of the refits that split on each feature anywhere, and shares of the refits that split
    on it first.

    Args:
        stability: the result of ``model.stability(X, y)``.
        largest: number of features shown, at least 1: the features that most refits split on.
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


@checked(
    comparison=object_with("what compare_with_greedy returns", "optimum", "lower_bound", "tests"),
    ax=AXES,
)
def greedy_losses(comparison: Any, *, title: str = "", ax: Axes | None = None) -> Axes:
    """Excess loss of greedily grown trees over an optimal tree, one bar per criterion.

    The excess is in per cent of the training weight for errors, else in units of the objective. A
    criterion that reaches the loss of the optimal tree has a diamond on the line of 0 instead of a
    bar. Beside each bar stands the number of leaves.

    Args:
        comparison: the result of `OptimalTreeClassifier.compare_with_greedy`.
        title: title of the axes; by default it names the optimum, and of nominal columns the tests.
        ax: axes to draw into; by default pyplot's current ones.

    Returns:
        The axes.

    Raises:
        TypeError: `comparison` is something else.
        ImportError: matplotlib is not installed.

    Examples:
        >>> import fasttree
        >>> model = fasttree.optimal_tree("monks-1", max_depth=3)
        >>> found = model.compare_with_greedy("monks-1", names=["gini", "chi2"])
        >>> ax = greedy_losses(found)
        >>> [round(float(bar.get_width()), 2) for bar in ax.patches]
        [5.56, 5.56]
    """
    by_errors = comparison.objective == "error"
    unit = 100.0 if by_errors else 1.0
    excess = unit * np.array([row["excess"] for row in comparison])
    places = np.arange(len(excess))
    ax = axes_of(ax, height=max(2.2, 1.2 + 0.24 * len(excess)))
    ax.barh(places, excess, 0.72, color=colour(0))
    reached = places[excess == 0.0]
    ax.scatter(
        np.zeros(len(reached)), reached, s=42, marker="D", color=colour(1), zorder=4, clip_on=False
    )
    ax.axvline(0.0, color="#333333", linewidth=1.0)
    unproven = unit * max(comparison.optimum - comparison.lower_bound, 0.0)
    if unproven > 0.0:
        ax.axvspan(-unproven, 0.0, color="#dddddd", zorder=0)
    for place, row in zip(places, comparison, strict=True):
        ax.annotate(
            f"{row['leaves']} leaves",
            (max(excess[place], 0.0), place),
            (8, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
            color="#555555",
        )
    ax.set_yticks(places, [str(row["criterion"]) for row in comparison], fontsize=9)
    ax.set_ylim(len(excess) - 0.4, -0.6)
    # A sixth of the width is room for the words beside the longest bar.
    longest = max(float(excess.max(initial=0.0)), 0.01 * unit)
    ax.set_xlim(right=longest + 0.17 * (longest + unproven))
    measured = "errors, % of the training weight" if by_errors else f"loss ({comparison.objective})"
    label = (
        f"{measured}, more than the optimal tree"
        if unproven == 0.0
        else f"{measured}, more than the best tree known\ngrey: where the optimum may lie"
    )
    best = f"{unit * comparison.optimum:.3g}{' % errors' if by_errors else ''}"
    above = "the optimum" if unproven == 0.0 else "the best tree known"
    tests = f"\n{comparison.tests}" if comparison.tests else ""
    title = title or f"Greedy growth above {above} ({best}){tests}"
    return finish(ax, title, "x", xlabel=label)
