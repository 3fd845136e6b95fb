"""Pair counts against a double loop, the printed constants, the laws, and the words of refusals."""

from __future__ import annotations

import numpy as np
import pytest

import fasttree
from fasttree import Table, count_matrices, datasets, pair_counts
from fasttree.datasets import make_xor

from ..tools import pairs_oracle


def random_table(seed: int) -> Table:
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(1, 90)), int(rng.integers(1, 9))
    values = rng.integers(1, 6, p)
    X = np.column_stack([rng.integers(0, v, n) for v in values]).astype(np.uint8)
    return Table(X, rng.integers(0, rng.integers(1, 5), n), categorical_features="all")


@pytest.mark.parametrize("seed", range(25))
def test_counts_equal_the_double_loop(seed: int) -> None:
    table = random_table(seed)
    rows = [[int(c.values[i]) for c in table.columns] for i in range(len(table))]
    sizes = [len(c.levels) for c in table.columns]
    first = list(range(0, len(table), 2))
    for chosen in (None, first):
        expected = pairs_oracle.counts(
            rows, table.y_codes.tolist(), sizes, len(table.classes), chosen
        )
        got = pair_counts(table, rows=chosen, n_jobs=1 + seed % 3)
        for k in range(len(sizes)):
            assert np.array_equal(got.counts[k], np.array(expected[k]))


def test_a_partition_of_the_rows_adds_up() -> None:
    table = datasets.make_monks(1)
    parts = np.array_split(np.random.default_rng(0).permutation(len(table)), 4)
    total = pair_counts(table, rows=parts[0])
    for part in parts[1:]:
        total = total + pair_counts(table, rows=part, n_jobs=2)
    assert total == pair_counts(table)
    assert total.pairs == len(table) ** 2


