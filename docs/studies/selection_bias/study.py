r"""How often does a criterion pick a feature that is pure noise, and which kind of noise does it
like?

What
    Seven features, all independent of the class: nominal ones of 2, 5, 10, 20 and 50 equally
    frequent values, one of two values that is nearly constant (one row in fifty differs), and a
    normal number (best threshold). An unbiased criterion picks each as often as any other. Vilalta
    & Oblinger (2001) and Chen, Wu & Cai (2013) say that information gain favours features of many
    values and that their own measures do not; neither shows it. Here every criterion on tables of
    the registry judges the same data, for several numbers of rows, classes and class shares; and so
    do the criteria on pairs of rows and on neighbours (Pi, contextual merit, Relief and its
    family), on the first `pair_repeats` of the data sets: their scores depend on the distances, and
    so on which features compete.

    Scores come from `fasttree.score_features` with its defaults (Pi and contextual merit bin the
    number, the Relief family takes the difference over the range); equal best scores are decided by
    lot. Trees whose rule compares features (the guards of `gain_ratio`, and selection by p-values
    as ctree and CHAID have it) are asked by growing a stump.
    Shares have Wilson intervals (95 %); `bias` is the total variation distance from equal shares, 0
    = fair, (features - 1) / features = always the same feature.
Source
    The question is White & Liu's (Machine Learning 15, 1994) and Kononenko's (IJCAI 1995).
Complexity
    O(repeats x features x rows) a criterion on tables and setting: the repeats are columns of one
    table. Criteria on pairs take O(pair_repeats x features x rows^2), one call a data set and
    contest.
When not to use it
    To say which criterion is better: a biased one may well predict better where many-valued
    features do matter.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from fasttree import criteria as criteria_of_trees
from fasttree import presets
from fasttree._checks.progress import make_report
from fasttree.criteria import GainRatio, Pi, list_criteria
from fasttree.estimators import FastTreeClassifier
from fasttree.exports.tables.records import render_csv, render_json
from fasttree.exports.tables.table import Cell, ReportTable
from fasttree.feature_selection.features import score_features
from fasttree.reports import render
from fasttree.table import Table

__all__ = [
    "FEATURES",
    "SETTINGS",
    "Noise",
    "SelectionBias",
    "Setting",
    "methods",
    "pair_criteria",
    "run",
    "wilson",
]


@dataclass(frozen=True, slots=True)
class Noise:
    """A feature that knows nothing of the class: `values` levels (0: a number), `rare` = share of
    the second level."""

    name: str
    values: int
    rare: float | None = None

    def draw(self, random: np.random.Generator, rows: int, columns: int) -> np.ndarray:
        """Independent copies, shape (rows, columns): float64, or uint8 codes."""
        if self.values == 0:
            return random.normal(size=(rows, columns))
        if self.rare is not None:
            return (random.random((rows, columns)) < self.rare).astype(np.uint8)
        return random.integers(0, self.values, (rows, columns)).astype(np.uint8)


FEATURES = (
    Noise("2 values", 2),
    Noise("5 values", 5),
    Noise("10 values", 10),
    Noise("20 values", 20),
    Noise("50 values", 50),
    Noise("nearly constant", 2, 0.02),
    Noise("numeric", 0),
)
"""The features that compete."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Rows and class shares; `shares` sum to 1."""

    rows: int
    name: str
    shares: tuple[float, ...]

    def labels(self) -> np.ndarray:
        """Class of each row, shares met as well as whole rows allow, shape (rows,)."""
        ends = np.round(np.cumsum(self.shares) * self.rows).astype(int)
        return np.searchsorted(ends, np.arange(self.rows), side="right")

    def __str__(self) -> str:
        return f"{self.rows} rows, {self.name}"


SETTINGS = tuple(
    Setting(rows, name, shares)
    for rows in (100, 300, 1000)
    for name, shares in (
        ("2 equal classes", (0.5, 0.5)),
        ("2 classes 9:1", (0.9, 0.1)),
        ("5 equal classes", (0.2,) * 5),
    )
)
"""The settings of a full run; a quick one takes those of 300 rows."""

ALL, NOMINAL = "all features", "nominal features"
"""The two contests: with the number, and without."""

GUARDS = ("average", "chen2013")
"""Guards of the gain ratio that are judged beside the plain one."""

