"""Bayesian networks by minimum message length, judged exactly.

What
    `message_length`: what a network and a table cost, in nits. `exact_posterior`: arc probabilities
    and the best network of up to 20 columns, summed over all of them.
Source
    Wallace & Korb 1999; Korb & Nicholson, *Bayesian Artificial Intelligence*; Koivisto & Sood 2004
    for the exact sums.

>>> import fasttree
>>> found = exact_posterior(fasttree.datasets.load_monks_1(), arc_probability=0.2)
>>> sorted(found.best.arcs)
[('a1', 'class'), ('a2', 'class'), ('a5', 'class')]
"""

from __future__ import annotations

from .exact import ExactPosterior, OrderedModel, exact_memory, exact_posterior
from .lengths import MessageLength, message_length
from .structure import equivalent

__all__ = [
    "ExactPosterior",
    "MessageLength",
    "OrderedModel",
    "equivalent",
    "exact_memory",
    "exact_posterior",
    "message_length",
]
