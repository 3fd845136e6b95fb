"""Plots with matplotlib: tree sizes, ROC, cost, calibration, learning and reward curves, criteria
side by side, rank diagrams, Manhattan plots, predicted numbers and their errors, fitted trees,
importances of features, the stability and growth of a tree, and the loss by greedy growth.

Every function draws into ``ax`` and returns it. Without `ax` it draws into pyplot's current axes,
or into a new figure if these hold something already, so ``plt.show()``, ``plt.savefig(path)`` and
notebooks show it. ``ax.figure.savefig(path)`` works in both cases. matplotlib is imported by the
first plot, not with this module.
"""

from .bars import criteria_bars, grouped_bars, tree_size_bars
from .canvas import PALETTE, detached, new_figure
from .comparison import criteria_dots, rank_diagram
from .curves import (
    calibration_curves,
    cost_curves,
    growth_curve,
    learning_curves,
    reward_curves,
    roc_curves,
    roc_graph,
)
from .importances import greedy_losses, plot_importances, stability_bars
from .manhattan import manhattan
from .prediction_errors import observed_by_predicted, residuals
from .sweep import accuracy_map
from .tree import plot_tree

__all__ = [
    "PALETTE",
    "accuracy_map",
    "calibration_curves",
    "cost_curves",
    "criteria_bars",
    "criteria_dots",
    "detached",
    "greedy_losses",
    "grouped_bars",
    "growth_curve",
    "learning_curves",
    "manhattan",
    "new_figure",
    "observed_by_predicted",
    "plot_importances",
    "plot_tree",
    "rank_diagram",
    "residuals",
    "reward_curves",
    "roc_curves",
    "roc_graph",
    "stability_bars",
    "tree_size_bars",
]


def __dir__() -> list[str]:
    """The functions, without the modules that hold them (``plots.tree``, ``plots.curves``, ...)."""
    return sorted(__all__)
