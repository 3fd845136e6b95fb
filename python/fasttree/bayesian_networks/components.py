"""The networks behind the random models of `fasttree.datasets.make_bayesian_network`."""

from __future__ import annotations

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
    names = [*network.feature_names, "class"]
    levels = [*(network.levels(j) for j in range(len(network.n_values))), network.classes]
    return [BayesianNetwork(names, levels, one.parents, one.tables) for one in network.components]
