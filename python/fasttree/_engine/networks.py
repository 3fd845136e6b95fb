"""Calls of the core that fit Bayesian classifiers and search Bayesian networks."""

from __future__ import annotations

import copyreg
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._checks.aliases import MaybeArray
from .._core import BayesModel
from ..rendering.progress import Report
from .encoding import as_weights, dataset_of

if TYPE_CHECKING:
    from ..table import Table


def bayes_model_from_bytes(data: bytes) -> BayesModel:
    """A Bayesian classifier's core model from its bytes."""
    return BayesModel.from_bytes(data)


def bayes_fit(
    table: Table,
    config: dict[str, Any],
    *,
    sample_weight: MaybeArray = None,
    n_jobs: int | None = None,
) -> BayesModel:
    """Fit naive Bayes, TAN or AODE."""
    data = dataset_of(table, n_jobs)
    return _core.bayes_fit(data, json.dumps(config), as_weights(sample_weight), n_jobs)


def network_tables_cost(
    table: Table,
    config: dict[str, Any],
    parents: list[list[int]],
    *,
    sample_weight: MaybeArray = None,
) -> tuple[list[float], list[float]]:
    """(message length, likelihood) of each column's table given its parents, the class last."""
    data = dataset_of(table)
    return _core.network_tables_cost(data, json.dumps(config), parents, as_weights(sample_weight))


def network_counts(
    table: Table,
    config: dict[str, Any],
    parents: list[list[int]],
    *,
    sample_weight: MaybeArray = None,
) -> tuple[list[np.ndarray], list[int | None]]:
    """Flat counts of (configuration of the parents, value), and the imputed code per column."""
    data = dataset_of(table)
    return _core.network_counts(data, json.dumps(config), parents, as_weights(sample_weight))


def network_search(
    table: Table,
    config: dict[str, Any],
    search: dict[str, Any],
    *,
    sample_weight: MaybeArray = None,
    n_jobs: int | None = None,
    progress: Report | None = None,
) -> tuple[dict[str, Any], np.ndarray]:
    """The result of a search, and the sampled arc probabilities before cleaning."""
    data, texts = dataset_of(table, n_jobs), (json.dumps(config), json.dumps(search))
    text, arcs = _core.network_search(data, *texts, as_weights(sample_weight), n_jobs, progress)
    return json.loads(text), arcs


def network_exact_memory(table: Table, config: dict[str, Any]) -> int:
    """Bytes that `network_exact` holds at most."""
    return _core.network_exact_memory(dataset_of(table), json.dumps(config))


def network_exact(
    table: Table,
    config: dict[str, Any],
    max_memory: int,
    *,
    sample_weight: MaybeArray = None,
    n_jobs: int | None = None,
    progress: Report | None = None,
) -> tuple[float, np.ndarray, list[list[int]], list[int]]:
    """(log evidence, arc probabilities, best parents, best order) over all ordered networks."""
    data, text = dataset_of(table, n_jobs), json.dumps(config)
    return _core.network_exact(data, text, max_memory, as_weights(sample_weight), n_jobs, progress)


copyreg.pickle(BayesModel, lambda model: (bayes_model_from_bytes, (model.to_bytes(),)))
