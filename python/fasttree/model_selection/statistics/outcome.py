"""Results of the statistical tests: numbers, an interval, and a sentence that states the finding.

The tests of this folder return these; `check_alpha`, `method_names` and `score_array` check
arguments of several.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..._checks import as_list, number_array, number_in
from ..._checks.plain_text import one_line
from ..._engine.versions import versions
from ...exports.tables.forms import Rendered
from ...exports.tables.table import ReportTable, number, report_table

FEW_SETS = 10
"""Data sets below which the distributions of the rank tests are rough approximations, and the
signed-rank posterior has no verdict."""


def check_alpha(alpha: float) -> float:
    """Return `alpha`, a level of significance; ValueError unless it lies strictly between 0 and
    1."""
    return number_in(0.0, 1.0, above=True, below=True)("alpha", alpha)


def method_names(names: Sequence[str] | None, count: int, what: str = "method") -> tuple[str, ...]:
    """The names of methods, "method 1" and so on by default, or of `what` else they are of;
    ValueError for another number of names."""
    if names is None:
        return tuple(f"{what} {j + 1}" for j in range(count))
    labels = tuple(as_list("names", list(names) if isinstance(names, str) else names))
    if len(labels) != count:
        raise ValueError(f"{len(labels)} names for {count} {what}s")
    return labels


def score_array(scores: Any, *axes: str) -> np.ndarray:
    """Scores as a float64 array with these axes.

    Raises:
        ValueError: another number of axes, an axis shorter than 2, or a value that is not finite.
    """
    values = number_array("scores", scores)
    if values.ndim != len(axes) or min(values.shape) < 2:
        raise ValueError(
            f"scores has shape {values.shape}; it needs ({', '.join(axes)}), at least 2 of each"
        )
    for place in np.argwhere(~np.isfinite(values)).tolist():
        raise ValueError(f"scores{place} is {values[tuple(place)]}; every score must be finite")
    return values


def format_p(p_value: float) -> str:
    """Return a p-value as text with four digits: "p = 0.0312" or "p < 0.0001"; "p undefined" for
    NaN."""
    if math.isnan(p_value):
        return "p undefined"
    return "p < 0.0001" if p_value < 1e-4 else f"p = {p_value:.4f}"


def direction_words(
    difference: float, names: tuple[str, str], greater_is_better: bool | None = None
) -> str:
    """Return "A is on average 0.1 above B", or that the means are equal; where smaller is better,
    it says so."""
    first, second = names
    if difference == 0:
        return f"{first} and {second} have equal means"
    return (
        f"{first} is on average {abs(difference):.4g} "
        f"{'above' if difference > 0 else 'below'} {second}"
        f"{' (smaller is better)' if greater_is_better is False else ''}"
    )


def plain_values(result: Any) -> dict[str, Any]:
    """Return the fields of a result by name, in order, as they are: arrays stay arrays."""
    return {name: getattr(result, name) for name in result.__dataclass_fields__}


class Shown:
    """A result that prints as its sentence; a notebook shows its numbers below it. Subclasses
    define `sentence`."""

    _derived: ClassVar[tuple[str, ...]] = ("significant", "sentence")
    """Properties that stand beside the fields in `to_dict`."""

    @property
    def sentence(self) -> str:
        """The finding in words, for reports; each subclass defines it. It names the methods and the
        numbers."""
        raise NotImplementedError

    def __str__(self) -> str:
        return one_line(self.sentence)

    def to_dict(self) -> dict[str, Any]:
        """Return every field, then significance and sentence, by name, for JSON."""
        return {**plain_values(self), **{name: getattr(self, name) for name in self._derived}}

    def _repr_html_(self) -> str:
        from ...exports.tables.html import html_table

        plain = (float, int, str, bool, tuple, type(None))
        rows = [
            (name, f"{value:.6g}" if isinstance(value, float) else value)
            for name, value in plain_values(self).items()
            if isinstance(value, plain)
        ]
        for name in ("mean_ranks", "means"):
            found, names = getattr(self, name, None), getattr(self, "names", ())
            if found is not None and np.shape(found) == (len(names),):
                rows += [
                    (f"{name} of {one}", f"{v:.4g}") for one, v in zip(names, found, strict=True)
                ]
        return html_table(("", ""), rows, title=self.sentence)


class Posterior(Shown):
    """The posterior of a difference of two methods, the common base class of the Bayesian tests."""

    _derived = ("verdict", "sentence")
    probabilities: tuple[float, float, float]
    mean_difference: float
    rope: float
    alpha: float
    names: tuple[str, str]
    greater_is_better: bool | None

    @property
    def left(self) -> float:
        """Posterior probability, in [0, 1], that the first method is lower than the second by more
        than the rope."""
        return self.probabilities[0]

    @property
    def right(self) -> float:
        """Posterior probability, in [0, 1], that the first method is higher than the second by more
        than the rope."""
        return self.probabilities[2]

    @property
    def verdict(self) -> str:
        """The region whose probability exceeds 1 - alpha: "left", "rope" (equal in practice) or
        "right"; "undecided" if there is none."""
        most = int(np.argmax(self.probabilities))
        return (
            ("left", "rope", "right")[most]
            if self.probabilities[most] > 1 - self.alpha
            else "undecided"
        )

    @property
    def _undecided(self) -> str:
        """The clause in place of a verdict."""
        return f"the data do not decide at the {1 - self.alpha:g} level"

    @property
    def _details(self) -> str:
        """The test and its numbers."""
        raise NotImplementedError

    @property
    def sentence(self) -> str:
        """The finding in words: the mean difference, the three probabilities in percent, and the
        verdict at the level 1 - alpha."""
        first, second = self.names
        left, rope, right = (f"{100 * p:.1f} %" for p in self.probabilities)
        found = {
            "left": f"{first} is lower than {second} at the {1 - self.alpha:g} level",
            "rope": f"{first} and {second} are equal in practice at the {1 - self.alpha:g} level",
            "right": f"{first} is higher than {second} at the {1 - self.alpha:g} level",
            "undecided": self._undecided,
        }[self.verdict]
        region = f"within {self.rope:g} of each other {rope}" if self.rope > 0 else f"equal {rope}"
        return (
            f"{direction_words(self.mean_difference, self.names, self.greater_is_better)}; "
            f"{found}: probability of {first} lower {left}, "
            f"{region}, {first} higher {right} ({self._details})."
        )


@dataclass(frozen=True)
class PairedTestResult(Shown):
    """Outcome of a test of two methods on the same folds (or data sets).

    Attributes:
        test: name of the test.
        statistic: t, F or W.
        p_value: two-sided.
        df: degrees of freedom, None for rank tests.
        mean_difference: first minus second.
        interval: differences that the test would not reject at `alpha`, of the mean, or of the
            pseudomedian for rank tests; NaN where it rejects all.
        alpha: level.
        n: number of pairs.
        names: of the two methods.
        greater_is_better: whether larger values are better; None: not said.
    """

    test: str
    statistic: float
    p_value: float
    df: float | tuple[float, float] | None
    mean_difference: float
    interval: tuple[float, float]
    alpha: float
    n: int
    names: tuple[str, str] = ("A", "B")
    greater_is_better: bool | None = None

    @property
    def significant(self) -> bool:
        """Whether p_value < alpha; False for NaN, where the test has no p-value."""
        return bool(self.p_value < self.alpha)

    @property
    def sentence(self) -> str:
        """The finding in words: which method is higher by how much, the statistic with its degrees
        of freedom, p and the interval where there is one."""
        what = direction_words(self.mean_difference, self.names, self.greater_is_better)
        verdict = "significant" if self.significant else "not significant"
        if self.df is None:
            numbers = f"statistic = {self.statistic:.4g}"
        elif isinstance(self.df, tuple):
            numbers = f"F({self.df[0]:g}, {self.df[1]:g}) = {self.statistic:.4g}"
        else:
            numbers = f"t({self.df:g}) = {self.statistic:.4g}"
        span = ""
        if not any(map(math.isnan, self.interval)):
            span = (
                f", {100 * (1 - self.alpha):g} % interval [{self.interval[0]:.4g}, "
                f"{self.interval[1]:.4g}]"
            )
        return (
            f"{what}; the difference is {verdict} at the {self.alpha:g} level "
            f"({self.test}, {numbers}, {format_p(self.p_value)}, n = {self.n}{span})."
        )


class Ranked(Shown, Rendered):
    """A result of ranks over data sets, with the text forms of other results. Rank 1 is the best;
    equal scores share the mean of their ranks."""

    names: tuple[str, ...]
    _columns: ClassVar[tuple[str, ...]] = ("mean_ranks",)
    """Fields that have a number for each method."""

    def records(self) -> list[dict[str, Any]]:
        """Return one dictionary per method, in their order: its name and numbers, such as its mean
        rank."""
        columns = {name.removesuffix("s"): getattr(self, name) for name in self._columns}
        return [
            {"method": method, **{name: float(of[j]) for name, of in columns.items()}}
            for j, method in enumerate(self.names)
        ]

    def document(self) -> dict[str, Any]:
        """Return the whole result as plain data, for JSON: `to_dict` and the versions of the
        packages."""
        return {**self.to_dict(), "versions": versions()}


@dataclass(frozen=True)
class FriedmanResult(Ranked):
    """Outcome of Friedman's test with Nemenyi's critical difference.

    Attributes:
        names: of the methods.
        mean_ranks: shape (methods,), 1 = best.
        statistic, p_value, df: of the chi-squared form.
        f_statistic, f_p_value, f_df: of Iman & Davenport's form, which decides (`significant`), as
            Demsar (2006) recommends. Where all data sets rank the methods alike F is infinite, and
            `f_p_value` is `p_value`.
        critical_difference: of mean ranks, at `alpha`.
        pairwise_p: Nemenyi's p-values, shape (methods, methods).
        alpha: level.
        n: number of data sets.
    """

    names: tuple[str, ...]
    mean_ranks: np.ndarray
    statistic: float
    p_value: float
    df: int
    f_statistic: float
    f_p_value: float
    f_df: tuple[int, int]
    critical_difference: float
    pairwise_p: np.ndarray
    alpha: float
    n: int

    def tables(self) -> list[ReportTable]:
        """Return mean ranks, best first, with Nemenyi's p-value against the best where the ranks
        differ (`significant`); the sentence below."""
        order, rows = np.argsort(self.mean_ranks, kind="stable").tolist(), []
        header = ["method", "mean rank", *["p against the best"] * self.significant]
        for j in order:
            p = "" if j == order[0] else number(float(self.pairwise_p[order[0], j]), 4)
            row = [self.names[j], number(float(self.mean_ranks[j]), 3), p]
            rows.append(row[: len(header)])
        return [report_table("Mean ranks", header, rows, self.sentence)]

    @property
    def significant(self) -> bool:
        """Whether the methods' ranks differ: f_p_value < alpha. Only then are pairs of methods
        compared."""
        return bool(self.f_p_value < self.alpha)

    @property
    def beats(self) -> np.ndarray:
        """Whether each method ranks significantly better than each other by Nemenyi's test, bool
        (methods, methods); nowhere where the ranks do not differ (`significant`)."""
        lower = self.mean_ranks[:, None] < self.mean_ranks[None, :]
        return np.asarray(lower & (self.pairwise_p < self.alpha) & self.significant)

    @property
    def intervals(self) -> np.ndarray:
        """Nemenyi's simultaneous intervals of the differences of mean ranks, (methods, methods, 2).

        `[i, j]` is mean rank i minus mean rank j, less and plus the critical difference.
        """
        gaps = self.mean_ranks[:, None] - self.mean_ranks[None, :]
        return np.stack([gaps - self.critical_difference, gaps + self.critical_difference], axis=-1)

    @property
    def groups(self) -> list[tuple[str, ...]]:
        """Maximal sets of methods whose mean ranks lie within the critical difference, best
        first; one set of all methods where their ranks do not differ (`significant`)."""
        order = np.argsort(self.mean_ranks, kind="stable")
        limit = self.critical_difference if self.significant else math.inf
        ranks = self.mean_ranks[order]
        groups: list[tuple[str, ...]] = []
        last = -1
        for start in range(len(order)):
            stop = int(np.searchsorted(ranks, ranks[start] + limit, side="right"))
            if stop > last and stop - start > 1:
                groups.append(tuple(self.names[i] for i in order[start:stop]))
            last = max(last, stop)
        return groups

    @property
    def test(self) -> str:
        """Name of the test that decides: "Iman-Davenport" (F), or "Friedman" (chi2) where F is
        infinite, as all data sets rank the methods alike."""
        return "Friedman" if math.isinf(self.f_statistic) else "Iman-Davenport"

    @property
    def caption(self) -> str:
        """The caption of a diagram of ranks: the critical difference, and where ranks do not differ
        significantly, the test and its p."""
        verdict = f"; {self.test}: no difference shown ({format_p(self.f_p_value)})"
        return f"CD = {self.critical_difference:.2f}{'' if self.significant else verdict}"

    @property
    def sentence(self) -> str:
        """The finding in words: the test, the mean ranks from the best on, and the pairs that
        differ by more than the critical difference."""
        order = np.argsort(self.mean_ranks, kind="stable")
        beyond = [f"{self.names[i]} and {self.names[j]}" for i, j in np.argwhere(self.beats)]
        pairs = f"{'; '.join(beyond) or 'no two methods'} differ by more than Nemenyi's critical"
        pairs += f" difference, {self.critical_difference:.4g}"
        pairs = pairs if self.significant else "pairs of methods are not compared"
        ranks = ", ".join(f"{self.names[i]} {self.mean_ranks[i]:.3f}" for i in order)
        verdict = "differ" if self.significant else "do not differ"
        said = f"F{self.f_df} = {self.f_statistic:.4g}, {format_p(self.f_p_value)}"
        if math.isinf(self.f_statistic):
            said = "F is infinite, as all data sets rank the methods alike: chi2 decides"
        return (
            f"Over {self.n} data sets the mean ranks of {len(self.names)} methods {verdict} "
            f"significantly at the {self.alpha:g} level (Iman-Davenport {said}; "
            f"Friedman chi2({self.df}) = {self.statistic:.4g}, {format_p(self.p_value)}); "
            f"mean ranks: {ranks}; {pairs}."
            + f" Over fewer than {FEW_SETS} data sets both p-values are rough."
            * (self.n < FEW_SETS)
        )


@dataclass(frozen=True)
class AnovaEffect:
    """Outcome of the test of one effect in a repeated-measures analysis of variance.

    Attributes:
        name: of the effect.
        statistic: the F ratio, infinite for an effect without error.
        df: degrees of freedom of effect and error, under sphericity.
        p_value: under sphericity.
        epsilon: Greenhouse & Geisser's, in [1 / df[0], 1].
        corrected_p_value: with both degrees of freedom multiplied by `epsilon`.
    """

    name: str
    statistic: float
    df: tuple[float, float]
    p_value: float
    epsilon: float
    corrected_p_value: float


def f_words(effect: AnovaEffect | AnovaResult) -> str:
    """Return an F test as text: "F(2, 12) = 8.706, p = 0.0046; Greenhouse-Geisser p = 0.0071". The
    second p allows for unequal variances of differences."""
    return (
        f"F({effect.df[0]:g}, {effect.df[1]:g}) = {effect.statistic:.4g}, "
        f"{format_p(effect.p_value)}; Greenhouse-Geisser {format_p(effect.corrected_p_value)}"
    )


@dataclass(frozen=True)
class AnovaResult(Shown):
    """Outcome of a repeated-measures analysis of variance with Bonferroni pairwise comparisons.

    Attributes:
        names: of the methods.
        means: shape (methods,).
        statistic: the F ratio.
        p_value: under sphericity.
        df: (k - 1, (n - 1)(k - 1)) for k methods and n subjects.
        epsilon: Greenhouse & Geisser's.
        corrected_p_value: with both degrees of freedom multiplied by `epsilon`.
        alpha: level.
        n: number of subjects.
        pairs: Bonferroni-adjusted paired t tests with simultaneous intervals.
    """

    names: tuple[str, ...]
    means: np.ndarray
    statistic: float
    p_value: float
    df: tuple[float, float]
    epsilon: float
    corrected_p_value: float
    alpha: float
    n: int
    pairs: list[PairedTestResult] = field(default_factory=list)

    @property
    def significant(self) -> bool:
        """Whether the methods' means differ: p_value < alpha, without the Greenhouse-Geisser
        correction."""
        return bool(self.p_value < self.alpha)

    @property
    def sentence(self) -> str:
        """The finding in words: how many methods and subjects there are, whether their means
        differ, F and both p-values."""
        verdict = "differ" if self.significant else "do not differ"
        return (
            f"The means of {len(self.names)} methods over {self.n} subjects {verdict} "
            f"significantly (repeated-measures {f_words(self)})."
        )

    @property
    def intervals(self) -> dict[tuple[str, str], tuple[float, float]]:
        """Simultaneous confidence intervals (Bonferroni) of the differences of means, by pair of
        names, first less second."""
        return {pair.names: pair.interval for pair in self.pairs}

    def to_dict(self) -> dict[str, Any]:
        """Return every number and the sentences as plain values, with a dictionary for each pair of
        methods."""
        return {**super().to_dict(), "pairs": [pair.to_dict() for pair in self.pairs]}
