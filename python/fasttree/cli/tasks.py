"""The defaults and words of the commands for a task: criteria and metrics by default, and the
constant that a model has to beat (the most frequent class, or the mean)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._checks.words import counted
from ..estimators.recoding import as_declared
from ..exports.answers import figures

if TYPE_CHECKING:
    from ..metrics import MeanOverGroups
    from ..table import Table


class Task(NamedTuple):
    """What commands do differently for classification and regression: default criteria, metrics and
    words. `TASKS` has both."""

    criteria: tuple[str, ...]
    """Criteria that are compared where none is named."""
    ranking: tuple[str, ...]
    """Criteria that rank features where none is named."""
    metrics: tuple[str, ...]
    """Metrics of a cross-validation; a comparison takes the first."""
    judged_by: str
    """The metric that compares a tree with a pruned one."""
    pruning: str
    """The pruning that the commands recommend."""
    without: str
    """The word for the target of a row, "class" or "number", in notes on rows without one."""


TASKS = {
    "classification": Task(
        ("info_gain", "gain_ratio", "gini", "mantaras"),
        ("info_gain", "gain_ratio", "gini"),
        ("accuracy",),
        "accuracy",
        "error_based",
        "class",
    ),
    "regression": Task(
        ("squared_error", "absolute_error", "standard_deviation", "poisson"),
        ("squared_error", "absolute_error", "standard_deviation"),
        ("r2", "rmse", "mae"),
        "mae",
        "reduced_error",
        "number",
    ),
}
"""The tasks by name."""


def baseline_of(table: Table) -> dict[str, Any]:
    """The best constant answer, as fields of JSON: the most frequent class and its share of the
    rows, or the mean and its mean absolute error.

    >>> from fasttree import Table
    >>> baseline_of(Table([[0.0], [1.0]], [1.0, 2.0], task="regression"))
    {'mean': 1.5, 'mae_of_mean': 0.5}
    """
    from ..metrics.constant import best_constant

    if table.task == "regression":
        return best_constant(table.numbers, exposure=table.exposure)
    return best_constant(table.y_codes, table.classes)


def baseline_text(found: dict[str, Any]) -> str:
    """The best constant answer in words, from the fields of `baseline_of`: the mean with its mean
    absolute error, or the most frequent class with its share in percent."""
    if "mean" in found:
        return (
            f"always saying the mean, {figures(found['mean'])}: MAE {figures(found['mae_of_mean'])}"
        )
    return f"always answering {found['majority_class']!r}: {100 * found['majority']:.2f} %"


def costs_said(tables: Iterable[Table], *given: Any) -> list[str]:
    """The meaning of cost matrices in words, one line per matrix.

    Args:
        tables: the data, whose classes the matrices name.
        given: parameters of trees (a dict), and metrics; those without costs say nothing.

    >>> from fasttree import Table
    >>> costs_said([Table([[0.0], [1.0]], ["no", "yes"])], {"cost_matrix": [[0, 1], [10, 0]]})
    ["Costs: a 'yes' called 'no' costs 10, a 'no' called 'yes' 1."]
    """
    from ..metrics.cost import costs_in_words
    from ..metrics.scorers import Scorer

    options = (one.options if isinstance(one, Scorer) else one for one in given)
    matrices = [one.get("cost_matrix") for one in options if isinstance(one, dict)]
    lines = [
        f"Costs: {costs_in_words(costs, table.classes)}."
        for table in tables
        for costs in matrices
        if costs is not None
    ]
    return list(dict.fromkeys(lines))


def varies(numbers: np.ndarray) -> bool:
    """Whether some of the numbers differ; False for fewer than two numbers."""
    return len(numbers) > 1 and bool(np.ptp(numbers) > 0)


def quality_of(
    answers: np.ndarray,
    truth: np.ndarray | None,
    task: str,
    groups: Sequence[str] | None = None,
    *,
    classes: Sequence[Any] = (),
    costs: Any = None,
) -> tuple[dict[str, Any], list[str]]:
    """How good predictions are where the target is known, with the standard error over groups: the
    measures as fields of JSON, and in words, a line each, none where no target is known.

    Args:
        answers: the predictions, shape (n_rows,).
        truth: classes or numbers, None or NaN where they are not known; None: nowhere.
        task: "classification" or "regression".
        groups: the group of each row.
        classes: the classes of the model.
        costs: its cost matrix.

    >>> quality_of(np.array([1.0, 3.0]), np.array([2.0, float("nan")]), "regression")
    ({'r2': None, 'mae': 1.0}, ['mean absolute error 1 of 1 row whose number is known'])
    """
    from ..metrics import Evaluation, RegressionEvaluation

    is_number = task == "regression"
    given = np.array([]) if truth is None else truth
    known = ~np.isnan(given) if is_number else [one is not None for one in given]
    places = np.flatnonzero(known).tolist()
    if truth is None or not places:
        return dict.fromkeys(("r2", "mae") if is_number else ("accuracy",)), []
    members = None if groups is None else [groups[place] for place in places]
    of = f"of {counted(len(places), 'row')} whose {TASKS[task].without} is known"
    if is_number:
        errors = RegressionEvaluation(truth[places], answers[places], groups=members)
        r2, mae = errors.r2 if varies(errors.observed) else None, errors.mean_absolute_error
        over, sure = _over_groups(errors.over_groups)
        fit = "" if r2 is None else f", R2 {r2:.3f}"
        line = f"mean absolute error {figures(mae)}{fit} {of}{sure}"
        return {"r2": r2, "mae": mae, **over}, [line]
    # Labels are compared as text: a file may hold "1" where the model has 1.
    own = [str(label) for label in classes]
    labels = [str(label) for label in as_declared(truth[places].tolist(), classes)]
    said: Any = [None if one is None else str(one) for one in answers[places].tolist()]
    others = sorted(set(labels).difference(own))
    evaluation = Evaluation(
        labels,
        said,
        None,
        [*own, *others],
        None,
        groups=members,
        cost_matrix=None if others else costs,
    )
    over, sure = _over_groups(evaluation.over_groups, 100.0, " %")
    lines = [
        f"accuracy {100 * evaluation.accuracy:.2f} % {of}{sure}; always answering "
        f"{evaluation.majority_class!r}: {100 * evaluation.majority:.2f} %",
        *([evaluation.rare_text] if evaluation.rare is not None else []),
        *([f"Mean cost of a prediction: {evaluation.cost_text}."] if evaluation.cost_text else []),
    ]
    return {"accuracy": evaluation.accuracy, **evaluation.beside_accuracy(), **over}, lines


def _over_groups(
    found: MeanOverGroups | None, scale: float = 1.0, unit: str = ""
) -> tuple[dict[str, Any], str]:
    """Number of groups and standard error of a mean over them, as plain values and in words.

    Args:
        found: the mean over groups; None: there are no groups.
        scale: number that the standard error is multiplied by in words; 100: percent.
        unit: text behind it.
    """
    if found is None:
        return {}, ""
    error = None if np.isnan(found.standard_error) else found.standard_error
    said = "none" if error is None else f"{scale * error:.3g}{unit}"
    return (
        {"groups": len(found.groups), "standard_error": error},
        f"; standard error over {counted(len(found.groups), 'group')}: {said}",
    )
