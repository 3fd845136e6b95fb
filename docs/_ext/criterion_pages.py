"""One page a criterion under ``reference/criteria``, written from the registry before each build.

A page has the formula, a curve on tables of two branches and two classes, the facts, the paper and
when to use the criterion. The pages are not kept under version control.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from written import write_pages

import fasttree
from fasttree._checks.declared import given_options

# Named, not walked: a criterion that is not here has a page without this section.
WHEN = {
    "info_gain": "The standard choice for binary splits. It prefers features with many values; use "
    "``gain_ratio`` or ``nominal_splits='subset'`` where features differ much in that.",
    "gain_ratio": "Nominal features with different numbers of values, and wherever results should "
    "be comparable with C4.5 (``presets.C45``).",
    "normal_gain": "Nominal features whose declared number of values is known; see the paper.",
    "mantaras": "A metric between the split and the classes; small splits with many values are not "
    "preferred. Good with global growth.",
    "variation_of_information": "Global growth under a metric: the distance of the whole tree's "
    "leaves to the classes in bits.",
    "symmetric_uncertainty": "Ranking features of different numbers of values on one scale "
    "from 0 to 1.",
    "geometric_nmi": "Comparing clusterings; scores between those of ``min_nmi`` and ``max_nmi``.",
    "min_nmi": "Comparing clusterings of different fineness: a refinement of the classes scores 1.",
    "max_nmi": "Comparing clusterings where a refinement of the classes must not score 1.",
    "gini": "The default of CART and scikit-learn. Nearly the same trees as ``info_gain``.",
    "chi2": "A significance view of a split; it grows with the rows, so compare within one node.",
    "g_statistic": "As ``chi2``, by the likelihood ratio; it chooses the same splits as "
    "``info_gain`` within a node.",
    "laplace": "Rule-like, pure branches with a correction for small ones.",
    "accuracy": "As a baseline, or for global growth where the error on the training rows is what "
    "counts. Locally it often sees no split where others do.",
    "jaccard": "Global growth: each class should be one branch. The measure of Späh & Kosub.",
    "f_measure": "Classes of interest by their own F measure; local growth.",
    "f_measure_max": "One positive class that is rare: splits that classify it well by F measure.",
    "mdl": "Few rows and many features: it stops by itself where a split does not pay for its "
    "description.",
    "dkm": "Steeper than ``gini`` near pure branches; smaller trees in Dietterich's experiments.",
    "hellinger": "Rare classes: the score does not depend on the class shares.",
    "euclid": "A simple difference of the branches' class shares, for teaching and comparison.",
    "angle": "As ``orthogonality``, from shares instead of counts.",
    "orthogonality": "Branches that have no class in common (ID3-IV, GID3*).",
    "class_euclid": "CORElearn's DistEuclid, for comparison with R.",
    "class_angle": "CORElearn's DistAngle, for comparison with R.",
    "twoing": "Many classes and binary splits: it looks for two groups of classes (CART).",
    "auc": "Ranking matters more than classification: probabilities, costs unknown.",
    "pi": "Interacting features (XOR): pairs of near rows see what tables of one feature cannot.",
    "contextual_merit": "Ranking interacting features by near pairs of different classes.",
    "relief": "As ``pi`` in its simplest form: near rows only.",
    "minimal_tree_size": "Small sets: the number of nodes that the smallest tree would need.",
    "relieff": "Ranking interacting features, numbers included, by a fixed number of neighbours.",
    "rrelieff": "As ``relieff``, for a number: features that matter together only.",
    "surf": "As ``relieff`` without choosing k: all rows within the mean distance.",
    "surf_star": "As ``surf``, and rows that are far away count against.",
    "multisurf": "Genotypes and other interacting features: the best of the family in "
    "Urbanowicz et al. (2018).",
    "multisurf_star": "Pure two-way interactions without main effects.",
    "k_nearest_merit": "Contextual merit as Hong's paper computes it, by k nearest rows.",
    "squared_error": "The default for a number: leaves predict means. A few numbers far from all "
    "others can decide a split.",
    "absolute_error": "Numbers with outliers: leaves predict medians, and an error counts by its "
    "size, not by its square.",
    "quantile": "A bound that a share q of the rows stays below, such as a time that suffices in "
    "nine cases of ten. Leaves need rows enough for their quantile: set ``min_samples_leaf``.",
    "poisson": "Counts and rates, whose variance grows with their mean, and counts over different "
    "times or areas (``exposure`` of ``FastTreeRegressor.fit``).",
    "standard_deviation": "Comparison with M5 and Weka's M5P; outliers weigh less than in "
    "``squared_error``.",
}

WIDTH, HEIGHT, PAD = 480, 240, 54


def curve_points(
    score: Callable[[list[list[float]]], float], left: int
) -> list[tuple[float, float]]:
    """Scores of tables of 50 rows of each class, of which ``left`` rows go to the left branch,
    over the number of class 1 among them."""
    tables = [[[left - c, c], [50 - left + c, 50 - c]] for c in range(left + 1)]
    return [(c / left, round(score(table), 9) + 0.0) for c, table in enumerate(tables)]


def curve(score: Callable[[list[list[float]]], float], name: str) -> list[str]:
    """The curve as SVG within the page; it takes the colours of the text around it."""
    curves = {size: curve_points(score, size) for size in (50, 10)}
    values = [value for points in curves.values() for _, value in points]
    low, high = min(values), max(values)
    span = high - low or 1.0

    def x(share: float) -> float:
        return PAD + (WIDTH - 2 * PAD) * share

    def y(value: float) -> float:
        return HEIGHT - PAD - (HEIGHT - 1.4 * PAD) * (value - low) / span

    lines = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" class="criterion-curve" role="img" '
        f'aria-label="Curve of {name}: score over the share of class 1 in the left branch">'
    ]
    for value in (low, high):
        lines.append(f'<text x="{PAD - 6}" y="{y(value) + 4:.1f}" class="end">{value:.3g}</text>')
    for share in (0.0, 0.5, 1.0):
        lines.append(f'<text x="{x(share):.1f}" y="{HEIGHT - PAD + 18}">{share:g}</text>')
    lines.append(
        f'<path class="axis" d="M{x(0):.1f},{y(high):.1f}V{y(low):.1f}H{x(1):.1f}"/>'
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 8}">share of class 1 in the left branch</text>'
    )
    for place, (size, points) in enumerate(curves.items()):
        path = "L".join(f"{x(s):.1f},{y(v):.1f}" for s, v in points)
        lines.append(f'<path class="line-{place}" d="M{path}"/>')
        top = 14 + 16 * place
        lines.append(
            f'<path class="line-{place}" d="M{WIDTH / 2 - 70},{top}h24"/>'
            f'<text x="{WIDTH / 2 - 40}" y="{top + 4}" class="start">left branch: {size} of 100 '
            f"rows"
            "</text>"
        )
    return [*lines, "</svg>"]


def page(info: dict[str, Any]) -> str:
    """The page of one criterion as reStructuredText."""
    name = info["name"]
    object_ = getattr(fasttree.criteria, info["class_name"])
    lines = [f".. _criterion-{name}:", "", name, "=" * len(name), "", info["summary"], ""]
    lines += ["Score", "-----", "", ".. math::", "", f"   {info['formula']}", ""]
    lines += ["Distance", "--------", "", ".. math::", "", f"   {info['distance']}", ""]
    if name in WHEN:
        lines += ["When to use it", "--------------", "", WHEN[name], ""]
    if info["evidence"] == "table":
        lines += ["Curve", "-----", ""]
        lines += ["Two branches and two classes of 50 rows each. The class shares of the left "]
        lines += ["branch change from one end to the other; the right branch has the rest.", ""]
        lines += [".. raw:: html", ""]
        lines += [f"   {line}" for line in curve(object_().score, name)] + [""]
    lines += ["Facts", "-----", "", ".. list-table::", "   :widths: 30 70", ""]
    for key, value in facts(info).items():
        lines += [f"   * - {key}", f"     - {value}"]
    lines += [""]
    example = worked_example(info)
    if example:
        lines += ["Example", "-------", "", *example, ""]
    options = given_options(object_.info)
    if options:
        lines += ["Options", "-------", ""]
        for option in options:
            default = {"null": "None", "true": "True", "false": "False"}.get(
                option["default"], option["default"]
            )
            lines += [f"``{option['name']}`` (default ``{default}``)"]
            lines += [f"   {option['doc']}", ""]
    return "\n".join(lines)


def worked_example(info: dict[str, Any]) -> list[str]:
    """The score of the registry's example as it is computed: of a table of classes, or of the
    numbers of each branch, which a tree of one split has. Empty where there is no example."""
    name = info["class_name"]
    if table := [list(row) for row in info["example"]]:
        score = getattr(fasttree.criteria, name)().score(table)
        return [
            f">>> from fasttree.criteria import {name}",
            f">>> print(round({name}().score({table}), 6))",
            f"{round(score, 6)}",
        ]
    branches = [list(numbers) for numbers in info["target_example"]]
    if not branches:
        return []
    branch = [chr(ord("a") + m) for m, numbers in enumerate(branches) for _ in numbers]
    numbers = [number for one in branches for number in one]
    tree = fasttree.fit({"branch": branch}, numbers, criterion=info["name"], max_depth=1)
    return [
        f"Branches with the numbers {' and '.join(map(str, branches))}:",
        "",
        ">>> import fasttree",
        f">>> X, y = {{'branch': {branch}}}, {numbers}",
        f">>> tree = fasttree.fit(X, y, criterion={info['name']!r}, max_depth=1)",
        ">>> print(round(tree.trace_[0].score, 6))",
        f"{round(tree.trace_[0].score, 6)}",
        ">>> print(tree.to_text(), end='')",
        *tree.to_text().splitlines(),
    ]


def facts(info: dict[str, Any]) -> dict[str, str]:
    """What the table of facts says."""
    low = r"-\infty" if info["lowest"] is None else f"{info['lowest']:.4g}"
    high = r"\infty" if info["highest"] is None else f"{info['highest']:.4g}"
    found = {
        "name": f'``criterion="{info["name"]}"``'
        + (", also " + ", ".join(f"``{a}``" for a in info["aliases"]) if info["aliases"] else ""),
        "class": f":class:`fasttree.criteria.{info['class_name']}`",
        "source": info["source"],
        "evidence": info["evidence"],
        "range of the score": f":math:`[{low}, {high}]`",
    }
    of_classes = ["symmetric", "metric", "convex"] if info["target"] == "classes" else []
    for key in [*of_classes, "extensive"]:
        found[key] = "yes" if info[key] else "no"
    if info["stops_without_gain"]:
        found["growth stops"] = (
            "where no split scores above the node undivided; ``min_score=-inf`` grows on"
        )
    return found


def write(folder: Path) -> None:
    """Write the pages."""
    pages = {f"{info['name']}.rst": page(info) for info in fasttree.list_criteria()}
    write_pages(folder, pages)


def setup(app: Any) -> dict[str, Any]:
    """Write the pages before Sphinx looks for sources."""
    app.connect(
        "config-inited", lambda app, _: write(Path(app.srcdir) / "reference" / "criteria"), 400
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
