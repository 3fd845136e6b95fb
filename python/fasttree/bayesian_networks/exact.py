r"""`exact_posterior`: evidence, arc probabilities and the best model, summed over every network.

What
    The prior of `message_length` is modular in the order, so the sum over all totally ordered
    networks is a dynamic program over sets of columns. It gives the exact probability of each arc
    and the best model, which a search (`CaMML`) approximates.
Formula
    :math:`\ln \sum \exp(-\text{message length})` over all orders of the columns and all arcs from
    earlier to later ones. Every order counts as one: a graph weighs by its number of orders
    (subtract :math:`\ln n!` for the mean over orders).
Source
    Koivisto & Sood, "Exact Bayesian structure discovery", JMLR 5, 2004.
Complexity
    O(n^2 2^n) steps and n 2^n doubles of memory, after at most 2^n passes over the rows: 16 columns
    of 1000 rows in a second or two, 20 columns at most.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _engine
from .._checks import checked, number_in
from .._checks.aliases import MaybeArray
from .._checks.progress import Progress, make_report
from ..table import Table
from .lengths import MessageLength, length_of
from .reading import ARC_PROBABILITY, LARGEST_PARENTS, prior_config, read
from .structure import arcs_of


@dataclass(frozen=True)
class OrderedModel(Sequence[tuple[int, ...]]):
    """A totally ordered network; a sequence of the parents of each column.

    Attributes:
        parents: numbers of the parents of each column, ascending, the class being the last column.
        order: columns, first to last.
        names: of the columns.
        length: its `MessageLength`.
    """

    parents: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]
    names: tuple[str, ...]
    length: MessageLength

    @property
    def message_length(self) -> float:
        """Nits, structure and tables together."""
        return self.length.total

    @property
    def arcs(self) -> list[tuple[str, str]]:
        """(parent, child) by name, children in column order."""
        return arcs_of(self.names, self.parents)

    def __len__(self) -> int:
        return len(self.parents)

    def __getitem__(self, column: Any) -> Any:
        return self.parents[column]


@dataclass(frozen=True, eq=False)
class ExactPosterior:
    """Result of `exact_posterior`.

    Attributes:
        log_evidence: ln of the sum of exp(-message length) over all totally ordered models.
        arc_probabilities: probability of the arc from column i to column j at [i, j], shape (n, n),
            the class being the last column.
        edge_probabilities: probability of an arc between them in either direction, symmetric, shape
            (n, n).
        best: the model with the shortest message (`OrderedModel`).
        names: of the columns.
        arc_probability: p of the prior.
    """

    log_evidence: float
    arc_probabilities: np.ndarray
    edge_probabilities: np.ndarray
    best: OrderedModel
    names: tuple[str, ...]
    arc_probability: float


def exact_memory(table: Table, *, discretize: Any = "mdlp", n_bins: int = 10) -> int:
    """Bytes that `exact_posterior` will hold at most.

    Examples:
        >>> import fasttree
        >>> exact_memory(fasttree.datasets.load_weather()) < 10_000
        True
    """
    reading = read(table, discretize=discretize, n_bins=n_bins)
    prior = prior_config(reading.names, 0.5)
    return _engine.core.network_exact_memory(*reading.for_core(prior))


@checked(arc_probability=ARC_PROBABILITY, max_memory=number_in(0.0, 2.0**63, below=True))
def exact_posterior(
    table: Table,
    *,
    arc_probability: float = 0.5,
    max_parents: int = LARGEST_PARENTS,
    arc_priors: Mapping[tuple[Any, Any], float] | None = None,
    ordered: Sequence[tuple[Any, Any]] = (),
    tied: Sequence[tuple[Any, Any]] = (),
    discretize: Any = "mdlp",
    n_bins: int = 10,
    missing: str = "mode",
    sample_weight: MaybeArray = None,
    max_memory: int = 2**31,
    n_jobs: int | None = None,
    progress: Progress = False,
) -> ExactPosterior:
    """Sum over all totally ordered networks of up to 20 columns.

    Args:
        table: rows with a class; at most 19 columns and the class.
        arc_probability: p, above 0 and below 1.
        max_parents: of a column.
        arc_priors, ordered, tied: as in `CaMML`.
        discretize, n_bins, missing: as in `CaMML`.
        sample_weight: weights of the rows, shape (n_rows,).
        max_memory: bytes; if more is needed (`exact_memory`), the call is refused.
        n_jobs: threads; None is one, -1 all cores. The result does not depend on it.
        progress: True for a bar, or a function of (done, total).

    Raises:
        ValueError: too many columns, too much memory, priors that contradict each other.

    Examples:
        >>> import fasttree
        >>> found = exact_posterior(fasttree.datasets.load_weather())
        >>> found.best.arcs[:2], found.edge_probabilities.shape
        ([('humidity', 'temperature'), ('play', 'humidity')], (5, 5))
    """
    reading = read(
        table,
        sample_weight=sample_weight,
        discretize=discretize,
        n_bins=n_bins,
        missing=missing,
        max_parents=max_parents,
    )
    # The sum and the best model, by the core.
    prior = prior_config(reading.names, arc_probability, arc_priors, ordered, tied)
    log_evidence, arcs, parents, order = _engine.core.network_exact(
        *reading.for_core(prior, n_jobs),
        int(max_memory),
        _engine.as_weights(reading.weights),
        n_jobs,
        make_report(progress, "exact posterior"),
    )
    if not math.isfinite(log_evidence):
        raise ValueError("no network has a probability: the priors contradict each other")
    length = length_of(reading, parents, prior, order)
    names = tuple(reading.names)
    best = OrderedModel(tuple(map(tuple, parents)), tuple(order), names, length)
    return ExactPosterior(
        float(log_evidence), arcs, arcs + arcs.T, best, names, float(arc_probability)
    )
