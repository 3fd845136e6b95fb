"""Runs the study of honest leaves and writes what its page shows: counts as JSON.

python -m docs.studies.honest_leaves.make        # ten minutes
"""

from __future__ import annotations

from pathlib import Path

from docs.studies.honest_leaves import study

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Run and write."""
    result = study.run(progress=True)
    (HERE / "record.json").write_text(result.to_record(), encoding="utf-8")
    print(result.to_text())


if __name__ == "__main__":
    main()
