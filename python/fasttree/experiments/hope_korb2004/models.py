"""Section 5.1 of Hope & Korb (2004) and their "meta-metric": simulations with known models.

What
    `simulate`: random models of one type (naive Bayes, TAN, AODE; 4 to 8 attributes with 2 to 5
    values), and samples of several sizes. It computes every learner's information reward on test
    rows, and its Kullback-Leibler divergence from the true class posterior, which the paper calls
    ideal but inapplicable to real data. `meta_metric`: for pairs of classifiers whose true order is
    known, how often each metric picks the better one from a small test set.
Decisions
    All learners have the same samples. Attributes keep their declared values in small samples. The
    meta-metric has three definitions of "better", so that no metric is compared by its own alone:
    divergence from the posterior, error rate, and cost under random cost matrices, each over a
    large sample with the exact posterior as weights.
Complexity
    models x sizes x learners fits of small Bayesian classifiers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...datasets import make_bayesian_network
from ...metrics import bayesian_information_reward, get_metric, kullback_leibler_divergence
from ...metrics.information import class_prior
from ...model_selection import TwoWayAnovaResult, two_way_repeated_measures_anova

KINDS = {"nb": "Naive Bayes models", "tan": "TAN models", "aode": "AODE models"}
"""The paper's model types, in the order of its figures 2 to 4."""

N_TEST, N_TRAIN = 1000, 200
"""Test rows of a simulation, and training rows of the meta-metric."""

Learners = Mapping[str, Callable[[], Any]]


@dataclass
class Simulation:
    """Rewards and divergences of learners on random models of one type, in nats: arrays of shape
    (models, learners, sizes)."""

    kind: str
    learners: list[str]
    sizes: list[int]
    reward: np.ndarray
    divergence: np.ndarray

    @property
    def anova(self) -> TwoWayAnovaResult:
        """The paper's test: a two-factor repeated-measures ANOVA of the rewards by learner and
        training size, with models as subjects."""
        return two_way_repeated_measures_anova(self.reward, names=("learner", "training size"))

    def of(self, learners: Sequence[str]) -> Simulation:
        """The simulation with some of the learners only, in the given order. ValueError for a
        learner that was not run."""
        places = [self.learners.index(name) for name in learners]
        parts = (values[:, places] for values in (self.reward, self.divergence))
        return Simulation(self.kind, list(learners), self.sizes, *parts)

    def interval(self) -> np.ndarray:
        """Half widths of the 95 % intervals of the mean rewards, Bonferroni over all cells; shape
        (learners, sizes)."""
        return _half_width(self.reward, self.reward[0].size)

    def difference(self, first: str, second: str, size: int) -> tuple[float, float]:
        """Mean difference of two learners' rewards on the same models, and half the width of its
        95 % interval, with Bonferroni's correction for the pairs of learners.

        Args:
            first, second: the learners.
            size: training size, rows.
        """
        place = self.sizes.index(size)
        a, b = (self.reward[:, self.learners.index(name), place] for name in (first, second))
        n_pairs = math.comb(len(self.learners), 2)
        return float((a - b).mean()), float(_half_width(a - b, n_pairs))

    def groups(self, size: int) -> list[list[str]]:
        """The maximal sets of learners in which the interval of every paired difference contains
        zero, at a size; best mean first."""
        mean = self.reward[:, :, self.sizes.index(size)].mean(axis=0)
        order = [self.learners[j] for j in np.argsort(-mean, kind="stable")]

        def alike(first: str, second: str) -> bool:
            gap, half = self.difference(first, second, size)
            return abs(gap) <= half

        joined: list[list[str]] = []
        for n_learners in range(len(order), 0, -1):
            for names in itertools.combinations(order, n_learners):
                inside = any(set(names) <= set(group) for group in joined)
                if not inside and all(alike(*pair) for pair in itertools.combinations(names, 2)):
                    joined.append(list(names))
        return sorted(joined, key=lambda group: [order.index(name) for name in group])

    def apart(self, first: str, second: str, size: int) -> bool:
        """Whether the interval of the first learner's mean lies above the second learner's.

        Args:
            first, second: the learners.
            size: training size, rows.
        """
        position, half = self.sizes.index(size), self.interval()
        a, b = (self.learners.index(name) for name in (first, second))
        mean = self.reward[:, :, position].mean(axis=0)
        return bool(mean[a] - half[a, position] > mean[b] + half[b, position])


