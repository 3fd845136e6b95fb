"""Metrics on labels and rankings: against naive definitions, scikit-learn, and laws that must
hold."""

import math
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from oracle import metrics_oracle as oracle  # noqa: E402

import fasttree  # noqa: E402
from fasttree import metrics  # noqa: E402
from fasttree.metrics import METRICS  # noqa: E402

LABELS = st.sampled_from(["a", "b", "c"])
PAIRS = st.lists(st.tuples(LABELS, st.one_of(LABELS, st.none())), min_size=1, max_size=40)


def arguments(metric, seed=0, n=60):
    """Inputs that suit a metric: two classes, certain enough to be wrong sometimes, never with
    probability 0."""
    generator = np.random.default_rng(seed)
    if metric.needs == "numbers":
        return (generator.gamma(2.0, 3.0, n), generator.gamma(2.0, 3.0, n)), {}
    y = generator.integers(0, 2, n)
    y[:2] = [0, 1]
    p = np.clip(generator.beta(2, 2, n), 0.01, 0.99)
    proba = np.column_stack([1 - p, p])
    if metric.needs == "labels":
        return (y, (p > 0.5).astype(int)), {}
    if metric.needs == "scores":
        return (y, p), {}
    if not metric.scorable:
        return (np.column_stack([1 - y, y]).astype(float), proba), {}
    return (y, proba), (
        {"prior": metrics.class_prior(np.bincount(y, minlength=2))} if metric.uses_prior else {}
    )


@pytest.mark.parametrize("metric", METRICS.values(), ids=list(METRICS))
def test_registry_entry_is_complete(metric):
    assert metric.function is getattr(metrics, metric.name)
    assert METRICS[metric.name] is metric
    assert metric.doc and metric.source and metric.function.__doc__
    assert metric.minimum < metric.maximum
    forms = [metric.from_confusion, metric.per_row, metric.from_rows, metric.from_tree]
    assert sum(form is not None for form in forms) == (1 if metric.scorable else 0)
    for alias in metric.aliases:
        assert metrics.get_metric(alias) is metric


@pytest.mark.parametrize(
    "metric",
    [m for m in METRICS.values() if m.needs != "tree"],
    ids=[m.name for m in METRICS.values() if m.needs != "tree"],
)
def test_every_metric_stays_in_its_range_and_ignores_row_order_and_doubling(metric):
    for seed in range(5):
        args, options = arguments(metric, seed)
        value = metric.function(*args, **options)
        assert metric.minimum <= value <= metric.maximum
        order = np.random.default_rng(seed).permutation(len(args[0]))
        assert metric.function(*(part[order] for part in args), **options) == pytest.approx(
            value, abs=1e-12
        )
        doubled = metric.function(*(np.concatenate([part, part]) for part in args), **options)
        assert doubled == pytest.approx(value, abs=1e-12)
        weights = np.random.default_rng(seed).integers(0, 4, len(args[0]))
        weights[0] = 1
        if metric.needs == "labels" or metric.needs == "scores":
            weights[:2] = 1
        copies = metric.function(*(np.repeat(part, weights, axis=0) for part in args), **options)
        assert metric.function(*args, **options, sample_weight=weights) == pytest.approx(
            copies, abs=1e-12
        )


@pytest.mark.parametrize(
    "metric",
    [m for m in METRICS.values() if m.task is not None and m.scorable],
    ids=lambda m: m.name,
)
def test_orientation_is_what_the_registry_says(metric):
    """The truth itself must score better than its opposite."""
    y = np.array([0, 1, 1, 0, 1])
    if metric.needs == "numbers":
        assert (metric.function(y, y) > metric.function(y, y + 1)) == metric.greater_is_better
        return
    sure = np.where(np.column_stack([1 - y, y]) == 1, 0.9, 0.1)
    if metric.needs == "labels":
        right, wrong, options = y, 1 - y, {}
        if metric.name == "unclassified_rate":
            wrong = np.array([None] * 5, dtype=object)
    else:
        right, wrong = sure, 1 - sure
        options = {"prior": [0.4, 0.6]} if metric.uses_prior else {}
    better, worse = metric.function(y, right, **options), metric.function(y, wrong, **options)
    assert (better > worse) == metric.greater_is_better and better != worse


