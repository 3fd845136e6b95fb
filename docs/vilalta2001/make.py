"""Runs the reproduction of Vilalta et al. (2001) and writes what its page shows: its tables as
JSON, two pictures.

python docs/vilalta2001/make.py DIR        # DIR: the folder of data files; minutes
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from fasttree import experiments
from fasttree.plots.canvas import save_small

HERE = Path(__file__).resolve().parent


def main(folder: str) -> None:
    """Run and write."""
    result = experiments.run("vilalta2001", folder, n_jobs=1, progress=True)
    record = {"summary": result.summary, "tables": [asdict(table) for table in result.tables]}
    (HERE / "record.json").write_text(json.dumps(record, separators=(",", ":")), encoding="utf-8")
    for figure in result.figures:
        save_small(figure.draw(), HERE / f"{figure.name.partition('-')[2]}.png", colours=224)


if __name__ == "__main__":
    main(*sys.argv[1:])
