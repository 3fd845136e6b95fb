"""Information rewards: how much a probabilistic prediction is worth, in bits, against the class prior.

With p' the predicted and p the prior probability, p = (n_i + 0.5)/(n + k/2) from the training counts:

    Good 1952 (two classes)   log(2 p') when the predicted class is right, log(2 (1 - p')) when it is wrong
    Kononenko & Bratko 1991   p' of the true class: log p' - log p if p' >= p, else log(1 - p) - log(1 - p')
    Hope & Korb 2002          mean over classes of 1 - log p'_i/log p_i (true class), 1 - log(1-p'_i)/log(1-p_i) (others)
    Hope & Korb 2004          mean over classes of log(p'_i/p_i) (true class), log((1-p'_i)/(1-p_i)) (others)
    Kullback-Leibler          sum_i P_i log(P_i/P'_i), P the true distribution

Hope & Korb 2004 is Bayesian: it rewards the true probability most, which the 2002 form does not.  A certain wrong
prediction is worth -inf, and stays so unless `clip=`.  A prediction equal to the prior is worth 0 in all but Good's.
O(n k).  Not for hard labels: every certain answer is either very good or worth -inf.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .labels import average, check_proba, check_weights, encode_proba
from .metric import Metric
from .probability import clip_proba, log_unit


def class_prior(counts: Any) -> np.ndarray:
    """Return the prior (n_i + 0.5) / (n + k/2) of training counts (k,); strictly between 0 and 1 for k > 1.

    >>> class_prior([9, 0])
    array([0.95, 0.05])
    """
    array = np.asarray(counts, dtype=np.float64)
    if array.ndim != 1 or len(array) == 0 or not (np.isfinite(array) & (array >= 0)).all():
        raise ValueError("counts must be a 1-D array of numbers that are not negative, one a class")
    return (array + 0.5) / (array.sum() + len(array) / 2.0)


def _check_prior(prior: Any, n_rows: int, n_classes: int) -> np.ndarray:
    """Return the prior as float64 (k,) or (n, k)."""
    if prior is None:
        raise ValueError(
            'prior= must be given: class probabilities of the training rows, class_prior(counts), or "uniform"'
        )
    if isinstance(prior, str):
        if prior != "uniform":
            raise ValueError(f'prior={prior!r}; use an array of {n_classes} probabilities or "uniform"')
        return np.full(n_classes, 1.0 / n_classes)
    array = np.asarray(prior, dtype=np.float64)
    if array.ndim == 1:
        return check_proba(array.reshape(1, -1), 1, n_classes, "prior")[0]
    return check_proba(array, n_rows, n_classes, "prior")


def _log(values: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.log(values)


def _true_column(values: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return the entry of each row's true class; `values` is (n, k), or (k,) for all rows."""
    return values[codes] if values.ndim == 1 else values[np.arange(len(codes)), codes]


