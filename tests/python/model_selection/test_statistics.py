"""Statistical tests against scipy, against sums written out, and against published examples."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fasttree.model_selection import (
    against_control,
    bayesian_correlated_t_test,
    bayesian_signed_rank_test,
    bonferroni,
    corrected_resampled_t_test,
    five_by_two_cv_f_test,
    five_by_two_cv_t_test,
    friedman_nemenyi,
    holm,
    paired_t_test,
    repeated_measures_anova,
    two_way_repeated_measures_anova,
    wilcoxon,
)
from fasttree.model_selection.statistics.outcome import format_p
from fasttree.model_selection.statistics.ties import exact_mean, snap

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
    """p = 1 for equal results and 0 for a constant difference, also when it differs in the last bit
    only."""
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


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8))
def test_wilcoxon_equals_scipy(pairs):
    a, b = np.array(pairs, float).T
    found = wilcoxon(a, b)
    if (a == b).all():
        assert found.p_value == 1.0
    else:
        expected = stats.wilcoxon(a - b)
        assert found.statistic == expected.statistic
        assert found.p_value == pytest.approx(expected.pvalue, abs=1e-12)


def test_wilcoxon_is_exact_with_ties_and_without_and_normal_above_fifty():
    generator = np.random.default_rng(8)
    for n in (5, 12, 30, 50, 51, 80):
        d = generator.normal(0.2, 1, n)
        expected = stats.wilcoxon(d)
        found = wilcoxon(d, np.zeros(n))
        assert (found.statistic, found.p_value) == pytest.approx(
            (expected.statistic, expected.pvalue)
        )
    # against all signs, with ties
    d = np.array([1, 1, 2, -2, 3, 3, -1, 4.0])
    ranks = stats.rankdata(np.abs(d))
    signs = np.array(np.meshgrid(*[[0, 1]] * 8)).reshape(8, -1).T
    sums = signs @ ranks
    plus = ranks[d > 0].sum()
    p = 2 * min((sums <= plus).mean(), (sums >= plus).mean())
    assert wilcoxon(d, np.zeros(8)).p_value == pytest.approx(p)


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


def test_tests_against_a_control_reproduce_demsars_example():
    """Section 3.2.2: C4.5 against its variants, by z, p and the steps of Holm's procedure."""
    names = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
    ranks = friedman_nemenyi(DEMSAR_2006_TABLE_6, names=names, tie_correction=False)
    found = against_control(ranks, "C4.5")
    assert np.abs(found.z[1:]) == pytest.approx([2.342, 0.512, 2.416], abs=1e-3)
    assert found.p_values[1:].round(3).tolist() == [0.019, 0.608, 0.016]  # printed .607: z rounded
    assert (found.holm[1:] < 0.05).tolist() == [True, False, True]
    assert found.bonferroni_dunn[1:] == pytest.approx([0.0575, 1.0, 0.0472], abs=1e-4)
    assert np.isnan([found.z[0], found.p_values[0], found.holm[0], found.bonferroni_dunn[0]]).all()
    assert "C4.5+m, C4.5+m+cf rank significantly better" in found.sentence
    rows = {row["method"]: row for row in found.records()}
    assert rows["C4.5+m"]["holm"] == found.holm[1] and rows["C4.5"]["mean_rank"] == 22 / 7
    latex = found.to_latex()
    assert r"C4.5+m+cf & 1.9643\textsuperscript{v} & -2.4154 & 0.0157 & 0.0472 & 0.0472 \\" in latex
    assert "C4.5+m+cf & 1.964 &" in ranks.to_latex()
    assert json.loads(found.to_json())["versions"]["numpy"] == np.__version__


# Table 5 (b) of Demsar (2006): q of 2, ..., 8 methods.
@pytest.mark.parametrize(
    ("alpha", "printed"),
    [
        (0.05, [1.960, 2.241, 2.394, 2.498, 2.576, 2.638, 2.690]),
        (0.10, [1.645, 1.960, 2.128, 2.241, 2.326, 2.394, 2.450]),
    ],
)
def test_dunn_s_critical_difference_is_that_of_demsars_table(alpha, printed):
    for k, q in enumerate(printed, 2):
        scores = np.random.default_rng(k).random((10, k))
        ranks = friedman_nemenyi(scores, alpha=alpha)
        found = against_control(ranks, ranks.names[0])
        unit = math.sqrt(k * (k + 1) / 60)
        assert found.critical_difference == pytest.approx(q * unit, abs=6e-4 * unit)
        beyond = np.abs(found.mean_ranks - found.mean_ranks[0]) > found.critical_difference
        assert (beyond[1:] == (found.bonferroni_dunn[1:] < alpha)).all()
        p = 2 * stats.norm.sf(np.abs(found.z[1:]))
        assert found.holm[1:] == pytest.approx(holm(p)) and found.p_values[1:] == pytest.approx(p)


