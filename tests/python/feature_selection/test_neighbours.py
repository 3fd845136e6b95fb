"""Criteria on neighbours: against loops written from the definitions, scikit-rebate's numbers,
laws, trees, and wide arrays."""

from __future__ import annotations

import json
import tracemalloc
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fasttree
from fasttree import Table, criteria, score_features, turf

from ..tools import neighbours_oracle as oracle
from ..tools import thinned

NAMES = [
    info["name"]
    for info in fasttree.list_criteria()
    if info["evidence"] == "neighbours" and info["target"] == "classes"
]
GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "scikit_rebate.json").read_text())


def make(name, **options):
    kind = type(criteria.make(name))
    known = {o["name"] for o in kind.info["options"]}
    return kind(**{k: v for k, v in options.items() if k in known})


def mixed(seed, rows=38, gaps=True):
    """Nominal and numeric columns, some with missing cells, as an object array; classes; columns
    for the oracle."""
    rng = np.random.default_rng(seed)
    columns = []
    for k in range(5):
        cells = [f"v{v}" for v in rng.integers(2 + k % 3, size=rows)]
        columns.append([None if gaps and k > 2 and rng.random() < 0.2 else c for c in cells])
    for k in range(2):
        cells = rng.normal(size=rows).tolist()
        columns.append(
            [None if gaps and k == 1 and rng.random() < 0.2 else float(c) for c in cells]
        )
    y = rng.integers(2 + seed % 2, size=rows).tolist()
    X = np.empty((rows, len(columns)), dtype=object)
    for j, column in enumerate(columns):
        X[:, j] = column
    return X, y, columns


OPTIONS = [
    {},
    {"k": 3, "multiclass": "rebate"},
    {"k": 4, "neighbour_ties": "first", "rank": 2.0},
]