def test_the_xor_cube() -> None:
    counts = pair_counts(make_xor())
    assert [int(c[:, :, 3, 1].sum()) // 2 for c in counts.counts] == [4, 4, 0]
    assert counts.score("contextual_merit").tolist() == [10, 10, 4]
    assert counts.score("relief", alpha=2).tolist() == [8, 8, -8]
    assert counts.score("pi").round(6).tolist() == [1.000920, 1.000920, 0.001201]
    assert counts.score("pi", alpha=0).tolist() == [0, 0, 0]


@pytest.mark.parametrize("seed", range(8))
def test_alpha_zero_has_the_closed_form(seed: int) -> None:
    table = random_table(seed)
    counts = pair_counts(table)
    for r, counted in zip(counts.matrices(alpha=0), counts.tables, strict=True):
        n_m, n_c, n = counted.sum(1, keepdims=True), counted.sum(0, keepdims=True), counted.sum()
        form = [
            counted**2,
            counted * (n_m - counted),
            counted * (n_c - counted),
            counted * (n - n_m - n_c + counted),
        ]
        assert np.array_equal(r, np.stack(form, axis=2))
        assert np.array_equal(np.sqrt(r[:, :, 0]), counted)


@pytest.mark.parametrize("seed", range(8))
def test_conservation_and_the_unweighted_metric(seed: int) -> None:
    counts = pair_counts(random_table(seed))
    cases = np.array([c.sum(axis=0) for c in counts.counts])
    assert np.all(cases[:, :, 0] + cases[:, :, 2] == cases[0, :, 0] + cases[0, :, 2])
    assert np.all(cases[:, :, 1] + cases[:, :, 3] == cases[0, :, 1] + cases[0, :, 3])
    setting = {"alpha": 0.3, "decay": "exponential"}
    difference = counts.score("pi_unweighted", **setting) - 2 * counts.score("relief", **setting)
    assert np.allclose(difference, difference[0])


def test_matrices_root_and_a_function_of_ones_own() -> None:
    table = datasets.load_weather()
    counts = pair_counts(table)
    for decay, alpha in [
        ("exponential", 0.7),
        ("power", 2.0),
        ("threshold", 2.5),
        ("identical", 1.0),
        ("uniform", 0.0),
    ]:
        d = np.arange(len(counts.counts) + 1.0)
        with np.errstate(divide="ignore"):
            weights = {
                "exponential": 2 ** (-alpha * d),
                "power": np.where(d == 0, 0.25, d**-alpha),
                "threshold": d < alpha,
                "identical": d == 0,
                "uniform": d >= 0,
            }[decay]
        theta = np.array([1.0, 0.5, 0.25, 0.0])
        for r, own in zip(counts.matrices(theta, alpha, decay, 0.25), counts.counts, strict=True):
            assert np.allclose(r, theta[:, None].T * (own * weights).sum(axis=3), rtol=1e-14)
        first = counts.counts[0].sum(axis=0)
        root = counts.root((1, 1, 1, 1), alpha, decay, 0.25)
        assert np.allclose(root[:, 0], ((first[:, 0] + first[:, 2]) * weights).sum(axis=1))
        assert np.all(root[:, 2:] == 0)

    def own_pi(root, r, tables):
        share = tables.sum(axis=2) / tables.sum(axis=(1, 2))[:, None]
        return (share * (r[..., 0] + r[..., 3] - r[..., 1] - r[..., 2]).sum(axis=2)).sum(axis=1)

    assert np.allclose(counts.score(own_pi), counts.score("pi"))
    with pytest.raises(ValueError, match="one score for each of the 4 features"):
        counts.score(lambda root, r, tables: 1.0)


def test_missing_cells_are_a_value_of_their_own() -> None:
    table = Table([["a", "x"], [None, "x"], ["b", "y"], [None, "y"]], [0, 0, 1, 1])
    counts = pair_counts(table)
    assert counts.counts[0].shape == (3, 2, 4, 3)
    assert counts.tables[0].tolist() == [[1, 0], [0, 1], [1, 1]]


def test_numeric_columns_are_binned_or_refused() -> None:
    table = datasets.load_iris()
    assert [len(levels) for levels in pair_counts(table).levels] == [10] * 4
    with pytest.raises(ValueError, match="is numeric and discretize is None"):
        pair_counts(table, discretize=None)


@pytest.mark.parametrize(
    "how", ["equal_width", "equal_frequency", "mdlp", fasttree.discretize.EqualFrequency(4)]
)
def test_every_discretiser_of_trees_bins_for_pairs(how) -> None:
    table = datasets.load_iris()
    for weights in (None, np.arange(len(table)) % 3):
        counts = pair_counts(table, discretize=how, sample_weight=weights)
        exact = fasttree.score_features(
            table, criterion="pi", discretize=how, sample_weight=weights
        )
        assert counts.score("pi") == pytest.approx(exact, rel=1e-12)
        for precision in ("exact", "fixed"):
            found = count_matrices(
                table, discretize=how, precision=precision, sample_weight=weights
            )
            assert [len(r) for r in found] == [len(levels) for levels in counts.levels]


def test_unknown_discretisers_are_refused_in_the_same_words_everywhere() -> None:
    table = datasets.load_iris()
    for how in ("chi", 5, fasttree.discretize.ReplaceMissing()):
        for call in (
            lambda how=how: pair_counts(table, discretize=how),
            lambda how=how: count_matrices(table, discretize=how, precision="fixed"),
            lambda how=how: fasttree.estimate_features(table, discretize=how),
            lambda how=how: fasttree.fit(table, discretize=how),
            lambda how=how: fasttree.score_features(table, criterion="pi", discretize=how),
            lambda how=how: fasttree.naive_bayes.AODE(discretize=how).fit(table),
        ):
            with pytest.raises(
                ValueError,
                match="discretize=.* is not known; use 'auto', None, 'equal_width', .*'mdlp'",
            ):
                call()


DECAYS = ("exponential", "power", "threshold", "identical", "uniform")


@pytest.mark.parametrize("name", ["pi", "pi_unweighted", "contextual_merit", "relief"])
def test_a_sweep_is_the_scores_of_its_settings(name) -> None:
    counts = pair_counts(random_table(3))
    assert np.array_equal(counts.sweep(name)[0, 0, 0], counts.score(name))
    alphas, thetas = [0.5, 2.0, 3.0], [(1, 1, 1, 1), (1, 0.5, 0, 1)]
    by_alpha = counts.sweep(name, alpha=alphas)
    by_decay = counts.sweep(name, decay=DECAYS)
    every = counts.sweep(name, theta=thetas, alpha=alphas, decay=DECAYS, at_zero=0.5)
    assert every.shape == (2, 3, 5, len(counts.counts))
    for j, alpha in enumerate(alphas):
        assert np.array_equal(by_alpha[0, j, 0], counts.score(name, alpha=alpha))
        for k, decay in enumerate(DECAYS):
            assert np.array_equal(by_decay[0, 0, k], counts.score(name, decay=decay))
            for i, theta in enumerate(thetas):
                own = counts.score(name, theta=theta, alpha=alpha, decay=decay, at_zero=0.5)
                assert np.array_equal(every[i, j, k], own)


def test_a_sweep_takes_a_function_and_refuses_what_score_refuses() -> None:
    counts = pair_counts(make_xor())

    def merit(root, r, tables):
        return r[..., 3].sum(axis=(1, 2))

    found = counts.sweep(merit, alpha=[1.0, 2.0], decay="power")
    assert np.array_equal(
        found[0, :, 0], counts.sweep("contextual_merit", alpha=[1.0, 2.0])[0, :, 0]
    )
    for call in (counts.score, counts.sweep):
        with pytest.raises(ValueError, match="criterion='gini' is not known; use 'pi'"):
            call("gini")
        with pytest.raises(ValueError, match="decay='linear' is not known; use 'exponential'"):
            call("relief", decay="linear")


def test_refusals() -> None:
    table = make_xor()
    counts = pair_counts(table)
    for setting, words in [
        ({"alpha": -1.0}, "alpha=.* must be a number in"),
        ({"alpha": float("nan")}, "alpha=.* must be a number in"),
        ({"theta": (1, 1, 1, 2)}, r"theta\[3\] must lie in \[0, 1\]"),
        ({"theta": (1, 1)}, "four weights"),
        ({"decay": "linear"}, "decay='linear'"),
    ]:
        with pytest.raises(ValueError, match=words):
            counts.matrices(**setting)
    with pytest.raises(ValueError, match="criterion='gini'"):
        counts.score("gini")
    with pytest.raises(ValueError, match="rows holds 8; the data set has rows 0 to 7"):
        pair_counts(table, rows=[8])
    assert np.all(np.isfinite(counts.score("pi", alpha=1e308)))


def test_edges() -> None:
    one = Table([["a"]], ["c"])
    assert pair_counts(one).counts[0].tolist() == [[[[1, 0], [0, 0], [0, 0], [0, 0]]]]
    assert count_matrices(make_xor(), decay="identical")[0][0].tolist() == [
        [2, 0, 0, 0],
        [2, 0, 0, 0],
    ]
    assert fasttree.pair_counts is pair_counts


@pytest.mark.parametrize("seed", range(12))
def test_fixed_matrices_keep_their_error_bound(seed: int) -> None:
    table = random_table(seed)
    rows = list(range(0, len(table), 2)) if seed % 3 == 0 else None
    for setting in (
        {"alpha": 0.3},
        {"alpha": 2.0, "decay": "power", "at_zero": 3.0, "theta": (0.5, 1, 0, 1)},
        {"alpha": 3, "decay": "threshold"},
        {"alpha": 1e308},
        {"decay": "uniform"},
    ):
        exact = count_matrices(table, rows=rows, **setting)
        fixed = count_matrices(table, rows=rows, precision="fixed", n_jobs=1 + seed % 8, **setting)
        # no pair of different rows weighs more than 1 under any of these settings
        bound = len(table) ** 2 * 2.0**-25
        for a, b in zip(exact, fixed, strict=True):
            assert a.shape == b.shape
            assert np.abs(a - b).max() <= bound + 1e-13 * np.abs(a).max()


def test_fixed_weights_are_exact_where_halves_are() -> None:
    table = datasets.make_monks(2)
    for setting in ({"alpha": 1.0}, {"alpha": 2, "decay": "threshold"}, {"alpha": 0.0}):
        for a, b in zip(
            count_matrices(table, **setting),
            count_matrices(table, precision="fixed", **setting),
            strict=True,
        ):
            assert np.array_equal(a, b)


def test_what_fixed_point_refuses() -> None:
    table = make_xor()
    for setting, words in (
        ({"alpha": float("nan")}, "alpha=.* must be a number in"),
        ({"alpha": -1.0}, "alpha=.* must be a number in"),
        ({"theta": (1, 1, 1, 2)}, r"theta\[3\] must lie in \[0, 1\]"),
        ({"decay": "linear"}, "exponential"),
        ({"decay": "power", "at_zero": -1.0}, "at_zero"),
        ({"rows": [99]}, "99"),
    ):
        with pytest.raises((ValueError, IndexError), match=words):
            count_matrices(table, precision="fixed", **setting)
    with pytest.raises(ValueError, match="precision='float' is not known; use 'exact', 'fixed'"):
        count_matrices(table, precision="float")
    with pytest.raises(ValueError, match="numeric and discretize is None"):
        count_matrices(np.eye(3), [0, 1, 0], precision="fixed", discretize=None)
    one_row = count_matrices([["a", "b"]], ["x"], precision="fixed")
    assert [r.tolist() for r in one_row] == [[[[1.0, 0.0, 0.0, 0.0]]]] * 2
    one_class = count_matrices([["a"], ["b"], ["a"]], ["x"] * 3, precision="fixed", alpha=1.0)
    assert one_class[0].tolist() == [[[4.0, 0.0, 1.0, 0.0]], [[1.0, 0.0, 1.0, 0.0]]]


def test_seventy_thousand_rows_in_fixed_point() -> None:
    random = np.random.default_rng(3)
    X, y = random.integers(0, 2, (70_000, 5), dtype=np.uint8), random.integers(0, 2, 70_000)
    table = Table(X, y, categorical_features="all")
    sums = [r.sum() for r in count_matrices(table, alpha=0.0, precision="fixed")]
    assert sums == [4.9e9] * 5
    for a, b in zip(count_matrices(table), count_matrices(table, precision="fixed"), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-7)


def test_weights_are_copies_of_rows_wherever_they_come_from(tmp_path) -> None:
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 3, (60, 4)).astype(np.uint8), rng.integers(0, 3, 60)
    w = rng.integers(0, 4, 60)
    copies = np.repeat(np.arange(60), w)
    all_nominal = {"categorical_features": "all"}
    repeated = Table.from_any(X, y, **all_nominal).take(copies)
    truth = pair_counts(repeated)
    assert truth.pairs == int(w.sum()) ** 2
    weighted = pair_counts(X, y, sample_weight=w, **all_nominal)
    assert weighted == truth
    assert all(map(np.array_equal, weighted.tables, truth.tables))
    for metric in ("pi", "contextual_merit", "relief"):
        assert np.array_equal(weighted.score(metric), truth.score(metric))
    for precision in ("exact", "fixed"):
        got = count_matrices(X, y, sample_weight=w, precision=precision, **all_nominal)
        expected = count_matrices(repeated, precision=precision)
        assert all(np.array_equal(a, b) for a, b in zip(got, expected, strict=True))
    # a file that carries weights
    lines = [f"{a},{b},{{{c}}}" for a, b, c in zip("uvuv", "pqqp", (3, 2, 5, 1), strict=True)]
    text = "@relation w\n@attribute a {u,v}\n@attribute c {p,q}\n@data\n" + "\n".join(lines) + "\n"
    (tmp_path / "w.arff").write_text(text)
    assert pair_counts(datasets.load(tmp_path / "w.arff")).pairs == 11**2
    with pytest.raises(ValueError, match=r"sample_weight of row 2 is 0\.5.*whole"):
        pair_counts(X, y, sample_weight=[1, 2, 0.5] + [1] * 57, **all_nominal)
    with pytest.raises(ValueError, match=r"shape \(3,\), expected \(60,\)"):
        count_matrices(X, y, sample_weight=[1, 2, 3], precision="fixed", **all_nominal)


