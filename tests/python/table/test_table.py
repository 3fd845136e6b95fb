"""Table: every container, kinds and levels, roles and rows."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fasttree
from fasttree.table import Column, Table

from ..tools import function_calls

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")


def kinds(table: Table) -> list[str]:
    return [c.kind for c in table.columns]


# -- containers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype", ["f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1"]
)
def test_numeric_arrays_become_float_blocks(dtype):
    X = np.arange(12).reshape(4, 3).astype(dtype)
    table = Table(X)
    assert table.block is not None and table.block.dtype == (
        np.float32 if dtype == "f4" else np.float64
    )
    assert kinds(table) == ["numeric"] * 3
    assert np.array_equal(table.X, X) and table.X.dtype == np.float64
    assert table.shape == (4, 3) and len(table) == 4 and table.n_features == 3
    assert table.feature_names == ["x0", "x1", "x2"] and not table.has_feature_names


def test_float_blocks_are_not_copied():
    for dtype in (np.float64, np.float32):
        X = np.random.default_rng(0).normal(size=(5, 2)).astype(dtype)
        assert Table(X).block is X
    view = np.asfortranarray(np.ones((4, 2)))
    view.setflags(write=False)
    assert Table(view).block is view


def test_bool_str_bytes_and_object_arrays():
    table = Table(np.array([[True, False], [False, False]]))
    assert kinds(table) == ["nominal"] * 2 and table.columns[0].levels == (False, True)
    assert table.columns[1].levels == (False,)
    table = Table(np.array([["b", "2"], ["a", "10"]]))
    assert [c.levels for c in table.columns] == [("a", "b"), ("10", "2")]
    assert Table(np.array([[b"x"], [b"w"]])).columns[0].levels == (b"w", b"x")
    table = Table(np.array([["a", 1.5, True, 3], [None, None, None, np.nan]], dtype=object))
    assert kinds(table) == ["nominal", "numeric", "nominal", "numeric"]
    assert [c.n_missing for c in table.columns] == [1, 1, 1, 1]


def test_string_dtype_of_numpy():
    if not hasattr(np.dtypes, "StringDType"):
        pytest.skip("this NumPy has no variable-width strings")
    X = np.array([["b"], ["a"]], dtype=np.dtypes.StringDType())
    assert Table(X).columns[0].levels == ("a", "b")


def test_lists_are_converted_column_by_column():
    table = Table([[1, "u", True, None], [2.5, None, False, 3]], ["n", "y"])
    assert kinds(table) == ["numeric", "nominal", "nominal", "numeric"]
    assert table.columns[0].values.tolist() == [1.0, 2.5]
    assert np.isnan(table.columns[3].values[0]) and table.columns[3].values[1] == 3
    assert Table((([1, 2]), ([3, 4]))).X.tolist() == [[1, 2], [3, 4]]
    assert Table([np.array([1.0, 2.0]), np.array([3.0, 4.0])]).block is not None
    big = Table([[2**70], [1]])
    assert big.columns[0].values[0] == float(2**70)


def test_mapping_structured_and_masked_arrays():
    table = Table({"a": [1, 2], "b": ["x", None]})
    assert (
        table.feature_names == ["a", "b"]
        and table.has_feature_names
        and kinds(table) == ["numeric", "nominal"]
    )
    X = np.array([(1, "x"), (2, "y")], dtype=[("n", "i4"), ("s", "U3")])
    assert Table(X).feature_names == ["n", "s"] and kinds(Table(X)) == ["numeric", "nominal"]
    masked = np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], mask=[[False, True], [False, False]])
    assert np.isnan(Table(masked).X[0, 1]) and Table(masked).X[1, 1] == 4


FRAME = {
    "number": [1.5, None, 3.0],
    "whole": [1, 2, 3],
    "text": ["b", None, "a"],
    "flag": [True, False, True],
    "digits": ["10", "9", "10"],
}


def frames():
    yield "pandas object", pd.DataFrame(FRAME).astype({"text": object})
    yield "pandas default", pd.DataFrame(FRAME)
    nullable = pd.DataFrame(FRAME).astype(
        {
            "number": "Float64",
            "whole": "Int64",
            "text": "string",
            "flag": "boolean",
            "digits": "string[python]",
        }
    )
    yield "pandas nullable", nullable
    yield "pandas pyarrow", pd.DataFrame(FRAME).convert_dtypes(dtype_backend="pyarrow")
    yield (
        "pandas string[pyarrow]",
        pd.DataFrame(FRAME).astype({"text": "string[pyarrow]", "digits": "string[pyarrow]"}),
    )
    yield "pandas category", pd.DataFrame(FRAME).astype({"text": "category", "digits": "category"})
    yield "polars", pl.DataFrame(FRAME)
    yield (
        "polars categorical",
        pl.DataFrame(FRAME).with_columns(pl.col("text", "digits").cast(pl.Categorical)),
    )
    yield "arrow", pa.table(FRAME)
    arrow = pa.table(FRAME)
    for name in ("text", "digits"):
        arrow = arrow.set_column(
            arrow.column_names.index(name), name, arrow[name].dictionary_encode()
        )
    yield "arrow dictionary", arrow
    yield (
        "arrow chunks",
        pa.concat_tables([pa.table(FRAME).slice(0, 1), pa.table(FRAME).slice(1, 2)]),
    )
    yield "mapping", FRAME


@pytest.mark.parametrize(("label", "frame"), list(frames()), ids=[label for label, _ in frames()])
def test_all_frames_give_the_same_table(label, frame):
    table = Table(frame)
    assert table.feature_names == list(FRAME) and table.has_feature_names
    assert kinds(table) == ["numeric", "numeric", "nominal", "nominal", "nominal"]
    assert (
        table.columns[0].values[[0, 2]].tolist() == [1.5, 3.0] and table.columns[0].n_missing == 1
    )
    assert table.columns[1].values.tolist() == [1, 2, 3]
    assert table.columns[2].levels == ("a", "b") and table.columns[2].values.tolist() == [1, -1, 0]
    assert table.columns[3].levels == (False, True) and table.columns[3].values.tolist() == [
        1,
        0,
        1,
    ]
    assert table.columns[4].levels == ("10", "9") and table.columns[4].values.tolist() == [0, 1, 0]
    assert table.columns[2].values.dtype == np.int32


def test_declared_levels_keep_their_order():
    order = ["low", "mid", "high", "never"]
    series = pd.Categorical(["high", "low", None], categories=order)
    assert Table(pd.DataFrame({"a": series})).columns[0].levels == tuple(order)
    enum = pl.DataFrame({"a": pl.Series(["high", "low", None], dtype=pl.Enum(order))})
    column = Table(enum).columns[0]
    assert column.levels == tuple(order) and column.values.tolist() == [2, 0, -1]
    ordered = pa.DictionaryArray.from_arrays(pa.array([2, 0, None]), pa.array(order), ordered=True)
    assert Table(pa.table({"a": ordered})).columns[0].levels == tuple(order)
    loose = pa.DictionaryArray.from_arrays(pa.array([2, 0, None]), pa.array(order))
    assert Table(pa.table({"a": loose})).columns[0].levels == ("high", "low", "mid", "never")


def test_arrow_chunks_with_different_dictionaries():
    one = pa.table({"a": pa.array(["z", "b"]).dictionary_encode()})
    two = pa.table({"a": pa.array(["a", None, "z"]).dictionary_encode()})
    column = Table(pa.concat_tables([one, two])).columns[0]
    assert column.levels == ("a", "b", "z") and column.values.tolist() == [2, 1, 0, -1, 2]


def test_levels_are_sorted_whatever_the_order_of_rows():
    rng = np.random.default_rng(0)
    words = np.array(["delta", "alpha", "omega", "beta"])[rng.integers(0, 4, 50)]
    for make in (
        lambda v: pd.DataFrame({"a": v}),
        lambda v: pl.DataFrame({"a": v}).cast(pl.Categorical),
    ):
        assert Table(make(words)).columns[0].levels == Table(make(words[::-1])).columns[0].levels
    assert Table(words.reshape(-1, 1)).columns[0].levels == ("alpha", "beta", "delta", "omega")


def test_pandas_missing_markers():
    frame = pd.DataFrame(
        {
            "a": pd.Series([1, pd.NA, 3], dtype=object),
            "b": pd.Series(["u", pd.NA, None], dtype=object),
        }
    )
    table = Table(frame)
    assert kinds(table) == ["numeric", "nominal"] and [c.n_missing for c in table.columns] == [1, 2]
    assert Table(pd.DataFrame({"a": [None, None], "b": [1, 2]})).columns[0].kind == "numeric"
    mixed = pd.DataFrame({"a": pd.Series(["x", float("nan"), pd.NaT], dtype=object)})
    assert Table(mixed).columns[0].n_missing == 2


def test_numeric_frames_become_blocks():
    X = np.random.default_rng(0).normal(size=(6, 3))
    for frame in (pd.DataFrame(X, columns=list("abc")), pl.DataFrame(X, schema=list("abc"))):
        table = Table(frame)
        assert (
            table.block is not None
            and np.array_equal(table.block, X)
            and table.feature_names == ["a", "b", "c"]
        )
    assert np.isnan(Table(pl.DataFrame({"a": [1.0, None], "b": [1.0, 2.0]})).X[1, 0])


def test_frames_without_string_names_have_no_feature_names():
    table = Table(pd.DataFrame(np.eye(2)))
    assert table.feature_names == ["x0", "x1"] and not table.has_feature_names
    with pytest.raises(
        TypeError, match="Feature names are only supported if all input features have string names"
    ):
        Table(pd.DataFrame(np.eye(2), columns=["a", 1]))


def test_array_protocol():
    class Wrapped:
        def __array__(self, dtype=None, copy=None):
            return np.eye(3)

    assert Table(Wrapped()).shape == (3, 3)


# -- roles ----------------------------------------------------------------------------------------


def test_categorical_features():
    X = np.array([[3.0, 1.0], [1.0, np.nan], [3.0, 2.0]])
    for chosen in ([1], np.array([False, True]), ["x1"], [True, True]):
        column = Table(X, categorical_features=chosen).columns[1]
        assert column.levels == (1.0, 2.0) and column.values.tolist() == [0, -1, 1]
    assert kinds(Table(X, categorical_features=[0])) == ["nominal", "numeric"]
    assert kinds(Table(X, categorical_features=[])) == ["numeric", "numeric"]
    assert kinds(Table(X, categorical_features="all")) == ["nominal", "nominal"]
    text = np.array([["1", "2.5"], ["3", "nan"]])
    assert Table(text, categorical_features=None).X[:1].tolist() == [[1.0, 2.5]]
    frame = pd.DataFrame({"a": ["x", "y"], "b": [1, 2], "c": [True, False]})
    assert kinds(Table(frame, categorical_features=["a"])) == ["nominal", "numeric", "numeric"]
    categories = pd.DataFrame({"a": pd.Categorical(["4", "3"])})
    assert Table(categories, categorical_features=None).X.tolist() == [[4.0], [3.0]]


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ("some", "'from_dtype', 'all', None"),
        ([True], "mask of shape"),
        ([5], "index 5 but X has features 0 to 1"),
        ([-1], "index -1"),
        (["X1"], "no column is named 'X1'; did you mean 'x1'"),
        ([0.5], "not a mask, indices or names"),
    ],
)
def test_bad_categorical_features(chosen, words):
    with pytest.raises(ValueError, match=words):
        Table(np.eye(2), categorical_features=chosen)


def test_text_among_numeric_features_names_the_cell():
    with pytest.raises(
        ValueError, match=r"column 'x0', row 1: could not convert string to float: 'red'"
    ):
        Table(np.array([["1"], ["red"]]), categorical_features=None)


def test_uint8_codes_are_read_without_a_copy():
    X = np.array([[0, 1], [1, 0], [2, 1]], dtype=np.uint8)
    table = Table(X, categorical_features="all")
    assert table.block is X and table.X is X
    assert [c.levels for c in table.columns] == [(0, 1, 2), (0, 1)]
    assert table.columns[0].values.dtype == np.uint8 and table.column(1).n_missing == 0
    assert table.take([2, 0]).columns[0].levels == (0, 1, 2)


@pytest.mark.parametrize("top", [5, 200])
def test_uint8_with_gaps_is_recoded_to_the_occurring_values(top):
    X = np.array([[top, 0], [2, 1], [top, 0]], dtype=np.uint8)
    table = Table(X, categorical_features="all")
    assert table.columns[0].levels == (2, top) and table.columns[0].values.tolist() == [1, 0, 1]
    assert table.columns[1].levels == (0, 1)
    assert np.array_equal(table.X, X)
    same = Table(X.astype(np.int64), categorical_features="all")
    assert [c.levels for c in same.columns] == [c.levels for c in table.columns]
    assert all(
        (a.values == b.values).all() for a, b in zip(same.columns, table.columns, strict=True)
    )


def test_declared_levels_argument():
    table = Table([["b"], ["c"]], levels={"x0": ["c", "b", "a"]})
    assert table.columns[0].levels == ("c", "b", "a") and table.columns[0].values.tolist() == [1, 0]
    table = Table(
        np.array([[1], [3]]), ["n", "y"], levels={"x0": [3, 2, 1], "class": ["y", "n", "?"]}
    )
    assert table.columns[0].values.tolist() == [2, 0] and table.classes == ("y", "n", "?")
    assert table.y_codes.tolist() == [1, 0] and table.y.tolist() == ["n", "y"]
    categories = pd.DataFrame({"a": pd.Categorical(["p", "q"])})
    assert Table(categories, levels={"a": ["q", "p", "o"]}).columns[0].levels == ("q", "p", "o")
    with pytest.raises(
        ValueError, match=r"column 'x0', row 1: 'd' is not among the 2 declared levels 'b', 'c'"
    ):
        Table([["b"], ["d"]], levels={"x0": ["b", "c"]})
    with pytest.raises(ValueError, match="declared twice"):
        Table([["b"]], levels={"x0": ["b", "b"]})
    with pytest.raises(ValueError, match="declared level is missing"):
        Table([["b"]], levels={"x0": ["b", None]})
    with pytest.raises(ValueError, match="levels: no column is named 'y0'"):
        Table([["b"]], levels={"y0": ["b"]})


def test_65536_levels_are_accepted_and_65537_refused():
    ids = np.array([f"id{i}" for i in range(65_537)]).reshape(-1, 1)
    assert len(Table(ids[:-1]).columns[0].levels) == 65_536
    with pytest.raises(ValueError, match=r"column 'x0' has 65,537 levels; .* at most 65,536"):
        Table(ids)
    numbers = np.arange(65_537).reshape(-1, 1)
    assert len(Table(numbers[:-1], categorical_features="all").columns[0].levels) == 65_536
    with pytest.raises(ValueError, match="65,537 levels"):
        Table(numbers, categorical_features="all")
    for frame in (
        pl.DataFrame({"key": ids[:, 0]}),
        pd.DataFrame({"key": ids[:, 0]}),
        pa.table({"key": ids[:, 0]}),
    ):
        with pytest.raises(ValueError, match="column 'key' has 65,537 levels"):
            Table(frame)


X3 = np.arange(6.0).reshape(3, 2)


# -- the Table itself -----------------------------------------------------------------------------


def sample() -> Table:
    frame = pd.DataFrame(
        {"n": [1.0, np.nan, 3.0], "s": pd.Categorical(["u", None, "v"], categories=["v", "u", "w"])}
    )
    return Table(frame, ["b", "a", "b"], name="sample")


def test_take_keeps_the_schema():
    table = sample().take(np.array([True, False, True]))
    assert table.columns[1].levels == ("v", "u", "w") and table.columns[1].values.tolist() == [1, 0]
    assert table.y.tolist() == ["b", "b"] and table.classes == ("a", "b") and table.name == "sample"
    assert len(sample().take(slice(1, None))) == 2
    block = Table(X3, [1, 2, 3], feature_names=["a", "b"])
    assert block.columns[0].name == "a" and block.has_feature_names
    taken = block.take([2, 0])
    assert taken.X.tolist() == [[4, 5], [0, 1]] and taken.columns[0].values.tolist() == [4, 0]
    with pytest.raises(ValueError, match="minimum of 1"):
        block.take([])


def test_X_can_be_fed_again():
    table = sample()
    X = table.X
    assert X.dtype == object and X[1, 1] is None and np.isnan(X[1, 0])
    again = Table(X, table.y)
    assert kinds(again) == ["numeric", "nominal"] and again.columns[1].levels == ("u", "v")


def test_to_frame_and_back():
    table = sample()
    back = Table(table.to_frame(), target="class")
    assert back.equals(table) and not back.equals(table.take([0, 1]))
    assert not Table(X3).equals(Table(X3 + 1)) and Table(X3).equals(Table(X3.copy()))
    assert not Table(X3, [1, 2, 1]).equals(Table(X3))


def test_describe_and_repr():
    rows = sample().describe()
    assert rows[0] == {
        "name": "n",
        "kind": "numeric",
        "levels": None,
        "missing": 1,
        "role": "feature",
    }
    assert rows[1]["levels"] == 3 and rows[1]["missing"] == 1 and rows[2]["role"] == "target"
    assert (
        repr(sample())
        == "Table 'sample': 3 rows, 2 features (1 numeric, 1 nominal), target 'class' with 2 "
        "classes"
    )
    assert repr(Table(X3)) == "Table: 3 rows, 2 features (2 numeric), no target"
    labels = Column("y", "nominal", np.full(2, -1, dtype=np.int32), ())
    without_labels = Table.from_columns([Column("x", "numeric", np.ones(2))], labels)
    assert repr(without_labels).endswith("target 'y' with 0 classes")


def test_column_by_name_drop_and_from_any():
    table = sample()
    assert table.column("s").levels == ("v", "u", "w") and table.column(0).name == "n"
    with pytest.raises(KeyError, match="no column is named 'S'"):
        table.column("S")
    assert table.drop("n").feature_names == ["s"] and table.drop("n").classes == table.classes
    with pytest.raises(ValueError, match="drop: no column"):
        table.drop("q")
    assert Table.from_any(table) is table and Table.from_any(X3, [1, 2, 1]).classes == (1, 2)
    with pytest.raises(ValueError, match="carries its target"):
        Table.from_any(table, [1, 2, 3])
    with pytest.raises(TypeError, match="is a Table already"):
        Table(table)


def test_from_columns_checks():
    good = Column("a", "numeric", np.ones(2))
    with pytest.raises(ValueError, match="column 'b' has 3 rows"):
        Table.from_columns([good, Column("b", "numeric", np.ones(3))])
    with pytest.raises(ValueError, match="duplicate column names"):
        Table.from_columns([good, good])
    with pytest.raises(ValueError, match="minimum of 1"):
        Table.from_columns([])
    with pytest.raises(ValueError, match="minimum of 1"):
        Table.from_columns([Column("a", "numeric", np.empty(0))])
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        Table.from_columns([good], Column("c", "numeric", np.array([0.5, 1])))
    assert Table.from_columns([good], Column("c", "numeric", np.array([2.0, np.nan]))).classes == (
        2,
    )


def test_pickle():
    for table in (sample(), Table(X3, [1, 2, 1])):
        table._handle = object()
        back = pickle.loads(pickle.dumps(table))
        assert back.equals(table) and back._handle is None and back.name == table.name


def test_import_is_light():
    code = (
        "import sys, numpy as np; from fasttree.table import Table; import fasttree.datasets\n"
        "Table(np.eye(3), [0, 1, 0]); Table([['a', 1.0]], ['x'])\n"
        "assert not {'pandas', 'sklearn', 'matplotlib', 'polars', 'narwhals'} & set(sys.modules), "
        "'heavy import'"
    )
    subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        env={"PYTHONPATH": ":".join(p for p in sys.path if p)},
    )


def test_no_function_is_called_for_each_row_or_column():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 50)
    narrow, wide = rng.normal(size=(150, 4)), rng.normal(size=(150, 400))
    calls = function_calls(lambda: Table(narrow, y))
    assert calls < 400
    assert function_calls(lambda: Table(wide, y)) < calls + 100
    genotypes = rng.integers(0, 3, size=(20, 230_000), dtype=np.uint8)
    table = Table(genotypes, np.arange(20) % 2, categorical_features="all")
    assert (
        table._columns is None and table._names is None and table.column(229_999).name == "x229999"
    )
    words = np.array([f"w{i}" for i in range(12)], dtype=object)[rng.integers(0, 12, (20_000, 30))]
    few = function_calls(lambda: Table(words[:1000]))
    assert function_calls(lambda: Table(words)) < few + 100


cells = st.one_of(st.none(), st.text(max_size=3))


@given(
    st.lists(
        st.tuples(cells, st.one_of(st.none(), st.floats(allow_infinity=False))),
        min_size=1,
        max_size=20,
    )
)
def test_cells_survive(rows):
    table = Table([list(row) for row in rows])
    text, number = table.columns
    if any(isinstance(a, str) for a, _ in rows):
        assert text.labels().tolist() == [a for a, _ in rows]
        assert list(text.levels) == sorted({a for a, _ in rows if a is not None})
    for value, (_, given_number) in zip(number.values, rows, strict=True):
        assert (
            np.isnan(value)
            if given_number is None
            else value == given_number or np.isnan(given_number)
        )


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=30))
def test_integer_codes_agree_with_numpy(values):
    y = np.array(values)
    classes, codes = np.unique(y, return_inverse=True)
    table = Table(np.zeros((len(y), 1)), y)
    assert table.classes == tuple(classes.tolist()) and np.array_equal(table.y_codes, codes)


def test_head_prints_its_rows_and_is_a_table():
    table = fasttree.datasets.load("weather")
    lines = repr(table.head(3)).splitlines()
    assert lines[0] == repr(table.take([0, 1, 2])) and len(lines) == 2 + 2 + 3
    assert lines[-1].split() == ["overcast", "hot", "high", "FALSE", "yes"]
    assert str(table.head(3)) == repr(table.head(3)) and "\n" not in repr(table)
    head = pickle.loads(pickle.dumps(table.head()))
    assert isinstance(head, Table) and head.equals(table.take(range(5)))
    assert type(head.take([0])) is Table and "\n" not in repr(head.drop("windy"))
    assert "rainy" in table.head()._repr_html_()
    wide = Table(np.arange(60.0).reshape(2, 30)).head()
    assert repr(wide).endswith("... and 10 more features")
    assert repr(Table([[1.0], [float("nan")]]).head()).split("\n")[-1] == ""


def test_describe_prints_a_table():
    table = Table([["a", 1.0], [None, 2.0]], [0, 1])
    assert str(table.describe()).splitlines()[2].split() == ["x0", "nominal", "1", "1", "feature"]


def test_rows_of_a_table_are_taken():
    table = fasttree.datasets.load("weather")
    for ask in (lambda: table[0:1], lambda: table[0], lambda: table["windy"], lambda: list(table)):
        with pytest.raises(TypeError, match=r"one row is take\(\[i\]\).*to_frame\(\)"):
            ask()
    for rows in (0, np.int64(3), [[0, 1]], None):
        with pytest.raises(TypeError, match=r"take: rows=.* one row is take\(\[i\]\)"):
            table.take(rows)
    assert len(table.take([0])) == len(table.take(slice(0, 1))) == 1


@pytest.mark.parametrize("form", ["csv", "tsv", "arff", "tab"])
def test_levels_of_rows_without_a_class_go_unless_the_file_declares_them(tmp_path, form):
    cells, labels = ["a", "b", "only here", "a"] * 9, ["p", "q", None, "q"] * 9
    file = tmp_path / f"rows.{form}"
    mark, sep = {"csv": ("", ","), "tsv": ("", "\t"), "arff": ("?", ","), "tab": ("", "\t")}[form]
    quoted = "'only here'" if form == "arff" else "only here"
    head = {
        "csv": ["x,n,y"],
        "tsv": ["x\tn\ty"],
        "arff": [
            "@relation r",
            f"@attribute x {{a,b,{quoted}}}",
            "@attribute n numeric",
            "@attribute y {p,q}",
            "@data",
        ],
        "tab": ["x\tn\ty", "a b only\\ here\tc\tp q", "\t\tclass"],
    }
    lines = [
        sep.join((cell.replace("only here", quoted), str(n), label or mark))
        for n, (cell, label) in enumerate(zip(cells, labels, strict=True))
    ]
    file.write_text("\n".join([*head[form], *lines]) + "\n")
    table = fasttree.datasets.load(file, "y")
    kept = table.drop_missing_target()
    declared = form in ("arff", "tab")
    assert kept.column("x").levels == (("a", "b", "only here") if declared else ("a", "b"))
    known = [cell for cell, label in zip(cells, labels, strict=True) if label]
    assert kept.column("x").labels().tolist() == known and len(kept) == 27
    assert table.column("x").levels == ("a", "b", "only here")
    tree = fasttree.fit(file, "y", nominal_splits="multiway", max_depth=1).tree_
    assert tree.feature[0] == 0 and (tree.n_node_samples == 0).any() == declared


def test_levels_that_are_given_are_declared():
    frame = pd.DataFrame({"x": ["a", "b"] * 3, "z": pd.Categorical(["a", "b"] * 3)})
    columns = Table(frame, [0, 1] * 3, levels={"x": ["a", "b", "c"]}).columns
    assert [column.declared for column in columns] == [True, True]
    assert not any(column.declared for column in Table(frame[["x"]], [0, 1] * 3).columns)
