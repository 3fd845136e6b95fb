"""Bayesian networks by minimum message length: `CaMML`, and exact posteriors of small networks.

What
    `CaMML`: a classifier that searches a network over columns and class. `BayesianNetwork`: a graph
    with its probability tables. `message_length`: the score of a network on a Table, in nits.
    `exact_posterior`: arc probabilities and the best network of up to 20 columns, by summation over
    all networks.
Source
    Wallace & Korb 1999; Korb & Nicholson, *Bayesian Artificial Intelligence*; Koivisto & Sood 2004
    for the exact sums.
Complexity
    The search: a few hundred nanoseconds per step once tables are counted. Exact sums: 2^n sets of
    columns.

>>> import fasttree
>>> found = exact_posterior(fasttree.datasets.load_monks_1(), arc_probability=0.2)
>>> sorted(found.best.arcs)
[('a1', 'class'), ('a2', 'class'), ('a5', 'class')]
"""

from __future__ import annotations

from .camml import CaMML
from .components import components
from .exact import ExactPosterior, OrderedModel, exact_memory, exact_posterior
from .lengths import MessageLength, message_length
from .network import BayesianNetwork
from .search import FoundModel, SearchResult
from .structure import equivalent

__all__ = [
    "BayesianNetwork",
    "CaMML",
    "ExactPosterior",
    "FoundModel",
    "MessageLength",
    "OrderedModel",
    "SearchResult",
    "components",
    "equivalent",
    "exact_memory",
    "exact_posterior",
    "message_length",
]