def test_progress_says_what_there_is_to_do() -> None:
    rng = np.random.default_rng(6)
    X = rng.integers(0, 3, (6000, 12)).astype(np.uint8)
    y = (X[:, 0] + X[:, 1]) % 2
    seen: list[tuple[int, int]] = []

    def note(done: int, total: int) -> None:
        assert 0 <= done <= total > 0
        seen.append((done, total))

    given = {"categorical_features": "all", "progress": note}
    calls = [
        lambda: pair_counts(X, y, **given),
        lambda: count_matrices(X, y, precision="fixed", **given),
        lambda: fasttree.estimate_features(X, y, sample=400, method="rows", **given),
        *(
            lambda criterion=criterion: fasttree.score_features(X, y, criterion=criterion, **given)
            for criterion in ("pi", "relief", "gini", "contextual_merit")
        ),
    ]
    for call in calls:
        seen.clear()
        call()
        assert seen and seen[-1][0] == seen[-1][1]


def test_a_weight_at_zero_that_would_overflow_is_refused_by_name() -> None:
    table = datasets.load_weather()
    for criterion in (
        fasttree.criteria.ContextualMerit(at_zero=1e308),
        fasttree.criteria.Pi(decay="power", at_zero=1e308),
    ):
        with pytest.raises(ValueError, match=r"at_zero=1e\+308 must be a number in \[0, 1e250\]"):
            fasttree.score_features(table, criterion=criterion)
    largest = fasttree.criteria.Pi(decay="power", at_zero=1e250)
    assert np.isfinite(fasttree.score_features(table, criterion=largest)).all()
