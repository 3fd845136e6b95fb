"""Table: targets of every kind, and the words of each error for bad targets and bad features."""

from __future__ import annotations

import datetime
import warnings

import numpy as np
import pytest

import fasttree
from fasttree.table import Column, Table

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")


# -- targets --------------------------------------------------------------------------------------

X3 = np.arange(6.0).reshape(3, 2)


@pytest.mark.parametrize(
    ("y", "classes", "codes"),
    [
        ([3, 1, 3], (1, 3), [1, 0, 1]),
        (np.array([7, 7, 9], dtype=np.uint8), (7, 9), [0, 0, 1]),
        (np.array([2**40, -5, 0]), (-5, 0, 2**40), [2, 0, 1]),
        (["b", "a", "b"], ("a", "b"), [1, 0, 1]),
        (np.array(["b", "a", "b"], dtype=object), ("a", "b"), [1, 0, 1]),
        ([True, False, True], (False, True), [1, 0, 1]),
        ([1.0, 0.0, 1.0], (0.0, 1.0), [1, 0, 1]),
        (np.array([1, 2, 1], dtype=object), (1, 2), [0, 1, 0]),
        (pd.Series(["u", "t", "u"]), ("t", "u"), [1, 0, 1]),
        (pl.Series(["u", "t", "u"]), ("t", "u"), [1, 0, 1]),
        (pa.chunked_array([["u"], ["t", "u"]]), ("t", "u"), [1, 0, 1]),
        (pd.Categorical(["u", "t", "u"], categories=["u", "t", "s"]), ("t", "u"), [1, 0, 1]),
        (pd.Series(pd.Categorical([2, 1, 2], categories=[3, 2, 1])), (1, 2), [1, 0, 1]),
        (pl.Series(["u", "t", "u"], dtype=pl.Enum(["u", "t", "s"])), ("t", "u"), [1, 0, 1]),
        (pd.Series([5, 4, 5], dtype="Int64"), (4, 5), [1, 0, 1]),
    ],
)
def test_targets(y, classes, codes):
    table = Table(X3, y)
    assert (
        table.classes == classes
        and table.y_codes.tolist() == codes
        and table.y_codes.dtype == np.int32
    )
    assert table.y.shape == (3,) and list(table.y) == [classes[c] for c in codes]
    assert table.class_values.tolist() == list(classes) and table.target == "class"


def test_class_values_keep_the_dtype_of_the_labels():
    assert Table(X3, np.array([1, 0, 1], dtype=np.int8)).class_values.dtype == np.int8
    assert Table(X3, np.array([1.0, 0.0, 1.0])).class_values.dtype == np.float64
    assert Table(X3, np.array(["no", "yes", "no"])).class_values.dtype.kind == "U"
    assert Table(X3, np.array(["no", "yes", "no"], dtype=object)).class_values.dtype == object


def test_target_names():
    assert Table(X3, pd.Series([1, 2, 1], name="out")).target == "out"
    assert Table(X3, pl.Series("out", [1, 2, 1])).target == "out"
    assert Table(X3, [1, 2, 1], target="t").target == "t"
    assert Table(X3).target is None and Table(X3).y is None


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_target_is_taken_out_of_the_frame(make):
    table = Table(make({"a": [1.0, 2.0], "label": ["n", "y"], "b": ["u", "v"]}), target="label")
    assert (
        table.feature_names == ["a", "b"]
        and table.target == "label"
        and table.y.tolist() == ["n", "y"]
    )
    with pytest.raises(
        ValueError, match="target='lable' is not a column of X.*did you mean 'label'"
    ):
        Table(make({"a": [1.0, 2.0], "label": ["n", "y"]}), target="lable")


def test_target_and_feature_names_of_an_array():
    X = np.array([[0.5, 1.0], [1.5, 0.0]])
    table = Table(X, feature_names=["a", "b"], target="b")
    assert table.feature_names == ["a"] and table.classes == (0.0, 1.0)
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"], "c": [3, 4]})
    assert Table(frame, feature_names=["c", "a"], target="b").feature_names == ["c", "a"]
    assert Table(frame, feature_names=["c", "b"]).columns[1].levels == ("x", "y")


