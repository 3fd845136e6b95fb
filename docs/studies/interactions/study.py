"""Interactions: problems where no feature says anything alone, and which criteria find the features
that matter.

What
    Parity of 2 (the exclusive or), 3 and 4 bits among irrelevant bits, with a share of inverted
    labels, and the three MONK's problems (Thrun et al. 1991). Four questions, each over seeded
    draws:

    - *Recovery*: are the relevant bits the best ranked ones? The share found among the first k =
      relevant bits (ties by lot; k / features by chance), and the margin: how far the mean score of
      the relevant bits is above that of the irrelevant ones, in standard deviations of the
      irrelevant ones.
    - *Decay*: the same share for Pi by alpha, with and without the weight of the branches. Few far
      rows or many: how much context is right depends on the number of features.
    - *Trees*: accuracy and leaves under 10-fold cross-validation, grown as in
      `presets.VILALTA2001`, pruned and not; ties by lot, because the relevant bits come first.
    - *Pictures of trees*, of the same rows by purity and by pairs.
Source
    The blindness of purity criteria and the exclusive or as the example: Vilalta, Brodie, Oblinger
    & Rish (2001), figure 1.
Complexity
    A recovery is one pass of all pairs of rows for every draw and criterion.
When not to use it
    As a ranking of criteria: these problems are chosen to be hard for one kind and easy for the
    other.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fasttree import presets
from fasttree._checks.progress import make_report
from fasttree.criteria import Pi
from fasttree.datasets import make_monks, make_parity
from fasttree.estimators import FastTreeClassifier
from fasttree.exports.tables.text import render_text
from fasttree.feature_selection.features import score_features
from fasttree.feature_selection.pairs import pair_counts
from fasttree.model_selection import cross_validate
from fasttree.reports import Cell, ReportTable
from fasttree.table import Table

__all__ = [
    "CRITERIA",
    "PROBLEMS",
    "Grown",
    "Interactions",
    "Recovered",
    "drawn_trees",
    "recovery",
    "run",
]

CRITERIA: dict[str, Any] = {
    "gini": "gini",
    "info_gain": "info_gain",
    "pi": "pi",
    "pi, alpha 1": Pi(alpha=1.0),
    "contextual_merit": "contextual_merit",
    "relief": "relief",
    "relieff": "relieff",
    "multisurf": "multisurf",
}
"""What is compared: two purity criteria, then criteria on pairs of rows and on neighbours."""

BITS = (2, 3, 4)
"""Relevant bits."""

NOISE_BITS = (4, 8, 16, 32, 64)
"""Irrelevant bits of the first row of pictures, at `USUAL_FLIP`."""

FLIPS = (0.0, 0.1, 0.2, 0.3, 0.4)
"""Shares of inverted labels of the second row, with `USUAL_NOISE` irrelevant bits."""

USUAL_FLIP, USUAL_NOISE, ROWS = 0.1, 8, 300

ALPHAS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0)
"""Alphas of Pi's decay 2^(-alpha D)."""

FORMS = {"pi": "", "pi_unweighted": ", no weight"}
"""Forms of Pi that are tried by alpha (with and without the weight of the branches), and what their
names end in."""

PROBLEMS: dict[str, Callable[[int], Table]] = {
    "xor, 8 noise bits": lambda seed: make_parity(2, 8, ROWS, flip=USUAL_FLIP, random_state=seed),
    "parity of 3, 8 noise bits": lambda seed: make_parity(
        3, 8, ROWS, flip=USUAL_FLIP, random_state=seed
    ),
    "parity of 4, 8 noise bits": lambda seed: make_parity(
        4, 8, ROWS, flip=USUAL_FLIP, random_state=seed
    ),
    "monks-1": lambda seed: make_monks(1),
    "monks-2": lambda seed: make_monks(2),
    "monks-3, 5 % of labels inverted": lambda seed: make_monks(3, flip=0.05, random_state=seed),
}
"""Problems on which trees are grown: name -> table of a seed."""


@dataclass(frozen=True)
class Recovered:
    """One criterion in one setting: mean share over draws with its half width (95 %), median margin
    (NaN: not defined)."""

    criterion: str
    bits: int
    noise_bits: int
    flip: float
    share: float
    half: float
    margin: float


