"""`components`: the networks that a random model of `make_bayesian_network` mixes, one by one.

A random model predicts and is sampled as a whole; its networks can be plotted and compared with
those that a learner finds. O(size of the tables).
"""

from __future__ import annotations

from ..datasets import RandomNetwork
from .network import BayesianNetwork


def components(network: RandomNetwork) -> list[BayesianNetwork]:
    """The networks that a random model mixes with equal weight.

    Args:
        network: as `fasttree.datasets.make_bayesian_network` returns it.

    Returns:
        One network for naive Bayes and TAN, one per attribute for AODE, each over the attributes
        a1, a2, ... and, last, the class.

    Examples:
        >>> from fasttree.datasets import make_bayesian_network
        >>> _, network = make_bayesian_network("aode", 1, n_attributes=3, random_state=0)
        >>> for component in components(network):
        ...     print(component)
        BayesianNetwork(4 columns: class -> a1, a1 -> a2, class -> a2, a1 -> a3, class -> a3)
        BayesianNetwork(4 columns: a2 -> a1, class -> a1, class -> a2, a2 -> a3, class -> a3)
        BayesianNetwork(4 columns: a3 -> a1, class -> a1, a3 -> a2, class -> a2, class -> a3)
    """
    names = [*network.feature_names, "class"]
    levels = [*(network.levels(j) for j in range(len(network.n_values))), network.classes]
    return [
        BayesianNetwork(names, levels, component.parents, component.tables)
        for component in network.components
    ]
