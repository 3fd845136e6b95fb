"""Ways to cut a grown tree back, as objects that hold their options.

What
    ``FastTreeClassifier(pruning="error_based")`` or ``pruning=ErrorBased(confidence=0.1)`` prunes
    in `fit`; ``model.prune(method)`` prunes a fitted tree and gives a new model. Either way
    ``model.prune_report_`` tells what was cut and why.
Source and equation
    In each class.
Complexity
    O(nodes x classes); reduced-error and raising also walk the rows, O(rows x depth).
When not to use it
    Where the tree must explain every training row; and before asking cross-validation whether it
    helps.

Examples
--------
>>> import fasttree
>>> table = fasttree.datasets.load_iris()
>>> grown = fasttree.fit(table, criterion="gini")
>>> pruned = grown.prune("pessimistic")
>>> grown.get_n_leaves() > pruned.get_n_leaves()
True
"""

from __future__ import annotations

import math
import numbers
from typing import Any, ClassVar

import numpy as np

from .._checks import Parameters, as_float, checked, one_value, shown
from .report import Cut, PruneReport

__all__ = [
    "MDL",
    "PRUNINGS",
    "CostComplexity",
    "Cut",
    "ErrorBased",
    "MEstimate",
    "Pessimistic",
    "PruneReport",
    "Pruning",
    "ReducedError",
    "impurity_for",
    "make",
]


def _number(owner: str, name: str, value: Any, *, low: float, high: float, words: str) -> float:
    number = as_float(value)
    if number is None or not low <= number <= high or math.isinf(number):
        raise ValueError(f"{owner}({name}={shown(value)}): {name} must be {words}")
    return number


class Pruning(Parameters):
    """Base of the methods."""

    name: ClassVar[str]
    costs: ClassVar[str]

    def to_config(self) -> dict[str, Any]:
        """The method as the core reads it.

        Raises:
            ValueError: an option outside its domain.
        """
        raise NotImplementedError

    @property
    def needs_rows(self) -> str | None:
        """What rows ``model.prune`` needs, None if it needs none."""
        return None


class Pessimistic(Pruning):
    """Pessimistic pruning: a leaf where ``e + 1/2 <= E + SE``.

    ``E`` = training errors of the subtree + L/2 (L = leaves with training rows), ``SE = sqrt(E (n -
    E) / n)``, ``e`` = errors as a leaf, ``n`` = weight of the node. Top-down, each subtree is
    looked at once, as it was grown; a tree that this method made is therefore given back as it is.

    Source: Quinlan (1987), Simplifying decision trees, Int. J. Man-Machine Studies 27.

    Examples:
        >>> Pessimistic().to_config()
        {'method': 'pessimistic'}
    """

    name = "pessimistic"
    costs = "errors with their correction"

    def to_config(self) -> dict[str, Any]:
        """The method as the core reads it."""
        return {"method": self.name}


class ErrorBased(Pruning):
    """C4.5's pruning by the upper limit of the error of each leaf, as J48 does it.

    A leaf with weight n and e errors is charged e plus the errors that C4.5 adds. With confidence
    CF these are ``n (1 - CF^(1/n))`` for e = 0. From e = 1 on they are the normal approximation
    with continuity correction, and linear in between. First, subtrees that save no training error
    become leaves. Then, bottom-up, a node becomes a leaf where that costs at most 0.1 more than the
    subtree and the raised branch. Else, with `subtree_raising`, its heaviest branch takes its place
    where that costs at most 0.1 more than the subtree; all rows of the node go down there.

    Source: Quinlan (1993), C4.5: Programs for Machine Learning, chapter 4; margins as J48 in Weka
    3.6.

    Args:
        confidence: in (0, 0.5]; smaller prunes more.
        subtree_raising: whether a node may be replaced by its heaviest branch; needs the training
            rows (`fit` has them).

    Examples:
        >>> ErrorBased(confidence=0.1)
        ErrorBased(confidence=0.1, subtree_raising=True)
    """

    name = "error_based"
    costs = "estimated errors"

    def __init__(self, confidence: float = 0.25, subtree_raising: bool = True) -> None:
        self.confidence = confidence
        self.subtree_raising = subtree_raising

    def to_config(self) -> dict[str, Any]:
        """The method as the core reads it."""
        confidence = _number(
            "ErrorBased",
            "confidence",
            self.confidence,
            low=5e-324,
            high=0.5,
            words="a number in (0, 0.5]",
        )
        if not isinstance(self.subtree_raising, bool | np.bool_):
            raise ValueError(
                f"ErrorBased(subtree_raising={self.subtree_raising!r}): use True or False"
            )
        return {
            "method": self.name,
            "confidence": confidence,
            "subtree_raising": bool(self.subtree_raising),
        }

    @property
    def needs_rows(self) -> str | None:
        """The training rows, for raising."""
        return (
            "X and y, the training rows (or subtree_raising=False)"
            if self.subtree_raising
            else None
        )


