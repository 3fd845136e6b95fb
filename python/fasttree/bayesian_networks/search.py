"""What a search over networks found: models with weights, arc probabilities.

What
    `find_models` runs the core's search on rows that were read: annealing, then Metropolis chains
    over totally ordered models (Wallace & Korb 1999). Each chain is a ladder of temperatures whose
    coldest, 1, is the posterior (Geyer 1991). Up to 20 columns the ladders walk over orders with
    the parents summed out (Friedman & Koller 2003), and models are drawn from there. Models are
    cleaned and grouped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _engine
from .._checks import integer, number_in
from ..rendering.progress import Report
from .reading import Reading

__all__ = ["FoundModel", "SearchResult", "default_steps", "find_models"]


@dataclass(frozen=True)
class FoundModel:
    """A network that the search visited, without the arcs that do not pay.

    Attributes:
        parents: numbers of the parents of each column, the class being the last.
        weight: share of all visits.
        visits: number of visits.
        length: message length in nits.
        markov_class: models of one number have the same edges and v-structures.
        joined: classes of one number cannot be told apart by the data: their predictions differ by
            fewer nits than the lighter one's message is longer.
    """

    parents: tuple[tuple[int, ...], ...]
    weight: float
    visits: int
    length: float
    markov_class: int
    joined: int


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What a search found.

    Attributes:
        parents: of each column in the model with the shortest message.
        length: its message length in nits.
        arc_probability: p of the prior, estimated unless it was given.
        arc_probabilities: share of the posterior with an arc from i to j, before cleaning, (n, n).
        models: cleaned models, heaviest first.
        kept: share of the posterior that they hold.
        steps: of the search.
        tables_counted: how many (column, parents) were counted.
    """

    parents: tuple[tuple[int, ...], ...]
    length: float
    arc_probability: float
    arc_probabilities: np.ndarray
    models: list[FoundModel]
    kept: float
    steps: int
    tables_counted: int


def default_steps(n_columns: int) -> int:
    """Steps of all chains together, which bring the distance between sampled and exact arc
    probabilities below .02 on the bundled data sets. They are 60 n^5 up to 20 columns, at least 1
    and at most 10 million; with more columns 4000 n^3, at most 40 million, but never fewer than the
    200 n^3 of the authors' program.

    >>> default_steps(8), default_steps(17), default_steps(70)
    (1966080, 10000000, 68600000)
    """
    if n_columns <= 20:
        return min(max(60 * n_columns**5, 1_000_000), 10_000_000)
    cube = n_columns**3
    return max(200 * cube, min(4000 * cube, 40_000_000))


def whole(name: str, value: Any, least: int) -> int:
    """A whole number of at least ``least``.

    >>> whole("n_chains", 4, 1)
    4
    """
    return integer(name, value, least)


def find_models(
    reading: Reading,
    prior: dict[str, Any],
    *,
    n_steps: int | None = None,
    n_chains: int = 4,
    temperature: float = 1.8,
    max_models: int = 1000,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Report | None = None,
) -> SearchResult:
    """Search; the same seed finds the same for any number of threads.

    Args:
        reading: the rows.
        prior: as `reading.prior_config` makes it; without an arc probability it is estimated.
        n_steps: of all chains together; None is `default_steps`.
        n_chains: chains, each from another annealed model.
        temperature: ratio of neighbouring temperatures in a chain's ladder, at least 1.
        max_models: models that are kept.
        seed: of everything.
        n_jobs: threads.
        progress: a function of (done, total), or None.
    """
    chains = whole("n_chains", n_chains, 1)
    steps = default_steps(len(reading.names)) if n_steps is None else whole("n_steps", n_steps, 1)
    search = {
        "seed": seed,
        "chains": chains,
        "steps": max(steps, chains),
        "temperature": number_in(1.0, 1e300)("temperature", temperature),
        "keep": whole("max_models", max_models, 1),
    }
    found, arcs = _engine.network_search(
        reading.table,
        {**reading.config, "prior": prior},
        search,
        sample_weight=reading.weights,
        n_jobs=n_jobs,
        progress=progress,
    )
    models = [
        FoundModel(
            tuple(map(tuple, one["parents"])),
            one["weight"],
            one["visits"],
            one["length"],
            one["markov_class"],
            one["joined"],
        )
        for one in found["models"]
    ]
    return SearchResult(
        tuple(map(tuple, found["best"])),
        found["length"],
        found["arc_probability"],
        arcs,
        models,
        found["kept"],
        found["steps"],
        found["counted"],
    )
