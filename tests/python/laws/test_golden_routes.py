"""One tree by every route that serves it, and cases that reach every way of growth.

See golden_routes.py for the cases; test_golden_results.py compares the first route of each with
what is recorded.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fasttree import _core
from fasttree.model_selection import cross_validate

from .. import golden_results, golden_routes

CASES = golden_routes.cases()
HELD = golden_results.golden()
TAKEN = _core.ways_taken()
ON_PLATFORM = pytest.mark.skipif(
    HELD["platform"] != golden_results.PLATFORM,
    reason=f"hashes of floats hold on {HELD['platform']}, this is {golden_results.PLATFORM}",
)
COUNTS = pytest.mark.skipif(not TAKEN, reason="only builds with debug assertions count their ways")
# Rows up to which a case is tried in folds as well.
FOLDED = 3000


@ON_PLATFORM
@pytest.mark.parametrize(
    ("key", "route"), [(key, route) for key, case in CASES.items() for route in case.routes[1:]]
)
def test_every_route_gives_the_recorded_hashes(key, route):
    case = CASES[key]
    if route in golden_routes.NEEDS:
        pytest.importorskip(golden_routes.NEEDS[route], reason=f"the route {route} needs it")
    found = golden_results.hashed(lambda: golden_results.route(case, route))
    assert found == HELD["entries"][key]


@pytest.mark.parametrize(
    "key",
    [
        key
        for key, case in CASES.items()
        if case.rows.n <= FOLDED
        and case.rows.task == "classification"
        and not case.trees
        and case.weights == "none"
    ],
)
def test_a_fold_gives_what_its_training_rows_alone_give(key):
    case, rng = CASES[key], np.random.default_rng(1)
    order = rng.permutation(case.rows.n)
    train, test = np.sort(order[: 2 * len(order) // 3]), np.sort(order[2 * len(order) // 3 :])
    table = golden_routes.table_of(case.rows)
    found = cross_validate(
        table,
        cv=[(train, test)],
        scoring=("nodes", "depth"),
        keep_proba=True,
        random_state=0,
        n_jobs=1,
        **case.params,
    )
    (scores,) = found.values()
    alone = case.model().fit(table.take(train))
    assert scores["nodes"].tolist() == [alone.tree_.node_count]
    assert scores["depth"].tolist() == [alone.tree_.depth.max()]
    assert np.array_equal(np.squeeze(scores.proba), alone.predict_proba(table.take(test)))


@COUNTS
@pytest.mark.parametrize("key", CASES)
def test_a_case_takes_the_ways_that_it_names(key):
    case, before = CASES[key], _core.ways_taken()
    case.grown(case.routes[0])
    if "threads" in case.routes:
        case.grown("threads")
    after = _core.ways_taken()
    assert set(case.ways) <= after.keys()
    missed = [way for way in case.ways if after[way] == before[way]]
    taken = {way: n - before[way] for way, n in after.items() if n > before[way]}
    assert not missed, f"{missed} not among {taken}"


@COUNTS
def test_every_way_of_growth_is_named_by_a_case():
    named = {way for case in CASES.values() for way in case.ways}
    assert named == TAKEN.keys()


@ON_PLATFORM
@pytest.mark.parametrize(
    "level",
    ["baseline", *(pytest.param(x, marks=pytest.mark.exhaustive) for x in ("plain", "avx2"))],
)
def test_every_level_of_simd_gives_the_recorded_hashes(level):
    """A process of its own, as the level is read once; where the processor lacks one, it takes the
    next lower one, and the other tests have the highest."""
    script = Path(golden_results.__file__)
    run = subprocess.run(
        [sys.executable, str(script), "--check", "route/*"],
        env=os.environ | {"FASTTREE_SIMD": level},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
