"""Passes over pairs on a cluster: the counts, scores and estimates of one process, to the bit."""

from __future__ import annotations

import os
import pickle
import signal
import threading

import numpy as np
import pytest

import fasttree
from fasttree import _engine, criteria
from fasttree.distributed import pairs
from fasttree.table import Column

from ..tools import cluster_client, thinned

distributed = pytest.importorskip("distributed", reason="needs dask and distributed")

RNG = np.random.default_rng(4)


def tables():
    """Small tables of every kind that the pass meets."""
    X = RNG.integers(0, 4, (97, 5)).astype(float)
    y = (X[:, 0] + X[:, 1] + RNG.integers(0, 3, 97) > 4).astype(int)
    gaps = X.copy()
    gaps[RNG.random(X.shape) < 0.1] = np.nan
    copies = fasttree.Table(X, y + (X[:, 2] == 3), categorical_features="all")
    many = np.repeat(RNG.integers(0, 300, (60, 2)), 2, axis=0).astype(float)
    return {
        "codes": (fasttree.Table(X, y, categorical_features="all"), None),
        "numbers": (fasttree.Table(RNG.normal(size=(80, 4)), RNG.integers(0, 3, 80)), None),
        "gaps": (fasttree.Table(gaps, y, categorical_features="all"), None),
        "copies": (copies, RNG.integers(0, 4, 97)),
        "many levels": (
            fasttree.Table(many, np.arange(120) % 2, categorical_features="all"),
            None,
        ),
        "words": (fasttree.datasets.load_weather(), None),
        "one value": (
            fasttree.Table(np.column_stack([X, np.ones(97)]), y, categorical_features="all"),
            None,
        ),
    }


TABLES = tables()


@pytest.fixture(scope="module", params=thinned([2, 1, 4], 3), ids=["two", "one worker", "four"])
def client(request):
    with cluster_client(request.param, silence_logs=50) as client:
        yield client


def counted_one_by_one(codes, values, classes, n_classes, weights, first, second):
    """Both orders of the pairs of two lists of rows, by a loop over the pairs."""
    n = codes.shape[1]
    found = [np.zeros((v, n_classes, 4, n + 1), dtype=np.int64) for v in values]
    for a in first:
        for b in second:
            for i, j in ((a, b), (b, a)):
                differ = codes[i] != codes[j]
                other = classes[i] != classes[j]
                for k in range(n):
                    case = 2 * int(differ[k]) + int(other)
                    place = (codes[i, k], classes[i], case, differ.sum())
                    found[k][place] += int(weights[i] * weights[j])
    return found


