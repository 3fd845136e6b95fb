"""Cost curves, reward curves and the measures of every class, against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fasttree import metrics

SCORED = st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=4, max_size=25).filter(
    lambda rows: len({hit for hit, _ in rows}) == 2
)


@given(SCORED)
def test_envelope_is_the_least_cost_over_all_thresholds(rows):
    y, scores = (np.array(part) for part in zip(*rows, strict=True))
    curve = metrics.cost_curve(y, scores)
    for pc in np.linspace(0, 1, 11):
        costs = []
        for threshold in [-1, *range(8)]:
            said = scores > threshold
            fn, fp = 1 - said[y].mean(), said[~y].mean()
            costs.append(fn * pc + fp * (1 - pc))
        assert curve.cost_at(pc) == pytest.approx(min(costs), abs=1e-12)
    assert curve.probability_cost[0] == 0.0 and curve.probability_cost[-1] == 1.0
    grid = np.linspace(0, 1, 20_001)
    assert curve.area == pytest.approx(np.trapezoid(curve.cost_at(grid), grid), abs=1e-6)
    assert metrics.cost_curve_area(y, scores) == pytest.approx(curve.area, abs=1e-12)
    # On every segment the named threshold reaches the named point, and its line is the envelope.
    for i, threshold in enumerate(curve.thresholds):
        said = scores >= threshold
        assert (said[~y].mean(), said[y].mean()) == pytest.approx((curve.fpr[i], curve.tpr[i]))
        middle = curve.probability_cost[i : i + 2].mean()
        assert (1 - curve.tpr[i]) * middle + curve.fpr[i] * (1 - middle) == pytest.approx(
            curve.cost_at(middle), abs=1e-12
        )


def test_cost_at_is_the_expected_cost_of_the_best_threshold():
    """The normalised cost times its largest value is `expected_cost` with that share and those
    costs."""
    generator = np.random.default_rng(3)
    y = generator.random(400) < 0.3
    scores = y + generator.normal(size=400)
    cost_fp, cost_fn, share = 2.0, 5.0, y.mean()
    least = min(
        metrics.expected_cost(y, scores >= t, cost_matrix=[[0, cost_fp], [cost_fn, 0]])
        for t in [*scores, np.inf]
    )
    pc = metrics.probability_cost(share, cost_fp=cost_fp, cost_fn=cost_fn)
    largest = share * cost_fn + (1 - share) * cost_fp
    assert metrics.cost_curve(y, scores).cost_at(pc) * largest == pytest.approx(least)


@given(SCORED, SCORED)
def test_cheapest_classifiers_cover_all_costs_with_the_least_cost(first, second):
    curves = {
        name: metrics.roc_curve(*(list(part) for part in zip(*rows, strict=True)))
        for name, rows in (("a", first), ("b", second))
    }
    ranges = metrics.cheapest_classifiers(curves)
    assert ranges[0].lower == 0.0 and ranges[-1].upper == 1.0
    assert all(
        left.upper == right.lower for left, right in zip(ranges[:-1], ranges[1:], strict=True)
    )
    single = {name: metrics.cost_envelope(curve) for name, curve in curves.items()}
    for one in ranges:
        middle = (one.lower + one.upper) / 2
        cost = (1 - one.tpr) * middle + one.fpr * (1 - middle)
        assert cost == pytest.approx(min(s.cost_at(middle) for s in single.values()), abs=1e-12)
        if one.name in single:
            assert cost == pytest.approx(single[one.name].cost_at(middle), abs=1e-12)


def test_constant_scores_are_worth_a_constant_answer():
    curve = metrics.cost_curve([0, 1, 1], [0.5, 0.5, 0.5])
    np.testing.assert_allclose(curve.probability_cost, [0, 0.5, 1])
    np.testing.assert_allclose(curve.normalized_cost, [0, 0.5, 0])
    assert curve.area == 0.25
    assert metrics.cost_curve_area([0, 1, 2], [[0.2, 0.3, 0.5]] * 3) == 0.25
    assert [one.name for one in metrics.cheapest_classifiers({"a": ([0.5], [0.5])})] == [
        "always negative",
        "always positive",
    ]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: metrics.probability_cost(1.5), "positive_share=1.5"),
        (lambda: metrics.probability_cost(0.5, cost_fn=0), "cost_fn=0"),
        (lambda: metrics.cost_curve([1, 1], [0.1, 0.2], classes=[0, 1]), "no negative row"),
        (lambda: metrics.cost_curve([0, 1], [0.1, 0.2]).cost_at(2), "between 0 and 1"),
        (lambda: metrics.reward_curves([1.0]), "at least two"),
        (lambda: metrics.reward_curves(rewards=["brier"]), "'brier' is not known"),
        (lambda: metrics.reward_curves(points=1), "points=1"),
    ],
)
def test_bad_input_is_refused_with_reasons(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_reward_curves_show_what_the_paper_says_of_its_figure():
    """Hope & Korb 2004, figure 1: equal shapes under a uniform prior, a kink at the prior, 2002
    apart under (b)."""
    old, new, kb = (
        "information_reward_2002",
        "bayesian_information_reward",
        "kononenko_bratko_information_score",
    )
    a = metrics.reward_curves(points=299)
    at_prior = np.flatnonzero(np.isclose(a.confidence, 1 / 3))[0]
    for name in (old, new, kb):
        assert a.rewards[name][at_prior] == pytest.approx(0.0, abs=1e-12)
        assert (np.diff(a.rewards[name]) > 0).all()
    correlation = np.corrcoef(a.rewards[old], a.rewards[new])[0, 1]
    assert correlation > 0.99
    slopes = np.diff(a.rewards[kb]) * 300
    assert slopes[at_prior] / slopes[at_prior - 1] == pytest.approx((1 - 1 / 3) / (1 / 3), rel=0.05)
    b = metrics.reward_curves((0.1, 0.45, 0.45), points=299)
    # a confident truth is worth 1 at most in the old form; the new one pays more for what was less
    # expected
    assert b.rewards[new][-1] > a.rewards[new][-1]
    assert b.rewards[old][-1] < 1
    # at x = 0.5 by the formulas
    x = np.flatnonzero(np.isclose(b.confidence, 0.5))[0]
    rest = 0.25
    expected_new = (np.log2(0.5 / 0.1) + 2 * np.log2((1 - rest) / 0.55)) / 3
    expected_old = (1 - np.log(0.5) / np.log(0.1) + 2 * (1 - np.log(1 - rest) / np.log(0.55))) / 3
    assert b.rewards[new][x] == pytest.approx(expected_new)
    assert b.rewards[old][x] == pytest.approx(expected_old)
    assert b.rewards[kb][x] == pytest.approx(np.log2(5))
    good = metrics.reward_curves((0.9, 0.1), rewards=["good_information_reward"], points=9)
    assert good.rewards["good_information_reward"][4] == 0.0


def test_per_class_block_equals_scikit_learn_and_counting():
    from sklearn import metrics as sk

    generator = np.random.default_rng(7)
    classes = ["a", "b", "c"]
    y = generator.choice(classes, 200, p=[0.6, 0.3, 0.1])
    proba = generator.dirichlet(np.ones(3), 200)
    said = np.array(classes)[proba.argmax(axis=1)]
    found = metrics.per_class(y, said, proba, classes=classes)
    precision, recall, f, support = sk.precision_recall_fscore_support(y, said, labels=classes)
    np.testing.assert_allclose(found.precision, precision)
    np.testing.assert_allclose(found.recall, recall)
    np.testing.assert_allclose(found.f, f)
    np.testing.assert_array_equal(found.support, support)
    for place, label in enumerate(classes):
        assert found.fp_rate[place] == ((said == label) & (y != label)).sum() / (y != label).sum()
        assert found.roc_area[place] == pytest.approx(sk.roc_auc_score(y == label, proba[:, place]))
    assert found.weighted()["tp_rate"] == pytest.approx((y == said).mean())
    assert found.records()[1]["class"] == "b"
    bare = metrics.per_class(["a", "b"], ["a", None])
    assert np.isnan(bare.roc_area).all() and np.isnan(bare.weighted()["roc_area"])
    assert bare.recall.tolist() == [1.0, 0.0] and bare.fp_rate.tolist() == [0.0, 0.0]
