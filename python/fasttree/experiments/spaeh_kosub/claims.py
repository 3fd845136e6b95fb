"""The claims of Späh & Kosub (2022) about their figures, and table 1, compared with our results.

Each function returns one `Verdict` per claim. The thresholds of "similar", "small" or "fails" are
ours; the evidence states them. `run` prints the verdicts, and `layout` uses `efficient`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ... import criteria
from ...reports import Cell, ReportTable
from ..reproduction import Row
from .repeats import Curves, Growth, Sizes, evaluation_of, method_name

__all__ = [
    "FEW",
    "Verdict",
    "efficient",
    "fact_rows",
    "facts_table",
    "figure_4",
    "figure_5",
    "figure_6",
    "figure_7",
    "figure_8",
]

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
        """The verdict in a word."""
        return "not run" if self.holds is None else "holds" if self.holds else "does not hold"


SMOOTH = ("info_gain", "gini", "normalized_vi")
"""The distances of figure 4 other than Jaccard."""


def _gap(curves: Curves, measure: str, places: Sequence[int]) -> float:
    """Global minus local accuracy, percentage points, mean over sizes."""
    both = [
        curves.accuracy[method_name(measure, e)][list(places)].mean() for e in ("global", "local")
    ]
    return 100.0 * float(both[0] - both[1])


def _nodes(curves: Curves, name: str) -> float:
    """Mean nodes at the largest training size."""
    return float(curves.nodes[name][-1].mean())


def figure_4(curves: Mapping[str, Curves], shares: Sequence[float]) -> list[Verdict]:
    """Claims of section 2.1 about accuracy and tree size."""
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


def _similar_on_natural(curves: Mapping[str, Curves], large: list[int]) -> Verdict:
    """Whether both evaluations perform alike on natural data."""
    gaps = {
        f"{d} {m}": _gap(curves[d], m, large)
        for d in curves
        for m in (*SMOOTH, "jaccard")
        if (d, m) != ("iris", "jaccard")
    }
    worst = max(gaps, key=lambda k: abs(gaps[k]), default="")
    return Verdict(
        "4",
        (
            "Global and local evaluation perform similarly on natural data (but for the "
            "Jaccard distance on iris)"
        ),
        all(abs(g) <= SIMILAR for g in gaps.values()) if gaps else None,
        f"largest gap of mean accuracy from 15 % on: {worst} {gaps[worst]:+.1f} points "
        f"(similar: within {SIMILAR:g})"
        if gaps
        else "",
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
    return Verdict(
        "4",
        (
            "Among natural data, only on iris does the Jaccard distance, evaluated globally, "
            "overfit with large trees"
        ),
        (
            sizes["iris"][0] > 1.5 * sizes["iris"][1]
            and all(a <= 1.5 * b for d, (a, b) in sizes.items() if d != "iris")
        )
        if "iris" in sizes and len(sizes) > 1
        else None,
        "; ".join(f"{d}: {a:.1f} nodes, the others at most {b:.1f}" for d, (a, b) in sizes.items()),
    )


def _global_ahead_when_small(curves: Mapping[str, Curves], small: list[int]) -> Verdict:
    """Whether global evaluation is ahead on small training sets."""
    gaps = {d: float(np.mean([_gap(curves[d], m, small) for m in SMOOTH])) for d in curves}
    return Verdict(
        "4",
        "Global evaluation outperforms local evaluation on small training sets (natural data)",
        all(g > 0 for g in gaps.values()) if gaps else None,
        "mean gap up to 12 %: " + ", ".join(f"{d} {g:+.2f} points" for d, g in gaps.items()),
    )


def _equal_under_gini(curves: Mapping[str, Curves], large: list[int]) -> Verdict:
    """Whether both evaluations perform alike under Gini on artificial data."""
    gini = {d: _gap(curves[d], "gini", large) for d in curves}
    return Verdict(
        "4",
        "On artificial data both perform equally well under the Gini impurity",
        all(abs(g) <= SIMILAR for g in gini.values()) if gini else None,
        ", ".join(f"{d} {g:+.1f} points" for d, g in gini.items())
        + f" (equal: within {SIMILAR:g})",
    )


def _local_ahead_on_artificial(curves: Mapping[str, Curves], large: list[int]) -> Verdict:
    """Whether local trees are better and smaller on artificial data."""
    other = {
        (d, m): _gap(curves[d], m, large) for d in curves for m in ("info_gain", "normalized_vi")
    }
    nodes = {
        k: _nodes(curves[k[0]], f"{k[1]} global") - _nodes(curves[k[0]], f"{k[1]} local")
        for k in other
    }
    return Verdict(
        "4",
        (
            "On artificial data, otherwise, local evaluation achieves higher accuracy and "
            "smaller trees"
        ),
        (all(g < 0 for g in other.values()) and all(n > 0 for n in nodes.values()))
        if other
        else None,
        ", ".join(
            f"{d} {m} {g:+.1f} points, {nodes[d, m]:+.1f} nodes" for (d, m), g in other.items()
        ),
    )


def _jaccard_on_monks_1(curves: Mapping[str, Curves], large: list[int]) -> Verdict:
    """Whether the Jaccard distance is ahead on Monks 1."""
    if "monks-1" not in curves:
        return Verdict("4", "On Monks 1 the Jaccard distance is superior to all others", None, "")
    means = {
        name: 100 * float(values[large].mean())
        for name, values in curves["monks-1"].accuracy.items()
    }
    rest = {name: v for name, v in means.items() if not name.startswith("jaccard")}
    best = max(rest, key=lambda k: rest[k])
    return Verdict(
        "4",
        (
            "On Monks 1 the Jaccard distance is superior to all others, in particular when "
            "evaluated globally"
        ),
        means["jaccard global"] > rest[best] and means["jaccard global"] >= means["jaccard local"],
        f"jaccard global {means['jaccard global']:.1f} %, local "
        f"{means['jaccard local']:.1f} %; best other: {best} "
        f"{rest[best]:.1f} %",
    )


def _jaccard_fails(curves: Mapping[str, Curves], large: list[int]) -> Verdict:
    """Whether the global Jaccard distance fails on blobs and Monks 3."""
    failing = {d: _gap(curves[d], "jaccard", large) for d in ("blobs", "monks-3") if d in curves}
    return Verdict(
        "4",
        "On Gaussian blobs and Monks 3 the Jaccard distance fails if evaluated globally",
        all(g < -SIMILAR for g in failing.values()) if failing else None,
        ", ".join(
            f"{d} {g:+.1f} points, {_nodes(curves[d], 'jaccard global'):.0f} against "
            f"{_nodes(curves[d], 'jaccard local'):.0f} nodes"
            for d, g in failing.items()
        ),
    )


def figure_5(sizes: Sizes) -> list[Verdict]:
    """Claims of section 2.2 about tree size."""
    mean = {name: float(values.mean()) for name, values in sizes.nodes.items()}
    measures = list(dict.fromkeys(name.split()[0] for name in mean))
    ratio = {m: mean[method_name(m, "global")] / mean[method_name(m, "local")] for m in measures}
    good = ("info_gain", "normalized_vi", "gini")
    rest = [m for m in measures if m not in good]
    worst_good = max(mean[method_name(m, "local")] for m in good)
    best_rest = min(mean[method_name(m, "local")] for m in rest)
    generating = float(np.mean(sizes.generating))
    shown = ", ".join(
        f"{m} {mean[method_name(m, 'local')]:.1f} / {mean[method_name(m, 'global')]:.1f}"
        for m in measures
    )
    return [
        Verdict(
            "5",
            "Global evaluation generates larger trees for every distance",
            all(r > 1 for r in ratio.values()),
            f"mean nodes local / global: {shown}; generating trees {generating:.1f}",
        ),
        Verdict(
            "5",
            "Local information gain, normalised VI and Gini impurity generate the smallest trees",
            worst_good < best_rest,
            (
                f"largest of these {worst_good:.1f} nodes, smallest of the other local ones "
                f"{best_rest:.1f}"
            ),
        ),
        Verdict(
            "5",
            "Global evaluation of these three is not much worse",
            all(ratio[m] < 1.5 for m in good),
            ", ".join(f"{m} x {ratio[m]:.2f}" for m in good) + " (not much: below x 1.5)",
        ),
        Verdict(
            "5",
            "The global versions of all others create unnecessarily large trees",
            all(mean[method_name(m, "global")] > 2 * generating for m in rest),
            ", ".join(f"{m} {mean[method_name(m, 'global')]:.1f} nodes" for m in rest)
            + f" (generating: {generating:.1f})",
        ),
    ]


def efficient(redundant: np.ndarray) -> str:
    """Whether a distance avoids redundant splits.

    >>> efficient(np.zeros((2, 5))), efficient(np.ones((2, 5)))
    ('yes', 'no')
    """
    return "yes" if redundant.mean() < FEW else "no"


def figure_6(sizes: Sizes, measures: Sequence[str]) -> list[Verdict]:
    """Claims of section 3.2 about redundant splits."""
    mean = {name: float(values.mean()) for name, values in sizes.redundant.items()}
    whole = {m: mean[method_name(m, "global")] for m in measures}
    local = {m: mean[method_name(m, "local")] for m in measures}
    blind = ("jaccard", "accuracy")
    return [
        Verdict(
            "6",
            "All distances are susceptible to redundant splits when evaluated globally",
            all(v > 0 for v in whole.values()),
            "redundant splits a tree: " + ", ".join(f"{m} {v:.2f}" for m, v in whole.items()),
        ),
        Verdict(
            "6",
            (
                "The extended Jaccard distance and accuracy are so locally, too; the others are "
                "efficient"
            ),
            all(local[m] >= FEW for m in blind)
            and all(local[m] < FEW for m in measures if m not in blind),
            "redundant splits a tree: " + ", ".join(f"{m} {v:.2f}" for m, v in local.items()),
        ),
    ]


def figure_7(panels: Mapping[str, Growth]) -> list[Verdict]:
    """Claims of section 4 about pruning under noise, on iris.

    `panels` are the four panels of the figure, in order; empty if iris is not there.
    """
    texts = (
        (
            "Without pruning the global tree's test accuracy has its peak in the first steps and "
            "is higher than the local one's"
        ),
        "Without pruning both end at about 60 %",
        "With at most 5 leaves the global tree ends ahead of the local one",
        "With at least 30 rows to split the local tree ends ahead of the global one",
        "No distance decay works out well: the global tree ends well above the unpruned one",
    )
    if not panels:
        return [Verdict("7", text, None, "") for text in texts]
    a, b, c, d = panels.values()

    def pair(growth: Growth) -> tuple[float, float]:
        """Mean final accuracy of local and of global growth, percent."""
        by = {
            evaluation_of(name): 100.0 * float(values.mean())
            for name, values in growth.final.items()
        }
        return by["local"], by["global"]

    peaks = {
        evaluation_of(name): (int(np.argmax(v)), 100.0 * float(v.max()))
        for name, v in a.test.items()
    }
    end_a, end_b, end_c, end_d = pair(a), pair(b), pair(c), pair(d)
    return [
        Verdict(
            "7a",
            texts[0],
            peaks["global"][0] <= 5 and peaks["global"][1] > peaks["local"][1],
            f"peak global {peaks['global'][1]:.1f} % after {peaks['global'][0]} splits, local "
            f"{peaks['local'][1]:.1f} % after "
            f"{peaks['local'][0]}",
        ),
        Verdict(
            "7a",
            texts[1],
            all(55.0 <= end <= 65.0 for end in end_a),
            f"local {end_a[0]:.1f} %, global {end_a[1]:.1f} % (about: within 5 points)",
        ),
        Verdict(
            "7b", texts[2], end_b[1] > end_b[0], f"local {end_b[0]:.1f} %, global {end_b[1]:.1f} %"
        ),
        Verdict(
            "7c", texts[3], end_c[0] > end_c[1], f"local {end_c[0]:.1f} %, global {end_c[1]:.1f} %"
        ),
        Verdict(
            "7d",
            texts[4],
            end_d[1] > end_a[1] + 10.0,
            (
                f"global {end_d[1]:.1f} % against {end_a[1]:.1f} % of the unpruned global tree "
                f"(well: 10 points); local {end_d[0]:.1f} %"
            ),
        ),
    ]


def figure_8(panels: Mapping[str, Growth]) -> list[Verdict]:
    """The claim about glocal evaluation."""
    out = []
    for name in ("iris", "monks-3"):
        text = f"Glocal evaluation helps against the Jaccard distance's problems on {name}"
        if name not in panels:
            out.append(Verdict("8", text, None, ""))
            continue
        growth = panels[name]
        end = {evaluation_of(key): 100.0 * float(v.mean()) for key, v in growth.final.items()}
        splits = {evaluation_of(key): float(v.mean()) for key, v in growth.steps.items()}
        out.append(
            Verdict(
                "8",
                text,
                end["glocal"] >= end["global"] and splits["glocal"] < splits["global"],
                ", ".join(
                    f"{e} {end[e]:.1f} % with {splits[e]:.1f} splits"
                    for e in ("local", "global", "glocal")
                ),
            )
        )
    return out


TABLE_1 = {
    "info_gain": ("similarity", None, True),
    "gain_ratio": ("similarity", 1.0, True),
    "normalized_vi": ("distance", 1.0, True),
    "gini": ("distance", 1.0, True),
    "jaccard": ("distance", None, True),
    "accuracy": ("similarity", 1.0, True),
}
"""Table 1 as far as its text survives: kind, upper end of the range (None: not a constant),
symmetric. The marks of the columns "permutation invariant" and "metric" are lost in the text at
hand."""


def _facts() -> dict[str, dict[str, object]]:
    """The registry's record of each distance of table 1."""
    registry = {row["name"]: row for row in criteria.list_criteria()}
    return {name: registry["mantaras" if name == "normalized_vi" else name] for name in TABLE_1}


