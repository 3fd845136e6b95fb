"""The published trees of partykit's `ctree`, read for a comparison node by node.

The files lie beside the repository (`../shared/data/published/ctree`); where they are not,
`cases` is empty and the tests that need them are skipped.
"""

from __future__ import annotations

import csv
import json
import math
import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

_ROOT = Path(__file__).resolve().parents[3]
FOLDER = next(
    (
        found
        for above in (os.environ.get("FASTTREE_SHARED", ""), _ROOT.parent, _ROOT.parent.parent)
        if (found := Path(above) / "shared" / "data" / "published" / "ctree").is_dir()
    ),
    Path("no published trees"),
)
#: Cases that ask for what fasttree does not offer: multiway, Teststatistic, splittest, intersplit.
NOT_OFFERED = {15, 18, 23, 29, 30, 34}
#: The first nodes alone can be compared: ctree sends missing values to random sides.
ROOT_ONLY = {11}


@cache
def cases() -> dict[int, Path]:
    """The file of each case that can be compared, by its number."""
    found = {int(path.stem.split("_")[1]): path for path in sorted(FOLDER.glob("ctree_*.json"))}
    return {number: path for number, path in found.items() if number not in NOT_OFFERED}


def read(path: Path) -> dict[str, Any]:
    """A case: what `json.load` gives, with `X` (level numbers for levels, ordered ones from 1),
    `y`, `w`, `nominal` and `levels` of the predictors, in order."""
    case = json.loads(path.read_text("utf-8"))
    with (FOLDER / case["data"]).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    kinds = case["columns"]

    def levels(name: str) -> list[str]:
        kept = case["levels_after_dropping_unused"].get(name, kinds[name].get("levels", []))
        present = {row[name] for row in rows}
        return [level for level in kept if level in present]

    def column(name: str) -> list[float]:
        if kinds[name]["type"] == "numeric":
            return [float(row[name]) if row[name] else math.nan for row in rows]
        code = {level: number for number, level in enumerate(levels(name))}
        first = int(kinds[name]["type"] == "ordered")
        return [first + code[row[name]] if row[name] else math.nan for row in rows]

    names = case["predictors"]
    case["X"] = np.array([column(name) for name in names]).T
    case["y"] = np.array(column(case["target"]))
    case["w"] = np.array(column(case["weights"])) if case["weights"] else None
    case["nominal"] = [kinds[name]["type"] == "nominal" for name in names]
    case["levels"] = [levels(name) for name in names]
    case["is_class"] = case["task"] == "classification"
    return case


def parameters(case: dict[str, Any]) -> dict[str, Any]:
    """The case's `control` as parameters of fasttree."""
    control = case["control"]
    return {
        "test": control["teststat"],
        "alpha": control["alpha"],
        "adjust": "bonferroni" if control["testtype"] == "Bonferroni" else "none",
        "cut_test": control["splitstat"],
        "min_samples_split": control["minsplit"],
        "min_samples_leaf": control["minbucket"],
        "min_prob": control["minprob"],
        "split_tries": control["splittry"],
        "max_depth": None if control["maxdepth"] == "Inf" else control["maxdepth"],
    }


def compared(case: dict[str, Any]) -> list[dict[str, Any]]:
    """The nodes to compare: those that no tie and no random side lies above or at."""
    number = int(case["case"].split("_")[1])
    if number in ROOT_ONLY:
        return case["nodes"][:1]
    left_out: set[int] = set(case["tie_nodes"])
    for node in case["nodes"]:
        if node["parent"] in left_out:
            left_out.add(node["id"])
    return [node for node in case["nodes"] if node["id"] not in left_out]
