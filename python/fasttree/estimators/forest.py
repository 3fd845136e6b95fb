"""`FastForestClassifier` and `FastForestRegressor`: random forests.

What
    Breiman's random forest (Machine Learning 45, 2001) over the trees of this package: every
    criterion, local, global or glocal evaluation, nominal features, missing values. Growth, votes
    and model files are the core's.
Complexity
    One sort of each numeric column, then O(rows x features) per level and tree; trees grow in
    parallel.
When not to use it
    If the model has to be read by people: use a single tree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _engine, criteria
from .._checks.aliases import MaybeArray, Self, Unpack
from .._checks.data_warnings import warn_caller
from .._checks.plain_text import one_line
from .._checks.progress import make_report
from .._checks.words import counted
from ..exports import forest_code
from ..exports.readable import Readable
from ..exports.tables.html import html_table
from ..table import Table
from . import keywords
from .backends import backend_of
from .base import Estimator
from .batches.sources import batches_of
from .classifying import Classifier
from .constructors import with_parameters
from .declaration import FOREST, OF_FOREST, REGRESSION_FOREST, check
from .forest_blocks import grown_in_blocks
from .forest_trees import ForestTrees, sample_size, tree_parameters
from .idle import refuse_idle
from .matching import check_table
from .parameters import config_of, copies_of, seed_of, stored_parameters
from .regressing import Regressor
from .training_rows import FittedOn, KeptRows, TrainingRows
from .tree import FastTreeClassifier, FastTreeRegressor
from .warm_start import fixed_parameters, trees_before


class GrownForest(Estimator):
    """A random forest, whether it predicts classes or a number.

    The classifier and the regressor share growth, samples, warm starts and importances; they differ
    in their predictions and scores.

    Attributes:
        _tree_type: class of its trees.
        _any_criterion: name of a criterion that serves the target.
        _grown: seed, checksum of the rows and parameters of the last fit, for `warm_start`.
    """

    _tree_type: Any
    _any_criterion: str

    # -- fitting ----------------------------------------------------------------------------------

    def fit(
        self, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None, *, client: Any = None
    ) -> Self:
        """Grow the trees.

        Under ``joblib.parallel_config(backend=...)`` and with `client` blocks of trees grow in
        other processes, one thread each; the forest is the same.

        Args:
            X: rows, or a `Table` with its target (then y is None); or rows in batches, see
                `FastTreeClassifier.fit`.
            y: labels, shape (n_rows,); for rows in batches, the name of the column that holds them.
            sample_weight: weights >= 0, shape (n_rows,). They multiply the draws of a row in the
                sample of a tree; in a tree an integer weight is that many copies of the row, and a
                row of weight 0 is dropped before anything else. Default: the Table's own weights,
                or 1. For rows in batches, the name of the column that holds them.
            client: a ``dask.distributed.Client`` whose workers grow the trees; not for batches.

        Returns:
            The estimator.
        """
        return self._fit(X, y, sample_weight, client)

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: MaybeArray,
        client: Any,
        exposure: MaybeArray = None,
    ) -> Self:
        """Grow the trees on rows in memory or in batches."""
        batches = batches_of(X, self.threshold_search == "histogram")
        if batches is not None:
            self._check_samples()
            if client is not None:
                raise ValueError(
                    "client= with rows in batches; fasttree.distributed.fit_forest grows on "
                    "partitions"
                )
            self.__dict__.pop("_grown", None)
            from .batches import fitting

            return fitting.fit(self, batches, y, sample_weight, exposure)
        return self._fit_rows(self._training_rows(X, y, sample_weight, exposure), client)

    def _fit_rows(self, rows: TrainingRows, client: Any) -> Self:
        """Grow the trees on checked rows.

        Args:
            rows: the rows with their weights.
            client: a Dask client, or None; see `fit`.
        """
        self._check_samples()
        config, custom, bagging = self._plan(rows, self.get_params(deep=False))
        refuse_idle(self)
        kept_trees, progress = trees_before(self, config), self.progress
        fit_on: dict[str, Any] = {
            "table": rows.table,
            "config": config,
            "bagging": bagging,
            "sample_weight": rows.weights,
            "custom": custom,
        }
        # With a backend, workers grow the trees, and the core only completes the forest.
        backend = backend_of(client)
        if backend is not None:
            kept_trees = grown_in_blocks(backend, before=kept_trees, progress=progress, **fit_on)
            progress = None
        model = _engine.forest_fit(
            before=kept_trees,
            out_of_bag=bool(self.oob_score),
            n_jobs=self.n_jobs,
            progress=progress,
            **fit_on,
        )
        self._grown = (config["seed"], model.content, fixed_parameters(self))
        self._finish_fit(model, rows)
        self._remember_rows(FittedOn(rows, config, bagging["draws"] or 0))
        # Out-of-bag scores of an earlier fit are dropped.
        for name in ("oob_score_", "oob_decision_function_", "oob_prediction_"):
            self.__dict__.pop(name, None)
        out_of_bag = model.out_of_bag()
        if out_of_bag is not None:
            self._set_out_of_bag(*out_of_bag, rows)
        return self

    def _check_samples(self) -> None:
        """Refuse `oob_score` without samples."""
        for name in ("bootstrap", "oob_score"):
            check(name, getattr(self, name))
        if self.oob_score and not self.bootstrap:
            raise ValueError(
                "oob_score=True needs bootstrap=True: without samples every tree sees every row"
            )

    def _plan(
        self, rows: TrainingRows, params: dict[str, Any], n_rows: int | None = None
    ) -> tuple[dict[str, Any], Any, dict[str, Any]]:
        """The configuration of a fit.

        Args:
            rows: the rows with their weights.
            params: the parameters of the forest.
            n_rows: rows of weight > 0; None: counted from `rows`.

        Returns:
            The core's configuration of a tree; the criterion, if it is a user's function; and
            ``trees`` and ``draws``, the numbers of trees and of rows in a sample (None: no sample).
        """
        table = rows.table
        if n_rows is None:
            n_rows = len(table) if rows.weights is None else int(np.count_nonzero(rows.weights))
        copies = copies_of(len(table), rows.copies)[0]
        draws = sample_size(self.max_samples, self.bootstrap, n_rows)
        seed = seed_of(self.random_state)
        search = check("threshold_search", params["threshold_search"], OF_FOREST)
        config, custom = config_of(
            tree_parameters(self._tree_type, params, seed),
            table,
            rows.copies,
            # The copies that a sample holds on average.
            sampled=None if draws is None else draws * copies / max(n_rows, 1),
        )
        stored = stored_parameters(params, table.file_cells)
        config.update(threshold_search=search, seed=seed, parameters=stored)
        trees = check("n_estimators", self.n_estimators)
        return rows.configured(config), custom, {"trees": trees, "draws": draws}

    def _set_out_of_bag(self, answers: np.ndarray, voters: np.ndarray, rows: TrainingRows) -> None:
        """Set the out-of-bag attributes.

        Args:
            answers: mean prediction of each row, shape (n_rows, n_outputs).
            voters: number of trees whose sample lacks the row, shape (n_rows,).
            rows: the rows of the fit.
        """
        weights = np.ones(len(rows.table)) if rows.weights is None else rows.weights
        voted, drawn = voters > 0, weights > 0
        answers[~voted] = np.nan
        unseen = int((drawn & ~voted).sum())
        if unseen:
            warn_caller(
                f"{unseen} of {counted(int(drawn.sum()), 'row')} were in the sample of every tree; "
                "they have no out-of-bag prediction (more trees, or a smaller max_samples)",
                UserWarning,
            )
        shown = rows.as_given(answers, np.nan)
        if self._task == "regression":
            self.oob_prediction_ = shown[:, 0]
        else:
            self.oob_decision_function_ = shown
        answers, weights, self.oob_score_ = answers[voted], weights[voted], math.nan
        if weights.sum() > 0 and self._task == "regression":
            self.oob_score_ = self._score_of(answers[:, 0], rows.table.numbers[voted], weights)
        elif weights.sum() > 0:
            is_correct = answers.argmax(axis=1) == rows.table.y_codes[voted]
            self.oob_score_ = float(np.average(is_correct, weights=weights))

    def bootstrap_counts(
        self,
        X: Any,
        y: MaybeArray = None,
        sample_weight: MaybeArray = None,
        *,
        exposure: MaybeArray = None,
    ) -> np.ndarray:
        """How often each tree's sample holds each training row.

        ``estimators_[t]`` is the tree that a single estimator grows on the training rows with row t
        of the counts times `sample_weight` as weights, `max_features` and the tree's seed. With
        fractional weights, each draw counts as a row for limits on rows.

        Args:
            X, y, sample_weight, exposure: what the forest was fitted on.

        Returns:
            Counts, shape (n_estimators, n_rows).
        """
        fitted_on = self._fitted_on_again(X, y, sample_weight, exposure)
        return fitted_on.rows.as_given(self._counts(fitted_on).T, 0).T

    def _counts(self, fitted_on: FittedOn) -> np.ndarray:
        """How often each tree's sample holds each row of a fit, shape (n_estimators, n_rows)."""
        return _engine.core.bag_counts(
            _engine.dataset_of(fitted_on.rows.table, self.n_jobs),
            self._sampling_config(fitted_on),
            fitted_on.draws,
            self._model.seeds,
            _engine.as_weights(fitted_on.rows.weights),
            self.n_jobs,
        )

    def _sampling_config(self, fitted_on: FittedOn) -> dict[str, Any]:
        """A configuration that draws the samples of a fit. Samples do not depend on the criterion,
        so it names one that is always known: a function may not have been loaded with the model."""
        config = {k: v for k, v in fitted_on.config.items() if k != "target_bins"}
        return {**config, "criterion": self._any_criterion, "criterion_options": {}}

    def _fitted_on_again(
        self, X: Any, y: Any, sample_weight: MaybeArray, exposure: MaybeArray
    ) -> FittedOn:
        """The rows and the configuration of the fit, made again from the same training rows.

        Raises:
            ValueError: a forest without samples, or rows with other columns than in the fit.
        """
        check_is_fitted(self)
        if not self.bootstrap:
            raise ValueError("bootstrap=False: every tree sees every row, there are no samples")
        rows = self._training_rows(X, y, sample_weight, exposure)
        check_table(self._schema, rows.table)
        config, _, bagging = self._plan(rows, self.get_params(deep=False))
        return FittedOn(rows, config, bagging["draws"] or 0)

    def permutation_importance(
        self,
        X: Any,
        y: MaybeArray = None,
        sample_weight: MaybeArray = None,
        *,
        exposure: MaybeArray = None,
    ) -> Any:
        """Loss of accuracy of the trees, on the rows that they have not seen, when one feature is
        shuffled among these rows; for regression trees, the increase of the mean squared error.

        Breiman (2001), section 10. The shuffles depend on the trees' seeds and the content of the
        rows. On rows that no tree has seen, `sklearn.inspection.permutation_importance` serves any
        estimator.

        Args:
            X, y, sample_weight, exposure: what the forest was fitted on.

        Returns:
            A Bunch with importances, shape (n_features, n_trees), their importances_mean and
            importances_std, both of shape (n_features,). A tree that saw all rows has NaN, and the
            means leave it out.

        Examples:
            >>> from sklearn.datasets import load_iris
            >>> X, y = load_iris(return_X_y=True)
            >>> forest = FastForestClassifier(n_estimators=50, random_state=0).fit(X, y)
            >>> (forest.permutation_importance(X, y).importances_mean > 0.1).tolist()
            [False, False, True, True]
        """
        return self._out_of_bag_importances(self._fitted_on_again(X, y, sample_weight, exposure))

    def unbiased_importance(
        self,
        X: Any,
        y: MaybeArray = None,
        sample_weight: MaybeArray = None,
        *,
        exposure: MaybeArray = None,
    ) -> Any:
        """Impurity importance that favours no feature for its number of values: 0 on average for a
        feature that is unrelated to the target.

        UFI of Zhou & Hooker, "Unbiased measurement of feature importance in tree-based methods"
        (2021). The impurity H of a node is the mean over all pairs of a row of the tree's sample
        and an out-of-bag row: for classes, the share of pairs that differ, 1 - sum_k p_k p'_k with
        the shares p and p' of class k on both sides; for numbers, half of (y - y')^2, which is half
        of Zhou and Hooker's term and on the scale of ``squared_error``. A feature's importance is
        the sum of W H - sum_c W_c H_c over the splits that test it, c the branches and W the share
        of the sample's weight in a node. A split with a branch that no out-of-bag row reaches
        counts 0. Values below 0 are noise.

        Args:
            X, y, sample_weight, exposure: what the forest was fitted on.

        Returns:
            A Bunch with importances, shape (n_features, n_trees), their importances_mean and
            importances_std, both of shape (n_features,), in units of the criterion. A tree that saw
            all rows has NaN, and the means leave it out.

        Raises:
            ValueError: another criterion than ``"gini"``, or for numbers than ``"squared_error"``;
                ``bootstrap=False``; or every tree saw all rows.

        Examples:
            >>> import numpy as np
            >>> X = np.random.default_rng(0).normal(size=(200, 2))
            >>> y = X[:, 0] + np.random.default_rng(1).normal(size=200) > 0
            >>> forest = FastForestClassifier(50, criterion="gini", random_state=0).fit(X, y)
            >>> forest.feature_importances_.round(2).tolist()
            [0.68, 0.32]
            >>> forest.unbiased_importance(X, y).importances_mean.round(3).tolist()
            [0.176, -0.005]
        """
        check_is_fitted(self)
        served = "squared_error" if self._task == "regression" else "gini"
        name = criteria.name_of(self.criterion)
        if name != served:
            raise ValueError(
                f"criterion={name!r}: unbiased importance is known of {served!r}; fit with that, "
                "or take permutation_importance"
            )
        return self._out_of_bag_importances(
            self._fitted_on_again(X, y, sample_weight, exposure), unbiased=True
        )

    def _out_of_bag_importances(self, fitted_on: FittedOn, *, unbiased: bool = False) -> Any:
        """Importances of the features on the out-of-bag rows of each tree, and their means."""
        from sklearn.utils import Bunch

        importances = _engine.core.out_of_bag_importances(
            self._model,
            _engine.dataset_of(fitted_on.rows.table, self.n_jobs),
            self._sampling_config(fitted_on),
            fitted_on.draws,
            _engine.as_weights(fitted_on.rows.weights),
            unbiased,
            self.n_jobs,
            make_report(self.progress, "trees"),
        )
        importances = self._schema.by_given_column(importances).T
        finite = importances[:, ~np.isnan(importances).any(axis=0)]
        if finite.size == 0:
            raise ValueError("every tree saw all rows: there is nothing to judge a feature by")
        return Bunch(
            importances=importances,
            importances_mean=finite.mean(axis=1),
            importances_std=finite.std(axis=1),
        )

    # -- predicting -------------------------------------------------------------------------------

    def apply(self, X: Any) -> np.ndarray:
        """Leaf of each row in each tree, int, shape (n_rows, n_estimators).

        The numbers are node numbers of the tree (``estimators_[t].tree_``), as in scikit-learn. A
        row that is divided among branches (``missing="fractional"``) is in the leaf with the
        largest part of it.

        Args:
            X: rows, as in `predict`.
        """
        blocks, n = self._encode(X)
        return np.asarray(self._model.apply(blocks, n, self.n_jobs))

    # -- reading the forest -----------------------------------------------------------------------

    @property
    def estimators_(self) -> Sequence[Any]:
        """The trees as fitted estimators, a sequence of length `n_estimators`.

        Each tree is made when it is looked at, and again at the next look; a list of the sequence
        makes all of them once. A later fit of the forest does not change them.
        """
        check_is_fitted(self, "_model")
        return ForestTrees(self)

    @property
    def feature_importances_(self) -> np.ndarray:
        """Mean over the trees of each feature's share in the summed score x weight of the splits,
        shape (n_features,). The importance of a date is the sum over its year, month and weekday.

        With ``criterion="gini"`` these are the usual impurity importances. They favour features
        with many values; `unbiased_importance` and `permutation_importance` do not.
        """
        check_is_fitted(self, "_model")
        return self._schema.by_given_column(np.asarray(self._model.importances()))

    def _summary(self) -> list[tuple[str, str]]:
        """Sizes, out-of-bag accuracy and the most important features."""
        _, leaves, depth = self._model.shapes().mean(axis=0).tolist()
        rows = [
            ("trees", str(len(self._model.seeds))),
            ("mean leaves, depth", f"{leaves:.1f}, {depth:.1f}"),
        ]
        if hasattr(self, "oob_score_"):
            is_number, score = self._task == "regression", self.oob_score_
            name = f"out-of-bag {'R2' if is_number else 'accuracy'}"
            rows.append((name, f"{score:.4f}" if is_number else f"{100 * score:.2f} %"))
        shares = self.feature_importances_
        for j in np.argsort(-shares, kind="stable")[:10].tolist():
            rows.append((f"importance of {self._schema.names[j]}", f"{shares[j]:.3f}"))
        return rows

    def __str__(self) -> str:
        """A fitted forest's sizes and most important features under a head line."""
        if not hasattr(self, "_model"):
            return repr(self)
        rows = [(one_line(name), value) for name, value in self._summary()]
        wide = max(len(name) for name, _ in rows) + 2
        lines = [f"{name:<{wide}}{value}" for name, value in rows]
        return "\n".join((" ".join(repr(self).split()), "", *lines))

    def _repr_html_(self) -> str:
        """Sizes and importances; before `fit` scikit-learn's view."""
        if not hasattr(self, "_model"):
            return super()._repr_html_()
        return html_table(("", ""), self._summary(), title=" ".join(repr(self).split()))

    to_python, to_c, to_sql = forest_code.to_python, forest_code.to_c, forest_code.to_sql
    to_onnx = Readable.to_onnx


