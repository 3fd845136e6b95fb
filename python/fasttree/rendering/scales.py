"""How a metric is printed: shares in percent with two digits, sizes with one, others with four."""

from __future__ import annotations

from .table import number

PERCENT = frozenset(
    {"accuracy", "error_rate", "error", "unclassified_rate", "unclassified", "balanced_accuracy"}
)
SIZES = frozenset({"leaves", "empty_leaves", "nodes", "depth"})


def scale_of(metric: str) -> tuple[float, int, str]:
    """Return factor, digits and label with which a metric is printed."""
    if metric in PERCENT:
        return 100.0, 2, f"{metric} (%)"
    if metric in SIZES:
        return 1.0, 1, metric
    return 1.0, 4, metric


def mean_sd(mean: float, sd: float, metric: str) -> str:
    """Return "mean (sd)" as a metric is printed."""
    factor, digits, _ = scale_of(metric)
    return f"{number(factor * mean, digits)} ({number(factor * sd, digits)})"
