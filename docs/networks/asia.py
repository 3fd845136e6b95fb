"""Asia, the network of Lauritzen & Spiegelhalter (1988): eight columns about a visit to a
clinic."""

from __future__ import annotations

from fasttree.bayesian_networks import BayesianNetwork

NO_YES = ["no", "yes"]
NAMES = ["asia", "tub", "smoke", "lung", "either", "xray", "bronc", "dysp"]
PARENTS = [[], ["asia"], [], ["smoke"], ["tub", "lung"], ["either"], ["smoke"], ["either", "bronc"]]


def share(yes: float) -> list[float]:
    """P(no), P(yes)."""
    return [1 - yes, yes]


TABLES = [
    share(0.01),
    [share(0.01), share(0.05)],
    share(0.5),
    [share(0.01), share(0.1)],
    [[share(0.0), share(1.0)], [share(1.0), share(1.0)]],
    [share(0.05), share(0.98)],
    [share(0.3), share(0.6)],
    [[share(0.1), share(0.8)], [share(0.7), share(0.9)]],
]


def asia() -> BayesianNetwork:
    """The network; the class, its last column, is dyspnoea."""
    return BayesianNetwork(NAMES, [NO_YES] * 8, PARENTS, TABLES)
