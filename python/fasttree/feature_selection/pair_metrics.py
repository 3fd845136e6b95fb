"""Criteria whose scores are sums over pairs of rows, with the parameters that the core needs.

Only these can be estimated from samples of pairs or subsets (`fasttree.estimate_features`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import criteria
from .._checks import number_in, shown
from .._checks.pair_options import four_weights


@dataclass(frozen=True)
class PairMetric:
    """A criterion on pairs of rows.

    Attributes:
        name: "pi", "contextual_merit" or "relief".
        theta: weights of the four cases of pairs.
        alpha: rate of the decay; None: the default radius.
        decay: name of the decay of a pair's weight with distance.
        at_zero: weight of pairs at distance 0.
    """

    name: str
    theta: tuple[float, float, float, float]
    alpha: float | None
    decay: str
    at_zero: float

    @property
    def shares(self) -> bool:
        """Whether agreements are counted with each value's share of the rows, which the measure Pi
        needs; other metrics take plain counts."""
        return self.name == "pi"

    @property
    def setting(self) -> tuple[tuple[float, float, float, float], float, str, float]:
        """Theta, alpha, decay and the weight at distance 0, as the core takes them. `alpha` must be
        known: Relief's radius is resolved before."""
        assert self.alpha is not None
        return self.theta, self.alpha, self.decay, self.at_zero

    @property
    def factors(self) -> np.ndarray:
        """Signed weight of the four cases of pairs, shape (4,): the score is their weighted sum.
        The signs follow from the metric, the weights are theta."""
        signs = {"contextual_merit": (0, 0, 0, 1), "relief": (0, 0, -1, 1)}.get(
            self.name, (1, -1, -1, 1)
        )
        return np.asarray(signs) * np.asarray(self.theta)


def metric_of(criterion: Any) -> PairMetric:
    """The metric of a criterion on pairs; ValueError for another criterion. Only sums over pairs
    can be estimated: "pi", "contextual_merit" and "relief"."""
    made = criteria.make(criterion)
    ones = (1.0, 1.0, 1.0, 1.0)
    name = made.name if isinstance(made, criteria.Criterion) else ""
    if name not in ("pi", "contextual_merit", "relief"):
        raise ValueError(
            f"criterion={shown(criterion)} cannot be estimated: scores are estimated for the "
            "criteria on pairs of rows that are sums over pairs, "
            "'pi', 'contextual_merit' and 'relief'"
        )
    options = made.options()  # type: ignore[union-attr]
    if options.get("precision", "exact") != "exact":
        raise ValueError(
            f"precision={options['precision']!r} is for whole passes: estimates count exactly; "
            "leave it out"
        )
    if name == "relief":
        radius = options["radius"]
        radius = None if radius is None else number_in(0.0, math.inf)("relief: radius", radius)
        return PairMetric(name, ones, radius, "threshold", 0.0)
    alpha, at_zero = (
        number_in(0.0, math.inf)(f"{name}: {option}", options[option])
        for option in ("alpha", "at_zero")
    )
    if name == "contextual_merit":
        return PairMetric(name, ones, alpha, options["decay"], at_zero)
    theta = four_weights(options["theta"], "pi: theta")
    name = "pi" if options["weighted"] else "pi_unweighted"
    return PairMetric(name, theta, alpha, options["decay"], at_zero)