@with_parameters(FOREST)
class FastForestClassifier(GrownForest, Classifier):
    """A random forest of trees that split by any criterion.

    Tree t has a seed of its own, made from `random_state`. Its sample and the features that its
    nodes look at depend on that seed alone, so the forest is the same for any `n_jobs`. Samples are
    drawn from the rows of weight > 0, each with the same chance whatever it weighs, in the order of
    their content: the order of the rows changes nothing. The draws of a row multiply its weight;
    with ``bootstrap=False`` a row of integer weight w is w copies of it, as in a tree. The forest's
    probabilities are the mean of its trees'
    (Breiman's vote, softened as in scikit-learn), summed in the order of the trees.

    Args:
        ...

    Attributes:
        estimators_: the trees, a sequence of fitted `FastTreeClassifier`, made when they are looked
            at.
        classes_, n_classes_, class_prior_, n_features_in_, feature_names_in_: as in
            `FastTreeClassifier`.
        feature_importances_: mean over the trees of each feature's share in score x weight, shape
            (n_features,).
        route_: the form in which `fit` read the rows, and why.
        oob_score_: accuracy on the rows by the trees that did not see them.
        oob_decision_function_: their mean probabilities, shape (n_rows, n_classes); NaN for a row
            that every tree saw.

    Raises:
        ValueError: a parameter or data outside their domain; the message names parameter, column
            and row.
        TypeError: cells that are neither numbers nor labels.

    Examples:
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = FastForestClassifier(
        ...     n_estimators=50, criterion="gini", oob_score=True, random_state=0
        ... ).fit(X, y)
        >>> len(forest.estimators_), forest.oob_score_ > 0.9
        (50, True)
    """

    if TYPE_CHECKING:  # the constructor that type checkers read

        def __init__(
            self,
            n_estimators: int = 100,
            *,
            criterion: keywords.SplitCriterion = "info_gain",
            **parameters: Unpack[keywords.ForestParameters],
        ) -> None: ...

    _tree_type = FastTreeClassifier
    _any_criterion = "gini"

    def _weigh(
        self, table: Table, sample_weight: MaybeArray, kept: KeptRows | None = None
    ) -> TrainingRows:
        class_weight, in_samples = self.class_weight, False
        if isinstance(class_weight, str) and class_weight == "balanced_subsample":
            in_samples = bool(self.bootstrap)  # else every tree has every row
            class_weight = None if in_samples else "balanced"
        return TrainingRows.of(
            table, sample_weight, class_weight, kept=kept, balances_samples=in_samples
        )


