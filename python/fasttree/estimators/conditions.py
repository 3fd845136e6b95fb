"""Conditions under which a parameter of a tree has an effect.

What
    A `Condition` is a predicate of all parameters by name, with the words for an error message.
    `declaration` gives one to each parameter that acts only beside others; `idle` refuses the
    parameter where it does not hold.
When not to use it
    For conditions on data: these look at parameters alone, which serve all folds and data sets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .. import criteria
from ..pruning import CostComplexity, make

Parameters = Mapping[str, Any]
"""The parameters of a tree by name."""


class Condition(NamedTuple):
    """Whether a parameter acts, and what to change if it does not.

    A condition looks at parameters alone. The refusal of an idle parameter names its value and the
    remedy.

    Attributes:
        acts: whether the parameter has an effect beside these parameters.
        remedy: what it needs, for the error message.
        is_refused_elsewhere: whether the core, or the check of its value, refuses it already.
    """

    acts: Callable[[Parameters], bool]
    remedy: str
    is_refused_elsewhere: bool = False


def merges(params: Parameters) -> bool:
    """Whether levels are merged before a feature is tested. Only then do nodes have a branch for a
    group of levels, and numbers must be put into bins, whose neighbours are merged."""
    return params.get("selection") == "significance" and bool(params.get("merge_levels"))


def ignores_criterion(params: Parameters) -> bool:
    """Whether the criterion has no effect: tests of significance choose features and cuts, and no
    pruning reads impurities.

    >>> from fasttree import presets
    >>> ignores_criterion(presets.CTREE), ignores_criterion({**presets.CTREE, "cut": "criterion"})
    (True, False)
    """
    by_test = params.get("selection") == "significance" and params.get("cut") != "criterion"
    method = params.get("pruning")
    priced = isinstance(method and make(method), CostComplexity) or params.get("ccp_alpha")
    return by_test and not priced


def binning_of(params: Parameters) -> Any:
    """The parameter `discretize`, with what ``"auto"`` stands for: bins for a selection that merges
    levels and for criteria on pairs or neighbours of rows, else None (thresholds are searched).

    >>> binning_of({"discretize": "auto", "criterion": "pi"})
    'equal_width'
    """
    method = params.get("discretize", "auto")
    if not (isinstance(method, str) and method == "auto"):
        return method
    if merges(params):
        return "equal_frequency"
    is_on_rows = criteria.evidence_of(params["criterion"]) in ("pairs", "neighbours")
    return "equal_width" if is_on_rows else None


def has_thresholds(params: Parameters) -> bool:
    """Whether numbers are split at thresholds that are searched for in each node. Otherwise they
    are in bins, because `discretize` says so, levels are merged, or the criterion reads pairs or
    neighbours of rows."""
    if binning_of(params) is not None or merges(params):
        return False
    return criteria.evidence_of(params["criterion"]) in ("table", "moments", "order")


def takes_bins(params: Parameters) -> bool:
    """Whether numbers are put into `n_bins` bins: by a method that is given by its name and reads
    that number. ``"mdlp"`` chooses the number itself, and a discretiser object has its own."""
    method = binning_of(params)
    return isinstance(method, str) and method != "mdlp"


def is_local(params: Parameters) -> bool:
    """Whether each leaf is split by its own best candidate (``evaluation="local"``, the default).
    With ``"global"`` or ``"glocal"`` the criterion scores the partition of all rows instead."""
    return bool(params.get("evaluation", "local") == "local")


def takes_penalty(params: Parameters) -> bool:
    """Whether the complexity penalty of cost-complexity pruning is the parameter `ccp_alpha`. It is
    not if a `CostComplexity` object has a penalty of its own, or with any other pruning."""
    method = params["pruning"]
    if isinstance(method, CostComplexity):
        return method.ccp_alpha is None
    return method in (None, "cost_complexity")


THRESHOLDS = "discretize=None and a criterion on tables: only then numbers have thresholds"
LOCAL = "evaluation='local'"
