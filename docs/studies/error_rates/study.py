r"""How often does a test of two learners find a difference that is not there, and how often one
that is?

What
    Rows have two classes and two numbers, :math:`x_j = g_j (y - 1/2) + \varepsilon_j`, normal
    noise. Learner j knows the number j alone: it cuts halfway between the class means of its
    training rows. With equal g the two learners are interchangeable, so whatever a test finds is an
    error; its rate should be the level. With unequal g they differ, and the rate is the power.
    Every test judges the same data sets: paired t on thirty random splits, on ten folds and on ten
    times ten folds, as is often seen; the corrected resampled t test; Wilcoxon's test on ten folds;
    the 5 x 2 t and F tests.
Source
    The question is Dietterich's (Neural Computation 10, 1998); the correction Nadeau & Bengio's
    (Machine Learning 52, 2003).
Complexity
    O(runs x folds x rows), and seven tests a run.
When not to use it
    To calibrate a test for other learners: rates depend on how unstable a learner is. The order of
    the tests hardly does.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from docs.studies.selection_bias.study import wilson

from fasttree._checks.progress import make_report
from fasttree.exports.palette import PALETTE
from fasttree.exports.tables.table import Cell, ReportTable
from fasttree.model_selection import (
    FiveByTwo,
    StratifiedRepeatedKFold,
    corrected_resampled_t_test,
    five_by_two_cv_f_test,
    five_by_two_cv_t_test,
    paired_t_test,
    wilcoxon,
)

__all__ = ["PROTOCOLS", "TESTS", "ErrorRates", "run"]

SPLITS, TEST_SHARE = 30, 1 / 3

PROTOCOLS = ("30 random splits", "10 folds", "10 x 10 folds", "5 x 2 folds")
"""Ways to get values for a test."""

TESTS: dict[str, tuple[str, Callable[..., Any], dict[str, float]]] = {
    "paired t, 30 random splits": (PROTOCOLS[0], paired_t_test, {}),
    "paired t, 10 folds": (PROTOCOLS[1], paired_t_test, {}),
    "paired t, 10 x 10 folds": (PROTOCOLS[2], paired_t_test, {}),
    "Wilcoxon, 10 folds": (PROTOCOLS[1], wilcoxon, {}),
    "corrected t, 30 random splits": (
        PROTOCOLS[0],
        corrected_resampled_t_test,
        {"test_over_train": 1 / 2},
    ),
    "corrected t, 10 x 10 folds": (
        PROTOCOLS[2],
        corrected_resampled_t_test,
        {"test_over_train": 1 / 9},
    ),
    "5 x 2 cv t": (PROTOCOLS[3], five_by_two_cv_t_test, {}),
    "5 x 2 cv F": (PROTOCOLS[3], five_by_two_cv_f_test, {}),
}
"""Name -> protocol, test, options."""


@dataclass(frozen=True)
class ErrorRates:
    """How often each test of `TESTS` rejected, out of `runs` data sets of `rows` rows, at `alpha`.

    `errors` where the learners are equal (`gap`, `gap`), `hits` where they differ (`gap`,
    `other_gap`).
    """

    errors: dict[str, int]
    hits: dict[str, int]
    runs: int
    rows: int
    gap: float
    other_gap: float
    alpha: float
    seed: int

    def rate(self, test: str) -> float:
        """Return the share of equal learners found to differ."""
        return self.errors[test] / self.runs

    def power(self, test: str) -> float:
        """Return the share of different learners found to differ."""
        return self.hits[test] / self.runs

    def table(self) -> ReportTable:
        """Return the table of both rates in percent, errors with Wilson intervals (95 %)."""
        rows = []
        for test in self.errors:
            low, high = wilson(self.errors[test], self.runs)
            rows.append(
                [
                    Cell(test),
                    Cell(
                        f"{100 * self.rate(test):.1f}",
                        low <= self.alpha <= high or high < self.alpha,
                    ),
                    Cell(f"{100 * low:.1f} to {100 * high:.1f}"),
                    Cell(f"{100 * self.power(test):.1f}"),
                ]
            )
        return ReportTable(
            (
                f"Differences found at the {self.alpha:g} level, percent of {self.runs} data sets "
                f"of {self.rows} rows"
            ),
            ["test", "equal learners", "95 % interval", "different learners"],
            rows,
            (),
            ["Emphasised: not above the level, as far as these runs can tell."],
        )

    def to_record(self) -> str:
        """Return JSON of settings and counts."""
        return json.dumps(asdict(self), indent=1) + "\n"

    @classmethod
    def from_record(cls, text: str) -> ErrorRates:
        """Return what `to_record` wrote."""
        return cls(**json.loads(text))

    def plot(self, axes: Any = None) -> Any:
        """Draw both rates, one line a test; returns the two axes."""
        from fasttree.plots import new_figure

        if axes is None:
            axes = new_figure(1, 2, width=9.5, height=3.4)[1]
        names = list(self.errors)[::-1]
        for ax, counts, title in (
            (axes[0], self.errors, "equal learners: false findings"),
            (axes[1], self.hits, "different learners: findings"),
        ):
            rate = np.array([counts[name] / self.runs for name in names])
            spans = np.array([wilson(counts[name], self.runs) for name in names]).T
            ax.errorbar(
                100 * rate,
                range(len(names)),
                xerr=100 * np.abs(spans - rate),
                fmt="o",
                color=PALETTE[0],
                capsize=3,
            )
            ax.set_yticks(range(len(names)), names if ax is axes[0] else [""] * len(names))
            ax.set_xlim(left=0)
            ax.set_xlabel("percent of the data sets")
            ax.set_title(title, fontsize=10)
            ax.grid(axis="x", color="#dddddd")
            ax.set_axisbelow(True)
            ax.spines[["top", "right"]].set_visible(False)
        axes[0].axvline(100 * self.alpha, color="#D55E00", linestyle="--", linewidth=1.2)
        return axes

    def save_png(self, path: str | Path) -> None:
        """Write the picture."""
        self.plot()[0].figure.savefig(path, dpi=90)


def _test_rows(y: np.ndarray, seed: int, random: np.random.Generator) -> dict[str, np.ndarray]:
    """Return which rows each fold of each protocol tests, bool (folds, rows)."""
    n = len(y)

    def mask(folds: Any) -> np.ndarray:
        rows = [test for _, test in folds]
        out = np.zeros((len(rows), n), dtype=bool)
        for place, test in enumerate(rows):
            out[place, test] = True
        return out

    order = random.random((SPLITS, n)).argsort(axis=1)
    splits = np.zeros((SPLITS, n), dtype=bool)
    np.put_along_axis(splits, order[:, : round(n * TEST_SHARE)], True, axis=1)
    hundred = mask(StratifiedRepeatedKFold(10, 10, random_state=seed).split(None, y))
    two = mask(FiveByTwo(seed).split(None, y))
    return dict(zip(PROTOCOLS, (splits, hundred[:10], hundred, two), strict=True))


def accuracies(x: np.ndarray, y: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Return the accuracy (folds,) of cutting the number x (rows,) halfway between the class means
    of training rows.

    >>> accuracies(
    ...     np.array([0.0, 1.0, 2.0, 3.0]), np.array([0, 0, 1, 1]), np.eye(4, dtype=bool)
    ... ).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    train = (~test).astype(np.float64)
    upper, lower = y.astype(np.float64), 1.0 - y
    with np.errstate(invalid="ignore", divide="ignore"):
        high, low = train @ (x * upper) / (train @ upper), train @ (x * lower) / (train @ lower)
    said = np.where(
        (high >= low)[:, None], x > ((high + low) / 2)[:, None], x < ((high + low) / 2)[:, None]
    )
    return np.asarray(((said == (y == 1)) & test).sum(axis=1) / test.sum(axis=1))


def run(
    runs: int = 2000,
    *,
    rows: int = 200,
    gap: float = 1.0,
    other_gap: float = 1.5,
    alpha: float = 0.05,
    random_state: int = 0,
    progress: Any = False,
) -> ErrorRates:
    """Count what the tests find.

    Args:
        runs: data sets of each kind.
        rows: rows of a data set, half of each class.
        gap, other_gap: how far the class means lie apart, in standard deviations, for the number of
        a learner; the second one has
            `other_gap` where the learners differ.
        alpha: level of the tests.
        random_state: seed.
        progress: True for a bar, or a function (done, total).

    Raises:
        ValueError: fewer than 1 run or 40 rows.

    Examples:
        >>> found = run(5, rows=60)
        >>> list(found.errors)[-1], found.runs
        ('5 x 2 cv F', 5)
    """
    if runs < 1 or rows < 40:
        raise ValueError(f"runs={runs} must be at least 1 and rows={rows} at least 40")
    report = make_report(progress, "data sets")
    y = np.arange(rows) % 2
    found = {name: [0, 0] for name in TESTS}
    for done in range(runs):
        random = np.random.default_rng([random_state, done])
        folds = _test_rows(y, int(random.integers(2**31)), random)
        noise = random.normal(size=(2, rows))
        for kind, gaps in enumerate(((gap, gap), (gap, other_gap))):
            x = [noise[j] + g * (y - 0.5) for j, g in enumerate(gaps)]
            values = {name: [accuracies(one, y, test) for one in x] for name, test in folds.items()}
            for name, (protocol, test, options) in TESTS.items():
                found[name][kind] += test(*values[protocol], alpha=alpha, **options).significant
        if report is not None:
            report(done + 1, runs)
    return ErrorRates(
        errors={name: counts[0] for name, counts in found.items()},
        hits={name: counts[1] for name, counts in found.items()},
        runs=runs,
        rows=rows,
        gap=gap,
        other_gap=other_gap,
        alpha=alpha,
        seed=random_state,
    )