def test_column_vector_is_ravelled_with_a_warning():
    from sklearn.exceptions import DataConversionWarning

    for y in (np.array([[1], [2], [1]]), pd.DataFrame({"out": [1, 2, 1]})):
        with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
            assert Table(X3, y).y_codes.tolist() == [0, 1, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Table(X3, np.array([1, 2, 1]))


@pytest.mark.parametrize(
    ("y", "error", "words"),
    [
        ([0.5, 1, 0], ValueError, "Unknown label type: continuous"),
        (np.array([0.5, 1, 0], dtype=object), ValueError, "Unknown label type: continuous"),
        ([1.0, np.nan, 0], ValueError, "row 1 of the target 'class' has no class label"),
        (["a", None, "b"], ValueError, "row 1 of the target"),
        (pd.Series(["a", "b", pd.NA], dtype="string"), ValueError, "row 2 of the target"),
        (
            pd.Series([1, None, None], dtype="Int64"),
            ValueError,
            r"row 1 of the target .* \(2 rows in all\)",
        ),
        (pl.Series([1, None, 2]), ValueError, "row 1 of the target"),
        (pd.Categorical(["a", None, "b"]), ValueError, "row 1 of the target"),
        (
            [np.inf, 1, 0],
            ValueError,
            r"Input y contains infinity or a value too large for dtype\('float64'\)",
        ),
        ([1, 2], ValueError, r"inconsistent numbers of samples: \[3, 2\]"),
        (np.ones((3, 2)), ValueError, r"y should be a 1d array, got an array of shape \(3, 2\)"),
        (pd.DataFrame(np.ones((3, 2))), ValueError, "y should be a 1d array"),
        ("label", ValueError, r"named as in fasttree.fit\(frame, 'name'\)"),
        (3, ValueError, "y should be a 1d array"),
        (["a", 1, "b"], TypeError, r"target 'class', row 1: 1 \(int\) is mixed with 'a'"),
        ([{}, {}, {}], ValueError, "Unknown label type"),
        ([1j, 2, 1], ValueError, "[Cc]omplex"),
        (np.array(["2020-01-01"] * 3, dtype="M8[D]"), ValueError, "Unknown label type: datetime"),
    ],
)
def test_bad_targets(y, error, words):
    with pytest.raises(error, match=words):
        Table(X3, y)


def test_no_target_says_so():
    for read in (lambda t: t.classes, lambda t: t.y_codes, lambda t: t.class_values):
        with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
            read(Table(X3))


def test_rows_without_label_are_for_files():
    label = Column("c", "nominal", np.array([0, -1, 1], dtype=np.int32), ("n", "y"))
    table = Table.from_columns(Table(X3).columns, label)
    assert table.y.tolist() == ["n", None, "y"]
    with pytest.raises(
        ValueError,
        match=r"row 1 of the target 'c' has no class label; drop such rows \(frame.dropna",
    ):
        table.y_codes
    assert table.drop_missing_target().y_codes.tolist() == [0, 1]
    complete = Table(X3, [1, 2, 1])
    assert complete.drop_missing_target() is complete


# -- bad features ---------------------------------------------------------------------------------

DAYS = [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)]


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        (
            np.empty((0, 3)),
            ValueError,
            r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required",
        ),
        (
            np.empty((12, 0)),
            ValueError,
            r"0 feature\(s\) \(shape=\(12, 0\)\) while a minimum of 1 is required",
        ),
        (pd.DataFrame({"a": []}), ValueError, r"0 sample\(s\)"),
        ([], ValueError, "Expected 2D array"),
        ([[]], ValueError, r"0 feature\(s\)"),
        ([1, 2, 3], ValueError, "Expected 2D array, got 1D array instead.*Reshape your data"),
        (["a", "b"], ValueError, "Reshape your data"),
        (np.arange(3), ValueError, "Reshape your data"),
        (np.ones((2, 2, 2)), ValueError, "dim 3"),
        ([[[1], [2]], [[3], [4]]], ValueError, "dim 3"),
        (np.float64(3), ValueError, "Expected 2D array, got scalar"),
        ("iris.arff", ValueError, "datasets.load"),
        (None, ValueError, "Expected 2D array"),
        (pd.Series([1, 2]), ValueError, "Expected 2D array, got 1D array"),
        (pl.Series([1, 2]), ValueError, "Expected 2D array, got 1D array"),
        ([[1, 2], [3]], ValueError, "row 1 of X has 1 cell but row 0 has 2"),
        ([{"a": 1}], TypeError, "mapping"),
        ({"a": [1, 2], "b": [1]}, ValueError, "column 'b' has 1 row but column 'a' has 2"),
        (np.array([[1 + 2j]]), ValueError, "Complex data not supported"),
        ([[1 + 2j]], ValueError, "Complex data not supported"),
        (np.array([[1.0, 2.0], [np.inf, 1.0]]), ValueError, "column 'x0', row 1.*infinity"),
        (np.array([[1.0, -np.inf]], dtype=np.float32), ValueError, "column 'x1', row 0.*infinity"),
        ([["a", float("inf")]], ValueError, "column 'x1', row 0.*infinity"),
        (
            pd.DataFrame({"u": ["a", "b"], "v": [1.0, np.inf]}),
            ValueError,
            "column 'v', row 1.*infinity",
        ),
        ([[10**400]], ValueError, "column 'x0', row 0.*infinity"),
        (
            pd.DataFrame({"d": pd.to_datetime(DAYS)}),
            TypeError,
            "column 'd' holds .*; turn it into numbers first",
        ),
        (pl.DataFrame({"d": DAYS}), TypeError, "column 'd' holds Date"),
        (pa.table({"d": DAYS}), TypeError, "column 'd' holds"),
        ([[DAYS[0]]], TypeError, "column 'x0' holds dates"),
        (np.array([["2020-01-01"]], dtype="M8[D]"), TypeError, "column 'x0' holds dates"),
        (pd.DataFrame({"d": pd.to_timedelta([1, 2])}), TypeError, "column 'd'"),
        (
            [["a"], [1]],
            TypeError,
            r"column 'x0', row 1: 1 \(int\) is mixed with 'a' \(str, row 0\)",
        ),
        ([[1.5], [True]], TypeError, "row 1: True"),
        (
            np.array([[{"foo": "bar"}], [1.0]], dtype=object),
            TypeError,
            "argument must be .* string.* number",
        ),
        (pl.DataFrame({"l": [[1], [2]]}), TypeError, "column 'l' is of type List"),
        (pl.LazyFrame({"a": [1]}), TypeError, r"lazy; call .collect\(\)"),
        (
            pd.DataFrame([[1, 2]], columns=["a", "a"]),
            ValueError,
            r"duplicate column names: 'a' .*\[0, 1\]",
        ),
        (pa.table([[1], [2]], names=["a", "a"]), ValueError, "[Dd]uplicate|unique"),
    ],
)
def test_bad_features(X, error, words):
    with pytest.raises(error, match=words):
        Table(X)


