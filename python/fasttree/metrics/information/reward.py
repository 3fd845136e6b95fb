"""What all information rewards share: from terms to values per row, means, and parts by class.

A reward is written as its terms per row and class, in nats: ``terms(codes, given, prior) -> (n,
k)`` with `given` the (clipped) probabilities (n, k), `prior` (n, k) or (k,), `codes` (n,) the true
classes.  `@reward` makes of it the public function: labels and probabilities are checked, logs are
in the base asked for. The value of a row is the mean of its terms over the classes. It is their sum
for rewards that look at the true class alone (its term is then the only one).

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

Terms = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


class ClassRewards(NamedTuple):
    """A mean reward, divided by class: arrays (k,) in the order of `classes`.

    `share` of the rows (or weight) by true class, `reward` their mean reward (NaN without rows),
    `term` the mean of what each class's probability adds on all rows. The sums agree: sum(share *
    reward) = sum(term) = the mean reward.
    """

    classes: tuple[Any, ...]
    share: np.ndarray
    reward: np.ndarray
    term: np.ndarray


class Reward(Protocol):
    """A public reward function, with its array form and its entry in the registry."""

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


def difference(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return ln left - ln right, 0 where the two are equal (also where both are 0)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(left == right, 0.0, np.log(left) - np.log(right))


def is_true(codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Return whether a class is the true one, bool (n, k)."""
    return codes[:, None] == np.arange(n_classes)


def true_column(values: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return the entry of each row's true class; `values` is (n, k), or (k,) for all rows."""
    return values[codes] if values.ndim == 1 else values[np.arange(len(codes)), codes]


def at_true(codes: np.ndarray, values: np.ndarray, n_classes: int) -> np.ndarray:
    """Return terms (n, k) that are `values` (n,) at the true class and 0 elsewhere."""
    out = np.zeros((len(codes), n_classes))
    out[np.arange(len(codes)), codes] = values
    return out


def class_rewards(
    codes: np.ndarray,
    terms: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray | None,
    classes: Sequence[Any],
) -> ClassRewards:
    """Return the parts of a mean: `terms` (n, k) add up to `rows` (n,)."""
    k = terms.shape[1]
    unit = np.ones(len(codes)) if weights is None else weights
    held = np.bincount(codes, unit, minlength=k)
    reward = np.full(k, np.nan)
    for code in np.flatnonzero(held > 0):
        inside = codes == code
        reward[code] = average(rows[inside], None if weights is None else weights[inside])
    term = np.array([average(terms[:, code], weights) for code in range(k)])
    return ClassRewards(tuple(classes), held / held.sum(), reward, term)


def reward(
    doc: str,
    source: str,
    *,
    mean: bool,
    uses_prior: bool = True,
    has_base: bool = True,
    **facts: Any,
) -> Callable[[Terms], Reward]:
    """Return a decorator that makes the public function of a reward from its terms.

    `doc`, `source` and `facts` are those of `metric_of`.
    `mean`: a row's value is the mean of its terms over the classes (else their sum).  `uses_prior`:
    without it the function takes no ``prior=``.  `has_base`: terms are logarithms (else the base
    cancels and is only checked).
    """

    hidden = () if uses_prior else ("prior",)

    def decorate(terms_of: Terms) -> Reward:
        name = terms_of.__name__

        # The terms of all rows and classes, in the unit that `base` asks for.
        def terms(
            codes: np.ndarray, proba: np.ndarray, prior: Any, base: float | None, clip: float | None
        ) -> np.ndarray:
            unit = log_unit(base)
            found = terms_of(codes, clip_proba(proba, clip), prior)
            return found / unit if has_base else found

        # The array form, on codes and checked probabilities: one value per row.
        def per_row(
            codes: np.ndarray,
            proba: np.ndarray,
            prior: Any = None,
            *,
            base: float | None = 2.0,
            clip: float | None = None,
        ) -> np.ndarray:
            found = terms(codes, proba, prior, base, clip)
            return found.mean(axis=1) if mean else found.sum(axis=1)

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
            if per_instance and by_class:
                raise ValueError(
                    "per_instance=True and by_class=True exclude each other; ask for one of them"
                )
            # `checked` are probabilities (n, k) in the order of the classes `known`.
            codes, checked, known = encode_proba(y_true, proba, classes)
            weights = row_weights(sample_weight, len(codes))
            before = check_prior(prior, len(codes), len(known)) if uses_prior else None
            rows = per_row(codes, checked, before, base=base, clip=clip)
            if per_instance:
                return rows
            if by_class:
                parts = terms(codes, checked, before, base, clip)
                return class_rewards(
                    codes, parts / len(known) if mean else parts, rows, weights, known
                )
            return average(rows, weights)

        public = cast(Reward, presented_as(terms_of, function, *hidden))
        public.per_row = per_row
        public.metric = metric_of(
            function,
            doc,
            source,
            needs="proba",
            minimum=-math.inf,
            uses_prior=uses_prior,
            per_row=per_row,
            **facts,
        )
        return public

    return decorate
