"""The formulas of the criteria playground (docs/playground/criteria.js) are those of the
library."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import fasttree

SCRIPT = Path(__file__).resolve().parents[3] / "docs" / "playground" / "criteria.js"
RUN = """
import { CRITERIA } from %s;
let text = "";
for await (const part of process.stdin) text += part;
const scores = {};
for (const [name, score] of Object.entries(CRITERIA)) scores[name] = JSON.parse(text).map(score);
process.stdout.write(JSON.stringify(scores));
"""


def tables() -> list[list[list[int]]]:
    rng = np.random.default_rng(0)
    found = [
        [[3, 0], [0, 5]],
        [[4, 4], [4, 4]],
        [[1, 0], [0, 1]],
        [[7, 7], [0, 5]],
        [[2, 9], [1, 0]],
    ]
    for branches in (2, 2, 3, 4):
        for top in (3, 40, 1000):
            drawn = rng.integers(0, top, (60, branches, 2))
            keep = (drawn.sum(axis=2) > 0).all(axis=1) & (drawn.sum(axis=1) > 0).all(axis=1)
            found += drawn[keep].tolist()
    return found


@pytest.fixture(scope="module")
def scores() -> dict[str, list[float]]:
    if not SCRIPT.is_file():
        pytest.skip("the documentation is not here (tests of an installed package)")
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: the formulas in JavaScript are not compared")
    code = RUN % json.dumps(SCRIPT.as_uri())
    done = subprocess.run(
        [node, "--input-type=module", "-e", code],
        input=json.dumps(tables()),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


ON_TABLES = [c for c in fasttree.list_criteria() if c["evidence"] == "table"]


def test_no_formula_is_stale(scores):
    stale = scores.keys() - {c["name"] for c in ON_TABLES}
    assert not stale, f"docs/playground/criteria.js has formulas of no criterion: {sorted(stale)}"


@pytest.mark.parametrize("info", ON_TABLES, ids=lambda c: c["name"])
def test_scores_are_those_of_the_library(info, scores):
    if info["name"] not in scores:
        pytest.skip("the playground leaves it out: no formula in docs/playground/criteria.js")
    criterion = getattr(fasttree.criteria, info["class_name"])()
    expected = [criterion.score(table) for table in tables()]
    assert scores[info["name"]] == pytest.approx(expected, abs=1e-9, rel=1e-9)
