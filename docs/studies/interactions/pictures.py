"""Pictures of the study of interactions: curves of recovery, Pi's map over alpha, and accuracy and
leaves of trees.

Every curve keeps its colour, dashes and marker over all panels; chance is a dotted line. O(what is
drawn).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fasttree.plots.canvas import colour, curve, marker, new_figure, plain_frame

__all__ = ["curves", "decay", "trees"]

LABELS = {
    "share": "relevant bits found (%)",
    "margin": "median margin (sd of irrelevant bits)",
}


def curves(recovered: Sequence[Any], quantity: str) -> Any:
    """`share` or `margin` of every criterion: columns are relevant bits, rows irrelevant bits and
    inverted labels."""
    from matplotlib.ticker import FixedLocator, NullLocator

    bits = list(dict.fromkeys(r.bits for r in recovered))
    names = list(dict.fromkeys(r.criterion for r in recovered))
    sweeps = (
        ("noise_bits", "flip", "irrelevant bits"),
        ("flip", "noise_bits", "inverted labels (%)"),
    )
    figure, axes = new_figure(2, len(bits), width=2.7 * len(bits) + 0.6, height=6.4)
    grid = axes.reshape(2, len(bits))
    for line, (swept, fixed, title) in zip(grid, sweeps, strict=True):
        usual = _usual(recovered, fixed)
        for ax, k in zip(line, bits, strict=True):
            here = [r for r in recovered if r.bits == k and getattr(r, fixed) == usual]
            for place, name in enumerate(names):
                own = sorted(
                    (r for r in here if r.criterion == name), key=lambda r: getattr(r, swept)
                )
                x = [getattr(r, swept) * (100 if swept == "flip" else 1) for r in own]
                scale = 100 if quantity == "share" else 1
                curve(ax, place, x, [scale * getattr(r, quantity) for r in own], name, dots=True)
            x = sorted({getattr(r, swept) for r in here})
            if quantity == "share":
                chance = [100 * k / (k + (v if swept == "noise_bits" else usual)) for v in x]
                ax.set_ylim(-4, 104)
            else:
                chance = [0.0] * len(x)
                ax.set_yscale("symlog", linthresh=2.0)
            scale = 100 if swept == "flip" else 1
            ax.plot(
                [scale * v for v in x],
                chance,
                ":",
                color="#555555",
                linewidth=1.4,
                label="by chance",
            )
            if swept == "noise_bits":
                ax.set_xscale("log", base=2)
                ax.xaxis.set_major_locator(FixedLocator(x))
                ax.xaxis.set_minor_locator(NullLocator())
                ax.set_xticklabels([str(v) for v in x])
            said = f"{100 * usual:g} % inverted" if fixed == "flip" else f"{usual} irrelevant bits"
            ax.set_title(f"parity of {k} bits, {said}", fontsize=9)
            ax.set_xlabel(title, fontsize=9)
            ax.tick_params(labelsize=8)
            plain_frame(ax)
        line[0].set_ylabel(LABELS[quantity], fontsize=9)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        fontsize=9,
        frameon=False,
        loc="outside lower center",
        ncols=5,
        handlelength=3,
    )
    return figure


def _usual(recovered: Sequence[Any], fixed: str) -> Any:
    """The value of `fixed` that most settings share."""
    values = [getattr(r, fixed) for r in recovered]
    return max(dict.fromkeys(values), key=values.count)


def decay(by_alpha: Sequence[Any]) -> Any:
    """Heat maps: share of the relevant bits that Pi finds, alpha by irrelevant bits, a column for
    each number of relevant bits."""
    bits = list(dict.fromkeys(r.bits for r in by_alpha))
    forms = {"": "", ", unweighted": ", no weight"}
    alphas = list(dict.fromkeys(r.criterion.partition(",")[0] for r in by_alpha))
    widths = sorted({r.noise_bits for r in by_alpha})
    figure, axes = new_figure(2, len(bits), width=2.7 * len(bits) + 1.2, height=7.2)
    grid = axes.reshape(2, len(bits))
    image = None
    for line, (form, end) in zip(grid, forms.items(), strict=True):
        for ax, k in zip(line, bits, strict=True):
            found = {(r.criterion, r.noise_bits): 100 * r.share for r in by_alpha if r.bits == k}
            share = np.array([[found[a + end, w] for w in widths] for a in alphas])
            image = ax.imshow(share, cmap="viridis", vmin=0, vmax=100, aspect="auto")
            for (i, j), value in np.ndenumerate(share):
                dark = "black" if value > 60 else "white"
                ax.text(j, i, f"{value:.0f}", ha="center", va="center", fontsize=8, color=dark)
            ax.set_title(f"Pi{form}, parity of {k} bits", fontsize=9)
            ax.set_xticks(range(len(widths)), [str(w) for w in widths], fontsize=9)
            ax.set_yticks(
                range(len(alphas)), [a.removeprefix("alpha ") for a in alphas], fontsize=9
            )
            ax.set_xlabel("irrelevant bits", fontsize=9)
        line[0].set_ylabel("alpha", fontsize=9)
    figure.colorbar(image, ax=list(axes), label="relevant bits found (%)", shrink=0.7)
    return figure


def trees(grown: Sequence[Any]) -> Any:
    """Accuracy and leaves (logarithmic) below it, a column a problem in lines of three, a line a
    criterion."""
    problems = list(dict.fromkeys(g.problem for g in grown))
    names = list(dict.fromkeys(g.criterion for g in grown))
    columns = min(3, len(problems))
    blocks = -(-len(problems) // columns)
    figure, axes = new_figure(2 * blocks, columns, width=2.5 * columns + 1.2, height=4.4 * blocks)
    grid = axes.reshape(blocks, 2, columns)
    y = np.arange(len(names))[::-1]
    for place, problem in enumerate(problems):
        block, column = divmod(place, columns)
        own = [
            next(g for g in grown if (g.criterion, g.problem) == (name, problem)) for name in names
        ]
        above, below = grid[block, :, column]
        for order, (one, at) in enumerate(zip(own, y, strict=True)):
            style = {
                "color": colour(order),
                "marker": marker(order),
                "markersize": 6,
                "linestyle": "none",
            }
            above.errorbar(100 * one.accuracy, at, xerr=100 * one.sd, capsize=2, **style)
            below.plot(one.leaves, at, **style)
        above.set_title(problem, fontsize=9)
        above.set_xlim(36, 104)
        above.set_xlabel("accuracy (%)", fontsize=9)
        below.set_xscale("log", base=2)
        below.set_xlim(0.7, 2.0 * max(g.leaves for g in grown))
        below.set_xticks([1, 4, 16, 64], ["1", "4", "16", "64"])
        below.set_xlabel("leaves", fontsize=9)
        for ax in (above, below):
            ax.set_yticks(y, names if column == 0 else [""] * len(names), fontsize=9)
            ax.set_ylim(-0.7, len(names) - 0.3)
            ax.tick_params(axis="x", labelsize=8)
            plain_frame(ax, "both")
    for ax in grid.transpose(0, 2, 1).reshape(-1, 2)[len(problems) :].ravel():
        ax.set_visible(False)
    return figure
