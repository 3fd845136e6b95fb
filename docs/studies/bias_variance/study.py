"""Bias and variance of trees grown locally, globally and glocally, alone and in forests, where the
truth is a known tree.

What
    Späh & Kosub (2022, section 1.2) speak of bias and variance twice: of the predictions (after
    Domingos, ICML 2000) and of the structure of trees, and conclude that global trees with their
    parameterless stop ("no distance decay") suit random forests. Neither is measured in the paper.
    Here a random tree labels uniform rows, many training sets are drawn from it, and every method
    is fitted to each.
Formula
    For a row x with true class t and main prediction m(x), the mode over training sets: bias B = [m
    != t], variance V = P(y != m). The mean error is E[B] + E[c V] with c = 1 where m = t, and c =
    -P(y = t | y != m) where m != t: variance hurts where the main prediction is right and helps
    where it is wrong. Structure: nodes; the variation of information (bits) between the partitions
    of the test rows into leaves, of a learned and the generating tree (its mean is the bias of the
    structure), and of two learned trees (its variance).
Complexity
    Problems x training sets x methods fits; pairs of trees for the structure are neighbours in a
    cycle.
When not to use it
    To compare learners on real data, where the truth is not known: see `fasttree.model_selection`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fasttree import criteria
from fasttree._checks.progress import make_report
from fasttree.datasets import make_random_tree
from fasttree.estimators import FastForestClassifier, FastTreeClassifier
from fasttree.exports.palette import PALETTE
from fasttree.exports.tables.text import render_text
from fasttree.reports import Cell, ReportTable
from fasttree.table import Table

__all__ = [
    "METHODS",
    "SETTINGS",
    "BiasVariance",
    "Measured",
    "Setting",
    "decompose",
    "partition_distance",
    "run",
]

TREES: dict[str, dict[str, Any]] = {
    "local": {},
    "global": {"evaluation": "global"},
    "glocal": {"evaluation": "glocal"},
    "jaccard, no distance decay": {
        "criterion": "jaccard",
        "evaluation": "global",
        "labels": "distinct",
        "no_distance_decay": True,
    },
}
"""Ways of growing a tree, with the Gini impurity unless a criterion is named. The stop is tried
with the extended Jaccard distance, as in the paper's figure 7 (d): the global Gini distance never
rises, so with it the stop never comes."""

METHODS: dict[str, dict[str, Any]] = {
    **{f"{name} tree": {"forest": False, **params} for name, params in TREES.items()},
    **{f"{name} forest": {"forest": True, **params} for name, params in TREES.items()},
}
"""All methods: a tree and a forest of each way."""


@dataclass(frozen=True)
class Setting:
    """Training rows, and the share of their labels that is drawn again over all classes."""

    rows: int
    noise: float

    def __str__(self) -> str:
        return f"{self.rows} rows, {100 * self.noise:g} % noise"


SETTINGS = (Setting(50, 0.0), Setting(500, 0.0), Setting(50, 0.3), Setting(500, 0.3))


def decompose(predictions: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    """Domingos' decomposition of the 0/1 loss without noise in the test labels.

    Args:
        predictions: class codes, shape (training sets, test rows).
        truth: true class codes, shape (test rows,).

    Returns:
        error, bias, variance (of all rows), unbiased (what variance costs where the main prediction
        is right) and biased (what it gains where it is wrong); error = bias + unbiased - biased.

    >>> found = decompose(np.array([[0, 1], [0, 1], [1, 0]]), np.array([0, 0]))
    >>> {name: round(value, 3) for name, value in found.items()}
    {'error': 0.5, 'bias': 0.5, 'variance': 0.333, 'unbiased': 0.167, 'biased': 0.167}
    """
    k = int(max(predictions.max(), truth.max())) + 1
    votes = np.stack([(predictions == c).sum(axis=0) for c in range(k)])
    main = votes.argmax(axis=0)
    variance = 1.0 - votes.max(axis=0) / len(predictions)
    wrong = main != truth
    right_share = votes[truth, np.arange(len(truth))] / len(predictions)
    return {
        "error": float((predictions != truth).mean()),
        "bias": float(wrong.mean()),
        "variance": float(variance.mean()),
        "unbiased": float(np.where(wrong, 0.0, variance).mean()),
        "biased": float(np.where(wrong, right_share, 0.0).mean()),
    }


def partition_distance(first: np.ndarray, second: np.ndarray) -> float:
    """Variation of information (bits) of two partitions of the same rows, given as labels (rows,).

    >>> partition_distance(np.array([0, 0, 1, 1]), np.array([5, 5, 7, 7]))
    0.0
    """
    a, b = np.unique(first, return_inverse=True)[1], np.unique(second, return_inverse=True)[1]
    k = int(b.max()) + 1
    table = np.bincount(a * k + b, minlength=(int(a.max()) + 1) * k).reshape(1, -1, k)
    measure = criteria.make("variation_of_information")
    return float(measure.distance(table)[0])  # type: ignore[union-attr]


@dataclass
class Measured:
    """One method in one setting, means over the problems; structure is NaN for forests.

    `half` are half widths of 95 % intervals over the problems, by quantity.
    """

    method: str
    setting: Setting
    values: dict[str, float]
    half: dict[str, float]


QUANTITIES = (
    "error",
    "bias",
    "variance",
    "unbiased",
    "biased",
    "nodes",
    "distance to truth",
    "distance between",
)


@dataclass
class BiasVariance:
    """The study's outcome: see the module."""

    results: list[Measured]
    problems: int
    training_sets: int
    generating_nodes: int

    def of(self, method: str, setting: Setting) -> Measured:
        """One method in one setting."""
        return next(m for m in self.results if m.method == method and m.setting == setting)

    def tables(self) -> list[ReportTable]:
        """A table a setting."""
        out = []
        for setting in dict.fromkeys(m.setting for m in self.results):
            rows = []
            for m in self.results:
                if m.setting != setting:
                    continue
                line = [Cell(m.method)]
                for name in QUANTITIES:
                    percent = name in QUANTITIES[:5]
                    value, half = m.values[name], m.half[name]
                    shown = (
                        "-"
                        if np.isnan(value)
                        else f"{100 * value:.1f} ± {100 * half:.1f}"
                        if percent
                        else f"{value:.1f} ± {half:.1f}"
                    )
                    line.append(Cell(shown))
                rows.append(line)
            out.append(
                ReportTable(
                    f"Bias and variance: {setting}",
                    ["method", *QUANTITIES],
                    rows,
                    (len(TREES),),
                    [
                        "Error and its parts in percent, error = bias + unbiased - biased; nodes; "
                        "variation of information (bits) of "
                        "the leaves to the generating tree's and between learned trees. ± : 95 % "
                        "over "
                        f"{self.problems} generating trees of {self.generating_nodes} nodes, "
                        f"{self.training_sets} training sets each."
                    ],
                )
            )
        return out

    def to_text(self) -> str:
        """All tables as text."""
        return render_text(self.tables())

    def to_record(self) -> str:
        """JSON of everything; `from_record` reads it."""
        return json.dumps(asdict(self), indent=1, allow_nan=True)

    @classmethod
    def from_record(cls, text: str) -> BiasVariance:
        """The inverse of `to_record`."""
        found = json.loads(text)
        results = [
            Measured(r["method"], Setting(**r["setting"]), r["values"], r["half"])
            for r in found["results"]
        ]
        return cls(results, found["problems"], found["training_sets"], found["generating_nodes"])

    def draw(self) -> Any:
        """A picture: bias and net variance stacked, a panel a setting."""
        from fasttree.plots.canvas import new_figure, plain_frame

        settings = list(dict.fromkeys(m.setting for m in self.results))
        figure, axes = new_figure(1, len(settings), width=3.1 * len(settings) + 1.8, height=4.0)
        names = list(dict.fromkeys(m.method for m in self.results))
        for place, (ax, setting) in enumerate(zip(axes, settings, strict=True)):
            found = [self.of(name, setting) for name in names]
            bias = np.array([100 * m.values["bias"] for m in found])
            error = np.array([100 * m.values["error"] for m in found])
            y = np.arange(len(names))[::-1]
            ax.barh(y, bias, color=PALETTE[0], label="bias")
            ax.barh(y, error - bias, left=bias, color=PALETTE[1], label="net variance")
            ax.errorbar(
                error,
                y,
                xerr=[100 * m.half["error"] for m in found],
                fmt="none",
                color="#333333",
                capsize=2,
            )
            ax.set_yticks(y, names if place == 0 else [""] * len(names), fontsize=8)
            ax.set_title(str(setting), fontsize=9)
            ax.set_xlabel("error (%)", fontsize=8)
            plain_frame(ax, "x")
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(
            handles, labels, fontsize=8, frameon=False, loc="outside lower center", ncols=2
        )
        return figure

    def save_png(self, path: str | Path) -> None:
        """Write the picture."""
        self.draw().savefig(path, dpi=110)