@given(PAIRS)
def test_confusion_accuracy_and_rates_agree_with_counting(pairs):
    truth, guess = [t for t, _ in pairs], [g for _, g in pairs]
    counts = metrics.confusion_matrix(truth, guess, classes=["a", "b", "c"])
    assert counts.shape == (3, 4) and counts.dtype.kind == "i"
    for i, t in enumerate("abc"):
        for j, g in enumerate(["a", "b", "c", None]):
            assert counts[i, j] == pairs.count((t, g))
    right = sum(t == g for t, g in pairs)
    assert metrics.accuracy(truth, guess) == right / len(pairs)
    assert metrics.error_rate(truth, guess) == (len(pairs) - right) / len(pairs)
    assert metrics.unclassified_rate(truth, guess) == guess.count(None) / len(pairs)
    assert metrics.expected_cost(truth, guess) == metrics.error_rate(truth, guess)


@given(PAIRS, st.sampled_from([0.25, 0.5, 1.0, 2.0]))
def test_f_beta_is_the_weighted_harmonic_mean(pairs, beta):
    truth, guess = [t for t, _ in pairs], [g for _, g in pairs]
    for positive in "abc":
        tp = sum(t == positive == g for t, g in pairs)
        fp = sum(g == positive != t for t, g in pairs)
        fn = sum(t == positive != g for t, g in pairs)
        expected = oracle.f_beta(tp, fp, fn, beta)
        found = metrics.f_beta(truth, guess, beta=beta, positive=positive, classes=["a", "b", "c"])
        assert found == pytest.approx(expected, abs=1e-12)
        assert metrics.f_beta_from_counts(tp, fp, fn, beta=beta) == found


def test_f_beta_takes_the_last_class_as_positive_and_broadcasts():
    truth, guess = ["no", "yes", "yes", "no"], ["no", "yes", "no", "yes"]
    assert metrics.f_beta(truth, guess) == metrics.f_beta(truth, guess, positive="yes") == 0.5
    assert metrics.f_beta_from_counts([1, 0], [1, 0], [1, 0]).tolist() == [0.5, 0.0]
    with pytest.raises(ValueError, match="beta=-1"):
        metrics.f_beta(truth, guess, beta=-1)
    with pytest.raises(ValueError, match="positive='maybe'"):
        metrics.f_beta(truth, guess, positive="maybe")


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(0, 6), st.integers(0, 3)), min_size=2, max_size=30
    )
)
def test_auc_is_mann_whitney_with_ties_one_half(rows):
    positive, scores, weights = ([row[i] for row in rows] for i in range(3))
    y = np.array(positive, dtype=int)
    if len(set(positive)) == 2:
        expected = oracle.mann_whitney(positive, scores)
        found = metrics.auc(y, np.array(scores, float))
        assert found == pytest.approx(expected, abs=1e-14)
        curve = metrics.roc_curve(y, np.array(scores, float))
        area = np.sum(np.diff(curve.fpr) * (curve.tpr[1:] + curve.tpr[:-1]) / 2)
        assert area == pytest.approx(found, abs=1e-12)
        assert metrics.auc(y, -np.array(scores, float)) == pytest.approx(1 - found, abs=1e-12)
        present = {p for p, w in zip(positive, weights, strict=True) if w}
        if len(present) == 2:
            weighted = metrics.auc(y, np.array(scores, float), sample_weight=weights)
            assert weighted == pytest.approx(
                oracle.mann_whitney(positive, scores, weights), abs=1e-12
            )
    else:
        assert math.isnan(metrics.auc(y, np.array(scores, float), classes=[0, 1]))


def test_metrics_agree_with_scikit_learn():
    from sklearn import metrics as sk

    generator = np.random.default_rng(3)
    y = generator.integers(0, 3, 200)
    proba = generator.dirichlet([1, 1, 1], 200).round(2)
    proba /= proba.sum(axis=1, keepdims=True)
    guess = proba.argmax(axis=1)
    close = lambda value: pytest.approx(value, abs=1e-12)  # noqa: E731
    assert metrics.auc(y, proba) == close(sk.roc_auc_score(y, proba, multi_class="ovr"))
    assert metrics.auc(y, proba, average="weighted") == close(
        sk.roc_auc_score(y, proba, multi_class="ovr", average="weighted")
    )
    assert metrics.cohen_kappa(y, guess) == close(sk.cohen_kappa_score(y, guess))
    assert metrics.matthews_correlation(y, guess) == close(sk.matthews_corrcoef(y, guess))
    assert metrics.f_beta(y, guess, average="macro", beta=2) == close(
        sk.fbeta_score(y, guess, beta=2, average="macro")
    )
    assert metrics.f_beta(y, guess, average="weighted") == close(
        sk.f1_score(y, guess, average="weighted")
    )
    assert metrics.precision(y, guess, positive=1) == close(
        sk.precision_score(y, guess, labels=[1], average="micro")
    )
    assert metrics.recall(y, guess, positive=1) == close(
        sk.recall_score(y, guess, labels=[1], average="micro")
    )
    assert (metrics.confusion_matrix(y, guess)[:, :-1] == sk.confusion_matrix(y, guess)).all()
    nonzero = np.clip(proba, 1e-3, 1)
    nonzero /= nonzero.sum(axis=1, keepdims=True)
    assert metrics.log_loss(y, nonzero) == close(sk.log_loss(y, nonzero))
    two = (y > 0).astype(int)
    assert metrics.brier_score(two, proba[:, 1]) == close(2 * sk.brier_score_loss(two, proba[:, 1]))
    fpr, tpr, thresholds = sk.roc_curve(two, proba[:, 1], drop_intermediate=False)
    curve = metrics.roc_curve(two, proba[:, 1])
    np.testing.assert_allclose(curve.fpr, fpr)
    np.testing.assert_allclose(curve.tpr, tpr)
    np.testing.assert_array_equal(curve.thresholds, thresholds)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=20))
