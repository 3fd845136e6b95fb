"""`FastTreeRegressor`: a regression tree for any split criterion on numbers.

What
    The trees of `FastTreeClassifier` for a numeric target: exact and binned search, nominal
    columns, missing values, weights, pruning, explanations and exports are the same code.
Source and equation
    Breiman, Friedman, Olshen & Stone, Classification and Regression Trees (1984), chapter 8; each
    criterion names its own.
Complexity
    That of `FastTreeClassifier` with two classes.
When not to use it
    Where a boosted ensemble's accuracy matters more than a tree that can be read. Trees predict
    steps: for smooth functions of few columns a linear or additive model needs fewer rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks.aliases import CategoricalFeatures, ColumnUse, MaybeArray, Seed
from .._checks.progress import Progress
from . import keywords
from .declaration import REGRESSION_TREE
from .described import described
from .grown_tree import GrownTree
from .regressing import Regressor
from .tree_arrays import TreeArrays

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["FastTreeRegressor"]


@described(REGRESSION_TREE)
@dataclass(eq=False, repr=False)
class FastTreeRegressor(GrownTree, Regressor):
    """A regression tree that splits by any criterion on numbers.

    Sums of the target are exact, so that results depend neither on the order of the rows nor on
    threads: means, medians and quantiles are those of the numbers as given; tests are chosen on a
    grid of at most 2^-40 of the range of a node.

    Args:
        ...

    Attributes:
        n_features_in_, feature_names_in_: as in scikit-learn.
        n_nodes_: number of nodes.
        route_: the form in which `fit` read the rows, and why.
        tree_: read-only arrays (`TreeArrays`); ``value`` is the number that a node predicts,
            ``impurity`` that of its rows by the criterion.
        trace_: the splits in order (`Trace`).
        prune_report_: what pruning cut and why (`fasttree.pruning.PruneReport`).
        feature_importances_: share of each feature in the summed score x weight of the splits,
            shape (n_features,).

    Raises:
        ValueError: a parameter or data outside their domain; the message names parameter, column
            and row.
        TypeError: cells that are neither numbers nor labels.

    Examples:
        >>> from sklearn.datasets import load_diabetes
        >>> X, y = load_diabetes(return_X_y=True)
        >>> tree = FastTreeRegressor(max_leaf_nodes=4).fit(X, y)
        >>> round(tree.score(X, y), 2), tree.get_n_leaves()
        (0.43, 4)

        Any criterion on tables of classes, by bins of the target; leaves predict means:

        >>> tree = FastTreeRegressor(criterion="gini", target_bins=4, max_leaf_nodes=4).fit(X, y)
        >>> round(tree.score(X, y), 2)
        0.43
    """

    # Written from `declaration` by ``python -m docs.studies.first_screen.make``.
    _: KW_ONLY
    criterion: keywords.NumberCriterion = "squared_error"
    target_bins: keywords.TargetBins = None
    selection: keywords.SelectionRule = "score"
    test: keywords.IndependenceTest = "quadratic"
    alpha: float = 0.05
    adjust: keywords.Adjustment = "bonferroni"
    cut: keywords.CutRule = "statistic"
    cut_test: keywords.CutStatistic = "quadratic"
    min_prob: float = 0.01
    split_tries: int = 2
    ties: keywords.TieRule = "first"
    nominal_splits: keywords.NominalSplits = "auto"
    splitter: keywords.Splitter = "best"
    max_features: keywords.FeatureCount = None
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    leaf_order: keywords.LeafOrder = "improvement"
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1
    min_weight_fraction_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    min_score: float | None = None
    monotonic_cst: Mapping[str, int] | Sequence[int] | None = None
    interaction_cst: keywords.Interactions = None
    no_distance_decay: keywords.DistanceRule = False
    categorical_features: CategoricalFeatures = "from_dtype"
    columns: ColumnUse = "auto"
    discretize: keywords.Discretization = "auto"
    n_bins: int = 10
    threshold_search: keywords.ThresholdSearch = "exact"
    max_bins: int = 255
    thresholds: keywords.Thresholds = "midpoint"
    missing: keywords.MissingValues = "auto"
    handle_unknown: keywords.UnknownLevels = "missing"
    pruning: keywords.NumberPruning = None
    ccp_alpha: float = 0.0
    random_state: Seed = None
    n_jobs: int | None = None
    progress: Progress = None
    trace: keywords.TraceKept = "steps"

    def fit(
        self,
        X: Any,
        y: MaybeArray = None,
        sample_weight: MaybeArray = None,
        *,
        exposure: MaybeArray = None,
    ) -> Self:
        """Grow the tree.

        Args:
            X: rows, or a `Table` with its target (then y is None).
            y: numbers, shape (n_rows,), or the name of the column of a frame X that holds them.
            sample_weight: weights >= 0, shape (n_rows,); an integer weight is that many copies of
                the row, a row of weight 0 is dropped before anything else. Default: the Table's own
                weights, or 1.
            exposure: for ``criterion="poisson"``: the positive time, area or size over which each
                count of y was seen, shape (n_rows,). The tree predicts rates, counts per exposure;
                `score`, `evaluate` and `calibrate` take rates, too.

        Returns:
            The estimator.

        Examples:
            One claim in 12 months, and three in 18:

            >>> X, claims, months = [[20], [20], [50]], [1, 2, 1], [6, 12, 12]
            >>> tree = FastTreeRegressor(criterion="poisson").fit(X, claims, exposure=months)
            >>> tree.predict([[20], [50]]).round(3).tolist()
            [0.167, 0.083]
        """
        if exposure is None:
            return super().fit(X, y, sample_weight)
        self._refuse_batches(X)
        return self._fit_rows(self._training_rows(X, y, sample_weight, exposure))

    def _nodes_of(self, tree: int) -> TreeArrays:
        return self.tree_

    def _sizes(self) -> np.ndarray:
        return np.array([self.n_nodes_])
