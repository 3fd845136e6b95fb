"""Runs the study of the tests' error rates and writes what its page shows: counts as JSON, a
picture.

python -m docs.studies.error_rates.make        # half a minute
"""

from __future__ import annotations

from pathlib import Path

from docs.studies.error_rates import study
from docs.studies.recording import recorded

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Run and write."""
    result = recorded(study, 4000)
    result.save_png(HERE / "rates.png")


if __name__ == "__main__":
    main()
