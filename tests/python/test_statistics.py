"""Statistical tests against scipy, against sums written out, and against published examples."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fasttree.model_selection import (
    bonferroni,
    corrected_resampled_t_test,
    five_by_two_cv_f_test,
    five_by_two_cv_t_test,
    friedman_nemenyi,
    holm,
    paired_t_test,
    repeated_measures_anova,
    wilcoxon,
)

VALUES = st.floats(-5, 5).map(lambda x: round(x, 3))
PAIRED = st.lists(st.tuples(VALUES, VALUES), min_size=3, max_size=30)

DEMSAR_2006_TABLE_6 = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.975, 0.9749],  # printed 0.975, ranked third
        [0.957, 0.978, 0.946, 0.970],
    ]
)


@given(PAIRED)
def test_paired_t_equals_scipy(pairs):
    a, b = np.array(pairs).T
    found = paired_t_test(a, b)
    if np.ptp(a - b) > 1e-9:
        expected = stats.ttest_rel(a, b)
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-12)
        assert found.p_value == pytest.approx(expected.pvalue, rel=1e-9, abs=1e-14)
        low, high = expected.confidence_interval(0.95)
        assert found.interval == pytest.approx((low, high), rel=1e-9, abs=1e-12)


@given(PAIRED, st.floats(0.05, 1.0))
def test_corrected_t_is_the_written_formula(pairs, ratio):
    a, b = np.array(pairs).T
    d = a - b
    n = len(d)
    found = corrected_resampled_t_test(a, b, test_over_train=ratio)
    if np.ptp(d) > 1e-9:
        mean = sum(d) / n
        variance = sum((x - mean) ** 2 for x in d) / (n - 1)
        t = mean / math.sqrt((1 / n + ratio) * variance)
        assert found.statistic == pytest.approx(t, rel=1e-9, abs=1e-12)
        assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), n - 1), rel=1e-9, abs=1e-14)
        assert found.p_value >= paired_t_test(a, b).p_value - 1e-15
        inside = found.interval[0] <= 0 <= found.interval[1]
        assert inside == (found.p_value >= 0.05) or abs(found.p_value - 0.05) < 1e-9


def test_ten_by_ten_has_99_df_and_variance_factor():
    generator = np.random.default_rng(0)
    a, b = generator.normal(0.8, 0.05, 100), generator.normal(0.79, 0.05, 100)
    found = corrected_resampled_t_test(a, b, n_train=135, n_test=15)
    d = a - b
    assert found.df == 99
    assert found.statistic == pytest.approx(d.mean() / math.sqrt((1 / 100 + 1 / 9) * d.var(ddof=1)))


@pytest.mark.parametrize(
    "test",
    [
        paired_t_test,
        lambda a, b: corrected_resampled_t_test(a, b, test_over_train=1 / 9),
        five_by_two_cv_t_test,
        five_by_two_cv_f_test,
    ],
)
def test_zero_variance_rule(test):
    """p = 1 for equal results and 0 for a constant difference, also when it differs in the last bit only."""
    a = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.9, 0.8, 0.7, 0.6, 0.5])
    assert test(a, a).p_value == 1.0 and test(a, a).statistic == 0.0
    b = np.array([0.8, 0.7, 0.6, 0.5, 0.4, 0.8, 0.7, 0.6, 0.5, 0.4])
    assert len(set((a - b).tolist())) > 1, "the differences should differ by rounding"
    assert test(a, b).p_value == 0.0 and math.isinf(test(a, b).statistic)
    assert test(a, b).significant and not test(a, a).significant


def test_five_by_two_t_and_f_are_the_written_formulas():
    generator = np.random.default_rng(5)
    a, b = generator.normal(0.8, 0.05, 10), generator.normal(0.75, 0.05, 10)
    p = (a - b).reshape(5, 2)
    s2 = [(p[i, 0] - p[i].mean()) ** 2 + (p[i, 1] - p[i].mean()) ** 2 for i in range(5)]
    t = p[0, 0] / math.sqrt(sum(s2) / 5)
    f = (p**2).sum() / (2 * sum(s2))
    found_t, found_f = five_by_two_cv_t_test(a, b), five_by_two_cv_f_test(a, b)
    assert found_t.statistic == pytest.approx(t) and found_t.df == 5
    assert found_t.p_value == pytest.approx(2 * stats.t.sf(abs(t), 5))
    assert found_f.statistic == pytest.approx(f) and found_f.df == (10, 5)
    assert found_f.p_value == pytest.approx(stats.f.sf(f, 10, 5))
    with pytest.raises(ValueError, match="ten values"):
        five_by_two_cv_t_test(a[:8], b[:8])


def test_five_by_two_t_holds_its_level_where_the_naive_t_does_not():
    """Two learners of equal skill on resampled data: the error rate of each test at 5 %."""
    from fasttree.model_selection import FiveByTwo, StratifiedRepeatedKFold

    generator = np.random.default_rng(11)
    rejected = {"naive": 0, "corrected": 0, "5x2": 0}
    runs = 300
    for run in range(runs):
        y = generator.integers(0, 2, 60)
        X = generator.normal(size=(60, 2))

        def scores(column, cv):
            out = []
            for train, test in cv.split(None, y):
                cut = np.median(X[train, column])
                upper = y[train][X[train, column] > cut].mean() > 0.5
                out.append(((X[test, column] > cut) == (y[test] == upper)).mean())
            return np.array(out)

        ten = StratifiedRepeatedKFold(10, 3, random_state=run)
        a, b = scores(0, ten), scores(1, ten)
        rejected["naive"] += paired_t_test(a, b).significant
        rejected["corrected"] += corrected_resampled_t_test(a, b, test_over_train=1 / 9).significant
        two = FiveByTwo(run)
        rejected["5x2"] += five_by_two_cv_t_test(scores(0, two), scores(1, two)).significant
    assert rejected["naive"] / runs > 0.30
    assert rejected["corrected"] / runs < 0.15
    assert rejected["5x2"] / runs < 0.10


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8))
def test_wilcoxon_equals_scipy(pairs):
    a, b = np.array(pairs, float).T
    found = wilcoxon(a, b)
    if (a == b).all():
        assert found.p_value == 1.0
    else:
        expected = stats.wilcoxon(a - b)
        assert (found.statistic, found.p_value) == (expected.statistic, expected.pvalue)


def test_friedman_reproduces_demsars_example():
    found = friedman_nemenyi(DEMSAR_2006_TABLE_6, tie_correction=False)
    assert found.mean_ranks.round(3).tolist() == [3.143, 2.000, 2.893, 1.964]
    assert round(found.statistic, 2) == 9.28
    assert round(found.f_statistic, 2) == 3.69
    assert round(found.critical_difference, 2) == 1.25
    assert found.f_df == (3, 39)
    assert found.significant
    assert (
        friedman_nemenyi(-DEMSAR_2006_TABLE_6, greater_is_better=False).mean_ranks.tolist()
        == found.mean_ranks.tolist()
    )


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=3, max_size=12))
def test_friedman_equals_scipy_with_ties(rows):
    scores = np.array(rows, float)
    found = friedman_nemenyi(scores)
    if all(len(set(row)) == 1 for row in rows):
        assert found.p_value == 1.0
    else:
        expected = stats.friedmanchisquare(*scores.T)
        assert found.statistic == pytest.approx(expected.statistic, abs=1e-9)
        assert found.p_value == pytest.approx(expected.pvalue, abs=1e-9)
    assert found.mean_ranks.mean() == pytest.approx(2.0)


def test_nemenyi_p_agrees_with_the_critical_difference():
    found = friedman_nemenyi(DEMSAR_2006_TABLE_6)
    gap = np.abs(found.mean_ranks[:, None] - found.mean_ranks[None, :])
    assert ((found.pairwise_p < 0.05) == (gap > found.critical_difference)).all()
    tight = friedman_nemenyi(np.tile([4.0, 3.0, 2.0, 1.0], (20, 1)), names="abcd")
    assert tight.groups == [("a", "b"), ("b", "c"), ("c", "d")]
    assert (tight.pairwise_p[0, 2], tight.pairwise_p[0, 1]) < (0.05, 1.0)
    wide = friedman_nemenyi(np.random.default_rng(0).random((5, 3)), names="abc")
    assert [set(group) for group in wide.groups] == [set("abc")]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_and_bonferroni(p):
    b, h = bonferroni(p), holm(p)
    assert (h <= b + 1e-15).all() and (h >= np.array(p) - 1e-15).all() and (b <= 1).all()
    for alpha in (0.01, 0.05, 0.2):
        rejected = set()
        for rank, place in enumerate(np.argsort(p, kind="stable")):
            if p[place] * (len(p) - rank) > alpha:
                break
            rejected.add(int(place))
        assert set(np.flatnonzero(h <= alpha).tolist()) == rejected


def test_anova_equals_least_squares_and_the_paired_t_for_two():
    generator = np.random.default_rng(2)
    scores = generator.normal(size=(12, 4)) + np.arange(4) * 0.4 + generator.normal(size=(12, 1))
    found = repeated_measures_anova(scores, names="abcd")
    subjects = np.kron(np.eye(12), np.ones((4, 1)))
    methods = np.tile(np.eye(4), (12, 1))
    residual = lambda D: ((scores.ravel() - D @ np.linalg.lstsq(D, scores.ravel(), rcond=None)[0]) ** 2).sum()  # noqa: E731
    without, full = residual(subjects), residual(np.hstack([subjects, methods]))
    f = ((without - full) / 3) / (full / 33)
    assert found.statistic == pytest.approx(f) and found.df == (3, 33)
    assert found.p_value == pytest.approx(stats.f.sf(f, 3, 33))
    assert 1 / 3 <= found.epsilon <= 1 and found.corrected_p_value >= found.p_value
    two = repeated_measures_anova(scores[:, :2])
    t = stats.ttest_rel(scores[:, 0], scores[:, 1])
    assert two.statistic == pytest.approx(t.statistic**2) and two.p_value == pytest.approx(t.pvalue)
    raw = stats.ttest_rel(scores[:, 0], scores[:, 3])
    pair = found.pairs[2]
    assert pair.names == ("a", "d") and pair.p_value == pytest.approx(min(1, 6 * raw.pvalue))
    assert pair.interval == pytest.approx(tuple(raw.confidence_interval(1 - 0.05 / 6)))
    same = repeated_measures_anova(np.tile([[1.0], [2.0]], (1, 3)))
    assert (same.statistic, same.p_value) == (0.0, 1.0)
    apart = repeated_measures_anova(np.array([[1.0, 2.0], [2.0, 3.0]]))
    assert math.isinf(apart.statistic) and apart.p_value == 0.0


def test_sentences_say_what_was_found():
    a, b = [3, 5, 4, 6.5, 4], [2, 3, 4, 3, 2]
    found = paired_t_test(a, b, names=("gini", "gain"))
    assert found.sentence.startswith(
        "gini is on average 1.7 above gain; the difference is significant at the 0.05 level"
    )
    assert "t(4) = " in found.sentence and "n = 5" in found.sentence
    assert "below" in paired_t_test(b, a).sentence
    assert "equal means" in paired_t_test(a, a).sentence and "not significant" in paired_t_test(a, a).sentence
    assert "F(10, 5)" in five_by_two_cv_f_test(a * 2, b * 2).sentence
    friedman = friedman_nemenyi(DEMSAR_2006_TABLE_6, names=("C4.5", "m", "cf", "m+cf")).sentence
    assert "14 data sets" in friedman and friedman.index("m+cf 1.964") < friedman.index("C4.5 3.143")
    assert "differ significantly" in repeated_measures_anova([[1, 2, 4], [2, 3, 4], [3, 5, 6]]).sentence
    assert paired_t_test(a, b).to_dict()["significant"] is True


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: paired_t_test([1, 2], [1, 2, 3]), "same folds"),
        (lambda: paired_t_test([1], [1]), "too few"),
        (lambda: paired_t_test([1, np.nan], [1, 2]), r"a\[1\] is nan"),
        (lambda: paired_t_test([1, 2], [1, -np.inf]), r"b\[1\] is -inf"),
        (lambda: paired_t_test([1, 2], [1, 3], alpha=5), "alpha=5"),
        (lambda: corrected_resampled_t_test([1, 2], [1, 3]), "test_over_train"),
        (lambda: corrected_resampled_t_test([1, 2], [1, 3], test_over_train=0), "must be positive"),
        (lambda: friedman_nemenyi([[1, 2]]), "at least 2 data sets"),
        (lambda: friedman_nemenyi([[1, 2], [np.nan, 1]]), r"scores\[1, 0\] is nan"),
        (lambda: friedman_nemenyi([[1, 2], [2, 1]], names=["a"]), "1 names for 2 methods"),
        (lambda: repeated_measures_anova([[1], [2]]), "at least 2 subjects"),
        (lambda: bonferroni([1.5]), "between 0 and 1"),
    ],
)
def test_bad_input_is_refused_with_reasons(call, words):
    with pytest.raises(ValueError, match=words):
        call()