@pytest.mark.parametrize("options", thinned(OPTIONS, 3), ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_scores_are_those_of_the_definitions(name, options):
    known = {o["name"] for o in criteria.make(name).info["options"]}
    own = {k: v for k, v in options.items() if k in known}
    for seed in (1, 2):
        X, y, columns = mixed(seed)
        weights = [1 + (i % 7 == 0) for i in range(len(y))] if seed == 2 else None
        if weights and options.get("neighbour_ties") == "first":
            weights = None
        expected = oracle.scores(oracle.Rows(columns, y, weights), name, **own)
        got = score_features(X, y, criterion=make(name, **options), sample_weight=weights, n_jobs=2)
        assert got == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("case", range(len(GOLDEN["cases"])))
def test_scores_are_scikit_rebates(case):
    case = GOLDEN["cases"][case]
    X = np.array([[int(c) for c in row] for row in case["X"]], dtype=np.uint8)
    for name, scores in case["scores"].items():
        criterion = make(name, k=case["relieff_k"], multiclass="rebate", neighbour_ties="first")
        got = score_features(X, case["y"], criterion=criterion, categorical_features="all")
        assert got == pytest.approx(scores, rel=0, abs=1e-9), name


@pytest.mark.parametrize("name", NAMES)
def test_bytes_and_tables_have_the_same_scores(name, tmp_path):
    rng = np.random.default_rng(5)
    X = rng.integers(3, size=(90, 130), dtype=np.uint8)
    X[:, 7], X[:, 9] = 1, X[:, 9] * 2
    y = rng.integers(3, size=90)
    streamed = score_features(X, y, criterion=name, categorical_features="all", n_jobs=2)
    table = Table(X.astype(int).astype(str), y)
    encoded = score_features(table, criterion=name)
    assert np.isnan(streamed[7]) and np.isnan(encoded[7])
    assert streamed == pytest.approx(encoded, rel=1e-12, abs=1e-12, nan_ok=True)
    held = score_features(Table(X, y, categorical_features="all"), criterion=name)
    assert held == pytest.approx(streamed, rel=1e-12, abs=1e-12, nan_ok=True)
    file = np.memmap(tmp_path / "x.bin", dtype=np.uint8, mode="w+", shape=X.shape)
    file[:] = X
    assert np.array_equal(
        score_features(file, y, criterion=name, categorical_features="all"),
        streamed,
        equal_nan=True,
    )
    other_order = score_features(
        np.asfortranarray(X), y, criterion=name, categorical_features="all"
    )
    assert np.array_equal(other_order, streamed, equal_nan=True)
    weights = rng.integers(3, size=90)
    copies = np.repeat(np.arange(90), weights)
    weighed = score_features(
        X, y, criterion=name, categorical_features="all", sample_weight=weights
    )
    copied = score_features(X[copies], y[copies], criterion=name, categorical_features="all")
    assert weighed == pytest.approx(copied, rel=1e-9, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", NAMES)
def test_names_and_order_of_rows_change_nothing(name):
    X, y, _ = mixed(3, gaps=False)
    scores = score_features(X, y, criterion=name)
    order = np.random.default_rng(0).permutation(len(y))
    renamed = [f"class {c}" for c in y]
    assert score_features(X[order], np.array(renamed)[order], criterion=name) == pytest.approx(
        scores, abs=1e-12
    )
    for threads in (2, 3):
        assert np.array_equal(score_features(X, y, criterion=name, n_jobs=threads), scores)


@pytest.mark.parametrize("name", NAMES)
def test_interactions_are_seen(name):
    table = fasttree.datasets.make_parity(2, 6, 300, random_state=1)
    scores = score_features(table, criterion=name)
    if name != "k_nearest_merit":
        assert set(np.argsort(-scores)[:2].tolist()) == {0, 1}
    else:
        assert min(scores[:2]) > np.median(scores[2:])


@pytest.mark.parametrize("name", NAMES)
def test_trees(name):
    X, y, _ = mixed(4, rows=120)
    tree = fasttree.fit(X, y, criterion=name)
    root = score_features(X, y, criterion=name)
    assert tree.tree_.feature[0] == np.nanargmax(root)
    assert tree.tree_.score[0] == pytest.approx(np.nanmax(root), rel=1e-12)
    twice = fasttree.fit(X, y, criterion=name, n_jobs=2)
    assert twice.to_bytes() == tree.to_bytes()
    assert np.mean(tree.predict(X) == y) > 0.7
    assert len(tree.explain(0, X, y)) == X.shape[1]
    with pytest.raises(ValueError, match="numeric"):
        fasttree.fit(X, y, criterion=name, discretize=None)
    with pytest.raises(ValueError, match="evaluation"):
        fasttree.fit(X, y, criterion=name, evaluation="global")


def test_a_node_is_scored_by_its_rows_and_the_ranges_of_the_root():
    rng = np.random.default_rng(17)
    a = rng.integers(2, size=60)
    numbers = np.where(a == 0, rng.normal(size=60), 3 * rng.normal(size=60))
    noise = rng.integers(3, size=60)
    y = np.where(a == 0, numbers > 0, numbers < 0).astype(int)
    X = np.empty((60, 3), dtype=object)
    X[:, 0], X[:, 1], X[:, 2] = [str(v) for v in a], numbers, [str(v) for v in noise]
    tree = fasttree.fit(X, y, criterion=criteria.ReliefF(k=3), trace="candidates")
    assert tree.tree_.feature[0] == 0
    child = int(tree.tree_.children[0])
    rows = np.flatnonzero(a == 0)
    low, high = numbers.min(), numbers.max()
    # the oracle takes ranges from what it sees: two far rows of weight zero would do, dividing does
    # too
    columns = [((numbers[rows] - low) / (high - low)).tolist(), [str(v) for v in noise[rows]]]
    made = oracle.Rows(columns, y[rows].tolist())
    own = max(columns[0]) - min(columns[0])
    made.diffs[0] = [[d * own for d in row] for row in made.diffs[0]]
    made.distance = [
        [made.diffs[0][i][j] + made.diffs[1][i][j] for j in range(made.n)] for i in range(made.n)
    ]
    expected = oracle.scores(made, "relieff", k=3)
    assert tree.tree_.score[child] == pytest.approx(
        expected[tree.tree_.feature[child] - 1], rel=1e-9
    )


def test_what_is_refused():
    X, y = np.zeros((4, 70), dtype=np.uint8), [0, 1, 0, 1]
    for bad, words in [
        ({"k": 0}, "relieff: k=0 must be a whole number >= 1"),
        ({"rank": -1.0}, "relieff: rank=-1.0 must be a finite number > 0, or None"),
        ({"neighbour_ties": "last"}, "relieff: neighbour_ties='last' must be 'share' or 'first'"),
        ({"multiclass": "none"}, "relieff: multiclass='none' must be 'prior' or 'rebate'"),
    ]:
        with pytest.raises(ValueError, match=words):
            score_features(X, y, criterion=criteria.ReliefF(**bad), categorical_features="all")
    with pytest.raises(ValueError, match="row 1"):
        score_features(
            X, y, criterion="surf", categorical_features="all", sample_weight=[1.0, -1.0, 1.0, 1.0]
        )
    with pytest.raises(ValueError, match="all sample weights are zero"):
        score_features(X, y, criterion="surf", categorical_features="all", sample_weight=[0.0] * 4)
    assert np.isnan(score_features(X, y, criterion="surf", categorical_features="all")).all()
    one = score_features(
        X[:1] + np.eye(1, 70, dtype=np.uint8),
        [0],
        criterion="multisurf",
        categorical_features="all",
    )
    assert np.isnan(one).all()


def test_turf_drops_noise_and_ranks_what_stayed():
    table = fasttree.datasets.make_parity(2, 58, 200, random_state=2)
    found = turf(table, criterion=criteria.MultiSurf(), share=0.5, keep=4)
    assert set(found.ranking[:2].tolist()) == {0, 1}
    assert (found.rounds == found.rounds.max()).sum() == 4
    assert np.bincount(found.rounds).tolist() == [30, 15, 7, 4, 4]
    X = np.array([[int(v) for v in row] for row in table.X], dtype=np.uint8)
    streamed = turf(X, table.y, criterion="multisurf", keep=4, categorical_features="all")
    assert np.array_equal(streamed.ranking, found.ranking)
    assert streamed.scores == pytest.approx(found.scores, abs=1e-12)
    for bad in ({"share": 0.0}, {"share": 1.0}, {"keep": 0}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            turf(table, **bad)


def test_progress_is_told_and_nothing_large_is_copied():
    rng = np.random.default_rng(3)
    X = rng.integers(3, size=(300, 20_000), dtype=np.uint8)
    y = rng.integers(2, size=300)
    told = []
    tracemalloc.start()
    scores = score_features(
        X,
        y,
        criterion="relieff",
        categorical_features="all",
        progress=lambda d, n: told.append((d, n)),
    )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert scores.shape == (20_000,) and peak < X.nbytes / 2
    assert told[-1][0] == told[-1][1] == 300


def test_an_exception_in_progress_stops_a_long_call():
    class Stop(Exception):
        pass

    def stop(done, total):
        raise Stop

    X = np.random.default_rng(0).integers(3, size=(1500, 20_000), dtype=np.uint8)
    with pytest.raises(Stop):
        score_features(
            X, X[:, 0] > 0, criterion="multisurf", categorical_features="all", progress=stop
        )


@pytest.mark.parametrize(
    "criterion", [criteria.ReliefF(k=4), criteria.KNearestMerit(k=4), criteria.MultiSurf()]
)
def test_neighbours_do_not_depend_on_the_unit(criterion) -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        t = int(rng.integers(20, 80))
        tenths, y = rng.integers(-25, 25, (t, 3)), rng.integers(0, 3, t)
        X = tenths / 10
        scores = score_features(X, y, criterion=criterion)
        for other in (X * 3, X * 1000, -X, tenths.astype(float)):
            assert np.allclose(
                score_features(other, y, criterion=criterion), scores, rtol=0, atol=1e-9
            )


def test_a_small_rank_is_the_nearest_neighbour() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 2, 60)
    nearest = score_features(X, y, criterion=criteria.ReliefF(k=1))
    for rank in (0.2, 0.03, 1e-6, 1e-300):
        assert np.allclose(
            score_features(X, y, criterion=criteria.ReliefF(k=5, rank=rank)), nearest, atol=1e-9
        )


@st.composite
def lattices(draw):
    """Whole numbers of a few ranges per column, some cells missing, classes, units."""
    rows = draw(st.integers(4, 16))
    columns = []
    for _ in range(draw(st.integers(1, 4))):
        span = draw(st.sampled_from([1, 2, 3, 5, 6, 7, 9, 10, 11, 30]))
        columns.append(draw(st.lists(st.integers(0, span), min_size=rows, max_size=rows)))
    if draw(st.booleans()):
        gone = draw(st.lists(st.booleans(), min_size=rows, max_size=rows))
        columns[0] = [None if g else x for x, g in zip(columns[0], gone, strict=True)]
    y = draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows))
    unit = draw(st.sampled_from([1.0, 3.0, 0.1, 1 / 3, -2.54, 1e-7, 1e9]))
    shift = draw(st.sampled_from([0, -3, 17]))
    return columns, y, unit, shift


