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

from typing import TYPE_CHECKING, Any

from .._checks.aliases import MaybeArray, Self, Unpack
from . import keywords
from .declaration import REGRESSION_TREE
from .described import described
from .regressing import Regressor
from .tree_estimator import TreeEstimator


@described(REGRESSION_TREE)
class FastTreeRegressor(TreeEstimator, Regressor):
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

    if TYPE_CHECKING:  # as `described` makes it

        def __init__(
            self,
            *,
            criterion: keywords.NumberCriterion = "squared_error",
            **parameters: Unpack[keywords.RegressionTreeParameters],
        ) -> None: ...

    def fit(
        self,
        X: Any,
        y: MaybeArray = None,
        sample_weight: MaybeArray = None,
        *,
        exposure: MaybeArray = None,
        groups: Any = None,
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
            groups: with `honest`: one per row, or the name of a column of X, which the tree then
                does not use; each group is kept for the leaves as a whole, or not.

        Returns:
            The estimator.

        Examples:
            One claim in 12 months, and three in 18:

            >>> X, claims, months = [[20], [20], [50]], [1, 2, 1], [6, 12, 12]
            >>> tree = FastTreeRegressor(criterion="poisson").fit(X, claims, exposure=months)
            >>> tree.predict([[20], [50]]).round(3).tolist()
            [0.167, 0.083]
        """
        return self._fit(X, y, sample_weight, exposure, groups)
