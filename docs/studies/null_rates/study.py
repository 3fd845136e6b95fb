r"""How often does a tree of significance split where no column tells anything of the target?

What
    Columns and target are drawn independently of each other, and a tree is grown with
    ``selection="significance"``. If the p-values are right, its root is split at the level `alpha`
    in a share `alpha` of the runs, and every column has the smallest p-value as often as any other.
    Settings differ in the columns (2 to 50 levels of at least 20 rows each, numbers, both), the
    target (2 or 5 classes, a number), missing values, weights and the test. Levels are equally
    frequent, missing values and weights independent of everything else.
Formula
    The rate of a setting must lie within z sqrt(alpha (1 - alpha) / runs) of alpha, where z is the
    normal quantile for an error of 1 % over all settings together (Bonferroni). A setting that is
    marked `at_most` must not lie above that bound: its statistic takes few values, or its p-values
    are bounds. The columns are compared by a chi-squared test of equal shares, with 1 % over all
    settings as well.
Complexity
    A stump per run: about a millisecond, and up to 100 where ``test="maximum"`` integrates over
    many components; few are asked here.
When not to use it
    For the power of a test: nothing can be found here.
"""

from __future__ import annotations

import json
import warnings
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np
from scipy.stats import chisquare

from fasttree import presets
from fasttree._checks.progress import counter
from fasttree.estimators import FastTreeClassifier, FastTreeRegressor
from fasttree.exports.tables.text import render_text
from fasttree.reports import Cell, ReportTable
from fasttree.table import Table

__all__ = ["SETTINGS", "NullRates", "Setting", "run"]

ERROR = 0.01
"""Chance that any check of a run of all settings fails although all p-values are right."""


@dataclass(frozen=True)
class Setting:
    """What is drawn, and how the tree is grown.

    `columns` are the numbers of levels, 0 for a normal number; `target` the number of classes, 0
    for a normal number; `missing` the share of cells without a value; `parameters` are those of the
    tree, beside ``presets.CTREE`` unless they name a `selection`. `at_most`: the rate may lie below
    alpha. `is_even`: the columns are compared.
    """

    name: str
    rows: int
    columns: tuple[int, ...]
    target: int = 2
    missing: float = 0.0
    is_weighted: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)
    at_most: bool = False
    is_even: bool = True

    def draw(self, random: np.random.Generator) -> tuple[Table, np.ndarray | None]:
        """Rows and their weights."""
        cells = np.column_stack(
            [
                random.permutation(np.arange(self.rows) % levels)
                if levels
                else random.normal(size=self.rows)
                for levels in self.columns
            ]
        ).astype(float)
        cells[random.random(cells.shape) < self.missing] = np.nan
        names = [f"x{j}" for j in range(len(self.columns))]
        table = Table(
            cells,
            random.integers(0, self.target, self.rows)
            if self.target
            else random.normal(size=self.rows),
            feature_names=names,
            categorical_features=[
                name for name, levels in zip(names, self.columns, strict=True) if levels
            ],
            task="classification" if self.target else "regression",
        )
        return table, random.random(self.rows) + 0.5 if self.is_weighted else None

    def root(self, random: np.random.Generator) -> tuple[float, int]:
        """The smallest adjusted p-value and its column; 1 and -1 where no p-value is below 1."""
        table, weights = self.draw(random)
        kind = FastTreeClassifier if self.target else FastTreeRegressor
        every = {"alpha": ALWAYS, "max_depth": 1, "trace": None}
        seed = int(random.integers(2**31))
        base = {} if "selection" in self.parameters else presets.CTREE
        model = kind(**{**base, **self.parameters, **every, "random_state": seed})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that levels have few rows
            tree = model.fit(table, sample_weight=weights).tree_
        return (float(tree.p_value[0]), int(tree.feature[0])) if tree.n_children[0] else (1.0, -1)


ALWAYS = 1 - 1e-9
"""An alpha with which the most significant column is split, so that the tree says which it is."""

NOMINAL, NUMBERS = (2, 5, 10, 20, 50), (0,) * 5
TARGETS = {"2 classes": 2, "5 classes": 5, "a number": 0}


def _settings() -> tuple[Setting, ...]:
    found = []
    for words, target in TARGETS.items():
        mixed = (*NOMINAL, 0, 0)
        found += [
            Setting(f"levels, {words}", 1000, NOMINAL, target),
            Setting(f"numbers, {words}", 1000, NUMBERS, target),
            Setting(f"levels and numbers, {words}", 1000, mixed, target),
            Setting(f"10 % missing, {words}", 1500, mixed, target, missing=0.1),
            Setting(f"fractional weights, {words}", 1500, mixed, target, is_weighted=True),
        ]
    alone = {
        f"{levels} levels alone" if levels else "one number alone": (levels,)
        for levels in (*NOMINAL, 0)
    }
    found += [Setting(f"{name}, 2 classes", 1000, columns) for name, columns in alone.items()]
    drawn, largest = {"test": "permutation"}, {"test": "maximum"}
    small = {**drawn, "min_samples_leaf": 1}
    found += [
        Setting("permutation, numbers, 2 classes", 30, (0,) * 3, 2, parameters=drawn),
        Setting("permutation, numbers, a number", 30, (0,) * 3, 0, parameters=drawn),
        Setting("permutation, levels, a number", 30, (2, 3, 5, 10), 0, parameters=small),
        Setting(
            "permutation, 10 % missing, a number", 40, (2, 5, 0), 0, 0.1, parameters=small
        ),
        Setting(
            "permutation, levels, 2 classes", 30, (2, 3, 5, 10), 2, parameters=small,
            at_most=True, is_even=False,
        ),
        Setting("maximum, numbers, 2 classes", 1000, NUMBERS, 2, parameters=largest),
        Setting("maximum, numbers, a number", 1000, NUMBERS, 0, parameters=largest),
        Setting("maximum, numbers, 3 classes", 1000, (0,) * 3, 3, parameters=largest),
        Setting("maximum, levels, 2 classes", 1000, (2, 3, 4), 2, parameters=largest),
    ]  # fmt: skip
    for levels in (5, 10, 25):
        name = f"quadratic, {levels} levels in 50 rows, 2 classes"
        found.append(Setting(name, 50, (levels,), 2, parameters={"min_samples_leaf": 1},
                             at_most=True))  # fmt: skip
    found += [
        Setting(f"CHAID, {name}, 2 classes", 1000, columns, parameters=presets.CHAID, at_most=True)
        for name, columns in alone.items()
    ]
    found.append(
        Setting("CHAID, levels and numbers, 2 classes", 1000, (2, 5, 10, 20, 0),
                parameters={**presets.CHAID, "adjust": "bonferroni"}, at_most=True,
                is_even=False)
    )  # fmt: skip
    return tuple(found)


