"""Splitters: Weka's folds row for row, balance and determinism of our own, scikit-learn's
protocol."""

import inspect
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from oracle import metrics_oracle as oracle  # noqa: E402

from fasttree.model_selection import (  # noqa: E402
    ContiguousKFold,
    FiveByTwo,
    JavaRandom,
    LearningCurveSplit,
    StratifiedRepeatedKFold,
    WekaStratifiedKFold,
)
from fasttree.model_selection.folds import make_folds  # noqa: E402
from fasttree.model_selection.splitter import GroupedKFold  # noqa: E402

from ..tools import function_calls  # noqa: E402

LABELS = st.lists(st.sampled_from("abcd"), min_size=4, max_size=60)


def last_column(path):
    """Class labels of an ARFF file whose class comes last."""
    rows = [line.strip() for line in path.read_text().splitlines()]
    return [row.split(",")[-1] for row in rows if row and row[0] not in "%@"]


def test_java_random_gives_the_published_draws(published):
    vectors = json.loads((published / "chen2013_reproduction.json").read_text())[
        "fold_test_vectors"
    ]
    expected = vectors["java_random_seed1_nextInt150"]
    random = JavaRandom(1)
    assert [random.next_int(150) for _ in expected] == expected
    assert JavaRandom(1).next_ints([150] * len(expected)).tolist() == expected


@given(
    st.integers(-(2**63), 2**63 - 1), st.lists(st.integers(1, 2**31 - 1), min_size=1, max_size=50)
)
def test_java_random_batches_equal_single_draws(seed, bounds):
    """Large bounds are rejected about half of the time, so the scalar continuation is exercised
    too."""
    slow, one, many = oracle.JavaRandom(seed), JavaRandom(seed), JavaRandom(seed)
    expected = [slow.next_int(bound) for bound in bounds]
    assert [one.next_int(bound) for bound in bounds] == expected
    assert many.next_ints(bounds).tolist() == expected
    assert many.next_int(1000) == one.next_int(1000) == slow.next_int(1000)


@pytest.mark.parametrize(
    ("name", "index", "file"),
    [
        ("iris_seed1_fold1", 0, "iris.arff"),
        ("iris_seed2_fold10", 19, "iris.arff"),
        ("labor_seed1_fold1", 0, "labor.arff"),
        ("labor_seed1_fold10", 9, "labor.arff"),
    ],
)
def test_weka_folds_equal_wekas(uci, published, name, index, file):
    vectors = json.loads((published / "chen2013_reproduction.json").read_text())[
        "fold_test_vectors"
    ]
    folds = list(WekaStratifiedKFold().split(None, last_column(uci / file)))
    assert len(folds) == 100
    assert folds[index][1].tolist() == vectors[name]


@settings(max_examples=40)
@given(LABELS, st.integers(2, 4), st.integers(0, 1000))
def test_weka_folds_equal_the_naive_twin(labels, n_splits, seed):
    cv = WekaStratifiedKFold(n_splits=n_splits, n_repeats=1, seeds=[seed])
    found = [test.tolist() for _, test in cv.split(None, labels)]
    assert found == oracle.weka_folds(labels, n_splits, seed)


@settings(max_examples=60)
@given(LABELS, st.integers(2, 4), st.integers(0, 99))
def test_stratified_folds_partition_and_balance(labels, n_splits, seed):
    y = np.array(labels)
    cv = StratifiedRepeatedKFold(n_splits, 3, random_state=seed)
    folds = list(cv.split(np.zeros((len(y), 2)), y))
    assert len(folds) == cv.get_n_splits() == 3 * n_splits
    for start in range(0, len(folds), n_splits):
        repetition = folds[start : start + n_splits]
        assert sorted(np.concatenate([test for _, test in repetition])) == list(range(len(y)))
        for train, test in repetition:
            assert sorted(np.concatenate([train, test])) == list(range(len(y)))
        sizes = [len(test) for _, test in repetition]
        assert max(sizes) - min(sizes) <= 1
        for label in set(labels):
            counts = [(y[test] == label).sum() for _, test in repetition]
            assert max(counts) - min(counts) <= 1
    again = list(StratifiedRepeatedKFold(n_splits, 3, random_state=seed).split(None, labels))
    assert all((a[1] == b[1]).all() for a, b in zip(folds, again, strict=True))


