"""The formulas of the criteria playground (docs/playground/criteria.js) are those of the
library."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fasttree

SCRIPT = Path(__file__).resolve().parents[3] / "docs" / "playground" / "criteria.js"
RUN = """
import { CRITERIA, ON_NUMBERS, quantile, removed } from %s;
let text = "";
for await (const part of process.stdin) text += part;
const [tables, numbers, shares] = JSON.parse(text);
const scores = {};
for (const [name, score] of Object.entries(CRITERIA)) scores[name] = tables.map((t) => score(t));
for (const [name, score] of Object.entries(ON_NUMBERS)) {
  scores[name] = numbers.map((t) => shares.map((q) => [score(t, q), removed(name, t, q)]));
}
scores["value of a leaf"] = numbers.map(([leaf]) => shares.map((q) => quantile(leaf, q)));
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


SHARES = [0.5, 0.05, 0.1, 0.35, 0.9]


def numbers() -> list[list[list[float]]]:
    """Numbers in two branches: ties, spread alone, zeros, small and large."""
    rng = np.random.default_rng(1)
    found = [
        [[1, 2, 3], [6, 8]],
        [[5], [7]],
        [[0, 0, 0], [2, 5, 1]],
        [[4, 4, 4], [4, 4, 9]],
        [[0.1, 0.1, 0.1], [0.3, 0.3]],
    ]
    for _ in range(40):
        left, right = rng.integers(1, 25, 2)
        found.append([rng.poisson(1, left).tolist(), rng.poisson(4, right).tolist()])
        found.append([rng.normal(3, 1, left).tolist(), rng.normal(0, 4, right).tolist()])
    return [t for t in found if len({y for branch in t for y in branch}) > 1]


@pytest.fixture(scope="module")
def scores() -> dict[str, list[Any]]:
    if not SCRIPT.is_file():
        pytest.skip("the documentation is not here (tests of an installed package)")
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: the formulas in JavaScript are not compared")
    code = RUN % json.dumps(SCRIPT.as_uri())
    done = subprocess.run(
        [node, "--input-type=module", "-e", code],
        input=json.dumps([tables(), numbers(), SHARES]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


ON_TABLES = [c for c in fasttree.list_criteria() if c["evidence"] == "table"]


def test_no_formula_is_stale(scores):
    known = {c["name"] for c in fasttree.list_criteria()} | {"value of a leaf"}
    stale = {name.partition(", variant ")[0] for name in scores} - known
    assert not stale, f"docs/playground/criteria.js has formulas of no criterion: {sorted(stale)}"


@pytest.mark.parametrize("info", ON_TABLES, ids=lambda c: c["name"])
def test_scores_are_those_of_the_library(info, scores):
    if info["name"] not in scores:
        pytest.skip("the playground leaves it out: no formula in docs/playground/criteria.js")
    criterion = getattr(fasttree.criteria, info["class_name"])()
    expected = [criterion.score(table) for table in tables()]
    assert scores[info["name"]] == pytest.approx(expected, abs=1e-9, rel=1e-9)


ON_NUMBERS = {
    "squared_error": fasttree.criteria.SquaredError(),
    "absolute_error": fasttree.criteria.AbsoluteError(),
    "quantile": fasttree.criteria.Quantile(),
    "poisson": fasttree.criteria.Poisson(),
    "standard_deviation": fasttree.criteria.StandardDeviation(),
    "standard_deviation, variant weka": fasttree.criteria.StandardDeviation(variant="weka"),
}


def test_every_criterion_on_the_numbers_of_a_node_is_here(scores):
    named = {c["name"] for c in fasttree.list_criteria() if c["evidence"] in ("moments", "order")}
    assert named == {name.partition(", variant ")[0] for name in ON_NUMBERS}
    assert scores.keys() >= ON_NUMBERS.keys()


@pytest.mark.parametrize("name", ON_NUMBERS)
def test_scores_of_numbers_are_those_of_a_tree_of_one_split(name, scores):
    compared = refused = 0
    for table, found in zip(numbers(), scores[name], strict=True):
        y = np.concatenate(table)
        if name == "poisson" and y.min() < 0:
            # JSON has no NaN: neither a score, nor a share.
            assert found == [[None, 0]] * len(SHARES)
            continue
        x = np.repeat([0.0, 1.0], [len(branch) for branch in table])[:, None]
        for q, (score, share) in zip(SHARES, found, strict=True):
            criterion = ON_NUMBERS[name]
            if name == "quantile":
                criterion = fasttree.criteria.Quantile(q=q)
            tree = fasttree.FastTreeRegressor(criterion=criterion, max_depth=1).fit(x, y).tree_
            if tree.node_count == 1:
                # Not allowed (-Infinity is no JSON, either), or a split that improves nothing.
                refused += score is None
                assert score is None or score == pytest.approx(0.0, abs=1e-9)
                continue
            assert score == pytest.approx(tree.score[0], rel=1e-7, abs=1e-9)
            assert share == pytest.approx(tree.score[0] / tree.impurity[0], rel=1e-7, abs=1e-9)
            compared += 1
    assert compared > 100
    assert (refused > 0) == (name in ("poisson", "standard_deviation, variant weka"))


def test_quantiles_of_a_leaf_are_what_a_tree_predicts(scores):
    for (leaf, _), found in zip(numbers(), scores["value of a leaf"], strict=True):
        if len(set(leaf)) < 2:
            continue
        for q, value in zip(SHARES, found, strict=True):
            criterion = fasttree.criteria.Quantile(q=q)
            model = fasttree.FastTreeRegressor(criterion=criterion)
            model.fit(np.zeros((len(leaf), 1)), leaf)
            assert value == pytest.approx(model.predict([[0.0]])[0], rel=1e-9, abs=1e-9)
