"""The networks behind the random models of `fasttree.datasets.make_bayesian_network`."""

from __future__ import annotations

import numpy as np

from ..datasets import RandomNetwork
from .network import BayesianNetwork

__all__ = ["components"]


def components(network: RandomNetwork) -> list[BayesianNetwork]:
    """The networks that a random model mixes with equal weight: one, but for AODE one for each
    attribute.

    Args:
        network: as `fasttree.datasets.make_bayesian_network` returns it.

    Examples:
        >>> from fasttree.datasets import make_bayesian_network
        >>> _, network = make_bayesian_network("aode", 1, n_attributes=3, random_state=0)
        >>> for one in components(network):
        ...     print(one)
        BayesianNetwork(4 columns: class -> a1, a1 -> a2, class -> a2, a1 -> a3, class -> a3)
        BayesianNetwork(4 columns: a2 -> a1, class -> a1, class -> a2, a2 -> a3, class -> a3)
        BayesianNetwork(4 columns: a3 -> a1, class -> a1, a3 -> a2, class -> a2, class -> a3)
    """
    d = len(network.n_values)
    names = [*network.feature_names, "class"]
    levels = [*(network.levels(j) for j in range(d)), network.classes]
    found = []
    for one in network.components:
        parents = [[int(i), d] if i >= 0 else [d] for i in one.parent]
        # (class, parent, value) there, (parent, class, value) here
        tables = [
            np.moveaxis(table, 0, 1) if len(own) > 1 else table[:, 0]
            for table, own in zip(one.tables, parents, strict=True)
        ]
        found.append(BayesianNetwork(names, levels, [*parents, []], [*tables, network.class_prior]))
    return found
