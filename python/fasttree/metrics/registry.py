"""The registry: every metric by name.  Tests, scorers, the comparison tools and the command line
walk it.

A new metric is one file with a ``METRICS`` tuple and one entry in ``_FILES`` below.
"""

from __future__ import annotations

from importlib import import_module

from .._checks import shown
from .._checks.naming import did_you_mean
from .metric import Metric

_FILES = (
    "error_rates", "f_measures", "agreement", "roc", "probability", "calibration", "cost",
    "cost_curves", "information", "number_errors", "tree_size",
)  # fmt: skip
"""The modules of this package that define metrics, in the order in which these are listed."""

_FOUND = (import_module(f".{name}", __package__).METRICS for name in _FILES)
METRICS: dict[str, Metric] = {metric.name: metric for metrics in _FOUND for metric in metrics}
"""Every metric by its name."""

_ALIASES: dict[str, str] = {
    alias: metric.name for metric in METRICS.values() for alias in metric.aliases
}


def get_metric(name: str) -> Metric:
    """Return the metric of that name or alias; ValueError with the nearest names for an unknown
    one.

    >>> get_metric("f1").name
    'f_beta'
    """
    if not isinstance(name, str):
        raise TypeError(f"name={shown(name)} is not the name of a metric")
    metric = METRICS.get(_ALIASES.get(name, name))
    if metric is None:
        every = f"known metrics: {', '.join(sorted(METRICS))}"
        hint = did_you_mean(name, [*METRICS, *_ALIASES], every, most=3)
        raise ValueError(f"unknown metric {name!r}; {hint}")
    return metric


def list_metrics() -> list[dict[str, object]]:
    """Return the registry as a table: name, task, needs, direction, range, description,
    source.

    >>> [row["name"] for row in list_metrics()][:2]
    ['accuracy', 'error_rate']
    """
    facts = ("name", "aliases", "task", "needs", "greater_is_better")
    return [
        {
            **{fact: getattr(metric, fact) for fact in facts},
            "range": (metric.minimum, metric.maximum),
            "doc": metric.doc,
            "source": metric.source,
        }
        for metric in METRICS.values()
    ]