def test_seeds_and_repetitions_differ():
    y = np.repeat([0, 1, 2], 50)
    folds = make_folds("5x10", y, 0)
    tests = [tuple(test) for _, test in folds.pairs]
    assert len(set(tests)) == 50
    other = [tuple(test) for _, test in make_folds("5x10", y, 1).pairs]
    assert not set(tests) & set(other)
    assert (
        folds.n_repeats == 5
        and folds.n_splits == 10
        and folds.n_test_over_n_train == pytest.approx(1 / 9, abs=0)
    )


def test_empty_classes_are_ignored_whatever_the_labels_type():
    codes = np.array([0, 3] * 10)
    expected = [test.tolist() for _, test in StratifiedRepeatedKFold(5, 2).split(None, codes)]
    for labels in (
        codes == 3,
        np.where(codes == 3, "z", "a"),
        np.where(codes == 3, "z", "a").astype(object),
        codes.astype(float),
    ):
        assert [
            test.tolist() for _, test in StratifiedRepeatedKFold(5, 2).split(None, labels)
        ] == expected


def test_a_fold_costs_a_few_dozen_calls():
    y = np.repeat([0, 1, 2], 50)
    assert function_calls(lambda: make_folds("5x10", y, 0)) < 50 * 60


@given(st.integers(5, 200))
def test_contiguous_folds_are_the_first_four_fifths(n):
    cv, c = ContiguousKFold(), n // 5
    folds = list(cv.split(np.zeros((n, 1))))
    for i, (train, test) in enumerate(folds):
        assert test.tolist() == list(range(i * c, (i + 1) * c))
        assert train.tolist() == [row for row in range(4 * c) if row not in set(test.tolist())]
    assert cv.holdout_rows(n).tolist() == list(range(4 * c, n))
    assert cv.training_rows(n).tolist() == list(range(4 * c))
    whole = ContiguousKFold(3, holdout=False)
    assert np.concatenate([test for _, test in whole.split(np.zeros((n, 1)))]).tolist() == list(
        range(n)
    )
    assert len(whole.holdout_rows(n)) == 0


@pytest.mark.parametrize("stratify", [True, False])
@pytest.mark.parametrize("nested", [True, False])
def test_learning_curve_splits(stratify, nested):
    y = np.repeat([0, 1], [150, 50])
    cv = LearningCurveSplit(
        (0.1, 0.5, 40, 1.0), n_repeats=7, stratify=stratify, nested=nested, random_state=4
    )
    folds = list(cv.split(np.zeros((200, 1)), y))
    assert len(folds) == cv.get_n_splits() == 28
    assert [len(train) for train, _ in folds[:4]] == [18, 90, 40, 180] == cv.row_sizes(200)
    for start in range(0, 28, 4):
        repetition = folds[start : start + 4]
        assert all((test == repetition[0][1]).all() for _, test in repetition)
        assert len(set(repetition[0][1])) == 20
        for train, test in repetition:
            assert not set(train) & set(test) and len(set(train)) == len(train)
        if stratify:
            assert abs((y[repetition[0][1]] == 1).sum() - 5) <= 1
        inside = [set(repetition[i][0]) <= set(repetition[3][0]) for i in range(3)]
        assert all(inside)
        if nested:
            assert set(repetition[0][0]) <= set(repetition[2][0]) <= set(repetition[1][0])
    assert len({tuple(test) for _, test in folds}) == 7
    drawn = np.bincount(np.concatenate([test for _, test in folds[::4]]), minlength=200)
    assert drawn.max() < 7, "a row is in every test set: the draw is not random"


ALL = [
    WekaStratifiedKFold(n_splits=3, n_repeats=2),
    StratifiedRepeatedKFold(3, 2, random_state=5),
    FiveByTwo(random_state=1),
    ContiguousKFold(),
    LearningCurveSplit((0.5, 1.0), n_repeats=2),
]