def _estimator(params: Mapping[str, Any], criterion: str, n_trees: int, seed: int) -> Any:
    own = {
        "criterion": criterion,
        **{key: value for key, value in params.items() if key != "forest"},
    }
    if params["forest"]:
        return FastForestClassifier(n_estimators=n_trees, random_state=seed, **own)
    return FastTreeClassifier(**own)


def run(
    problems: int = 20,
    training_sets: int = 40,
    *,
    methods: Mapping[str, Mapping[str, Any]] | None = None,
    settings: Sequence[Setting] = SETTINGS,
    criterion: str = "gini",
    n_leaves: int = 8,
    n_trees: int = 25,
    n_test: int = 1000,
    random_state: int = 0,
    progress: Any = None,
) -> BiasVariance:
    """Run the study.

    Args:
        problems: generating trees (6 features, 4 classes), >= 2.
        training_sets: drawn from each, >= 2.
        methods: name -> parameters with ``forest``; all of `METHODS` if not given.
        settings: training rows and label noise.
        criterion: of the methods that name none.
        n_leaves: of the generating trees.
        n_trees: of the forests.
        n_test: test rows of each problem, with true labels.
        random_state: seed; every method sees the same rows.
        progress: True for a bar, or a function (done, total).

    Examples:
        >>> small = run(
        ...     2, 3, methods={"local tree": METHODS["local tree"]}, settings=[Setting(50, 0.0)]
        ... )
        >>> found = small.results[0].values
        >>> abs(found["error"] - found["bias"] - found["unbiased"] + found["biased"]) < 1e-12
        True
    """
    if problems < 2 or training_sets < 2:
        raise ValueError(
            f"problems={problems!r} and training_sets={training_sets!r} must be at least 2"
        )
    methods = METHODS if methods is None else methods
    report = make_report(progress, "bias and variance")
    total, done = len(settings) * problems, 0
    results = []
    for place, setting in enumerate(settings):
        found: dict[str, list[dict[str, float]]] = {name: [] for name in methods}
        for problem in range(problems):
            rng = np.random.default_rng([random_state, place, problem])
            table, truth = make_random_tree(n_test, 6, n_leaves, 4, random_state=rng)
            X_test, y_test = np.asarray(table.X), np.asarray(table.y_codes)
            leaves = truth.apply(X_test)
            training = []
            for _ in range(training_sets):
                X = rng.random((setting.rows, 6))
                y = np.asarray(truth.predict(X)).copy()
                again = rng.permutation(setting.rows)[: round(setting.noise * setting.rows)]
                y[again] = rng.integers(0, 4, len(again))
                training.append(
                    Table(X, y, feature_names=table.feature_names, levels={"class": range(4)})
                )
            for name, params in methods.items():
                models = [
                    _estimator(params, criterion, n_trees, s).fit(t) for s, t in enumerate(training)
                ]
                one = decompose(
                    np.stack([np.asarray(m.predict(X_test), dtype=int) for m in models]), y_test
                )
                one |= (
                    _structure(models, X_test, leaves)
                    if not params["forest"]
                    else dict.fromkeys(QUANTITIES[5:], np.nan)
                )
                found[name].append(one)
            done += 1
            if report is not None:
                report(done, total)
        for name, ones in found.items():
            columns = {q: np.array([one[q] for one in ones]) for q in QUANTITIES}
            half = {q: float(1.96 * v.std(ddof=1) / np.sqrt(len(v))) for q, v in columns.items()}
            results.append(
                Measured(name, setting, {q: float(v.mean()) for q, v in columns.items()}, half)
            )
    return BiasVariance(results, problems, training_sets, 2 * n_leaves - 1)


def _structure(models: Sequence[Any], X: np.ndarray, leaves: np.ndarray) -> dict[str, float]:
    parts = [np.asarray(model.apply(X)) for model in models]
    return {
        "nodes": float(np.mean([model.n_nodes_ for model in models])),
        "distance to truth": float(np.mean([partition_distance(p, leaves) for p in parts])),
        "distance between": float(
            np.mean(
                [
                    partition_distance(p, q)
                    for p, q in zip(parts, [*parts[1:], parts[0]], strict=True)
                ]
            )
        ),
    }
