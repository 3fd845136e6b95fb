"""`Regressor`, the base class of trees and forests that predict a number.

What
    Predicted numbers, R2 and evaluation of an estimator with a fitted model; quantiles from the
    training rows in the leaves (`leaf_targets`); and prediction intervals that are calibrated on
    rows held out (`intervals`). `FastTreeRegressor` and `FastForestRegressor` inherit it;
    `Classifier` is its counterpart for classes.
Complexity
    O(depth) per row and tree; for quantiles see `leaf_targets`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import criteria
from .._checks import one_of, weights_array
from .._checks.aliases import MaybeArray, Self, Task
from .._checks.data_warnings import quiet
from ..table import Table
from ..table.exposure import rates_of, with_exposure
from ..table.named_columns import pop_if_named
from ..table.numeric_targets import encode_numbers
from ..table.target import no_target
from . import intervals
from .base import Estimator, RegressorMixin
from .leaf_targets import LeafTargets, checked_quantiles, checksum_of
from .training_rows import FittedOn
from .tree_arrays import TreeArrays


class Regressor(RegressorMixin, Estimator):
    """Prediction of a number by an estimator whose `_model` is a model of the core.

    Trees and forests inherit it. Every method encodes new rows by the schema of the fit (columns by
    name where both have names, else by position), and raises scikit-learn's NotFittedError before a
    fit.
    """

    _task: Task = "regression"

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn may expect: counts and rates are not negative."""
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = criteria.name_of(self.criterion) == "poisson"
        return tags

    @property
    def _centre(self) -> str:
        """What leaves predict, as a word: the mean of their rows (also with `target_bins`), the
        median or a quantile."""
        criterion = criteria.make(self.criterion)
        name = criteria.name_of(criterion)
        if name == "quantile":
            return f"{getattr(criterion, 'q', 0.5):g}-quantile"
        return "median" if name == "absolute_error" else "mean"

    def predict(self, X: Any) -> np.ndarray:
        """The predicted numbers, shape (n_rows,), float64, in the units of the target.

        What a leaf predicts depends on the criterion: a mean, a median or a quantile of its
        training rows. A forest averages its trees. After a fit with an exposure the numbers are
        rates per unit of it.

        Args:
            X: rows: an array, a frame, a mapping of columns, a `Table`, or the path of a file.

        Raises:
            ValueError: another number of columns, or a missing value with ``missing="error"``.
            TypeError: cells of another kind than in the fit.
        """
        blocks, n = self._encode(X)
        return self._predictions(self._model, blocks, n)

    def _predictions(self, model: Any, blocks: list[np.ndarray], n: int) -> np.ndarray:
        """The numbers that a model of the core predicts for n encoded rows, shape (n,)."""
        return np.asarray(model.predict_proba(blocks, n, self.n_jobs))[:, 0]

    def score(self, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None) -> float:
        """R2, the coefficient of determination: 1 minus the squared error of the predictions over
        the squared error of the mean of y. 1 is perfect, and 0 is as good as always predicting the
        mean; it may be negative. If y is constant, the result is 1 for perfect predictions, else
        0."""
        X, numbers = self._rows_and_target(X, y)
        return self._score_of(self.predict(X), numbers, sample_weight)

    def _score_of(
        self, predicted: np.ndarray, numbers: np.ndarray, sample_weight: MaybeArray = None
    ) -> float:
        """R2 of predicted numbers, shape (n_rows,)."""
        from sklearn.metrics import r2_score

        weights = None if sample_weight is None else weights_array(sample_weight)
        return float(r2_score(numbers, predicted, sample_weight=weights))

    def evaluate(self, X: Any, y: MaybeArray = None, *, groups: Any = None) -> Any:
        """Correlation, R2, absolute and squared errors, and both relative to always predicting the
        mean of these rows, as Weka prints them: a `fasttree.metrics.RegressionEvaluation`.

        Args:
            X, y: rows and numbers, a Table, or the name of a data set.
            groups: the group of each row (a patient, a site), shape (n_rows,), or the name of a
                column of X: the result then has the standard error over groups, and the error of
                each.
        """
        from ..metrics import RegressionEvaluation

        X, y, members = self._rows_and_groups(X, y, groups)
        X, numbers = self._rows_and_target(X, y)
        return RegressionEvaluation(numbers, self.predict(X), groups=members)

    def _rows_and_target(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """Rows and numbers in place of names; a Table without y brings its numbers.

        Raises:
            ValueError: no target, another number of rows, or cells that are not numbers.
        """
        X, y = self._resolve_names(X, y)
        if isinstance(X, Table) and y is None:
            numbers = X.as_regression().numbers
            return X, encode_numbers(numbers, len(X), X.target).numbers
        if y is None:
            raise no_target()
        some = next(iter(X.values()), ()) if isinstance(X, Mapping) else X
        rows = len(some) if hasattr(some, "__len__") else len(y)
        return X, encode_numbers(y, rows).numbers

    # -- quantiles --------------------------------------------------------------------------------

    def predict_quantiles(self, X: Any, quantiles: Any = (0.1, 0.5, 0.9)) -> np.ndarray:
        """Quantiles of the target given the features of each row: a quantile regression tree or
        forest (Meinshausen, Journal of Machine Learning Research 7, 2006).

        In each tree, a training row in the leaf of the new row weighs its share of that leaf's
        rows: its weight, times its draws in the tree's bootstrap sample (`bootstrap_counts`),
        divided by the sum of these products over the rows of the leaf. These shares are averaged
        over the trees. The q-quantile is the smallest training target for which the rows with
        targets up to it weigh q or more. A row is in the leaf that `apply` names, also where growth
        divided it between leaves (``missing="fractional"``). A leaf without rows answers with the
        rows of the nearest node above that has some.

        `fit` keeps a reference to the training rows, which must not be changed until the first
        call; pickles keep the targets by leaf, model files (`save`) do not.

        Args:
            X: rows.
            quantiles: numbers in [0, 1], shape (n_quantiles,); 0 and 1 give the smallest and the
                largest target of the rows that weigh something.

        Returns:
            Shape (n_rows, n_quantiles), float64.

        Raises:
            ValueError: a quantile outside [0, 1], or an estimator without its training targets.

        Examples:
            >>> from fasttree import FastTreeRegressor
            >>> tree = FastTreeRegressor(max_depth=1)
            >>> tree = tree.fit([[0.0], [1.0], [2.0], [9.0], [9.0]], [1.5, 2.5, 3.5, 40.5, 50.5])
            >>> tree.predict_quantiles([[1.0], [9.0]], (0.5, 0.9)).tolist()
            [[2.5, 3.5], [40.5, 50.5]]
        """
        levels = checked_quantiles(quantiles)
        return self._quantiles(self._leaves(X), levels)

    def _leaves(self, X: Any) -> np.ndarray:
        """Leaf of each row in each tree, shape (n_rows, n_trees)."""
        leaves = self.apply(X)
        return leaves.reshape(len(leaves), -1)

    def _quantiles(self, leaves: np.ndarray, at: np.ndarray) -> np.ndarray:
        """Quantiles of the target, shape (n_rows, n_quantiles).

        Args:
            leaves: leaf of each row in each tree, shape (n_rows, n_trees).
            at: the quantiles, shape (n_quantiles,).
        """
        return self._targets_by_leaf().quantiles(leaves, at, self._nodes_of)

    def _nodes_of(self, tree: int) -> TreeArrays:
        """The nodes of a tree by its number."""
        return getattr(self, "estimators_", [self])[tree].tree_

    def _sizes(self) -> np.ndarray:
        """Number of nodes of each tree, shape (n_trees,)."""
        is_forest = hasattr(self._model, "shapes")
        return self._model.shapes()[:, 0] if is_forest else np.array([self.n_nodes_])

    def _sampled(self, fitted_on: FittedOn) -> np.ndarray:
        """Weight of each training row in each tree, shape (n_trees, n_rows)."""
        rows = fitted_on.rows
        return np.ones((1, len(rows.table))) if rows.weights is None else rows.weights[None]

    def _set_model(self, model: Any, classes: np.ndarray, has_names: bool) -> None:
        super()._set_model(model, classes, has_names)
        for outdated in ("_fitted_on", "_leaf_targets", "_calibration"):
            self.__dict__.pop(outdated, None)

    def _remember_rows(self, fitted_on: FittedOn) -> None:
        content = checksum_of(fitted_on.rows.table, fitted_on.rows.weights)
        self._fitted_on: FittedOn | None = replace(fitted_on, content=content)

    def _targets_by_leaf(self) -> LeafTargets:
        """The training targets by leaf; they are sorted into the leaves at the first call.

        Raises:
            ValueError: they are not known, or the training rows have been changed.
        """
        check_is_fitted(self, "_model")
        cached: LeafTargets | None = self.__dict__.get("_leaf_targets")
        if cached is not None:
            return cached
        fitted_on: FittedOn | None = self.__dict__.get("_fitted_on")
        if fitted_on is None:
            raise ValueError(
                "quantiles are read from the training targets in the leaves, which this "
                f"{type(self).__name__} does not have: a model file does not hold them, nor does a "
                "tree taken out of a forest; pickle the fitted estimator, or fit it here"
            )
        table = fitted_on.rows.table
        if checksum_of(table, fitted_on.rows.weights) != fitted_on.content:
            raise ValueError(
                "the training rows have been changed in place since fit, so the targets in the "
                "leaves are not known: fit again, and ask for quantiles before you change rows"
            )
        by_leaf = LeafTargets.of(
            table.numbers, self._leaves(table), self._sampled(fitted_on), self._sizes()
        )
        self._leaf_targets = by_leaf
        return by_leaf

    def __getstate__(self) -> dict[str, Any]:
        if self.__dict__.get("_fitted_on") is not None:
            try:
                self._targets_by_leaf()
            except ValueError:  # rows were changed since: the pickle holds no targets
                self._fitted_on = None
        state = super().__getstate__()
        state.pop("_fitted_on", None)
        return state

    # -- intervals --------------------------------------------------------------------------------

    def calibrate(
        self,
        X: Any,
        y: MaybeArray = None,
        *,
        exposure: MaybeArray = None,
        method: intervals.IntervalMethod = "residual",
    ) -> Self:
        """Measure the errors of predictions on rows that `fit` has not seen, for
        `predict_interval`.

        Args:
            X, y: rows and numbers, or a Table. They must be drawn like the rows for which intervals
                are made.
            exposure: as in `fit`: y are counts, and intervals are of their rates.
            method: ``"residual"``: intervals of one width around the prediction (Lei et al.,
                Journal of the American Statistical Association 113, 2018, algorithm 2).
                ``"quantile"``: intervals between two quantiles of `predict_quantiles`, moved apart
                or together (Romano, Patterson & Candes, Advances in Neural Information Processing
                Systems 32, 2019): wide where the target varies much.

        Returns:
            The estimator. A further `fit` forgets the calibration.

        Raises:
            ValueError: the rows are the rows of the fit, whose errors are too small; or y is
                refused as in `score`.
        """
        check_is_fitted(self, "_model")
        one_of("method", method, intervals.METHODS)
        X, exposure = pop_if_named(X, exposure, "exposure")
        X, y = self._resolve_names(X, y)
        X, numbers = self._rows_and_target(X, y)
        if exposure is not None:
            numbers = rates_of(numbers, exposure)[0]
        fitted_on: FittedOn | None = self.__dict__.get("_fitted_on")
        if fitted_on is not None and len(fitted_on.rows.table) == len(numbers):
            with quiet():
                rows = self._make_table(X, y)
            if exposure is not None:
                rows = with_exposure(rows, exposure)
            if checksum_of(rows) == checksum_of(fitted_on.rows.table):
                raise ValueError(
                    "calibrate got the rows that the model was fitted on, whose errors are smaller "
                    "than those of new rows: hold rows out, for instance by "
                    "sklearn.model_selection.train_test_split"
                )
        answers = self.predict(X) if method == "residual" else self._leaves(X)
        self._calibration = (method, numbers, answers)
        return self

    def predict_interval(self, X: Any, coverage: float = 0.9) -> np.ndarray:
        """An interval for the number of each row, by split-conformal calibration.

        If the rows of `calibrate` and a new row are exchangeable (drawn independently from one
        population, say), the new row's number lies in its interval with a probability of at least
        `coverage`, whatever the model and the distribution; without equal scores, of at most
        coverage + 1 / (n + 1), n the calibration rows. This is a mean over calibration sets and new
        rows, not a promise for each part of the space. With s the (n + 1) coverage-th smallest
        score, rounded up, of the calibration rows, the interval is

        - "residual": prediction +- s, of scores abs(y - prediction);
        - "quantile": [l - s, u + s], of scores max(l - y, y - u), with l and u the
          (1 - coverage) / 2 and (1 + coverage) / 2 quantiles of each row. Where the ends would
          cross, both are their midpoint.

        For counts (``criterion="poisson"``) no end is below 0.

        Args:
            X: rows.
            coverage: probability in (0, 1).

        Returns:
            Lower and upper ends, shape (n_rows, 2).

        Raises:
            ValueError: no calibration, or too few rows in it: n + 1 must be at least
                1 / (1 - coverage).

        Examples:
            >>> import numpy as np
            >>> from fasttree import FastTreeRegressor
            >>> X = np.arange(8.0)[:, None]
            >>> tree = FastTreeRegressor(max_depth=1).fit(X, [0, 1, 0, 1, 5, 6, 5, 6])
            >>> tree.calibrate(X + 0.25, [0, 1, 0, 1, 5, 6, 5, 7]).predict_interval(X[:2], 0.5)
            array([[0., 1.],
                   [0., 1.]])
        """
        check_is_fitted(self, "_model")
        if "_calibration" not in self.__dict__:
            raise ValueError(
                "intervals need a calibration: call calibrate(X, y) with rows that fit has not "
                "seen; a model file holds that of method='residual', not that of 'quantile'"
            )
        method, numbers, answers = self._calibration
        share = intervals.checked_coverage(coverage, len(numbers))
        if method == "residual":
            center, margin = self.predict(X), intervals.margin_of(np.abs(numbers - answers), share)
            return self._in_domain(np.column_stack([center - margin, center + margin]))
        levels = np.array([(1 - share) / 2, (1 + share) / 2])
        low, high = self._quantiles(answers, levels).T
        margin = intervals.margin_of(np.maximum(low - numbers, numbers - high), share)
        ends = self.predict_quantiles(X, levels) + np.array([-margin, margin])
        crossed = ends[:, 0] > ends[:, 1]
        ends[crossed] = ends[crossed].mean(axis=1, keepdims=True)
        return self._in_domain(ends)

    def _in_domain(self, ends: np.ndarray) -> np.ndarray:
        """Ends of intervals, shape (n_rows, 2), in which negative ends are 0 if the target is
        counts (``criterion="poisson"``)."""
        is_count = criteria.name_of(self.criterion) == "poisson"
        return np.maximum(ends, 0.0) if is_count else ends

    def to_bytes(self) -> bytes:
        """The content of the model file: a versioned JSON document with a checksum. It holds the
        scores of `calibrate` with ``method="residual"``, but not with ``"quantile"``, which needs
        the training targets."""
        check_is_fitted(self)
        method, numbers, answers = self.__dict__.get("_calibration", ("", 0.0, 0.0))
        scores = np.abs(numbers - answers) if method == "residual" else None
        return self._model.to_bytes(intervals.with_scores(self._model.parameters, scores))

    def _load_model(self, model: Any, classes: np.ndarray, has_names: bool) -> None:
        super()._load_model(model, classes, has_names)
        scores = intervals.scores_in(model.parameters)
        if scores is not None:
            self._calibration = ("residual", scores, np.zeros(len(scores)))