@pytest.mark.parametrize(
    "options", thinned([{"k": 1, "neighbour_ties": "first"}, *OPTIONS], 3), ids=str
)
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25, deadline=None)
@given(data=lattices())
def test_equal_distances_tie_in_every_unit(name, options, data):
    """Distances as fractions, so that 1/3 + 1/3 and 2/3 are one number; any unit of a column."""
    columns, y, unit, shift = data
    exact = [[None if x is None else Fraction(x) for x in column] for column in columns]
    known = {o["name"] for o in criteria.make(name).info["options"]}
    own = {k: v for k, v in options.items() if k in known}
    expected = oracle.scores(oracle.Rows(exact, y), name, **own)
    cells = [[np.nan if x is None else (x + shift) * unit for x in column] for column in columns]
    X = np.array(cells).T
    constant = [len({x for x in column if x is not None}) < 2 for column in columns]
    found = score_features(X, y, criterion=make(name, **options))
    for j, score in enumerate(found):
        if not constant[j]:
            assert score == pytest.approx(expected[j], rel=1e-9, abs=1e-9), j


def test_ties_of_thirds():
    X, y = [[0.0, 0.0], [3.0, 3.0], [0.0, 2.0], [1.0, 1.0]], [0, 1, 1, 1]
    first = criteria.ReliefF(k=1, neighbour_ties="first")
    assert score_features(X, y, criterion=first) == pytest.approx([-1 / 12, 5 / 12], abs=1e-12)


