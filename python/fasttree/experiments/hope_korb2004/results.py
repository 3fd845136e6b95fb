"""`SetResult`: accuracies and rewards of the learners of section 5.2 on one data set.

`run` makes one per data set; `layout` reads means and significant differences from it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...model_selection import five_by_two_cv_t_test

SHOWN = ("nb", "j48", "camml", "aode", "tan")
"""The learners in the order of the paper's columns."""


@dataclass
class SetResult:
    """Section 5.2 on one data set: ten values of each learner, from five repetitions of two
    folds."""

    accuracy: dict[str, np.ndarray]
    reward: dict[str, np.ndarray]
    """Rewards in bits."""
    bound: float
    """The largest mean reward of any predictor, in bits."""

    def order(self, quantity: str) -> dict[str, float]:
        """Mean of each of the paper's learners that was run, in the paper's order; J48's rewards
        are computed with Laplace's correction."""
        return {name: float(values.mean()) for name, values in self._of(quantity).items()}

    def losers(self, quantity: str) -> dict[str, list[str]]:
        """For each learner the learners that it beats significantly (5x2cv t test, two-sided 0.05),
        as in the paper's tables; lists are empty where nothing is significant."""
        values = self._of(quantity)
        return {
            winner: [loser for loser in values if _beats(values[winner], values[loser])]
            for winner in values
        }

    def _of(self, quantity: str) -> dict[str, np.ndarray]:
        """Values of the paper's learners that were run."""
        values, j48 = self.accuracy, "j48"
        if quantity == "reward":
            values, j48 = self.reward, "j48 laplace"
        keys = {name: j48 if name == "j48" else name for name in SHOWN}
        return {name: values[key] for name, key in keys.items() if key in values}


def _beats(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether values are significantly larger than others; never where one is not finite.

    Args:
        a, b: the values of the folds of 5x2cv, in the same order; `a` may be the larger ones.
    """
    finite = np.isfinite(a).all() and np.isfinite(b).all()
    return bool(finite and a.mean() > b.mean() and five_by_two_cv_t_test(a, b).significant)
