"""Scale of a metric in reports and plots: factor, digits, and label.

Shares are in percent with two digits, tree sizes have one digit, other metrics four.
"""

from __future__ import annotations

from .table import number

PERCENT = frozenset(
    {"accuracy", "error_rate", "error", "unclassified_rate", "unclassified", "balanced_accuracy"}
)
SIZES = frozenset({"leaves", "empty_leaves", "nodes", "depth"})


def scale_of(metric: str) -> tuple[float, int, str]:
    """Return the factor, the number of digits, and the label of a metric."""
    if metric in PERCENT:
        return 100.0, 2, f"{metric} (%)"
    if metric in SIZES:
        return 1.0, 1, metric
    return 1.0, 4, metric


def mean_sd(mean: float, sd: float, metric: str) -> str:
    """Return "mean (sd)" of a metric in its scale."""
    factor, digits, _ = scale_of(metric)
    return f"{number(factor * mean, digits)} ({number(factor * sd, digits)})"
