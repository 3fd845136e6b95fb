"""The readers as wholes: pandas reads the same, work is linear, bounds hold, damage is named."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import pathlib
import random
import re
import tempfile
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fasttree.datasets import DataFileError, Limits, load
from fasttree.datasets.arff import read_arff
from fasttree.datasets.delimited import MISSING, read_delimited
from fasttree.exports.tables.records import render_csv
from fasttree.table.exact_integers import is_inexact

from ..tools import thinned

pandas = pytest.importorskip("pandas")


def write(folder, name, content):
    path = pathlib.Path(folder) / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# -- against pandas -------------------------------------------------------------------------------


def is_held(text):
    """Whether a text is a finite number that float64 holds, if it is a whole one."""
    return np.isfinite(float(text)) and not (
        re.fullmatch("[+-]?[0-9]+", text) and is_inexact(int(text))
    )


numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.from_regex(
        r"[+-]?([0-9]{1,20}\.[0-9]{0,20}|\.[0-9]{1,20})([eE][+-]?[0-9]{1,3})?", fullmatch=True
    ),
).filter(is_held)
words = st.text(st.characters(codec="utf-8", exclude_characters="\0\r'"), max_size=8).map(str.strip)
words = words.filter(lambda t: t.lower().lstrip("+-") not in ("inf", "infinity"))


@st.composite
def sheets(draw):
    n = draw(st.integers(1, 12))
    columns = []
    for _ in range(draw(st.integers(1, 4))):
        cell = draw(st.sampled_from([numbers, words, st.one_of(numbers, words)]))
        gap = draw(st.booleans())
        columns.append(draw(st.lists(cell | st.just("") if gap else cell, min_size=n, max_size=n)))
    return columns


@settings(max_examples=100, deadline=None)
@given(sheets(), st.sampled_from(",;\t|"), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_pandas_reads_the_same_cells(columns, sep, end, quote_all):
    out = io.StringIO()
    quoting = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    writer = csv.writer(out, delimiter=sep, lineterminator=end, quoting=quoting)
    writer.writerow([f"c{j}" for j in range(len(columns))])
    writer.writerows(zip(*columns, strict=True))
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, "a.csv", out.getvalue())
        if len(columns) == 1 and not any(columns[0]):
            return  # lines without text are no rows
        ours = read_delimited(path, sep=sep, header=True).columns
        theirs = pandas.read_csv(path, sep=sep, dtype=str, keep_default_na=False, encoding="utf-8")
    for column, name in zip(ours, theirs, strict=True):
        cells = [cell.strip() for cell in theirs[name]]
        if column.kind == "numeric":
            expected = [np.nan if c in MISSING else float(c) for c in cells]
            assert np.array_equal(column.values, expected, equal_nan=True)
        else:
            assert column.labels().tolist() == [None if c in MISSING else c for c in cells]
            assert list(column.levels) == sorted(column.levels)


# -- linear work: each of these took from ten seconds to hours -------------------------------------


def test_long_lines_lists_and_headers_are_linear(tmp_path):
    blanks = " " * 900_000
    head = "@relation r\n@attribute c {x, a}\n@attribute n numeric\n@data\n"
    body = f"'x'{blanks},1\n{{0 a{blanks}}}\nx{blanks},2{blanks}\n{{0{blanks}a}}\n"
    contents = read_arff(write(tmp_path, "blanks.arff", head + body))
    assert contents.columns[0].labels().tolist() == ["x", "a", "x", "a"]
    labels = "".join(f"  'label {i}'\n,\n" for i in range(20_000))
    many = "".join(f"@attribute 'a {i}' numeric\n" for i in range(50_000))
    text = f"@attribute k {{\n{labels} 'last' }} % c\n{many}@data\n{{0 last, 50000 7}}\n"
    contents = read_arff(write(tmp_path, "wide.arff", text))
    assert len(contents.columns) == 50_001
    assert contents.columns[0].labels().tolist() == ["last"]
    assert contents.columns[-1].values.tolist() == [7.0]
    quoted = "'" + "\\'" * 400_000 + "'"
    column = read_arff(write(tmp_path, "q.arff", f"@attribute s string\n@data\n{quoted}\n"))
    assert column.columns[0].levels == ("'" * 400_000,)


def test_a_column_that_is_text_only_far_down_is_read_again(tmp_path):
    rows = [f"{i % 7},{i}" for i in range(20_000)]
    rows[15_000] = "seven,15000"
    path = write(tmp_path, "late.csv", "a,b\n" + "\n".join(rows) + "\n")
    a, b = read_delimited(path).columns
    assert a.kind == "nominal" and a.levels == (*map(str, range(7)), "seven")
    assert b.kind == "numeric" and b.values.tolist() == list(range(20_000))
    assert a.labels()[15_000] == "seven" and a.labels()[14_999] == str(14_999 % 7)


# -- bounds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["csv", "arff"])
def test_bounds_are_named(tmp_path, kind):
    if kind == "csv":
        cells, wide = "a,b\n1," + "x" * 101, "a,b,c\n1,2,3\n"
        levels = "a,b\n" + "".join(f"1,l{i}\n" for i in range(12))
    else:
        head = "@relation r\n@attribute a numeric\n@attribute b string\n"
        cells = head + "@data\n1," + "x" * 101
        wide = head + "@attribute c numeric\n@data\n1,2,3\n"
        levels = head + "@data\n" + "".join(f"1,l{i}\n" for i in range(12))
    limits = Limits(field=100, columns=2, levels=10)
    for text, said in (
        (cells, "more than 100 bytes"),
        (wide, "more than 2 "),
        (levels, r"more than 10 distinct labels.*drop=\['b'\]"),
    ):
        path = write(tmp_path, f"a.{kind}", text)
        with pytest.raises(DataFileError, match=said) as caught:
            load(path, limits=limits)
        assert caught.value.line is not None
        load(path)


@pytest.mark.parametrize("wrong", [0, -1, 2.5, True, "5", 10**400])
def test_bounds_are_whole_numbers(wrong):
    with pytest.raises(ValueError, match="must be a whole number"):
        Limits(field=wrong)


PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


@pytest.mark.parametrize("suffix", thinned(PACKERS, 3))
def test_bombs_are_refused(tmp_path, suffix):
    # packed streams one after the other are one file
    bomb = PACKERS[suffix](b"a,b\n") + PACKERS[suffix](b"1,x\n" * 1_000_000) * 17
    path = write(tmp_path, "bomb.csv" + suffix, bomb)
    with pytest.raises(DataFileError, match=r"unpacks to more than 250 times.*ratio="):
        load(path)
    with pytest.raises(DataFileError, match=r"unpacks to more than 1,000,000 bytes.*unpacked="):
        load(path, limits=Limits(unpacked=1_000_000))


@pytest.mark.parametrize("suffix", PACKERS)
def test_every_damage_of_a_packed_file_is_named(tmp_path, suffix):
    draw = random.Random(1)
    whole = PACKERS[suffix](b"a,b\n" + b"".join(b"%d,x%d\n" % (i, i % 9) for i in range(300)))
    for turn in range(150):
        data = bytearray(whole)
        if turn % 3:
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        else:
            del data[draw.randrange(1, len(data)) :]
        path = write(tmp_path, "a.csv" + suffix, bytes(data))
        try:
            load(path)
        except DataFileError:
            continue  # anything else fails the test


def test_damaged_arrow_files_are_data_file_errors(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(
        {"a": [1.0, None] * 20, "b": pandas.Categorical(["x", "y"] * 20), "c": ["p", None] * 20}
    )
    draw = random.Random(2)
    for kind, save in ((".parquet", frame.to_parquet), (".feather", frame.to_feather)):
        path = tmp_path / ("a" + kind)
        save(path)
        assert load(path, target="c").shape == (40, 2)
        whole = path.read_bytes()
        for _ in range(150):
            data = bytearray(whole)
            for _ in range(draw.choice([1, 1, 2, 8])):
                data[draw.randrange(len(data))] = draw.randrange(256)
            path.write_bytes(bytes(data))
            try:
                load(path, target="c")
            except DataFileError:
                continue


def test_arrays_of_arrow_that_lie_are_found_before_they_are_converted(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    feather = pytest.importorskip("pyarrow.feather")
    codes = pyarrow.array([0, 7], pyarrow.int32())
    lying = pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array(["x", "y"]), safe=False)
    path = tmp_path / "lying.feather"
    feather.write_feather(pyarrow.table({"a": lying, "class": ["p", "q"]}), path)
    with pytest.raises(DataFileError, match="is no readable .feather file"):
        load(path)


# -- messages -------------------------------------------------------------------------------------


def test_a_header_alone_is_no_row(tmp_path):
    path = write(tmp_path, "a.csv", "age,wind,class\n")
    with pytest.raises(DataFileError, match="no rows.*looks like a header.*header=False"):
        load(path)
    assert load(path, header=False).shape == (1, 2)
    with pytest.raises(DataFileError, match="no rows"):
        load(write(tmp_path, "b.csv", "1,2,3\n"), header=True)


def test_latin_1_is_announced_once(tmp_path):
    path = write(tmp_path, "a.csv", "größe,class\n1,grün\n2,blau\n".encode("latin-1"))
    with pytest.warns(UserWarning, match="line 1: this is not UTF-8.*Latin-1") as caught:
        table = load(path)
    assert len(caught) == 1
    assert table.feature_names == ["größe"] and table.classes == ("blau", "grün")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        utf = load(write(tmp_path, "b.csv", "größe,class\n1,grün\n2,blau\n"))
        wide = load(write(tmp_path, "c.csv", "größe,class\n1,grün\n2,blau\n".encode("utf-16")))
    assert utf.feature_names == wide.feature_names == ["größe"]


def test_labels_that_are_not_declared_get_the_nearest(tmp_path):
    text = (
        "@relation r\n@attribute n numeric\n@attribute c {positive, negative}\n@data\n1,postive\n"
    )
    with pytest.raises(DataFileError, match=r"line 5, column 'c': 'postive'.*mean 'positive'"):
        load(write(tmp_path, "a.arff", text))


@settings(max_examples=200, deadline=None)
@given(st.lists(words.filter(lambda t: t not in MISSING), min_size=1, max_size=6))
def test_guarded_cells_come_back(labels):
    labels = ["=1+1", "'=x", "@a", "+b", "-", *labels]
    text = render_csv([{"n": i, "class": label} for i, label in enumerate(labels)])
    cells = [row[1] for row in csv.reader(io.StringIO(text))][1:]
    assert not any(len(cell) > 1 and cell[0] in "=@\t\r" for cell in cells)
    with tempfile.TemporaryDirectory() as folder:
        table = load(write(folder, "a.csv", text), header=True)
    said = [label.replace("\r\n", "\n").replace("\r", "\n") for label in labels]
    assert table.y.tolist() == said
    raw = render_csv([{"class": "=1+1"}], raw=True)
    assert raw == "class\n=1+1\n"


@pytest.mark.parametrize("name", ["../x", "a/../b", "a\\b", "x\0", "a?b", "/etc", "iris/x", "%2e"])
def test_names_of_openml_are_checked(name):
    with pytest.raises(ValueError, match="is no name of a data set there"):
        load(f"openml:{name}")


@pytest.mark.parametrize("sep", ["", "ab", '"', "\n", "é", 5])
def test_separators_are_checked(tmp_path, sep):
    with pytest.raises(ValueError, match="cannot separate cells"):
        load(write(tmp_path, "a.csv", "a,b\n1,x\n"), sep=sep)


def test_half_a_utf16_character_in_a_names_file_is_a_fault_of_the_file(tmp_path):
    (tmp_path / "c.names").write_bytes("p,q.\nx: continuous.\n".encode("utf-16")[:-1])
    (tmp_path / "c.data").write_text("1,p\n2,q\n")
    with pytest.raises(DataFileError, match="starts like UTF-16"):
        load(tmp_path / "c.data")
