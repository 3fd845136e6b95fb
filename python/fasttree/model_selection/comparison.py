"""`Comparison`: the result of `compare`, with significance marks, wins, ties and losses.

Every pair of methods is tested on its fold values of each data set, by default with the corrected
resampled t test. A mark v / * means that a method is significantly better / worse than the
baseline, as in Weka's Experimenter. The tests are not corrected for the number of data sets;
`Comparison.friedman` gives one verdict over all of them. O(sets x methods^2 x folds).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from .._checks import shown
from .._checks.naming import display_name
from .._checks.words import counted
from ..exports.tables.forms import Rendered
from ..exports.tables.records import records_to_frame
from ..exports.tables.table import ReportTable
from .comparison_tables import tables_of_comparison
from .pairwise_tests import TESTS, pairwise_p_values
from .result import ByName, CrossValidation, automatic_notes
from .statistics.bayesian import (
    BayesianTestResult,
    SignedRankPosterior,
    bayesian_correlated_t_test,
    bayesian_signed_rank_test,
    posterior_probabilities,
)
from .statistics.control import ControlTestResult, against_control
from .statistics.outcome import FriedmanResult, PairedTestResult, check_alpha
from .statistics.ranks import friedman_nemenyi
from .statistics.ties import TIED, exact_mean


def _significant(
    means: np.ndarray, p_values: np.ndarray, alpha: float, greater_is_better: bool
) -> np.ndarray:
    """1 where a method is significantly better than another, -1 where it is worse, else 0.

    Shape (sets, methods, methods). Means have to differ by more than rounding.
    """
    with np.errstate(invalid="ignore"):
        gap = means[:, :, None] - means[:, None, :]
        larger = np.maximum(np.abs(means[:, :, None]), np.abs(means[:, None, :]))
        gap[np.abs(gap) <= TIED * larger] = 0.0
    sign = np.sign(np.nan_to_num(gap)).astype(np.int64) * (1 if greater_is_better else -1)
    return np.where(p_values < alpha, sign, 0)


@dataclass(eq=False, repr=False)
class Comparison(Rendered, ByName[CrossValidation]):
    """Result of `compare`.

    Attributes:
        results: data set -> `CrossValidation`.
        datasets, methods: names.
        metric, greater_is_better: the metric that is compared, and its direction.
        means, sds: shape (sets, methods).
        p_values: shape (sets, methods, methods).
        better: shape (sets, methods, methods): 1 where the first is significantly better than the
            second, -1 where it is worse, else 0 (also where two means are equal within 1e-12).
        baseline: the method that marks refer to.
        unfinished: the data sets that an interrupt has left out.
    """

    kind, _noun = "comparison", "data set"
    results: dict[str, CrossValidation]
    _: KW_ONLY
    metric: str
    alpha: float
    baseline: Any
    test: Any
    sd: str
    unfinished: Sequence[str] = ()

    def __post_init__(self) -> None:
        # Methods that some data set refused are left out everywhere.
        results, self._held = self.results.values(), self.results
        self.skipped = {
            method: f"{why} ({name})"
            for name, validation in self.results.items()
            for method, why in validation.skipped.items()
        }
        self.unfinished, self.datasets = tuple(self.unfinished), tuple(self.results)
        first = next(iter(results))
        self.methods = tuple(m for m in first.methods if m not in self.skipped)
        if not self.methods:
            raise ValueError(
                "no method applies to all data sets: "
                + "; ".join(f"{m}: {why}" for m, why in self.skipped.items())
            )
        if self.metric not in first.metrics and self.metric not in next(iter(first.values())):
            raise ValueError(
                f"metric={shown(self.metric)} was not computed; there are "
                f"{', '.join(first.metrics)}"
            )
        self.greater_is_better = first.larger_is_better(self.metric)
        self.alpha = check_alpha(self.alpha)
        self._baseline = self._index(0 if self.baseline is None else self.baseline)
        self.baseline = self.methods[self._baseline]
        # Means and deviations, then a test of each pair of methods on each data set.
        metric, methods = self.metric, self.methods
        self.means = np.array([[result.mean(m, metric) for m in methods] for result in results])
        self.sds = np.array(
            [[result.sd(m, metric, of=self.sd) for m in methods] for result in results]
        )
        self.p_values = np.array(
            [
                pairwise_p_values(self._matrix(result), self.test, result.folds.n_test_over_n_train)
                for result in results
            ]
        )
        self.better = _significant(self.means, self.p_values, self.alpha, self.greater_is_better)

    def _matrix(self, validation: CrossValidation) -> np.ndarray:
        """Fold values of the methods that are compared, (methods, folds)."""
        return np.array([validation[method][self.metric] for method in self.methods])

    def _index(self, method: str | int) -> int:
        """Position of a method given by name or position."""
        if isinstance(method, str):
            if method not in self.methods:
                raise ValueError(
                    f"baseline={method!r} is not a method; there are {', '.join(self.methods)}"
                )
            return self.methods.index(method)
        if not -len(self.methods) <= method < len(self.methods):
            raise ValueError(
                f"baseline={method} is out of range, there are "
                f"{counted(len(self.methods), 'method')}"
            )
        return method % len(self.methods)

    def __repr__(self) -> str:
        return (
            f"Comparison: {counted(len(self.datasets), 'data set')} x "
            f"{counted(len(self.methods), 'method')}, "
            f"{self.metric}"
        )

    def with_metric(
        self, metric: str, *, baseline: str | int | None = None, alpha: float | None = None
    ) -> Comparison:
        """Return the comparison of another computed metric ("leaves", say), baseline or level, from
        the same folds: nothing is run again. Arguments that are None keep their values."""
        baseline = self.baseline if baseline is None else baseline
        alpha = self.alpha if alpha is None else alpha
        return replace(self, metric=metric, baseline=baseline, alpha=alpha)

    @property
    def marks(self) -> np.ndarray:
        """Marks against the baseline, shape (sets, methods): "v" where a method is significantly
        better than the baseline, "*" where it is worse, else "", as in Weka's tables."""
        return np.array(["", "v", "*"])[self.better[:, :, self._baseline]]

    @property
    def best(self) -> np.ndarray:
        """Whether a method has the best mean of its data set, bool (sets, methods); ties are all
        best."""
        limit = self.means.max(axis=1) if self.greater_is_better else self.means.min(axis=1)
        return np.isclose(self.means, limit[:, None], rtol=TIED, atol=0.0)

    @property
    def averages(self) -> np.ndarray:
        """Mean of the metric over data sets, shape (methods,), in the metric's own scale. It weighs
        a hard set like an easy one; the tests of ranks do not use it."""
        return np.array([exact_mean(column) for column in self.means.T])

    @property
    def wins_ties_losses(self) -> np.ndarray:
        """Numbers of data sets on which a method is significantly better than the baseline, not
        different, and worse; int (methods, 3)."""
        side = self.better[:, :, self._baseline]
        return np.stack(
            [(side == 1).sum(axis=0), (side == 0).sum(axis=0), (side == -1).sum(axis=0)], axis=1
        )

    @property
    def win_matrix(self) -> np.ndarray:
        """Matrix of counts, shape (methods, methods): `win_matrix[i, j]` = data sets on which
        method i is significantly better than method j."""
        return (self.better == 1).sum(axis=0)

    def significantly_worse(self) -> list[dict[str, Any]]:
        """Return, for every data set and method that is beaten, which methods beat it
        significantly: one dict with `dataset`, `method` and `worse_than` each; an empty list if no
        pair differs."""
        return [
            {"dataset": dataset, "method": method, "worse_than": beaten_by}
            for dataset, better in zip(self.datasets, self.better, strict=True)
            for j, method in enumerate(self.methods)
            if (beaten_by := [self.methods[i] for i in np.flatnonzero(better[:, j] == 1)])
        ]

    def pair_test(self, dataset: str, first: str, second: str) -> PairedTestResult:
        """Return the full test of two methods on one data set, with interval and sentence. The fold
        values are paired by fold; the difference is first less second. KeyError for an unknown
        name."""
        validation = self[dataset]
        test, options = self.test, {}
        if isinstance(test, str):
            options = {"alpha": self.alpha, "names": (first, second)}
            if test == "corrected_resampled_t":
                options["test_over_train"] = validation.folds.n_test_over_n_train
            test = TESTS[test]
        result = test(validation[first][self.metric], validation[second][self.metric], **options)
        return replace(result, greater_is_better=self.greater_is_better)

    def bayesian_test(
        self, dataset: str, first: str, second: str, *, rope: float = 0.01
    ) -> BayesianTestResult:
        """Return the Bayesian correlated t test of two methods on one data set; `rope` in the
        metric's units."""
        validation = self[dataset]
        result = bayesian_correlated_t_test(
            validation[first][self.metric],
            validation[second][self.metric],
            rope=rope,
            test_over_train=validation.folds.n_test_over_n_train,
            alpha=self.alpha,
            names=(first, second),
        )
        return replace(result, greater_is_better=self.greater_is_better)

    def posterior(self, *, rope: float = 0.01) -> np.ndarray:
        """Return, by the Bayesian correlated t test, P(worse), P(equal in practice), P(better) than
        the baseline.

        Shape (sets, methods, 3), NaN where a fold value is not finite. Better means smaller for a
        metric such as the error rate. A difference up to `rope`, in the metric's units, counts as
        none.
        """
        probabilities = np.full((*self.means.shape, 3), np.nan)
        for place, validation in enumerate(self.results.values()):
            values = self._matrix(validation)
            finite = np.isfinite(values).all(axis=1)
            if not finite[self._baseline]:
                continue
            gains = values[finite] - values[self._baseline]
            if not self.greater_is_better:
                gains = -gains
            largest = np.maximum(
                np.abs(values[finite]).max(axis=1), np.abs(values[self._baseline]).max()
            )
            factor = validation.folds.n_test_over_n_train
            probabilities[place, finite] = posterior_probabilities(gains, factor, rope, largest)
        return probabilities

    def friedman(self, *, tie_correction: bool = True) -> FriedmanResult:
        """Return Friedman's test with Nemenyi's critical difference over the data sets' means. It
        needs at least two data sets and two methods, else ValueError. `tie_correction` as in
        `friedman_nemenyi`."""
        return friedman_nemenyi(
            self.means,
            names=self.methods,
            greater_is_better=self.greater_is_better,
            alpha=self.alpha,
            tie_correction=tie_correction,
        )

    def bayesian_signed_rank(
        self, first: str, second: str, *, rope: float = 0.01
    ) -> SignedRankPosterior:
        """Return the Bayesian signed-rank test of two methods over the data sets' means; `rope` in
        the metric's units."""
        means = [self.means[:, self._index(method)] for method in (first, second)]
        result = bayesian_signed_rank_test(
            *means, rope=rope, alpha=self.alpha, names=(first, second)
        )
        return replace(result, greater_is_better=self.greater_is_better)

    def against_baseline(self) -> ControlTestResult:
        """Return the tests of all methods against the baseline over the data sets, by their mean
        ranks, with Holm's and Bonferroni's (Dunn's) correction. With one baseline these have more
        power than Nemenyi's test of all pairs."""
        return against_control(self.friedman(), self.baseline)

    def records(self, *, folds: bool = False) -> list[dict[str, Any]]:
        """Return one dict per data set and method: mean, sd, mark, best, p_value against the
        baseline, fold count.

        With `folds` one dict per data set, method and fold, as of `CrossValidation.records`.
        """
        if folds:
            return [
                {"dataset": dataset, **record}
                for dataset, validation in self.results.items()
                for record in validation.records(folds=True)
                if record["method"] in self.methods
            ]
        marks, best = self.marks, self.best
        return [
            {
                "dataset": dataset,
                "method": method,
                "metric": self.metric,
                "mean": float(self.means[i, j]),
                "sd": float(self.sds[i, j]),
                "mark": str(marks[i, j]),
                "best": bool(best[i, j]),
                "p_value": float(self.p_values[i, j, self._baseline]),
                "folds": len(self.results[dataset].folds.pairs),
            }
            for i, dataset in enumerate(self.datasets)
            for j, method in enumerate(self.methods)
        ]

    def to_frame(self, *, folds: bool = False) -> Any:
        """Return `records` as a pandas frame, one row per data set and method, or with `folds` per
        fold; the list itself without pandas."""
        return records_to_frame(self.records(folds=folds))

    def tables(self) -> list[ReportTable]:
        """Return the tables of the result, which all text forms render; see
        `fasttree.exports.tables`."""
        return tables_of_comparison(self)

    @property
    def is_ranked(self) -> bool:
        """Whether methods have ranks: there are two or more on two or more data sets, all with
        finite means."""
        return min(self.means.shape) > 1 and bool(np.isfinite(self.means).all())

    def _over_sets(self) -> dict[str, Any]:
        """The leaves of trees, the tests of ranks of metric and leaves, and the values of the best
        constants, for JSON."""
        size = self.with_metric("leaves")
        constants = [one.settings["data"]["constant"] for one in self.results.values()]
        of_trees = bool(np.isfinite(size.means).all())
        out: dict[str, Any] = {"leaves": size.records()} if of_trees else {}
        ranked = [one for one in (self, size) if one.is_ranked]
        if ranked:
            out["friedman"] = {
                one.metric: {
                    **found.to_dict(),
                    "mean_ranks": dict(zip(found.names, found.mean_ranks.tolist(), strict=True)),
                    "against_baseline": one.against_baseline().to_dict(),
                }
                for one in ranked
                for found in [one.friedman()]
            }
        field = "mae_of_mean" if "mae_of_mean" in constants[0] else "majority"
        values = (one[field] for one in constants)
        return {**out, field: dict(zip(self.datasets, values, strict=True))}

    def _tests_in_full(self) -> dict[str, list[dict[str, Any]]]:
        """The test of each method against the baseline by data set: statistic, degrees of freedom,
        interval and so on; none where a fold value is not finite."""
        return {
            dataset: [
                self.pair_test(dataset, method, self.baseline).to_dict()
                for method, p_value in zip(self.methods, p_values, strict=True)
                if method != self.baseline and np.isfinite(p_value)
            ]
            for dataset, p_values in zip(
                self.datasets, self.p_values[:, :, self._baseline], strict=True
            )
        }

    def document(self) -> dict[str, Any]:
        """Return the whole result as plain data, for JSON: rows, fold values, tests and settings.
        NaN and infinities are still numbers here."""
        return {
            "kind": self.kind,
            "metric": self.metric,
            "greater_is_better": self.greater_is_better,
            "baseline": self.baseline,
            "alpha": self.alpha,
            "test": display_name(self.test),
            "methods": list(self.methods),
            "rows": self.records(),
            "folds": {dataset: one.fold_values for dataset, one in self.results.items()},
            "stability": {dataset: one.stability for dataset, one in self.results.items()},
            "averages": dict(zip(self.methods, self.averages.tolist(), strict=True)),
            "wins_ties_losses": dict(
                zip(self.methods, self.wins_ties_losses.tolist(), strict=True)
            ),
            "tests": self._tests_in_full(),
            "win_matrix": self.win_matrix.tolist(),
            "significantly_worse": self.significantly_worse(),
            **self._over_sets(),
            "settings": {
                **next(iter(self.results.values())).environment(),
                "automatic": automatic_notes(self.results.values()),
                "data": {name: one.environment()["data"] for name, one in self.results.items()},
            },
        }