@pytest.mark.parametrize("cv", ALL, ids=lambda cv: type(cv).__name__ + str(cv.get_n_splits()))
def test_splitters_serve_scikit_learn(cv):
    from sklearn.datasets import load_iris
    from sklearn.model_selection import GridSearchCV, check_cv, cross_val_score
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_iris(return_X_y=True)
    rows = np.random.default_rng(0).permutation(150)
    X, y = X[rows], y[rows]
    assert check_cv(cv) is cv
    assert len(cross_val_score(DecisionTreeClassifier(), X, y, cv=cv)) == cv.get_n_splits(X, y)
    assert GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 3]}, cv=cv).fit(
        X, y
    ).best_params_ == {"max_depth": 3}
    assert eval(repr(cv)) == cv
    assert type(cv)(**cv.get_params()) == cv


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: list(StratifiedRepeatedKFold(10).split(None, [0, 1] * 4)),
            "10 folds need at least 10 rows, there are 8",
        ),
        (
            lambda: list(WekaStratifiedKFold().split(None, [0, 1] * 4)),
            "10 folds need at least 10 rows, there are 8",
        ),
        (
            lambda: list(ContiguousKFold().split(np.zeros((4, 1)))),
            "5 parts need at least 5 rows, there are 4",
        ),
        (lambda: list(StratifiedRepeatedKFold(2).split(np.zeros((4, 1)))), "y must be given"),
        (
            lambda: list(StratifiedRepeatedKFold(2).split(np.zeros((4, 1)), [0, 1])),
            "X has 4 rows but y has 2",
        ),
        (
            lambda: list(WekaStratifiedKFold(seeds=[1]).split(None, [0, 1] * 10)),
            "1 seeds for n_repeats=10",
        ),
        (
            lambda: list(LearningCurveSplit((1.5,)).split(None, [0, 1] * 10)),
            "must be above 0 and at most 1",
        ),
        (
            lambda: list(LearningCurveSplit((99,)).split(None, [0, 1] * 10)),
            "99 rows asked for, the training part has 18",
        ),
        (lambda: list(LearningCurveSplit(test_size=1.0).split(None, [0, 1] * 10)), "test_size=1.0"),
        (lambda: make_folds("10by5", np.zeros(20, int), 0), "cv='10by5'"),
        (lambda: make_folds([], np.zeros(20, int), 0), "no folds"),
        (lambda: make_folds([([0, 1], [])], np.zeros(20, int), 0), "fold 0 has no test rows"),
        (
            lambda: make_folds([([0, 1], [20])], np.zeros(20, int), 0),
            "test row 20 does not exist, there are 20 rows",
        ),
        (lambda: make_folds([([0.5], [2])], np.zeros(20, int), 0), "row indices are integers"),
        (lambda: make_folds([[1]], np.zeros(20, int), 0), "fold 0 is not a pair"),
        (lambda: JavaRandom(1).next_int(0), "bound=0"),
    ],
)
def test_bad_settings_say_what_to_do(call, words):
    with pytest.raises(ValueError) as error:
        call()
    assert words in str(error.value)


BAD = {
    "n_splits": [2.5, 1, True, "5", None],
    "n_folds": [2.5, 1, True, "5", None],
    "n_repeats": [2.5, 0, True, "5", None],
    "holdout": ["no", 0, None],
    "stratify": ["no", 0, None],
    "nested": ["no", 0, None],
}


@pytest.mark.parametrize("kind", sorted({type(cv) for cv in ALL} | {GroupedKFold}, key=str))
def test_splitters_refuse_a_number_or_flag_by_name(kind):
    """Every splitter, when it is made, as those of scikit-learn do."""
    for name in BAD.keys() & inspect.signature(kind).parameters.keys():
        for value in BAD[name]:
            with pytest.raises(ValueError, match=f"{name}="):
                kind(**{name: value})


def test_grouped_folds_refuse_an_unknown_task():
    with pytest.raises(ValueError, match="task='clustering' is not known"):
        next(GroupedKFold(2, task="clustering").split(None, [0, 1], groups=[0, 1]))