def test_pairs_of_two_lists_are_those_of_a_loop():
    for n, p, v, c in ((60, 3, 4, 2), (90, 5, 3, 3), (45, 2, 9, 1)):
        codes = RNG.integers(0, v, (n, p))
        classes = RNG.integers(0, c, n)
        table = fasttree.Table.from_columns(
            [Column(f"x{k}", "nominal", codes[:, k], tuple(range(v))) for k in range(p)],
            Column("class", "nominal", classes, tuple(range(c))),
        )
        for weights in (np.ones(n), RNG.integers(0, 4, n).astype(float)):
            order = RNG.permutation(n)
            first, second = order[: n // 4], order[n // 4 : n - 5]
            found = _engine.pair_counts(table, first, second, sample_weight=weights)
            truth = counted_one_by_one(codes, [v] * p, classes, c, weights, first, second)
            for k in range(p):
                np.testing.assert_array_equal(found.feature(k), truth[k])
            assert found.pairs == 2 * weights[first].sum() * weights[second].sum()


def test_lists_that_share_a_row_are_refused():
    table = TABLES["codes"][0]
    with pytest.raises(ValueError, match="is in both lists of rows"):
        _engine.pair_counts(table, np.arange(4), np.arange(3, 9))
    with pytest.raises(IndexError, match="row 97"):
        _engine.pair_counts(table, np.arange(4), np.array([97]))


def test_counts_travel():
    core = _engine.pair_counts(TABLES["codes"][0])
    back = pickle.loads(pickle.dumps(core))
    assert back.pairs == core.pairs and back.features == core.features
    for k in range(core.features):
        np.testing.assert_array_equal(back.feature(k), core.feature(k))
    offsets, classes, cells, pairs = core.parts()
    for bad in (
        (offsets, classes, cells[:-1], pairs),
        (offsets[::-1], classes, cells, pairs),
        ([], classes, cells, pairs),
        (offsets, classes + 1, cells, pairs),
    ):
        with pytest.raises(ValueError, match="parts of pair counts that do not belong together"):
            type(core).from_parts(*bad)


@pytest.mark.parametrize("name", thinned(TABLES, 3))
@pytest.mark.filterwarnings("ignore:Port")
def test_counts_of_any_blocks_are_those_of_one_process(client, name):
    table, weights = TABLES[name]
    whole = fasttree.pair_counts(table, sample_weight=weights)
    for n_blocks in (None, 1, 2, 5, len(table) if name == "words" else 7):
        found = fasttree.distributed.pair_counts(
            table, sample_weight=weights, client=client, n_blocks=n_blocks
        )
        assert found == whole and found.pairs == whole.pairs
        assert found.levels == whole.levels and found.classes == whole.classes
        for a, b in zip(found.tables, whole.tables, strict=True):
            np.testing.assert_array_equal(a, b)


CRITERIA = (
    "pi",
    "contextual_merit",
    "relief",
    criteria.Pi(theta=(1, 0.5, 0, 1), alpha=0.7, decay="power", at_zero=0.25),
    criteria.Pi(weighted=False),
    criteria.ContextualMerit(alpha=1.5),
    criteria.Relief(radius=2),
)


@pytest.mark.parametrize("name", thinned(TABLES, 3))
def test_scores_and_estimates_are_those_of_one_process(client, name):
    table, weights = TABLES[name]
    for criterion in CRITERIA:
        whole = fasttree.score_features(table, criterion=criterion, sample_weight=weights)
        found = fasttree.distributed.score_features(
            table, criterion=criterion, sample_weight=weights, client=client, n_blocks=3
        )
        assert found.tobytes() == whole.tobytes(), (criterion, found, whole)
    whole = fasttree.estimate_features(table, sample_weight=weights, n_subsets=32)
    found = fasttree.distributed.estimate_features(
        table, sample_weight=weights, n_subsets=32, client=client
    )
    assert found.scores.tobytes() == whole.scores.tobytes()
    assert found.covariance.tobytes() == whole.covariance.tobytes()


NEIGHBOURS = (
    "relieff",
    "surf",
    "surf_star",
    "multisurf",
    "multisurf_star",
    "k_nearest_merit",
    criteria.ReliefF(k=3, neighbour_ties="first"),
    criteria.ReliefF(rank=5.0),
    criteria.Surf(multiclass="rebate"),
)


class Shuffled:
    """A backend that finishes units in another order."""

    workers = 3

    def run(self, work, units, shared):
        for place in RNG.permutation(len(units)).tolist():
            key, argument = units[place]
            yield place, pickle.loads(pickle.dumps(work(shared[key], argument)))


def check_neighbours(table, weights, backend, n_shares):
    for criterion in NEIGHBOURS:
        words = {"criterion": criterion, "sample_weight": weights}
        whole = fasttree.score_features(table, **words)
        how = {"params": {}, "backend": backend, "n_shares": n_shares}
        found = pairs.neighbour_scores(table, None, **words, **how)
        assert found.tobytes() == whole.tobytes(), (criterion, found, whole)


@pytest.mark.parametrize("name", TABLES)
def test_neighbours_of_any_shares_are_those_of_one_process(name):
    table, weights = TABLES[name]
    for n_shares in (None, 1, 2, len(table)):
        check_neighbours(table, weights, Shuffled(), n_shares)


@pytest.mark.parametrize("seed", thinned(range(6), 3))
def test_neighbours_among_rows_of_every_kind(seed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(2, 400)), int(rng.integers(1, 9))
    X = rng.integers(0, 3, (n, p)).astype(float)
    if seed % 2:
        X[:, 0] = rng.normal(size=n)
    if seed % 3 == 0:
        X[rng.random(X.shape) < 0.1] = np.nan
    names = [str(k) for k in range(p)]
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    frame = pandas.DataFrame(X, columns=names)
    y = rng.integers(0, 3, n)
    weights = [None, rng.integers(1, 4, n), rng.random(n) + 0.1][seed % 3]
    kinds = names[seed % 2 :]
    table = fasttree.Table(frame, y, categorical_features=kinds or "from_dtype")
    check_neighbours(table, weights, Shuffled(), int(rng.integers(1, n + 1)))


def test_neighbours_among_many_columns(monkeypatch):
    X, y = RNG.integers(0, 3, (300, 1100)).astype(np.uint8), RNG.integers(0, 2, 300)
    for criterion in ("relieff", "surf", "multisurf"):
        whole = fasttree.score_features(X, y, criterion=criterion, categorical_features="all")
        how = {"params": {"categorical_features": "all"}, "backend": Shuffled(), "n_shares": 7}
        found = pairs.neighbour_scores(X, y, criterion=criterion, sample_weight=None, **how)
        assert found.tobytes() == whole.tobytes()


def test_neighbours_on_a_cluster(client):
    table, weights = TABLES["numbers"]
    for criterion in ("relieff", "surf", "multisurf"):
        found = fasttree.distributed.score_features(table, criterion=criterion, client=client)
        assert found.tobytes() == fasttree.score_features(table, criterion=criterion).tobytes()


@pytest.mark.parametrize("name", ["codes", "copies", "gaps"])
def test_estimates_by_rows_are_those_of_one_process(client, name):
    table, weights = TABLES[name]
    for words in (
        {"sample": 50},
        {"sample": 97},
        {"sample": 40, "z": 3.0, "max_sample": 80},
        {"sample": 60, "criterion": criteria.Pi(decay="power")},
    ):
        whole = fasttree.estimate_features(table, method="rows", sample_weight=weights, **words)
        found = fasttree.distributed.estimate_features(
            table, method="rows", sample_weight=weights, client=client, **words
        )
        assert found.scores.tobytes() == whole.scores.tobytes()
        assert found.covariance.tobytes() == whole.covariance.tobytes()
        assert found.rounds == whole.rounds


def test_collections_of_dask(client):
    array = pytest.importorskip("dask.array", reason="needs dask")
    X, y = RNG.integers(0, 3, (90, 4)).astype(np.uint8), RNG.integers(0, 2, 90)
    found = fasttree.distributed.pair_counts(
        array.from_array(X, chunks=(20, 4)),
        array.from_array(y, chunks=30),
        categorical_features="all",
        client=client,
    )
    assert found == fasttree.pair_counts(X, y, categorical_features="all")


def test_a_killed_worker_costs_time_alone(client):
    X, y = RNG.integers(0, 3, (30_000, 20)).astype(np.uint8), RNG.integers(0, 2, 30_000)
    table = fasttree.Table(X, y, categorical_features="all")
    pid = next(iter(client.run(os.getpid).values()))
    timer = threading.Timer(0.3, os.kill, (pid, signal.SIGKILL))
    timer.start()
    found = fasttree.distributed.pair_counts(table, client=client, n_blocks=8)
    timer.join()
    assert found == fasttree.pair_counts(table)


def test_bad_input_is_refused(client):
    table = TABLES["codes"][0]
    with pytest.raises(ValueError, match="clusters score by criteria on pairs"):
        fasttree.distributed.score_features(table, criterion="gini", client=client)
    with pytest.raises(ValueError, match="n_blocks=98 must be between 1 and 97"):
        fasttree.distributed.score_features(table, criterion="surf", client=client, n_blocks=98)
    for n_blocks in (0, 98):
        with pytest.raises(ValueError, match=f"n_blocks={n_blocks} must be between 1 and 97"):
            fasttree.distributed.pair_counts(table, client=client, n_blocks=n_blocks)
    weights = np.full(97, 2**26)
    with pytest.raises(ValueError, match="a total weight of"):
        fasttree.distributed.pair_counts(table, sample_weight=weights, client=client)
    with pytest.raises(ValueError, match="discretize is None"):
        fasttree.distributed.pair_counts(TABLES["numbers"][0], discretize=None, client=client)