def test_roc_hull_is_concave_and_covers_every_point(points):
    x, y = np.array(points).T / 20
    fpr, tpr = metrics.roc_convex_hull((np.sort(x), np.sort(y)))
    assert (fpr[0], fpr[-1], tpr[-1]) == (0.0, 1.0, 1.0)
    assert (np.diff(fpr) >= 0).all() and (np.diff(tpr) >= 0).all()
    cross = np.diff(fpr)[:-1] * np.diff(tpr)[1:] - np.diff(tpr)[:-1] * np.diff(fpr)[1:]
    assert (cross < 1e-12).all()
    for a, b in zip(np.sort(x), np.sort(y), strict=True):
        height = max(tpr[fpr == a], default=None) if (fpr == a).any() else np.interp(a, fpr, tpr)
        assert b <= height + 1e-12


def test_cost_optimal_decision_minimises_the_expected_cost():
    proba = np.random.default_rng(0).dirichlet([1, 1, 1], 50)
    costs = np.array([[0, 1, 5], [2, 0, 1], [7, 1, 0]])
    chosen = metrics.cost_optimal_decision(proba, costs)
    for row, decision in zip(proba, chosen, strict=True):
        each = [sum(row[i] * costs[i, j] for i in range(3)) for j in range(3)]
        assert each[decision] == pytest.approx(min(each))
    assert (
        metrics.expected_cost([0, 2], [2, None], cost_matrix=costs, classes=[0, 1, 2])
        == (5 + 7) / 2
    )
    with pytest.raises(ValueError, match=r"cost_matrix has shape \(2, 2\)"):
        metrics.expected_cost([0, 1, 2], [0, 1, 2], cost_matrix=[[0, 1], [1, 0]])


def test_laplace_scores_are_the_leaf_scores_of_two_classes():
    positives, n = np.array([0, 3, 7]), np.array([5, 3, 10])
    counts = np.column_stack([n - positives, positives])
    np.testing.assert_array_equal(metrics.laplace_scores(counts)[:, 1], (positives + 1) / (n + 2))
    np.testing.assert_allclose(metrics.laplace_scores(counts).sum(axis=1), 1)
    with pytest.raises(ValueError, match="not negative"):
        metrics.laplace_scores([-1, 2])


def test_calibration_of_perfect_and_overconfident_forecasts():
    y = np.array([1] * 7 + [0] * 3)
    curve = metrics.calibration_curve(y, np.full(10, 0.7))
    assert curve.observed.tolist() == [0.7] and curve.weight.tolist() == [10]
    assert metrics.expected_calibration_error(y, np.full(10, 0.7)) == pytest.approx(0.0)
    assert metrics.expected_calibration_error(y, np.full(10, 1.0)) == pytest.approx(0.3)


def test_one_column_of_probabilities_is_of_the_positive_class():
    y, p = np.array(["a", "b", "b", "a", "a"]), np.array([0.9, 0.2, 0.4, 0.65, 0.31])
    both = np.column_stack([p, 1 - p])
    for strategy in ("uniform", "quantile"):
        one = metrics.calibration_curve(y, p, positive="a", n_bins=3, strategy=strategy)
        two = metrics.calibration_curve(y, both, positive="a", n_bins=3, strategy=strategy)
        for mine, other in zip(one, two, strict=True):
            assert mine.tolist() == other.tolist()
    # rows with p in (2/3, 1]: one of class a
    one = metrics.calibration_curve(y, p, positive="a", n_bins=3)
    assert one.predicted[-1] == 0.9 and one.observed.tolist() == [0.5, 0.5, 1.0]
    last = metrics.calibration_curve(y, 1 - p, n_bins=3)
    assert last.weight.sum() == 5 and last.observed[0] == 0.0


