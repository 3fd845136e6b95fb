"""Tables and figures of the reproduction of Hope & Korb (2004).

`run` computes, `models` and `results` hold the numbers; here they are laid out beside the paper's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...exports.tables.table import Cell, ReportTable, number, report_table
from ..reproduction import Row, header_beside, rank_correlation
from .claims import Finding
from .models import KINDS, TRUTHS, MetaMetric, Simulation
from .results import SHOWN, SetResult

NOT_RUN = "-"


def section_1(
    simulated: Mapping[str, Simulation],
    paper: Sequence[str],
    five: Sequence[str],
    said: Sequence[Finding],
) -> list[ReportTable]:
    """The tables of section 5.1.

    They are mean rewards with intervals and divergences, the analyses of variance, the groups of
    learners that do not differ, and the findings.

    Args:
        simulated: simulations by type of models.
        paper: the learners of the paper's section 5.1.
        five: these and J48.
        said: findings.
    """
    out = [_simulated(sim) for sim in simulated.values()]
    out.append(_variances(simulated, paper, five))
    out.append(_groups(simulated, five))
    words = {True: "holds", False: "does not hold"}
    rows = [
        [KINDS[one.kind], one.claim, words[one.holds], words[one.in_figure], one.evidence]
        for one in said
    ]
    header = ["models", "finding", "paired differences", "intervals of means", "measured"]
    out.append(report_table("Findings of section 5.1", header, rows))
    return out


def _simulated(sim: Simulation) -> ReportTable:
    """Mean reward and divergence of each learner at each training size."""
    half, rows = sim.interval(), []
    for j, learner in enumerate(sim.learners):
        sizes = range(len(sim.sizes))
        rewards = [f"{sim.reward[:, j, s].mean():+.4f} ± {half[j, s]:.4f}" for s in sizes]
        rows.append([learner, *rewards, *(f"{sim.divergence[:, j, s].mean():.4f}" for s in sizes)])
    return report_table(
        f"Section 5.1, {KINDS[sim.kind]}: reward and divergence from the truth, nats, "
        f"{len(sim.reward)} models",
        [
            "learner",
            *(f"reward, {size} rows" for size in sim.sizes),
            *(f"KLD, {size}" for size in sim.sizes),
        ],
        rows,
        "±: 95 % intervals of the mean with Bonferroni's correction over all cells.",
    )


def _variances(
    simulated: Mapping[str, Simulation], paper: Sequence[str], five: Sequence[str]
) -> ReportTable:
    """Analyses of variance, one row per effect and set of learners.

    Args:
        simulated: the simulations, by type of models.
        paper: the learners of the paper's section 5.1.
        five: these and J48.
    """
    rows = []
    for kind, sim in simulated.items():
        for learners in (paper, five):
            for effect in sim.of(learners).anova.effects:
                rows.append(
                    [
                        KINDS[kind],
                        len(learners),
                        effect.name,
                        f"F({effect.df[0]:g}, {effect.df[1]:g}) = {effect.statistic:.4g}",
                        f"{effect.epsilon:.3f}",
                        f"{effect.corrected_p_value:.2g}",
                    ]
                )
    return report_table(
        "Section 5.1: two-factor repeated-measures ANOVA, models as subjects",
        ["models", "learners", "effect", "F", "epsilon", "p"],
        rows,
        f"{len(paper)} learners: {', '.join(paper)}, as in the paper; {len(five)}: with j48. "
        "p: degrees of freedom times epsilon (Greenhouse & Geisser).",
    )


def _groups(simulated: Mapping[str, Simulation], five: Sequence[str]) -> ReportTable:
    """The groups of learners that do not differ, by type of models and size.

    Args:
        simulated: simulations by type of models.
        five: the learners of the paper's section 5.1, and J48.
    """
    sizes = next(iter(simulated.values())).sizes
    rows = []
    for kind, sim in simulated.items():
        own = sim.of(five)
        texts = ["; ".join(" ".join(group) for group in own.groups(size)) for size in sizes]
        rows.append([KINDS[kind], *texts])
    return report_table(
        "Section 5.1: groups of learners that do not differ, best first",
        ["models", *(f"{size} rows" for size in sizes)],
        rows,
        "Two learners of one group: the 95 % interval of their paired difference holds zero, "
        "with Bonferroni's correction over the pairs of a size.",
    )


def section_2(results: Mapping[str, SetResult], printed: Mapping[str, Any]) -> list[ReportTable]:
    """The tables of section 5.2.

    They are accuracies beside appendix A.2, rewards with their bound beside A.1, and significant
    differences as in tables 1 and 2.
    """
    if not results:
        return []
    return [
        _accuracies(results, printed),
        _differences(results, printed),
        _rewards(results, printed),
        _significance(results, printed, "reward", "table1", "Table 1: information reward"),
        _significance(results, printed, "accuracy", "table2", "Table 2: accuracy"),
    ]


def out_of_reach(rows: Sequence[Row]) -> list[ReportTable]:
    """A table of the accuracies that differ from the printed ones by more than chance allows, with
    the explanation of each; no table if there are none."""
    lines = [
        [row.dataset, row.method, f"{row.value:.1f}", f"{row.published:.1f}", row.note or ""]
        for row in rows
        if row.quantity == "accuracy" and row.match is False
    ]
    if not lines:
        return []
    return [
        report_table(
            "Section 5.2: accuracies out of reach of the printed ones",
            ["data set", "learner", "here", "A.2", "what is known"],
            lines,
            "Within reach: no further than three standard deviations of the mean over five "
            "repetitions, as these tell it, or a point.",
        )
    ]


def _accuracies(results: Mapping[str, SetResult], printed: Mapping[str, Any]) -> ReportTable:
    """Accuracies beside A.2, and their means.

    Args:
        results: the result on each data set.
        printed: the paper's numbers.
    """
    columns: list[tuple[Any, ...]] = [(*results, "mean")]
    for name in SHOWN:
        own = [result.order("accuracy").get(name) for result in results.values()]
        ours = [None if value is None else 100 * value for value in own]
        theirs = [100 * float(printed["accuracy"][dataset][name]) for dataset in results]
        for values in (ours, theirs):
            ran = [value for value in values if value is not None]
            mean = np.mean(ran) if ran else None
            columns.append(tuple(NOT_RUN if v is None else f"{v:.1f}" for v in (*values, mean)))
    return report_table(
        "Section 5.2: accuracy in percent, stratified 5x2cv, beside A.2",
        header_beside(["data set"], SHOWN, "A.2"),
        zip(*columns, strict=True),
        "sign: the file holds bins where the paper had numbers; nb and j48 cannot be compared "
        "there.",
        rules=(len(results),),
    )


def _differences(results: Mapping[str, SetResult], printed: Mapping[str, Any]) -> ReportTable:
    """Our accuracies minus the accuracies of A.2, in points.

    Args:
        results: the result on each data set.
        printed: the paper's numbers.
    """
    gaps: dict[str, list[float]] = {}
    for dataset, result in results.items():
        own, theirs = result.order("accuracy"), printed["accuracy"][dataset]
        points = [100 * (own.get(name, math.nan) - float(theirs[name])) for name in SHOWN]
        gaps[dataset] = [round(gap, 1) + 0.0 for gap in points]
    rows = [
        [dataset, *((NOT_RUN if math.isnan(v) else f"{v:+.1f}") for v in line)]
        for dataset, line in gaps.items()
    ]
    known = [own[~np.isnan(own)] for own in np.abs(np.array(list(gaps.values()))).T]
    medians = [float(np.median(own)) if len(own) else math.nan for own in known]
    rows.append(["median size", *(number(v, 1) for v in medians)])
    return report_table(
        "Section 5.2: differences from A.2 in points, ours less the paper's",
        ["data set", *SHOWN],
        rows,
        rules=(len(rows) - 1,),
    )


def _rewards(results: Mapping[str, SetResult], printed: Mapping[str, Any]) -> ReportTable:
    """Rewards and their bound, and how well their order agrees with A.1.

    Args:
        results: the result on each data set.
        printed: the paper's numbers.
    """
    rows, agree, pairs, rhos = [], 0, 0, []
    for dataset, result in results.items():
        # Pairs of learners that A.1 orders, and whether ours is the same order.
        rewards = result.order("reward")
        theirs = {name: float(printed["reward"][dataset][name]) for name in rewards}
        names = list(rewards)
        equal = [
            (rewards[a] - rewards[b]) * (theirs[a] - theirs[b]) > 0
            for i, a in enumerate(names)
            for b in names[:i]
            if theirs[a] != theirs[b]
        ]
        agree, pairs = agree + sum(equal), pairs + len(equal)
        rho = rank_correlation([rewards[n] for n in names], [theirs[n] for n in names])
        rhos.append(rho)
        line = [f"{rewards[name]:.3f}" if name in rewards else NOT_RUN for name in SHOWN]
        largest = (max(rewards.values()) * math.log(2.0), result.bound, max(theirs.values()))
        line += [*(f"{value:.3f}" for value in largest), f"{rho:+.1f}"]
        rows.append([dataset, *line, f"{sum(equal)}/{len(equal)}"])
    return report_table(
        "Section 5.2: Bayesian information reward in bits, its bound, and A.1's order",
        [
            "data set",
            *SHOWN,
            "best in nats",
            "bound in bits",
            "A.1's largest",
            "rank agreement",
            "pairs in A.1's order",
        ],
        rows,
        f"{agree} of {pairs} pairs of learners stand in A.1's order; mean rank agreement "
        f"(Spearman) {np.nanmean(rhos):+.2f} over {len(rhos)} sets.",
    )


def _significance(
    results: Mapping[str, SetResult],
    printed: Mapping[str, Any],
    quantity: str,
    table: str,
    title: str,
) -> ReportTable:
    """For each learner, the learners that it beats significantly, beside a table of the paper.

    Args:
        results: the result on each data set.
        printed: the paper's numbers.
        quantity: what is compared, "accuracy" or "reward".
        table: key of the paper's table in `printed`.
        title: first words of the title.
    """
    rows = []
    for dataset, result in results.items():
        losers = result.losers(quantity)
        line = [dataset]
        for name in SHOWN:
            theirs = printed[table][dataset].get(name)
            for found_ones, none in ((losers.get(name), NOT_RUN), (theirs, "lost")):
                line.append(none if found_ones is None else ", ".join(found_ones))
        rows.append(line)
    return report_table(
        f"{title}: significantly worse than the learner of the column (5x2cv t test, two-sided "
        "0.05)",
        header_beside(["data set"], SHOWN, "paper"),
        rows,
        "The print of the paper's tables is damaged: the TAN column is lost, and losers named "
        "nb are nearly all lost.",
    )


def meta_tables(meta: MetaMetric) -> list[ReportTable]:
    """Share of right picks in percent, with its confidence interval, by metric and test size, one
    table per truth. The best metric of a size is bold."""
    out = []
    for truth, words in TRUTHS.items():
        rows = []
        values = np.array([meta.right[truth, name] for name in meta.names])
        for name, line in zip(meta.names, values, strict=True):
            half = meta.spread[truth, name]
            cells = [
                Cell(f"{100 * v:.1f} ± {100 * h:.1f}", bold=bool(v == best))
                for v, h, best in zip(line, half, values.max(axis=0), strict=True)
            ]
            rows.append([name, *cells])
        out.append(
            report_table(
                f"Meta-metric: how often a metric picks the model with the {words}, percent",
                ["metric", *(f"{size} test rows" for size in meta.sizes)],
                rows,
                f"{int(meta.trials[truth].min())} or more comparisons a column; ±: 95 % over "
                "the models.",
            )
        )
    return out


def draw_simulation(sim: Simulation) -> Any:
    """Mean reward by training size with intervals, one line per learner (the right-hand panels of
    figures 2 to 4). Returns a matplotlib figure."""
    from ...plots.canvas import colour, marker, new_figure

    figure, axes = new_figure(1, 2, width=9.6, height=4.0)
    half = sim.interval()
    # Learners are shifted sideways, so that their intervals do not overlap.
    shift = np.linspace(0.94, 1.06, len(sim.learners))
    for j, learner in enumerate(sim.learners):
        x = np.array(sim.sizes) * shift[j]
        axes[0].errorbar(
            x,
            sim.reward[:, j].mean(axis=0),
            yerr=half[j],
            color=colour(j),
            marker=marker(j),
            capsize=3,
            label=learner,
            linewidth=1.4,
        )
        axes[1].plot(
            x, sim.divergence[:, j].mean(axis=0), color=colour(j), marker=marker(j), label=learner
        )
    axes[0].axhline(0.0, color="#888888", linewidth=0.8)
    axes[0].set_ylabel("Bayesian information reward (nats)")
    axes[1].set_ylabel("divergence from the truth (nats)")
    axes[1].set_yscale("log")
    titles = (f"{KINDS[sim.kind]}: reward with 95 % intervals", "what the reward stands in for")
    return _finished(figure, axes, sim.sizes, "training rows", titles)


def _finished(
    figure: Any, axes: Any, sizes: Sequence[int], rows: str, titles: Iterable[str]
) -> Any:
    """Add titles, logarithmic axes of numbers of rows, and one legend below all panels.

    Args:
        figure: the figure, which is returned.
        axes: its panels.
        sizes: ticks of the axes, numbers of rows.
        rows: label of these axes.
        titles: titles of the panels.
    """
    from ...plots.canvas import plain_frame

    for ax, title in zip(axes, titles, strict=True):
        ax.set_xscale("log")
        ax.set_xticks(sizes, [str(size) for size in sizes])
        ax.minorticks_off()
        ax.set_title(title, fontsize=10)
        ax.set_xlabel(rows)
        plain_frame(ax)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, fontsize=8, frameon=False, loc="outside lower center", ncols=len(labels)
    )
    return figure


def draw_meta(meta: MetaMetric) -> Any:
    """Share of right picks in percent by test size, one panel per truth and one line per metric.
    Returns a matplotlib figure."""
    from ...plots.canvas import colour, marker, new_figure

    figure, axes = new_figure(1, len(TRUTHS), width=12.0, height=4.2)
    for ax, truth in zip(axes, TRUTHS, strict=True):
        for j, name in enumerate(meta.names):
            ax.plot(
                meta.sizes,
                100 * meta.right[truth, name],
                color=colour(j),
                marker=marker(j),
                markersize=4,
                linewidth=1.3,
                label=name.replace("_", " "),
            )
    axes[0].set_ylabel("better model picked (%)")
    return _finished(figure, axes, meta.sizes, "test rows", TRUTHS.values())
