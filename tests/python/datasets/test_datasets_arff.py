"""ARFF: what Weka reads is read, what is malformed is refused with line, column and value, and
round trips."""

from __future__ import annotations

import gzip
import pathlib
import pickle
import tempfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fasttree.datasets import DataFileError, dump_arff, load
from fasttree.datasets.arff import read_arff
from fasttree.datasets.arff_write import quote
from fasttree.table import Column, Table


def write(folder, text, name="data.arff", encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


HEADER = """% a comment
@RELATION 'the weather'

@attribute outlook {sunny, overcast , 'very rainy', "it's"}  % trailing comment
@ATTRIBUTE "the temp" INTEGER [0,100]
@attribute humidity real
@attribute 'play?'\t{ yes,no }
@data
"""


def test_header_and_rows(tmp_path):
    rows = """
sunny, 85 , 1e-3,yes
% a comment between rows
'very rainy',?,-.5,no
"it's",3,nan,?   % comment at the end
'it\\'s',?,?,no
"""
    table = load(write(tmp_path, HEADER + rows))
    assert table.name == "the weather" and table.feature_names == [
        "outlook",
        "the temp",
        "humidity",
    ]
    outlook, temp, humidity = table.columns
    assert outlook.levels == ("sunny", "overcast", "very rainy", "it's")
    assert outlook.values.tolist() == [0, 2, 3, 3]
    assert (
        temp.kind == "numeric" and temp.values[[0, 2]].tolist() == [85, 3] and temp.n_missing == 2
    )
    assert humidity.values[:2].tolist() == [0.001, -0.5] and humidity.n_missing == 2
    assert (
        table.target == "play?"
        and table.classes == ("yes", "no")
        and table.y.tolist() == ["yes", "no", None, "no"]
    )
    with pytest.raises(ValueError, match="row 2 of the target 'play\\?' has no class label"):
        table.y_codes


def test_quoted_question_mark_is_a_label(tmp_path):
    text = (
        "@relation r\n@attribute a {'?', b}\n@attribute c {x,y}\n@data\n'?',x\n?,y\nb,x\n\"?\",y\n"
    )
    column = load(write(tmp_path, text)).columns[0]
    assert column.levels == ("?", "b") and column.values.tolist() == [0, -1, 1, 0]


def test_declared_levels_that_never_occur_and_keep_their_order(tmp_path):
    text = "@relation r\n@attribute a {z, y, x}\n@attribute c {3,1,2}\n@data\nx,1\nz,1\n"
    table = load(write(tmp_path, text))
    assert table.columns[0].levels == ("z", "y", "x") and table.classes == ("3", "1", "2")
    assert table.y_codes.tolist() == [1, 1]


def test_labels_over_several_lines_and_with_blanks(tmp_path):
    text = (
        "@relation r\n@attribute a {one two,\n  three, % first\n  'fo,ur' }\n@attribute b{p q "
        "r}\n@data\none two,p\n'fo,ur',r\n"
    )
    table = load(write(tmp_path, text))
    assert table.columns[0].levels == ("one two", "three", "fo,ur") and table.columns[
        0
    ].values.tolist() == [
        0,
        2,
    ]
    assert table.classes == ("p", "q", "r")


def test_rows_separated_by_blanks_or_tabs(tmp_path):
    text = "@relation r\n@attribute a numeric\n@attribute c {'p q',r}\n@data\n1 r\n2\t'p q'\n"
    table = load(write(tmp_path, text))
    assert table.X.tolist() == [[1], [2]] and table.y.tolist() == ["r", "p q"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(tmp_path, end):
    text = "@relation r\n@attribute a numeric\n@attribute c {p,q}\n@data\n1,p\n2,q".replace(
        "\n", end
    )
    assert load(write(tmp_path, text)).y.tolist() == ["p", "q"]


@pytest.mark.filterwarnings("ignore:.*Latin-1")
def test_encodings_and_compression(tmp_path):
    text = (
        "% Universität\n@relation r\n@attribute größe numeric\n@attribute c {jä,nö}\n@data\n"
        "1,jä\n2,nö\n"
    )
    for encoding in ("utf-8", "utf-8-sig", "latin-1"):
        table = load(write(tmp_path, text, encoding=encoding))
        assert table.feature_names == ["größe"] and table.classes == ("jä", "nö")
    packed = tmp_path / "data.arff.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert load(packed).classes == ("jä", "nö")
    packed.write_bytes(gzip.compress(text.encode())[:-9])
    with pytest.raises(DataFileError, match="compressed file is broken"):
        load(packed)


def test_sparse_rows_and_weights(tmp_path):
    head = (
        "@relation r\n@attribute a {u,v}\n@attribute b numeric\n@attribute s string\n"
        "@attribute c {n,y}\n@data\n"
    )
    table = load(
        write(
            tmp_path,
            head
            + "{1 3.5, 3 y}\n{0 v, 2 'two words'} , {2.5}\n{ }\n{1 ?,0 'v'},{0}\nu,1,x,y,{4}\n",
        )
    )
    assert table.columns[0].values.tolist() == [0, 1, 0, 1, 0]
    assert (
        table.columns[1].values[[0, 1, 2, 4]].tolist() == [3.5, 0, 0, 1]
        and table.columns[1].n_missing == 1
    )
    assert table.columns[2].labels().tolist() == [None, "two words", None, None, "x"]
    assert table.y.tolist() == ["y", "n", "n", "n", "y"]
    assert table.sample_weight.tolist() == [1, 2.5, 1, 0, 4]
    assert table.take([1, 4]).sample_weight.tolist() == [2.5, 4]


def test_no_weights_means_none(tmp_path):
    assert load(write(tmp_path, HEADER + "sunny,1,2,yes\n")).sample_weight is None


def test_string_and_date_attributes_are_nominal(tmp_path):
    text = (
        "@relation r\n@attribute s string\n@attribute d date 'yyyy-MM-dd'\n@attribute c "
        "{p,q}\n@data\n'b b',2020-01-01,p\na,'x, y',q\n"
    )
    path = write(tmp_path, text)
    table = load(path)
    assert table.columns[1].levels == ("2020-01-01", "x, y")
    assert table.columns[0].levels == ("a", "b b") and table.columns[0].values.tolist() == [1, 0]


def test_target_choice(tmp_path):
    text = (
        "@relation r\n@attribute CLASS {p,q}\n@attribute b numeric\n@attribute e {s,t}\n"
        "@data\np,1,s\nq,2,t\n"
    )
    path = write(tmp_path, text)
    assert load(path).target == "CLASS" and load(path).feature_names == ["b", "e"]
    assert load(path, target="e").feature_names == ["CLASS", "b"]
    assert load(path, target="class").target == "CLASS" and load(path, target=-1).target == "e"
    with pytest.warns(UserWarning, match="declared a number and has two values, 1 and 2"):
        assert load(path, target="b").task == "regression"
    assert load(path, target="b", task="classification").classes == (1, 2)
    assert load(path, target=False).target is None and load(path, target=False).n_features == 3
    assert load(path, drop=["CLASS"]).target == "e" and load(path, drop="CLASS").feature_names == [
        "b"
    ]
    with pytest.raises(DataFileError, match=r"'f' is not a column \(target\)"):
        load(path, target="f")
    with pytest.raises(DataFileError, match="target=7 is no column position"):
        load(path, target=7)
    with pytest.raises(DataFileError, match=r"drop=\['nope'\] is no attribute"):
        load(path, drop=["nope"])


def test_two_attributes_called_class_in_different_case_mean_the_last(tmp_path):
    text = (
        "@relation r\n@attribute Class {p,q}\n@attribute class {u,v}\n@attribute e {s,t}\n"
        "@data\np,u,s\n"
    )
    assert load(write(tmp_path, text)).target == "e"


TWO = "@relation r\n@attribute a numeric\n@attribute c {yes,no}\n@data\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "value", "words"),
    [
        (
            TWO + "1,yes\nx1,no\n",
            6,
            "a",
            "x1",
            "is not a number; correct it, write \\? for missing",
        ),
        (TWO + "1_0,yes\n", 5, "a", "1_0", "not a number"),
        (TWO + "'?',yes\n", 5, "a", "?", "not a number"),
        (TWO + "inf,yes\n", 5, "a", "inf", "infinity"),
        (TWO + "1e999,yes\n", 5, "a", "1e999", "infinity"),
        (TWO + "1,yes\n2,yess\n", 6, "c", "yess", "did you mean 'yes'"),
        (TWO + "1,'?'\n", 5, "c", "?", "not among the declared labels"),
        (TWO + "1,Yes\n", 5, "c", "Yes", "not among the declared labels"),
        (
            TWO + "1,yes\n\n% c\n2\n",
            8,
            None,
            None,
            "1 values but there are 2 attributes; the value of 'c' is missing",
        ),
        (
            TWO + "1,yes,no\n",
            5,
            None,
            None,
            "3 values but there are 2 attributes; quote values that hold commas",
        ),
        (TWO + "1,yes,,\n", 5, None, None, "4 values"),
        (TWO + ",yes\n", 5, "a", "", "empty; write \\? for missing"),
        (TWO + "1,\n", 5, "c", "", "empty"),
        (TWO + "1,'yes\n", 5, None, "1,'yes", "quote .* is opened and not closed"),
        (TWO + "1,'yes' no\n", 5, None, "1,'yes' no", "put a comma between"),
        (TWO + "{0 1, 5 yes}\n", 5, None, "5", "indices run from 0 to 1"),
        (TWO + "{0 1, 0 2}\n", 5, "a", None, "twice"),
        (TWO + "{0 1\n", 5, None, "{0 1", "not closed by }"),
        (TWO + "{a 1}\n", 5, None, "a 1", "not 'index value'"),
        (TWO + "1,yes,{-2}\n", 5, None, "-2", "a weight is a number >= 0"),
        (TWO + "1,yes,{heavy}\n", 5, None, "heavy", "not a weight"),
        (TWO, None, None, None, "there are no rows after @data"),
        (TWO.replace("@data\n", ""), 3, None, None, "no @data line"),
        ("@relation r\n@data\n1\n", 2, None, None, "@data before any @attribute"),
        ("hello\n", 1, None, "hello", "is this an ARFF file"),
        (
            "@relation r\n@attribut a numeric\n",
            2,
            None,
            "@attribut a numeric",
            "expected to be @relation",
        ),
        ("@relation r\n@attribute a\n@data\n", 2, None, "@attribute a", "needs a name and a type"),
        ("@relation r\n@attribute a float\n@data\n", 2, "a", "float", "is not a type; use numeric"),
        ("@relation r\n@attribute a {x,y\n1\n", 2, "a", "@attribute a {x,y", "not closed by }"),
        ("@relation r\n@attribute a {}\n@data\n", 2, "a", None, "list of labels is empty"),
        ("@relation r\n@attribute a {x,,y}\n@data\n", 2, "a", None, "nothing between two commas"),
        ("@relation r\n@attribute a {x,y,x}\n@data\n", 2, "a", "x", "declared twice"),
        (
            "@relation r\n@attribute a real\n@attribute 'a' real\n",
            3,
            "a",
            None,
            "declared twice .first in line 2",
        ),
        (
            "@relation r\n@attribute a relational\n@attribute b real\n@data\n",
            2,
            "a",
            None,
            "type relational",
        ),
        ("\x00@relation\n", 1, None, None, "NUL bytes"),
    ],
)
def test_malformed_files(tmp_path, text, line, column, value, words):
    path = write(tmp_path, text)
    with pytest.raises(DataFileError, match=words) as caught:
        load(path)
    error = caught.value
    assert (
        (error.line, error.column) == (line, column)
        and error.path == str(path)
        and str(path) in str(error)
    )
    assert value is None or error.value == value
    assert line is None or f"line {line}" in str(error)
    assert isinstance(error, ValueError) and str(pickle.loads(pickle.dumps(error))) == str(error)


def test_an_error_beyond_the_first_chunk_names_its_line(tmp_path):
    body = "1,yes\n" * 9000 + "1,maybe\n"
    with pytest.raises(DataFileError, match="line 9005, column 'c': 'maybe'"):
        load(write(tmp_path, TWO + body))
    assert len(load(write(tmp_path, TWO + "1,yes\n" * 9000))) == 9000


def test_65537_labels_are_refused(tmp_path):
    labels = ",".join(f"v{i}" for i in range(65_537))
    text = f"@relation r\n@attribute a {{{labels}}}\n@attribute c {{p,q}}\n@data\nv0,p\nv1,q\n"
    with pytest.raises(DataFileError, match="column 'a': declares 65,537 labels"):
        load(write(tmp_path, text))
    table = load(write(tmp_path, text.replace(",v65536}", "}")))
    assert len(table.columns[0].levels) == 65_536


def test_continuous_or_empty_target_is_refused(tmp_path):
    text = "@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n1,0.5\n2,1\n"
    with pytest.raises(
        DataFileError, match="column 'b': Unknown label type: continuous.*target=False"
    ):
        load(write(tmp_path, text), task="classification")
    with pytest.raises(DataFileError, match="column taken as the class is empty"):
        load(write(tmp_path, text.replace("0.5", "?").replace("2,1", "2,?")))
    with pytest.raises(DataFileError, match="no features are left"):
        load(write(tmp_path, text), drop=["b"])


def test_tokens_and_comments(tmp_path):
    head = "".join(f"@attribute {name} string\n" for name in "wxyz") + "@data\n"
    rows = "a,'b,\\'c',\"d%\" , e f\n'a b' c d 'e'\na,'50% of',b,don't % rest\n"
    columns = read_arff(write(tmp_path, head + rows)).columns
    assert [c.labels().tolist() for c in columns] == [
        ["a", "a b", "a"],
        ["b,'c", "c", "50% of"],
        ["d%", "d", "b"],
        ["e f", "e", "don't"],
    ]


def test_relation_defaults_to_the_file(tmp_path):
    path = write(tmp_path, "@attribute a real\n@attribute c {p}\n@data\n1,p\n", "plain.arff")
    assert load(path).name == "plain" and read_arff(path).name == "plain"


def test_no_suffix_is_looked_into(tmp_path):
    assert load(write(tmp_path, "% c\n\n" + TWO + "1,yes\n", "mystery")).classes == ("yes", "no")


# -- round trips ----------------------------------------------------------------------------------

texts = st.text(
    st.characters(codec="utf-8", exclude_characters="\x00", exclude_categories=["Cs"]), max_size=6
)
names = texts.filter(lambda t: t.strip() == t and t != "")


@st.composite
def tables(draw):
    n = draw(st.integers(1, 8))
    labels = draw(st.lists(names, min_size=2, max_size=5, unique=True))
    columns = []
    for name in labels:
        if draw(st.booleans()):
            floats = st.one_of(st.just(np.nan), st.floats(allow_infinity=False, allow_nan=False))
            values = np.array(draw(st.lists(floats, min_size=n, max_size=n)))
            columns.append(Column(name, "numeric", values))
        else:
            columns.append(draw(nominal_columns(name, n, -1)))
    weights = draw(st.one_of(st.none(), st.lists(st.floats(0, 1e6), min_size=n, max_size=n)))
    target = draw(nominal_columns(draw(names.filter(lambda t: t not in labels)), n, 0))
    table = Table.from_columns(columns, target, name=draw(names))
    table.sample_weight = None if weights is None else np.array(weights)
    return table


@st.composite
def nominal_columns(draw, name, n, least):
    levels = draw(st.lists(texts, min_size=1, max_size=4, unique=True))
    codes = draw(st.lists(st.integers(least, len(levels) - 1), min_size=n, max_size=n))
    return Column(name, "nominal", np.array(codes, dtype=np.int32), tuple(levels))


@settings(max_examples=100, deadline=None)
@given(table=tables())
def test_what_is_written_is_read_back(table, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "round.arff"
    dump_arff(table, path)
    back = load(path, target=table.target)
    assert back.equals(table) and back.name == table.name
    signs = [
        np.signbit(c.values).tolist()
        for c in table.columns
        if c.kind == "numeric" and not c.n_missing
    ]
    assert signs == [
        np.signbit(c.values).tolist()
        for c in back.columns
        if c.kind == "numeric" and not c.n_missing
    ]
    if table.sample_weight is None:
        assert back.sample_weight is None
    else:
        assert np.array_equal(back.sample_weight, table.sample_weight)


@settings(max_examples=200)
@given(texts.filter(bool))
def test_a_quoted_text_is_one_token(text):
    with tempfile.TemporaryDirectory() as folder:
        said = quote(text)
        path = write(
            pathlib.Path(folder),
            f"@attribute {said} {{{said}, never}}\n@attribute never {{x}}\n@data\n{said},x\n",
        )
        column = read_arff(path).columns[0]
        assert column.labels().tolist() == [text]
        assert column.name == text


def test_dump_of_a_table_without_target_and_of_odd_levels(tmp_path):
    path = tmp_path / "out.arff.gz"
    dump_arff(Table([[1.0, "a"], [2.5, None]]), path)
    back = load(path, target=False)
    assert (
        back.name == "table" and back.columns[1].values.tolist() == [0, -1] and back.X[1, 0] == 2.5
    )
    clash = Column("a", "nominal", np.array([0, 1], dtype=np.int32), (1, "1"))
    with pytest.raises(ValueError, match="two levels are both written 1"):
        dump_arff(Table.from_columns([clash]), path)
    empty = Column("e", "nominal", np.full(2, -1, dtype=np.int32), ())
    number = Column("n", "numeric", np.array([1.0, 2.0]))
    dump_arff(Table.from_columns([empty, number]), path)
    assert load(path, target=False).columns[0].levels == ()


def test_uint8_blocks_are_written(tmp_path):
    table = Table(np.array([[0, 1], [1, 0]], dtype=np.uint8), [0, 1], categorical_features="all")
    dump_arff(table, tmp_path / "u.arff")
    assert load(tmp_path / "u.arff").columns[1].labels().tolist() == ["1", "0"]
