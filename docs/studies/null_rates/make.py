"""Runs the study of null rates and writes what its page shows: counts as JSON.

python -m docs.studies.null_rates.make        # a quarter of an hour
"""

from __future__ import annotations

from docs.studies.null_rates import study
from docs.studies.recording import recorded

if __name__ == "__main__":
    print(recorded(study).to_text())
