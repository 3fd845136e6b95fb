"""CSV, C4.5, Orange, Parquet, Feather, OpenML and bundled names through `load`; the words of each
error."""

from __future__ import annotations

import gzip
import pickle
import sys
import types

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fasttree.advice.doubts import places_of_dates
from fasttree.datasets import DataFileError, files, load
from fasttree.datasets.delimited import read_delimited

pd = pytest.importorskip("pandas")


def write(folder, name, text, encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


# -- CSV ------------------------------------------------------------------------------------------


def test_header_kinds_missing_and_quotes(tmp_path):
    text = (
        'age, "job, title",city,empty,class\n 31 ,"clerk, senior",Rome,,1\n?, cook ,NA,?,0\n\n'
        '1e2,,"Rome",NaN,1\n   \n'
    )
    table = load(write(tmp_path, "people.csv", text))
    assert table.name == "people" and table.has_feature_names
    assert table.feature_names == ["age", "job, title", "city", "empty"]
    assert [c.kind for c in table.columns] == ["numeric", "nominal", "nominal", "nominal"]
    assert table.columns[0].values[[0, 2]].tolist() == [31, 100] and table.columns[0].n_missing == 1
    assert table.columns[1].levels == ("clerk, senior", "cook") and table.columns[
        1
    ].values.tolist() == [
        0,
        1,
        -1,
    ]
    assert table.columns[2].levels == ("Rome",) and table.columns[2].values.tolist() == [0, -1, 0]
    assert table.columns[3].levels == () and table.columns[3].n_missing == 3
    assert table.classes == (0, 1) and table.y.tolist() == [1, 0, 1]


@pytest.mark.parametrize("sep", [",", ";", "\t"])
def test_single_quotes_around_all_names_are_no_part_of_them(tmp_path, sep):
    rows = ["1,2,a", "2,3,b", "3,4,a"]
    for header, names in [
        ("'age','a b','vote'", ["age", "a b", "vote"]),
        ("'age',b,'vote'", ["'age'", "b", "'vote'"]),
    ]:
        text = "\n".join([header, *rows, ""]).replace(",", sep)
        table = load(write(tmp_path, "quoted.csv", text), target=names[-1])
        assert table.feature_names == names[:-1] and table.target == names[-1]


def test_without_header(tmp_path):
    table = load(write(tmp_path, "a.csv", "39, State-gov, x\n50, Self, y\n"))
    assert (
        table.feature_names == ["x0", "x1"]
        and table.target == "class"
        and not table.has_feature_names
    )
    assert table.y.tolist() == ["x", "y"] and table.columns[1].levels == ("Self", "State-gov")
    named = load(
        write(tmp_path, "a.csv", "39, State-gov, x\n50, Self, y\n"), names=["age", "job", "out"]
    )
    assert (
        named.feature_names == ["age", "job"] and named.target == "out" and named.has_feature_names
    )


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("a,b\n1,x\n2,y\n", True),
        ("x,y\nx,y\ny,x\n", False),
        ("p-1,p-2,c\na,t,+\ng,t,-\n", True),
        ("1,2\n3,4\n", False),
        ("a,?\n1,2\n", False),
        ("a,a,b\nx,x,b\ny,a,b\n", False),
    ],
)
def test_header_detection(tmp_path, text, header):
    path = write(tmp_path, "a.csv", text)
    assert read_delimited(path).has_feature_names is header
    assert len(read_delimited(path, header=False).columns[0]) == text.count("\n")


def test_separators(tmp_path):
    for sep, name in (
        (";", "a.csv"),
        ("\t", "a.tsv"),
        ("\t", "a.txt"),
        ("|", "a.dat"),
        ("   ", "a.txt"),
    ):
        text = "\n".join(
            f"{sep if sep.isspace() and len(sep) > 1 else ''}{a}{sep}{b}"
            for a, b in [("n", "c"), (1, "u"), (2, "v")]
        )
        table = load(write(tmp_path, name, text))
        assert table.feature_names == ["n"] and table.y.tolist() == ["u", "v"]
    assert load(write(tmp_path, "a.csv", "a:c\n1:u\n"), sep=":").feature_names == ["a"]


