"""Runs the study of the tests' error rates and writes what its page shows: counts as JSON, a
picture.

python docs/error_rates/make.py        # half a minute
"""

from __future__ import annotations

from pathlib import Path

from fasttree.experiments import error_rates

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Run and write."""
    result = error_rates.run(4000, progress=True)
    (HERE / "record.json").write_text(result.to_record(), encoding="utf-8")
    result.save_png(HERE / "rates.png")


if __name__ == "__main__":
    main()
