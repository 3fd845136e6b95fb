"""Runs the study of selection bias and writes what its page shows: counts as JSON, two pictures.

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
    result.save_png(HERE / "all_features.png", contest=selection_bias.ALL, settings=shown)
    result.save_png(HERE / "nominal_features.png", contest=selection_bias.NOMINAL, settings=shown)


if __name__ == "__main__":
    main()
