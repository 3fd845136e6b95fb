"""Runs the reproduction of Hope & Korb (2004) and writes what its page shows: its tables as JSON,
and its pictures.

python docs/hope_korb2004/make.py DIR        # DIR: the folder of data files; half an hour
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
    result = experiments.run("hope-korb2004", folder, n_jobs=1, progress=True)
    record = {
        "summary": result.summary,
        "missing": result.missing,
        "findings": result.extra["findings"],
        "tables": [asdict(table) for table in result.tables],
        "notes": result.notes,
    }
    (HERE / "record.json").write_text(json.dumps(record, separators=(",", ":")), encoding="utf-8")
    for figure in result.figures:
        name = figure.name.removeprefix("hope-korb2004-").replace("meta-metric", "meta_metric")
        save_small(figure.draw(), HERE / f"{name}.png", colours=224)


if __name__ == "__main__":
    main(*sys.argv[1:])
