"""Sweeps over theta and the decay, and meta-features, which Vilalta et al. (2001) only mention.

What
    Section 5.2: "Results show significant differences in accuracy, but no single setting for theta
    outperforms other settings consistently. [...] Varying f while keeping other parameters fixed
    results in significant differences in accuracy but to a lesser degree than varying theta."
    Future work of the paper: meta-features, functions of the counts in R over the whole training
    set, that predict a good theta. Here the 15 thetas of zeros and ones are tried with the paper's
    decay, and eleven decays with the paper's theta, in the paper's trees on the same folds. Then
    every meta-feature is correlated with the accuracy that each half of theta gains.
Decisions
    Thetas such as (0, 1, 1, 0) weigh only the terms that Pi subtracts; they are kept as the worst
    settings. Correlations over the domains are Spearman's, with the exact permutation distribution
    or 20,000 permutations, and Holm's correction.
Complexity
    26 cross-validations per domain; nodes that several trees share are counted once.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import presets
from ...exports.tables.table import Cell, ReportTable, report_table
from ...feature_selection.pairs import pair_counts
from ...model_selection import holm, sweep
from ...table import Table
from ..paper import preset_without
from ..reproduction import Row, rank_correlation

THETAS: tuple[tuple[float, ...], ...] = tuple(
    t for t in itertools.product((1.0, 0.0), repeat=4) if any(t)
)
"""The 15 settings of zeros and ones."""

DECAYS: tuple[tuple[str, float], ...] = (
    ("uniform", 0.0),
    *(("exponential", a) for a in (0.05, 0.1, 0.2, 0.5, 1.0)),
    *(("power", a) for a in (0.5, 1.0, 2.0)),
    *(("threshold", a) for a in (3.0, 5.0)),
)
"""(Decay, alpha) of each setting."""

PAPERS_THETA, PAPERS_DECAY = (1.0, 1.0, 1.0, 1.0), ("exponential", 0.1)

META = {
    "agreement": "share of near pairs of rows that are of one class (alpha 1)",
    "excess": "that share, less the share among all pairs",
    "context": "the excess at alpha 1 less that at alpha 0.1: how much the nearest know better",
    "balance": "entropy of the classes in bits, over the largest possible",
    "rows per cell": "log10 of rows over the number of values of all features",
}
"""Meta-features from R over the whole set (columns 1 and 2), and two plain ones."""


@dataclass
class Study:
    """Accuracies in [0, 1] of one domain by setting, arrays of shape (settings, folds), and its
    meta-features."""

    theta: np.ndarray
    decay: np.ndarray
    meta: dict[str, float]

    def spread(self, which: str) -> float:
        """Largest minus smallest mean accuracy over the settings, in percentage points, of the
        sweep `which` ("theta" or "decay")."""
        means = getattr(self, which).mean(axis=1)
        return 100.0 * float(means.max() - means.min())


def study(table: Table, n_jobs: int | None = None, cv: str = "1x10") -> Study:
    """Both sweeps and the meta-features of one domain.

    Args:
        table: the rows.
        n_jobs: threads.
        cv: the folds.
    """
    setting = preset_without(presets.VILALTA2001)
    common: dict[str, Any] = {"cv": cv, "random_state": 0, "n_jobs": n_jobs, **setting}
    by_theta = sweep(table, theta=THETAS, alpha=PAPERS_DECAY[1], decay=PAPERS_DECAY[0], **common)
    accuracy = {
        s["theta"]: np.asarray(by_theta.result[m]["accuracy"]) for s, m in _methods(by_theta)
    }
    theta = np.stack([accuracy[t] for t in THETAS])
    decay = []
    for name, alphas in itertools.groupby(DECAYS, key=lambda d: d[0]):
        values = [alpha for _, alpha in alphas]
        swept = sweep(table, theta=PAPERS_THETA, alpha=values, decay=name, **common)
        decay += [np.asarray(swept.result[method]["accuracy"]) for _, method in _methods(swept)]
    return Study(theta, np.stack(decay), meta_features(table))


def _methods(found: Any) -> list[tuple[dict[str, Any], str]]:
    """(setting, name of its method) of a sweep."""
    return list(zip(found.settings, found.result.methods, strict=True))


def meta_features(table: Table) -> dict[str, float]:
    """The numbers of `META`, by name, from pairs of rows and counts of a domain. They cost one pass
    over all pairs.

    >>> import fasttree
    >>> round(meta_features(fasttree.datasets.make_xor())["agreement"], 3)
    0.556
    """
    counts = pair_counts(table)
    near, mid, every = (_agreement(counts.root(alpha=a)) for a in (1.0, 0.1, 0.0))
    shares = np.bincount(table.y_codes, minlength=len(table.classes)) / len(table)
    shares = shares[shares > 0]
    entropy = float(-(shares * np.log2(shares)).sum())
    cells = sum(len(levels) for levels in counts.levels)
    return {
        "agreement": near,
        "excess": near - every,
        "context": (near - every) - (mid - every),
        "balance": entropy / np.log2(max(2, len(shares))),
        "rows per cell": float(np.log10(len(table) / cells)),
    }


def _agreement(root: np.ndarray) -> float:
    """Share of case 1 among cases 1 and 2 of R over the whole set."""
    return float(root[:, 0].sum() / root[:, :2].sum())


def _advantages(found: Study) -> dict[str, float]:
    """Gains in accuracy by halves of theta, percentage points: discrimination (cases 3 and 4) over
    purity (cases 1 and 2), case 4 over case 1, and all cases over purity."""
    mean = {t: 100.0 * float(v.mean()) for t, v in zip(THETAS, found.theta, strict=True)}
    return {
        "discrimination less purity": mean[0.0, 0.0, 1.0, 1.0] - mean[1.0, 1.0, 0.0, 0.0],
        "case 4 alone less case 1 alone": mean[0.0, 0.0, 0.0, 1.0] - mean[1.0, 0.0, 0.0, 0.0],
        "all four less purity": mean[1.0, 1.0, 1.0, 1.0] - mean[1.0, 1.0, 0.0, 0.0],
    }


DRAWS = 20_000
"""Random permutations of a test on more than seven domains."""


def permutation_p(a: Sequence[float], b: Sequence[float]) -> float:
    """Two-sided p of Spearman's correlation: all permutations up to seven values, else random ones
    (with the observed one).

    Args:
        a, b: the values, in the same order.

    >>> permutation_p([1, 2, 3, 4], [1, 2, 3, 4]) == 2 / 24
    True
    """
    observed = abs(rank_correlation(a, b)) - 1e-12
    n = len(a)
    if n <= 7:
        found = [
            abs(rank_correlation(a, [b[i] for i in order])) >= observed
            for order in itertools.permutations(range(n))
        ]
        return float(np.mean(found))
    rng = np.random.default_rng(0)
    x, y = _standardised(a), _standardised(b)
    shuffled = rng.permuted(np.tile(y, (DRAWS, 1)), axis=1)
    return float((1 + np.count_nonzero(np.abs(shuffled @ x) >= observed)) / (DRAWS + 1))


def _standardised(values: Sequence[float]) -> np.ndarray:
    """Ranks, centred and of length 1, so that products are rank correlations."""
    from ...model_selection.statistics.ties import mean_ranks

    ranks = mean_ranks(values)
    centred = ranks - ranks.mean()
    length = float(np.sqrt((centred**2).sum()))
    scaled: np.ndarray = centred / length if length > 0 else centred
    return scaled


def correlations(studies: Mapping[str, Study]) -> list[dict[str, Any]]:
    """Rank correlation of every meta-feature with every advantage over the domains, with p before
    and after Holm's correction; empty for fewer than three domains."""
    out: list[dict[str, Any]] = []
    if len(studies) < 3:
        return out
    gains = [_advantages(found) for found in studies.values()]
    for gain in gains[0]:
        gained = [one[gain] for one in gains]
        for name in META:
            values = [found.meta[name] for found in studies.values()]
            rho, p = rank_correlation(values, gained), permutation_p(values, gained)
            out.append({"advantage": gain, "meta-feature": name, "correlation": rho, "p": p})
    for one, p in zip(out, holm([one["p"] for one in out]), strict=True):
        one["p, Holm"] = float(p)
    return out


