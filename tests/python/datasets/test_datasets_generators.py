"""Bundled sets and generators: sizes, rules recomputed naively, seeds, noise rates, exact
posteriors."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fasttree.datasets as ds
from fasttree.datasets.samples import SEGMENTS

# -- the shelf ------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", ds.list_datasets(), ids=lambda e: e["name"])
def test_listed_sizes_are_true(entry):
    table = ds.load(entry["name"])
    assert (len(table), table.n_features, len(table.classes)) == (
        entry["rows"],
        entry["features"],
        entry["classes"],
    )
    assert table.name == entry["name"] and entry["source"]
    assert set(table.y.tolist()) == set(table.classes)
    own = getattr(ds, "load_" + entry["name"].replace("-", "_"))()
    assert own.equals(table)


def test_list_is_sorted_and_every_loader_is_listed():
    names = [e["name"] for e in ds.list_datasets()]
    assert names == sorted(names)
    loaders = {
        n.removeprefix("load_").replace("_", "-") for n in ds.__all__ if n.startswith("load_")
    }
    assert loaders == set(names)
    assert all(hasattr(ds, name) for name in ds.__all__)


def test_scikit_learn_copies():
    from sklearn.datasets import load_breast_cancer, load_iris

    iris, bunch = ds.load_iris(), load_iris()
    assert np.array_equal(iris.X, bunch.data) and np.array_equal(iris.y_codes, bunch.target)
    assert (
        iris.classes == ("setosa", "versicolor", "virginica")
        and iris.feature_names[0] == "sepal length (cm)"
    )
    cancer, bunch = ds.load_breast_cancer(), load_breast_cancer()
    assert cancer.classes == ("malignant", "benign") and np.array_equal(
        cancer.y_codes, bunch.target
    )


# -- rules ----------------------------------------------------------------------------------------


def test_xor_cube():
    table = ds.make_xor()
    assert [tuple(row) for row in table.X.tolist()] == list(product((0, 1), repeat=3))
    assert table.y.tolist() == [a ^ b for a, b, _ in product((0, 1), repeat=3)]
    assert table.feature_names == ["x1", "x2", "x3"] and all(
        c.levels == (0, 1) for c in table.columns
    )
    big = ds.make_xor(4, n_noise=2, repeats=3, random_state=1)
    assert big.shape == (48, 6) and big.y.tolist() == (big.X[:, 0] ^ big.X[:, 1]).tolist()
    assert ds.make_xor(2, flip=1.0).y.tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize("n_bits", [1, 2, 4])
def test_parity(n_bits):
    cube = ds.make_parity(n_bits, 1)
    assert len(cube) == 2 ** (n_bits + 1)
    assert cube.y.tolist() == [sum(row[:n_bits]) % 2 for row in cube.X.tolist()]
    drawn = ds.make_parity(n_bits, 2, 500, random_state=3)
    assert drawn.shape == (500, n_bits + 2) and drawn.y.tolist() == [
        sum(r[:n_bits]) % 2 for r in drawn.X.tolist()
    ]


def test_flip_rate():
    clean, noisy = (ds.make_parity(3, 0, 20_000, flip=f, random_state=5) for f in (0.0, 0.2))
    assert np.array_equal(clean.X, noisy.X)
    assert abs((clean.y != noisy.y).mean() - 0.2) < 0.01


def test_monks():
    for problem, rule in (
        (1, lambda a: a[0] == a[1] or a[4] == 1),
        (2, lambda a: sum(v == 1 for v in a) == 2),
        (3, lambda a: (a[4] == 3 and a[3] == 1) or (a[4] != 4 and a[1] != 3)),
    ):
        table = ds.make_monks(problem)
        assert len(table) == 432 and table.y.tolist() == [int(rule(a)) for a in table.X.tolist()]
        assert [len(c.levels) for c in table.columns] == [3, 3, 2, 3, 4, 2]
    train = ds.make_monks(1, 124, random_state=0)
    assert len(train) == 124 and len({tuple(r) for r in train.X.tolist()}) == 124
    assert len(ds.make_monks(1, 1000, replace=True, random_state=0)) == 1000
    noisy = ds.make_monks(3, flip=0.05, random_state=0)
    assert 5 <= (noisy.y != ds.make_monks(3).y).sum() <= 45


def test_tic_tac_toe_boards_are_possible_and_distinct():
    table = ds.make_tic_tac_toe()
    boards = [tuple(row) for row in table.X.tolist()]
    assert len(set(boards)) == 958
    for board, label in zip(boards, table.y, strict=True):
        x, o = board.count("x"), board.count("o")
        assert x - o in (0, 1)
        lines = (
            [board[i : i + 3] for i in (0, 3, 6)]
            + [board[i::3] for i in range(3)]
            + [board[::4], board[2:7:2]]
        )
        won = {player: (player,) * 3 in lines for player in "xo"}
        assert (label == "positive") == won["x"] and not (won["x"] and won["o"])
        assert won["x"] or won["o"] or "b" not in board


def test_balance_scale():
    table = ds.make_balance_scale()
    for (lw, ld, rw, rd), label in zip(table.X, table.y, strict=True):
        assert label == ("L" if lw * ld > rw * rd else "R" if lw * ld < rw * rd else "B")
    nominal = ds.make_balance_scale(as_nominal=True)
    assert nominal.columns[0].levels == (1, 2, 3, 4, 5) and np.array_equal(
        nominal.X.astype(float), table.X
    )


# -- samples --------------------------------------------------------------------------------------

SEEDED = [
    lambda seed: ds.make_xor(3, n_noise=4, repeats=5, flip=0.3, random_state=seed),
    lambda seed: ds.make_parity(3, 2, 60, flip=0.1, random_state=seed),
    lambda seed: ds.make_monks(2, 100, flip=0.1, random_state=seed),
    lambda seed: ds.make_blobs(50, random_state=seed),
    lambda seed: ds.make_waveform(50, random_state=seed),
    lambda seed: ds.make_led(50, n_irrelevant=3, random_state=seed),
    lambda seed: ds.make_random_tree(50, random_state=seed)[0],
    *(
        lambda seed, kind=kind: ds.make_bayesian_network(kind, 50, random_state=seed)[0]
        for kind in ("nb", "tan", "aode")
    ),
]


@pytest.mark.parametrize("make", SEEDED)
def test_one_seed_one_sample(make):
    assert make(7).equals(make(7)) and not make(7).equals(make(8))
    assert make(np.random.default_rng(7)).equals(make(7))


def test_blobs():
    sd = np.array([2.3, 3.5, 2.4])
    table = ds.make_blobs(30_000, sd=sd, random_state=0)
    assert table.shape == (30_000, 3) and table.classes == (0, 1, 2)
    for c in range(3):
        rows = table.X[table.y == c]
        assert len(rows) == 10_000 and np.allclose(rows.std(axis=0), sd[c], rtol=0.05)
    centers = [[0.0, 0.0], [5.0, -5.0]]
    exact = ds.make_blobs(5, centers, sd=0.0, random_state=0)
    assert np.array_equal(exact.X, np.array(centers)[exact.y]) and sorted(exact.y.tolist()) == [
        0,
        0,
        0,
        1,
        1,
    ]


def test_waveform_means():
    table = ds.make_waveform(60_000, 2, random_state=0)
    assert table.shape == (60_000, 23)
    i = np.arange(1, 22)
    h1, h2, h3 = (np.array([max(6 - abs(k - 11 - s), 0) for k in i]) for s in (0, 4, -4))
    for c, (a, b) in enumerate([(h1, h2), (h1, h3), (h2, h3)]):
        rows = table.X[table.y == c]
        assert np.abs(rows[:, :21].mean(axis=0) - (a + b) / 2).max() < 0.06
        assert np.abs(rows[:, 21:].mean(axis=0)).max() < 0.04 and np.allclose(
            rows[:, 21:].std(axis=0), 1, atol=0.03
        )
    assert ds.make_waveform(10, random_state=0).n_features == 40


def test_led():
    assert len(np.unique(SEGMENTS, axis=0)) == 10 and SEGMENTS.sum(axis=1).tolist() == [
        6,
        2,
        5,
        5,
        4,
        5,
        6,
        3,
        7,
        6,
    ]
    table = ds.make_led(20_000, n_irrelevant=17, random_state=0)
    assert table.n_features == 24 and table.classes == tuple(range(10))
    X = table.X.astype(int)
    assert (
        abs((X[:, :7] != SEGMENTS[table.y]).mean() - 0.1) < 0.01
        and abs(X[:, 7:].mean() - 0.5) < 0.01
    )


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 40), st.integers(1, 5), st.integers(2, 5), st.integers(0, 10**6))
def test_random_tree(n_leaves, n_features, n_classes, seed):
    table, tree = ds.make_random_tree(200, n_features, n_leaves, n_classes, random_state=seed)
    assert tree.n_leaves == n_leaves and tree.n_nodes == 2 * n_leaves - 1
    assert table.classes == tuple(range(n_classes)) and ((table.X >= 0) & (table.X < 1)).all()
    for row, label in zip(
        table.X[:20], table.y, strict=False
    ):  # a walk from the root, node by node
        node = 0
        while tree.feature[node] >= 0:
            node = (
                tree.left[node]
                if row[tree.feature[node]] <= tree.threshold[node]
                else tree.right[node]
            )
        assert tree.label[node] == label
    inside = tree.feature >= 0
    assert (tree.left[inside] == np.flatnonzero(inside) + 1).all()  # pre-order
    assert (tree.label[inside] == -1).all() and (tree.label[~inside] >= 0).all()
    for node in np.flatnonzero(inside):
        left, right = tree.left[node], tree.right[node]
        if tree.feature[left] < 0 and tree.feature[right] < 0:
            assert tree.label[left] != tree.label[right]
    assert len(tree.to_text().splitlines()) == tree.n_nodes


# -- Bayesian networks ----------------------------------------------------------------------------


def naive_joint(network, row):
    """P(c, x) by the formula, one number at a time."""
    result = []
    for c, prior in enumerate(network.class_prior):
        total = 0.0
        for component in network.components:
            term = prior / len(network.components)
            for j, value in enumerate(row):
                term *= component.tables[j][(*((*row, c)[i] for i in component.parents[j]), value)]
            total += term
        result.append(total)
    return result


@pytest.mark.parametrize("kind", ["nb", "tan", "aode"])
@pytest.mark.parametrize("seed", range(5))
def test_posterior_is_exact(kind, seed):
    _, network = ds.make_bayesian_network(kind, 10, n_attributes=3, random_state=seed)
    every = np.array(list(product(*(range(v) for v in network.n_values))))
    joint = network.joint(every)
    assert np.allclose(joint, [naive_joint(network, row) for row in every], rtol=1e-12, atol=0)
    assert abs(joint.sum() - 1) < 1e-12
    assert np.allclose(network.predict_proba(every), joint / joint.sum(axis=1, keepdims=True))
    assert np.array_equal(network.predict(every), joint.argmax(axis=1))
    table = network.sample(40_000, random_state=seed)
    codes = np.column_stack([c.values for c in table.columns])
    index = np.ravel_multi_index((*codes.T, table.y), (*network.n_values, len(network.class_prior)))
    seen = np.bincount(index, minlength=joint.size) / len(table)
    assert np.abs(seen - joint.ravel()).max() < 0.015  # five standard errors of the largest cell
    assert np.array_equal(network.joint(table), network.joint(codes))


def test_draws_of_a_seed_stay_as_they_are():
    # sums of the columns of 300 rows, the class last
    known = {
        "nb": [253, 65, 73, 587, 751, 540, 180, 195],
        "tan": [77, 128, 172, 619, 673, 290, 64, 19],
        "aode": [159, 120, 176, 581, 669, 475, 168, 199],
    }
    for kind, sums in known.items():
        table, network = ds.make_bayesian_network(kind, 300, random_state=3)
        codes = np.column_stack([*(c.values for c in table.columns), table.y_codes])
        assert codes.sum(axis=0).tolist() == sums
        drawn = network.components[0].draw(50, np.random.default_rng(0))
        assert drawn.shape == (50, len(sums)) and len({tuple(row) for row in drawn}) > 10


def test_structures():
    _, nb = ds.make_bayesian_network("nb", 5, n_attributes=6, random_state=0)
    assert [c.parents for c in nb.components] == [[(6,)] * 6 + [()]]
    _, tan = ds.make_bayesian_network("tan", 5, n_attributes=6, random_state=0)
    parents = tan.components[0].parents
    assert all(own[-1] == 6 and len(own) <= 2 for own in parents[:6]) and parents[6] == ()
    assert sum(len(own) == 1 for own in parents) == 1
    for j in range(6):  # every attribute reaches the root: a tree
        steps = 0
        while len(parents[j]) > 1:
            j, steps = parents[j][0], steps + 1
            assert steps < 6
    _, aode = ds.make_bayesian_network(
        "aode", 5, n_attributes=4, n_values=3, n_classes=2, random_state=0
    )
    assert [c.parents for c in aode.components] == [
        [*((4,) if j == i else (i, 4) for j in range(4)), ()] for i in range(4)
    ]
    assert all(
        t.shape == ((2, 3) if len(own) == 1 else (3, 2, 3)) and np.allclose(t.sum(axis=-1), 1)
        for c in aode.components
        for t, own in zip(c.tables[:4], c.parents[:4], strict=True)
    )
    sizes = [ds.make_bayesian_network("nb", 1, random_state=s)[1] for s in range(60)]
    assert {len(n.n_values) for n in sizes} == {3, 4, 5, 6, 7}
    assert (
        {v for n in sizes for v in n.n_values}
        == {2, 3, 4, 5}
        == {len(n.class_prior) for n in sizes}
    )


# -- wrong arguments ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ds.make_xor(1), "n_bits=1 must be a whole number in \\[2, "),
        (lambda: ds.make_xor(40), "more than 20"),
        (lambda: ds.make_xor(repeats=0), "repeats=0"),
        (lambda: ds.make_xor(flip=1.5), "flip=1.5 must be a number in \\[0, 1"),
        (lambda: ds.make_parity(15, 10), "give n_samples"),
        (lambda: ds.make_parity(3, n_samples=2.5), "n_samples=2.5"),
        (lambda: ds.make_monks(4), "use 1, 2 or 3"),
        (lambda: ds.make_monks(1, 433), "replace=True"),
        (lambda: ds.make_blobs(10, sd=[1.0, 2.0]), "sd has 2 values but there are 3 clusters"),
        (lambda: ds.make_blobs(10, sd=-1), "not negative"),
        (lambda: ds.make_blobs(10, [1.0, 2.0]), "centers of shape"),
        (lambda: ds.make_blobs(10, center_box=(1, 1)), "center_box"),
        (lambda: ds.make_led(10, noise=-0.1), "noise=-0.1"),
        (lambda: ds.make_waveform(0), "n_samples=0"),
        (lambda: ds.make_random_tree(n_classes=1), "n_classes=1"),
        (lambda: ds.make_random_tree(margin=0.5), "margin=0.5"),
        (lambda: ds.make_bayesian_network("bn"), "use 'nb', 'tan', 'aode'"),
        (lambda: ds.make_bayesian_network(concentration=0), "concentration=0"),
        (
            lambda: ds.make_bayesian_network(n_attributes=2, n_values=(2, 3, 4)),
            "3 numbers but there are 2 attributes",
        ),
        (
            lambda: ds.make_bayesian_network(n_attributes=2, random_state=0)[1].joint(
                np.zeros((1, 3), int)
            ),
            "needs 2 columns",
        ),
        (
            lambda: ds.make_bayesian_network(n_attributes=2, random_state=0)[1].joint(
                np.full((1, 2), 9)
            ),
            "whole codes",
        ),
        (lambda: ds.make_bayesian_network(random_state=0)[1].joint(ds.make_xor()), "not attribute"),
    ],
)
def test_wrong_arguments(call, words):
    with pytest.raises(ValueError, match=words):
        call()
