"""Runs the study of interactions and writes what its page shows: numbers as JSON, pictures of the
study and of three trees.

python -m docs.studies.interactions.make        # minutes
"""

from __future__ import annotations

from pathlib import Path

from docs.studies.interactions import study
from docs.studies.recording import recorded

from fasttree.plots import plot_tree
from fasttree.plots.canvas import new_figure, save_small

HERE = Path(__file__).resolve().parent

SIZES = {"xor_gini": (9.5, 6.0), "xor_pi": (4.0, 2.6), "monks_1": (12.0, 4.2)}
"""Inches."""


def main() -> None:
    """Run and write."""
    result = recorded(study)
    for which in ("share", "margin", "decay", "trees"):
        result.save_png(HERE / f"{which}.png", which)
    for name, model in study.drawn_trees().items():
        figure, axes = new_figure(width=SIZES[name][0], height=SIZES[name][1])
        plot_tree(model, max_depth=None, ax=axes[0])
        save_small(figure, HERE / f"tree_{name}.png")


if __name__ == "__main__":
    main()
