"""The parameters of a tree, typed: what editors complete and type checkers check.

What
    The values that each word may take, as constructors annotate them, and `TreeParameters`, the
    keyword arguments that `fasttree.fit` passes on. `documented` and `described` make texts of help
    from a constructor's signature and the words of its class, which are written once.
    `choices` and `LEAST` are the words and least numbers that `parameters.config_of` checks.
When not to use it
    To check values: `parameters.config_of` does.
"""

from __future__ import annotations

import functools
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from .._checks.aliases import CategoricalFeatures, Seed
from ..criteria import Criterion, PairFunction
from ..discretize import Discretizer
from ..pruning import Pruning
from ..rendering.progress import Progress

__all__ = ["SplitCriterion", "TreeParameters", "described", "documented"]

# Names and aliases of the registry, written by `python -m docs.studies.first_screen.make`.
CriterionName: TypeAlias = Literal[
    "info_gain",
    "entropy",
    "mutual_information",
    "log_loss",
    "gain_ratio",
    "normal_gain",
    "mantaras",
    "normalized_vi",
    "variation_of_information",
    "symmetric_uncertainty",
    "geometric_nmi",
    "min_nmi",
    "max_nmi",
    "gini",
    "chi2",
    "g_statistic",
    "laplace",
    "accuracy",
    "jaccard",
    "f_measure",
    "f_measure_max",
    "mdl",
    "dkm",
    "hellinger",
    "euclid",
    "angle",
    "orthogonality",
    "class_euclid",
    "class_angle",
    "twoing",
    "auc",
    "pi",
    "contextual_merit",
    "relief",
    "minimal_tree_size",
    "mts",
    "relieff",
    "surf",
    "surf_star",
    "multisurf",
    "multisurf_star",
    "k_nearest_merit",
]
SplitCriterion: TypeAlias = (
    CriterionName | Criterion | type[Criterion] | PairFunction | Callable[[Any], Any]
)
EvaluationMode: TypeAlias = Literal["local", "global", "glocal"]
Labels: TypeAlias = Literal["majority", "all", "distinct"]
TieRule: TypeAlias = Literal["first", "row", "random"]
NominalSplits: TypeAlias = Literal["auto", "multiway", "subset", "one_vs_rest"]
Discretization: TypeAlias = (
    Literal["auto", "equal_width", "equal_frequency", "mdlp"] | Discretizer | None
)
ThresholdSearch: TypeAlias = Literal["exact", "histogram"]
Thresholds: TypeAlias = Literal["midpoint", "value", "training_value"]
LeafOrder: TypeAlias = Literal["improvement", "distance"]
FeatureCount: TypeAlias = int | float | Literal["sqrt", "log2"] | None
Splitter: TypeAlias = Literal["best", "random"]
DistanceRule: TypeAlias = bool | Literal["strict"]
EmptyBranch: TypeAlias = Literal["parent", "unclassified"]
MissingValues: TypeAlias = Literal["auto", "fractional", "mode", "branch", "error"]
UnknownLevels: TypeAlias = Literal["missing", "error"]
PruningName: TypeAlias = Literal[
    "pessimistic",
    "error_based",
    "reduced_error",
    "cost_complexity",
    "m_estimate",
    "mdl",
]
PruningMethod: TypeAlias = PruningName | Pruning | None
MergedLeaves: TypeAlias = Literal["class", "distribution"] | None
LeafSmoothing: TypeAlias = Literal["laplace", "m_estimate"] | None
ClassWeight: TypeAlias = Literal["balanced"] | Mapping[Any, float] | None
ForestClassWeight: TypeAlias = Literal["balanced_subsample"] | ClassWeight
TraceKept: TypeAlias = Literal["steps", "candidates"] | None


class TreeParameters(TypedDict, total=False):
    """Keyword arguments of `FastTreeClassifier` beside the criterion."""

    evaluation: EvaluationMode
    labels: Labels
    ties: TieRule
    nominal_splits: NominalSplits
    categorical_features: CategoricalFeatures
    discretize: Discretization
    n_bins: int
    threshold_search: ThresholdSearch
    max_bins: int
    thresholds: Thresholds
    max_depth: int | None
    max_leaf_nodes: int | None
    leaf_order: LeafOrder
    min_impurity_decrease: float
    min_samples_split: int | float
    min_samples_leaf: int | float
    min_weight_fraction_leaf: float
    max_features: FeatureCount
    splitter: Splitter
    min_score: float | None
    no_distance_decay: DistanceRule
    empty_branch: EmptyBranch
    missing: MissingValues
    handle_unknown: UnknownLevels
    pruning: PruningMethod
    ccp_alpha: float
    merge_redundant: MergedLeaves
    cost_matrix: Any
    priors: Any
    leaf_smoothing: LeafSmoothing
    class_weight: ClassWeight
    random_state: Seed
    n_jobs: int | None
    progress: Progress
    trace: TraceKept


class Settings:
    """The parameters that trees and forests share, as attributes."""

    criterion: SplitCriterion
    evaluation: EvaluationMode
    labels: Labels
    ties: TieRule
    nominal_splits: NominalSplits
    categorical_features: CategoricalFeatures
    discretize: Discretization
    n_bins: int
    threshold_search: ThresholdSearch
    max_bins: int
    thresholds: Thresholds
    max_depth: int | None
    max_leaf_nodes: int | None
    leaf_order: LeafOrder
    min_impurity_decrease: float
    min_samples_split: int | float
    min_samples_leaf: int | float
    min_weight_fraction_leaf: float
    max_features: FeatureCount
    splitter: Splitter
    min_score: float | None
    no_distance_decay: DistanceRule
    empty_branch: EmptyBranch
    missing: MissingValues
    handle_unknown: UnknownLevels
    pruning: PruningMethod
    ccp_alpha: float
    merge_redundant: MergedLeaves
    leaf_smoothing: LeafSmoothing
    class_weight: ForestClassWeight
    random_state: Seed
    n_jobs: int | None
    progress: Progress

    def _keep(self, given: dict[str, Any]) -> None:
        """Store the arguments of a constructor under their names."""
        vars(self).update(given)
        del vars(self)["self"]


