"""Transformers that keep some features by a score of each: `CriterionSelector` and `TuRF`.

What
    `CriterionSelector` scores features with `fasttree.score_features` by any criterion (on tables,
    pairs or neighbours of rows) and keeps a number of them, a share of them, or those that reach a
    score. `TuRF` is Tuned ReliefF (Moore & White, EvoBIO 2007), `fasttree.turf` as a transformer:
    the features that are left after the worst were dropped in several rounds. Their base,
    `Selector`, takes rows in and hands out the columns that stay: a Table gives a Table, a frame a
    frame of the same library, an array an array.
Complexity
    The cost of `score_features`, which `TuRF` calls about ``1 / share`` times; `transform` copies
    the columns that stay.
When not to use it
    `CriterionSelector` with a criterion on tables, to find features that matter only together
    (XOR): use ``"multisurf"`` or `TuRF`. `TuRF` with a criterion on tables: the score of a feature
    does not depend on the other features, so one round is enough.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .._checks import as_float, check_integer, shown
from .._checks.aliases import CategoricalFeatures, ColumnUse, MaybeArray
from .._checks.progress import Progress
from ..datasets.inputs import load_if_named, resolve_names
from ..table import Table
from ..table.data_checks.findings import kept_columns
from ..table.data_checks.frames import unscreened_table
from ..table.frame_columns import is_frame, renamed
from .features import score_features, turf


@dataclass(init=False, kw_only=True, eq=False, repr=False)
class Selector(SelectorMixin, TransformerMixin, BaseEstimator):
    """A base class of transformers that keep some columns: it reads X, fits `support_` by the
    subclass's `_choose`, and returns these columns. Parameters of the reading are shared."""

    categorical_features: CategoricalFeatures = "from_dtype"
    columns: ColumnUse = "auto"
    n_jobs: int | None = None
    progress: Progress = None

    def fit(self, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None) -> Any:
        """Score the features and choose those that stay.

        Args:
            X: rows, or a `Table` with its target (then y is None).
            y: labels, shape (n_rows,).
            sample_weight: weights >= 0, shape (n_rows,).

        Returns:
            The selector.

        Raises:
            ValueError: a parameter outside its domain, or no labels.
        """
        as_given = kept_columns(self.columns) is None
        X, y = resolve_names(X, y, "classification", as_given=as_given)
        if isinstance(X, Table):
            table = X
            self.n_features_in_ = table.n_features
            self.__dict__.pop("feature_names_in_", None)
            if table.has_feature_names:
                self.feature_names_in_ = np.array(table.feature_names, dtype=object)
        elif y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        else:
            validate_data(self, X, skip_check_array=True)
            roles = self.categorical_features
            table = unscreened_table(X, y, self.columns, categorical_features=roles)
        self.support_: np.ndarray = self._choose(table, sample_weight)
        return self

    def _options(self, *more: str) -> dict[str, Any]:
        """The parameters that scoring takes."""
        shared = ("criterion", "columns", "n_jobs", "progress")
        return {name: getattr(self, name) for name in (*shared, *more)}

    def _choose(self, table: Table, sample_weight: MaybeArray) -> np.ndarray:
        """Mask of the features that stay, shape (n_features,)."""
        raise NotImplementedError

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self, "support_")
        return self.support_

    def transform(self, X: Any) -> Any:
        """The columns that stay, of rows X.

        Returns:
            A Table, a frame (its columns keep names and kinds), or an array, as X is; after
            `set_output` the container that was chosen there.

        Raises:
            ValueError: other columns than in `fit`.
        """
        X = load_if_named(X)
        places = self.get_support(indices=True)
        if isinstance(X, Table):
            if X.n_features != self.n_features_in_:
                raise ValueError(
                    f"X has {X.n_features} features, but {type(self).__name__} is expecting "
                    f"{self.n_features_in_} features as input"
                )
            part = Table.from_columns(
                [X.column(int(j)) for j in places], X.target_column, name=X.name
            )
            part.sample_weight = X.sample_weight
            return part
        if not is_frame(X):
            return super().transform(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        import narwhals as nw

        frame = nw.from_native(X, eager_only=True)
        part = frame.select([frame.columns[j] for j in places]).to_native()
        return renamed(part, self.get_feature_names_out())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = tags.input_tags.string = True
        return tags


@dataclass(eq=False, repr=False)
class CriterionSelector(Selector):
    """The best features by a split criterion.

    A feature is kept if it meets all of `k`, `threshold` and `share` that are given; without them,
    if its score is above 0. A feature that allows no split has no score and is never kept. If
    scores are equal, the earlier column is kept.

    Args:
        criterion: a name (`fasttree.list_criteria`), an object of `fasttree.criteria`, or a
            function, as in `fasttree.score_features`.
        k: largest number of features kept, at least 1.
        threshold: scores that reach it, any number.
        share: at most this share of the features, in (0, 1]; at least one.
        discretize, n_bins, missing: as in `FastTreeClassifier`.
        categorical_features: which columns are nominal, as in `Table`.
        columns: as in `FastTreeClassifier`; columns of a frame that are left out are not chosen.
        n_jobs, progress: as in `FastTreeClassifier`.

    Attributes:
        scores_: score of each feature, NaN where there is none, shape (n_features,).
        support_: which features stay, shape (n_features,).
        n_features_in_, feature_names_in_: as in scikit-learn.

    Raises:
        ValueError: a parameter or data outside their domain.

    Examples:
        >>> import fasttree
        >>> table = fasttree.datasets.make_parity(2, 8, 200, random_state=0)
        >>> CriterionSelector("multisurf", k=2).fit(table).get_support(indices=True).tolist()
        [0, 1]
        >>> from sklearn.pipeline import make_pipeline
        >>> model = make_pipeline(CriterionSelector("relieff", k=2), fasttree.FastTreeClassifier())
        >>> model.fit(table.X, table.y).score(table.X, table.y)
        1.0
    """

    criterion: Any
    _: KW_ONLY
    k: int | None = None
    threshold: float | None = None
    share: float | None = None
    discretize: Any = "auto"
    n_bins: int = 10
    missing: str = "auto"

    def _limits(self, features: int) -> tuple[int, float]:
        """How many features stay at most, and the score that they reach."""
        most, least = features, -np.inf
        if self.k is not None:
            most = min(most, check_integer("k", self.k, 1))
        if self.share is not None:
            share = as_float(self.share)
            if share is None or not 0 < share <= 1:
                raise ValueError(f"share={shown(self.share)} must be a number in (0, 1]")
            most = min(most, max(1, int(share * features + 1e-9)))
        if self.threshold is not None:
            value = as_float(self.threshold)
            if value is None or np.isnan(value):
                raise ValueError(f"threshold={shown(self.threshold)} must be a number")
            least = value
        elif self.k is None and self.share is None:
            least = float(np.nextafter(0.0, 1.0))
        return most, least

    def _choose(self, table: Table, sample_weight: MaybeArray) -> np.ndarray:
        most, least = self._limits(self.n_features_in_)
        options = self._options("discretize", "n_bins", "missing")
        self.scores_ = score_features(table, sample_weight=sample_weight, **options)
        scores = np.where(np.isnan(self.scores_), -np.inf, self.scores_)
        support = np.zeros(len(scores), dtype=bool)
        support[np.argsort(-scores, kind="stable")[:most]] = True
        return support & (scores >= least) & ~np.isnan(self.scores_)


@dataclass(eq=False, repr=False)
class TuRF(Selector):
    """The best features after rounds that drop the worst ones.

    Args:
        criterion: scores of a round, as in `fasttree.score_features`; meant for criteria on
            neighbours.
        keep: number of features that stay, at least 1.
        share: share of the features left that a round drops, in (0, 1); at least one is dropped.
        categorical_features: which columns are nominal, as in `Table`.
        columns: as in `FastTreeClassifier`; columns of a frame that are left out are not chosen.
        n_jobs, progress: as in `FastTreeClassifier`.

    Attributes:
        scores_: score of each feature in the last round in which it took part, shape (n_features,).
        rounds_: number of that round, from 0, shape (n_features,).
        ranking_: features from best to worst, shape (n_features,).
        support_: which features stay, shape (n_features,).
        n_features_in_, feature_names_in_: as in scikit-learn.

    Raises:
        ValueError: a parameter or data outside their domain.

    Examples:
        >>> import fasttree
        >>> table = fasttree.datasets.make_parity(2, 38, 200, random_state=0)
        >>> TuRF(keep=2).fit(table).get_support(indices=True).tolist()
        [0, 1]
    """

    criterion: Any = "relieff"
    _: KW_ONLY
    keep: int = 10
    share: float = 0.5

    def _choose(self, table: Table, sample_weight: MaybeArray) -> np.ndarray:
        options = self._options("share", "keep")
        result = turf(table, sample_weight=sample_weight, **options)
        self.scores_, self.rounds_, self.ranking_ = result.scores, result.rounds, result.ranking
        support = np.zeros(len(result.scores), dtype=bool)
        support[result.ranking[: self.keep]] = True
        return support & ~np.isnan(result.scores)
