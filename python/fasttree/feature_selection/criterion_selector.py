"""`CriterionSelector`: the features that a split criterion scores best.

What
    Scores features with `fasttree.score_features` by any criterion (on tables, pairs or neighbours
    of rows) and keeps a number of them, a share of them, or those that reach a score.
Complexity
    That of `score_features`.
When not to use it
    With a criterion on tables, to find features that matter only together (XOR): use
    ``"multisurf"`` or `TuRF`.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from .._checks import as_float, integer, shown
from .._checks.aliases import MaybeArray
from ..table import Table
from .features import score_features
from .selector import Selector


@dataclass(eq=False, repr=False)
class CriterionSelector(Selector):
    """The best features by a split criterion.

    A feature is kept if it meets all of `k`, `threshold` and `share` that are given; without them,
    if its score is above 0. A feature that allows no split has no score and is never kept. Of equal
    scores the earlier column is kept.

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
            most = min(most, integer("k", self.k, 1))
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
