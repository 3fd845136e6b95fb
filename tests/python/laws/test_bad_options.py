"""Options and settings of every kind: refused by name, in the same words everywhere."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree._checks.declared import given_options

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
Y = RNG.integers(0, 2, 30)
NAMED = pd.DataFrame(X, columns=["a", "b", "c"])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda c: c.Pi(alpha="x"), "pi: alpha='x' must be a finite number >= 0"),
        (lambda c: c.Pi(alpha=True), "pi: alpha=True must be a finite number >= 0"),
        (lambda c: c.Pi(theta=(1, 1, 1)), r"pi: theta=\(1, 1, 1\) must be 4 numbers from 0 to 1"),
        (lambda c: c.Pi(decay="exp"), "pi: decay='exp' must be 'exponential', 'power', 'thre"),
        (lambda c: c.Pi(weighted=1), "pi: weighted=1 must be True or False"),
        (lambda c: c.Pi(alpha=float("nan")), "pi: alpha=nan must be a finite number >= 0"),
        (lambda c: c.Relief(radius="a"), "relief: radius='a' must be a finite number >= 0, or No"),
        (lambda c: c.ReliefF(k=2.5), "relieff: k=2.5 must be a whole number >= 1"),
        (lambda c: c.ReliefF(rank=0), "relieff: rank=0 must be a finite number > 0, or None"),
        (
            lambda c: c.GainRatio(guard="mean"),
            "gain_ratio: guard='mean' must be 'average', 'j48' or 'chen2013', or None",
        ),
        (lambda c: c.FMeasure(beta=None), "f_measure: beta=None must be a finite number >= 0"),
    ],
)
def test_options_of_another_kind_are_named_with_what_they_are(make, said):
    with pytest.raises(ValueError, match=said):
        fasttree.fit(fasttree.datasets.make_xor(), criterion=make(fasttree.criteria))


# Values by the domain that an option is declared with: inside, and outside.
KINDS = {
    "flag": ([True, np.True_, False], [1, "true", []]),
    "number": ([1.5, 1, np.float64(0.5)], ["1", True, [], np.inf]),
    "whole": ([1, np.int64(3)], [1.0, -1, True, "1"]),
    "shares": ([(1, 1, 1, 1), np.ones(4)], [1.0, (1, 1, 1), (1, 1, 1, "1"), (1, 1, 1, 2), "1111"]),
    "words": ([], ["no such word", 1, []]),
    "class": ([0, 1], [7, "no class"]),
    "size_function": ([np.sqrt], ["no such word", 1, []]),
}


@pytest.mark.parametrize("criterion", [row["name"] for row in fasttree.list_criteria()])
def test_options_take_values_of_the_kind_that_is_declared_and_no_others(criterion):
    for option in given_options(fasttree.criteria.make(criterion).info):
        name, kind = option["name"], option["domain"]
        right, wrong = KINDS[kind["kind"]]
        if kind["kind"] == "number" and kind["high"] is not None:
            wrong = [*wrong, *(value for value in right if value >= kind["high"])]
            right = [value for value in right if value < kind["high"]]
        right = [*right, *kind.get("words", []), json.loads(option["default"])]
        beside = {"decay": "power"} if name in ("alpha", "at_zero") else {}
        for value in right:
            made = fasttree.criteria.make(criterion).set_params(**{**beside, name: value})
            made.options([0, 1], 4)
        wrong = [*wrong, *([None] if option["default"] != "null" else [])]
        for value in wrong:
            made = fasttree.criteria.make(criterion).set_params(**{**beside, name: value})
            with pytest.raises(ValueError, match=rf"({criterion}: )?{name}=") as refused:
                made.options([0, 1], 4)
            assert all(repr(word) in str(refused.value) for word in kind.get("words", []))


def test_an_option_of_the_criterion_given_to_the_tree_is_sent_where_it_belongs():
    xor = fasttree.datasets.make_xor()
    said = r"beta=2 is not .* beta belongs to the criterion: criterion=FMeasure\(beta=2\)"
    of_both = r"alpha=0.5 of the tree .* alpha belongs to the criterion: criterion=Pi\(alpha=0.5\)"
    validated = partial(fasttree.model_selection.cross_validate, cv="1x2")
    for call in (fasttree.fit, fasttree.score_features, validated):
        with pytest.raises(TypeError, match=said):
            call(xor, criterion="f_measure", beta=2)
        with pytest.raises(ValueError, match=of_both):  # trees have a parameter of that name, too
            call(xor, criterion="pi", alpha=0.5)
    with pytest.raises(TypeError, match="did you mean 'max_depth'"):
        fasttree.fit(xor, max_dept=3)
    with pytest.raises(ValueError, match="alpha='0.1' must be a number"):
        fasttree.sweep(xor, alpha="0.1", cv="1x2")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([0.5], "rows holds 0.5; give row numbers or a mask"),
        ([3, 0, 3], "rows holds row 3 more than once"),
        ([True, False], r"rows is a mask of shape \(2,\); the data set has 8 rows"),
        (["a"], "rows holds 'a'"),
    ],
)
def test_rows_of_pair_counts_are_row_numbers(rows, said):
    with pytest.raises(ValueError, match=said):
        fasttree.pair_counts(fasttree.datasets.make_xor(), rows=rows)


def test_a_mask_of_rows_is_those_rows():
    xor = fasttree.datasets.make_xor()
    mask = np.arange(8) % 3 == 0
    assert fasttree.pair_counts(xor, rows=mask) == fasttree.pair_counts(xor, rows=[0, 3, 6])
    assert fasttree.pair_counts(xor, rows=[]).pairs == 0


BAD_SETTINGS = [
    ({"alpha": "x"}, "alpha='x' must be a number in \\[0, inf\\)"),
    ({"alpha": "0.1"}, "alpha='0.1' must be a number"),
    ({"alpha": True}, "alpha=True must be a number"),
    ({"alpha": -1e-300}, "alpha=-1e-300 must be a number in \\[0, inf\\)"),
    ({"alpha": 10**400}, r"alpha=1000000000\.\.\. \(about 401 digits\) must be a number"),
    ({"decay": 3}, "decay=3 is not known; use 'exponential', 'power'"),
    ({"at_zero": "0"}, "at_zero='0' must be a number"),
    (
        {"theta": (1, 1, 1, True)},
        r"theta\[3\]=True is not a number: theta\[3\] must lie in \[0, 1\]",
    ),
    ({"theta": (1, 1, 1, 2)}, r"theta\[3\]=2: theta\[3\] must lie in \[0, 1\]"),
    ({"theta": "1111"}, "theta='1111': theta holds four weights"),
]


@pytest.mark.parametrize(
    ("setting", "said"), BAD_SETTINGS, ids=[str(k) for k in range(len(BAD_SETTINGS))]
)
def test_settings_of_pairs_are_checked_in_the_same_words_everywhere(setting, said):
    xor = fasttree.datasets.make_xor()
    counts = fasttree.pair_counts(xor)
    calls = [counts.matrices, counts.root, counts.score, counts.sweep]
    calls += [partial(fasttree.count_matrices, xor, precision=p) for p in ("exact", "fixed")]
    own = fasttree.criteria.PairFunction(lambda root, r, tables: r.sum(axis=(1, 2, 3)), **setting)
    calls.append(lambda **_: fasttree.score_features(xor, criterion=own))
    if "decay" not in setting and "at_zero" not in setting:
        calls.append(partial(fasttree.sweep, xor, cv="1x2"))
    for call in calls:
        with pytest.raises(ValueError, match=said):
            call(**setting)


def test_settings_that_are_none_are_named_where_there_is_no_default():
    xor = fasttree.datasets.make_xor()
    for precision in ("exact", "fixed"):
        for name in ("alpha", "decay", "theta", "at_zero"):
            with pytest.raises(ValueError, match=f"{name}=None"):
                fasttree.count_matrices(xor, precision=precision, **{name: None})


HUGE = 10**400


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (
            lambda t: fasttree.score_features(t, criterion=fasttree.criteria.Pi(alpha=HUGE)),
            "pi: alpha=1000",
        ),
        (
            lambda t: fasttree.score_features(t, criterion=fasttree.criteria.Relief(radius=HUGE)),
            "relief: radius",
        ),
        (
            lambda t: fasttree.score_features(t, criterion=fasttree.criteria.ReliefF(k=HUGE)),
            "relieff: k=",
        ),
        (lambda t: fasttree.fit(t, min_score=HUGE), "min_score=1000000000"),
        (lambda t: fasttree.fit(t, max_depth=HUGE), "max_depth=1000000000"),
        (lambda t: fasttree.fit(t, n_jobs=HUGE), "n_jobs=1000000000"),
        (
            lambda t: fasttree.fit(t, sample_weight=[HUGE] * 8),
            "sample_weight of row 0 is 1000000000",
        ),
        (lambda t: fasttree.fit(t, cost_matrix=[[0, HUGE], [1, 0]]), "cost_matrix"),
        (lambda t: fasttree.minimal_tree(t, time_limit=HUGE), "time_limit=1000000000"),
        (lambda t: fasttree.turf(t, share=HUGE), "share=1000000000"),
    ],
)
def test_whole_numbers_beyond_float64_are_refused_by_name(call, name):
    with pytest.raises(ValueError, match=name):
        call(fasttree.datasets.make_xor())


@pytest.mark.parametrize(
    "weights", [["1"] * 8, np.array(["a"] * 8), [None] * 8, [[1, 2], [3]] * 4, "a"]
)
def test_weights_that_are_no_numbers_are_named(weights):
    xor = fasttree.datasets.make_xor()
    X, y = xor.X, xor.y
    model = fasttree.fit(X, y)
    for call in (
        lambda: fasttree.fit(X, y, sample_weight=weights),
        lambda: fasttree.score_features(X, y, criterion="relieff", sample_weight=weights),
        lambda: fasttree.estimate_features(X, y, sample_weight=weights),
        lambda: fasttree.FastForestClassifier(2).fit(X, y, sample_weight=weights),
        lambda: fasttree.naive_bayes.NaiveBayes().fit(X, y, sample_weight=weights),
        lambda: fasttree.discretize.EqualWidth().fit(X, y, weights),
        lambda: model.score(X, y, weights),
    ):
        with pytest.raises(
            ValueError, match=r"sample_weight( of row 0 is|='a' is not an array of numbers)"
        ):
            call()


@pytest.mark.parametrize("share", ["a", None, True, 0, 1, float("nan")])
def test_the_share_of_turf_is_a_number_between_0_and_1(share):
    with pytest.raises(
        ValueError, match=rf"share={share!r} must be a number that lies between 0 and 1"
    ):
        fasttree.turf(fasttree.datasets.make_xor(), share=share)


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", True, 2**40])
def test_n_jobs_is_refused_in_the_same_words_everywhere(n_jobs):
    xor = fasttree.datasets.make_xor()
    codes = np.arange(8, dtype=np.uint8).reshape(4, 2) % 3
    for call in (
        lambda: fasttree.fit(xor, n_jobs=n_jobs),
        lambda: fasttree.pair_counts(xor, n_jobs=n_jobs),
        lambda: fasttree.estimate_features(xor, n_jobs=n_jobs),
        lambda: fasttree.score_features(
            codes, [0, 1, 0, 1], criterion="relieff", categorical_features="all", n_jobs=n_jobs
        ),
        lambda: fasttree.model_selection.cross_validate(xor, cv="1x2", n_jobs=n_jobs),
    ):
        with pytest.raises(
            ValueError,
            match=rf"n_jobs={n_jobs!r}: give a number of threads, -1 for all cores, -2 for",
        ):
            call()


def test_negative_n_jobs_count_back_from_all_cores():
    xor = fasttree.datasets.make_xor()
    assert fasttree.pair_counts(xor, n_jobs=-2) == fasttree.pair_counts(xor, n_jobs=np.int64(-1))


def test_weights_whose_products_overflow_are_refused():
    xor = fasttree.datasets.make_xor()
    for call in (fasttree.fit, fasttree.score_features):
        with pytest.raises(
            ValueError, match="the sum of the sample weights is .*e200.* multiply them"
        ):
            call(xor, criterion="pi", sample_weight=[1e200] * 7 + [2e200])


@pytest.mark.parametrize("criterion", ["multisurf", "multisurf_star"])
def test_copies_of_rows_beyond_what_is_counted_are_refused(criterion):
    codes = np.arange(24, dtype=np.uint8).reshape(8, 3) % 5
    for X, nominal in ((codes, "all"), (codes.astype(float), "from_dtype")):
        ask = partial(
            fasttree.score_features,
            X,
            [0, 1] * 4,
            criterion=criterion,
            categorical_features=nominal,
        )
        weights = np.array([1.0] * 7 + [2.0])
        most = ask(sample_weight=2.0**49 * weights)
        assert most == pytest.approx(ask(sample_weight=2.0**40 * weights))
        with pytest.raises(
            ValueError, match=rf"sample_weight sums to 1.*{criterion} counts at most 2\^53"
        ):
            ask(sample_weight=2.0**60 * weights)


@pytest.mark.parametrize("weight", [1e200, 1e308])
def test_weights_whose_products_overflow_are_refused_by_neighbours(weight):
    codes = np.arange(24, dtype=np.uint8).reshape(8, 3) % 5
    for X, nominal in ((codes, "all"), (codes.astype(float), "from_dtype")):
        for criterion in ("pi", "relieff", "surf"):
            with pytest.raises(
                ValueError, match="the sum of the sample weights is .* multiply them"
            ):
                fasttree.score_features(
                    X,
                    [0, 1] * 4,
                    criterion=criterion,
                    categorical_features=nominal,
                    sample_weight=[weight] * 7 + [weight / 2],
                )
