"""Pruning methods, as objects that hold their options.

What
    ``FastTreeClassifier(pruning="error_based")`` or ``pruning=ErrorBased(confidence=0.1)`` prunes
    in `fit`; ``model.prune(method)`` prunes a fitted tree and returns a new model. In both cases
    ``model.prune_report_`` lists the changes and their costs.
Source and equation
    See each class. The core's registry has one entry per method, which declares names, options,
    defaults, domains and documentation.
Complexity
    O(nodes x classes); reduced-error and raising also walk the rows, O(rows x depth).
When not to use it
    If the tree must be consistent with every training row. Whether pruning helps on a data set is
    for cross-validation to show.

Examples:
    >>> import fasttree
    >>> table = fasttree.datasets.load_iris()
    >>> grown = fasttree.fit(table, criterion="gini")
    >>> pruned = grown.prune("pessimistic")
    >>> grown.get_n_leaves() > pruned.get_n_leaves()
    True
    >>> ErrorBased(confidence=0.1)
    ErrorBased(confidence=0.1, subtree_raising=True)
    >>> MEstimate(m=4).to_config()
    {'method': 'm_estimate', 'm': 4.0}
    >>> ReducedError(fraction=0.25).to_config()
    {'method': 'reduced_error', 'share': 0.25, 'seed': 0}
    >>> CostComplexity(0.01).to_config()
    {'method': 'cost_complexity', 'ccp_alpha': 0.01, 'impurity': 'gini'}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _engine
from .._checks import checked, one_of, one_value, shown
from .._checks.aliases import TASKS, Task
from .._checks.declared import declared_class
from .base import Pruning
from .report import Cut, PruneReport

__all__ = [
    "PRUNED_CLASSES",
    "PRUNED_NUMBERS",
    "PRUNINGS",
    "Cut",
    "PruneReport",
    "Pruning",
    "impurity_for",
    "make",
]


class _ReducedError(Pruning):
    def to_config(self) -> dict[str, Any]:
        """The method as the core reads it: the share of the rows held out, and a seed."""
        folds, fraction, seed = self.folds, self.fraction, self.random_state
        if seed is not None:
            seed = self.checked_option("random_state", seed)
        elif fraction is not None:
            raise ValueError(
                f"ReducedError(fraction={shown(fraction)}, random_state=None): folds are divided "
                "without a seed, a share is not; give folds, or a random_state"
            )
        if fraction is None:
            share = 1.0 / self.checked_option("folds", folds)
        elif folds != 3:
            raise ValueError(
                f"ReducedError(folds={shown(folds)}, fraction={shown(fraction)}): folds cannot act "
                "beside fraction; give one of them"
            )
        else:
            share = self.checked_option("fraction", fraction)
        return {"method": self.name, "share": share, "seed": seed}


class _CostComplexity(Pruning):
    def __str__(self) -> str:
        """The options that act: `folds`, `rule` and `random_state` only choose a price."""
        act = list(self.get_params().items())[: None if self.alpha_rule() else 2]
        return f"CostComplexity({', '.join(f'{name}={value!r}' for name, value in act)})"

    def to_config(
        self,
        criterion: Any = "gini",
        ccp_alpha: float = 0.0,
        costly: bool = False,
        task: Task = "classification",
    ) -> dict[str, Any]:
        """The method as the core reads it, for an estimator's `criterion` and `ccp_alpha`;
        `costly`: errors have costs."""
        alpha = ccp_alpha if self.ccp_alpha is None else self.ccp_alpha
        self.checked_option("random_state", self.random_state)
        if not (isinstance(alpha, str) and alpha == "cv"):
            for name, usual in (("folds", 10), ("rule", "1se")):
                value = one_value(name, getattr(self, name))
                if value != usual:
                    raise ValueError(
                        f"CostComplexity({name}={shown(value)}) cannot act: only ccp_alpha='cv' "
                        f"chooses a price by folds; set that, or leave {name} out"
                    )
        if isinstance(alpha, str) and alpha == "cv":
            alpha = 0.0
        alpha = self.checked_option("ccp_alpha", alpha)
        impurity = impurity_for(self.impurity, criterion, task)
        if costly and self.impurity == "auto":
            impurity = "error"
        return {"method": self.name, "ccp_alpha": alpha, "impurity": impurity}

    def alpha_rule(self) -> dict[str, Any] | None:
        """How the core chooses the price; None where it is given."""
        if not (isinstance(self.ccp_alpha, str) and self.ccp_alpha == "cv"):
            return None
        folds, rule, seed = (
            self.checked_option(n, getattr(self, n)) for n in ("folds", "rule", "random_state")
        )
        return {"folds": folds, "one_se": rule == "1se", "seed": seed}


OWN_CONFIGS = {"reduced_error": _ReducedError, "cost_complexity": _CostComplexity}
"""Methods whose options are not the core's one by one."""