def _half_width(values: np.ndarray, n_intervals: int) -> np.ndarray:
    """Half widths of the 95 % intervals of means over models, by Student's t with Bonferroni's
    correction.

    Args:
        values: the values; axis 0 are the models.
        n_intervals: number of intervals that are to hold together.
    """
    from scipy.special import stdtrit

    n = len(values)
    quantile = stdtrit(n - 1, 1.0 - 0.05 / (2 * n_intervals))
    return np.asarray(quantile * (values.std(axis=0, ddof=1) / np.sqrt(n)))


def divergence(posterior: np.ndarray, given: np.ndarray) -> float:
    """Mean Kullback-Leibler divergence of predictions from the true posterior, nats.

    Args:
        posterior: the true probabilities, shape (n_rows, n_classes).
        given: the predicted ones, of the same shape.

    >>> divergence(np.array([[0.5, 0.5]]), np.array([[0.5, 0.5]]))
    0.0
    """
    return float(kullback_leibler_divergence(posterior, given, base=None))


def aligned(model: Any, table: Any, n_classes: int) -> np.ndarray:
    """Predicted probabilities of all declared classes, shape (n_rows, n_classes).

    The probability of a class that was not in the sample is 0.

    Args:
        model: a fitted classifier, whose labels are class codes.
        table: the rows.
        n_classes: number of declared classes.
    """
    own = np.asarray(model.classes_, dtype=int)
    shares = np.zeros((len(table), n_classes))
    shares[:, own] = model.predict_proba(table)
    return shares


def simulate(
    kind: str,
    learners: Learners,
    sizes: Sequence[int],
    n_models: int,
    seed: int,
    *,
    tick: Callable[[], None] = lambda: None,
) -> Simulation:
    """One of the paper's three experiments.

    Args:
        kind: "nb", "tan" or "aode".
        learners: makers of estimators by name.
        sizes: training rows.
        n_models: random models.
        seed: of models and samples.
        tick: called after each model.
    """
    shape = (n_models, len(learners), len(sizes))
    reward, kl = np.empty(shape), np.empty(shape)
    for m in range(n_models):
        rng = np.random.default_rng([seed, m])
        _, network = make_bayesian_network(kind, 1, random_state=rng)  # type: ignore[arg-type]
        test = network.sample(N_TEST, rng)
        posterior, k = network.predict_proba(test), len(network.classes)
        for s, size in enumerate(sizes):
            train = network.sample(size, rng)
            prior = class_prior(np.bincount(train.y_codes, minlength=k))
            for j, make in enumerate(learners.values()):
                given = aligned(make().fit(train), test, k)
                reward[m, j, s] = bayesian_information_reward(
                    np.asarray(test.y), given, prior=prior, classes=network.classes, base=math.e
                )
                kl[m, j, s] = divergence(posterior, given)
        tick()
    return Simulation(kind, list(learners), list(sizes), reward, kl)


TRUTHS = {
    "divergence": "smaller divergence from the true posterior",
    "error": "smaller error rate",
    "cost": "smaller cost under a random cost matrix",
}

METRICS = (
    "bayesian_information_reward",
    "information_reward_2002",
    "kononenko_bratko_information_score",
    "log_loss",
    "brier_score",
    "auc",
    "accuracy",
)
"""The metrics that are compared."""


@dataclass
class MetaMetric:
    """How often metrics pick the better of two classifiers, as the known model ranks them: arrays
    of shape (sizes,), one entry per test size."""

    sizes: list[int]
    """Rows of the test sets."""
    right: dict[tuple[str, str], np.ndarray]
    """Share of right picks by (truth, metric); a tie is half a right pick."""
    trials: dict[str, np.ndarray]
    """Number of comparisons by truth."""
    names: tuple[str, ...] = METRICS
    spread: dict[tuple[str, str], np.ndarray] = field(default_factory=dict)
    """Half the width of the 95 % interval of `right`."""


def _judged(name: str, y: np.ndarray, given: np.ndarray, prior: np.ndarray, classes: Any) -> float:
    """The value of a metric, with the sign for which larger is better.

    Args:
        name: name of the metric.
        y: true class codes.
        given: predicted probabilities, shape (n_rows, n_classes).
        prior: shares of the classes in the training rows.
        classes: the class labels.
    """
    metric = get_metric(name)
    answers = given.argmax(axis=1) if metric.needs == "labels" else given
    more = {"prior": prior} if metric.uses_prior else {}
    value = float(metric.function(y, answers, classes=classes, **more))
    return value if metric.greater_is_better else -value


