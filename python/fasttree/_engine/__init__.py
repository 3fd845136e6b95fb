"""Calls of the Rust core: the only package that imports ``fasttree._core``.

What
    A Table keeps its handle in the core, which encodes its columns at most once, when a call needs
    them. Configurations are passed as dicts. Models pickle as the bytes of a model file.
Complexity
    Encoding is one pass over the cells: about 10 ns per number if thresholds are searched, 1 ns per
    code.
When not to use it
    From outside the package: names and signatures may change.
"""

from __future__ import annotations

import copyreg
from functools import cache
from typing import Any

from .. import _core
from .._checks.progress import make_report
from .._core import (
    ArffReader,
    BayesModel,
    DelimitedReader,
    FileFault,
    Forest,
    InternalError,
    Model,
)
from .encoding import as_rows, as_weights, blocks_of, dataset_of, plain, readable, schema_of
from .networks import (
    bayes_model_from_bytes,
)
from .trees import (
    agreement_counts,
    cross_validate,
    fit,
    forest_fit,
    forest_from_bytes,
    model_from_bytes,
    pair_block_scores,
    pair_counts,
)

__all__ = [
    "ArffReader",
    "BayesModel",
    "DelimitedReader",
    "FileFault",
    "Forest",
    "InternalError",
    "Model",
    "agreement_counts",
    "as_rows",
    "as_weights",
    "bayes_model_from_bytes",
    "blocks_of",
    "core",
    "core_version",
    "cross_validate",
    "dataset_of",
    "exercise",
    "fit",
    "forest_fit",
    "forest_from_bytes",
    "make_report",
    "model_from_bytes",
    "pair_block_scores",
    "pair_counts",
    "plain",
    "readable",
    "registry",
    "schema_of",
    "simd_level",
]


def core_version() -> str:
    """Version of the compiled core, a text such as "0.1.0". It is the version of the package; a
    Dask client and its workers must have the same one."""
    return str(_core.__version__)


copyreg.pickle(_core.PairCounts, lambda c: (_core.PairCounts.from_parts, tuple(c.parts())))


@cache
def registry(of: str) -> list[dict[str, Any]]:
    """The registry of the core for "criteria", "prunings" or "discretisers": one dict per entry.

    The dicts hold name, options, documentation and facts as the core declares them. The list is
    made once per process and shared, so entries that a caller adds are seen by all.
    """
    return _core.registry(of)


core = _core  # functions that need no more than the conversions of `encoding`
exercise = _core.exercise
simd_level = _core.simd_level
