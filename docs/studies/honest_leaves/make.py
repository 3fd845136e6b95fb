"""Runs the study of honest leaves and writes what its page shows: counts as JSON.

python -m docs.studies.honest_leaves.make        # ten minutes
"""

from __future__ import annotations

from docs.studies.honest_leaves import study
from docs.studies.recording import recorded

if __name__ == "__main__":
    print(recorded(study).to_text())
