"""What the commands say of a task: criteria and metrics by default, and the constant that a model
has to beat (the most frequent class, or the mean)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from ..table import Table

__all__ = ["TASKS", "Task", "baseline_of", "baseline_text", "quality_of", "varies"]


class Task(NamedTuple):
    """Classification or regression, for the commands."""

    criteria: tuple[str, ...]
    """What is compared where no criterion is named."""
    ranking: tuple[str, ...]
    """By what features are ranked where no criterion is named."""
    metrics: tuple[str, ...]
    """What a cross-validation measures; a comparison takes the first."""
    judged_by: str
    """The metric that compares a tree with a pruned one."""
    pruning: str
    """The pruning that the commands recommend."""
    without: str
    """What a row without a target lacks."""


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
    from ..advice.tasks import judge_of

    return judge_of(table).facts


def baseline_text(table: Table) -> str:
    """The constant in words."""
    found = baseline_of(table)
    if table.task == "regression":
        return f"always saying the mean, {found['mean']:.4g}: MAE {found['mae_of_mean']:.4g}"
    return f"always answering {found['majority_class']!r}: {100 * found['majority']:.2f} %"


def varies(numbers: np.ndarray) -> bool:
    """Whether some of the numbers differ, so that R2 has a meaning."""
    return len(numbers) > 1 and bool(np.ptp(numbers) > 0)


def quality_of(
    answers: np.ndarray,
    truth: np.ndarray | None,
    task: str,
    groups: Sequence[str] | None = None,
) -> dict[str, Any]:
    """How good predictions are where the target is known: `rows` that are, and accuracy, or R2 and
    mean absolute error (None where no row has a target, R2 also where all targets are equal); with
    the group of each row also the number of groups and the standard error over them.

    >>> quality_of(np.array([1.0, 3.0]), np.array([2.0, float("nan")]), "regression")
    {'known': 1, 'r2': None, 'mae': 1.0}
    """
    if task == "regression":
        known = np.zeros(len(answers), bool) if truth is None else ~np.isnan(truth)
        numbers = truth[known] if truth is not None else np.empty(0)
        from sklearn.metrics import r2_score

        errors = np.abs(numbers - answers[known])
        return {
            "known": len(numbers),
            "r2": float(r2_score(numbers, answers[known])) if varies(numbers) else None,
            "mae": float(errors.mean()) if len(numbers) else None,
            **_over_groups(errors, np.flatnonzero(known), groups),
        }
    pairs = [] if truth is None else list(zip(answers.tolist(), truth.tolist(), strict=True))
    places = np.flatnonzero([value is not None for _, value in pairs])
    same = np.array([str(answer) == str(value) for answer, value in pairs], dtype=bool)[places]
    return {
        "known": len(same),
        "accuracy": float(same.mean()) if len(same) else None,
        **_over_groups(same, places, groups),
    }


def _over_groups(
    values: np.ndarray, places: np.ndarray, groups: Sequence[str] | None
) -> dict[str, Any]:
    """Number of groups and standard error of the mean of values, which are those of some rows."""
    if groups is None or not len(values):
        return {}
    from ..metrics import MeanOverGroups

    found = MeanOverGroups.of(values, [groups[place] for place in places.tolist()])
    error = found.standard_error
    return {
        "groups": len(found.groups),
        "standard_error": None if np.isnan(error) else error,
    }