def _made(info: dict[str, Any]) -> type[Pruning]:
    """The class of an entry of the registry."""
    base = OWN_CONFIGS.get(info["name"], Pruning)
    text = f"{info['text']}\n\nSource: {info['source']}.\n"
    return declared_class(base, info, text, __name__, name=info["name"], costs=info["costs"])


PRUNINGS: dict[str, type[Pruning]] = {
    info["name"]: _made(info) for info in _engine.registry("prunings")
}
"""The methods by name."""

PRUNED_CLASSES, PRUNED_NUMBERS = (
    tuple(name for name, kind in PRUNINGS.items() if target in kind.info["targets"])
    for target in ("classes", "number")
)
"""Names of the methods that prune trees with classes, and trees of a numeric target."""

_cost_complexity: Any = PRUNINGS["cost_complexity"]
WORDS: dict[str, Pruning] = {
    "cart": _cost_complexity(ccp_alpha="cv"),
    "cart_min": _cost_complexity(ccp_alpha="cv", rule="min"),
}
"""Methods with options that have a name of their own: Breiman's, the price chosen by ten folds with
the one-standard-error rule, or the price of least cost."""

globals().update({kind.__name__: kind for kind in PRUNINGS.values()})
__all__ += [kind.__name__ for kind in PRUNINGS.values()]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


def make(method: Any) -> Pruning:
    """A method from its name (a key of `PRUNINGS` or `WORDS`), or the object itself.

    Raises:
        ValueError: an unknown name, or something that is no method.

    Examples:
        >>> make("mdl")
        MDL()
        >>> make("cart")
        CostComplexity(ccp_alpha='cv', impurity='auto', folds=10, rule='1se', random_state=0)
    """
    if isinstance(method, str) and method in WORDS:
        return WORDS[method]
    if isinstance(method, str) and method in PRUNINGS:
        return PRUNINGS[method]()
    if isinstance(method, Pruning):
        return method
    names = ", ".join(map(repr, [*PRUNINGS, *WORDS]))
    raise ValueError(
        f"pruning={shown(method)} is not known; use None, {names} or an object of fasttree.pruning"
    )


IMPURITIES: dict[Task, tuple[str, ...]] = {
    "classification": ("gini", "entropy", "error"),
    "regression": ("criterion", "variance"),
}
"""Impurities of leaves with classes, and of leaves with numbers."""


@checked(impurity=one_value, criterion=one_value)
def impurity_for(impurity: str, criterion: Any, task: Task = "classification") -> str:
    """Name of the impurity by which the cost of a leaf is computed: the one that is named, or for
    ``"auto"`` the one that fits the `criterion`, a name or an object."""
    one_of("task", task, TASKS)
    name = getattr(criterion, "name", criterion)
    if impurity == "auto":
        if task == "regression":
            return "variance" if name == "standard_deviation" else "criterion"
        return "entropy" if name == "info_gain" else "gini"
    return one_of("impurity", impurity, ("auto", *IMPURITIES[task]))
