"""`FastTreeClassifier` and `FastTreeRegressor`: decision trees for any split criterion, as
estimators of scikit-learn.

What
    ``fasttree.fit(X, y, criterion=...)`` and ``FastTreeClassifier(criterion=...).fit(X, y)`` are
    the same thing. Data are encoded once; growth, prediction and storage happen in the Rust core.
    For a number, exact and binned search, nominal columns, missing values, weights, pruning,
    explanations and exports are the same code.
Source and equation
    Breiman, Friedman, Olshen & Stone, Classification and Regression Trees (1984), chapter 8; each
    criterion names its own.
Complexity
    Growth: O(rows x features) per level after one sort of each numeric column; prediction: O(depth)
    per row. A regression costs as much as two classes.
When not to use it
    If accuracy matters more than a tree that can be read, a boosted ensemble serves better. Trees
    predict steps: for smooth functions of few columns a linear or additive model needs fewer rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import criteria
from .._checks import one_of
from .._checks.aliases import TASKS, MaybeArray, Self, Task, Unpack
from ..criteria import Criterion
from ..datasets.inputs import resolve_names
from ..table import Table
from ..table.data_checks.findings import all_as_given
from ..table.data_checks.targets import task_of_numbers
from ..table.numeric_targets import text_as_numbers
from ..table.sources import one_column
from . import keywords
from .batches.sources import batches_of
from .classifying import Classifier
from .constructors import with_parameters, with_parameters_of
from .declaration import REGRESSION_TREE, TREE
from .idle import defaults_of, refuse_idle
from .parameters import SHARES, config_of, made_of
from .regressing import Regressor
from .tree_estimator import TreeEstimator


@with_parameters(TREE)
class FastTreeClassifier(TreeEstimator, Classifier):
    """A decision tree that splits by any criterion.

    Args:
        ...

    Attributes:
        classes_: class labels, shape (n_classes,).
        class_prior_: (n_i + 0.5) / (n + k/2) from the training weights, shape (n_classes,).
        n_features_in_, feature_names_in_: as in scikit-learn.
        n_nodes_: number of nodes.
        route_: the form in which `fit` read the rows, and why.
        tree_: read-only arrays (`TreeArrays`).
        trace_: the splits in order (`Trace`).
        prune_report_: what pruning cut and why (`fasttree.pruning.PruneReport`).
        ccp_path_: how the complexity penalty was chosen, with ``CostComplexity("cv")``.
        feature_importances_: share of each feature in the summed score x weight of the splits,
            shape (n_features,).

    Raises:
        ValueError: a parameter or data outside their domain; the message names parameter, column
            and row.
        TypeError: cells that are neither numbers nor labels.

    Examples:
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> tree = FastTreeClassifier(criterion="gini", max_depth=2).fit(X, y)
        >>> round(tree.score(X, y), 2), tree.get_n_leaves()
        (0.96, 3)
    """

    if TYPE_CHECKING:  # the constructor that type checkers read

        def __init__(
            self,
            *,
            criterion: keywords.SplitCriterion = "info_gain",
            **parameters: Unpack[keywords.TreeParameters],
        ) -> None: ...

    def fit(
        self,
        X: Any,
        y: MaybeArray = None,
        sample_weight: MaybeArray = None,
        *,
        groups: Any = None,
    ) -> Self:
        """Grow the tree.

        Parameters are checked here, not in the constructor. The estimator is changed in place, and
        a second fit forgets the first one.

        Args:
            X: rows, or a `Table` with its target (then y is None); or, for
                ``threshold_search="histogram"``, rows in batches: a Parquet file or folder, a
                ``pyarrow.dataset``, a list of Arrow batches, a function that returns an iterable of
                batches.
            y: labels, or the numbers of a regression, shape (n_rows,); for rows in batches, the
                name of the column that holds them.
            sample_weight: weights >= 0, shape (n_rows,); an integer weight is that many copies of
                the row, a row of weight 0 is dropped before anything else. Default: the Table's own
                weights, or 1. For rows in batches, the name of the column that holds them.
            groups: with `honest`: one per row, or the name of a column of X, which the tree then
                does not use; each group is kept for the leaves as a whole, or not.

        Returns:
            The estimator.
        """
        return self._fit(X, y, sample_weight, groups=groups)


@with_parameters_of(FastTreeClassifier, TREE)
def fit(
    X: Any,
    y: MaybeArray = None,
    *,
    criterion: keywords.SplitCriterion | keywords.NumberCriterion | None = None,
    sample_weight: MaybeArray = None,
    exposure: MaybeArray = None,
    groups: Any = None,
    task: Task | None = None,
    **params: Unpack[keywords.FitParameters],
) -> FastTreeClassifier | Any:  # or a FastTreeRegressor, which type checkers cannot tell
    """Fit a tree: exactly ``FastTreeClassifier(criterion=criterion, **params).fit(X, y,
    sample_weight)``, or the same with `FastTreeRegressor`.

    Args:
        X: rows: a data frame, an array, a list of rows, or a `Table` with its target.
        y: labels or numbers, shape (n_rows,), or the name of the column of X that holds them.
        criterion: None: ``"info_gain"`` of classes, ``"squared_error"`` of a number.
        sample_weight: weights >= 0, shape (n_rows,); see `FastTreeClassifier.fit`.
        exposure: for counts: positive numbers, shape (n_rows,), or the name of a column of X; see
            `FastTreeRegressor.fit`.
        groups: with `honest`, one per row, or the name of a column of X: see
            `FastTreeClassifier.fit`.
        task: ``"classification"`` or ``"regression"``; None: what the criterion implies, regression
            if `target_bins` is given, else what the file declares, else regression where y is
            floats with fractions, or in a file or frame numbers of more than 20 different values
            that are not 0 or 1 to the largest without a gap, five rows each. A line says so.
        ...

    Returns:
        The fitted tree.

    Raises:
        TypeError: a name that is not a parameter, with the nearest one.
        ValueError: a parameter or data outside their domain.

    Examples:
        >>> import fasttree
        >>> fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], criterion="gini").get_n_leaves()
        4
        >>> fit([[0.0], [1.0], [2.0]], [0.5, 2.25, 3.0]).predict([[1.0]]).tolist()
        [2.25]
    """
    if batches_of(X, params.get("threshold_search") == "histogram") is None:
        X, y, task = given_with_task(X, y, task, criterion, params)
    else:
        task = task_named(task, criterion, params)
    kind: Any = FastTreeRegressor if task == "regression" else FastTreeClassifier
    if criterion is None:
        criterion = defaults_of(kind)["criterion"]
    return made_of(kind, criterion, params)._fit(X, y, sample_weight, exposure, groups)


def given_with_task(
    X: Any, y: Any, task: Task | None, criterion: Any, params: Mapping[str, Any]
) -> tuple[Any, Any, Task]:
    """Rows and target in place of the names of data sets, files and columns, and the task.

    Args:
        X, y, task, criterion: as in `fit`.
        params: the further parameters of `fit`.
    """
    task = task_named(task, criterion, params)
    X, y = resolve_names(X, y, task, as_given=all_as_given(params))
    return X, y, task or task_of_target(X, y)


def task_named(task: Task | None, criterion: Any, params: Mapping[str, Any]) -> Task | None:
    """The task that a caller names or that `criterion` or `target_bins` implies; None where the
    target is to decide (`task_of_target`).

    Examples:
        >>> task_named(None, "poisson", {}), task_named(None, "gini", {})
        ('regression', 'classification')
    """
    if task is not None:
        return one_of("task", task, TASKS)
    if params.get("target_bins") is not None:
        return "regression"
    if isinstance(criterion, str | type | Criterion):
        on_number = criteria.is_on_number(criteria.make(criterion))
        return "regression" if on_number else "classification"
    return None


def task_of_target(X: Any, y: Any) -> Task:
    """The task that a target implies; `fit` says how.

    A Table has its task. Arrays and lists are a regression only if they hold floats with fractions.
    For a series its type decides, and if that is text, the cells are read as the cells of a file.

    Args:
        X: a Table with its target, or rows.
        y: labels or numbers; None if X is a Table.
    """
    if isinstance(X, Table) and y is None:
        return X.task
    dtype = getattr(y, "dtype", None)
    if dtype is not None and not isinstance(y, np.ndarray) and not hasattr(y, "columns"):
        return _task_of_series(y, str(dtype).lower())
    is_float = str(dtype).lower().startswith("float")
    if not is_float and not (
        isinstance(y, list | tuple) and any(isinstance(cell, float) for cell in y)
    ):
        return "classification"
    try:
        numbers = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return "classification"
    finite = numbers[np.isfinite(numbers)]
    return "regression" if np.any(finite != np.floor(finite)) else "classification"


def _task_of_series(y: Any, dtype: str) -> Task:
    """The task that a column of a data frame implies.

    A float type declares a number, except in pandas, which also has floats for whole numbers with a
    missing cell. Text is read as the cells of a file.

    Args:
        y: the column.
        dtype: name of its type, in lower case.
    """
    numbers_or_text = ("int", "uint", "float", "double", "decimal", "object", "str", "large_str")
    if not dtype.startswith(numbers_or_text):
        return "classification"
    try:
        cells = one_column("y", y)
        if not isinstance(cells, np.ndarray) or any(isinstance(cell, str) for cell in cells):
            read = text_as_numbers("y", cells)
            if read is None:
                return "classification"
            cells = read.values
        numbers = np.asarray(cells, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):  # text, or what the estimator refuses
        return "classification"
    is_pandas = type(y).__module__.partition(".")[0] == "pandas" and "pyarrow" not in dtype
    declared = not is_pandas and dtype.startswith(("float", "double"))
    name = getattr(y, "name", None)
    return task_of_numbers("y" if name is None else str(name), numbers, declared=declared)


def config_for(
    estimator: FastTreeClassifier | FastTreeRegressor, table: Table
) -> dict[str, Any] | None:
    """The core's configuration of an estimator for all folds of a cross-validation, which then runs
    in the core.

    Returns:
        None where each fold needs a `fit` of its own: class weights, shares of the rows, exposures
        and rows kept for honest leaves depend on the training rows, and only `fit` calls a user's
        function.
    """
    if (
        table.exposure is not None
        or getattr(estimator, "class_weight", None) is not None
        or getattr(estimator, "priors", None) is not None
        or getattr(estimator, "honest", None)
        or any(isinstance(getattr(estimator, name), float) for name in SHARES)
    ):
        return None
    config, custom = config_of(estimator.get_params(deep=False), table)
    refuse_idle(estimator)
    return config if custom is None else None


@with_parameters(REGRESSION_TREE)
class FastTreeRegressor(TreeEstimator, Regressor):
    """A regression tree that splits by any criterion on numbers.

    Sums of the target are exact, so that results depend neither on the order of the rows nor on
    threads: means, medians and quantiles are computed from the numbers as given; tests are chosen
    on a grid of at most 2^-40 of the range of a node.

    Args:
        ...

    Attributes:
        n_features_in_, feature_names_in_: as in scikit-learn.
        n_nodes_: number of nodes.
        route_: the form in which `fit` read the rows, and why.
        tree_: read-only arrays (`TreeArrays`); ``value`` is the number that a node predicts,
            ``impurity`` is the impurity of its rows by the criterion.
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

    if TYPE_CHECKING:  # the constructor that type checkers read

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

        Parameters are checked here, not in the constructor. The estimator is changed in place, and
        a second fit forgets the first one.

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