@pytest.mark.filterwarnings("ignore:.*Latin-1")
def test_compressed_and_encoded(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress("größe,c\n1,jä\n2,nö\n".encode("latin-1")))
    assert (
        load(path).feature_names == ["größe"]
        and load(path).classes == ("jä", "nö")
        and load(path).name == "a"
    )


@pytest.mark.filterwarnings("ignore:.*Latin-1")
def test_byte_order_marks_and_binary_files(tmp_path):
    for encoding in ("utf-16", "utf-8-sig", "utf-8"):
        table = load(write(tmp_path, "a.csv", "größe,c\n1,jä\n2,nö\n", encoding))
        assert table.feature_names == ["größe"] and table.classes == ("jä", "nö")
    (tmp_path / "b.csv").write_bytes(b"a,b\n\xff\xfe\x00\x01\n")
    with pytest.raises(DataFileError, match="this is no text file"):
        load(tmp_path / "b.csv")
    (tmp_path / "c.csv").write_bytes(b"a,b\n1,caf\xe9\n2,x\xc3")
    assert load(tmp_path / "c.csv").classes == ("caf\xe9", "x\xc3")


def test_numbers_that_become_text_late(tmp_path):
    rows = [f"{i},{i},{'x' if i else 'y'}" for i in range(9000)]
    rows[8500] = "8500,unknown,x"
    table = load(write(tmp_path, "late.csv", "a,b,c\n" + "\n".join(rows) + "\n"))
    assert [c.kind for c in table.columns] == ["numeric", "nominal"] and len(table) == 9000
    assert table.columns[1].labels()[[1, 8500]].tolist() == ["1", "unknown"]
    assert table.columns[0].values[-1] == 8999


def test_record_numbers_after_the_label_are_cut_off(tmp_path):
    table = load(write(tmp_path, "a.csv", "1,negative.|3733\n2,goitre.|12\n?,negative.|7\n"))
    assert table.classes == ("goitre", "negative") and table.y_codes.tolist() == [1, 0, 1]
    # a text that the caller calls missing has no record number either
    gaps = write(tmp_path, "a.csv", "1,negative.|3733\n2,\u00a0n/a\n3,goitre.|12\n")
    assert load(gaps, missing=["n/a"]).y.tolist() == ["negative", None, "goitre"]
    kept = load(write(tmp_path, "a.csv", "1,<=50K.\n2,>50K.\n"))
    assert kept.classes == ("<=50K.", ">50K.")


def test_integer_labels_are_sorted_as_numbers(tmp_path):
    table = load(write(tmp_path, "a.csv", "x,class\n" + "".join(f"1,{v}\n" for v in (10, 9, 2))))
    assert table.classes == (2, 9, 10) and table.y.tolist() == [10, 9, 2]


def test_missing_labels_are_kept_and_named(tmp_path):
    table = load(write(tmp_path, "a.csv", "x,class\n1,0\n2,?\n3,1\n"))
    assert len(table) == 3 and table.y.tolist() == [0, None, 1]
    with pytest.raises(ValueError, match="row 1 of the target 'class'"):
        table.y_codes
    assert len(table.drop_missing_target()) == 2


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a,b\n1,2\n3\n", 3, "1 cells but there are 2 columns; write \\? for missing cells"),
        ("a,b\n1,2\n\n3,4,5\n", 4, "3 cells but there are 2 columns; quote cells"),
        ('a,b\n1,"x\n2,y\n', 2, "a quoted cell is broken"),
        ('a,b\n1,"x"y\n', 2, "a quoted cell is broken"),
        ("a,c\n1,u\n1e400,v\n", 3, "column 'a': '1e400' is infinity or too large"),
        ("a,c\ninf,u\n", 2, "column 'a': 'inf' is infinity"),
        ("", None, "there are no rows"),
        ("\n\n", None, "there are no rows"),
        ("a,b\n\x00\n", 2, r"'\\x00' holds NUL bytes \(cell 1 of the line\)"),
        ("a,b\n1,x\n2,y\x00z\n", 3, r"'y\\x00' holds NUL bytes \(cell 2 of the line\)"),
    ],
)
def test_malformed(tmp_path, text, line, words):
    with pytest.raises(DataFileError, match=words) as caught:
        load(write(tmp_path, "bad.csv", text))
    assert caught.value.line == line


