"""The claims of Späh & Kosub (2022) about their figures, and table 1, compared with our results.

Each function returns one `Verdict` per claim. The thresholds of "similar", "small" or "fails" are
ours; the evidence states them. `run` prints the verdicts, and `layout` uses `efficient`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import criteria
from ...exports.tables.table import ReportTable, report_table
from ..reproduction import Row
from .repeats import Curves, Growth, Sizes, evaluation_of, method_name

NATURAL = ("iris", "cardiotocography", "wine")
ARTIFICIAL = ("blobs", "monks-1", "monks-2", "monks-3")
SIMILAR = 1.0
"""Percentage points within which two accuracies are called similar."""
FEW = 0.05
"""Redundant splits per tree below which a distance is called efficient."""


@dataclass(frozen=True)
class Verdict:
    """A claim, whether it holds (None: its data sets were not run), and the measured numbers."""

    figure: str
    claim: str
    holds: bool | None
    evidence: str

    @property
    def word(self) -> str:
        """The verdict in words: "holds", "does not hold", or "not run" where it was not tested."""
        return "not run" if self.holds is None else "holds" if self.holds else "does not hold"


SMOOTH = ("info_gain", "gini", "normalized_vi")
"""The distances of figure 4 other than Jaccard."""


def _gap(curves: Curves, measure: str, places: Sequence[int]) -> float:
    """Global minus local accuracy, percentage points, mean over sizes.

    Args:
        curves: the learning curves of a data set.
        measure: the distance.
        places: positions of the training sizes.
    """
    both = [
        curves.accuracy[method_name(measure, e)][list(places)].mean() for e in ("global", "local")
    ]
    return 100.0 * float(both[0] - both[1])


def _nodes(curves: Curves, name: str) -> float:
    """Mean nodes at the largest training size.

    Args:
        curves: the learning curves of a data set.
        name: a `method_name`.
    """
    return float(curves.nodes[name][-1].mean())


def figure_4(curves: Mapping[str, Curves], shares: Sequence[float]) -> list[Verdict]:
    """Claims of section 2.1 about accuracy and tree size.

    Args:
        curves: the learning curves, by data set.
        shares: the training sizes as shares of the rows.
    """
    small = [i for i, share in enumerate(shares) if share <= 0.12]
    large = [i for i, share in enumerate(shares) if share >= 0.15]
    natural = {name: curves[name] for name in NATURAL if name in curves}
    artificial = {name: curves[name] for name in ARTIFICIAL if name in curves}
    return [
        _similar_on_natural(natural, large),
        _iris_overfits(natural),
        _global_ahead_when_small(natural, small),
        _equal_under_gini(artificial, large),
        _local_ahead_on_artificial(artificial, large),
        _jaccard_on_monks_1(curves, large),
        _jaccard_fails(curves, large),
    ]


def _all_gaps(
    claim: str, gaps: Mapping[Any, float], holds: Callable[[float], bool], evidence: str
) -> Verdict:
    """The verdict on a claim about every gap of figure 4.

    Args:
        claim: the claim in words.
        gaps: the gaps; without any the claim is not tested.
        holds: whether the claim holds of a gap.
        evidence: the gaps in words.
    """
    return Verdict("4", claim, all(map(holds, gaps.values())) if gaps else None, evidence)


def _similar_on_natural(curves: Mapping[str, Curves], large: list[int]) -> Verdict:
    """Whether both evaluations perform alike on natural data.

    Args:
        curves: the learning curves, by data set.
        large: positions of the training sizes from 15 % on.
    """
    gaps = {
        f"{d} {m}": _gap(curves[d], m, large)
        for d in curves
        for m in (*SMOOTH, "jaccard")
        if (d, m) != ("iris", "jaccard")
    }
    worst = max(gaps, key=lambda k: abs(gaps[k]), default="")
    said = f"largest gap of mean accuracy from 15 % on: {worst} {gaps.get(worst, 0.0):+.1f} points "
    return _all_gaps(
        "Global and local evaluation perform similarly on natural data (but for the "
        "Jaccard distance on iris)",
        gaps,
        lambda g: abs(g) <= SIMILAR,
        f"{said}(similar: within {SIMILAR:g})" if gaps else "",
    )


def _iris_overfits(curves: Mapping[str, Curves]) -> Verdict:
    """Whether trees of the global Jaccard distance are large on iris alone."""
    sizes = {
        d: (
            _nodes(curves[d], "jaccard global"),
            max(_nodes(curves[d], method_name(m, "global")) for m in SMOOTH),
        )
        for d in curves
    }
    large = [d for d, (jaccard, others) in sizes.items() if jaccard > 1.5 * others]
    return Verdict(
        "4",
        "Among natural data, only on iris does the Jaccard distance, evaluated globally, "
        "overfit with large trees",
        large == ["iris"] if "iris" in sizes and len(sizes) > 1 else None,
        "; ".join(f"{d}: {a:.1f} nodes, the others at most {b:.1f}" for d, (a, b) in sizes.items()),
    )


def _global_ahead_when_small(curves: Mapping[str, Curves], small: list[int]) -> Verdict:
    """Whether global evaluation is ahead on small training sets.

    Args:
        curves: the learning curves, by data set.
        small: positions of the training sizes up to 12 %.
    """
    gaps = {d: float(np.mean([_gap(curves[d], m, small) for m in SMOOTH])) for d in curves}
    return _all_gaps(
        "Global evaluation outperforms local evaluation on small training sets (natural data)",
        gaps,
        lambda g: g > 0,
        "mean gap up to 12 %: " + ", ".join(f"{d} {g:+.2f} points" for d, g in gaps.items()),
    )


def _equal_under_gini(curves: Mapping[str, Curves], large: list[int]) -> Verdict:
    """Whether both evaluations perform alike under Gini on artificial data.

    Args:
        curves: the learning curves, by data set.
        large: positions of the training sizes from 15 % on.
    """
    gaps = {d: _gap(curves[d], "gini", large) for d in curves}
    said = ", ".join(f"{d} {g:+.1f} points" for d, g in gaps.items())
    return _all_gaps(
        "On artificial data both perform equally well under the Gini impurity",
        gaps,
        lambda g: abs(g) <= SIMILAR,
        f"{said} (equal: within {SIMILAR:g})",
    )


def _local_ahead_on_artificial(curves: Mapping[str, Curves], large: list[int]) -> Verdict:
    """Whether local trees are better and smaller on artificial data.

    Args:
        curves: the learning curves, by data set.
        large: positions of the training sizes from 15 % on.
    """
    gaps = {
        (d, m): _gap(curves[d], m, large) for d in curves for m in ("info_gain", "normalized_vi")
    }
    nodes = {
        (d, m): _nodes(curves[d], f"{m} global") - _nodes(curves[d], f"{m} local") for d, m in gaps
    }
    return Verdict(
        "4",
        "On artificial data, otherwise, local evaluation achieves higher accuracy and "
        "smaller trees",
        all(gaps[k] < 0 < nodes[k] for k in gaps) if gaps else None,
        ", ".join(
            f"{d} {m} {g:+.1f} points, {nodes[d, m]:+.1f} nodes" for (d, m), g in gaps.items()
        ),
    )


def _jaccard_on_monks_1(curves: Mapping[str, Curves], large: list[int]) -> Verdict:
    """Whether the Jaccard distance is ahead on Monks 1.

    Args:
        curves: the learning curves, by data set.
        large: positions of the training sizes from 15 % on.
    """
    claim = "On Monks 1 the Jaccard distance is superior to all others"
    if "monks-1" not in curves:
        return Verdict("4", claim, None, "")
    accuracy = curves["monks-1"].accuracy
    means = {name: 100 * float(values[large].mean()) for name, values in accuracy.items()}
    best = max((name for name in means if not name.startswith("jaccard")), key=lambda k: means[k])
    whole, local = means["jaccard global"], means["jaccard local"]
    return Verdict(
        "4",
        f"{claim}, in particular when evaluated globally",
        whole > means[best] and whole >= local,
        f"jaccard global {whole:.1f} %, local {local:.1f} %; best other: {best} {means[best]:.1f} "
        "%",
    )


def _jaccard_fails(curves: Mapping[str, Curves], large: list[int]) -> Verdict:
    """Whether the global Jaccard distance fails on blobs and Monks 3.

    Args:
        curves: the learning curves, by data set.
        large: positions of the training sizes from 15 % on.
    """
    gaps = {d: _gap(curves[d], "jaccard", large) for d in ("blobs", "monks-3") if d in curves}
    nodes = {
        d: [f"{_nodes(curves[d], f'jaccard {e}'):.0f}" for e in ("global", "local")] for d in gaps
    }
    return _all_gaps(
        "On Gaussian blobs and Monks 3 the Jaccard distance fails if evaluated globally",
        gaps,
        lambda g: g < -SIMILAR,
        ", ".join(
            f"{d} {g:+.1f} points, {' against '.join(nodes[d])} nodes" for d, g in gaps.items()
        ),
    )


def figure_5(sizes: Sizes) -> list[Verdict]:
    """The paper's claims in section 2.2 about tree size, each tested on the simulated trees.
    `sizes` holds the nodes of consistent trees."""
    mean = {name: float(values.mean()) for name, values in sizes.nodes.items()}
    measures = list(dict.fromkeys(name.split()[0] for name in mean))
    local, whole = ({m: mean[method_name(m, e)] for m in measures} for e in ("local", "global"))
    ratio = {m: whole[m] / local[m] for m in measures}
    good = ("info_gain", "normalized_vi", "gini")
    rest = [m for m in measures if m not in good]
    worst_good, best_rest = max(local[m] for m in good), min(local[m] for m in rest)
    generating = float(np.mean(sizes.generating))
    shown = ", ".join(f"{m} {local[m]:.1f} / {whole[m]:.1f}" for m in measures)
    claims = (
        (
            "Global evaluation generates larger trees for every distance",
            all(r > 1 for r in ratio.values()),
            f"mean nodes local / global: {shown}; generating trees {generating:.1f}",
        ),
        (
            "Local information gain, normalised VI and Gini impurity generate the smallest trees",
            worst_good < best_rest,
            f"largest of these {worst_good:.1f} nodes, smallest of the other local ones "
            f"{best_rest:.1f}",
        ),
        (
            "Global evaluation of these three is not much worse",
            all(ratio[m] < 1.5 for m in good),
            ", ".join(f"{m} x {ratio[m]:.2f}" for m in good) + " (not much: below x 1.5)",
        ),
        (
            "The global versions of all others create unnecessarily large trees",
            all(whole[m] > 2 * generating for m in rest),
            ", ".join(f"{m} {whole[m]:.1f} nodes" for m in rest)
            + f" (generating: {generating:.1f})",
        ),
    )
    return [Verdict("5", *claim) for claim in claims]


def efficient(redundant: np.ndarray) -> str:
    """Whether a distance avoids redundant splits, "yes" or "no": there are fewer than `FEW` per
    tree on average.

    >>> efficient(np.zeros((2, 5))), efficient(np.ones((2, 5)))
    ('yes', 'no')
    """
    return "yes" if redundant.mean() < FEW else "no"


def figure_6(sizes: Sizes, measures: Sequence[str]) -> list[Verdict]:
    """The paper's claims in section 3.2 about redundant splits, each tested on the simulated trees
    of the given measures."""
    whole, local = (
        {m: float(sizes.redundant[method_name(m, e)].mean()) for m in measures}
        for e in ("global", "local")
    )
    blind = ("jaccard", "accuracy")
    claims = (
        (
            "All distances are susceptible to redundant splits when evaluated globally",
            all(v > 0 for v in whole.values()),
            whole,
        ),
        (
            "The extended Jaccard distance and accuracy are so locally, too; the others are "
            "efficient",
            all((local[m] >= FEW) == (m in blind) for m in measures),
            local,
        ),
    )
    said = [", ".join(f"{m} {v:.2f}" for m, v in found.items()) for _, _, found in claims]
    return [
        Verdict("6", claim, holds, f"redundant splits per tree: {text}")
        for (claim, holds, _), text in zip(claims, said, strict=True)
    ]


def figure_7(panels: Mapping[str, Growth]) -> list[Verdict]:
    """Claims of section 4 about pruning under noise, on iris.

    `panels` are the four panels of the figure, in order; empty if iris is not there.
    """
    texts = (
        "Without pruning the global tree's test accuracy has its peak in the first steps and "
        "is higher than the local one's",
        "Without pruning both end at about 60 %",
        "With at most 5 leaves the global tree ends ahead of the local one",
        "With at least 30 rows to split the local tree ends ahead of the global one",
        "No distance decay works out well: the global tree ends well above the unpruned one",
    )
    if not panels:
        return [Verdict("7", text, None, "") for text in texts]
    ends = [_by_evaluation(growth.final, 100.0) for growth in panels.values()]
    a, b, c, d = ends
    peaks = {
        evaluation_of(name): (int(np.argmax(v)), 100.0 * float(v.max()))
        for name, v in next(iter(panels.values())).test.items()
    }
    (at, peak), (local_at, local_peak) = peaks["global"], peaks["local"]
    said = [f"local {end['local']:.1f} %, global {end['global']:.1f} %" for end in ends]
    holds_and_evidence = (
        (
            at <= 5 and peak > local_peak,
            f"peak global {peak:.1f} % after {at} splits, local {local_peak:.1f} % after "
            f"{local_at}",
        ),
        (
            all(55.0 <= a[e] <= 65.0 for e in ("local", "global")),
            f"{said[0]} (about: within 5 points)",
        ),
        (b["global"] > b["local"], said[1]),
        (c["local"] > c["global"], said[2]),
        (
            d["global"] > a["global"] + 10.0,
            f"global {d['global']:.1f} % against {a['global']:.1f} % of the unpruned global tree "
            f"(well: 10 points); local {d['local']:.1f} %",
        ),
    )
    return [
        Verdict(f"7{panel}", text, *one)
        for panel, text, one in zip("aabcd", texts, holds_and_evidence, strict=True)
    ]


def _by_evaluation(values: Mapping[str, np.ndarray], factor: float) -> dict[str, float]:
    """Mean over the repetitions times a factor, by evaluation.

    Args:
        values: the values of the repetitions, by `method_name`.
        factor: number that means are multiplied by; 100: percent.
    """
    return {evaluation_of(name): factor * float(v.mean()) for name, v in values.items()}


def figure_8(panels: Mapping[str, Growth]) -> list[Verdict]:
    """The paper's claim about glocal evaluation with the Jaccard distance, once per data set; a
    data set that is not among `panels` gives "not run"."""
    out = []
    for name in ("iris", "monks-3"):
        text = f"Glocal evaluation helps against the Jaccard distance's problems on {name}"
        if name not in panels:
            out.append(Verdict("8", text, None, ""))
            continue
        growth = panels[name]
        end, splits = _by_evaluation(growth.final, 100.0), _by_evaluation(growth.steps, 1.0)
        helps = end["glocal"] >= end["global"] and splits["glocal"] < splits["global"]
        said = [f"{e} {end[e]:.1f} % with {splits[e]:.1f} splits" for e in end]
        out.append(Verdict("8", text, helps, ", ".join(said)))
    return out


TABLE_1 = {
    "info_gain": "similarity",
    "gain_ratio": "similarity",
    "normalized_vi": "distance",
    "gini": "distance",
    "jaccard": "distance",
    "accuracy": "similarity",
}
"""Kind of each distance in table 1, which calls all of them symmetric. The marks of its columns
"permutation invariant" and "metric" are lost in the text at hand."""


def _facts() -> dict[str, dict[str, object]]:
    """The registry's record of each distance of table 1."""
    registry = {row["name"]: row for row in criteria.list_criteria()}
    return {name: registry["mantaras" if name == "normalized_vi" else name] for name in TABLE_1}


