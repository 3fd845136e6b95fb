"""Types of the parameters of trees and forests, for type checkers and editors.

What
    An alias names the type of a parameter that takes words or objects. A `TypedDict` lists the
    parameters of a class with their types; the constructors and `fasttree.fit` take it by
    ``Unpack``. `declaration` reads the types from here, and a parameter whose type is a `Literal`
    is checked against its words.
When not to use it
    For defaults, meanings and ranges: those are in `declaration`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypedDict

from .._checks.aliases import CategoricalFeatures, ColumnUse, Seed
from .._checks.progress import Progress
from ..criteria import Criterion, PairFunction
from ..discretize import Discretizer
from ..pruning import Pruning

SplitCriterion: TypeAlias = (
    Literal[
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
        "error",
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
    | Criterion
    | type[Criterion]
    | PairFunction
    | Callable[[Any], Any]
)
SelectionRule: TypeAlias = Literal["score", "significance"]
IndependenceTest: TypeAlias = Literal["quadratic", "maximum", "permutation"]
Adjustment: TypeAlias = Literal["bonferroni", "none"]
CutRule: TypeAlias = Literal["statistic", "criterion"]
CutStatistic: TypeAlias = Literal["quadratic", "maximum"]
EvaluationMode: TypeAlias = Literal["local", "global", "glocal"]
Labels: TypeAlias = Literal["majority", "all", "distinct"]
TieRule: TypeAlias = Literal["first", "row", "random", "even"]
NominalSplits: TypeAlias = Literal["auto", "multiway", "subset", "one_vs_rest"]
Splitter: TypeAlias = Literal["best", "random"]
FeatureCount: TypeAlias = Literal["sqrt", "log2"] | int | float | None
LeafOrder: TypeAlias = Literal["improvement", "distance"]
Interactions: TypeAlias = (
    Literal["pairwise", "no_interactions"] | Sequence[Iterable[int | str]] | None
)
DistanceRule: TypeAlias = bool | Literal["strict"]
Discretization: TypeAlias = (
    Literal["auto", "equal_width", "equal_frequency", "mdlp"] | Discretizer | None
)
ThresholdSearch: TypeAlias = Literal["exact", "histogram"]
Thresholds: TypeAlias = Literal["midpoint", "value", "training_value"]
MissingValues: TypeAlias = Literal["auto", "fractional", "mode", "branch", "error"]
EmptyBranch: TypeAlias = Literal["parent", "unclassified"]
UnknownLevels: TypeAlias = Literal["missing", "error"]
PruningMethod: TypeAlias = (
    Literal[
        "pessimistic",
        "error_based",
        "reduced_error",
        "cost_complexity",
        "m_estimate",
        "mdl",
        "cart",
        "cart_min",
    ]
    | Pruning
    | None
)
MergedLeaves: TypeAlias = Literal["class", "distribution"] | None
ClassWeight: TypeAlias = Literal["balanced"] | Mapping[Any, float] | None
LeafSmoothing: TypeAlias = Literal["laplace", "m_estimate"] | None
TraceKept: TypeAlias = Literal["steps", "candidates"] | None
ForestThresholdSearch: TypeAlias = Literal["auto", "exact", "histogram"]
ForestClassWeight: TypeAlias = (
    Literal["balanced_subsample", "balanced"] | Mapping[Any, float] | None
)
NumberCriterion: TypeAlias = (
    Literal[
        "squared_error",
        "friedman_mse",
        "absolute_error",
        "quantile",
        "poisson",
        "standard_deviation",
        "rrelieff",
    ]
    | Criterion
    | type[Criterion]
    | Callable[[Any], Any]
)
TargetBins: TypeAlias = Literal["equal_width", "equal_frequency"] | int | Discretizer | None
NumberPruning: TypeAlias = (
    Literal["reduced_error", "cost_complexity", "m5", "cart", "cart_min"] | Pruning | None
)


class CommonParameters(TypedDict, total=False):
    """Types of the parameters of all trees and forests, beside `criterion`. None of them is
    required. Defaults and texts are in `declaration`, which reads the types from here."""

    ties: TieRule
    nominal_splits: NominalSplits
    splitter: Splitter
    max_features: FeatureCount
    max_depth: int | None
    max_leaf_nodes: int | None
    leaf_order: LeafOrder
    min_samples_split: int | float
    min_samples_leaf: int | float
    min_weight_fraction_leaf: float
    min_impurity_decrease: float
    min_score: float | None
    monotonic_cst: Mapping[str, int] | Sequence[int] | None
    interaction_cst: Interactions
    no_distance_decay: DistanceRule
    categorical_features: CategoricalFeatures
    columns: ColumnUse
    discretize: Discretization
    n_bins: int
    max_bins: int
    thresholds: Thresholds
    missing: MissingValues
    handle_unknown: UnknownLevels
    ccp_alpha: float
    random_state: Seed
    n_jobs: int | None
    progress: Progress


class CommonTreeParameters(CommonParameters, total=False):
    """Types of the parameters of single trees, for classes and for numbers, beside `criterion`. A
    forest takes only `threshold_search` of them, with the further value ``"auto"``."""

    selection: SelectionRule
    test: IndependenceTest
    alpha: float
    adjust: Adjustment
    cut: CutRule
    cut_test: CutStatistic
    min_prob: float
    split_tries: int
    honest: float | bool | None
    threshold_search: ThresholdSearch
    trace: TraceKept


class CommonForestParameters(CommonParameters, total=False):
    """Types of the parameters of forests for classes and for numbers, beside `n_estimators`. They
    say how trees are sampled and combined."""

    bootstrap: bool
    max_samples: int | float | None
    threshold_search: ForestThresholdSearch
    oob_score: bool
    warm_start: bool


class ClassificationParameters(TypedDict, total=False):
    """Types of the parameters of trees and forests that act on classes alone. A regressor does not
    have them and refuses them by name."""

    evaluation: EvaluationMode
    labels: Labels
    empty_branch: EmptyBranch
    merge_redundant: MergedLeaves
    leaf_smoothing: LeafSmoothing


class ClassificationTreeParameters(ClassificationParameters, total=False):
    """Types of the parameters of single trees that act on classes alone. A forest takes only
    `class_weight` of them, with a further value."""

    merge_levels: bool
    alpha_merge: float
    alpha_split: float | None
    cost_matrix: Any
    priors: Any
    class_weight: ClassWeight


class TreeParameters(CommonTreeParameters, ClassificationTreeParameters, total=False):
    """Types of the keyword arguments of `FastTreeClassifier`. Type checkers and editors read them
    through ``Unpack``; the constructor at run time has the signature that `constructors` makes."""

    pruning: PruningMethod


class ForestParameters(CommonForestParameters, ClassificationParameters, total=False):
    """Types of the keyword arguments of `FastForestClassifier`. Type checkers and editors read them
    through ``Unpack``; the constructor at run time has the signature that `constructors` makes."""

    pruning: PruningMethod
    class_weight: ForestClassWeight


class RegressionTreeParameters(CommonTreeParameters, total=False):
    """Types of the keyword arguments of `FastTreeRegressor`. Type checkers and editors read them
    through ``Unpack``; the constructor at run time has the signature that `constructors` makes."""

    pruning: NumberPruning
    target_bins: TargetBins


class RegressionForestParameters(CommonForestParameters, total=False):
    """Types of the keyword arguments of `FastForestRegressor`. Type checkers and editors read them
    through ``Unpack``; the constructor at run time has the signature that `constructors` makes."""

    pruning: NumberPruning
    target_bins: TargetBins


class FitParameters(CommonTreeParameters, ClassificationTreeParameters, total=False):
    """Types of the keyword arguments of `fasttree.fit`: those that a tree for classes or a tree for
    numbers takes. Whether the target suits a parameter is checked at run time."""

    pruning: PruningMethod | NumberPruning
    target_bins: TargetBins
