"""Calls of the Rust core: the only package that imports ``fasttree._core``.

What
    A Table keeps its handle in the core, which encodes its columns at most once, when a call needs
    them. Configurations are passed as JSON. Models pickle as the bytes of a model file.
Complexity
    Encoding is one pass over the cells: about 10 ns per number if thresholds are searched, 1 ns per
    code.
When not to use it
    From outside the package: names and signatures may change.
"""

from __future__ import annotations

import copyreg
import json
from functools import cache
from typing import Any

from .. import _core
from .._core import (
    ArffReader,
    BayesModel,
    DelimitedReader,
    FileFault,
    Forest,
    InternalError,
    Model,
)
from ..rendering.progress import make_report
from .encoding import blocks_of, dataset_of, plain, readable, schema_text
from .networks import (
    bayes_fit,
    bayes_model_from_bytes,
    network_counts,
    network_exact,
    network_exact_memory,
    network_search,
    network_tables_cost,
)
from .scores import (
    agreement_counts,
    fixed_matrices,
    pair_block_scores,
    pair_counts,
    score_features,
    stream_scores,
)
from .trees import (
    bag_counts,
    cost_complexity_path,
    cross_validate,
    explain,
    fit,
    float32_conflicts,
    forest_fit,
    forest_from_bytes,
    minimal_tree,
    model_from_bytes,
    near_optimal,
    optimal_tree,
    permutation_losses,
    prune,
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
    "bag_counts",
    "bayes_fit",
    "bayes_model_from_bytes",
    "bin_cuts",
    "blocks_of",
    "core",
    "core_version",
    "cost_complexity_path",
    "cross_validate",
    "dataset_of",
    "exercise",
    "explain",
    "fit",
    "fixed_matrices",
    "float32_conflicts",
    "forest_fit",
    "forest_from_bytes",
    "genotype_scores",
    "genotype_tests",
    "make_report",
    "minimal_tree",
    "model_from_bytes",
    "near_optimal",
    "network_counts",
    "network_exact",
    "network_exact_memory",
    "network_search",
    "network_tables_cost",
    "optimal_tree",
    "pair_block_scores",
    "pair_counts",
    "permutation_losses",
    "plain",
    "prune",
    "readable",
    "registry",
    "schema_text",
    "score_features",
    "score_tables",
    "simd_level",
    "stream_scores",
]


def core_version() -> str:
    """Version of the compiled core."""
    return str(_core.__version__)


copyreg.pickle(_core.PairCounts, lambda c: (_core.PairCounts.from_parts, tuple(c.parts())))


@cache
def registry(of: str) -> list[dict[str, Any]]:
    """The registry of the core for "criteria", "prunings" or "discretisers": one dict per entry."""
    found: list[dict[str, Any]] = json.loads(_core.registry_json(of))
    return found


core = _core  # the functions on rows in batches and partitions are called as they are
score_tables = _core.score_tables
genotype_scores = _core.genotype_scores
genotype_tests = _core.genotype_tests
bin_cuts = _core.bin_cuts
exercise = _core.exercise
simd_level = _core.simd_level
