"""Calls on pairs and neighbours of rows under a limit of memory: what they allocate, what they
refuse, and that no number depends on the limit.

A debug build of the extension counts what it allocates (`_core.allocated`), so that no figure
depends on the system. A release build does not count: there the results, the limits that are
refused and the needs that are stated are compared, and peaks are taken to be in order.
"""

from __future__ import annotations

import gc
import re
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest

import fasttree
from fasttree import _core, _engine
from fasttree.feature_selection.pairs import binned
from fasttree.table import Table
from tests.python.tools import thinned

SLACK = 192 << 10
"""Bytes that threads may not have reported, and small blocks that no plan lists."""

UNREPORTED = 16 << 10
"""Bytes that each thread may have allocated without a report (`memory::REPORTED`)."""

COUNTS = _core.allocated() is not None
"""Whether the build counts."""


def many(rows):
    """So many rows where a peak must stand out from `SLACK`, else a third: the passes over pairs
    take a ninth of the time."""
    return rows if COUNTS else rows // 3


def coded(rows, columns, levels, classes, repeats=1):
    """Codes without structure; each row `repeats` times."""
    rng = np.random.default_rng(rows + columns)
    X = rng.integers(0, levels, (rows // repeats, columns)).astype(np.uint8)
    X = np.tile(X, (repeats, 1))
    return X, rng.integers(0, classes, len(X))


def table_of(*shape):
    """The same as a Table that is encoded already."""
    table = Table(*coded(*shape), categorical_features="all")
    _engine.dataset_of(table)
    return table


def numbers(rows, columns):
    """A Table of numbers that is encoded already."""
    rng = np.random.default_rng(rows)
    table = Table(rng.normal(size=(rows, columns)), rng.integers(0, 2, rows))
    _engine.dataset_of(table)
    return table


def of_number(rows, columns):
    """The same with a number as the target."""
    rng = np.random.default_rng(rows)
    X = rng.normal(size=(rows, columns))
    table = Table(X, X[:, 0] + rng.normal(size=rows), task="regression")
    _engine.dataset_of(table)
    return table


def allocated():
    """Bytes allocated now, and the most since the last call; 0 where the build does not count."""
    return _core.allocated() or (0, 0)


def taken(call, limit=None, **how):
    """The result of a call, and the bytes that it had allocated at most."""
    if COUNTS:
        gc.collect()
    before = allocated()[0]
    found = call(memory_limit=limit, **how)
    return found, allocated()[1] - before


def need_of(call, limit=1, encoded=0, **how):
    """The need that a refusal states; `encoded` bytes may be taken before, for bins of numbers."""
    before = allocated()[0]
    with pytest.raises(MemoryError, match=f"memory_limit={limit}: give it that much") as refusal:
        call(memory_limit=limit, **how)
    assert allocated()[1] - before <= max(limit, SLACK) + encoded
    return int(re.search(r"needs (\d+) bytes", str(refusal.value))[1])


def assert_exact(need, peak):
    """A stated need is the peak within a tenth of it, and what threads have not reported."""
    assert not COUNTS or 0.9 * need - SLACK / 2 <= peak <= 1.1 * need + SLACK


def counts(*shape):
    table = table_of(*shape)
    return lambda **how: fasttree.scores.pairs.pair_counts(table, **how)


def scores(criterion, table):
    return lambda **how: fasttree.score_features(table, criterion=criterion, **how)


PAIRS = [
    (3000, 12, 3, 2),
    (6000, 8, 5, 2),
    (2000, 30, 4, 5),
    (2500, 40, 2, 9),
    (1500, 100, 3, 2),
    (3000, 10, 6, 3, 3),
]


@pytest.mark.parametrize(("shape", "n_jobs"), [*zip(PAIRS, [1, 2] * 3, strict=True)], ids=str)
def test_the_pass_over_pairs_keeps_its_limit_and_states_its_need(shape, n_jobs):
    call = counts(*shape)
    truth, most = taken(call, n_jobs=n_jobs)
    need = need_of(call, n_jobs=n_jobs)
    most = most if COUNTS else need
    for limit in {need + SLACK, (need + most) // 2 + SLACK, 2 * most}:
        found, peak = taken(call, limit, n_jobs=n_jobs)
        assert found == truth
        assert peak <= limit + UNREPORTED * (n_jobs + 1)
        if limit == need + SLACK and len(shape) == 4:  # no rows are equal
            assert_exact(need, peak)
    with pytest.raises(MemoryError):
        call(memory_limit=need // 2, n_jobs=n_jobs)


@pytest.mark.parametrize("some", [1, 40, 700])
@pytest.mark.parametrize("shape", [(3000, 12, 3, 2), (2500, 40, 2, 9)], ids=str)
def test_the_pairs_of_some_rows_with_all_state_their_need(shape, some):
    call = counts(*shape)
    truth, _ = taken(call, rows=range(some), n_jobs=1)
    need = need_of(call, rows=range(some))
    found, peak = taken(call, need, rows=range(some), n_jobs=1)
    assert found == truth
    assert_exact(need, peak)
    with pytest.raises(MemoryError, match=f"needs {need} bytes"):
        call(memory_limit=need - 1, rows=range(some), n_jobs=2)


NEAR = [
    ("relieff", lambda: table_of(800, 30, 3, 2)),
    ("multisurf", lambda: table_of(800, 30, 3, 2)),
    ("surf", lambda: table_of(300, 1100, 3, 2)),
    ("relieff", lambda: numbers(1200, 20)),
    ("multisurf", lambda: numbers(1200, 20)),
    ("pi", lambda: table_of(1200, 20, 4, 3)),
    ("relief", lambda: table_of(1200, 20, 4, 3)),
    ("contextual_merit", lambda: table_of(600, 90, 3, 2)),
    (fasttree.criteria.Pi(precision="fixed"), lambda: table_of(1200, 20, 4, 3)),
]


SEARCHES = [
    ("relieff", lambda: table_of(3000, 100, 3, 2)),
    ("multisurf", lambda: table_of(3000, 100, 3, 2)),
    ("relieff", lambda: numbers(1000, 300)),
    ("multisurf", lambda: numbers(1000, 300)),
    ("relieff", lambda: numbers(2500, 30)),
    ("rrelieff", lambda: of_number(1500, 60)),
]


@pytest.mark.parametrize(("criterion", "table"), SEARCHES, ids=range(len(SEARCHES)))
def test_a_search_for_neighbours_states_its_need(criterion, table):
    call = scores(criterion, table())
    truth, _ = taken(call, n_jobs=1)
    need = need_of(call)
    found, peak = taken(call, need, n_jobs=1)
    assert np.array_equal(found, truth)
    assert_exact(need, peak)
    with pytest.raises(MemoryError, match=f"needs {need} bytes"):
        call(memory_limit=need - 1, n_jobs=2)


SHAPES = {
    "codes": lambda: table_of(many(4000), 40, 3, 2),
    "9 classes": lambda: table_of(many(5000), 20, 4, 9),
    "300 columns": lambda: table_of(many(1500), 300, 3, 2),
    "1,100 columns": lambda: table_of(many(600), 1100, 3, 2),
    "numbers": lambda: numbers(many(2000), 10),
    "300 numbers": lambda: numbers(many(700), 300),
    "few rows": lambda: table_of(60, 12, 3, 2),
}

ON_ROWS = [
    row["name"]
    for row in fasttree.criteria.list_criteria()
    if row["evidence"] in ("pairs", "neighbours") and row["target"] == "classes"
]


@pytest.mark.parametrize("criterion", ON_ROWS)
@pytest.mark.parametrize("shape", SHAPES)
def test_each_criterion_on_rows_states_its_need(criterion, shape):
    table = SHAPES[shape]()
    call = scores(criterion, table)
    truth, _ = taken(call, n_jobs=1)
    cells = len(table) * len(table.feature_names)
    need = need_of(call, encoded=2 * cells)
    found, peak = taken(call, need, n_jobs=1)
    assert np.array_equal(found, truth, equal_nan=True)
    bins = cells if shape.endswith("numbers") else 0  # a byte each, beside the need
    assert_exact(need, peak - bins)
    try:
        found, peak = taken(call, need // 2, n_jobs=1)
    except MemoryError as refusal:
        assert "needs" in str(refusal)
    else:  # smaller blocks keep a smaller limit, where rows are few
        assert np.array_equal(found, truth, equal_nan=True)
        assert peak <= need // 2 + SLACK


def weighted(criterion, table, weights):
    return lambda **how: fasttree.score_features(
        table, criterion=criterion, sample_weight=weights, **how
    )


@pytest.mark.parametrize("criterion", ON_ROWS)
def test_a_need_with_weights_or_gaps_is_no_less_than_what_is_taken(criterion):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(many(1500), 12))
    X[rng.random(X.shape) < 0.1] = np.nan
    gaps = Table(X, rng.integers(0, 2, len(X)))
    codes = table_of(many(2000), 20, 3, 2)
    for table, weights in [
        (gaps, None),
        (codes, rng.integers(1, 4, len(codes))),
        (codes, rng.random(len(codes)) + 0.5),
    ]:
        _engine.dataset_of(table)
        call = weighted(criterion, table, weights)
        truth, _ = taken(call, n_jobs=1)
        need = need_of(call, encoded=2 * len(table) * len(table.feature_names))
        found, peak = taken(call, need + SLACK, n_jobs=1)
        assert np.array_equal(found, truth, equal_nan=True)
        assert peak <= 1.1 * need + SLACK


def levels(rows, columns, levels, gaps=0.0):
    """Nominal columns, some cells of which are missing."""
    rng = np.random.default_rng(levels)
    X = rng.integers(0, levels, (rows, columns)).astype(float)
    X[rng.random(X.shape) < gaps] = np.nan
    return Table(X, rng.integers(0, 2, rows), categorical_features="all")


OPTIMAL = {
    "numbers": (lambda: numbers(4000, 8), {}),
    "many numbers": (lambda: numbers(60, 4000), {"node_budget": 30}),
    "weights": (lambda: numbers(4000, 8), {"sample_weight": np.arange(4000) % 7 + 0.5}),
    "copies": (lambda: numbers(4000, 8), {"sample_weight": np.arange(4000) % 7 + 1.0}),
    "three classes": (lambda: table_of(4000, 8, 9, 3), {}),
    "levels": (lambda: levels(2000, 2, 400), {"nominal_splits": "one_vs_rest"}),
    "levels and gaps": (lambda: levels(2000, 2, 400, 0.1), {"nominal_splits": "one_vs_rest"}),
    "more levels": (lambda: levels(300, 4, 2000), {"nominal_splits": "one_vs_rest"}),
    "subsets": (lambda: levels(3000, 4, 8, 0.1), {"nominal_splits": "subset"}),
    "ordered": (lambda: levels(3000, 8, 3000, 0.1), {}),
    "f_measure": (lambda: numbers(4000, 8), {"criterion": "f_measure"}),
    "gini": (lambda: numbers(4000, 8), {"criterion": "gini"}),
    "few leaves": (lambda: numbers(2000, 30), {"max_leaf_nodes": 5, "max_depth": 4}),
}
"""Searches for optimal trees."""


@pytest.mark.parametrize("case", thinned(product(OPTIMAL, [(2, 1), (3, 2)]), 3), ids=str)
def test_a_search_for_an_optimal_tree_counts_what_it_needs_before_it_is_taken(case):
    name, (depth, n_jobs) = case
    rows, how = OPTIMAL[name]
    table = rows()
    _engine.dataset_of(table)
    how = {"max_depth": depth, "node_budget": 200, "ties": "any", **how}
    if n_jobs == 2:
        how |= {"node_budget": None, "time_limit": 0.1}

    def call(**limits):
        return fasttree.optimal_tree(table, n_jobs=n_jobs, **how, **limits)

    need = need_of(call, encoded=16 * len(table) * len(table.feature_names))
    _, peak = taken(call, need)
    assert peak <= need + SLACK
    assert not COUNTS or n_jobs > 1 or need <= 6 * peak + SLACK
    with pytest.raises(MemoryError, match=f"needs {need} bytes"):
        call(memory_limit=need - 1)


def test_calls_at_the_same_time_keep_limits_of_their_own():
    call = scores("relieff", table_of(1500, 60, 3, 2))
    limit = need_of(call)
    truth = call()
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: call(memory_limit=limit, n_jobs=1), range(24)):
            assert np.array_equal(found, truth)


@pytest.mark.parametrize(("criterion", "table"), NEAR, ids=range(len(NEAR)))
def test_scores_keep_their_limit(criterion, table):
    call = scores(criterion, table())
    truth, most = taken(call)
    limit, met = (most if COUNTS else 64 << 20) + SLACK, 0
    for _ in range(40):
        try:
            found, peak = taken(call, limit)
        except MemoryError as refusal:
            need = int(re.search(r"needs (\d+) bytes", str(refusal))[1])
            assert need > limit
            break
        met += 1
        assert np.array_equal(found, truth, equal_nan=True)
        assert peak <= limit + SLACK
        limit = limit * 4 // 5
    else:
        pytest.fail("nothing was refused")
    assert met or not COUNTS or need < 2 * most + SLACK


@pytest.mark.parametrize("criterion", ["pi", "relieff", "multisurf"])
def test_cross_validation_keeps_its_results_under_a_limit(criterion):
    table = table_of(1200, 12, 3, 2)
    how = {"criterion": criterion, "cv": "1x4", "max_depth": 2}
    truth = fasttree.model_selection.cross_validate(table, **how)
    for limit in (1 << 40, 8 << 20):
        found = fasttree.model_selection.cross_validate(table, memory_limit=limit, n_jobs=2, **how)
        name = next(iter(found))
        assert np.array_equal(found[name]["accuracy"], truth[name]["accuracy"])
    with pytest.raises(MemoryError, match=r"needs \d+ bytes, and memory_limit=1000"):
        fasttree.model_selection.cross_validate(table, memory_limit=1000, **how)
    if criterion == "pi":
        found = fasttree.sweep(table, alpha=[0.1], cv="1x4", memory_limit=8 << 20, max_depth=2)
        assert len(found) == 1
        with pytest.raises(MemoryError, match="memory_limit=1000"):
            fasttree.sweep(table, alpha=[0.1], cv="1x4", memory_limit=1000, max_depth=2)


@pytest.mark.parametrize("limit", [0, -5, 1.5, "2GiB", float("nan"), 2**70])
def test_what_is_no_number_of_bytes_is_refused(limit):
    table = fasttree.datasets.load_weather()
    calls = [
        lambda **how: fasttree.score_features(table, criterion="relieff", **how),
        lambda **how: fasttree.model_selection.cross_validate(table, cv="1x2", **how),
        lambda **how: fasttree.sweep(table, alpha=[0.1], cv="1x2", **how),
        lambda **how: fasttree.scores.pairs.pair_counts(binned(table, "auto"), **how),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="memory_limit="):
            call(memory_limit=limit)


def test_neighbours_among_numbers_take_twice_the_data():
    table = numbers(1000, 1000)
    data = 1000 * 1000 * 8
    for criterion in ("relieff", "multisurf"):
        call = scores(criterion, table)
        call()
        _, peak = taken(call)
        # beyond the encoded table, which is the data once: their copy in order, and distances
        assert peak < 1.9 * data
