"""Scores of features without a tree: exact, from pairs of rows, estimated, and for wide data."""

from .estimates import FeatureEstimates, estimate_features
from .features import TurfResult, score_features, turf
from .genotypes import VariantTests, relief_p_values
from .pairs import PairCounts, count_matrices, pair_counts

__all__ = [
    "FeatureEstimates",
    "PairCounts",
    "TurfResult",
    "VariantTests",
    "count_matrices",
    "estimate_features",
    "pair_counts",
    "relief_p_values",
    "score_features",
    "turf",
]
