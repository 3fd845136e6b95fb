"""Conditions under which a parameter of a tree has an effect, given the other parameters.

What
    A `Condition` looks at all parameters by name. `declaration` gives one to each parameter that
    acts only beside others, and `idle` refuses a value that cannot act.
When not to use it
    For conditions on data: the same parameters serve all folds and all data sets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .. import criteria
from ..pruning import CostComplexity, make

Words = Mapping[str, Any]


class Condition(NamedTuple):
    """Whether a parameter acts, and what to change if it does not.

    Attributes:
        acts: function of all parameters by name.
        remedy: what the parameter needs, for the message.
        is_refused_elsewhere: whether the core or the check of the domain refuses it already.
    """

    acts: Callable[[Words], bool]
    remedy: str
    is_refused_elsewhere: bool = False


def merges(params: Words) -> bool:
    """Levels are merged before a feature is tested, so that numbers need bins."""
    return params.get("selection") == "significance" and bool(params.get("merge_levels"))


def ignores_criterion(params: Words) -> bool:
    """Tests choose features and cuts, and no pruning weighs impurity: nothing asks the criterion.

    >>> from fasttree import presets
    >>> ignores_criterion(presets.CTREE), ignores_criterion({**presets.CTREE, "cut": "criterion"})
    (True, False)
    """
    by_test = params.get("selection") == "significance" and params.get("cut") != "criterion"
    method = params.get("pruning")
    priced = isinstance(method and make(method), CostComplexity) or params.get("ccp_alpha")
    return by_test and not priced


def has_thresholds(params: Words) -> bool:
    """Numbers are split at thresholds, not at bins."""
    word = params["discretize"]
    if not (word is None or (isinstance(word, str) and word == "auto")) or merges(params):
        return False
    return criteria.evidence_of(params["criterion"]) in ("table", "moments", "order")


def takes_bins(params: Words) -> bool:
    """Numbers are put into `n_bins` bins."""
    word = params["discretize"]
    if isinstance(word, str) and word == "auto":
        return not has_thresholds(params)
    return isinstance(word, str) and word != "mdlp"


def is_local(params: Words) -> bool:
    """Each leaf is split by its own best candidate."""
    return bool(params.get("evaluation", "local") == "local")


def takes_penalty(params: Words) -> bool:
    """The complexity penalty comes from the parameters of the tree, not from a pruning object."""
    method = params["pruning"]
    if isinstance(method, CostComplexity):
        return method.ccp_alpha is None
    return method in (None, "cost_complexity")


THRESHOLDS = "discretize=None and a criterion on tables: only then numbers have thresholds"
LOCAL = "evaluation='local'"