@dataclass(frozen=True)
class Grown:
    """Trees by one criterion on one problem: means over draws, standard deviation of accuracy over
    draws."""

    criterion: str
    problem: str
    pruned: bool
    accuracy: float
    sd: float
    leaves: float


def recovery(scores: np.ndarray, bits: int, random: np.random.Generator) -> tuple[float, float]:
    """Share of the first `bits` features among the `bits` best scores (ties by lot; NaN is worst),
    and their margin.

    >>> share, margin = recovery(np.array([3.0, 2.0, 0.0, 2.5, 0.5]), 2, np.random.default_rng(0))
    >>> share, round(margin, 3)
    (0.5, 1.389)
    """
    usable = np.where(np.isnan(scores), -np.inf, scores)
    best = np.lexsort((random.random(len(scores)), -usable))[:bits]
    relevant, others = scores[:bits], scores[bits:][~np.isnan(scores[bits:])]
    spread = float(others.std()) if len(others) > 1 else 0.0
    gap = float(relevant.mean() - others.mean()) if len(others) else np.nan
    return float(np.mean(best < bits)), gap / spread if spread > 0 else np.nan


def _recover(  # noqa: PLR0917
    asked: Mapping[str, Callable[[Table], np.ndarray]],
    bits: int,
    noise_bits: int,
    flip: float,
    draws: int,
    seed: int,
) -> list[Recovered]:
    """All of `asked` (name -> scores of a table, shape (features,)) in one setting."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in asked}
    for draw in range(draws):
        random = np.random.default_rng([seed, bits, noise_bits, round(1000 * flip), draw])
        table = make_parity(bits, noise_bits, ROWS, flip=flip, random_state=random)
        lot = int(random.integers(2**31))
        for name, score in asked.items():
            found[name].append(recovery(score(table), bits, np.random.default_rng(lot)))
    out = []
    for name, pairs in found.items():
        shares, margins = np.array(pairs).T
        half = float(1.96 * shares.std(ddof=1) / np.sqrt(draws)) if draws > 1 else np.nan
        margin = float(np.nanmedian(margins)) if not np.isnan(margins).all() else np.nan
        out.append(Recovered(name, bits, noise_bits, flip, float(shares.mean()), half, margin))
    return out


def _scorer(criterion: Any) -> Callable[[Table], np.ndarray]:
    return lambda table: score_features(table, criterion=criterion)


class _Alphas:
    """Scores of Pi under every alpha, by one pass a table."""

    def __init__(self) -> None:
        self.table: Table | None = None
        self.scores: dict[str, np.ndarray] = {}

    def at(self, form: str, place: int, table: Table) -> np.ndarray:
        """Scores under `ALPHAS[place]`, shape (features,)."""
        if table is not self.table:
            counts = pair_counts(table)
            self.table = table
            self.scores = {name: counts.sweep(name, alpha=list(ALPHAS))[0, :, 0] for name in FORMS}
        return self.scores[form][place]


def _grow(
    name: str, make: Callable[[int], Table], criteria: Mapping[str, Any], draws: int
) -> list[Grown]:
    """Trees by all criteria on one problem, pruned and not."""
    settings = {
        key: value
        for key, value in presets.VILALTA2001.items()
        if key not in {"criterion", "pruning"}
    }
    out = []
    for pruned in (True, False):
        pruning = presets.VILALTA2001["pruning"] if pruned else None
        found = [
            cross_validate(
                make(draw),
                criterion=dict(criteria),
                cv="1x10",
                pruning=pruning,
                ties="random",
                random_state=draw,
                **settings,
            )
            for draw in range(draws)
        ]
        for criterion in criteria:
            accuracy = [float(np.mean(one[criterion]["accuracy"])) for one in found]
            leaves = float(np.mean([np.mean(one[criterion]["leaves"]) for one in found]))
            mean, sd = float(np.mean(accuracy)), float(np.std(accuracy, ddof=1))
            out.append(Grown(criterion, name, pruned, mean, sd, leaves))
    return out


@dataclass
class Interactions:
    """The study's outcome: recoveries by criterion, Pi's by alpha (criterion "alpha A", and "alpha
    A, no weight"), and trees."""

    recovered: list[Recovered]
    by_alpha: list[Recovered]
    grown: list[Grown]
    draws: int
    tree_draws: int

    def share(
        self, criterion: str, bits: int, noise_bits: int = USUAL_NOISE, flip: float = USUAL_FLIP
    ) -> float:
        """Share of the relevant bits found; of Pi at an alpha for ``criterion="alpha 0.5"``.

        Raises:
            KeyError: a setting that was not run.
        """
        wanted = (criterion, bits, noise_bits, flip)
        for r in (*self.recovered, *self.by_alpha):
            if (r.criterion, r.bits, r.noise_bits, r.flip) == wanted:
                return r.share
        raise KeyError(
            f"criterion, relevant bits, noise bits, inverted share {wanted} were not run"
        )

    def tree(self, criterion: str, problem: str, pruned: bool = True) -> Grown:
        """Trees of one criterion on one problem."""
        wanted = (criterion, problem, pruned)
        return next(g for g in self.grown if (g.criterion, g.problem, g.pruned) == wanted)

    def recovery_tables(self) -> list[ReportTable]:
        """A table for each number of relevant bits: share found, by irrelevant bits and by inverted
        labels."""
        out = []
        for bits in dict.fromkeys(r.bits for r in self.recovered):
            here = [r for r in self.recovered if r.bits == bits]
            settings = list(dict.fromkeys((r.noise_bits, r.flip) for r in here))
            body = []
            for name in dict.fromkeys(r.criterion for r in here):
                line = [
                    r
                    for s in settings
                    for r in here
                    if r.criterion == name and (r.noise_bits, r.flip) == s
                ]
                body.append(
                    [Cell(name), *(Cell(f"{100 * r.share:.0f} ± {100 * r.half:.0f}") for r in line)]
                )
            body.append(
                [Cell("by chance"), *(Cell(f"{100 * bits / (bits + n):.0f}") for n, _ in settings)]
            )
            out.append(
                ReportTable(
                    f"Parity of {bits} bits: percent of the relevant bits among the {bits} best",
                    [
                        "criterion",
                        *(f"{n} noise bits, {100 * f:g} % inverted" for n, f in settings),
                    ],
                    body,
                    (),
                    [f"{ROWS} rows, means over {self.draws} draws with 95 % intervals."],
                )
            )
        return out

    def tree_table(self, pruned: bool = True) -> ReportTable:
        """Accuracy (standard deviation over draws) and leaves: criteria by problems."""
        problems = list(dict.fromkeys(g.problem for g in self.grown))
        body = []
        for name in dict.fromkeys(g.criterion for g in self.grown):
            line = [Cell(name)]
            for problem in problems:
                one = self.tree(name, problem, pruned)
                rivals = [
                    g.accuracy for g in self.grown if (g.problem, g.pruned) == (problem, pruned)
                ]
                text = f"{100 * one.accuracy:.1f} ({100 * one.sd:.1f}), {one.leaves:.0f}"
                line.append(Cell(text, bold=one.accuracy >= max(rivals) - 1e-12))
            body.append(line)
        how = "error-based pruning" if pruned else "no pruning"
        return ReportTable(
            f"Trees, {how}: accuracy in percent (standard deviation), leaves",
            ["criterion", *problems],
            body,
            (),
            [
                f"10-fold cross-validation, {self.tree_draws} times (new rows where rows are "
                "drawn, new folds); the best is bold."
            ],
        )

    def to_text(self) -> str:
        """All tables as text."""
        return render_text(
            [*self.recovery_tables(), self.tree_table(), self.tree_table(pruned=False)]
        )

    def to_record(self) -> str:
        """JSON of everything; `from_record` reads it."""
        return json.dumps(asdict(self), indent=None, separators=(",", ":"), allow_nan=True)

    @classmethod
    def from_record(cls, text: str) -> Interactions:
        """The inverse of `to_record`."""
        found = json.loads(text)
        recovered, by_alpha = (
            [Recovered(**r) for r in found[key]] for key in ("recovered", "by_alpha")
        )
        grown = [Grown(**g) for g in found["grown"]]
        return cls(recovered, by_alpha, grown, found["draws"], found["tree_draws"])

    def save_png(self, path: str | Path, which: str) -> None:
        """Write a picture: "share", "margin", "decay" or "trees". Needs matplotlib (extra
        "plots")."""
        from docs.studies.interactions import pictures

        from fasttree.plots.canvas import save_small

        makers = {
            "share": lambda: pictures.curves(self.recovered, "share"),
            "margin": lambda: pictures.curves(self.recovered, "margin"),
            "decay": lambda: pictures.decay(self.by_alpha),
            "trees": lambda: pictures.trees([g for g in self.grown if g.pruned]),
        }
        if which not in makers:
            raise ValueError(
                f"which={which!r} is not a picture of this study; use one of {', '.join(makers)}"
            )
        save_small(makers[which](), path)


def run(
    draws: int = 100,
    tree_draws: int = 10,
    *,
    criteria: Mapping[str, Any] | None = None,
    bits: Sequence[int] = BITS,
    noise_bits: Sequence[int] = NOISE_BITS,
    flips: Sequence[float] = FLIPS,
    problems: Mapping[str, Callable[[int], Table]] | None = None,
    random_state: int = 0,
    progress: Any = None,
) -> Interactions:
    """Run the study.

    Args:
        draws: data sets of each setting of the recovery, >= 1.
        tree_draws: cross-validations of each problem, >= 2.
        criteria: name -> criterion; `CRITERIA` if not given.
        bits: relevant bits.
        noise_bits: irrelevant bits, at one label in ten inverted.
        flips: shares of inverted labels, with eight irrelevant bits.
        problems: name -> table of a seed, for the trees; `PROBLEMS` if not given.
        random_state: seed of the recovery; every criterion sees the same rows.
        progress: True for a bar, or a function (done, total).

    Raises:
        ValueError: too few draws.

    Examples:
        >>> small = run(
        ...     5,
        ...     2,
        ...     criteria={"gini": "gini", "pi": "pi"},
        ...     bits=[2],
        ...     noise_bits=[4],
        ...     flips=[0.0],
        ...     problems={},
        ... )
        >>> small.share("pi", 2, 8, 0.0) > small.share("gini", 2, 8, 0.0)
        True
    """
    if draws < 1 or tree_draws < 2:
        raise ValueError(
            f"draws={draws!r} must be at least 1 and tree_draws={tree_draws!r} at least 2"
        )
    criteria = CRITERIA if criteria is None else criteria
    problems = PROBLEMS if problems is None else problems
    report = make_report(progress, "interactions")
    settings = [(n, USUAL_FLIP) for n in noise_bits] + [(USUAL_NOISE, f) for f in flips]
    settings = list(dict.fromkeys(settings))
    total, done = len(bits) * len(settings) + len(problems), 0
    asked = {name: _scorer(criterion) for name, criterion in criteria.items()}
    recovered, by_alpha, grown = [], [], []
    for k in bits:
        for noise, flip in settings:
            recovered += _recover(asked, k, noise, flip, draws, random_state)
            if flip == USUAL_FLIP:
                by_alpha += _recover(_alphas(), k, noise, flip, draws, random_state)
            done += 1
            if report is not None:
                report(done, total)
    for name, make in problems.items():
        grown += _grow(name, make, criteria, tree_draws)
        done += 1
        if report is not None:
            report(done, total)
    return Interactions(recovered, by_alpha, grown, draws, tree_draws)


def _alphas() -> dict[str, Callable[[Table], np.ndarray]]:
    """Pi under every alpha, as `_recover` asks."""
    shared = _Alphas()
    return {
        f"alpha {alpha:g}{end}": lambda table, form=form, place=place: shared.at(form, place, table)  # type: ignore[misc]
        for form, end in FORMS.items()
        for place, alpha in enumerate(ALPHAS)
    }


def drawn_trees() -> dict[str, FastTreeClassifier]:
    """The trees of the documentation's pictures: Gini and Pi on the same exclusive or, and Pi
    (alpha 1) on MONK's problem 1.

    The exclusive or has two relevant and eight irrelevant bits, 200 rows, and one label in ten
    inverted.

    >>> [tree.get_n_leaves() for tree in drawn_trees().values()]
    [19, 4, 28]
    """
    xor = make_parity(2, 8, 200, flip=USUAL_FLIP, random_state=0)
    settings = dict(presets.VILALTA2001)
    return {
        "xor_gini": FastTreeClassifier(**{**settings, "criterion": "gini"}).fit(xor),
        "xor_pi": FastTreeClassifier(**settings).fit(xor),
        "monks_1": FastTreeClassifier(**{**settings, "criterion": Pi(alpha=1.0)}).fit(
            make_monks(1)
        ),
    }