def test_sparse_is_refused():
    sparse = pytest.importorskip("scipy.sparse")
    for X in (sparse.csr_matrix(np.eye(2)), sparse.coo_array(np.eye(2))):
        with pytest.raises(TypeError, match="[Ss]parse data was passed"):
            Table(X)
    frame = pd.DataFrame({"a": pd.arrays.SparseArray([0, 1])})
    with pytest.raises(TypeError, match="sparse"):
        Table(frame)


def test_finite_values_whose_sum_overflows_are_fine():
    X = np.full((3, 2), 1.7e308)
    assert Table(X).block is X


def test_bad_feature_names():
    with pytest.raises(ValueError, match="feature_names has 1 name .* but X has 2 columns"):
        Table(X3, feature_names=["a"])
    with pytest.raises(ValueError, match="duplicate column names: 'a'"):
        Table(X3, feature_names=["a", "a"])
    with pytest.raises(ValueError, match="feature_names: no column is named 'c'"):
        Table(pd.DataFrame(X3, columns=["a", "b"]), feature_names=["a", "c"])


def test_a_target_named_in_a_lazy_frame_asks_for_its_rows():
    with pytest.raises(TypeError, match=r"lazy; call .collect\(\)"):
        fasttree.fit(pl.LazyFrame({"a": [1, 2], "y": ["u", "v"]}), "y")