def facts_table() -> ReportTable:
    """Table 1 from the registry of criteria, whose facts the tests verify on random tables."""
    rows = []
    for name, facts in _facts().items():
        top = "unbounded" if facts["highest"] is None else f"{facts['highest']:g}"
        said = TABLE_1[name][2]
        rows.append(
            [
                Cell(name),
                Cell(f"[{facts['lowest']:g}, {top}]"),
                Cell(TABLE_1[name][0]),
                Cell("yes" if facts["symmetric"] else "no"),
                Cell("=" if facts["symmetric"] is said else "paper: yes"),
                Cell("yes" if facts["branch_invariant"] else "no"),
                Cell("yes" if facts["metric"] else "no"),
            ]
        )
    return ReportTable(
        "Table 1: the distances as the registry knows them",
        [
            "distance",
            "range of the score",
            "paper prints a",
            "symmetric",
            "paper",
            "permutation invariant",
            "metric",
        ],
        rows,
        (),
        [
            "The paper calls all of them symmetric; the Gini impurity and the gain ratio are not: "
            "[[4, 0, 1], [0, 3, 2]] has "
            "the Gini distance 0.400, its transpose 0.133.",
            "Permutation invariance and metric are facts of the local (matching) form; read from a "
            "whole tree, branch i stands "
            "for class i, and jaccard and accuracy are not permutation invariant there.",
        ],
    )


def fact_rows() -> list[Row]:
    """Symmetry of each distance, with the paper's claim."""
    why = "not symmetric: see the example below table 1"
    return [
        Row(
            "table 1",
            name,
            "symmetric",
            bool(facts["symmetric"]),
            published=TABLE_1[name][2],
            match=facts["symmetric"] is TABLE_1[name][2],
            note=None if facts["symmetric"] is TABLE_1[name][2] else why,
        )
        for name, facts in _facts().items()
    ]