def test_bad_arguments(tmp_path):
    path = write(tmp_path, "a.csv", "a,b,c\n1,2,u\n")
    with pytest.raises(DataFileError, match=r"'z' is not a column \(drop\)"):
        load(path, drop=["z"])
    with pytest.raises(DataFileError, match="names= has 1 names but the line has 3 cells"):
        load(path, names=["a"])
    with pytest.raises(
        DataFileError, match="'B2' is not a column .target.; there are 'a', 'b', 'c'"
    ):
        load(path, target="B2")
    with pytest.warns(UserWarning, match="a.csv: no column is named 'B'; the target is 'b'"):
        assert load(path, target="B").target == "b"
    assert load(path, drop="a").feature_names == ["b"]
    with pytest.raises(DataFileError, match="there are no rows"):
        load(write(tmp_path, "h.csv", "a,b\n"), header=True)


def test_too_many_labels_names_the_column(tmp_path):
    text = "key,c\n" + "".join(f"k{i},u\n" for i in range(65_537))
    with pytest.raises(
        DataFileError, match=r"column 'key': has more than 65,536 distinct labels.*drop=\['key'\]"
    ):
        load(write(tmp_path, "ids.csv", text))
    assert load(
        write(tmp_path, "ids.csv", text + "k1,v\n"), drop=["key"], target=False
    ).feature_names == ["c"]


cells = st.one_of(
    st.sampled_from(["", "?", "NA", "a", "b c", "x,y", 'q"q', "é"]),
    st.integers(-99, 99).map(str),
    st.floats(-9, 9).map(repr),
)