TREES: dict[str, dict[str, Any]] = {
    **{
        f"gain_ratio, {guard} guard": {
            "criterion": GainRatio(guard=guard),
            "ties": "random",
            "nominal_splits": "multiway",
        }
        for guard in GUARDS
    },
    **{
        name: {**preset, "alpha": 1 - 1e-9, "min_samples_leaf": 1}
        for name, preset in (("ctree", presets.CTREE), ("CHAID", presets.CHAID))
    },
}
"""Trees that are judged beside the criteria, by parameters. Selection by p-values takes any: what
counts here is the smallest, not whether it is significant."""

PI_FORMS: dict[str, dict[str, Any]] = {
    "pi, theta 1100": {"theta": (1.0, 1.0, 0.0, 0.0)},
    "pi, theta 0011": {"theta": (0.0, 0.0, 1.0, 1.0)},
    "pi, unweighted": {"weighted": False},
}
"""Forms of Pi that are judged beside its default: purity alone, discrimination alone, and no weight
of the branches."""


def pair_criteria() -> dict[str, Any]:
    """Criteria on pairs of rows and on neighbours: name -> what `fasttree.score_features` takes.

    >>> list(pair_criteria())[:4]
    ['pi', 'contextual_merit', 'relief', 'relieff']
    """
    plain = {
        str(c["name"]): c["name"]
        for c in list_criteria()
        if c["evidence"] in {"pairs", "neighbours"} and c["target"] == "classes"
    }
    return {**plain, **{name: Pi(**options) for name, options in PI_FORMS.items()}}


def methods() -> dict[str, Any]:
    """All that is judged: name -> criterion, or parameters of a tree.

    >>> found = methods()
    >>> found["gini"], found["ctree"]["selection"]
    ('gini', 'significance')
    """
    tables = [str(c["name"]) for c in list_criteria() if c["evidence"] == "table"]
    return {**{name: name for name in tables}, **pair_criteria(), **TREES}


def evidence_of(method: Any) -> str:
    """How a method is asked: "tree" of parameters, "alone" if a score depends on one feature, or
    "together"."""
    if isinstance(method, Mapping):
        return "tree"
    evidence = criteria_of_trees.evidence_of(criteria_of_trees.make(method))
    return "together" if evidence in {"pairs", "neighbours"} else "alone"


