"""Bad input of every kind: what is refused, in which words, and what is not refused."""

from __future__ import annotations

import datetime
import warnings
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

import fasttree
from fasttree import FastTreeClassifier, criteria, model_selection

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
Y = RNG.integers(0, 2, 30)
NAMED = pd.DataFrame(X, columns=["a", "b", "c"])


def infinite(value):
    out = X.copy()
    out[3, 1] = value
    return out


def mixed():
    out = X.astype(object)
    out[4, 2] = "red"
    return out


REFUSED_BY_FIT = {
    "0 rows": (np.empty((0, 3)), [], ValueError, r"0 sample\(s\) .*shape=\(0, 3\).* minimum of 1"),
    "0 columns": (np.empty((3, 0)), [0, 1, 0], ValueError, r"0 feature\(s\) .*shape=\(3, 0\).* minimum of 1"),
    "0 rows in a frame": (NAMED.iloc[:0], [], ValueError, r"0 sample\(s\)"),
    "y too short": (X, Y[:-1], ValueError, "X has 30 rows and y has 29"),
    "y too long": (X.tolist(), [*Y, 1], ValueError, "X has 30 rows and y has 31"),
    "no y": (X, None, ValueError, "requires y to be passed, but the target y is None"),
    "NaN in y": (X, np.where(np.arange(30) == 7, np.nan, 1.0), ValueError, "y contains NaN: row 7"),
    "None in y": (X, ["a", None, *["b"] * 28], ValueError, "y contains NaN: row 1"),
    "continuous y": (X, X[:, 0], ValueError, "Unknown label type: "),
    "mixed y": (X, [1, "a"] * 15, TypeError, "'a'"),
    "two columns of y": (X, np.zeros((30, 2)), ValueError, "1d array"),
    "inf": (infinite(np.inf), Y, ValueError, "column 'x1', row 3: the value inf is infinity"),
    "-inf in float32": (infinite(-np.inf).astype(np.float32), Y, ValueError, "column 'x1', row 3.*-inf"),
    "inf in a frame": (pd.DataFrame(infinite(np.inf), columns=list("abc")), Y, ValueError, "column 'b', row 3"),
    "inf in a list": (infinite(np.inf).tolist(), Y, ValueError, "column 'x1', row 3"),
    "complex": (X + 1j, Y, ValueError, "Complex data not supported"),
    "sparse": (scipy.sparse.csr_matrix(X), Y, TypeError, "[Ss]parse data.*toarray"),
    "sparse array": (scipy.sparse.csc_array(X), Y, TypeError, "[Ss]parse data.*toarray"),
    "dates in a frame": (pd.DataFrame({"day": pd.date_range("2020", periods=30)}), Y, TypeError, "'day' holds (dates|Date values)"),
    "dates in Polars": (pl.DataFrame({"day": [datetime.date(2020, 1, 1)] * 30}), Y, TypeError, "'day' holds (dates|Date values)"),
    "dates in an array": (np.full((30, 1), "2020-01-01", "M8[D]"), Y, TypeError, "'x0' holds dates"),
    "spans of time": (np.full((30, 1), 5, "m8[D]"), Y, TypeError, "'x0' holds dates or times"),
    "mixed objects": (mixed(), Y, TypeError, r"column 'x2', row 4: 'red' \(str\) is mixed with .* \(float, row 0\)"),
    "lists in cells": (pd.DataFrame({"a": [[1]] * 30}), Y, TypeError, "'a'"),
    "duplicate columns": (NAMED.set_axis(["a", "b", "a"], axis=1), Y, ValueError, "'a' names the columns"),
    "1-D X": (X[:, 0], Y, ValueError, "Expected 2D array, got 1D array instead(.|\n)*Reshape your data"),
    "3-D X": (X.reshape(30, 3, 1), Y, ValueError, "3"),
    "a number": (3.0, Y, (ValueError, TypeError), "Expected 2D array|scalar"),
    "rows of different lengths": ([[1.0], [1.0, 2.0]], [0, 1], ValueError, "row 1"),
    "65,537 levels": (np.arange(65_537).astype(str)[:, None], np.arange(65_537) % 2, ValueError, "'x0' has 65,537 levels"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED_BY_FIT)
def test_refused_by_fit(case):
    data, labels, kind, words = REFUSED_BY_FIT[case]
    with pytest.raises(kind, match=words):
        fasttree.fit(data, labels)


@pytest.mark.parametrize(
    "case", ["inf", "complex", "sparse", "dates in a frame", "mixed objects", "1-D X"]
)
def test_refused_by_predict_in_the_same_words(case):
    data, _, kind, words = REFUSED_BY_FIT[case]
    model = fasttree.fit(X, Y) if case != "dates in a frame" else fasttree.fit(X[:, :1], Y)
    for method in (model.predict, model.predict_proba, model.apply, model.decision_path):
        with pytest.raises((kind, ValueError), match=words.replace("dates", "")):
            method(data)


def test_levels_just_below_the_limit():
    codes = np.arange(65_536)
    words = np.char.mod("%05d", codes)[:, None]
    model = fasttree.fit(words, codes % 2, nominal_splits="multiway")
    assert (model.get_n_leaves(), model.score(words, codes % 2)) == (65_536, 1.0)
    with_gap = words.astype(object)
    with_gap = np.vstack([with_gap, [[None]]])
    with pytest.raises(ValueError, match="column 'x0' would have 65537 branches"):
        fasttree.fit(with_gap, [*(codes % 2), 1], nominal_splits="multiway")
    with pytest.raises(ValueError, match="n_bins=100000: must be an integer between 1 and 65,535"):
        fasttree.fit(X, Y, discretize="equal_width", n_bins=100_000)


BAD_WEIGHTS = {
    "negative": ([1.0] * 5 + [-1.0] + [1.0] * 24, "sample_weight of row 5 is -1"),
    "NaN": ([1.0] * 29 + [np.nan], "sample_weight of row 29 is NaN"),
    "infinite": ([np.inf] + [1.0] * 29, "sample_weight of row 0 is inf"),
    "all zero": ([0.0] * 30, "all sample weights are zero"),
    "too short": ([1.0] * 29, r"sample_weight.shape == \(29,\), expected \(30,\)"),
    "two columns": (np.ones((30, 2)), "Sample weights must be 1D array or scalar"),
    "a sum beyond all numbers": (
        [1e308] * 30,
        "the sum of the sample weights is inf.*multiply them by a constant",
    ),
}


@pytest.mark.parametrize("case", BAD_WEIGHTS)
def test_bad_weights(case):
    weights, words = BAD_WEIGHTS[case]
    for call in (
        lambda: fasttree.fit(X, Y, sample_weight=weights),
        lambda: fasttree.score_features(X, Y, criterion="gini", sample_weight=weights),
        lambda: fasttree.fit(X, Y, criterion=lambda t: t[:, 0, 0], sample_weight=weights),
    ):
        with pytest.raises(ValueError, match=words):
            call()


BAD_PARAMETERS = {
    "criterion": [("info_gian", ValueError, "did you mean 'info_gain'"), (3, TypeError, "criterion=3"), ("zzz", ValueError, "known: accuracy, ")],
    "evaluation": [("globl", ValueError, "evaluation='globl'.*'local'")],
    "ties": [("last", ValueError, "ties='last' is not known; use 'first', 'row', 'random'")],
    "nominal_splits": [("binary", ValueError, "nominal_splits='binary'.*'multiway'")],
    "categorical_features": [([9], ValueError, "index 9"), (["colour"], ValueError, "colour"), ([True], ValueError, "mask")],
    "discretize": [("widths", ValueError, "discretize='widths'.*'equal_width'"), (5, ValueError, "discretize=5")],
    "max_depth": [(0, ValueError, "max_depth=0 must be at least 1"), (2.5, ValueError, "whole number"), (True, ValueError, "whole number")],
    "splitter": [("worst", ValueError, "splitter='worst'")],
    "leaf_order": [("best", ValueError, "leaf_order='best'")],
    "min_impurity_decrease": [
        (-0.1, ValueError, "min_impurity_decrease=-0.1"),
        (float("nan"), ValueError, "min_impurity_decrease=nan"),
        (float("inf"), ValueError, "min_impurity_decrease=inf"),
    ],
    "max_leaf_nodes": [(1, ValueError, "max_leaf_nodes=1 must be at least 2")],
    "min_samples_split": [(1, ValueError, "min_samples_split=1 must be at least 2"), (1.5, ValueError, r"\[0, 1\]"), ("a", ValueError, "min_samples_split='a'")],
    "min_samples_leaf": [(0, ValueError, "min_samples_leaf=0 must be at least 1"), (-0.1, ValueError, r"\[0, 1\]")],
    "min_weight_fraction_leaf": [(0.6, ValueError, r"\[0, 0.5\]"), (np.nan, ValueError, "min_weight_fraction_leaf=nan")],
    "max_features": [(4, ValueError, "between 1 and the number of features, 3"), ("all", ValueError, "'sqrt', 'log2'"), (0, ValueError, "max_features=0")],
    "min_score": [("high", ValueError, "min_score='high'"), (np.nan, ValueError, "min_score=nan")],
    "no_distance_decay": [("yes", ValueError, "no_distance_decay='yes'.*'strict'"), (1, ValueError, "no_distance_decay=1")],
    "empty_branch": [("none", ValueError, "empty_branch='none'.*'parent', 'unclassified'")],
    "missing": [("mean", ValueError, "missing='mean'")],
    "handle_unknown": [("ignore", ValueError, "handle_unknown='ignore'.*'missing' or 'error'")],
    "thresholds": [("upper", ValueError, "thresholds='upper'.*'midpoint', 'value'")],
    "leaf_smoothing": [("kneser", ValueError, "leaf_smoothing='kneser'.*'laplace'")],
    "class_weight": [("heavy", ValueError, "class_weight")],
    "random_state": [(-1, ValueError, "random_state=-1 must not be negative"), ("x", ValueError, "random_state='x'")],
    "trace": [("all", ValueError, "trace='all'.*'steps', 'candidates' or None")],
    "pruning": [("magic", ValueError, "pruning='magic'")],
    "n_jobs": [(0, ValueError, "n_jobs")],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value", "kind", "words"), [(n, *c) for n, cs in BAD_PARAMETERS.items() for c in cs]
)
def test_bad_parameters_are_named_when_fitted(name, value, kind, words):
    how = {name: value}
    if name == "random_state":
        how["ties"] = "random"
    estimator = FastTreeClassifier(**how)  # scikit-learn: constructors check nothing
    with pytest.raises(kind, match=words):
        estimator.fit(X, Y)


def test_misspelt_parameters_and_options():
    with pytest.raises(TypeError, match="max_dept"):
        fasttree.fit(X, Y, max_dept=3)
    with pytest.raises(TypeError, match="bta"):
        criteria.FMeasure(bta=2.0)
    with pytest.raises(ValueError, match="did you mean 'beta'"):
        criteria.FMeasure().set_params(bet=2.0)
    with pytest.raises(ValueError, match=r"beta|-1"):
        fasttree.fit(X, Y, criterion=criteria.FMeasure(beta=-1.0))
    with pytest.raises(ValueError, match="assignment|closest"):
        fasttree.fit(X, Y, criterion=criteria.Accuracy(assignment="closest"))
    with pytest.raises(ValueError, match=r"positive='x' is not a class; classes are \[0, 1\]"):
        fasttree.fit(X, Y, criterion=criteria.FMeasureMax(positive="x"))
    with pytest.raises(ValueError, match="concave"):
        fasttree.fit(X, Y, criterion=criteria.Jaccard(size=np.square))
    with pytest.raises(AttributeError, match="InfoGian"):
        criteria.InfoGian  # noqa: B018


def test_more_folds_than_rows():
    with pytest.raises(ValueError, match="31 folds need at least 31 rows, there are 30"):
        model_selection.cross_validate(X, Y, criterion="gini", cv=31)
    with pytest.raises(ValueError, match="folds"):
        model_selection.cross_validate(X, Y, criterion="gini", cv="1x40")


# -- columns at predict ---------------------------------------------------------------------------


def test_reordered_columns_are_matched_by_name():
    model = fasttree.fit(NAMED, Y)
    expected = model.predict_proba(NAMED)
    for other in (NAMED[["c", "a", "b"]], pl.from_pandas(NAMED[["b", "c", "a"]])):
        assert np.array_equal(model.predict_proba(other), expected)
    assert np.array_equal(model.predict_proba(X), expected)  # an array has only positions
    assert not np.array_equal(model.predict_proba(X[:, ::-1]), expected)


def test_wrong_columns_at_predict():
    model = fasttree.fit(NAMED, Y)
    with pytest.raises(ValueError, match="'a' names the columns"):
        model.predict(NAMED.set_axis(["a", "b", "a"], axis=1))
    with pytest.raises(ValueError, match="Feature names seen at fit time, yet now missing:\n- c"):
        model.predict(NAMED[["a", "b"]])
    with pytest.raises(ValueError, match="Feature names unseen at fit time:\n- d"):
        model.predict(NAMED.assign(d=1.0))
    with pytest.raises(ValueError, match="X has 2 features, but FastTreeClassifier is expecting 3"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        model.predict(X[:0])
    with pytest.raises(
        TypeError, match="column 'b' was numeric when the model was fitted, but row 0 holds 'low'"
    ):
        model.predict(NAMED.assign(b="low"))


COLOURS = pd.DataFrame({"colour": ["red", "green", "blue"] * 10, "size": X[:, 0]})
SHADES = np.array(["dark", "light", "light"] * 10)


def test_unseen_levels_warn_once_and_count_as_missing():
    model = fasttree.fit(COLOURS, SHADES)
    odd = COLOURS.assign(colour=["purple", "red", "pink"] * 10)
    with pytest.warns(
        UserWarning, match=r"column 'colour' holds 2 level\(s\) .*'pink', 'purple'.*missing"
    ) as caught:
        predicted = model.predict(odd)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gaps = model.predict(odd.assign(colour=[None, "red", None] * 10))
        model.predict(COLOURS[:1])  # fewer levels than declared are nothing to speak of
    assert np.array_equal(predicted, gaps)


def test_unseen_levels_can_be_refused():
    model = fasttree.fit(COLOURS, SHADES, handle_unknown="error")
    with pytest.raises(ValueError, match="column 'colour' holds 1 level.*'purple'; drop or recode"):
        model.predict(COLOURS.assign(colour="purple"))
    assert model.score(COLOURS, SHADES) == 1.0


def test_a_level_declared_later_is_not_unseen():
    levels = ["blue", "green", "red", "violet"]
    declared = COLOURS.assign(colour=pd.Categorical(COLOURS["colour"], levels))
    model = fasttree.fit(declared, SHADES)
    odd = COLOURS.assign(colour="violet")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(model.predict(odd)) == 30


# -- numbers that are legal, if only just ---------------------------------------------------------


@pytest.mark.parametrize(
    ("lo", "hi"),
    [
        (1.0, np.nextafter(1.0, 2.0)),
        (-np.nextafter(1.0, 2.0), -1.0),
        (0.0, 5e-324),
        (-5e-324, 0.0),
        (5e-324, 1e-323),
        (-1e300, 1e300),
        (-1.7976931348623157e308, 1.7976931348623157e308),
        (1.7e308, 1.7976931348623157e308),
        (2.0**53, 2.0**53 + 2),
    ],
)
@pytest.mark.parametrize("thresholds", ["midpoint", "value"])
def test_a_threshold_separates_what_it_was_made_from(lo, hi, thresholds):
    data, labels = np.array([[lo], [hi]] * 3), np.array([0, 1] * 3)
    model = fasttree.fit(data, labels, thresholds=thresholds)
    assert model.get_n_leaves() == 2
    t = model.tree_.threshold[0]
    assert lo <= t < hi
    assert np.isfinite(t)
    if thresholds == "value":
        assert t == lo
    assert fasttree.from_bytes(model.to_bytes()).score(data, labels) == 1.0


def test_negative_zero_is_zero():
    model = fasttree.fit([[-0.0], [0.0], [1.0]] * 2, [0, 1, 1] * 2)
    assert model.tree_.threshold[0] == 0.5
    assert np.array_equal(model.apply([[-0.0]]), model.apply([[0.0]]))


def test_integers_beyond_double_precision_are_read_as_doubles():
    data = np.array([[2**62], [2**62 + 4096]] * 4)
    assert fasttree.fit(data, [0, 1] * 4).score(data, [0, 1] * 4) == 1.0


def test_one_class_one_row_constant_columns():
    assert fasttree.fit(X, np.zeros(30)).predict(X).tolist() == [0.0] * 30
    assert fasttree.fit(X, np.zeros(30)).predict_proba(X).tolist() == [[1.0]] * 30
    assert fasttree.fit([[1.0]], ["a"]).predict([[5.0]]).tolist() == ["a"]
    constant = fasttree.fit(np.ones((6, 2)), [0, 0, 0, 1, 1, 1])
    assert (constant.get_n_leaves(), constant.predict([[1.0, 1.0]])[0]) == (1, 0)
    assert np.isnan(fasttree.score_features(np.ones((6, 2)), [0, 1] * 3, criterion="gini")).all()
    empty = fasttree.fit(np.full((6, 2), np.nan), [0, 1] * 3)
    assert empty.get_n_leaves() == 1


def test_unusual_arrays_are_read_as_what_they_hold():
    expected = fasttree.fit(X, Y).to_bytes()
    shape = np.empty((60, 6))
    shape[::2, ::2] = X
    for same in (
        X.astype(">f8"),
        np.asfortranarray(X),
        shape[::2, ::2],
        X[::-1][::-1],
        X.tolist(),
        list(X),
        np.ma.array(X),
    ):
        assert fasttree.fit(same, Y).to_bytes() == expected
    frozen = X.copy()
    frozen.setflags(write=False)
    assert fasttree.fit(frozen, Y).to_bytes() == expected
    for dtype in (np.float16, np.float32, np.int8, np.uint16, np.int64, np.uint64, bool):
        data = (np.abs(X) * 10).astype(dtype)
        model = fasttree.fit(data, Y, categorical_features=None)
        assert np.array_equal(
            model.predict(data), fasttree.fit(data.astype(float), Y).predict(data.astype(float))
        )


# -- after the fit --------------------------------------------------------------------------------


def test_score_refuses_labels_of_another_length():
    model = fasttree.fit(X, Y)
    for labels in (Y[:1], Y[:4], [*Y, 0]):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            model.score(X, labels)
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            model.staged_score(X, labels)
    with pytest.raises(ValueError, match="requires y"):
        model.score(X)


def test_unfitted_and_out_of_range():
    from sklearn.exceptions import NotFittedError

    for method in ("predict", "predict_proba", "apply", "decision_path"):
        with pytest.raises(NotFittedError):
            getattr(FastTreeClassifier(), method)(X)
    for method in ("to_text", "to_dot", "to_bytes", "get_depth", "get_n_leaves", "explain"):
        with pytest.raises(NotFittedError):
            getattr(FastTreeClassifier(), method)()
    model = fasttree.fit(X, Y, max_depth=2)
    with pytest.raises(ValueError, match="node=99 does not exist; the tree has nodes 0 to"):
        model.explain(99)
    with pytest.raises(ValueError, match="no candidates in the trace: give X and y"):
        model.explain(0)
    leaf = int(np.flatnonzero(model.tree_.n_children == 0)[0])
    with pytest.raises(ValueError, match="is a leaf: give X and y"):
        model.explain(leaf)
    with pytest.raises(ValueError, match="step=-1 must not be negative"):
        model.cut(-1)
    with pytest.raises(AttributeError, match="trace=None"):
        fasttree.fit(X, Y, trace=None).trace_  # noqa: B018
    with pytest.raises(ValueError, match="'no' is not a class|which is not a class"):
        model.explain(0, X, ["no"] * 30)
    with pytest.raises(ValueError, match="do not pass y beside it"):
        fasttree.fit(fasttree.Table(X, Y), Y)
    with pytest.raises(ValueError, match="no target"):
        fasttree.fit(fasttree.Table(X))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda c: c.Pi(alpha="x"), "pi: alpha='x' is not a number"),
        (lambda c: c.Pi(alpha=True), "pi: alpha=True is not a number"),
        (lambda c: c.Pi(theta=(1, 1, 1)), r"pi: theta=\(1, 1, 1\) is not 4 numbers"),
        (lambda c: c.Pi(decay="exp"), "pi: decay='exp' is not one of 'exponential', 'power'"),
        (lambda c: c.Pi(weighted=1), "pi: weighted=1 is not True or False"),
        (lambda c: c.Pi(alpha=float("nan")), "pi: alpha=nan must be finite"),
        (lambda c: c.Relief(radius="a"), "relief: radius='a' is not a number"),
        (lambda c: c.ReliefF(k=2.5), "relieff: k=2.5 is not a positive whole number"),
        (
            lambda c: c.GainRatio(guard="mean"),
            "gain_ratio: guard='mean' is not one of 'average', 'j48'",
        ),
        (lambda c: c.FMeasure(beta=None), "f_measure: beta=None is not a number"),
    ],
)
def test_options_of_another_kind_are_named_with_what_they_are(make, said):
    with pytest.raises(ValueError, match=said):
        fasttree.fit(fasttree.datasets.make_xor(), criterion=make(fasttree.criteria))


