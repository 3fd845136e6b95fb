"""Scores of features by any criterion, and transformers of scikit-learn that keep the best.

`CriterionSelector` and `TuRF` score features on the training rows (`fasttree.score_features`,
`fasttree.turf`) and pass on the columns of the best; the output has the type of the input. They
work in a Pipeline, a GridSearchCV and a ColumnTransformer. Scores are exact, estimated from pairs
of rows (`estimates`), or of wide data as they stream by.
"""

from __future__ import annotations

from .selector import CriterionSelector, TuRF

__all__ = ["CriterionSelector", "TuRF"]