def _labels(which: str) -> list[str]:
    """Labels of the settings of the sweep over "theta" or "decay"."""
    if which == "theta":
        return ["".join(f"{v:.0f}" for v in t) for t in THETAS]
    return [name if name == "uniform" else f"{name} {alpha:g}" for name, alpha in DECAYS]


def tables(studies: Mapping[str, Study], related: Sequence[Mapping[str, Any]]) -> list[ReportTable]:
    """Mean accuracies of both sweeps, and the meta-features.

    Args:
        studies: the sweeps of each domain.
        related: the result of `correlations`.
    """
    # One table per sweep, with the spread over the settings and how often each is the best.
    out = []
    for which, title in (
        ("theta", "Sweep over theta (cases 1 to 4) at alpha 0.1, exponential"),
        ("decay", "Sweep over the decay at theta 1111"),
    ):
        body, best, labels = [], [], _labels(which)
        for name, found in studies.items():
            means = 100.0 * getattr(found, which).mean(axis=1)
            line = [Cell(f"{v:.1f}", bold=bool(v == means.max())) for v in means]
            body.append([name, *line, f"{found.spread(which):.1f}"])
            best.append(labels[int(np.argmax(means))])
        spread = float(np.mean([found.spread(which) for found in studies.values()]))
        top = max(best.count(label) for label in best)
        out.append(
            report_table(
                f"{title}: accuracy in percent, one 10-fold cross-validation",
                ["domain", *labels, "spread"],
                body,
                f"Mean spread {spread:.1f} points; {len(set(best))} different settings are the "
                f"best of some domain, the most successful one of {top} of {len(best)}.",
            )
        )
    if related:
        lines = [
            [
                one["advantage"],
                f"{one['meta-feature']}: {META[one['meta-feature']]}",
                f"{one['correlation']:+.2f}",
                *(f"{one[p]:.3f}" for p in ("p", "p, Holm")),
            ]
            for one in related
        ]
        smallest = min(one["p, Holm"] for one in related)
        found_one = "No meta-feature predicts" if smallest >= 0.05 else "Some meta-feature predicts"
        level = "" if smallest >= 0.05 else " (p < 0.05)"
        out.append(
            report_table(
                "Do meta-features say which theta is good? Rank correlations over "
                f"{len(studies)} domains",
                ["advantage of", "meta-feature", "correlation", "p", "p, Holm"],
                lines,
                f"{found_one} an advantage after Holm's correction{level}.",
                rules=(len(META), 2 * len(META)),
            )
        )
    return out


