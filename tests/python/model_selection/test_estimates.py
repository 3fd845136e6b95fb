"""Estimated pair scores: all subsets with their probabilities, the exact pass, standard errors that
are what they say, races, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fasttree
from fasttree import Table, estimate_features, score_features
from fasttree.criteria import ContextualMerit, Pi, Relief
from fasttree.feature_selection.subsets import Strata, counts_means, size_probabilities

from ..tools import estimates_oracle


def random_table(seed: int, rows: int, features: int) -> Table:
    """A few values a column, missing cells, a class that two features know together."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, v, rows) for v in rng.integers(2, 5, features)]).astype(
        object
    )
    y = (X[:, 0].astype(int) + X[:, 1].astype(int)) % 2 ^ (rng.random(rows) < 0.1)
    X[rng.random(X.shape) < 0.03] = None
    return Table(X, y, categorical_features="all")


CRITERIA = [
    Pi(alpha=0.3),
    Pi(alpha=0.7, weighted=False, theta=(1.0, 0.5, 0.25, 0.75)),
    ContextualMerit(alpha=0.4, decay="exponential"),
]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("criterion", CRITERIA, ids=repr)
def test_all_subsets_are_the_exact_score(seed: int, criterion: fasttree.criteria.Criterion) -> None:
    table = random_table(seed, 25, 5)
    weights = np.random.default_rng(seed).integers(0, 4, 25)
    found = estimate_features(table, criterion=criterion, n_subsets=32, sample_weight=weights)
    kept = np.flatnonzero(weights)
    codes = [[int(c.values[i]) for i in kept] for c in table.columns]
    name = "pi_unweighted" if getattr(criterion, "weighted", None) is False else criterion.name
    slow = estimates_oracle.scores(
        codes,
        table.y_codes[kept].tolist(),
        weights[kept].tolist(),
        name,
        criterion.alpha,
        getattr(criterion, "theta", (1, 1, 1, 1)),
    )
    exact = score_features(table, criterion=criterion, sample_weight=weights)
    assert found.exact and found.n_subsets == 32 and not found.standard_errors.any()
    assert found.scores == pytest.approx(slow, rel=1e-12)
    assert exact == pytest.approx(slow, rel=1e-12)


def test_decays_without_chance_take_one_subset() -> None:
    table = random_table(1, 300, 9)
    for criterion in (
        Pi(alpha=0.0),
        Pi(decay="uniform"),
        Pi(decay="identical"),
        Pi(decay="identical", weighted=False),
    ):
        found = estimate_features(table, criterion=criterion, n_subsets=16)
        assert found.exact and found.n_subsets == 1
        assert found.scores == pytest.approx(score_features(table, criterion=criterion), rel=1e-12)


@pytest.mark.parametrize(
    ("method", "criterion", "options", "widest"),
    [
        ("subsets", Pi(), {"n_subsets": 64}, 1.3),
        ("subsets", Pi(alpha=0.5), {"n_subsets": 96}, 1.2),
        # no room for single features, a few draws a stratum: no means to subtract, errors of errors
        ("subsets", Pi(alpha=0.5), {"n_subsets": 16}, 2.1),
        ("rows", Pi(), {"sample": 80}, 1.2),
        ("rows", ContextualMerit(), {"sample": 120}, 1.2),
        ("rows", Relief(radius=7), {"sample": 120}, 1.2),
    ],
    ids=lambda x: getattr(x, "name", str(x)),
)
def test_standard_errors_are_what_they_say(
    method: str, criterion: fasttree.criteria.Criterion, options: dict[str, int], widest: float
) -> None:
    table, seeds = random_table(5, 400, 12), 70
    exact = score_features(table, criterion=criterion)
    errors, stated, gaps, stated_gaps = [], [], [], []
    for seed in range(seeds):
        found = estimate_features(
            table, criterion=criterion, method=method, random_state=seed, **options
        )
        best, *others = found.ranking
        errors.append(found.scores - exact)
        stated.append(found.standard_errors)
        gaps.append((found.scores - found.scores[best] - exact + exact[best])[others])
        stated_gaps.append(found.difference_errors[others])
    # unbiased: the mean over seeds is off by a few of its own standard errors at most
    assert np.all(np.abs(np.mean(errors, axis=0)) < 4 * np.std(errors, axis=0) / math.sqrt(seeds))
    # and errors are as wide as stated
    for error, deviation in ((errors, stated), (gaps, stated_gaps)):
        z = np.divide(error, deviation)
        assert 0.75 < math.sqrt(np.mean(z**2)) < widest
        assert np.mean(np.abs(z) < 2) > 0.85