@dataclass
class SelectionBias:
    """What `run` found.

    Attributes:
        records: dicts with criterion, rows, classes (the setting's name), contest, feature, picks,
        repeats, share, low,
            high (Wilson, 95 %).
        criteria: names, in the order in which they were asked.
        features: names of the features of each contest.
        settings: rows and class shares.
        repeats: data sets per setting that each criterion has judged; of fewer, the first.
        seed: what they were drawn from.
    """

    records: list[dict[str, Any]]
    criteria: tuple[str, ...]
    features: dict[str, tuple[str, ...]]
    settings: tuple[Setting, ...]
    repeats: dict[str, int]
    seed: int

    def shares(self, setting: Setting, contest: str = ALL) -> np.ndarray:
        """Share of the repeats in which a criterion picked a feature, shape (criteria, features of
        the contest)."""
        return self._matrix(setting, contest, "share")

    def bias(self, setting: Setting, contest: str = ALL) -> np.ndarray:
        """Total variation distance from equal shares, shape (criteria,)."""
        shares = self.shares(setting, contest)
        return np.asarray(0.5 * np.abs(shares - 1 / shares.shape[1]).sum(axis=1))

    def mean_bias(self, contest: str = ALL) -> dict[str, float]:
        """Bias of each criterion, averaged over the settings, the least biased first."""
        mean = np.mean([self.bias(s, contest) for s in self.settings], axis=0)
        return {self.criteria[i]: float(mean[i]) for i in np.argsort(mean, kind="stable")}

    def _matrix(self, setting: Setting, contest: str, key: str) -> np.ndarray:
        found = {
            (r["criterion"], r["feature"]): r[key]
            for r in self.records
            if (r["rows"], r["classes"], r["contest"]) == (setting.rows, setting.name, contest)
        }
        return np.array([[found[c, f] for f in self.features[contest]] for c in self.criteria])

    def table(self, setting: Setting, contest: str = ALL) -> ReportTable:
        """The least biased criterion first: percent picked, with the Wilson interval."""
        share, low, high = (
            100 * self._matrix(setting, contest, key) for key in ("share", "low", "high")
        )
        bias, fair = self.bias(setting, contest), 100 / share.shape[1]
        rows = []
        for i in np.argsort(bias, kind="stable"):
            cells = [
                Cell(
                    f"{s:.1f} [{a:.1f}, {b:.1f}]",
                    mark="" if a <= fair <= b else "v" if s > fair else "*",
                )
                for s, a, b in zip(share[i], low[i], high[i], strict=True)
            ]
            rows.append([Cell(self.criteria[i]), Cell(f"{bias[i]:.3f}"), *cells])
        note = (
            f"Percent of {self._judged(self.criteria)} data sets, 95 % Wilson interval; fair is "
            f"{fair:.1f}; "
            "v picked more often than that, * less often."
        )
        return ReportTable(
            f"{setting}, {contest}",
            ["criterion", "bias", *self.features[contest]],
            rows,
            notes=[note],
        )

    def _judged(self, names: Sequence[str]) -> str:
        """How many data sets some criteria have judged."""
        counts = sorted({self.repeats[name] for name in names}, reverse=True)
        return " or, on pairs of rows, ".join(map(str, counts))

    def tables(self) -> list[ReportTable]:
        """One table a contest and setting."""
        return [
            self.table(setting, contest) for contest in self.features for setting in self.settings
        ]

    def to_text(self) -> str:
        """Aligned plain text."""
        return render(self.tables(), "text")

    def to_markdown(self) -> str:
        """Markdown tables."""
        return render(self.tables(), "markdown")

    def to_csv(self) -> str:
        """One line a criterion, setting and feature."""
        return render_csv(self.records)

    def to_json(self) -> str:
        """Everything, as strict JSON: the settings, and a row for each criterion, setting, contest
        and feature."""
        return render_json({**self._about(), "rows": self.records})

    def to_record(self) -> str:
        """The counts alone, as small JSON; `from_record` makes the result of them again."""
        picks = {
            contest: [self._matrix(s, contest, "picks").tolist() for s in self.settings]
            for contest in self.features
        }
        return render_json({**self._about(), "picks": picks}, indent=None)

    @classmethod
    def from_record(cls, text: str) -> SelectionBias:
        """The inverse of `to_record`."""
        found = json.loads(text)
        settings = tuple(
            Setting(s["rows"], s["classes"], tuple(s["shares"])) for s in found["settings"]
        )
        records = [
            _record(criterion, setting, contest, feature, picks, found["repeats"][criterion])
            for contest, blocks in found["picks"].items()
            for setting, block in zip(settings, blocks, strict=True)
            for criterion, row in zip(found["repeats"], block, strict=True)
            for feature, picks in zip(found["features"][contest], row, strict=True)
        ]
        features = {contest: tuple(names) for contest, names in found["features"].items()}
        return cls(
            records, tuple(found["repeats"]), features, settings, found["repeats"], found["seed"]
        )

    def _about(self) -> dict[str, Any]:
        return {
            "repeats": self.repeats,
            "seed": self.seed,
            "features": self.features,
            "settings": [
                {"rows": s.rows, "classes": s.name, "shares": s.shares} for s in self.settings
            ],
        }

    def save_png(
        self,
        path: str | Path,
        *,
        contest: str = ALL,
        settings: Sequence[Setting] | None = None,
        criteria: Sequence[str] | None = None,
    ) -> None:
        """A heat map a setting: criteria (all if not given) by features, percent picked. Needs
        matplotlib (extra "plots")."""
        from matplotlib.colors import TwoSlopeNorm
        from matplotlib.figure import Figure

        from fasttree.plots.canvas import save_small

        shown, features = tuple(settings or self.settings), self.features[contest]
        columns = min(3, len(shown))
        lines = -(-len(shown) // columns)
        order = [name for name in self.mean_bias(contest) if criteria is None or name in criteria]
        size = (3.6 * columns + 2.2, (0.24 * len(order) + 1.5) * lines)
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(lines, columns, squeeze=False, sharey=True)
        norm = TwoSlopeNorm(100 / len(features), 0, 100)
        for ax in axes.flat[len(shown) :]:
            ax.set_visible(False)
        for ax, setting in zip(axes.flat, shown, strict=False):
            share = (
                100 * self.shares(setting, contest)[[self.criteria.index(name) for name in order]]
            )
            ax.imshow(share, cmap="RdBu_r", norm=norm, aspect="auto")
            for (i, j), value in np.ndenumerate(share):
                colour = "white" if value > 70 or value < 30 / len(features) else "black"
                ax.text(j, i, f"{value:.0f}", ha="center", va="center", fontsize=7, color=colour)
            ax.set_title(str(setting), fontsize=9)
            ax.set_xticks(range(len(features)), features, rotation=40, ha="right", fontsize=8)
            ax.set_yticks(range(len(order)), order, fontsize=8)
        figure.suptitle(
            f"Percent of {self._judged(order)} data sets in which each feature of pure noise is "
            f"picked, {contest}"
        )
        save_small(figure, path, dpi=110)


class _Drawn:
    """Data sets of one setting: `copies` independent columns of each feature, nominal and numeric
    in a Table each."""

    def __init__(
        self, setting: Setting, features: Sequence[Noise], copies: int, random: np.random.Generator
    ) -> None:
        self.copies = copies
        self.features = features
        self.parts: list[tuple[Table, list[int]]] = []
        labels = setting.labels()
        for nominal in (True, False):
            places = [j for j, f in enumerate(features) if (f.values > 0) == nominal]
            if not places:
                continue
            block = np.concatenate(
                [features[j].draw(random, setting.rows, copies) for j in places], axis=1
            )
            names = [(j, f"{j}-{copy}") for j in places for copy in range(copies)]
            table = Table(
                block,
                labels,
                feature_names=[name for _, name in names],
                categorical_features="all" if nominal else None,
                levels={name: tuple(range(features[j].values)) for j, name in names}
                if nominal
                else None,
            )
            self.parts.append((table, places))

    def scores(self, criterion: Any, n_jobs: int | None) -> np.ndarray:
        """Scores at the root, shape (features, copies)."""
        out = np.empty((len(self.features), self.copies))
        for table, places in self.parts:
            found = score_features(table, criterion=criterion, n_jobs=n_jobs)
            out[places] = found.reshape(len(places), self.copies)
        return out

    def data_set(self, copy: int, places: Sequence[int]) -> Table:
        """One data set: the features at `places`."""
        columns = {j: (table, at) for table, own in self.parts for at, j in enumerate(own)}
        those = [columns[j][0].column(columns[j][1] * self.copies + copy) for j in places]
        return self.parts[0][0].with_columns(those)

    def together(
        self, criterion: Any, places: Sequence[int], copies: int, n_jobs: int | None
    ) -> np.ndarray:
        """Scores of the first `copies` data sets of the features at `places`, shape (features,
        copies); other features NaN."""
        out = np.full((len(self.features), copies), np.nan)
        for copy in range(copies):
            found = score_features(self.data_set(copy, places), criterion=criterion, n_jobs=n_jobs)
            out[list(places), copy] = found
        return out

    def stumps(self, parameters: Mapping[str, Any], places: Sequence[int], seed: int) -> np.ndarray:
        """Feature at the root of a stump grown on the features at `places`, for each copy; -1: no
        split."""
        picked = np.empty(self.copies, dtype=np.int64)
        for copy in range(self.copies):
            table = self.data_set(copy, places)
            own = {**parameters, "max_depth": 1, "random_state": seed + copy, "trace": None}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that levels have few rows
                tree = FastTreeClassifier(**own).fit(table).tree_
            picked[copy] = places[tree.feature[0]] if tree.n_children[0] else -1
        return picked


def _picks(scores: np.ndarray, places: Sequence[int], random: np.random.Generator) -> np.ndarray:
    """The feature with the largest score, for each copy; ties by lot, -1 where no feature can be
    split."""
    scores = scores[list(places)]
    usable = np.where(np.isnan(scores), -np.inf, scores)
    lot = np.where(usable == usable.max(axis=0), random.random(scores.shape), -1.0)
    return np.where(np.isnan(scores).all(axis=0), -1, np.asarray(places)[lot.argmax(axis=0)])


def wilson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a share (JASA 22, 1927): where a test at that level would not
    refuse the share.

    Examples:
        >>> low, high = wilson(0, 100)
        >>> low, round(high, 4)
        (0.0, 0.037)
    """
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share, weight = successes / trials, z * z / trials
    centre = (share + weight / 2) / (1 + weight)
    half = sqrt(weight * share * (1 - share) + weight * weight / 4) / (1 + weight)
    return max(0.0, centre - half), min(1.0, centre + half)


def _record(  # noqa: PLR0917
    criterion: str, setting: Setting, contest: str, feature: str, picks: int, repeats: int
) -> dict[str, Any]:
    low, high = wilson(picks, repeats)
    return {
        "criterion": criterion,
        "rows": setting.rows,
        "classes": setting.name,
        "contest": contest,
        "feature": feature,
        "picks": picks,
        "repeats": repeats,
        "share": picks / repeats,
        "low": low,
        "high": high,
    }


def run(
    repeats: int = 2000,
    quick: bool = False,
    *,
    criteria: Sequence[str] | Mapping[str, Any] | None = None,
    settings: Sequence[Setting] | None = None,
    features: Sequence[Noise] = FEATURES,
    pair_repeats: int = 500,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Any = None,
) -> SelectionBias:
    """Count how often each criterion picks each feature of pure noise.

    Args:
        repeats: data sets per setting, at least 1.
        quick: the settings of 300 rows only, and at most 200 data sets each.
        criteria: names of `methods`, all if not given; or a dict by name of criteria (a name, an
            object, a function of your own) and of parameters of trees.
        settings: rows and class shares.
        features: what competes.
        pair_repeats: data sets per setting for criteria on pairs of rows, whose cost is quadratic
            in the rows; at most `repeats` are used.
        random_state: seed; the same seed gives the same data to every criterion, and the same
            result.
        n_jobs: threads; the result does not depend on it.
        progress: True for a bar, or a function (done, total).

    Raises:
        ValueError: fewer than one repeat, or a criterion that is not known.

    Examples:
        >>> small = run(
        ...     50,
        ...     criteria=["info_gain", "mdl"],
        ...     settings=[Setting(100, "2 equal classes", (0.5, 0.5))],
        ... )
        >>> share = dict(zip(small.features["all features"], small.shares(small.settings[0])[0]))
        >>> bool(share["50 values"] > 0.8)
        True
        >>> own = {"mine": lambda tables: tables.max(axis=(1, 2))}
        >>> run(20, criteria=own, settings=small.settings).criteria
        ('mine',)
    """
    if repeats < 1:
        raise ValueError(f"repeats={repeats!r} must be at least 1")
    if pair_repeats < 1:
        raise ValueError(f"pair_repeats={pair_repeats!r} must be at least 1")
    if quick:
        repeats = min(repeats, 200)
    settings = tuple(settings or [s for s in SETTINGS if not quick or s.rows == 300])
    if not isinstance(criteria, Mapping):
        known = methods()
        criteria = {name: known.get(name, name) for name in criteria or known}
    asked = {name: evidence_of(method) for name, method in criteria.items()}
    judged = {
        name: min(repeats, pair_repeats) if how == "together" else repeats
        for name, how in asked.items()
    }
    contests = {
        ALL: list(range(len(features))),
        NOMINAL: [j for j, f in enumerate(features) if f.values > 0],
    }
    report = make_report(progress, "selection bias")
    records = []
    for place, setting in enumerate(settings):
        random = np.random.default_rng([random_state, place])
        drawn = _Drawn(setting, features, repeats, random)
        lot, seed = random.integers(2**31, size=2).tolist()
        for done, (name, method) in enumerate(criteria.items()):
            how = asked[name]
            scores = drawn.scores(method, n_jobs) if how == "alone" else None
            for contest, places in contests.items():
                if how == "tree":
                    picked = drawn.stumps(method, places, seed)
                else:
                    if how == "together":
                        scores = drawn.together(method, places, judged[name], n_jobs)
                    assert scores is not None
                    picked = _picks(scores, places, np.random.default_rng(lot))
                for j in places:
                    picks = int(np.count_nonzero(picked == j))
                    records.append(
                        _record(name, setting, contest, features[j].name, picks, judged[name])
                    )
            if report:
                report(place * len(criteria) + done + 1, len(settings) * len(criteria))
    in_contest = {
        name: tuple(features[j].name for j in places) for name, places in contests.items()
    }
    return SelectionBias(records, tuple(criteria), in_contest, settings, judged, random_state)
