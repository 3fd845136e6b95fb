"""Information rewards: printed constants, laws, and a naive twin."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from oracle import metrics_oracle as oracle  # noqa: E402

from fasttree import metrics  # noqa: E402

WITH_PRIOR = [
    (metrics.kononenko_bratko_information_score, oracle.kononenko_bratko),
    (metrics.information_reward_2002, oracle.reward_2002),
    (metrics.bayesian_information_reward, oracle.bayesian),
]


def distribution(raw):
    array = np.array(raw, dtype=float)
    return array / array.sum()


@st.composite
def forecasts(draw, k=None):
    k = k or draw(st.integers(2, 4))
    n = draw(st.integers(1, 8))
    share = st.lists(st.integers(1, 20), min_size=k, max_size=k).map(distribution)
    rows = np.array([draw(share) for _ in range(n)])
    return [draw(st.integers(0, k - 1)) for _ in range(n)], rows, draw(share), k


@given(forecasts())
def test_rewards_equal_their_definitions_row_by_row(data):
    y, rows, prior, k = data
    for fast, slow in WITH_PRIOR:
        found = fast(y, rows, prior=prior, classes=range(k), per_instance=True)
        expected = [slow(t, row.tolist(), prior.tolist()) for t, row in zip(y, rows, strict=True)]
        np.testing.assert_allclose(found, expected, atol=1e-12)
        assert fast(y, rows, prior=prior, classes=range(k)) == pytest.approx(
            np.mean(expected), abs=1e-12
        )
    nats = metrics.bayesian_information_reward(y, rows, prior=prior, classes=range(k), base=None)
    bits = metrics.bayesian_information_reward(y, rows, prior=prior, classes=range(k))
    assert nats == pytest.approx(bits * math.log(2), abs=1e-12)


@given(forecasts(k=2))
def test_good_equals_its_definition(data):
    y, rows, _, _ = data
    found = metrics.good_information_reward(y, rows, classes=[0, 1], per_instance=True)
    np.testing.assert_allclose(
        found, [oracle.good(t, row.tolist()) for t, row in zip(y, rows, strict=True)], atol=1e-12
    )


@given(forecasts())
def test_divergence_equals_its_definition_and_is_zero_only_for_the_truth(data):
    _, rows, truth, _ = data
    true = np.tile(truth, (len(rows), 1))
    found = metrics.kullback_leibler_divergence(true, rows, per_instance=True)
    np.testing.assert_allclose(
        found, [oracle.kullback_leibler(truth, row) for row in rows], atol=1e-12
    )
    assert (found >= -1e-12).all()
    assert metrics.kullback_leibler_divergence(true, true) == 0.0


@given(forecasts())
def test_predicting_the_prior_is_worth_nothing(data):
    y, rows, prior, k = data
    same = np.tile(prior, (len(rows), 1))
    for fast, _ in WITH_PRIOR:
        assert fast(y, same, prior=prior, classes=range(k)) == 0.0


def test_lazy_expert():
    """Prior 0.1, always 0.9 for "no": Good pays for the prior, the others do not."""
    y = ["no"] * 9 + ["yes"]
    rows = np.tile([0.9, 0.1], (10, 1))
    assert round(metrics.good_information_reward(y, rows), 4) == 0.5310
    for fast, _ in WITH_PRIOR:
        assert fast(y, rows, prior=[0.9, 0.1]) == 0.0


def expected_reward(function, forecast, frequency=0.1, prior=0.1):
    """Mean reward of always saying `forecast` when the class comes with `frequency`."""
    rows = [[1 - forecast, forecast]] * 2
    values = function([0, 1], rows, prior=[1 - prior, prior], per_instance=True)
    return (1 - frequency) * values[0] + frequency * values[1]


def test_theorem_1_only_the_reward_of_2004_rewards_the_truth():
    grid = np.arange(1, 400_000) / 1_000_000
    old = metrics.information_reward_2002
    new = metrics.bayesian_information_reward

    def peak(function):
        rows = np.column_stack([1 - grid, grid])
        zero = function(
            np.zeros(len(grid), int), rows, prior=[0.9, 0.1], classes=[0, 1], per_instance=True
        )
        one = function(
            np.ones(len(grid), int), rows, prior=[0.9, 0.1], classes=[0, 1], per_instance=True
        )
        return grid[np.argmax(0.9 * zero + 0.1 * one)]

    assert round(peak(old), 6) == 0.005058
    assert round(peak(new), 6) == 0.1
    assert expected_reward(old, 0.005058) > expected_reward(old, 0.1)


def test_kink_of_the_information_score_at_the_prior():
    """The score is continuous at p' = p, and its slope changes there from 1/(1-p) to 1/p."""
    score = lambda p: metrics.kononenko_bratko_information_score(  # noqa: E731
        [1], [[1 - p, p]], prior=[0.8, 0.2], classes=[0, 1], base=None
    )
    h = 1e-7
    assert score(0.2) == 0.0
    assert (score(0.2) - score(0.2 - h)) / h == pytest.approx(1 / 0.8, rel=1e-5)
    assert (score(0.2 + h) - score(0.2)) / h == pytest.approx(1 / 0.2, rel=1e-5)


