"""Runs the study of bias and variance and writes what its page shows: numbers as JSON, a picture.

python -m docs.studies.bias_variance.make        # minutes
"""

from __future__ import annotations

from pathlib import Path

from docs.studies.bias_variance import study
from docs.studies.recording import recorded

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Run and write."""
    result = recorded(study, 10, 16)
    result.save_png(HERE / "parts.png")


if __name__ == "__main__":
    main()