def _truths(posterior: np.ndarray, given: np.ndarray, costs: np.ndarray) -> dict[str, float]:
    """The true losses of a classifier, by name, with the exact posterior as weights.

    Args:
        posterior: the true probabilities, shape (n_rows, n_classes).
        given: the predicted ones, of the same shape.
        costs: cost of each answer (column) for each true class (row).
    """
    picked = given.argmax(axis=1)
    decided = (given @ costs).argmin(axis=1)
    rows = np.arange(len(given))
    return {
        "divergence": divergence(posterior, given),
        "error": 1.0 - float(posterior[rows, picked].mean()),
        "cost": float((posterior @ costs)[rows, decided].mean()),
    }


def _picks(
    judged: Sequence[float], better: Sequence[float], pairs: Sequence[tuple[int, int]]
) -> float:
    """Number of pairs (a, b) that a metric orders as the truth does; a tie of the metric is half.

    Args:
        judged: value of the metric for each classifier.
        better: for each pair 1 if a is truly better, -1 if b is, 0 if neither: it does not count.
        pairs: positions of the two classifiers in `judged`.

    >>> _picks([0.3, 0.1, 0.1], [1.0, -1.0, -1.0], [(0, 1), (0, 2), (1, 2)])
    1.5
    """
    total = 0.0
    for (a, b), truth in zip(pairs, better, strict=True):
        picked = np.sign(judged[a] - judged[b])
        if truth != 0:
            total += 0.5 if picked == 0 or np.isnan(picked) else float(picked == truth)
    return total


def meta_metric(
    learners: Learners,
    sizes: Sequence[int],
    n_models: int,
    seed: int,
    *,
    n_true: int = 5000,
    repeats: int = 5,
    tick: Callable[[], None] = lambda: None,
) -> MetaMetric:
    """Measure how often each metric picks the better of two models.

    For each random model (of all three types in turn) every learner is fitted to one sample of
    `N_TRAIN` rows. Each pair of fitted classifiers whose true losses differ is then scored by every
    metric on `repeats` test sets of every size.

    Args:
        learners: makers of estimators by name.
        sizes: rows of the test sets.
        n_models: random models.
        seed: seed of models and samples.
        n_true: rows over which the true losses are taken.
        repeats: test sets of a size.
        tick: called after each model.
    """
    shape = (n_models, len(sizes))
    right = {(truth, name): np.zeros(shape) for truth in TRUTHS for name in METRICS}
    trials = {truth: np.zeros(shape) for truth in TRUTHS}
    kinds = list(KINDS)
    for number in range(n_models):
        # A random model, one classifier per learner, and their true losses.
        rng = np.random.default_rng([seed, number])
        _, network = make_bayesian_network(kinds[number % len(kinds)], 1, random_state=rng)  # type: ignore[arg-type]
        k = len(network.classes)
        train, large = network.sample(N_TRAIN, rng), network.sample(n_true, rng)
        prior = class_prior(np.bincount(train.y_codes, minlength=k))
        costs = rng.uniform(0.0, 1.0, (k, k)) * (1.0 - np.eye(k))
        models = [make().fit(train) for make in learners.values()]
        posterior = network.predict_proba(large)
        losses = [_truths(posterior, aligned(model, large, k), costs) for model in models]
        # Every metric on small test sets.
        pairs = [(a, b) for a in range(len(models)) for b in range(a)]
        for s, _ in itertools.product(range(len(sizes)), range(repeats)):
            test = network.sample(sizes[s], rng)
            y = np.asarray(test.y_codes)
            if len(np.unique(y)) < 2:
                continue  # no metric of ranking is defined on one class
            answers = [aligned(model, test, k) for model in models]
            judged = {
                name: [_judged(name, y, given, prior, network.classes) for given in answers]
                for name in METRICS
            }
            for truth in TRUTHS:
                better = [np.sign(losses[b][truth] - losses[a][truth]) for a, b in pairs]
                trials[truth][number, s] += np.count_nonzero(better)
                for name in METRICS:
                    right[truth, name][number, s] += _picks(judged[name], better, pairs)
        tick()
    out = MetaMetric(list(sizes), {}, {truth: of.sum(axis=0) for truth, of in trials.items()})
    for (truth, name), found in right.items():
        total = np.maximum(out.trials[truth], 1)
        out.right[truth, name] = found.sum(axis=0) / total
        # models are the independent units: the spread of a ratio over them
        residual = found - out.right[truth, name] * trials[truth]
        out.spread[truth, name] = 1.96 * np.sqrt((residual**2).sum(axis=0)) / total
    return out