def _difference(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return log left - log right, 0 where the two are equal (also where both are 0)."""
    same = left == right
    with np.errstate(invalid="ignore"):
        return np.where(same, 0.0, _log(left) - _log(right))


def good_per_row(
    codes: np.ndarray,
    proba: np.ndarray,
    prior: Any = None,
    *,
    base: float | None = 2.0,
    clip: float | None = None,
) -> np.ndarray:
    """Good's reward, one value a row; with two classes 1 - p' is the true class's probability."""
    if proba.shape[1] != 2:
        raise ValueError(
            f"good_information_reward is defined for two classes, got {proba.shape[1]}; "
            "use bayesian_information_reward"
        )
    return _log(2.0 * _true_column(clip_proba(proba, clip), codes)) / log_unit(base)


def kononenko_bratko_per_row(
    codes: np.ndarray,
    proba: np.ndarray,
    prior: np.ndarray,
    *,
    base: float | None = 2.0,
    clip: float | None = None,
) -> np.ndarray:
    """Kononenko & Bratko's information score, one value a row."""
    given = _true_column(clip_proba(proba, clip), codes)
    before = _true_column(prior, codes)
    value = np.where(given >= before, _difference(given, before), _difference(1.0 - before, 1.0 - given))
    return value / log_unit(base)


def reward_2002_per_row(
    codes: np.ndarray,
    proba: np.ndarray,
    prior: np.ndarray,
    *,
    base: float | None = 2.0,
    clip: float | None = None,
) -> np.ndarray:
    """Hope & Korb's reward of 2002, one value a row (the base cancels)."""
    log_unit(base)
    is_true = np.zeros(proba.shape, dtype=bool)
    is_true[np.arange(len(codes)), codes] = True
    given = clip_proba(proba, clip)
    given = np.where(is_true, given, 1.0 - given)
    before = np.where(is_true, prior, 1.0 - prior)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(given == before, 1.0, _log(given) / _log(before))
    return (1.0 - ratio).mean(axis=1)


def bayesian_per_row(
    codes: np.ndarray,
    proba: np.ndarray,
    prior: np.ndarray,
    *,
    base: float | None = 2.0,
    clip: float | None = None,
) -> np.ndarray:
    """Hope & Korb's Bayesian reward of 2004, one value a row."""
    is_true = np.zeros(proba.shape, dtype=bool)
    is_true[np.arange(len(codes)), codes] = True
    given = clip_proba(proba, clip)
    values = _difference(np.where(is_true, given, 1.0 - given), np.where(is_true, prior, 1.0 - prior))
    return values.mean(axis=1) / log_unit(base)


def _reward(
    per_row: Callable[..., np.ndarray],
    y_true: Any,
    proba: Any,
    prior: Any,
    *,
    classes: Sequence[Any] | None,
    base: float | None,
    clip: float | None,
    sample_weight: Any,
    per_instance: bool,
) -> Any:
    codes, checked, known = encode_proba(y_true, proba, classes)
    weights = check_weights(sample_weight, len(codes))
    values = per_row(codes, checked, _check_prior(prior, len(codes), len(known)), base=base, clip=clip)
    return values if per_instance else average(values, weights)


def good_information_reward(
    y_true: Any,
    proba: Any,
    *,
    classes: Sequence[Any] | None = None,
    base: float | None = 2.0,
    clip: float | None = None,
    sample_weight: Any = None,
    per_instance: bool = False,
) -> Any:
    """Return Good's reward: log(2 p') if the predicted class is right, else log(2 (1 - p')); -inf to log 2.

    Two classes only (ValueError otherwise).  `proba` (n, 2), or (n,) for the last class.  `per_instance=True` gives
    the values (n,) instead of their mean.

    >>> round(good_information_reward([0] * 9 + [1], [[0.9, 0.1]] * 10), 4)
    0.531
    """
    return _reward(
        good_per_row,
        y_true,
        proba,
        "uniform",
        classes=classes,
        base=base,
        clip=clip,
        sample_weight=sample_weight,
        per_instance=per_instance,
    )


def kononenko_bratko_information_score(
    y_true: Any,
    proba: Any,
    *,
    prior: Any = None,
    classes: Sequence[Any] | None = None,
    base: float | None = 2.0,
    clip: float | None = None,
    sample_weight: Any = None,
    per_instance: bool = False,
) -> Any:
    """Return the information score: log p' - log p if p' >= p, else log(1 - p) - log(1 - p'), of the true class.

    `prior`: (k,), (n, k) or "uniform"; it must be given.  Negative when the prediction is worse than the prior.

    >>> kononenko_bratko_information_score([1], [[0.5, 0.5]], prior=[0.75, 0.25], classes=[0, 1])
    1.0
    """
    return _reward(
        kononenko_bratko_per_row,
        y_true,
        proba,
        prior,
        classes=classes,
        base=base,
        clip=clip,
        sample_weight=sample_weight,
        per_instance=per_instance,
    )


def information_reward_2002(
    y_true: Any,
    proba: Any,
    *,
    prior: Any = None,
    classes: Sequence[Any] | None = None,
    base: float | None = 2.0,
    clip: float | None = None,
    sample_weight: Any = None,
    per_instance: bool = False,
) -> Any:
    """Return Hope & Korb's reward of 2002: mean over classes of 1 - log p'/log p (others: of the complements).

    -inf to 1.  `base` is accepted for symmetry: it cancels.  Kept for comparison; the reward of 2004 mends that a
    forecaster gains from stating more than it believes.

    >>> information_reward_2002([1], [[0.5, 0.5]], prior=[0.75, 0.25], classes=[0, 1])
    0.5
    """
    return _reward(
        reward_2002_per_row,
        y_true,
        proba,
        prior,
        classes=classes,
        base=base,
        clip=clip,
        sample_weight=sample_weight,
        per_instance=per_instance,
    )


def bayesian_information_reward(
    y_true: Any,
    proba: Any,
    *,
    prior: Any = None,
    classes: Sequence[Any] | None = None,
    base: float | None = 2.0,
    clip: float | None = None,
    sample_weight: Any = None,
    per_instance: bool = False,
) -> Any:
    """Return Hope & Korb's reward of 2004: mean over classes of log(p'/p) (others: of the complements).

    `prior`: (k,), (n, k) or "uniform"; it must be given.  -inf (a certain error) up to the mean log of the
    inverse priors; 0 for predicting the prior.

    >>> bayesian_information_reward([1], [[0.5, 0.5]], prior=[0.75, 0.25], classes=[0, 1])
    1.0
    """
    return _reward(
        bayesian_per_row,
        y_true,
        proba,
        prior,
        classes=classes,
        base=base,
        clip=clip,
        sample_weight=sample_weight,
        per_instance=per_instance,
    )


def kullback_leibler_divergence(
    P_true: Any,
    P_pred: Any,
    *,
    base: float | None = 2.0,
    clip: float | None = None,
    sample_weight: Any = None,
    per_instance: bool = False,
) -> Any:
    """Return the mean of sum_i P_i log(P_i / P'_i) over rows, 0 to +inf; both arguments (n, k), or (k,) for one row.

    `P_true` are true distributions (known only for generated data), 0 log 0 = 0.  `clip` limits `P_pred`.

    >>> round(kullback_leibler_divergence([1.0, 0.0], [0.25, 0.75]), 6)
    2.0
    """
    true, pred = (np.atleast_2d(np.asarray(part, dtype=np.float64)) for part in (P_true, P_pred))
    true = check_proba(true, len(true), true.shape[1], "P_true")
    pred = clip_proba(check_proba(pred, len(true), true.shape[1], "P_pred"), clip)
    terms = np.zeros(true.shape)
    occurs = true > 0
    with np.errstate(divide="ignore"):
        terms[occurs] = true[occurs] * (np.log(true[occurs]) - np.log(pred[occurs]))
    values = terms.sum(axis=1) / log_unit(base)
    return values if per_instance else average(values, check_weights(sample_weight, len(values)))


METRICS = (
    Metric(
        name="good_information_reward",
        function=good_information_reward,
        needs="proba",
        greater_is_better=True,
        doc="log(2p') of the true class, two classes only",
        source="Good 1952",
        minimum=-math.inf,
        maximum=1.0,
        aliases=("good",),
        per_row=good_per_row,
    ),
    Metric(
        name="kononenko_bratko_information_score",
        function=kononenko_bratko_information_score,
        needs="proba",
        greater_is_better=True,
        doc="information gained on the true class against the prior",
        source="Kononenko & Bratko 1991",
        minimum=-math.inf,
        maximum=math.inf,
        aliases=("kononenko_bratko",),
        uses_prior=True,
        per_row=kononenko_bratko_per_row,
    ),
    Metric(
        name="information_reward_2002",
        function=information_reward_2002,
        needs="proba",
        greater_is_better=True,
        doc="mean over classes of 1 - log p'/log p",
        source="Hope & Korb 2002",
        minimum=-math.inf,
        maximum=1.0,
        uses_prior=True,
        per_row=reward_2002_per_row,
    ),
    Metric(
        name="bayesian_information_reward",
        function=bayesian_information_reward,
        needs="proba",
        greater_is_better=True,
        doc="mean over classes of log(p'/p)",
        source="Hope & Korb 2004",
        minimum=-math.inf,
        maximum=math.inf,
        aliases=("information_reward",),
        uses_prior=True,
        per_row=bayesian_per_row,
    ),
    Metric(
        name="kullback_leibler_divergence",
        function=kullback_leibler_divergence,
        needs="proba",
        greater_is_better=False,
        doc="divergence of the prediction from the true distribution",
        source="Kullback & Leibler 1951",
        minimum=0.0,
        maximum=math.inf,
        aliases=("kld",),
        scorable=False,
    ),
)
