"""Scores of uint8 codes without a copy, of an array or memory map with thousands of rows and
hundreds of thousands of columns.

What
    `score_features` comes here for a 2-D uint8 array with ``categorical_features="all"`` when the
    criterion streams: no Table of columns, no names, no encoding, no copy. Codes need not be
    consecutive and need not all occur.
Complexity
    O(t^2 n) bit operations; memory beside the array: at most 128 MB of distances and a few MB
    per thread, less under `memory_limit`.
When not to use it
    Directly; see `fasttree.score_features`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _engine
from .._checks import check_weights, threads
from .._checks.aliases import CategoricalFeatures
from .._checks.mapped import check_mapped
from .._checks.progress import Progress, make_report
from ..criteria import Criterion
from ..estimators.parameters import check_copies
from ..table import Table

PAIRS_UP_TO = 64
"""Features up to which pairs are counted exactly by distance, all settings at once."""


def codes_of(
    X: Any, categorical_features: CategoricalFeatures, criterion: Any, weighted: bool = False
) -> np.ndarray | None:
    """The array to stream; None where `score_features` has to encode X first, as it always has for
    pairs of rows that are `weighted`."""
    block = X.block if isinstance(X, Table) else X
    is_nominal = isinstance(X, Table) or (
        isinstance(categorical_features, str) and categorical_features == "all"
    )
    if not is_nominal or not isinstance(block, np.ndarray) or isinstance(block, np.ma.MaskedArray):
        return None
    if block.dtype != np.uint8 or block.ndim != 2 or not isinstance(criterion, Criterion):
        return None
    if criterion.info["evidence"] == "pairs":
        weighted = weighted or getattr(criterion, "precision", "exact") == "fixed"
        return None if weighted or block.shape[1] <= PAIRS_UP_TO else block
    return block if criterion.info["evidence"] == "neighbours" else None


def stream(
    codes: np.ndarray,
    table: Table,
    criterion: Criterion,
    weights: np.ndarray | None,
    *,
    n_jobs: int | None,
    progress: Progress,
    memory_limit: int | None = None,
) -> np.ndarray:
    """One score per column; `table` has the target.

    Raises:
        ValueError: negative weights, weights that are all zero, or a sum of weights outside
            [1e-60, 1e60].
    """
    classes = table.y_codes.astype(np.uint16)
    if weights is not None:
        check_copies(weights, criterion)
        check_weights(weights)
        kept = weights > 0
        if not kept.any():
            raise ValueError("all sample weights are zero: nothing is left to learn from")
        with np.errstate(over="ignore"):
            total = float(weights.sum())
        if not 1e-60 <= total <= 1e60:
            # the words of the core, which reads the weights of a Table
            raise ValueError(
                f"the sum of the sample weights is {total:.4g}, and squares of it leave the range "
                "of numbers: multiply them by a constant so that it lies between 1e-60 and 1e60"
            )
        if not kept.all():
            codes, classes, weights = codes[kept], classes[kept], weights[kept]
    total = len(codes) if weights is None else int(weights.sum())
    return _engine.core.stream_scores(
        np.ascontiguousarray(check_mapped(codes)),
        classes,
        len(table.classes),
        criterion.name,
        criterion.options(table.classes, total),
        _engine.as_weights(weights),
        threads(n_jobs),
        make_report(progress, "work"),
        memory_limit,
    )
