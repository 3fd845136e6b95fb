"""Curves of a cross-validation: ROC and cost curves of its classes, and calibration; of a
regression observed by predicted numbers.

Out-of-fold predictions of all folds and repetitions are pooled, as in Weka. For two classes there
is one ROC and one cost curve per method, for the last class; for more classes, one ROC panel per
class against the rest, for the most frequent ones. Calibration is shown for the last class of two,
or for the predicted class of several.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..._checks.words import counted
from ...metrics.calibration import calibration_curve, curve_of
from ...metrics.cost_curves import cost_envelope
from ...metrics.per_class import usable_scores
from ...metrics.roc import RocCurve, binary_auc, roc_curve
from .charts import WIDTH, Series, line_chart, nice_ticks

if TYPE_CHECKING:
    from ...model_selection.result import CrossValidation

PANELS = 4
"""Largest number of ROC panels, one per class."""

GROUPS = 10
"""Groups of rows of a regression, a point each."""


@dataclass
class Panel:
    """A chart with its title and legend.

    Attributes:
        title: text above the chart.
        svg: the chart.
        legend: (index of the method, text) of each line.
        width: width of the chart, px.
    """

    title: str
    svg: str
    legend: list[tuple[int, str]] = field(default_factory=list)
    width: int = WIDTH


def _roc(result: CrossValidation, code: int) -> list[tuple[int, str, RocCurve, float]]:
    """The ROC curve of each method that has scores, for a class against the rest.

    Args:
        result: the cross-validation.
        code: code of the class.

    Returns:
        Position and name of the method, its curve, and the area below it.
    """
    truth = result.true_codes == code
    curves = []
    for index, method in enumerate(result.methods):
        scores = usable_scores(result[method].proba, probabilities=False)
        if scores is not None:
            column = scores[:, code]
            curve = roc_curve(truth, column, positive=True, classes=(False, True))
            curves.append((index, method, curve, binary_auc(truth, column)))
    return curves


def roc_panels(result: CrossValidation) -> list[Panel]:
    """Return ROC panels, most frequent classes first, and for two classes the cost curves. Methods
    without scores are left out; there are at most `PANELS` classes. The list is empty if no method
    has scores."""
    k = len(result.classes)
    counts = np.bincount(result.true_codes, minlength=k)
    wanted = [k - 1] if k == 2 else np.argsort(-counts, kind="stable")[:PANELS].tolist()
    panels = []
    for code in wanted:
        if counts[code] in (0, counts.sum()):
            continue
        found = _roc(result, code)
        if not found:
            continue
        name = str(result.classes[code])
        lines = [Series(method, place, curve.fpr, curve.tpr) for place, method, curve, _ in found]
        svg = line_chart(
            lines,
            xlabel="false positive rate",
            ylabel="true positive rate",
            title=f"ROC curves of class {name}",
            diagonal=True,
        )
        legend = [(place, f"{method}: area {area:.3f}") for place, method, _, area in found]
        panels.append(Panel(f"ROC, class {name}", svg, legend))
        if k == 2:
            panels.append(_costs(name, found))
    if panels and k > PANELS:
        panels[-1].title += f" ({counted(k - PANELS, 'rarer class')} without a chart)"
    return panels


def _costs(name: str, found: list[tuple[int, str, RocCurve, float]]) -> Panel:
    """The panel of the cost curves of two classes.

    Args:
        name: the positive class.
        found: the curves, as `_roc` gives them.
    """
    lines, legend = [], []
    for index, method, curve, _ in found:
        envelope = cost_envelope(curve)
        lines.append(Series(method, index, envelope.probability_cost, envelope.normalized_cost))
        legend.append((index, f"{method}: area {envelope.area:.3f}"))
    svg = line_chart(
        lines,
        xlabel="probability cost PC(+)",
        ylabel="normalised expected cost",
        title=f"Cost curves, {name} positive",
        y_ticks=(0, 0.1, 0.2, 0.3, 0.4, 0.5),
    )
    return Panel(f"Cost curves, {name} positive", svg, legend)


def curve_panels(result: CrossValidation) -> list[Panel]:
    """Return the charts of a result: ROC, cost and reliability curves of classes, or observed by
    predicted numbers."""
    if result.task == "regression":
        return [_observed_panel(result)]
    calibration = calibration_panel(result)
    return [*roc_panels(result), *([] if calibration is None else [calibration])]


def _observed_panel(result: CrossValidation) -> Panel:
    """Mean observed by mean predicted number, in `GROUPS` groups of rows by their prediction."""
    lines, legend = [], []
    for place, (method, scores) in enumerate(result.items()):
        order = np.argsort(scores.predictions, kind="stable")
        groups = np.array_split(order, min(GROUPS, len(order)))
        x, y = (
            [float(values[group].mean()) for group in groups]
            for values in (scores.predictions, result.true_numbers)
        )
        lines.append(Series(method, place, x, y, dots=True))
        legend.append((place, method))
    ends = [value for line in lines for value in (*line.x, *line.y)]
    ticks = nice_ticks(min(ends), max(ends))
    title = "Observed by predicted"
    svg = line_chart(
        lines,
        xlabel="predicted, means of tenths",
        ylabel="observed",
        title=title,
        x_ticks=ticks,
        y_ticks=ticks,
        diagonal=True,
    )
    return Panel(title, svg, legend)


def calibration_panel(result: CrossValidation) -> Panel | None:
    """Return the reliability curves of all methods that have probabilities in one panel, or None
    when no method has any."""
    k = len(result.classes)
    lines, legend = [], []
    for place, method in enumerate(result.methods):
        proba = usable_scores(result[method].proba, probabilities=True)
        if proba is None:
            continue
        codes = result.true_codes
        if k == 2:
            curve = calibration_curve(codes, proba, classes=(0, 1))
        else:
            top = proba.argmax(axis=1)
            curve = curve_of(top == codes, proba.max(axis=1), 10, "uniform", None)
        gap = float(
            (np.abs(curve.predicted - curve.observed) * curve.weight).sum() / curve.weight.sum()
        )
        lines.append(Series(method, place, curve.predicted, curve.observed, dots=True))
        legend.append((place, f"{method}: mean gap {gap:.3f}"))
    if not lines:
        return None
    title = f"Calibration, {f'class {result.classes[-1]}' if k == 2 else 'predicted class'}"
    svg = line_chart(
        lines,
        xlabel="predicted probability",
        ylabel="observed frequency",
        title=title,
        diagonal=True,
    )
    return Panel(title, svg, legend)