def rows(studies: Mapping[str, Study], related: Sequence[Mapping[str, Any]]) -> list[Row]:
    """One row per setting, spread and correlation.

    Args:
        studies: the sweeps of each domain.
        related: the result of `correlations`.
    """
    out = []
    for name, found in studies.items():
        for which in ("theta", "decay"):
            for label, values in zip(_labels(which), getattr(found, which), strict=True):
                method = f"pi, {which} {label}"
                mean, sd = 100.0 * float(values.mean()), 100.0 * float(values.std(ddof=1))
                out.append(Row(name, method, "sweep_accuracy", mean, sd))
            out.append(Row(name, f"pi, {which}", "spread", found.spread(which)))
        out += [Row(name, meta, "meta_feature", value) for meta, value in found.meta.items()]
    for one in related:
        label, p = f"{one['meta-feature']} and {one['advantage']}", f"p = {one['p']:.4f}"
        out.append(Row("all domains", label, "rank_correlation", one["correlation"], note=p))
    return out


def draw(studies: Mapping[str, Study], which: str) -> Any:
    """A heat map of domains by settings: accuracy minus the domain's mean, percentage points.

    Args:
        studies: the sweeps of each domain.
        which: "theta" or "decay".
    """
    from ...plots.canvas import new_figure

    labels = _labels(which)
    values = np.array([100.0 * getattr(found, which).mean(axis=1) for found in studies.values()])
    centred = values - values.mean(axis=1, keepdims=True)
    limit = float(np.abs(centred).max()) or 1.0
    width, height = 0.62 * len(labels) + 2.4, 0.42 * len(studies) + 1.6
    figure, (ax,) = new_figure(1, 1, width=width, height=height)
    image = ax.imshow(centred, cmap="RdBu_r", vmin=-limit, vmax=limit, aspect="auto")
    for i, line in enumerate(values):
        for j, value in enumerate(line):
            dark = abs(centred[i, j]) > 0.6 * limit
            style = {"fontsize": 7, "color": "white" if dark else "black"}
            ax.text(j, i, f"{value:.1f}", ha="center", va="center", **style)
    slope = {"rotation": 40, "ha": "right"} if which == "decay" else {"rotation": 0, "ha": "center"}
    ax.set_xticks(range(len(labels)), labels, fontsize=8, **slope)
    ax.set_yticks(range(len(studies)), list(studies), fontsize=8)
    ax.set_xlabel("theta (cases 1 to 4)" if which == "theta" else "decay and alpha", fontsize=9)
    figure.colorbar(image, ax=ax, label="accuracy less the domain's mean (points)", shrink=0.9)
    return figure