SETTINGS = _settings()
"""What a full run asks. A run draws from the seed, the name of its setting and its number."""


@dataclass
class NullRates:
    """What `run` found: per setting the `rejected` runs, and how often each column came `first`."""

    settings: list[dict[str, Any]]
    runs: int
    alpha: float
    seed: int

    @property
    def margin(self) -> float:
        """How far a rate may lie from alpha."""
        z = NormalDist().inv_cdf(1 - ERROR / (2 * len(self.settings)))
        return float(z * np.sqrt(self.alpha * (1 - self.alpha) / self.runs))

    def rate(self, setting: Mapping[str, Any]) -> float:
        """Share of the runs whose root is split."""
        return float(setting["rejected"] / self.runs)

    def holds(self, setting: Mapping[str, Any]) -> bool:
        """Whether the rate is within its bounds."""
        off = self.rate(setting) - self.alpha
        return off <= self.margin and (setting["at_most"] or off >= -self.margin)

    def p_even(self, setting: Mapping[str, Any]) -> float:
        """The p-value of equal shares of the columns; NaN where they are not compared."""
        if not setting["is_even"] or len(setting["columns"]) == 1:
            return float("nan")
        return float(chisquare(setting["first"]).pvalue)

    def is_even(self, setting: Mapping[str, Any]) -> bool:
        """Whether no column is preferred, as far as these runs can tell."""
        return not self.p_even(setting) < ERROR / len(self.settings)

    def table(self) -> ReportTable:
        """A line per setting; what is out of its bounds has a mark."""
        body = []
        for one in self.settings:
            p = self.p_even(one)
            bound = 100 * (self.alpha + self.margin)
            low = "" if one["at_most"] else f"{100 * (self.alpha - self.margin):.2f} to "
            shares = ", ".join(f"{100 * count / self.runs:.1f}" for count in one["first"])
            body.append(
                [
                    Cell(one["name"]),
                    Cell(str(one["rows"])),
                    Cell(f"{100 * self.rate(one):.2f}" + " !" * (not self.holds(one))),
                    Cell(f"{low or 'at most '}{bound:.2f}"),
                    Cell("" if np.isnan(p) else shares),
                    Cell("" if np.isnan(p) else f"{p:.2g}" + " !" * (not self.is_even(one))),
                ]
            )
        return ReportTable(
            f"Roots split at alpha = {self.alpha:g} where nothing depends on anything, percent of "
            f"{self.runs} runs",
            [
                "setting",
                "rows",
                "split",
                "bound",
                "column with the smallest p-value, %",
                "equal: p",
            ],
            body,
            notes=[f"!: out of its bound, or p below {ERROR / len(self.settings):.1g}."],
        )

    def to_text(self) -> str:
        """The table as text."""
        return render_text([self.table()])

    def to_record(self) -> str:
        """JSON of everything; `from_record` reads it."""
        return json.dumps(asdict(self), default=str) + "\n"

    @classmethod
    def from_record(cls, text: str) -> NullRates:
        """The inverse of `to_record`."""
        return cls(**json.loads(text))


def run(
    runs: int = 10_000,
    settings: Sequence[Setting] = SETTINGS,
    *,
    alpha: float = 0.05,
    random_state: int = 2026,
    progress: Any = None,
) -> NullRates:
    """Grow stumps on noise and count.

    Args:
        runs: data sets per setting, at least 1.
        settings: what is drawn; of your own, too.
        alpha: the level.
        random_state: seed.
        progress: True for a bar, or a function (done, total), which counts settings.

    Examples:
        >>> found = run(300, [Setting("numbers", 60, (0, 0))])
        >>> found.holds(found.settings[0])
        True
    """
    if runs < 1:
        raise ValueError(f"runs={runs!r} must be at least 1")
    done, found = counter(progress, "settings", len(settings)), []
    for setting in settings:
        seed = [random_state, zlib.crc32(setting.name.encode())]
        roots = [setting.root(np.random.default_rng([*seed, number])) for number in range(runs)]
        first = np.array([column for _, column in roots])
        counts = np.bincount(first[first >= 0], minlength=len(setting.columns))
        rejected = sum(p < alpha for p, _ in roots)
        found.append({**asdict(setting), "rejected": rejected, "first": counts.tolist()})
        done()
    return NullRates(found, runs, alpha, random_state)
