"""Idle parameters: their values have no effect beside the other parameters.

What
    Some parameters act only beside others, as `max_bins` with ``threshold_search="histogram"``;
    `declaration` has the condition of each. A fit refuses such a parameter by name if it is idle
    and its value is not the default (`refuse_idle`). Data play no part, so the answer is the same
    for all folds and data sets.
Complexity
    A few comparisons per fit.
When not to use it
    To check values: `declaration.check` does.
"""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from .. import criteria
from .._checks import shown
from ..criteria import option_hint
from .declaration import PARAMETERS

CONDITIONS = {name: p.needs for name, p in PARAMETERS.items() if p.needs is not None}
"""The conditions of the parameters that act only beside others, by name."""

_PLURALS = {"table": "tables"}
"""What a criterion reads, in words; other kinds of evidence are plurals already."""


@cache
def defaults_of(kind: Any) -> Mapping[str, Any]:
    """The default of each parameter of a class, by name, in the order of its constructor. It is
    read from the signature once per class, and must not be changed by the caller."""
    return {name: p.default for name, p in inspect.signature(kind).parameters.items()}


def is_idle(estimator: Any, name: str) -> bool:
    """Whether an estimator has the parameter, with a value that is not the default and has no
    effect.

    Only parameters with an entry in `CONDITIONS` can be idle. The answer depends on the parameters
    of the estimator alone, not on rows. A parameter that the estimator does not have is not idle.
    """
    kind: Any = type(estimator)
    has_parameter = name in defaults_of(kind)
    return has_parameter and is_set(estimator, name) and not CONDITIONS[name].acts(vars(estimator))


def is_set(estimator: Any, name: str) -> bool:
    """Whether the value of a parameter is neither its default nor None.

    Texts, numbers and bools are compared by value; any other object counts as set unless it is the
    default itself, because arrays have no single truth value.
    """
    kind: Any = type(estimator)
    value, default = getattr(estimator, name), defaults_of(kind)[name]
    if value is None or value is default:
        return False
    return not (isinstance(value, str | numbers.Real | np.bool_) and value == default)


def refuse_idle(estimator: Any) -> None:
    """Raise an error for the first idle parameter of an estimator.

    A parameter with its default is never refused, so that presets and grids can be combined; nor is
    one that the core or its own check refuses.

    Raises:
        ValueError: naming the parameter, its value and what it needs.

    Examples:
        >>> import fasttree
        >>> fasttree.fit("iris", n_bins=5)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        ValueError: n_bins=5 cannot act in this fit: it needs discretize='equal_width' or ...
    """
    _refuse_option_of_criterion(estimator)
    for name, condition in CONDITIONS.items():
        if not condition.is_refused_elsewhere and is_idle(estimator, name):
            raise ValueError(
                f"{name}={shown(getattr(estimator, name))} cannot act in this fit: it needs "
                f"{condition.remedy}; set that, or leave {name} out"
            )


def _refuse_option_of_criterion(estimator: Any) -> None:
    """Raise a ValueError for an `alpha` that was meant for the criterion, if that has an option of
    this name."""
    selects_by_score = getattr(estimator, "selection", "") == "score"
    if selects_by_score and is_set(estimator, "alpha"):
        hint = option_hint(estimator.criterion, "alpha", estimator.alpha)
        if hint:
            raise ValueError(
                f"alpha={shown(estimator.alpha)} of the tree acts with selection='significance' "
                f"alone; {hint}"
            )


def refuse_unscored(estimator: Any) -> None:
    """Raise an error for the first parameter of an estimator that does not change scores of
    features.

    Raises:
        ValueError: naming the parameter, its value and why it cannot.

    Examples:
        >>> import fasttree
        >>> fasttree.score_features("iris", criterion="gini", max_depth=2)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        ValueError: max_depth=2 cannot act on scores of features: ...; leave max_depth out
    """
    _refuse_option_of_criterion(estimator)
    kind: Any = type(estimator)
    evidence = criteria.evidence_of(estimator.criterion)
    for name in defaults_of(kind):
        if not is_set(estimator, name):
            continue
        evidence_it_acts_on = PARAMETERS[name].scores
        fault = f"{name}={shown(getattr(estimator, name))} cannot act on scores of features"
        if not evidence_it_acts_on:
            raise ValueError(f"{fault}: they are those of the root alone; leave {name} out")
        is_refused_elsewhere = name in CONDITIONS and CONDITIONS[name].is_refused_elsewhere
        # Any criterion takes nominal_splits="multiway"; the core refuses the others by name.
        is_checked_here = name != "nominal_splits" and not is_refused_elsewhere
        if is_checked_here and evidence not in evidence_it_acts_on:
            kinds = [_PLURALS.get(kind, kind) for kind in evidence_it_acts_on]
            raise ValueError(
                f"{fault} by {criteria.make(estimator.criterion)!r}: it needs a criterion on "
                f"{' or '.join(kinds)}; leave {name} out"
            )
        if name in CONDITIONS and not is_refused_elsewhere and is_idle(estimator, name):
            raise ValueError(f"{fault}: it needs {CONDITIONS[name].remedy}; or leave {name} out")


def drop_idle_of_some(estimators: Sequence[Any]) -> None:
    """Reset each parameter to its default in the estimators where it is idle, if it acts in others.

    Args:
        estimators: made with the same arguments except the criterion, as a comparison makes them.
    """
    for name in CONDITIONS:
        idle = [estimator for estimator in estimators if is_idle(estimator, name)]
        if len(idle) < len(estimators):
            for estimator in idle:
                kind: Any = type(estimator)
                setattr(estimator, name, defaults_of(kind)[name])