def test_more_neighbours_than_rows_of_a_class_are_said_with_the_option():
    from fasttree.criteria import ReliefF, RReliefF

    X, y = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 0], [1, 1, 1]] * 2), np.array([0, 1, 1, 0] * 2)
    said = r"relieff looks at k=10 neighbours, and class 0 has 4 rows: .*criterion=ReliefF\(k=1\)"
    with pytest.warns(UserWarning, match=said):
        scores = fasttree.score_features(X, y, criterion="relieff")
    assert len(set(scores.round(12))) == 1
    with pytest.warns(UserWarning, match=said):
        fasttree.score_features(
            X.astype(np.uint8), y, criterion="relieff", categorical_features="all"
        )
    with pytest.warns(UserWarning, match=said):
        fasttree.fit(X, y, criterion="relieff", max_depth=1)
    with pytest.warns(UserWarning, match="rrelieff looks at k=10 neighbours, and there are 8 rows"):
        fasttree.score_features(X, y + 0.5, criterion="rrelieff")
    # Not where there are enough, of copies, of other criteria, or in the folds of a call.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = fasttree.score_features(X, y, criterion=ReliefF(k=3))
        fasttree.score_features(X, y + 0.5, criterion=RReliefF(k=7))
        fasttree.score_features(X, y, criterion="relieff", sample_weight=np.full(8, 20))
        fasttree.score_features(X, y, criterion="surf")
        with fasttree._checks.data_warnings.quiet():
            fasttree.fit(X, y, criterion="relieff", max_depth=1)
