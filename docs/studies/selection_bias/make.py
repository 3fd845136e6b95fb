"""Runs the study of selection bias and writes what its page shows: counts as JSON, four pictures.

python -m docs.studies.selection_bias.make        # minutes
"""

from __future__ import annotations

from pathlib import Path

from docs.studies.recording import recorded
from docs.studies.selection_bias import study

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Run and write."""
    result = recorded(study)
    shown = [s for s in result.settings if s.rows == 300]
    pairs = list(study.pair_criteria())
    tables = [name for name in result.criteria if name not in pairs]
    for contest, name in ((study.ALL, "all"), (study.NOMINAL, "nominal")):
        result.save_png(
            HERE / f"{name}_features.png", contest=contest, settings=shown, criteria=tables
        )
        result.save_png(
            HERE / f"{name}_features_pairs.png", contest=contest, settings=shown, criteria=pairs
        )


if __name__ == "__main__":
    main()
