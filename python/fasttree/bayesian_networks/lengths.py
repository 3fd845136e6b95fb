r"""`message_length`: the length in nits of a message that states a network and a Table.

Formula
    A column with v values and given parents: over all configurations of the parents, N cases in
    one, :math:`n_i` of value i, :math:`\ln \frac{(N + v - 1)!}{(v - 1)!\, \prod_i n_i!} + (v - 1)
    c` with c = 0.17649; arcs: :math:`-k \ln p - (M - k) \ln(1 - p)` for k of the M = n(n - 1)/2
    possible ones, n columns with the class.
Source
    Wallace & Korb, "Learning linear causal models by MML sampling", 1999; Korb & Nicholson,
    *Bayesian Artificial Intelligence*. The constant is taken from their program, whose results the
    formula reproduces.
Complexity
    O(rows x arcs).
When not to use it
    To compare networks over different columns or different bins of one column: the data differ.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .. import _engine
from .._checks import checked
from .._checks.aliases import MaybeArray
from ..table import Table
from .reading import ARC_PROBABILITY, Reading, prior_config, read
from .structure import check_acyclic, parent_lists


@dataclass(frozen=True)
class MessageLength:
    """Length of the message that states a network and its data, in nits.

    Attributes:
        total: structure + tables.
        structure: length of the arcs.
        tables: length of the parameters and the data, all columns together.
        likelihood: length of the data alone, each value predicted with (n_i + 1/2) / (N + v/2).
        columns: `tables` by column, the class last.
    """

    total: float
    structure: float
    tables: float
    likelihood: float
    columns: tuple[float, ...]


def structure_cost(n: int, arcs: int, p: float) -> float:
    """Nits of stating which `arcs` of the possible arcs of n ordered columns there are, each with
    prior probability p.

    >>> round(structure_cost(8, 7, 7.5 / 29), 6)
    15.75085
    """
    most = n * (n - 1) // 2
    return -arcs * math.log(p) - (most - arcs) * math.log1p(-p)


def ordered_structure_cost(
    prior: dict[str, Any], parents: Sequence[Sequence[int]], order: Sequence[int]
) -> float:
    """Nits of the arcs of an ordered network under priors of single arcs (0 for certain ones).

    Args:
        prior: from `prior_config`.
        parents: of each column.
        order: columns, first to last.

    >>> prior = {"arc_probability": 0.5, "arcs": [[0, 1, 0.25]], "tied": [[1, 2]]}
    >>> round(ordered_structure_cost(prior, [[], [0], [1]], [0, 1, 2]) / math.log(2), 9)
    3.0
    """
    named = {(i, j): p for i, j, p in prior["arcs"]}
    named |= {pair: 1.0 for i, j in prior["tied"] for pair in ((i, j), (j, i))}
    cost = 0.0
    for position, j in enumerate(order):
        for i in order[:position]:
            p = named.get((i, j), prior["arc_probability"])
            cost -= math.log(p) if i in parents[j] else math.log1p(-p)
    return cost


@checked(arc_probability=ARC_PROBABILITY)
def message_length(
    table: Table,
    parents: Sequence[Iterable[int | str]],
    *,
    arc_probability: float = 0.5,
    discretize: Any = "mdlp",
    n_bins: int = 10,
    missing: str = "mode",
    sample_weight: MaybeArray = None,
) -> MessageLength:
    """The message length of a network and a table.

    Args:
        table: rows with a class.
        parents: the parents of each column, by number or name, the class being the last column; an
            object with an attribute ``parents`` (a `BayesianNetwork`, the best model of
            `exact_posterior`) serves as well.
        arc_probability: p, above 0 and below 1.
        discretize, n_bins: as in `CaMML`.
        missing: ``"mode"``: missing cells take the most frequent value; ``"parts"``: all values by
            their shares; ``"error"``.
        sample_weight: weights of the rows, shape (n_rows,).

    Raises:
        ValueError: parents that are no columns or form a circle; numbers without a discretiser.

    Examples:
        >>> import fasttree
        >>> table = fasttree.datasets.load_weather()
        >>> alone = message_length(table, [[], [], [], [], []])
        >>> joined = message_length(table, [["play"], [], [], [], []])
        >>> round(alone.total, 3), round(joined.total - alone.total, 3)
        (74.31, -0.379)
    """
    reading = read(
        table,
        sample_weight=sample_weight,
        discretize=discretize,
        n_bins=n_bins,
        missing=missing,
    )
    prior = prior_config(reading.names, arc_probability)
    return length_of(reading, parent_lists(parents, reading.names), prior)


def length_of(
    reading: Reading,
    parents: Sequence[Sequence[int]],
    prior: dict[str, Any],
    order: Sequence[int] = (),
) -> MessageLength:
    """The message length of a network and of rows that are read.

    Args:
        reading: the rows.
        parents: the parents of each column, by number.
        prior: from `prior_config`.
        order: the columns in the order of the network, where `prior` has priors of single arcs.
    """
    check_acyclic(parents, reading.names)
    columns, likelihoods = _engine.core.network_tables_cost(
        *reading.for_core(prior), parents, _engine.as_weights(reading.weights)
    )
    if prior["arcs"] or prior["tied"]:
        structure = ordered_structure_cost(prior, parents, order)
    else:
        n_arcs = sum(map(len, parents))
        structure = structure_cost(len(reading.names), n_arcs, prior["arc_probability"])
    tables = math.fsum(columns)
    return MessageLength(
        structure + tables, structure, tables, math.fsum(likelihoods), tuple(columns)
    )
