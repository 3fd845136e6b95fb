"""Demsar's diagram as SVG: mean ranks on a line, bars over methods that do not differ by Nemenyi's
test, or over all where Iman & Davenport's does not reject.

Every method has a line of text of its own, left the better half, right the others.  O(methods).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...exports.words import fit_width, text_width, xml
from .charts import STYLES

if TYPE_CHECKING:
    from ...model_selection.statistics.outcome import FriedmanResult

SMALL, LINE, SCALE_WIDTH, LONGEST = 12.5, 22, 420, 260


def bars_text(result: FriedmanResult) -> str:
    """What the bars of `rank_svg` are over."""
    if result.significant:
        return "Methods under one bar do not differ significantly (Nemenyi's test)."
    return (
        f"One bar is over all methods: {result.test}'s test shows no difference among them, so "
        "that pairs are not compared."
    )


def rank_svg(result: FriedmanResult) -> str:
    """Return an SVG element of a `FriedmanResult`."""
    # The scale of ranks is SCALE_WIDTH px wide, between margins for the longest name.
    k = len(result.names)
    ranks = np.asarray(result.mean_ranks)
    order = np.argsort(ranks, kind="stable").tolist()
    left = (k + 1) // 2
    names = [f"{fit_width(result.names[i], SMALL, LONGEST)} ({ranks[i]:.2f})" for i in range(k)]
    margin = 24 + max(text_width(one, SMALL) for one in names)
    x = {rank: margin + (rank - 1) / (k - 1) * SCALE_WIDTH for rank in range(1, k + 1)}
    at = [float(margin + (r - 1) / (k - 1) * SCALE_WIDTH) for r in ranks]
    base = 62
    # Bars of groups are below the scale, names below the bars: half of them on each side.
    groups = result.groups
    first = base + 18 + 9 * len(groups)
    width, height = 2 * margin + SCALE_WIDTH, first + LINE * left
    end = margin + min(result.critical_difference, k - 1) / (k - 1) * SCALE_WIDTH
    arrow = "" if result.critical_difference <= k - 1 else " (longer than the scale)"
    # The scale with its ticks, and the critical difference above it.
    out = [
        f'<svg class="chart ranks" role="img" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" '
        f'height="{height:.0f}" aria-label="{xml(result.sentence)}">',
        f'<path class="frame" d="M{margin:.0f} {base}H{margin + SCALE_WIDTH:.0f}'
        + "".join(f"M{p:.1f} {base}v-7" for p in x.values())
        + f'M{margin:.0f} 22H{end:.1f}M{margin:.0f} 18v8M{end:.1f} 18v8"/>',
        f'<text class="axis" x="{margin:.0f}" y="13">{result.caption}{arrow}</text>',
        *(
            f'<text class="tick" x="{p:.1f}" y="{base - 11}" text-anchor="middle">{rank}</text>'
            for rank, p in x.items()
        ),
    ]
    # One line per method, from its mean rank to its name.
    for place, i in enumerate(order):
        on_left = place < left
        y = first + LINE * (place if on_left else k - 1 - place)
        stop = margin - 10 if on_left else margin + SCALE_WIDTH + 10
        out.append(f'<path class="line m{i % STYLES}" d="M{at[i]:.1f} {base}V{y}H{stop:.0f}"/>')
        anchor, shift = ("end", -5) if on_left else ("start", 5)
        out.append(
            f'<text class="name" x="{stop + shift:.0f}" y="{y + 4}" text-anchor="{anchor}">'
            f"<title>{xml(result.names[i])}</title>{xml(names[i])}</text>"
        )
    # One bar per group of methods that do not differ.
    for level, group in enumerate(groups):
        inside = [at[result.names.index(name)] for name in group]
        y = base + 8 + 9 * level
        out.append(f'<path class="group" d="M{min(inside) - 4:.1f} {y}H{max(inside) + 4:.1f}"/>')
    return "".join(out) + "</svg>"
