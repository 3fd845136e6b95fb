"""Runs the study of firmness of choices and writes what its page shows: counts as JSON.

python -m docs.studies.stability.make        # some minutes
"""

from __future__ import annotations

from docs.studies.recording import recorded
from docs.studies.stability import study

if __name__ == "__main__":
    print(recorded(study).to_text())
