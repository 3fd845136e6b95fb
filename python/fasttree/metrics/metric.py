"""`Metric`: a named function with facts about it, and the array form that scores many folds
at once.

A metric has a public function on labels or numbers (``function``) and exactly one array form, on
class codes or on numbers:

- ``from_confusion(counts)``: a function of the confusion counts (shape ``(..., k, k + 1)``, last
  column = unclassified), so that all folds of all methods are scored by one NumPy expression;
- ``per_row(codes, proba, prior)``: one value per row, averaged afterwards (information rewards, log
  loss, Brier);
- ``from_rows(codes, proba)``: needs all rows of a fold together (AUC, calibration error); of a
  metric of numbers ``from_rows(observed, predicted)``;
- ``from_tree(estimator)``: a size of the fitted tree, not of its predictions.

Metrics are not for split criteria: these are pure functions of a branch x class table and live in
the Rust core.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from .._checks.aliases import Task

Needs = Literal["labels", "proba", "scores", "numbers", "tree"]

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Metric:
    """A registered metric.

    ``needs`` says what it reads: predicted "labels", class probabilities "proba", one ranking score
    a class "scores", the predicted "numbers" of a regression, or the fitted "tree" itself.
    ``minimum`` and ``maximum`` bound its values (tests verify them). ``uses_prior``: wants the
    class prior of the training rows. ``scorable``: makes sense with observed labels as the truth
    (the Kullback-Leibler divergence needs true distributions, so it is not).

    >>> from fasttree.metrics import METRICS
    >>> METRICS["accuracy"].needs, METRICS["accuracy"].greater_is_better
    ('labels', True)
    """

    name: str
    function: Callable[..., Any]
    needs: Needs
    greater_is_better: bool
    doc: str
    source: str
    minimum: float
    maximum: float
    aliases: tuple[str, ...] = ()
    uses_prior: bool = False
    scorable: bool = True
    from_confusion: Callable[..., Any] | None = None
    per_row: Callable[..., Any] | None = None
    from_rows: Callable[..., Any] | None = None
    from_tree: Callable[[Any], float] | None = None

    @property
    def task(self) -> Task | None:
        """The task whose predictions it measures; None: any ("tree").

        >>> from fasttree.metrics import METRICS
        >>> [METRICS[name].task for name in ("accuracy", "r2_score", "leaves")]
        ['classification', 'regression', None]
        """
        if self.needs == "tree":
            return None
        return "regression" if self.needs == "numbers" else "classification"


def metric_of(
    function: Callable[..., Any],
    doc: str,
    source: str,
    *,
    needs: Needs = "labels",
    better: bool = True,
    minimum: float = 0.0,
    maximum: float = 1.0,
    **more: Any,
) -> Metric:
    """The entry of a function under its own name; `better`: whether greater is better, and `more`
    are the other attributes of `Metric`."""
    name = function.__name__
    return Metric(name, function, needs, better, doc, source, minimum, maximum, **more)


def presented_as(written: Callable[..., Any], function: F, *left_out: str) -> F:
    """Give a generated function the name and the docstring of the function that was written, and
    its own signature without the parameters that are left out, so that help and documentation show
    the public form."""
    shown = inspect.signature(function)
    kept = [parameter for parameter in shown.parameters.values() if parameter.name not in left_out]
    for attribute in ("__doc__", "__module__", "__name__", "__qualname__"):
        setattr(function, attribute, getattr(written, attribute))
    function.__signature__ = shown.replace(parameters=kept)  # type: ignore[attr-defined]
    return function