CHOSEN = (
    "ties",
    "splitter",
    "evaluation",
    "labels",
    "nominal_splits",
    "threshold_search",
    "thresholds",
    "leaf_order",
    "no_distance_decay",
    "empty_branch",
    "missing",
)
"""Parameters that are one of the words of their type."""

LEAST = {
    "max_bins": 2,
    "max_depth": 1,
    "max_leaf_nodes": 2,
    "min_samples_split": 2,
    "min_samples_leaf": 1,
}
"""The smallest whole number that a parameter may be."""


@functools.cache
def choices(name: str) -> tuple[bool | str | None, ...]:
    """The values that the type of a parameter names, None first.

    >>> choices("no_distance_decay"), choices("merge_redundant")
    ((False, True, 'strict'), (None, 'class', 'distribution'))
    """
    return tuple(sorted(_values(_types()[name]), key=lambda value: value is not None))


@functools.cache
def _types() -> dict[str, Any]:
    return get_type_hints(TreeParameters)


def _values(hint: Any) -> list[bool | str | None]:
    if hint is bool:
        return [False, True]
    if hint is type(None):
        return [None]
    parts = get_args(hint)
    if str(hint).startswith("typing.Literal"):
        return list(parts)
    if _is_list(hint):
        return []
    return [value for part in parts for value in _values(part)]


def _is_list(hint: Any) -> bool:
    return get_origin(hint) in (Sequence, list, tuple)


F = TypeVar("F", bound=Callable[..., Any])
Kind = TypeVar("Kind", bound=type)
MANY_NAMES = 12
"""A choice among more names is shown as ``str``."""
HELD = "\N{NO-BREAK SPACE}"
WIDTH = 92


def documented(kind: type) -> Callable[[F], F]:
    """Give a function the parameters of a class that it passes on. Its signature names them with
    their defaults, and its text lists them (where it says ``...``) with types, defaults and the
    class's words."""

    def of(function: F) -> F:
        own = inspect.signature(function)
        passed = inspect.signature(kind).parameters.values()
        shared = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
        named = {p.name for p in shared}
        text = inspect.getdoc(function) or ""
        function.__doc__ = text.replace("    ...\n", _listed(kind, _words(kind)))
        function.__signature__ = own.replace(  # type: ignore[attr-defined]
            parameters=[
                *shared,
                *(p.replace(kind=p.KEYWORD_ONLY) for p in passed if p.name not in named),
            ]
        )
        return function

    return of


def described(base: type | None = None) -> Callable[[Kind], Kind]:
    """Add types and defaults to the parameters in a class's text; what it does not say itself is
    said as by `base`."""

    def of(kind: Kind) -> Kind:
        words = {**({} if base is None else _words(base)), **_words(kind)}
        text = inspect.getdoc(kind) or ""
        head, rest = text.split("Args:\n", 1)
        kind.__doc__ = f"{head}Args:\n{_listed(kind, words)}\n{rest.split(chr(10) * 2, 1)[1]}"
        return kind

    return of


def _listed(kind: type, words: Mapping[str, str]) -> str:
    """All parameters of a class: name, type, default, words."""
    hints, lines = get_type_hints(kind.__init__), []  # type: ignore[misc]
    for name, parameter in inspect.signature(kind).parameters.items():
        kinds = "" if hints[name] is Any else f"{type_name(hints[name])}, "
        # Readers of docstrings want a name with its type on one line, however long.
        said = f"{name} ({kinds}default {parameter.default!r}):".replace(" ", HELD)
        lines += textwrap.wrap(
            f"{said} {words[name]}",
            WIDTH,
            initial_indent=" " * 4,
            subsequent_indent=" " * 8,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(lines).replace(HELD, " ") + "\n"


def type_name(hint: Any) -> str:
    """A type as a reader says it: choices as their values, objects by their class."""
    if hint is None or hint is type(None):
        return "None"
    parts = get_args(hint)
    if str(hint).startswith("typing.Literal"):
        return "str" if len(parts) > MANY_NAMES else " | ".join(map(repr, parts))
    if "Callable" in str(hint).split("[")[0]:
        return "function"
    if parts and str(hint).startswith("type["):
        return f"type of {type_name(parts[0])}"
    if parts and "Mapping" in str(hint).split("[")[0]:
        return "dict"
    if _is_list(hint):
        return "list"
    if hint is np.ndarray:
        return "array"
    if parts:
        return " | ".join(dict.fromkeys(map(type_name, parts)))
    return str(hint.__name__)


@functools.cache
def _words(kind: type) -> dict[str, str]:
    """What a class's section ``Args:`` says about each parameter."""
    text = inspect.getdoc(kind) or ""
    section = text.split("Args:\n", 1)[1].split("\n\n", 1)[0]
    parts = re.split(r"^    (\w+): ", section, flags=re.MULTILINE)
    return {n: " ".join(said.split()) for n, said in zip(parts[1::2], parts[2::2], strict=True)}