@pytest.mark.parametrize(("n", "keep", "budget"), [(7, 0.3, 30), (14, 0.05, 80)])
def test_strata_and_plain_subsets_have_one_mean(n: int, keep: float, budget: int) -> None:
    """Enumerated sizes, drawn sizes, leaders and means added back are the plain average over all
    subsets."""
    rng = np.random.default_rng(0)
    subsets = [tuple(j for j in range(n) if code >> j & 1) for code in range(2**n)]
    value = {s: (0.5 + 0.5 * rng.random((n, 4))) * 0.5 ** len(s) for s in subsets}
    value[()] = np.ones((n, 4))
    factors = np.array([1.0, -1.0, -0.8, 0.8])
    plain = sum(keep ** len(s) * (1 - keep) ** (n - len(s)) * (value[s] @ factors) for s in subsets)
    found, errors = [], []
    for seed in range(150):
        strata = Strata(n, keep, budget, np.random.default_rng(seed))
        strata.lead(np.array([value[s] for s in strata.subsets]), factors)
        strata.grow()
        assert bool(strata.leaders) == (budget == 80)
        counts = np.array([value[s] for s in strata.subsets])
        estimate, covariance = strata.estimate(counts, factors)
        found.append(estimate)
        errors.append(np.sqrt(np.diag(covariance)))
    z = (np.mean(found, axis=0) - plain) / (np.std(found, axis=0) / math.sqrt(len(found)))
    assert np.all(np.abs(z) < 4)
    assert np.mean(errors, axis=0) == pytest.approx(np.std(found, axis=0), rel=0.2)
    strata = Strata(n, keep, 2**n, np.random.default_rng(0))
    strata.grow()
    assert strata.exact
    estimate, covariance = strata.estimate(np.array([value[s] for s in strata.subsets]), factors)
    assert estimate == pytest.approx(plain, rel=1e-12) and not covariance.any()


def test_the_layout_of_strata_fits_the_budget() -> None:
    for n in (1, 2, 5, 22, 50, 300, 1200):
        for keep in (0.01, 0.067, 0.99):
            for budget in (16, 256):
                strata = Strata(n, keep, budget, np.random.default_rng(0))
                strata.grow()
                sizes = [
                    *strata.enumerated,
                    *(s for stratum in strata.drawn for s in stratum.sizes),
                ]
                assert sorted(sizes) == [s for s in range(n + 1) if strata.p[s] > 0]
                assert len(strata.subsets) <= 1.5 * budget + 4
                assert all(strata.stratum.count(i) >= 3 for i in range(len(strata.drawn)))