def test_a_reward_of_minus_infinity_is_said_in_words():
    table = fasttree.datasets.load_iris()
    half = table.take(np.arange(0, 150, 2))
    found = fasttree.fit(half).evaluate(table)
    assert np.isneginf(found.information_reward) and found.ruled_out == 4
    assert "minus infinity: the class of 4 rows had probability 0" in found.to_text()
    assert "see leaf_smoothing" in found._repr_html_()
    smooth = fasttree.fit(half, leaf_smoothing="laplace").evaluate(table)
    assert np.isfinite(smooth.information_reward) and smooth.ruled_out == 0
    assert f"{smooth.information_reward:.3f} bits a row" in smooth.to_text()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: metrics.accuracy(["a", None], ["a", "a"]), "y_true: row 1 has no label"),
        (lambda: metrics.accuracy(["a"], ["a", "b"]), "y_pred has 2 rows but y_true has 1"),
        (lambda: metrics.accuracy([], []), "no rows"),
        (lambda: metrics.accuracy(["a"], ["z"], classes=["a"]), "row 0 holds 'z'"),
        (lambda: metrics.accuracy([[1, 2]], [1]), "one-dimensional"),
        (lambda: metrics.accuracy([1, 0], [1, 0], sample_weight=[1, -1]), "row 1 is -1"),
        (lambda: metrics.accuracy([1, 0], [1, 0], sample_weight=[0, 0]), "all weights are zero"),
        (lambda: metrics.accuracy([1, 0], [1, 0], classes=[1, 1]), "twice"),
        (lambda: metrics.auc([0, 1], [0.5, np.nan]), "row 1 is not finite"),
        (lambda: metrics.auc([0, 1, 2], [0.5, 0.1, 0.2]), "one column a class"),
        (lambda: metrics.roc_curve([1, 1], [0.5, 0.1], classes=[0, 1]), "no negative row"),
        (lambda: metrics.log_loss([0, 1], [[0.5, 0.4], [0.5, 0.5]]), "row 0 sums to 0.9"),
        (lambda: metrics.log_loss([0, 1], [[1.5, -0.5], [0.5, 0.5]]), "between 0 and 1"),
        (lambda: metrics.log_loss([0, 0], [[0.5, 0.5], [0.5, 0.5]]), "pass classes="),
        (lambda: metrics.get_metric("acuracy"), "did you mean 'accuracy'"),
        (lambda: metrics.scorer("kld"), "cannot score an estimator"),
    ],
)
def test_bad_input_says_what_and_where(call, words):
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        call()


def test_scorers_work_in_scikit_learn_and_find_the_prior():
    from sklearn.datasets import load_iris
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_iris(return_X_y=True)
    assert (
        cross_val_score(
            DecisionTreeClassifier(random_state=0), X, y, scoring=metrics.scorer("accuracy")
        )
        == cross_val_score(DecisionTreeClassifier(random_state=0), X, y, scoring="accuracy")
    ).all()
    losses = cross_val_score(GaussianNB(), X, y, scoring=metrics.scorer("log_loss"))
    np.testing.assert_allclose(losses, cross_val_score(GaussianNB(), X, y, scoring="neg_log_loss"))
    pipeline = make_pipeline(StandardScaler(), GaussianNB()).fit(X, y)
    reward = metrics.scorer("bayesian_information_reward")
    assert reward(pipeline, X, y) == metrics.bayesian_information_reward(
        y, pipeline.predict_proba(X), prior=pipeline[-1].class_prior_
    )
    search = GridSearchCV(pipeline, {"gaussiannb__var_smoothing": [1e-9, 1.0]}, scoring=reward).fit(
        X, y
    )
    assert search.best_params_ == {"gaussiannb__var_smoothing": 1e-9}
    assert reward(search, X, y) == search.score(X, y)
    neighbours = KNeighborsClassifier(50).fit(X, y)
    with pytest.raises(ValueError, match="has no class_prior_"):
        reward(neighbours, X, y)
    assert np.isfinite(
        metrics.scorer("good_information_reward", clip=0.01)(
            KNeighborsClassifier(5).fit(X, y == 1), X, y == 1
        )
    )
    assert metrics.scorer("leaves")(DecisionTreeClassifier(max_leaf_nodes=4).fit(X, y), X, y) == -4
    copy = pickle.loads(pickle.dumps(metrics.scorer("f_beta", beta=2)))
    assert copy == metrics.scorer("f_beta", beta=2) and copy != metrics.scorer("f_beta")