# baycomp 1.0.3, numpy 2.4.6; x and y are `b` and `a` of the test:
#   s = baycomp.SignedRankTest.sample(x, y, rope, prior=prior, nsamples=5000, random_state=7)
#   np.bincount(s.argmax(axis=1), minlength=3) / 5000, s.mean(axis=0)
BAYCOMP = [
    (0.0, 0.5, [0.9996, 0.0, 0.0004], [0.879707296373, 0.0, 0.120292703627]),
    (0.0051, 0.5, [0.9496, 0.0502, 0.0002], [0.714313937211, 0.268172714278, 0.017513348511]),
    (0.0101, 0.5, [0.6864, 0.3136, 0.0], [0.568713050922, 0.431286949078, 0.0]),
    (2 / 64, 2.0, [0.5974, 0.4026, 0.0], [0.537680821499, 0.453102765701, 0.009216412799]),
]


@pytest.mark.parametrize(("rope", "prior", "probabilities", "shares"), BAYCOMP)
def test_the_signed_rank_posterior_is_that_of_baycomp(rope, prior, probabilities, shares):
    a, b = DEMSAR_2006_TABLE_6[:, 0], DEMSAR_2006_TABLE_6[:, 1].copy()
    b[-1] = 0.978
    if prior == 2.0:
        a, b = np.zeros(8), np.array([3, -2, 5, 4, -1, 8, 0, 6]) / 64
    options = {"rope": rope, "prior_strength": prior, "n_samples": 5000, "random_state": 7}
    found = bayesian_signed_rank_test(a, b, **options)
    assert found.probabilities == pytest.approx(probabilities, abs=1e-12)
    assert found.mean_shares == pytest.approx(shares, abs=1e-11)
    turned = bayesian_signed_rank_test(b, a, **options)
    assert turned.probabilities == pytest.approx(found.probabilities[::-1], abs=1e-12)


def test_the_signed_rank_posterior_of_one_side_is_a_beta_distribution():
    """Only the pair of the prior with itself is in the region: the share 1 - w0^2 of the right is
    the largest where w0, of Beta(s, N), is below sqrt(1/2)."""
    for n, strength in ((2, 3.0), (3, 5.0), (6, 12.0)):
        found = bayesian_signed_rank_test(
            np.ones(n), np.zeros(n), rope=0.3, prior_strength=strength, n_samples=40_000
        )
        expected = stats.beta(strength, n).cdf(math.sqrt(0.5))
        assert found.right == pytest.approx(expected, abs=4 * 0.5 / 200)
        assert found.left == 0 and sum(found.probabilities) == pytest.approx(1.0)


def test_equal_methods_are_equal_and_without_a_region_undecided():
    same = [0.5, 0.25, 0.75] * 4
    assert bayesian_signed_rank_test(same, same).verdict == "rope"
    few = bayesian_signed_rank_test(same[:9], same[:9])
    assert few.verdict == "undecided" and "no verdict over fewer than 10" in few.sentence
    found = bayesian_signed_rank_test(same, same, rope=0)
    assert found.probabilities == (0.5, 0.0, 0.5) and found.verdict == "undecided"
    assert "have equal means; the data do not decide" in found.sentence
    assert found.to_dict()["verdict"] == "undecided"


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

    def residual(D):
        fitted = D @ np.linalg.lstsq(D, scores.ravel(), rcond=None)[0]
        return ((scores.ravel() - fitted) ** 2).sum()

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


@pytest.mark.parametrize("unit", [1.0, 1e-150, 1e150])
def test_anova_has_greenhouse_and_geisser_s_epsilon_in_any_unit(unit):
    scores = np.random.default_rng(5).normal(size=(9, 4)).cumsum(axis=1)
    covariance = np.cov(scores, rowvar=False)
    centring = np.eye(4) - 0.25
    centred = centring @ covariance @ centring
    epsilon = np.trace(centred) ** 2 / (3 * (centred**2).sum())
    one = repeated_measures_anova(scores * unit)
    two = two_way_repeated_measures_anova(np.stack([scores, scores**2], axis=2) * unit).effects
    assert one.epsilon == pytest.approx(epsilon) and 1 / 3 < epsilon < 1
    assert one.statistic == pytest.approx(repeated_measures_anova(scores).statistic)
    for effect in (one, *two):
        df = np.multiply(effect.epsilon, effect.df)
        assert effect.corrected_p_value == pytest.approx(stats.f.sf(effect.statistic, *df))


