"""Feature selection by any criterion, as scikit-learn transformers: `CriterionSelector`, `TuRF`.

Both score features on the training rows (`fasttree.score_features`, `fasttree.turf`) and pass on
the columns of the best; what comes out is of the kind of what goes in. They work in a Pipeline, a
GridSearchCV and a ColumnTransformer.
"""

from __future__ import annotations

from .criterion_selector import CriterionSelector
from .turf import TuRF

__all__ = ["CriterionSelector", "TuRF"]