def test_every_option_takes_its_default_and_says_its_choices():
    """The check is read from the registry, so each default must pass it and a wrong kind must
    not."""
    for info in fasttree.list_criteria():
        made = fasttree.criteria.make(info["name"])
        made.options([0, 1], 4)
        for name, default in info["options"].items():
            if name not in {"positive", "size_values", "size"}:
                wrong = [] if not isinstance(default, list | tuple) else 3
                with pytest.raises(ValueError, match=f"{info['name']}: {name}="):
                    made.set_params(**{name: wrong}).options([0, 1], 4)
                made.set_params(**{name: default})


def test_an_option_of_the_criterion_given_to_the_tree_is_sent_where_it_belongs():
    xor = fasttree.datasets.make_xor()
    said = r"alpha=-1 is not a parameter of FastTreeClassifier; alpha belongs to the criterion: criterion=Pi\(alpha=-1\)"
    for call in (fasttree.fit, fasttree.score_features, fasttree.model_selection.cross_validate):
        with pytest.raises(TypeError, match=said):
            call(xor, criterion="pi", alpha=-1)
    with pytest.raises(TypeError, match="did you mean 'max_depth'"):
        fasttree.fit(xor, max_dept=3)
    with pytest.raises(ValueError, match="alpha='0.1' is not a number"):
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
    ({"alpha": "x"}, "alpha='x' is not a number; alpha must be finite and at least 0"),
    ({"alpha": "0.1"}, "alpha='0.1' is not a number"),
    ({"alpha": True}, "alpha=True is not a number"),
    ({"alpha": -1e-300}, "alpha=-1e-300: alpha must be finite and at least 0"),
    ({"alpha": 10**400}, r"alpha=1000000000\.\.\. \(about 401 digits\): alpha must be finite"),
    ({"decay": 3}, "decay=3 is not known; use 'exponential', 'power'"),
    ({"at_zero": "0"}, "at_zero='0' is not a number"),
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
            call(xor, criterion="pi", sample_weight=np.full(8, 1e200))


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
        assert ask(sample_weight=[2.0**50] * 8) == pytest.approx(ask(sample_weight=[2.0**40] * 8))
        with pytest.raises(
            ValueError, match=rf"sample_weight sums to 9.*{criterion} counts at most 2\^53"
        ):
            ask(sample_weight=[2.0**60] * 8)


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
                    sample_weight=[weight] * 8,
                )
