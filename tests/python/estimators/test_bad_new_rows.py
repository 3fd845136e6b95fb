"""New rows: columns in another order, levels never seen, and numbers that are legal, if only
just."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fasttree

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
Y = RNG.integers(0, 2, 30)
NAMED = pd.DataFrame(X, columns=["a", "b", "c"])


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


@pytest.mark.parametrize("columns", [["size"], ["colour"], ["colour", "size"]])
@pytest.mark.parametrize("frame", [lambda df: df, pl.from_pandas], ids=["pandas", "polars"])
def test_a_column_too_many_is_named_whatever_it_holds(columns, frame):
    model = fasttree.fit(frame(COLOURS[columns]), SHADES)
    for cells in (["C7"] * 30, [1.5] * 30, [None] * 30):
        more = COLOURS[columns].assign(customer=cells)
        with pytest.raises(ValueError, match="Feature names unseen at fit time:\n- customer"):
            model.predict(frame(more))


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
    said = "column 'colour' holds 1 level.*'purple' in row 0; drop or recode"
    with pytest.raises(ValueError, match=said):
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


LABELLED = {"c": ["red", "blue"] * 10, "label": ["no", "yes"] * 10}


def as_pandas(columns):
    return pytest.importorskip("pandas").DataFrame(columns)


def as_arrow(columns):
    return pytest.importorskip("pyarrow").table(columns)


def as_polars(columns):
    return pytest.importorskip("polars").DataFrame(columns)


def as_objects(columns):
    return np.array(columns["c"], dtype=object)[:, None]


@pytest.mark.parametrize("form", [dict, as_pandas, as_arrow, as_polars, as_objects])
def test_any_number_of_unknown_strings_is_answered(form):
    cells = ["red", None, *(f"unknown {i}" for i in range(70_000)), "blue"]
    model = fasttree.fit({"c": LABELLED["c"]}, LABELLED["label"], missing="branch")
    with pytest.warns(UserWarning, match="column 'c|x0' holds 70,000 cell.*'unknown 0'"):
        found = model.predict(form({"c": cells}))
    expected = model.predict({"c": ["red", None, "blue"]})
    assert found[[0, 1, -1]].tolist() == expected.tolist()
    assert (found[2:-1] == expected[1]).all()
    strict = fasttree.fit({"c": LABELLED["c"]}, LABELLED["label"], handle_unknown="error")
    with pytest.raises(ValueError, match="the first is 'unknown 0' in row 2; drop"):
        strict.predict(form({"c": cells}))


def test_an_undeclared_level_is_refused_with_its_row():
    model = fasttree.fit({"c": LABELLED["c"]}, LABELLED["label"], handle_unknown="error")
    with pytest.raises(ValueError, match="the first is 'violet' in row 1; drop or recode"):
        model.predict({"c": ["red", "violet", "green"]})


def test_the_target_of_a_table_of_arrow_is_named_after_its_column():
    weights = [0, 1] * 9 + [2, 1]
    for words in ({}, {"sample_weight": weights}):
        arrow, pandas, polars = (
            fasttree.fit(form(LABELLED), "label", **words)
            for form in (as_arrow, as_pandas, as_polars)
        )
        assert arrow.to_bytes() == pandas.to_bytes() == polars.to_bytes()
    assert b'"target":"label"' in arrow.to_bytes().replace(b": ", b":")
    assert arrow.score(as_arrow(LABELLED), "label") == 1.0


MASKED = np.ma.array([0, 1] * 10, mask=[False] * 7 + [True] + [False] * 12)
NUMBERS = np.arange(20.0)[:, None]


@pytest.mark.parametrize(
    "call",
    [
        lambda: fasttree.fit(NUMBERS, MASKED),
        lambda: fasttree.fit(NUMBERS, MASKED[:, None]),
        lambda: fasttree.Table(NUMBERS, MASKED),
        lambda: fasttree.FastForestClassifier(2).fit(NUMBERS, MASKED),
        lambda: fasttree.optimal_tree(NUMBERS, MASKED),
        lambda: fasttree.score_features(NUMBERS, MASKED, criterion="gini"),
        lambda: fasttree.naive_bayes.NaiveBayes().fit(NUMBERS, MASKED),
        lambda: fasttree.bayesian_networks.CaMML().fit(NUMBERS, MASKED),
        lambda: fasttree.model_selection.cross_validate(NUMBERS, MASKED),
        lambda: fasttree.fit(NUMBERS, MASKED.data).score(NUMBERS, MASKED),
        lambda: fasttree.metrics.accuracy(MASKED, MASKED.data),
        lambda: fasttree.fit(NUMBERS, MASKED.data, sample_weight=MASKED + 1),
        lambda: fasttree.FastForestClassifier(2).fit(NUMBERS, MASKED.data, sample_weight=MASKED),
        lambda: fasttree.score_features(
            NUMBERS, MASKED.data, criterion="gini", sample_weight=MASKED
        ),
        lambda: fasttree.discretize.EqualWidth(3).fit(NUMBERS, sample_weight=MASKED),
        lambda: fasttree.metrics.accuracy(MASKED.data, MASKED.data, sample_weight=MASKED),
    ],
)  # fmt: skip
def test_a_mask_of_labels_or_weights_is_refused_with_its_row(call):
    with pytest.raises(ValueError, match="row 7 "):
        call()


def test_a_masked_array_without_masked_cells_is_an_array():
    plain = np.ma.array(MASKED.data)
    assert (
        fasttree.fit(NUMBERS, plain, sample_weight=plain + 1).to_bytes()
        == fasttree.fit(NUMBERS, MASKED.data, sample_weight=MASKED.data + 1).to_bytes()
    )