def test_anova_without_error_is_certain_or_finds_nothing():
    levels = np.array([[0.1, 0.7], [0.3, 0.4]])
    for subjects in (np.zeros(5), np.arange(5) / 7):
        scores = levels + subjects[:, None, None]
        for effect in two_way_repeated_measures_anova(scores).effects:
            found = (effect.statistic, effect.p_value, effect.corrected_p_value)
            assert found == (math.inf, 0.0, 0.0) and type(effect.p_value) is float
        for effect in two_way_repeated_measures_anova(scores - levels).effects:
            found = (effect.statistic, effect.p_value, effect.corrected_p_value)
            assert found == (0.0, 1.0, 1.0) and type(effect.p_value) is float


def test_sentences_say_what_was_found():
    a, b = [3, 5, 4, 6.5, 4], [2, 3, 4, 3, 2]
    found = paired_t_test(a, b, names=("gini", "gain"))
    assert found.sentence.startswith(
        "gini is on average 1.7 above gain; the difference is significant at the 0.05 level"
    )
    assert "t(4) = " in found.sentence and "n = 5" in found.sentence
    assert "below" in paired_t_test(b, a).sentence
    assert (
        "equal means" in paired_t_test(a, a).sentence
        and "not significant" in paired_t_test(a, a).sentence
    )
    assert "F(10, 5)" in five_by_two_cv_f_test(a * 2, b * 2).sentence
    friedman = friedman_nemenyi(DEMSAR_2006_TABLE_6, names=("C4.5", "m", "cf", "m+cf")).sentence
    assert "14 data sets" in friedman and friedman.index("m+cf 1.964") < friedman.index(
        "C4.5 3.143"
    )
    assert (
        "differ significantly"
        in repeated_measures_anova([[1, 2, 4], [2, 3, 4], [3, 5, 6]]).sentence
    )
    assert paired_t_test(a, b).to_dict()["significant"] is True


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: paired_t_test([1, 2], [1, 2, 3]), "same folds"),
        (lambda: paired_t_test([1], [1]), "too few"),
        (lambda: holm([0.1, np.nan]), r"p_values\[1\]=nan must be a number between 0 and 1"),
        (lambda: bonferroni([-0.1]), r"p_values\[0\]=-0.1 must be"),
        (lambda: holm([[0.1]]), r"a 1-D array, not one of shape \(1, 1\)"),
        (lambda: paired_t_test([1, np.nan], [1, 2]), r"a\[1\] is nan"),
        (lambda: paired_t_test([1, 2], [1, -np.inf]), r"b\[1\] is -inf"),
        (lambda: paired_t_test([1, 2], [1, 3], alpha=5), "alpha=5"),
        (lambda: corrected_resampled_t_test([1, 2], [1, 3]), "test_over_train"),
        (lambda: corrected_resampled_t_test([1, 2], [1, 3], test_over_train=0), "must be positive"),
        (lambda: friedman_nemenyi([[1, 2]]), r"\(data sets, methods\), at least 2 of each"),
        (lambda: friedman_nemenyi([[1, 2], [np.nan, 1]]), r"scores\[1, 0\] is nan"),
        (lambda: friedman_nemenyi([[1, 2], [2, 1]], names=["a"]), "1 names for 2 methods"),
        (lambda: repeated_measures_anova([[1], [2]]), r"\(subjects, methods\), at least 2"),
        (lambda: repeated_measures_anova([[1, 2], [3, np.inf]]), r"scores\[1, 1\] is inf"),
        (
            lambda: two_way_repeated_measures_anova(np.eye(4).reshape(4, 2, 2), names="abc"),
            "3 names for 2 factors",
        ),
        (lambda: bonferroni([1.5]), "between 0 and 1"),
        (lambda: against_control(friedman_nemenyi(np.eye(3), names="abc"), "d"), "control='d'"),
        (lambda: bayesian_signed_rank_test([1], [2]), "too few"),
        (lambda: bayesian_signed_rank_test([1, 2], [2, 3], rope=-1), "rope=-1"),
        (lambda: bayesian_signed_rank_test([1, 2], [2, 3], n_samples=0), "n_samples=0"),
        (lambda: bayesian_signed_rank_test([1, 2], [2, 3], prior_strength=0), "prior_strength=0"),
    ],
)
def test_bad_input_is_refused_with_reasons(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def posterior_on_a_grid(d, rho, rope):
    """P(left), P(rope), P(right) straight from the model: correlated normal differences, flat
    priors, summed on a grid."""
    n = len(d)
    centre, spread = d.mean(), d.std(ddof=1)
    # mu wide enough for the heavy tails, unevenly spaced: t = sinh
    u = np.linspace(-6, 6, 2401)
    mu = centre + spread * np.sinh(u)
    width = spread * np.cosh(u) * (u[1] - u[0])
    log_sigma = np.log(spread) + np.linspace(-4, 9, 1301)
    correlation = np.full((n, n), rho) + (1 - rho) * np.eye(n)
    inverse = np.linalg.inv(correlation)
    gap = d[None, :] - mu[:, None]
    quadratic = np.einsum("mi,ij,mj->m", gap, inverse, gap)
    log_density = -n * log_sigma[None, :] - 0.5 * quadratic[:, None] * np.exp(
        -2 * log_sigma[None, :]
    )
    density = np.exp(log_density - log_density.max()).sum(axis=1) * width
    density /= density.sum()
    return density[mu < -rope].sum(), density[abs(mu) <= rope].sum(), density[mu > rope].sum()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_bayesian_posterior_is_that_of_the_model(seed):
    generator = np.random.default_rng(seed)
    a, b = generator.normal(0.82, 0.04, 8), generator.normal(0.8, 0.03, 8)
    found = bayesian_correlated_t_test(a, b, rope=0.01, n_train=70, n_test=30, names=("x", "y"))
    assert found.rho == pytest.approx(0.3)
    assert sum(found.probabilities) == pytest.approx(1.0)
    np.testing.assert_allclose(
        found.probabilities, posterior_on_a_grid(a - b, 0.3, 0.01), atol=3e-3
    )
    scale = math.sqrt((1 / 8 + 0.3 / 0.7) * (a - b).var(ddof=1))
    posterior = stats.t(7, loc=(a - b).mean(), scale=scale)
    assert found.left == pytest.approx(posterior.cdf(-0.01)) and found.right == pytest.approx(
        posterior.sf(0.01)
    )
    assert found.interval == pytest.approx(posterior.interval(0.95))
    # without a rope the smaller tail is half the p-value of the corrected test
    sharp = bayesian_correlated_t_test(a, b, rope=0, n_train=70, n_test=30)
    p = corrected_resampled_t_test(a, b, n_train=70, n_test=30).p_value
    assert 2 * min(sharp.left, sharp.right) == pytest.approx(p)


def test_bayesian_verdicts_and_sentences():
    a = np.array([0.80, 0.81, 0.79, 0.80, 0.805, 0.795])
    ratio = {"test_over_train": 1 / 9}
    noise = np.array([1, -1, 2, -2, 0, 1]) / 1000
    names = ("gini", "gain")
    lower = bayesian_correlated_t_test(a, a + 0.1 + noise, names=names, **ratio)
    assert lower.verdict == "left" and "gini is lower than gain at the 0.95 level" in lower.sentence
    assert bayesian_correlated_t_test(a + 0.1 + noise, a, **ratio).verdict == "right"
    same = bayesian_correlated_t_test(a, a + noise, names=names, **ratio)
    assert same.verdict == "rope" and "gini and gain are equal in practice" in same.sentence
    assert "within 0.01 of each other" in same.sentence
    open_ = bayesian_correlated_t_test([0.5, 0.9, 0.7], [0.6, 0.7, 0.75], names=names, **ratio)
    assert open_.verdict == "undecided" and "the data do not decide" in open_.sentence
    assert open_.to_dict()["verdict"] == "undecided" and len(open_.to_dict()["probabilities"]) == 3
    # without variance all probability is where the mean is
    assert bayesian_correlated_t_test(a, a, rope=0, **ratio).probabilities == (0.0, 1.0, 0.0)
    assert bayesian_correlated_t_test(a, a - 0.25, **ratio).probabilities == (0.0, 0.0, 1.0)
    assert bayesian_correlated_t_test(a, a + 0.005, **ratio).probabilities == (0.0, 1.0, 0.0)
    with pytest.raises(ValueError, match="rope=-1"):
        bayesian_correlated_t_test(a, a + noise, rope=-1, **ratio)
    with pytest.raises(ValueError, match="test_over_train"):
        bayesian_correlated_t_test(a, a + noise)


@pytest.mark.parametrize(
    "test",
    [
        paired_t_test,
        lambda a, b: corrected_resampled_t_test(a, b, test_over_train=1 / 9),
        five_by_two_cv_t_test,
        five_by_two_cv_f_test,
        wilcoxon,
    ],
    ids=["paired", "corrected", "5x2 t", "5x2 F", "Wilcoxon"],
)
def test_interval_holds_what_the_test_does_not_reject(test):
    """Shifted by a difference just inside its interval a test is not significant, just outside it
    is."""
    generator = np.random.default_rng(4)
    seen = 0
    for _ in range(20):
        a, b = generator.normal(0.8, 0.03, 10), generator.normal(0.79, 0.03, 10)
        found = test(a, b)
        low, high = found.interval
        if math.isnan(low):  # every difference is rejected: that of least statistic, too
            assert test(a - found.mean_difference, b).significant
            continue
        seen += 1
        step = 1e-6 * (high - low)
        assert (
            not test(a - (low + step), b).significant and not test(a - (high - step), b).significant
        )
        assert test(a - (low - step), b).significant and test(a - (high + step), b).significant
        assert found.significant == (not low <= 0 <= high)
        assert found.sentence and f"interval [{low:.4g}" in found.sentence
    assert seen >= 15


def test_wilcoxon_interval_is_infinite_when_nothing_can_be_rejected_and_normal_for_many():
    assert wilcoxon([1, 2, 3, 4, 5], [0] * 5).interval == (-math.inf, math.inf)
    assert wilcoxon([1, 2, 3, 4, 5, 6], [0] * 6).interval == (1.0, 6.0)
    generator = np.random.default_rng(2)
    d = generator.normal(0.3, 1, 60)
    low, high = wilcoxon(d, np.zeros(60)).interval
    for shift, rejected in (
        (low - 0.01, True),
        (low + 0.05, False),
        (high - 0.05, False),
        (high + 0.01, True),
    ):
        assert (stats.wilcoxon(d - shift, method="approx").pvalue < 0.05) == rejected


def test_results_of_several_methods_have_intervals_too():
    found = friedman_nemenyi(DEMSAR_2006_TABLE_6, names=("C4.5", "m", "cf", "m+cf"))
    apart = (found.intervals[..., 0] > 0) | (found.intervals[..., 1] < 0)
    np.testing.assert_array_equal(apart, found.pairwise_p < 0.05)
    assert found.to_dict()["sentence"] == found.sentence
    anova = repeated_measures_anova([[1, 2, 4], [2, 3, 4], [3, 5, 6]], names=("a", "b", "c"))
    assert set(anova.intervals) == {("a", "b"), ("a", "c"), ("b", "c")}
    low, high = anova.intervals["a", "b"]
    assert low < anova.means[0] - anova.means[1] < high
    assert len(anova.to_dict()["pairs"]) == 3


def test_posterior_of_a_comparison_looks_in_the_metric_s_direction():
    from sklearn.datasets import load_iris
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB

    from fasttree.model_selection import compare

    found = compare(
        {"iris": load_iris(return_X_y=True)},
        estimators={"NB": GaussianNB(), "prior": DummyClassifier()},
        cv="2x5",
        scoring=("accuracy", "error_rate", "bayesian_information_reward"),
        baseline="prior",
    )
    one = found.bayesian_test("iris", "NB", "prior", rope=0.02)
    better = found.posterior(rope=0.02)
    assert better.shape == (1, 2, 3) and better[0, 1].tolist() == [0.0, 1.0, 0.0]
    np.testing.assert_allclose(better[0, 0], one.probabilities)
    errors = found.with_metric("error_rate").posterior(rope=0.02)
    np.testing.assert_allclose(errors, better, atol=1e-12)
    assert one.verdict == "right"


def test_two_factor_anova_equals_contrasts_by_hand():
    # statsmodels 0.14 AnovaRM on this table: F = 8.705600, 0.540138, 0.580559; p = 0.004613,
    # 0.660887, 0.743301.
    rng = np.random.default_rng(1)
    noise = rng.normal(size=(7, 3, 4))
    scores = noise + np.arange(3)[:, None] * 0.4 + rng.normal(size=(7, 1, 1))
    found = two_way_repeated_measures_anova(scores, names=("learner", "size"))
    assert [e.statistic for e in found.effects] == pytest.approx(
        [8.705600, 0.540138, 0.580559], abs=1e-6
    )
    assert [e.p_value for e in found.effects] == pytest.approx(
        [0.004613, 0.660887, 0.743301], abs=1e-6
    )
    assert [e.df for e in found.effects] == [(2, 12), (3, 18), (6, 36)]
    assert all(e.corrected_p_value >= e.p_value or e.statistic < 1 for e in found.effects)
    for effect in found.effects:
        assert format_p(effect.p_value) + "; Greenhouse-Geisser " in found.sentence
        assert "Greenhouse-Geisser " + format_p(effect.corrected_p_value) in found.sentence
    assert "learner: F(2, 12) = 8.706, p = 0.0046; Greenhouse-Geisser p = " in found.sentence


def test_two_factor_anova_of_one_factor_is_the_one_way_test():
    scores = np.random.default_rng(2).normal(size=(9, 4))
    both = np.stack([scores, scores], axis=2)
    one, two = repeated_measures_anova(scores), two_way_repeated_measures_anova(both)
    assert two.effects[0].statistic == pytest.approx(one.statistic)
    assert two.effects[0].corrected_p_value == pytest.approx(one.corrected_p_value)
    assert two.effects[1].statistic == 0.0
    assert two.effects[1].p_value == 1.0
    with pytest.raises(ValueError, match="at least 2 of each"):
        two_way_repeated_measures_anova(scores)
    with pytest.raises(ValueError, match=r"scores\[0, 0, 0\] is nan"):
        two_way_repeated_measures_anova(np.full((3, 2, 2), np.nan))


SIXTHS = st.integers(0, 12)


@settings(deadline=None)
@given(st.lists(st.lists(SIXTHS, min_size=3, max_size=3), min_size=2, max_size=8), st.randoms())
def test_ranks_are_those_of_the_exact_numbers(rows, random):
    """Scores that are equal as fractions tie, in whatever way they were rounded."""

    def rounded(sixths):
        parts = [1 / 6] * sixths
        return random.choice([sum(parts), sixths / 6, sixths * (1 / 6), 1 - (6 - sixths) / 6])

    scores = [[rounded(value) for value in row] for row in rows]
    expected = np.mean([stats.rankdata(np.negative(row)) for row in rows], axis=0)
    found = friedman_nemenyi(scores)
    exact = friedman_nemenyi(rows)
    assert found.mean_ranks == pytest.approx(expected, abs=0)
    assert found.statistic == exact.statistic and found.p_value == exact.p_value
    a, b = np.array(scores)[:, 0], np.array(scores)[:, 1]
    whole = wilcoxon([row[0] for row in rows], [row[1] for row in rows])
    assert wilcoxon(a, b).p_value == whole.p_value
    assert wilcoxon(a, b).statistic == whole.statistic
    many = np.tile(a, 60 // len(a) + 1), np.tile(b, 60 // len(b) + 1)
    counted = [np.tile([row[j] for row in rows], 60 // len(rows) + 1) for j in (0, 1)]
    assert wilcoxon(*many).p_value == pytest.approx(wilcoxon(*counted).p_value, rel=1e-12)


def test_friedman_ties_what_rounding_tells_apart():
    assert friedman_nemenyi([[0.1 + 0.2, 0.3, 0.5]] * 6).mean_ranks.tolist() == [2.5, 2.5, 1.0]


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=40), st.randoms())
def test_means_do_not_depend_on_the_order(values, random):
    mean = exact_mean(values)
    random.shuffle(values)
    assert exact_mean(values) == mean
    exact = sum(map(Fraction, values)) / len(values)
    assert mean == pytest.approx(float(exact), rel=4e-16, abs=0)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=20))
def test_snapping_keeps_order_and_joins_only_what_rounding_parted(whole):
    values = np.array(whole) / 30
    moved = values * (1 + 1e-14 * np.random.default_rng(0).integers(-3, 4, len(values)))
    found = snap(moved)
    for i, j in itertools.product(range(len(whole)), repeat=2):
        assert (found[i] == found[j]) == (whole[i] == whole[j])
        assert (found[i] < found[j]) == (whole[i] < whole[j])
    assert np.abs(found - moved).max() <= 1e-12