@settings(max_examples=100, deadline=None)
@given(rows=st.lists(st.tuples(cells, cells), min_size=1, max_size=12))
def test_csv_agrees_with_a_naive_reading(rows, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "naive.csv"
    quoted = ["h1,h2"] + [",".join('"' + c.replace('"', '""') + '"' for c in row) for row in rows]
    path.write_text("\n".join(quoted) + "\n", encoding="utf-8")
    sheet = read_delimited(path, header=True)
    for j, column in enumerate(sheet.columns):
        wanted = [row[j] for row in rows]
        present = [c for c in wanted if c not in ("", "?", "NA")]
        try:
            numbers = [float(c) for c in present]
        except ValueError:
            numbers = None
        if numbers is not None and present:
            got = [v for v in column.values.tolist() if v == v]
            assert column.kind == "numeric" and got == numbers
        else:
            assert column.kind == "nominal" and list(column.levels) == sorted(set(present))
            assert column.labels().tolist() == [c if c in present else None for c in wanted]


# -- C4.5 and Orange ------------------------------------------------------------------------------

NAMES = """| thyroid-like
hyper, T3 toxic, negative.   | the classes

age: continuous.
sex: M, F.
id: ignore.
kind: discrete 3.
ref: SVHC,
     STMW, other\\, rest.
"""


def test_c45_pair(tmp_path):
    write(tmp_path, "thyroid.names", NAMES)
    rows = (
        "41,F,7,a,SVHC,negative.|3733\n?,M,8,b,other\\, rest,T3  toxic.\n\n12.5,?,9,a,?,negative\n"
    )
    data = write(tmp_path, "thyroid.data", rows)
    for path in (data, tmp_path / "thyroid.names"):
        table = load(path)
        assert table.feature_names == ["age", "sex", "kind", "ref"] and table.target == "class"
        assert table.classes == ("hyper", "T3 toxic", "negative") and table.y_codes.tolist() == [
            2,
            1,
            2,
        ]
        assert table.columns[0].n_missing == 1 and table.columns[2].levels == ("a", "b")
        assert table.columns[3].levels == ("SVHC", "STMW", "other, rest") and table.columns[
            3
        ].values.tolist() == [0, 2, -1]
    test = write(tmp_path, "thyroid.test", "1,F,7,c,STMW,hyper.\n")
    assert load(test).y.tolist() == ["hyper"]
    assert load(data, drop=["sex"]).feature_names == ["age", "kind", "ref"]
    with pytest.raises(DataFileError, match="'sexx' is not an attribute"):
        load(data, drop=["sexx"])


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
@pytest.mark.filterwarnings("ignore:.*Latin-1")
def test_c45_rows_are_read_in_blocks_whatever_their_encoding(tmp_path, encoding):
    (tmp_path / "g.names").write_bytes("jä, nö.\nx: continuous.\nz: u\\,v, w.\n".encode(encoding))
    z, y = ("u\\,v", " w "), ("jä", "nö")
    rows = [f"{i}.5,{z[i % 2]},{y[i % 3 % 2]}.|{i}" for i in range(40_000)]
    (tmp_path / "g.data").write_bytes("\r\n".join(rows).encode(encoding))
    table = load(tmp_path / "g.data")
    assert table.classes == ("jä", "nö") and table.columns[1].levels == ("u,v", "w")
    assert np.array_equal(table.columns[0].values, np.arange(40_000) + 0.5)
    assert np.array_equal(table.columns[1].values, np.arange(40_000) % 2)
    assert np.array_equal(table.y_codes, np.arange(40_000) % 3 % 2)


def test_c45_with_the_class_among_the_attributes(tmp_path):
    write(tmp_path, "g.names", "play.\n\nplay: yes, no.\nwind: continuous.\n")
    table = load(write(tmp_path, "g.data", "yes,3\nno,4\n"))
    assert (
        table.target == "play"
        and table.feature_names == ["wind"]
        and table.classes == ("yes", "no")
    )


@pytest.mark.parametrize(
    ("names", "rows", "line", "words"),
    [
        (NAMES, "1,F,7,a,SVHC\n", 1, "has 5 cells but .*names declares 6"),
        (NAMES, "x,F,7,a,SVHC,hyper\n", 1, "column 'age': 'x' is not a number"),
        (
            NAMES,
            "1,F,7,a,SVHC,hyper\n1,G,7,a,SVHC,hyper\n",
            2,
            "column 'sex': 'G' is not among the declared",
        ),
        (NAMES, "\n", None, "there are no rows"),
        ("a, b.\nx continuous.\n", "1,a\n", 2, "has no colon"),
        ("a, b.\nx: u, u.\n", "u,a\n", 2, "declares a value twice"),
        ("a, b.\nx := y + 1.\n", "1,a\n", 2, "defined by a formula"),
        ("a, b.\nx: u,", "u,a\n", 2, "not complete"),
        ("a, b.\n", "a\n", None, "no attributes after the classes"),
        ("", "a\n", None, "file is empty"),
    ],
)
def test_malformed_c45(tmp_path, names, rows, line, words):
    write(tmp_path, "b.names", names)
    with pytest.raises(DataFileError, match=words) as caught:
        load(write(tmp_path, "b.data", rows))
    assert caught.value.line == line


def test_names_without_data_and_data_without_names(tmp_path):
    with pytest.raises(DataFileError, match=r"there is no lone.data beside it"):
        load(write(tmp_path, "lone.names", NAMES))
    assert load(
        write(tmp_path, "iris.data", "5.1,3.5,setosa\n4.9,3.0,virginica\n\n")
    ).y.tolist() == [
        "setosa",
        "virginica",
    ]


def test_orange_tab(tmp_path):
    text = (
        "n\td\tv\tid\ty\nc\td\tlow mid high\tstring\tno yes\n\t\t\tmeta\tclass\n"
        "1.5\tb\thigh\trow1\tyes\n?\t\tlow\trow2\tno\n"
    )
    table = load(write(tmp_path, "o.tab", text))
    assert (
        table.feature_names == ["n", "d", "v"]
        and table.target == "y"
        and table.classes == ("no", "yes")
    )
    assert table.columns[2].levels == ("low", "mid", "high") and table.columns[
        1
    ].values.tolist() == [0, -1]
    with pytest.raises(DataFileError, match="line 6.*2 cells but there are 5"):
        load(write(tmp_path, "o.tab", text + "1\t2\n"))
    with pytest.raises(DataFileError, match="line 4, column 'v': 'tall'"):
        load(write(tmp_path, "o.tab", text.replace("high\trow1", "tall\trow1")))
    plain = load(write(tmp_path, "p.tab", "a\tb\n1\tu\n2\tv\n"))
    assert plain.feature_names == ["a"] and plain.y.tolist() == ["u", "v"]


@pytest.mark.parametrize(
    "header",
    [
        "x\tw\tb\tm\ti\ty\tz\nc\tc\tbasket\td\td\td\td\nunit=m\tw\t\tm a=b\ti\tc\tclass\n",
        "x\tw\tb\tm\ti\ty\tz\n\t\tBasket\tS\td\tD\td\n\tweight\t\t\tignore\tclass\tc\n",
        "x\tw#w\tm#b\tS#m\tiD#i\tcD#y\tDc#z\n",
    ],
)
@pytest.mark.parametrize("suffix", [".tab", ".tsv", ".csv"])
def test_the_flags_of_orange(tmp_path, header, suffix):
    rows = "1\t.5\tp,q=2\tk\tl\tno\tu\n2\t3\tq\tm\tl\tyes\tu\n"
    if suffix != ".tab":
        header = header.replace("\tw\t\tm a=b\ti\tc", "\tweight\t\tm a=b\ti\tc")
    with pytest.warns(UserWarning, match=r"left out: .*'z' \(a further class\)"):
        table = load(write(tmp_path, "o" + suffix, header + rows))
    assert (table.feature_names, table.target) == (["x"], "y")
    assert table.column("x").kind == "numeric" and table.sample_weight.tolist() == [0.5, 3]


def test_letters_are_no_flags_of_orange(tmp_path):
    letters = load(write(tmp_path, "l.csv", "b,a,y\nc,d,s\ni,c,m\nc,d,m\ns,c,s\n"))
    assert len(letters.y) == 4
    notes = load(write(tmp_path, "n.csv", "C#4,d#1,y\n1,2,p\n3,1,q\n"))
    assert notes.feature_names == ["C#4", "d#1"]


# -- binary files, OpenML, bundled names ----------------------------------------------------------


def frame():
    sizes = pd.Categorical(["mid", "low", None], categories=["low", "mid", "high"])
    return pd.DataFrame(
        {
            "n": [1.0, None, 3.0],
            "s": sizes,
            "id": pd.to_datetime(["2020", "2021", "2022"]),
            "y": ["a", "b", "a"],
        }
    )


def test_parquet_and_feather(tmp_path):
    pytest.importorskip("pyarrow")
    good = frame().drop(columns="id")
    good.to_parquet(tmp_path / "t.parquet")
    good.to_feather(tmp_path / "t.feather")
    for name in ("t.parquet", "t.feather"):
        table = load(tmp_path / name)
        assert table.name == "t" and table.target == "y" and table.classes == ("a", "b")
        assert table.columns[1].levels == ("low", "mid", "high") and table.columns[0].n_missing == 1
        assert load(tmp_path / name, target="s", drop=["n"]).y.tolist() == ["mid", "low", None]
    with pytest.raises(DataFileError, match=r"'q' is not a column \(drop\)"):
        load(tmp_path / "t.parquet", drop=["q"])
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(DataFileError, match="no readable .parquet file"):
        load(tmp_path / "bad.parquet")


def test_dates_in_parquet_are_refused_with_what_uses_them_and_read_once(tmp_path, monkeypatch):
    days = pd.date_range("2020-01-01", periods=60)
    frame = pd.DataFrame({"first": days, "last": days[::-1], "y": ["a", "b"] * 30})
    path = tmp_path / "days.parquet"
    frame.to_parquet(path)
    with pytest.raises(DataFileError, match=r"'first' holds .*load\(path, as_given=False\)$"):
        load(path)
    table = load(path, as_given=False)
    assert list(table.dates) == ["first", "last"]
    read, reads = files._binary, []
    monkeypatch.setattr(files, "_binary", lambda *args: reads.append(args) or read(*args))
    places = places_of_dates(path, table, table.dates, np.array([], dtype=int), None)
    assert len(reads) == 1 and places["first"].tolist() == list(range(60))
    assert places["last"].tolist() == list(range(60))[::-1]


def test_parquet_and_feather_by_polars_alone(tmp_path, monkeypatch):
    pytest.importorskip("polars")
    good = frame().drop(columns="id").assign(s=["mid", None, "low"])
    for name, save in (("t.parquet", good.to_parquet), ("t.feather", good.to_feather)):
        save(tmp_path / name)
        usual = load(tmp_path / name)
        with monkeypatch.context() as one:
            one.setitem(sys.modules, "pyarrow.feather", None)  # importing it fails
            one.setitem(sys.modules, "pyarrow.parquet", None)
            table = load(tmp_path / name)
        assert table.equals(usual), name
        assert table.columns[1].levels == ("low", "mid") and table.columns[1].n_missing == 1


def test_dates_in_a_parquet_file_are_refused_until_dropped(tmp_path):
    pytest.importorskip("pyarrow")
    frame().to_parquet(tmp_path / "t.parquet")
    with pytest.raises(DataFileError, match="column 'id' holds"):
        load(tmp_path / "t.parquet")
    assert load(tmp_path / "t.parquet", drop=["id"]).feature_names == ["n", "s"]


def test_openml_goes_through_scikit_learn(monkeypatch):
    import sklearn.datasets

    calls = []

    def fetch_openml(**options):
        calls.append(options)
        data = frame().drop(columns="id")
        return types.SimpleNamespace(frame=data, target_names=["y"], details={"name": "toy"})

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
    table = load("openml:toy")
    assert (
        table.name == "toy"
        and table.target == "y"
        and table.columns[1].levels == ("low", "mid", "high")
    )
    load("openml:toy/3")
    load("openml:61")
    assert load("openml:61", target="s", drop=["n"]).feature_names == ["y"]
    keys = [{k: v for k, v in c.items() if k in ("name", "version", "data_id")} for c in calls[:3]]
    assert keys == [
        {"name": "toy", "version": "active"},
        {"name": "toy", "version": 3},
        {"data_id": 61},
    ]
    assert all(c["as_frame"] is True for c in calls)
    monkeypatch.setattr(
        sklearn.datasets,
        "fetch_openml",
        lambda **o: types.SimpleNamespace(frame=frame(), target_names=[], details={}),
    )
    with pytest.raises(DataFileError, match="OpenML names 0 targets"):
        load("openml:toy")
    with pytest.raises(ValueError, match="needs a name or number"):
        load("openml:")


def test_bundled_names_and_files_that_are_not_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(load("tic-tac-toe")) == 958 and len(load("tic_tac_toe")) == 958
    assert load("weather", target="outlook", drop=["windy"]).feature_names == [
        "temperature",
        "humidity",
        "play",
    ]
    write(tmp_path, "golf.csv", "a,c\n1,u\n")
    with pytest.raises(
        FileNotFoundError, match=r"no data file 'gulf.csv'.*did you mean 'golf.csv'"
    ):
        load("gulf.csv")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        load(tmp_path / "nowhere" / "a.arff")
    with pytest.raises(DataFileError, match="is a folder"):
        load(tmp_path)
    with pytest.raises(DataFileError, match="files of type .xlsx are not read"):
        load(write(tmp_path, "a.xlsx", "x"))


def test_home_is_expanded(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path, "a.csv", "a,c\n1,u\n2,v\n")
    assert np.array_equal(load("~/a.csv").X, [[1], [2]])


def test_errors_of_the_extension_travel_between_processes():
    from fasttree import _core

    fault = _core.FileFault("is not a number", 3, b"x", b"abc", None, False)
    for error in (fault, _core.InternalError("a panic")):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and again.args == error.args
