"""The result of the search for networks in the core, and how long it is by default.

What
    Annealing, then Metropolis chains over totally ordered models (Wallace & Korb 1999). Each chain
    is parallel tempering, a ladder of temperatures of which the coldest, 1, samples the posterior
    (Geyer 1991). Up to 20 columns the ladders sample orders with the parents summed out (Friedman &
    Koller 2003), and models are drawn given an order. Insignificant arcs are removed, and models
    that the data cannot distinguish are grouped.
Complexity
    A few hundred nanoseconds per step, and a pass over the rows for each table that is counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class FoundModel:
    """A network that the search visited, without arcs whose removal shortens the message.

    Attributes:
        parents: numbers of the parents of each column, the class being the last.
        weight: share of all visits.
        visits: number of visits.
        length: message length in nits.
        markov_class: number of the Markov equivalence class: same edges and v-structures.
        joined: number of the group of classes that the data cannot distinguish: their predictions
            differ by fewer nits than their message lengths.
    """

    parents: tuple[tuple[int, ...], ...]
    weight: float
    visits: int
    length: float
    markov_class: int
    joined: int


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The result of a search.

    Attributes:
        parents: parents of each column in the model with the shortest message.
        length: its message length in nits.
        arc_probability: p of the prior, estimated unless it was given.
        arc_probabilities: share of the visited models with an arc from i to j, before arcs are
            removed, shape (n, n).
        models: visited models, by descending weight.
        kept: share of the visits that they hold.
        steps: number of steps.
        tables_counted: number of tables, or of sets of columns, that were counted. With several
            threads a table may be counted twice.
    """

    parents: tuple[tuple[int, ...], ...]
    length: float
    arc_probability: float
    arc_probabilities: np.ndarray
    models: list[FoundModel]
    kept: float
    steps: int
    tables_counted: int


def found_models(models: list[dict[str, Any]]) -> list[FoundModel]:
    """The found models, from the records of the core or of a model file."""
    return [
        FoundModel(**{**model, "parents": tuple(map(tuple, model["parents"]))}) for model in models
    ]


def default_steps(n_columns: int) -> int:
    """Default number of steps of all chains together.

    Up to 20 columns it is 60 n^5, at least 1 and at most 10 million: on the bundled data sets the
    sampled arc probabilities are then within 0.02 of the exact ones. For more columns it is 4000
    n^3, at most 40 million, but not fewer than the 200 n^3 of the authors' program.

    >>> default_steps(8), default_steps(17), default_steps(70)
    (1966080, 10000000, 68600000)
    """
    if n_columns <= 20:
        return min(max(60 * n_columns**5, 1_000_000), 10_000_000)
    cube = n_columns**3
    return max(200 * cube, min(4000 * cube, 40_000_000))
