"""The common code of all information rewards: from a formula to values per row, means, and parts by
class.

A reward is written as a formula of two arrays, a probability that was predicted for what turned out
to be true and its prior: of the true class, shape (n,), or of the bet on every class, shape (n, k).
`@reward` makes of it the public function: labels and probabilities are checked, logs are in the
base asked for. The value of a row is the mean over the classes if there are bets on all of them.

By class, a mean reward R falls apart in two ways, both exact:

    R = sum_c share_c reward_c      by the class of the row: which class is predicted badly
    R = sum_c term_c                by the class of the term: where the probabilities are bad

O(n k).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from ..._checks import checked, one_value, row_weights
from ..._checks.aliases import ClassLabels, MaybeArray
from ..labels import average, encode_proba
from ..metric import Metric, metric_of, presented_as
from ..probability import clip_proba, log_unit
from .prior import check_prior

Formula = Callable[[np.ndarray, np.ndarray], np.ndarray]


class ClassRewards(NamedTuple):
    """A mean reward, divided by class: arrays (k,) in the order of `classes`.

    `share` of the rows (or weight) by true class, `reward` their mean reward (NaN without rows),
    `term` the mean contribution of each class's probability on all rows. The sums agree: sum(share
    * reward) = sum(term) = the mean reward.
    """

    classes: tuple[Any, ...]
    share: np.ndarray
    reward: np.ndarray
    term: np.ndarray


class Reward(Protocol):
    """A public reward function, with its array form `per_row` and its entry in the registry. It
    returns a mean, the values of all rows, or means by class."""

    per_row: Callable[..., np.ndarray]
    metric: Metric

    def __call__(
        self,
        y_true: ArrayLike,
        proba: Any,
        *,
        prior: Any = None,
        classes: ClassLabels | None = None,
        base: float | None = 2.0,
        clip: float | None = None,
        sample_weight: MaybeArray = None,
        per_instance: bool = False,
        by_class: bool = False,
    ) -> Any:
        """Return the mean reward (float), values per row (n,), or `ClassRewards`."""


def class_rewards(
    codes: np.ndarray,
    terms: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray | None,
    classes: Sequence[Any],
) -> ClassRewards:
    """Return the parts of a mean: `terms` (n, k) add up to `rows` (n,). A class without rows has
    the reward NaN and the share 0."""
    k = terms.shape[1]
    unit = np.ones(len(codes)) if weights is None else weights
    held = np.bincount(codes, unit, minlength=k)
    reward = np.full(k, np.nan)
    for code in np.flatnonzero(held > 0):
        inside = codes == code
        reward[code] = average(rows[inside], None if weights is None else weights[inside])
    term = np.array([average(terms[:, code], weights) for code in range(k)])
    return ClassRewards(tuple(classes), held / held.sum(), reward, term)


def _predicted(codes: np.ndarray, values: np.ndarray, every_class: bool) -> np.ndarray:
    """The probability given to the event that occurred, shape (n, k) or (n,), from probabilities of
    the classes, shape (n, k) or (k,)."""
    if every_class:
        is_true = codes[:, None] == np.arange(values.shape[-1])
        return np.where(is_true, values, 1.0 - values)
    return values[codes] if values.ndim == 1 else values[np.arange(len(codes)), codes]


def reward(
    doc: str,
    source: str,
    *,
    every_class: bool = False,
    two_classes: bool = False,
    uses_prior: bool = True,
    has_base: bool = True,
    **facts: Any,
) -> Callable[[Formula], Reward]:
    """Return a decorator that makes the public function of a reward from its formula.

    `metric_of` documents `doc`, `source` and `facts`. `every_class`: there is a bet on every class
    (else on the true one). `two_classes`: others are refused. `uses_prior`: without it the function
    takes no ``prior=``, and the formula gets the predicted probability twice. `has_base`: values
    are logarithms (else the base cancels and is only checked).
    """

    hidden = () if uses_prior else ("prior",)

    def decorate(formula: Formula) -> Reward:
        name = formula.__name__

        # Values of all bets, in the unit that `base` asks for: (n, k) of every class, else (n,).
        def bets(
            codes: np.ndarray, proba: np.ndarray, prior: Any, base: float | None, clip: float | None
        ) -> np.ndarray:
            if two_classes and proba.shape[1] != 2:
                raise ValueError(
                    f"{name} is defined for two classes, got {proba.shape[1]}; "
                    "use bayesian_information_reward"
                )
            unit = log_unit(base)  # checked even where it cancels
            given = _predicted(codes, clip_proba(proba, clip), every_class)
            before = _predicted(codes, prior, every_class) if uses_prior else given
            with np.errstate(divide="ignore", invalid="ignore"):
                return formula(given, before) / (unit if has_base else 1.0)

        # The array form, on codes and checked probabilities: one value per row.
        def per_row(
            codes: np.ndarray,
            proba: np.ndarray,
            prior: Any = None,
            *,
            base: float | None = 2.0,
            clip: float | None = None,
        ) -> np.ndarray:
            rewards = bets(codes, proba, prior, base, clip)
            return rewards.mean(axis=1) if every_class else rewards

        # The public form, on labels.
        @checked(per_instance=one_value, by_class=one_value)
        def function(
            y_true: ArrayLike,
            proba: Any,
            *,
            prior: Any = None,
            classes: ClassLabels | None = None,
            base: float | None = 2.0,
            clip: float | None = None,
            sample_weight: MaybeArray = None,
            per_instance: bool = False,
            by_class: bool = False,
        ) -> Any:
            if not uses_prior and prior is not None:
                raise TypeError(f"{name} compares with no prior; leave prior= out")
            refuse_both(per_instance, by_class)
            # `checked` are probabilities (n, k) in the order of the classes `known`.
            codes, checked, labels = encode_proba(y_true, proba, classes)
            weights = row_weights(sample_weight, len(codes))
            before = check_prior(prior, len(codes), len(labels)) if uses_prior else None
            rows = per_row(codes, checked, before, base=base, clip=clip)
            if per_instance:
                return rows
            if not by_class:
                return average(rows, weights)
            if every_class:
                terms = bets(codes, checked, before, base, clip) / len(labels)
            else:
                terms = np.where(codes[:, None] == np.arange(len(labels)), rows[:, None], 0.0)
            return class_rewards(codes, terms, rows, weights, labels)

        public = cast(Reward, presented_as(formula, function, *hidden))
        public.per_row = per_row
        known = {"needs": "proba", "minimum": -math.inf, "uses_prior": uses_prior, **facts}
        public.metric = metric_of(function, doc, source, per_row=per_row, **known)
        return public

    return decorate


def refuse_both(per_instance: bool, by_class: bool) -> None:
    """Raise ValueError for values by row and by class in one call, as there is one result."""
    if per_instance and by_class:
        raise ValueError(
            "per_instance=True and by_class=True exclude each other; ask for one of them"
        )