def test_certain_errors_are_minus_infinity_and_stay_so_unless_clipped():
    y, rows = [0, 1], np.array([[1.0, 0.0], [1.0, 0.0]])
    for fast, _ in WITH_PRIOR:
        values = fast(y, rows, prior=[0.5, 0.5], per_instance=True)
        if fast is metrics.kononenko_bratko_information_score:
            # the true class's p' = 0 makes log(1 - p) - log(1 - 0), which is finite
            assert values[1] == -1.0
        else:
            assert values[1] == -math.inf and fast(y, rows, prior=[0.5, 0.5]) == -math.inf
        assert values[0] == 1.0
        assert np.isfinite(fast(y, rows, prior=[0.5, 0.5], clip=0.01))
    assert metrics.good_information_reward(y, rows) == -math.inf
    assert metrics.good_information_reward(y, rows, clip=0.25) == pytest.approx(
        (math.log2(1.5) - 1) / 2
    )
    weighted = metrics.bayesian_information_reward(y, rows, prior=[0.5, 0.5], sample_weight=[2, 0])
    assert weighted == 1.0
    assert metrics.kullback_leibler_divergence([0.5, 0.5], [1.0, 0.0]) == math.inf
    assert metrics.kullback_leibler_divergence([1.0, 0.0], [1.0, 0.0]) == 0.0


def test_prior_forms():
    np.testing.assert_array_equal(metrics.class_prior([3, 0, 1]), np.array([3.5, 0.5, 1.5]) / 5.5)
    y, rows = [0, 2], [[0.5, 0.25, 0.25], [0.2, 0.2, 0.6]]
    reward = metrics.bayesian_information_reward
    uniform = reward(y, rows, prior="uniform", classes=[0, 1, 2])
    assert uniform == reward(y, rows, prior=[1 / 3] * 3, classes=[0, 1, 2])
    per_row = reward(
        y, rows, prior=[[1 / 3] * 3, [0.2, 0.2, 0.6]], classes=[0, 1, 2], per_instance=True
    )
    assert per_row[1] == 0.0 and per_row[0] != 0.0
    with pytest.raises(ValueError, match="prior= must be given"):
        reward(y, rows, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="two classes, got 3"):
        metrics.good_information_reward(y, rows, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="clip=0.5"):
        reward(y, rows, prior="uniform", classes=[0, 1, 2], clip=0.5)
    with pytest.raises(ValueError, match="base=1"):
        reward(y, rows, prior="uniform", classes=[0, 1, 2], base=1)


@given(forecasts(), st.booleans())
def test_parts_by_class_add_up_to_the_reward(data, weighted):
    y, rows, prior, k = data
    weights = np.arange(1, len(y) + 1) if weighted else None
    for fast, slow in WITH_PRIOR:
        parts = fast(y, rows, prior=prior, classes=range(k), sample_weight=weights, by_class=True)
        total = fast(y, rows, prior=prior, classes=range(k), sample_weight=weights)
        assert parts.term.sum() == pytest.approx(total, abs=1e-12)
        assert np.nansum(parts.share * parts.reward) == pytest.approx(total, abs=1e-12)
        assert parts.share.sum() == pytest.approx(1.0) and parts.classes == tuple(range(k))
        for c in range(k):
            inside = [i for i in range(len(y)) if y[i] == c]
            if not inside:
                assert np.isnan(parts.reward[c]) and parts.share[c] == 0.0
                continue
            one = [slow(c, rows[i].tolist(), prior.tolist()) for i in inside]
            expected = np.average(one, weights=None if weights is None else weights[inside])
            assert parts.reward[c] == pytest.approx(expected, abs=1e-12)
    true = np.eye(k)[y]
    parts = metrics.kullback_leibler_divergence(true, rows, by_class=True)
    assert parts.term.sum() == pytest.approx(
        metrics.kullback_leibler_divergence(true, rows), abs=1e-12
    )


def test_a_class_of_certain_errors_is_minus_infinity_and_the_others_stay_finite():
    y, rows = [0, 0, 1], [[0.5, 0.5], [0.5, 0.5], [1.0, 0.0]]
    parts = metrics.good_information_reward(y, rows, by_class=True)
    assert parts.reward.tolist() == [0.0, -math.inf] and parts.term.tolist() == [0.0, -math.inf]
    assert metrics.good_information_reward(y, rows, by_class=True, clip=0.25).reward[1] == -1.0
    with pytest.raises(TypeError, match="no prior"):
        metrics.good_information_reward(y, rows, prior=[0.5, 0.5])
    with pytest.raises(ValueError, match="exclude each other"):
        metrics.good_information_reward(y, rows, by_class=True, per_instance=True)
