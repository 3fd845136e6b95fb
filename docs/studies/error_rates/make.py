"""Runs the study of the tests' error rates and writes what its page shows: counts as JSON, a
picture.

python -m docs.studies.error_rates.make        # half a minute
"""

from __future__ import annotations

from pathlib import Path

from docs.studies.error_rates import study

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Run and write."""
    result = study.run(4000, progress=True)
    (HERE / "record.json").write_text(result.to_record(), encoding="utf-8")
    result.save_png(HERE / "rates.png")


if __name__ == "__main__":
    main()
