"""Runs the study of greedy and optimal trees, prints its tables, and writes what its pages show:
numbers as JSON, a picture of the excess, and one of the bound that makes the search fast.

python -m docs.studies.optimal_trees.make        # a minute
"""

from __future__ import annotations

from pathlib import Path

from docs.studies.optimal_trees import pictures, study
from docs.studies.recording import recorded

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Run, print and write."""
    result = recorded(study)
    print(result.to_text())
    result.save_png(HERE / "excess.png")
    pictures.save_bound(HERE / "bound.png")


if __name__ == "__main__":
    main()
