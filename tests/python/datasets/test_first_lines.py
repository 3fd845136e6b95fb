"""What the first lines of text files are: titles, names, row names, an index, or rows."""

from __future__ import annotations

import random

import numpy as np
import pytest

from fasttree.datasets import load
from fasttree.datasets.errors import DataFileError
from fasttree.datasets.files import _format_of
from fasttree.datasets.first_lines import layout
from fasttree.datasets.libsvm import is_libsvm

MISSING = ("", "?", "NA")


def rows_of(seed: int, n: int) -> list[list[str]]:
    """Random rows: a number, a whole number, a word, and a class."""
    rng = random.Random(seed)
    return [
        [f"{rng.gauss(0, 3):.3f}", str(rng.randint(0, 9)), rng.choice("uvw"), rng.choice("pq")]
        for _ in range(n)
    ]


@pytest.mark.parametrize("n", [4, 9, 60, 200])
@pytest.mark.parametrize(
    "header",
    [
        ["a", "b", "c", "y"],
        ["", "b", "c", "y"],
        ["a", "b", "", ""],
        ["a", "NA", "c", "y"],
        ["a", "b", "2019", "y"],
        ["x1", "x2", "x3", "x4"],
        ["0", "1", "2", "3"],
    ],
)
def test_names_of_all_kinds_are_names_and_rows_are_not(n, header):
    for seed in range(10):
        rows = rows_of(seed, n)
        assert layout([header, *rows], None, MISSING).header == 0
        if n > 4:
            assert layout(rows, None, MISSING).header is None


@pytest.mark.parametrize("above", [["# by x"], ["Sales, 2024"], ["Sales,,,"], ["A", "", "B"]])
def test_titles_are_left_out_aloud(tmp_path, above):
    text = "\n".join([*above, "a,b,c,y", *(",".join(row) for row in rows_of(0, 9))])
    (tmp_path / "a.csv").write_text(text)
    with pytest.warns(UserWarning, match="title"):
        table = load(tmp_path / "a.csv")
    assert table.feature_names == ["a", "b", "c"] and len(table) == 9


def test_a_column_without_a_name_that_is_no_index_stays(tmp_path):
    rows = [f"{i % 3}.5,{i % 2},{'pq'[i % 2]}" for i in range(9)]
    (tmp_path / "a.csv").write_text("\n".join([",b,y", *rows]))
    assert load(tmp_path / "a.csv").feature_names == ["x0", "b"]


@pytest.mark.parametrize("names", [None, ["i", "a", "y"]])
def test_an_index_is_kept_where_the_caller_names_it(tmp_path, names):
    (tmp_path / "a.csv").write_text(",b,y\n" + "".join(f"{i},{i % 3},p\n" for i in range(9)))
    table = load(tmp_path / "a.csv", names=names)
    assert table.feature_names == (["b"] if names is None else ["i", "a"])


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (b"PK\x03\x04abc", "zip archive or a workbook"),
        (b"$FL2@(#) SPSS", "SPSS"),
        (b"\x28\xb5\x2f\xfd123", "zstd"),
        (b'{"a": [1, 2]}', "JSON"),
        (b'[{"a": 1}]', "JSON"),
        (b"PAR1....", "Parquet"),
        (b"SQLite format 3\0", "SQLite"),
        (b"<!DOCTYPE html><html>", "HTML"),
    ],
)
def test_other_formats_are_named(tmp_path, start, words):
    for name in ("a.csv", "a.txt", "a.arff", "a"):
        (tmp_path / name).write_bytes(start)
        with pytest.raises(DataFileError, match=words):
            load(tmp_path / name)


def test_libsvm_is_read(tmp_path):
    from sklearn.datasets import dump_svmlight_file

    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (40, 5)) * 0.5, rng.integers(0, 2, 40)
    for zero_based in (True, False):
        dump_svmlight_file(X, y, str(tmp_path / "a.txt"), zero_based=zero_based)
        table = load(tmp_path / "a.txt")
        assert np.array_equal(table.X, X) and table.y.tolist() == y.tolist()
    (tmp_path / "b.txt").write_text("a,b\n1:2,3\n")
    assert not is_libsvm(tmp_path / "b.txt") and _format_of(str(tmp_path / "b.txt")) == "delimited"


def test_positions_and_header_in_the_shell(tmp_path, ftree):
    file = tmp_path / "a.csv"
    file.write_text("1,2,p\n2,3,q\n1,5,p\n3,4,q\n" * 5)
    for position in ("-1", "2"):
        code, out, _ = ftree("fit", file, "-t", position, "--no-cv")
        assert code == 0 and "target 'class' with 2 classes" in out
    code, out, _ = ftree("datasets", "describe", file, "--header", "yes")
    assert code == 0 and "19 rows" in out
    code, _, err = ftree("fit", file, "--header", "maybe")
    assert code == 2 and "--header maybe: use yes or no" in err


def test_the_shell_names_the_line_of_a_bad_target_and_the_columns_that_a_model_misses(
    tmp_path, monkeypatch, ftree
):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i},{'uv'[i % 2]},{'pq'[i % 2]},{i}\n" for i in range(40))
    for name, header in (("a.csv", "k,a,y,n\n"), ("b.csv", "k,A,y,n\n")):
        (tmp_path / name).write_text(header + rows.replace("\n", " $\n"))
    _, _, err = ftree("fit", "a.csv", "-t", "n", "--task", "regression")
    assert "line 2 of the target 'n' is '0 $'" in err
    assert ftree("fit", "a.csv", "-t", "y", "--drop", "k,n", "--model", "m")[0] == 0
    code, _, err = ftree("predict", "m", "b.csv")
    assert code == 2 and "now missing: 'a'" in err and "'A'" in err
