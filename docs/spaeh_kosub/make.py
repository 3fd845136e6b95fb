"""Runs the reproduction of Späh & Kosub (2022) and writes what its page shows: claims and numbers
as JSON, five pictures.

python docs/spaeh_kosub/make.py DIR [--full]        # DIR: the folder of data files; minutes, in
full half an hour
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from fasttree import experiments
from fasttree.plots.canvas import save_small

HERE = Path(__file__).resolve().parent

SIZES = {
    "figure-4": (75, 40),
    "figure-5": (150, 128),
    "figure-6": (130, 64),
    "figure-7": (150, 200),
    "figure-8": (150, 200),
}
"""Dots per inch and colours of a picture."""


def record_of(document: dict[str, Any]) -> dict[str, Any]:
    """What the page shows of a run."""
    redundant: dict[str, list[float]] = {}
    for row in document["rows"]:
        if row["quantity"] == "redundant splits":
            redundant.setdefault(row["method"], []).append(row["value"])
    ties = [row for row in document["rows"] if row["dataset"].endswith("all 432 cells")]
    return {
        "repeats": document["settings"]["repeats"],
        "claims": document["claims"],
        "redundant": {method: round(sum(v) / len(v), 3) for method, v in redundant.items()},
        "ties": [{k: row[k] for k in ("dataset", "method", "value", "sd")} for row in ties],
    }


def main(folder: str, *options: str) -> None:
    """Run and write."""
    result = experiments.run("spaeh-kosub", folder, quick="--full" not in options, progress=True)
    record = record_of(json.loads(json.dumps(result.document())))
    (HERE / "record.json").write_text(json.dumps(record, separators=(",", ":")), encoding="utf-8")
    for figure in result.figures:
        name = figure.name.removeprefix("spaeh-kosub-")
        if name in SIZES:
            dpi, colours = SIZES[name]
            save_small(figure.draw(), HERE / f"{name}.png", dpi=dpi, colours=colours)


if __name__ == "__main__":
    main(*sys.argv[1:])