@with_parameters(REGRESSION_FOREST)
class FastForestRegressor(GrownForest, Regressor):
    """A random forest of regression trees that split by any criterion on numbers.

    Samples and features are drawn as in `FastForestClassifier`; the forest predicts the mean of its
    trees' numbers, summed in the order of the trees.

    Args:
        ...

    Attributes:
        estimators_: the trees, a sequence of fitted `FastTreeRegressor`, made when they are looked
            at.
        n_features_in_, feature_names_in_: as in scikit-learn.
        feature_importances_: mean over the trees of each feature's share in score x weight, shape
            (n_features,).
        route_: the form in which `fit` read the rows, and why.
        oob_score_: R2 on the rows by the trees that did not see them.
        oob_prediction_: their mean numbers, shape (n_rows,); NaN for a row that every tree saw.

    Raises:
        ValueError: a parameter or data outside their domain; the message names parameter, column
            and row.
        TypeError: cells that are neither numbers nor labels.

    Examples:
        >>> from sklearn.datasets import load_diabetes
        >>> X, y = load_diabetes(return_X_y=True)
        >>> forest = FastForestRegressor(n_estimators=50, oob_score=True, random_state=0).fit(X, y)
        >>> len(forest.estimators_), forest.oob_score_ > 0.35
        (50, True)
    """

    if TYPE_CHECKING:  # the constructor that type checkers read

        def __init__(
            self,
            n_estimators: int = 100,
            *,
            criterion: keywords.NumberCriterion = "squared_error",
            **parameters: Unpack[keywords.RegressionForestParameters],
        ) -> None: ...

    _tree_type = FastTreeRegressor
    _any_criterion = "squared_error"

    def fit(
        self,
        X: Any,
        y: MaybeArray = None,
        sample_weight: MaybeArray = None,
        *,
        client: Any = None,
        exposure: MaybeArray = None,
    ) -> Self:
        """Grow the trees; see `FastForestClassifier.fit`.

        Under ``joblib.parallel_config(backend=...)`` and with `client` blocks of trees grow in
        other processes; the forest is the same.

        Args:
            X, y, sample_weight, client: rows, their numbers and weights, and where trees grow.
            exposure: as in `FastTreeRegressor.fit`. The draws of a row multiply its exposure.

        Returns:
            The estimator.
        """
        return self._fit(X, y, sample_weight, client, exposure)

    def _sampled(self, fitted_on: FittedOn) -> np.ndarray:
        weights = super()._sampled(fitted_on)
        if fitted_on.draws:
            return weights * self._counts(fitted_on)
        return np.broadcast_to(weights, (len(self._model.seeds), weights.shape[1]))
