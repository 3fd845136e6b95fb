"""Message lengths against the records of the authors' program, exact sums against enumeration."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

from fasttree import Table
from fasttree.bayesian_networks import (
    equivalent,
    exact_memory,
    exact_posterior,
    message_length,
)

from ...oracle import networks_oracle as oracle

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "camml_asia.json"


@pytest.fixture(scope="module")
def records():
    return json.loads(GOLDEN.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def asia(records):
    rows = np.array(records["rows"])
    names = records["columns"]
    frame = {name: np.array(["no", "yes"])[rows[:, j]] for j, name in enumerate(names[:-1])}
    import pandas as pd

    return Table(pd.DataFrame(frame), pd.Series(rows[:, -1], name=names[-1]))


def random_table(rng, n, rows=None, arities=None):
    """Columns that follow each other with some noise; the class is the last."""
    rows = int(rng.integers(5, 200)) if rows is None else rows
    arities = rng.integers(2, 4, n) if arities is None else arities
    codes = np.zeros((rows, n), dtype=int)
    for j in range(n):
        own = rng.integers(0, arities[j], rows)
        if j and rng.random() < 0.7:
            source = codes[:, rng.integers(j)]
            own = np.where(rng.random(rows) < rng.random(), source % arities[j], own)
        codes[:, j] = own
    codes = codes[:, rng.permutation(n)]
    return Table(codes[:, :-1].astype(str), codes[:, -1], categorical_features="all")


def test_the_records_follow(records, asia):
    p = 7.5 / 29
    cleaned = 0
    for record in records["dags"]:
        found = message_length(asia, record["parents"], arc_probability=p)
        assert found.likelihood == pytest.approx(record["datCost"], rel=1e-9)
        assert found.total <= record["bestMML"] + 1e-5
        assert found.total == pytest.approx(found.structure + found.tables, abs=1e-12)
        cleaned += abs(found.total - record["bestMML"]) < 1e-5
    assert cleaned == 17
    assert len(records["dags"]) == 26


@pytest.mark.parametrize("seed", range(8))
def test_lengths_are_the_formula(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    table = random_table(rng, n, arities=rng.integers(1, 5, n))
    codes, arities = oracle.codes_of(table)
    order = rng.permutation(n)
    parents = [[] for _ in range(n)]
    for at, j in enumerate(order):
        parents[j] = [int(i) for i in order[:at] if rng.random() < 0.5]
    found = message_length(table, parents, arc_probability=0.3)
    columns = [oracle.table_cost(codes, arities, j, parents[j]) for j in range(n)]
    assert found.columns == pytest.approx(columns, abs=1e-10)
    assert found.tables == pytest.approx(sum(columns), abs=1e-10)
    k, most = sum(map(len, parents)), n * (n - 1) // 2
    structure = -k * math.log(0.3) - (most - k) * math.log(0.7)
    assert found.structure == pytest.approx(structure, abs=1e-12)


@pytest.mark.parametrize(
    ("n", "seed"),
    [*itertools.product([2, 3, 4], range(12)), (5, 0), (5, 1)],  # 5 columns: 29,281 graphs
)
def test_exact_is_enumeration_of_all_graphs(n, seed):
    rng = np.random.default_rng([n, seed])
    table = random_table(rng, n)
    p = float(rng.uniform(0.05, 0.95))
    most = int(rng.integers(0, n + 1))
    costs = oracle.all_costs(*oracle.codes_of(table))
    evidence, arcs, best = oracle.enumerate_graphs(costs, n, p, most)
    found = exact_posterior(table, arc_probability=p, max_parents=most)
    assert found.log_evidence == pytest.approx(evidence, abs=1e-10)
    assert found.arc_probabilities == pytest.approx(arcs, abs=1e-10)
    assert found.edge_probabilities == pytest.approx(arcs + arcs.T, abs=1e-10)
    assert found.best.message_length == pytest.approx(best, abs=1e-10)
    again = message_length(table, found.best, arc_probability=p)
    assert again.total == found.best.message_length


@pytest.mark.parametrize(("n", "seed"), [(6, 0), (6, 1), (7, 2)])
def test_exact_is_the_sum_over_orders(n, seed):
    rng = np.random.default_rng([n, seed])
    table = random_table(rng, n, rows=60)
    costs = oracle.all_costs(*oracle.codes_of(table))
    evidence, arcs, best = oracle.enumerate_orders(costs, n, lambda i, j: 0.25)
    found = exact_posterior(table, arc_probability=0.25)
    assert found.log_evidence == pytest.approx(evidence, abs=1e-10)
    assert found.arc_probabilities == pytest.approx(arcs, abs=1e-10)
    assert found.best.message_length == pytest.approx(best, abs=1e-10)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(200))
def test_exact_is_enumeration_on_200_random_tables(seed):
    rng = np.random.default_rng([43, seed])
    n = 3 + seed % 4
    table = random_table(rng, n, rows=int(rng.integers(5, 60)), arities=np.full(n, 2))
    p = float(rng.uniform(0.05, 0.95))
    costs = oracle.all_costs(*oracle.codes_of(table))
    evidence, arcs, best = oracle.enumerate_orders(costs, n, lambda i, j: p)
    found = exact_posterior(table, arc_probability=p)
    assert found.log_evidence == pytest.approx(evidence, abs=1e-10)
    assert found.arc_probabilities == pytest.approx(arcs, abs=1e-10)
    assert found.best.message_length == pytest.approx(best, abs=1e-10)


@pytest.mark.parametrize("seed", range(10))
def test_priors_by_name_are_summed_exactly(seed):
    rng = np.random.default_rng([77, seed])
    n = int(rng.integers(3, 6))
    table = random_table(rng, n, rows=30)
    names = [*table.feature_names, "class"]
    pairs = list(itertools.permutations(range(n), 2))
    chosen = [pairs[i] for i in rng.choice(len(pairs), 3, replace=False)]
    arc_priors = {chosen[0]: 0.9, chosen[1]: float(rng.choice([0.0, 1.0, 0.5]))}
    tied = [] if 0.0 in arc_priors.values() else [chosen[2]]
    ordered = [(0, n - 1)]

    def probability(i, j):
        if any({i, j} == set(t) for t in tied):
            return 1.0
        return arc_priors.get((i, j), 0.4)

    costs = oracle.all_costs(*oracle.codes_of(table))
    evidence, arcs, best = oracle.enumerate_orders(costs, n, probability, ordered)
    table = Table(table.X, table.y, feature_names=names[:-1], target="class")
    found = exact_posterior(
        table,
        arc_probability=0.4,
        arc_priors=arc_priors,
        ordered=[(names[0], "class")],
        tied=tied,
    )
    assert found.log_evidence == pytest.approx(evidence, abs=1e-10)
    assert found.arc_probabilities == pytest.approx(arcs, abs=1e-10)
    order = found.best.order
    assert order.index(0) < order.index(n - 1)


def test_threads_weights_and_the_order_of_rows_change_nothing():
    rng = np.random.default_rng(5)
    table = random_table(rng, 7, rows=300)
    one = exact_posterior(table, n_jobs=1)
    for other in (
        exact_posterior(table, n_jobs=3),
        exact_posterior(table.take(rng.permutation(300))),
    ):
        assert other.log_evidence == one.log_evidence
        assert np.array_equal(other.arc_probabilities, one.arc_probabilities)
        assert other.best == one.best
    copies = rng.integers(0, 4, 300)
    weighed = exact_posterior(table, sample_weight=copies)
    repeated = exact_posterior(table.take(np.repeat(np.arange(300), copies)))
    assert weighed.log_evidence == repeated.log_evidence
    halves = rng.integers(1, 8, 300) / 8
    codes, arities = oracle.codes_of(table)
    found = message_length(table, [[]] * 6 + [[0, 3]], sample_weight=halves)
    cost = oracle.table_cost(codes, arities, 6, [0, 3], halves)
    assert found.columns[6] == pytest.approx(cost, abs=1e-9)


def test_asia_is_found_exactly(records, asia):
    found = exact_posterior(asia, arc_probability=7.5 / 29)
    least = min(record["bestMML"] for record in records["dags"])
    assert found.best.message_length <= least + 1e-5
    true = {(1, 4), (3, 4), (4, 5), (4, 7), (6, 7)}
    for i, j in true:
        assert found.edge_probabilities[i, j] > 0.5


def test_corners():
    constant = Table([["a"]] * 9, [0] * 9)
    found = exact_posterior(constant)
    assert found.log_evidence == pytest.approx(math.log(2), abs=1e-12)
    assert found.arc_probabilities[0, 1] == pytest.approx(0.25)
    one = exact_posterior(Table([["a", "u"]], ["x"]))
    assert np.isfinite(one.arc_probabilities).all()
    never = Table([["a"], ["b"]], [0, 1], levels={"class": [0, 1, 2]})
    assert message_length(never, [[], [0]]).tables > message_length(never, [[], []]).tables
    wide = Table([[f"v{i}", f"w{i}"] for i in range(2000)], np.arange(2000) % 2)
    assert exact_posterior(wide).edge_probabilities.max() < 1e-5


def test_bad_input_is_named():
    table = random_table(np.random.default_rng(0), 3, rows=20)
    with pytest.raises(ValueError, match="circle among"):
        message_length(table, [[1], [0], []])
    with pytest.raises(ValueError, match="'zzz' is not a column"):
        message_length(table, [["zzz"], [], []])
    with pytest.raises(ValueError, match="parents has 2 lists for 3 columns"):
        message_length(table, [[], []])
    with pytest.raises(ValueError, match="arc_probability"):
        message_length(table, [[], [], []], arc_probability=0)
    with pytest.raises(ValueError, match="circle"):
        exact_posterior(table, ordered=[(0, 1), (1, 2), (2, 0)])
    with pytest.raises(ValueError, match="tied"):
        exact_posterior(table, tied=[(0, 1)], arc_priors={(1, 0): 0.0})
    with pytest.raises(ValueError, match="max_memory"):
        exact_posterior(table, max_memory=10)
    with pytest.raises(ValueError, match="no target"):
        exact_posterior(Table([["a"], ["b"]]))
    with pytest.raises(ValueError, match="at most 20"):
        exact_posterior(Table([["a"] * 20, ["b"] * 20], [0, 1]))
    with pytest.raises(ValueError, match="row 1: the value is missing"):
        exact_posterior(Table([["a"], [None]], [0, 1]), missing="error")
    numbers = Table([[0.1], [0.2]], [0, 1])
    with pytest.raises(ValueError, match="is numeric"):
        exact_posterior(numbers, discretize=None)
    assert exact_memory(table) < 2**12


def test_equivalence():
    assert equivalent([[], [0], [1]], [[1], [2], []])
    assert not equivalent([[], [0, 2], []], [[1], [], [1]])
