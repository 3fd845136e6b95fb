"""Parameters that cannot act: which parameter needs which other one.

What
    `CONDITIONS` says of each parameter of a tree or forest that acts only beside other parameters
    when it does; all others always act (on some data). A fit refuses a value other than the default
    that cannot act, by name. Data are not asked: the same words serve all folds and all data sets.
Complexity
    A few comparisons a fit.
When not to use it
    To check values: `parameters.config_of` does.
"""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .. import criteria
from .._checks import shown
from ..pruning import CostComplexity

__all__ = [
    "CONDITIONS",
    "SCORING",
    "SILENT",
    "Condition",
    "drop_idle_of_some",
    "refuse_idle",
    "refuse_unscored",
]

Words = Mapping[str, Any]


class Condition(NamedTuple):
    """When a parameter acts, and what to say where it does not."""

    acts: Callable[[Words], bool]
    remedy: str
    is_refused_elsewhere: bool = False
    """By the core, which says why, or beside the parameter's domain."""


def has_thresholds(params: Words) -> bool:
    """Numbers are split at thresholds, not at bins."""
    word = params["discretize"]
    if not (word is None or (isinstance(word, str) and word == "auto")):
        return False
    return criteria.evidence_of(params["criterion"]) == "table"


def takes_bins(params: Words) -> bool:
    """Numbers are put into as many bins as `n_bins` says."""
    word = params["discretize"]
    if isinstance(word, str) and word == "auto":
        return not has_thresholds(params)
    return isinstance(word, str) and word != "mdlp"


def is_local(params: Words) -> bool:
    """Each leaf is split by its own best candidate."""
    return bool(params["evaluation"] == "local")


def takes_price(params: Words) -> bool:
    """Leaves have a price that no object names."""
    method = params["pruning"]
    own = isinstance(method, CostComplexity) and method.ccp_alpha is not None
    return method in (None, "cost_complexity") or (isinstance(method, CostComplexity) and not own)


THRESHOLDS = "discretize=None and a criterion on tables: only then numbers have thresholds"
LOCAL = "evaluation='local'"

CONDITIONS = {
    "labels": Condition(lambda p: not is_local(p), "evaluation='global' or 'glocal'", True),
    "ties": Condition(
        lambda p: p["ties"] != "row" or (has_thresholds(p) and p["splitter"] == "best"),
        f"{THRESHOLDS}, and splitter='best'",
    ),
    "n_bins": Condition(
        takes_bins,
        "discretize='equal_width' or 'equal_frequency' (an object of fasttree.discretize has its "
        "own n_bins)",
    ),
    "threshold_search": Condition(has_thresholds, THRESHOLDS, True),
    "max_bins": Condition(
        lambda p: p["threshold_search"] == "histogram", "threshold_search='histogram'"
    ),
    "thresholds": Condition(has_thresholds, THRESHOLDS),
    "leaf_order": Condition(
        lambda p: is_local(p) and p["max_leaf_nodes"] is not None,
        "max_leaf_nodes, and evaluation='local'",
    ),
    "min_impurity_decrease": Condition(is_local, LOCAL, True),
    "min_score": Condition(is_local, LOCAL, True),
    "splitter": Condition(
        lambda p: has_thresholds(p) or p["nominal_splits"] != "multiway",
        "splits in two: nominal_splits='subset' or 'one_vs_rest', or numbers with thresholds",
    ),
    "ccp_alpha": Condition(
        takes_price, "pruning=None or 'cost_complexity', and no price in the object", True
    ),
    "max_samples": Condition(lambda p: bool(p["bootstrap"]), "bootstrap=True", True),
    "oob_score": Condition(lambda p: bool(p["bootstrap"]), "bootstrap=True", True),
}
"""Parameters that act only beside others."""

EVERY = ("table", "pairs", "rows", "neighbours")

SCORING = {
    **dict.fromkeys(("categorical_features", "missing", "priors", "class_weight"), EVERY),
    **dict.fromkeys(
        ("discretize", "n_bins", "min_samples_leaf", "min_weight_fraction_leaf"), EVERY[:3]
    ),
    **dict.fromkeys(("nominal_splits", "threshold_search", "max_bins"), EVERY[:1]),
}
"""Parameters that act on the scores of features, and the evidence of criteria beside which they
do."""

SILENT = frozenset({"random_state", "n_jobs", "progress"})
"""Parameters that are never refused: the same call may need them or not."""


@cache
def defaults_of(kind: Any) -> Mapping[str, Any]:
    """Default of each parameter of a class."""
    return {name: p.default for name, p in inspect.signature(kind).parameters.items()}


def is_idle(estimator: Any, name: str) -> bool:
    """Whether a parameter has a value other than its default, and cannot act."""
    kind: Any = type(estimator)
    default = defaults_of(kind).get(name, inspect.Parameter.empty)
    if default is inspect.Parameter.empty:
        return False
    return is_set(estimator, name) and not CONDITIONS[name].acts(vars(estimator))


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
    for name, condition in CONDITIONS.items():
        if not condition.is_refused_elsewhere and is_idle(estimator, name):
            raise ValueError(
                f"{name}={shown(getattr(estimator, name))} cannot act in this fit: it needs "
                f"{condition.remedy}; set that, or leave {name} out"
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
    kind: Any = type(estimator)
    evidence = criteria.evidence_of(estimator.criterion)
    for name in defaults_of(kind):
        if name == "criterion" or name in SILENT or not is_set(estimator, name):
            continue
        said = f"{name}={shown(getattr(estimator, name))} cannot act on scores of features"
        if name not in SCORING:
            raise ValueError(f"{said}: they are those of the root alone; leave {name} out")
        elsewhere = name in CONDITIONS and CONDITIONS[name].is_refused_elsewhere
        if evidence not in SCORING[name] and name != "nominal_splits" and not elsewhere:
            raise ValueError(
                f"{said} by {criteria.make(estimator.criterion)!r}: it needs a criterion on "
                f"{' or '.join(SCORING[name]).replace('table', 'tables')}; leave {name} out"
            )
        if name in CONDITIONS and not elsewhere and is_idle(estimator, name):
            raise ValueError(f"{said}: it needs {CONDITIONS[name].remedy}; or leave {name} out")


def drop_idle_of_some(estimators: Sequence[Any]) -> None:
    """Of estimators made with the same words, give a parameter its default where it cannot act,
    provided that it acts in another one."""
    for name in CONDITIONS:
        idle = [one for one in estimators if is_idle(one, name)]
        if len(idle) < len(estimators):
            for one in idle:
                kind: Any = type(one)
                setattr(one, name, defaults_of(kind)[name])