def test_two_features_that_matter_together_are_not_missed() -> None:
    """Subsets that hold both are rare; an error bar made of the others alone would be a hundred
    times too small."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (3000, 40), dtype=np.uint8)
    y = ((X[:, 5] < 2) ^ (X[:, 20] < 2)) ^ (rng.random(3000) < 0.1)
    table = Table(X, y, categorical_features="all")
    exact = score_features(table, criterion="pi")
    z = []
    for seed in range(12):
        found = estimate_features(table, n_subsets=128, random_state=seed)
        z.append((found.scores - exact) / found.standard_errors)
    assert math.sqrt(np.mean(np.square(z))) < 1.5 and np.abs(z).max() < 8


def test_means_of_the_product_form_equal_their_definition() -> None:
    rng = np.random.default_rng(1)
    whole, shares = rng.random((3, 4)), rng.random((5, 3, 4))
    means = counts_means(whole, shares, 5)
    import itertools

    for size in range(6):
        all_of = [
            whole * shares[list(s)].prod(axis=0) for s in itertools.combinations(range(5), size)
        ]
        assert means[size] == pytest.approx(np.mean(all_of, axis=0), rel=1e-12)
    p = size_probabilities(5, 0.3)
    assert p == pytest.approx(
        [math.comb(5, s) * 0.3**s * 0.7 ** (5 - s) for s in range(6)], rel=1e-12
    )


@pytest.mark.parametrize("method", ["subsets", "rows"])
def test_seeds_and_threads(method: str) -> None:
    table = random_table(3, 700, 11)
    options = {"n_subsets": 64} if method == "subsets" else {"sample": 200}
    one = estimate_features(table, method=method, random_state=7, **options)
    for jobs in (2, 3):
        other = estimate_features(table, method=method, random_state=7, n_jobs=jobs, **options)
        assert np.array_equal(one.scores, other.scores) and np.array_equal(
            one.covariance, other.covariance
        )
    assert not np.array_equal(
        one.scores, estimate_features(table, method=method, random_state=8, **options).scores
    )


def test_a_sample_of_all_rows_is_exact() -> None:
    table = random_table(4, 90, 6)
    for criterion in ("pi", "contextual_merit", Relief(radius=3), "relief"):
        found = estimate_features(table, criterion=criterion, method="rows", sample=1000)
        assert found.exact and found.n_rows == 90 and found.separated
        assert np.array_equal(found.scores, score_features(table, criterion=criterion))
        assert not found.standard_errors.any()


def test_races_stop_at_a_lead_or_at_their_limit() -> None:
    clear = fasttree.datasets.make_parity(1, 9, 4000, random_state=0)  # one bit is the class
    for method, first in (("rows", {"sample": 100}), ("subsets", {"n_subsets": 16})):
        found = estimate_features(clear, method=method, z=3.0, **first)
        assert found.separated and found.ranking[0] == 0 and found.z == 3.0
    found = estimate_features(clear, method="rows", z=3.0, sample=100)
    assert found.n_rows < 1000 and found.rounds < 5
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (500, 12))
    X[:, 1] = X[:, 0]  # two features that are one can never be told apart
    tied = Table(X, (X[:, 0] == 1).astype(int), categorical_features="all")
    found = estimate_features(tied, method="rows", z=2.0, sample=50)
    assert found.exact and found.rounds == 5 and found.n_rows == 500 and not found.separated
    found = estimate_features(tied, method="rows", z=2.0, sample=50, max_sample=300)
    assert not found.exact and found.n_rows == 300 and found.rounds == 4 and not found.separated
    found = estimate_features(tied, z=2.0, n_subsets=32, max_subsets=100)
    assert not found.separated and found.rounds == 2 and 50 < found.n_subsets < 90


def test_constant_features_have_no_score() -> None:
    rng = np.random.default_rng(2)
    X = rng.integers(0, 3, (300, 10))
    X[:, 4] = 1
    table = Table(X, rng.integers(0, 2, 300), categorical_features="all")
    for options in (
        {"n_subsets": 32},
        {"method": "rows", "sample": 100},
        {"method": "rows", "sample": 300},
    ):
        found = estimate_features(table, **options)
        assert np.flatnonzero(np.isnan(found.scores)).tolist() == [4]
        assert np.isnan(found.standard_errors[4]) and found.ranking[-1] == 4
        assert [r["feature"] for r in found.records()][-1] == table.feature_names[4]


def test_numbers_are_binned_and_results_are_tables() -> None:
    table = fasttree.datasets.load_iris()
    found = estimate_features(table, n_subsets=16)
    assert found.exact
    assert found.scores == pytest.approx(score_features(table, criterion="pi"), rel=1e-12)
    frame = found.to_frame()
    assert list(frame["feature"]) == [table.feature_names[j] for j in found.ranking]
    assert list(frame.columns) == ["feature", "score", "standard_error", "behind", "behind_error"]
    assert frame["behind"][0] == 0 and "exact" in repr(found)


@pytest.mark.parametrize("how", ["mdlp", "equal_frequency", fasttree.discretize.EqualWidth(4)])
def test_numbers_are_binned_as_score_features_bins_them(how) -> None:
    table = fasttree.datasets.load_iris()
    for weights in (None, np.arange(len(table)) % 4):
        found = estimate_features(table, n_subsets=16, discretize=how, sample_weight=weights)
        exact = score_features(table, criterion="pi", discretize=how, sample_weight=weights)
        assert found.exact and found.scores == pytest.approx(exact, rel=1e-12)


BAD = [
    ({"criterion": "gini"}, "sums over pairs"),
    ({"criterion": "relieff"}, "sums over pairs"),
    ({"criterion": lambda tables: tables.sum(axis=(1, 2))}, "sums over pairs"),
    ({"criterion": "contextual_merit"}, "method='rows'"),
    ({"criterion": Relief(radius=2)}, "method='rows'"),
    ({"criterion": Pi(decay="power")}, "decay='exponential'"),
    ({"criterion": Pi(alpha=-1.0)}, r"pi: alpha=-1\.0 must be a finite number >= 0"),
    (
        {"criterion": Pi(theta=(1, 1, 1, 2))},
        r"pi: theta=\(1, 1, 1, 2\) must be 4 numbers from 0 to 1",
    ),
    ({"criterion": Pi(decay="uniform", at_zero=-1.0)}, "pi: at_zero"),
    ({"criterion": Relief(radius=-2), "method": "rows"}, "relief: radius=-2"),
    ({"criterion": Pi(alpha=math.nan)}, "finite"),
    ({"criterion": "relief", "method": "rows", "sample": 50}, r"Relief\(radius="),
    ({"method": "cells"}, "'subsets', 'rows'"),
    ({"method": "rows", "n_subsets": 64}, "the other method"),
    ({"method": "subsets", "sample": 100}, "the other method"),
    ({"max_subsets": 100}, "a race"),
    ({"z": -1.0}, "z"),
    ({"n_subsets": 12}, "n_subsets"),
    ({"method": "rows", "sample": 10}, "sample"),
    ({"sample_weight": [0.5] * 60}, "row 0 is 0.5"),
    ({"sample_weight": [1] * 59}, "shape"),
    ({"discretize": None, "numeric": True}, "is numeric"),
]


@pytest.mark.parametrize(("options", "words"), BAD, ids=[str(i) for i in range(len(BAD))])
def test_refusals_say_what_to_do(options: dict, words: str) -> None:
    rng = np.random.default_rng(0)
    numeric = options.pop("numeric", False) if "numeric" in options else False
    X = rng.random((60, 3)) if numeric else rng.integers(0, 3, (60, 3))
    with pytest.raises(ValueError, match=words):
        estimate_features(
            X,
            rng.integers(0, 2, 60),
            **{"categorical_features": "from_dtype" if numeric else "all", **options},
        )