def facts_table() -> ReportTable:
    """Table 1 from the registry of criteria: range and symmetry of each distance beside the
    paper's. Tests verify these facts on random tables."""
    rows = []
    for name, facts in _facts().items():
        top = "unbounded" if facts["highest"] is None else f"{facts['highest']:g}"
        names = ("symmetric", "branch_invariant", "metric")
        symmetric, *others = ("yes" if facts[fact] else "no" for fact in names)
        verdict = "=" if facts["symmetric"] else "paper: yes"
        span = f"[{facts['lowest']:g}, {top}]"
        rows.append([name, span, TABLE_1[name], symmetric, verdict, *others])
    rest = ("permutation invariant", "metric")
    return report_table(
        "Table 1: the distances as the registry knows them",
        ["distance", "range of the score", "paper prints a", "symmetric", "paper", *rest],
        rows,
        "The paper calls all of them symmetric; the Gini impurity and the gain ratio are not: "
        "[[4, 0, 1], [0, 3, 2]] has the Gini distance 0.400, its transpose 0.133.",
        "Permutation invariance and metric are facts of the local (matching) form; read from a "
        "whole tree, branch i stands for class i, and jaccard and accuracy are not permutation "
        "invariant there.",
    )


def fact_rows() -> list[Row]:
    """Symmetry of each distance, with the paper's claim that all are symmetric. Mismatches have a
    note."""
    why = "not symmetric: see the example below table 1"
    rows = []
    for name, facts in _facts().items():
        row = Row("table 1", name, "symmetric", bool(facts["symmetric"]), published=True)
        row.match, row.note = bool(row.value), None if row.value else why
        rows.append(row)
    return rows
