"""`TuRF`: the features that are left after the worst were dropped in several rounds.

What
    Tuned ReliefF (Moore & White, EvoBIO 2007): `fasttree.turf` as a transformer.
Complexity
    About ``1 / share`` calls of `fasttree.score_features`.
When not to use it
    With a criterion on tables: the score of a feature does not depend on the other features, so one
    round is enough.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from .._checks.aliases import MaybeArray
from ..table import Table
from .features import turf
from .selector import Selector


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
