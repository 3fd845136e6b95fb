"""Runs the study of selection bias and writes what its page shows: counts as JSON, four pictures.

python docs/selection_bias/make.py        # minutes
"""

from __future__ import annotations

from pathlib import Path

from fasttree.experiments import selection_bias

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Run and write."""
    result = selection_bias.run(progress=True)
    (HERE / "record.json").write_text(result.to_record(), encoding="utf-8")
    shown = [s for s in result.settings if s.rows == 200]
    pairs = list(selection_bias.pair_criteria())
    tables = [name for name in result.criteria if name not in pairs]
    for contest, name in ((selection_bias.ALL, "all"), (selection_bias.NOMINAL, "nominal")):
        result.save_png(
            HERE / f"{name}_features.png", contest=contest, settings=shown, criteria=tables
        )
        result.save_png(
            HERE / f"{name}_features_pairs.png", contest=contest, settings=shown, criteria=pairs
        )


if __name__ == "__main__":
    main()