class ReducedError(Pruning):
    """Pruning by the errors on rows held out: bottom-up, a leaf where it makes no more of them than
    the subtree.

    `fit` holds out one part in `folds` (or the share `fraction`), stratified by class; the tree is
    grown on, and keeps the counts of, the other rows. ``model.prune(ReducedError(), X, y)`` takes
    all rows of X as held out.

    Source: Quinlan (1987), Simplifying decision trees.

    Args:
        folds: the share held out is 1/folds; at least 2.
        fraction: the share itself, between 0 and 1, instead of `folds`.
        random_state: seed of the division, a whole number >= 0; None divides as J48 does, without
            shuffling: the rows of each class are brought together (by J48's swaps), every
            `folds`-th row goes to one fold, the last fold is held out.

    Examples:
        >>> ReducedError(fraction=0.25).to_config()
        {'method': 'reduced_error', 'share': 0.25, 'seed': 0}
    """

    name = "reduced_error"
    costs = "errors on the rows held out"

    def __init__(
        self, folds: int = 3, fraction: float | None = None, random_state: int | None = 0
    ) -> None:
        self.folds = folds
        self.fraction = fraction
        self.random_state = random_state

    def to_config(self) -> dict[str, Any]:
        """The method as the core reads it."""
        seed = self.random_state
        whole = (
            isinstance(seed, numbers.Integral)
            and not isinstance(seed, bool)
            and 0 <= int(seed) < 2**64
        )
        if seed is not None and not whole:
            raise ValueError(
                f"ReducedError(random_state={seed!r}): random_state must be a whole number >= 0, "
                "or None"
            )
        if seed is None and self.fraction is not None:
            raise ValueError(
                f"ReducedError(fraction={self.fraction!r}, random_state=None): folds are divided "
                "without a seed, a share "
                "is not; give folds, or a random_state"
            )
        if self.fraction is not None and self.folds != 3:
            raise ValueError(
                f"ReducedError(folds={self.folds!r}, fraction={self.fraction!r}): folds cannot act "
                "beside fraction; give one of them"
            )
        if self.fraction is None:
            if (
                isinstance(self.folds, bool)
                or not isinstance(self.folds, numbers.Integral)
                or not 2 <= self.folds < 2**63
            ):
                raise ValueError(
                    f"ReducedError(folds={self.folds!r}): folds must be a whole number >= 2"
                )
            share = 1.0 / int(self.folds)
        else:
            words = "a number between 0 and 1, both excluded"
            share = _number(
                "ReducedError",
                "fraction",
                self.fraction,
                low=5e-324,
                high=1.0 - 2**-53,
                words=words,
            )
        return {"method": self.name, "share": share, "seed": None if seed is None else int(seed)}

    @property
    def needs_rows(self) -> str | None:
        """Rows that growth did not see."""
        return "X and y, rows that growth did not see"


class CostComplexity(Pruning):
    """CART's minimal cost-complexity pruning: weakest links are cut while they cost at most
    `ccp_alpha` a leaf.

    A link costs ``(R(t) - R(T_t)) / (|T_t| - 1)``; R = impurity x share of the training weight,
    summed over the leaves of the subtree T_t. ``estimator.cost_complexity_pruning_path(X, y)``
    lists all alphas.

    Source: Breiman, Friedman, Olshen & Stone (1984), CART, chapter 3.

    With ``ccp_alpha="cv"`` `fit` chooses the price by cross-validation (chapter 3.4; see the page
    on CART), and ``model.ccp_path_`` tells how. With a cost matrix R is the expected cost.

    Args:
        ccp_alpha: price of a leaf, >= 0, or ``"cv"``; None takes the estimator's `ccp_alpha`.
        impurity: ``"gini"``, ``"entropy"`` (bits), ``"error"``, or ``"auto"``: entropy for
            criterion info_gain, else Gini, as scikit-learn's trees do, ``"error"`` where errors
            have costs.
        folds: folds of the cross-validation, >= 2 (at most as many as rows). A row lies in one
            fold, whatever its weight.
        rule: ``"1se"``: the smallest tree whose error is within a standard error of the best one;
            ``"min"``: the best one.
        random_state: seed of the folds, a whole number >= 0.

    Examples:
        >>> CostComplexity(0.01).to_config()
        {'method': 'cost_complexity', 'ccp_alpha': 0.01, 'impurity': 'gini'}
    """

    name = "cost_complexity"
    costs = "impurity"

    def __init__(
        self,
        ccp_alpha: float | str | None = None,
        impurity: str = "auto",
        *,
        folds: int = 10,
        rule: str = "1se",
        random_state: int = 0,
    ) -> None:
        self.ccp_alpha = ccp_alpha
        self.impurity = impurity
        self.folds = folds
        self.rule = rule
        self.random_state = random_state

    def to_config(
        self, criterion: Any = "gini", ccp_alpha: float = 0.0, costly: bool = False
    ) -> dict[str, Any]:
        """The method as the core reads it, for an estimator's `criterion` and `ccp_alpha`;
        `costly`: errors have costs."""
        alpha: Any = ccp_alpha if self.ccp_alpha is None else self.ccp_alpha
        if not (isinstance(alpha, str) and alpha == "cv"):
            for name, value, usual in (("folds", self.folds, 10), ("rule", self.rule, "1se")):
                one_value(name, value)
                if value != usual:
                    raise ValueError(
                        f"CostComplexity({name}={value!r}) cannot act: only ccp_alpha='cv' chooses "
                        f"a price by folds; set that, or leave {name} out"
                    )
        words = "a number >= 0, or 'cv' to choose it by cross-validation"
        if isinstance(alpha, str) and alpha == "cv":
            alpha = 0.0
        alpha = _number("CostComplexity", "ccp_alpha", alpha, low=0.0, high=math.inf, words=words)
        impurity = impurity_for(self.impurity, criterion)
        if costly and self.impurity == "auto":
            impurity = "error"
        return {"method": self.name, "ccp_alpha": alpha, "impurity": impurity}

    def alpha_rule(self) -> dict[str, Any] | None:
        """How the core chooses the price; None where it is given."""
        if not (isinstance(self.ccp_alpha, str) and self.ccp_alpha == "cv"):
            return None
        if self.rule not in ("min", "1se"):
            raise ValueError(f"CostComplexity(rule={self.rule!r}): use 'min' or '1se'")
        whole = {"folds": (self.folds, 2), "random_state": (self.random_state, 0)}
        for name, (value, least) in whole.items():
            if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
                raise ValueError(
                    f"CostComplexity({name}={value!r}): {name} must be a whole number >= {least}"
                )
        return {
            "folds": int(self.folds),
            "one_se": self.rule == "1se",
            "seed": int(self.random_state) % 2**64,
        }


