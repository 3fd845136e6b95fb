"""Parameters that cannot act: which parameter needs which other one.

What
    `declaration` says of each parameter of a tree or forest that acts only beside other parameters
    when it does; all others always act (on some data). A fit refuses a value other than the default
    that cannot act, by name. Only parameters decide, so it is the same for all folds and data sets.
Complexity
    A few comparisons per fit.
When not to use it
    To check values: `parameters.config_of` does.
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
"""Parameters that act only beside others."""


@cache
def defaults_of(kind: Any) -> Mapping[str, Any]:
    """Default of each parameter of a class."""
    return {name: p.default for name, p in inspect.signature(kind).parameters.items()}


def is_idle(estimator: Any, name: str) -> bool:
    """Whether a parameter has a value other than its default, and cannot act."""
    kind: Any = type(estimator)
    has_it = name in defaults_of(kind)
    return has_it and is_set(estimator, name) and not CONDITIONS[name].acts(vars(estimator))


def is_set(estimator: Any, name: str) -> bool:
    """Whether a parameter has a value other than its default, and other than None."""
    kind: Any = type(estimator)
    value, default = getattr(estimator, name), defaults_of(kind)[name]
    if value is None or value is default:
        return False
    return not (isinstance(value, str | numbers.Real | np.bool_) and value == default)


def refuse_idle(estimator: Any) -> None:
    """Refuse parameters that cannot act.

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
    """Refuse `alpha` where it was meant for the criterion, which has an option of that name."""
    has_alpha = getattr(estimator, "selection", "") == "score"
    if has_alpha and is_set(estimator, "alpha"):
        hint = option_hint(estimator.criterion, "alpha", estimator.alpha)
        if hint:
            raise ValueError(
                f"alpha={shown(estimator.alpha)} of the tree acts with selection='significance' "
                f"alone; {hint}"
            )


def refuse_unscored(estimator: Any) -> None:
    """Refuse parameters of a tree that cannot act on the scores of features.

    Raises:
        ValueError: naming the parameter, its value and why it cannot.

    Examples:
        >>> import fasttree
        >>> fasttree.score_features("iris", criterion="gini", max_depth=2)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        ValueError: max_depth=2 cannot act on scores of features: they are those of the root ...
    """
    _refuse_option_of_criterion(estimator)
    kind: Any = type(estimator)
    evidence = criteria.evidence_of(estimator.criterion)
    for name in defaults_of(kind):
        if not is_set(estimator, name):
            continue
        fitting = PARAMETERS[name].scores
        fault = f"{name}={shown(getattr(estimator, name))} cannot act on scores of features"
        if not fitting:
            raise ValueError(f"{fault}: they are those of the root alone; leave {name} out")
        elsewhere = name in CONDITIONS and CONDITIONS[name].is_refused_elsewhere
        if evidence not in fitting and name != "nominal_splits" and not elsewhere:
            raise ValueError(
                f"{fault} by {criteria.make(estimator.criterion)!r}: it needs a criterion on "
                f"{' or '.join(fitting).replace('table', 'tables')}; leave {name} out"
            )
        if name in CONDITIONS and not elsewhere and is_idle(estimator, name):
            raise ValueError(f"{fault}: it needs {CONDITIONS[name].remedy}; or leave {name} out")


def drop_idle_of_some(estimators: Sequence[Any]) -> None:
    """Reset a parameter to its default in the estimators where it cannot act, if it acts in others.

    The estimators were made with the same arguments, as a comparison of criteria makes them.
    """
    for name in CONDITIONS:
        idle = [estimator for estimator in estimators if is_idle(estimator, name)]
        if len(idle) < len(estimators):
            for estimator in idle:
                kind: Any = type(estimator)
                setattr(estimator, name, defaults_of(kind)[name])
