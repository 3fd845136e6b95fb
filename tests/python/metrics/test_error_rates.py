"""How often tests find differences that are not there: a small run, the recorded large one, and
what its page says."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from docs.studies.error_rates import study as error_rates
from docs.studies.error_rates.study import PROTOCOLS, TESTS, ErrorRates

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def small() -> ErrorRates:
    return error_rates.run(200, rows=100)


def test_five_by_two_holds_its_level_where_the_naive_t_does_not(small):
    """Binomial bounds: 200 data sets at 5 % give at most 20 with probability 0.998."""
    assert small.rate("paired t, 10 x 10 folds") > 0.30
    assert small.rate("paired t, 30 random splits") > 0.20
    for test in (
        "5 x 2 cv t",
        "5 x 2 cv F",
        "corrected t, 10 x 10 folds",
        "corrected t, 30 random splits",
    ):
        assert small.errors[test] <= 20
    assert small.power("5 x 2 cv F") > small.rate("5 x 2 cv F")


def test_rates_are_seeded_and_the_level_is_that_of_the_tests(small):
    again = error_rates.run(10, rows=100)
    assert (
        error_rates.run(10, rows=100) == again
        and error_rates.run(10, rows=100, random_state=1) != again
    )
    strict = error_rates.run(10, rows=100, alpha=1e-9)
    assert sum(strict.errors.values()) <= sum(again.errors.values())
    assert ErrorRates.from_record(small.to_record()) == small
    seen = []
    error_rates.run(2, rows=60, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]
    with pytest.raises(ValueError, match="runs=0"):
        error_rates.run(0)


def test_a_learner_is_what_is_written():
    """A loop over folds says the same accuracies."""
    generator = np.random.default_rng(3)
    y = np.arange(30) % 2
    x = generator.normal(size=30) + y
    test = generator.random((6, 30)) < 0.3
    slow = []
    for mask in test:
        means = [x[~mask & (y == c)].mean() for c in (0, 1)]
        cut = sum(means) / 2
        said = [(v > cut) if means[1] >= means[0] else (v < cut) for v in x[mask]]
        slow.append(np.mean([s == (c == 1) for s, c in zip(said, y[mask], strict=True)]))
    np.testing.assert_allclose(error_rates.accuracies(x, y, test), slow)


def test_folds_of_every_protocol_have_their_sizes():
    y = np.arange(60) % 2
    folds = error_rates._test_rows(y, 5, np.random.default_rng(0))
    sizes = {name: (len(test), test.sum(axis=1).tolist()) for name, test in folds.items()}
    assert list(sizes) == list(PROTOCOLS)
    assert [count for count, _ in sizes.values()] == [30, 10, 100, 10]
    assert set(sizes["10 x 10 folds"][1]) == {6} and set(sizes["5 x 2 folds"][1]) == {30}
    assert set(sizes["30 random splits"][1]) == {20}
    for repeat in range(5):
        assert (folds["5 x 2 folds"][2 * repeat : 2 * repeat + 2].sum(axis=0) == 1).all()


@pytest.fixture(scope="module")
def recorded() -> ErrorRates:
    path = ROOT / "docs" / "studies" / "error_rates" / "record.json"
    if not path.is_file():
        pytest.skip("the documentation is not here (tests of an installed package)")
    return ErrorRates.from_record(path.read_text(encoding="utf-8"))


def test_what_the_page_says(recorded):
    """Each numbered sentence of docs/explanation/error_rates.rst."""
    assert list(recorded.errors) == list(TESTS) and recorded.runs >= 2000
    limit = recorded.alpha + 3 * math.sqrt(recorded.alpha * (1 - recorded.alpha) / recorded.runs)
    assert (
        recorded.rate("paired t, 10 x 10 folds") > 0.5
        and recorded.rate("paired t, 30 random splits") > 0.5
    )
    for test in (
        "5 x 2 cv t",
        "5 x 2 cv F",
        "corrected t, 10 x 10 folds",
        "corrected t, 30 random splits",
    ):
        assert recorded.rate(test) < limit
    assert recorded.power("5 x 2 cv t") < recorded.power("5 x 2 cv F")
    assert recorded.power("5 x 2 cv F") < recorded.power("corrected t, 10 x 10 folds")
    for test in ("paired t, 10 folds", "Wilcoxon, 10 folds"):
        assert abs(recorded.rate(test) - recorded.alpha) < 0.015


def test_the_picture_has_every_test(small):
    pytest.importorskip("matplotlib")
    axes = small.plot()
    assert [label.get_text() for label in axes[0].get_yticklabels()] == list(TESTS)[::-1]