class MEstimate(Pruning):
    """Minimal-error pruning: bottom-up, a leaf where its expected error is at most the subtree's.

    A leaf errs with probability ``1 - (n_c + m p_c) / (n + m)``, c = its class, p_c = share of c at
    the root; a subtree with the weighted mean over its branches.

    Source: Cestnik & Bratko (1991), On estimating probabilities in tree pruning, EWSL-91.

    Args:
        m: weight of the prior in rows, >= 0; larger prunes more.

    Examples:
        >>> MEstimate(m=4).to_config()
        {'method': 'm_estimate', 'm': 4.0}
    """

    name = "m_estimate"
    costs = "expected error"

    def __init__(self, m: float = 2.0) -> None:
        self.m = m

    def to_config(self) -> dict[str, Any]:
        """The method as the core reads it."""
        return {
            "method": self.name,
            "m": _number("MEstimate", "m", self.m, low=0.0, high=math.inf, words="a number >= 0"),
        }


class MDL(Pruning):
    """Pruning by description length: bottom-up, a leaf where the message gets no longer.

    Costs in bits: every node 1. A test ``log2(features)``, and ``log2(n - 1)`` more for a threshold
    in a node of n rows. A leaf ``log2 C(n + k - 1, k - 1) + log2(n! / prod n_c!)``, k = classes
    with training rows. The classes of an empty leaf cost nothing.

    Source: Quinlan & Rivest (1989), Inferring decision trees using the minimum description length
    principle; bottom-up as in Mehta, Rissanen & Agrawal (1995), MDL-based decision tree pruning.

    Examples:
        >>> MDL().to_config()
        {'method': 'mdl'}
    """

    name = "mdl"
    costs = "bits"

    def to_config(self) -> dict[str, Any]:
        """The method as the core reads it."""
        return {"method": self.name}


PRUNINGS: dict[str, type[Pruning]] = {
    c.name: c for c in (Pessimistic, ErrorBased, ReducedError, CostComplexity, MEstimate, MDL)
}
"""The methods by name."""


def make(method: Any) -> Pruning:
    """A method from its name, or the object itself.

    Raises:
        ValueError: an unknown name, or something that is no method.

    Examples:
        >>> make("mdl")
        MDL()
    """
    if isinstance(method, str) and method in PRUNINGS:
        return PRUNINGS[method]()
    if isinstance(method, Pruning):
        return method
    raise ValueError(
        f"pruning={method!r} is not known; use None, {', '.join(map(repr, PRUNINGS))} or an object "
        "of fasttree.pruning"
    )


@checked(impurity=one_value, criterion=one_value)
def impurity_for(impurity: str, criterion: Any) -> str:
    """What a leaf's rows cost: as named, or (``"auto"``) what fits the `criterion`, a name or an
    object."""
    if impurity == "auto":
        return "entropy" if getattr(criterion, "name", criterion) == "info_gain" else "gini"
    if impurity not in ("gini", "entropy", "error"):
        raise ValueError(
            f"impurity={impurity!r} is not known; use 'auto', 'gini', 'entropy' or 'error'"
        )
    return impurity
