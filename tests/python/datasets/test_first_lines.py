"""What the first lines of text files are: titles, names, row names, an index, or rows."""

from __future__ import annotations

import random
import warnings

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree.cli.shell import line_of
from fasttree.datasets import load
from fasttree.datasets.delimited import read_texts
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
    assert load(tmp_path / "a.csv").feature_names == ["Unnamed: 0", "b"]


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
        (tmp_path / name).write_text(header + rows.replace("\n", " kg\n"))
    _, _, err = ftree("fit", "a.csv", "-t", "n", "--task", "regression")
    assert "line 2 of the target 'n' is '0 kg'" in err
    assert ftree("fit", "a.csv", "-t", "y", "--drop", "k,n", "--model", "m")[0] == 0
    code, _, err = ftree("predict", "m", "b.csv")
    assert code == 2 and "now missing: 'a'" in err and "'A'" in err


ROWS = [f"{i * 1.37:.2f},{i % 9},{'pq'[i % 2]}" for i in range(40)]


def read(tmp_path, *lines):
    """The Table of a file, and what its reader says."""
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = load(tmp_path / "a.csv")
    return table, " ".join(str(one.message) for one in caught)


@pytest.mark.parametrize(
    "units",
    ["m,s,-", "m,s,", "cm,years,label", "(m),[s],(text)", "<dbl>,<int>,<chr>", '"m","%",""'],
)
def test_a_line_of_units_is_left_out_aloud(tmp_path, units):
    table, said = read(tmp_path, "width,age,y", units, *ROWS)
    assert "below the names is units" in said and len(table) == len(ROWS)
    assert [column.kind for column in table.columns] == ["numeric", "numeric"]


@pytest.mark.parametrize(
    "row", ["n/a,unknown,p", "-,-,p", "unknown,3,p", "m,3,p", "1.5,s,", "?,?,p"]
)
def test_a_first_row_that_may_be_data_stays(tmp_path, row):
    table, said = read(tmp_path, "width,age,y", row, *ROWS)
    assert "units" not in said and len(table) == len(ROWS) + 1


@pytest.mark.parametrize("header", ["width,age,y", '"width","age","y"', ",age,y"])
@pytest.mark.parametrize("times", [1, 3, 300])
def test_names_that_stand_again_are_no_rows(tmp_path, header, times):
    """Also behind the sample of the reader."""
    start = "i" if header[0] == "," else "0"
    rows = [f"{start}{i}.5,{i % 9},{'pq'[i % 2]}" for i in range(40 * times)]
    table, said = read(tmp_path, header, *rows[: 20 * times], header, *rows[20 * times :], header)
    assert f"stand again in 2 lines ({20 * times + 2}, {40 * times + 3})" in said
    assert len(table) == 40 * times and table.column("age").kind == "numeric"


def test_a_row_that_is_equal_to_the_first_one_is_a_row(tmp_path):
    rows = ["1,2,p", "2,3,q", "1,2,p", "3,1,q", "sunny,3,q"]
    (tmp_path / "a.csv").write_text("\n".join(rows))
    assert len(load(tmp_path / "a.csv", header=True)) == 4
    assert len(load(tmp_path / "a.csv", header=False)) == 5


@pytest.mark.parametrize(
    ("notes", "n"),
    [
        (["Source: an office,,"], 1),
        (["", "(n = 120),,"], 1),
        (["* estimated,,", ",,", "Source: me,,"], 3),
        ([",,p"], 0),
        (["12.5,,"], 0),
        (["Total,3,"], 0),
    ],
)
def test_notes_at_the_end_are_left_out_aloud(tmp_path, notes, n):
    table, said = read(tmp_path, "width,age,y", *ROWS, *notes)
    assert len(table) == len(ROWS) + (len(notes) if n == 0 else 0)
    assert (f"{n} note" in said) == (n > 0)
    assert n == 0 or table.column("width").kind == "numeric"


def test_a_note_of_one_cell_is_an_error_that_names_its_line(tmp_path):
    with pytest.raises(DataFileError, match="line 42: .* delete the line if it is a note"):
        read(tmp_path, "width,age,y", *ROWS, "Source: an office")


def test_the_shell_counts_lines_that_are_no_rows(tmp_path):
    lines = ["width,age,y", "m,s,-", *ROWS[:20], "width,age,y", *ROWS[20:], "Source: me,,"]
    table, _ = read(tmp_path, *lines)
    path = str(tmp_path / "a.csv")
    for row in (0, 19, 20, 39):
        assert lines[line_of(path, len(table), row) - 1] == ROWS[row]


@pytest.mark.parametrize("form", ["dates", "counts", "words", "fractions"])
@pytest.mark.parametrize("n", [30, 90])
def test_an_index_without_a_name_is_one_column_for_files_and_frames(tmp_path, form, n):
    index = {
        "dates": pd.date_range("2024-01-01", periods=n),
        "counts": range(7, n + 7),
        "words": [f"s{i}" for i in range(n)],
        "fractions": np.arange(n) / 3 + 0.1,
    }[form]
    frame = pd.DataFrame({"x": np.arange(n) % 7 / 2, "y": ["p", "q"] * (n // 2)}, index=index)
    frame.to_csv(tmp_path / "a.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ways = [
            fasttree.fit(source, "y", max_depth=2)
            for source in (tmp_path / "a.csv", pd.read_csv(tmp_path / "a.csv"))
        ]
    assert ways[0].to_text() == ways[1].to_text()
    unused = [[n for n, why in zip(m._schema.names, m._schema.unused) if why] for m in ways]
    assert unused[1] == (["Unnamed: 0"] if form != "fractions" else [])
    assert unused[0] == (unused[1] if form == "dates" else [])


@pytest.mark.parametrize("label", ["y", "n"])
@pytest.mark.parametrize("names", [["a", "b", "y"], ["y", "a", "b"], ["", "a", "b", "y"]])
@pytest.mark.parametrize("above", [[], ["Rows of May"]])
def test_the_names_of_a_model_are_names_in_a_file_of_few_rows(tmp_path, names, label, above):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": np.arange(60) % 7 + 0.5, "b": rng.choice(["a", "b"], 60)})
    frame["y"] = np.where(frame.a > 4, "y", "n")
    model = fasttree.fit(frame, "y")
    model.save(tmp_path / "m.json")
    cells = {"": "7", "a": "6.5", "b": "b", "y": label}
    lines = [*above, ",".join(names), *([",".join(cells[name] for name in names)] * 2)]
    for n_rows in (1, 2):
        (tmp_path / "new.csv").write_text("\n".join(lines[: len(above) + 1 + n_rows]))
        for one in (model, fasttree.load(tmp_path / "m.json")):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert one.predict(tmp_path / "new.csv").tolist() == ["y"] * n_rows
                assert one.score(tmp_path / "new.csv") == (label == "y")


@pytest.mark.parametrize("with_target", [False, True])
def test_one_row_without_names_is_read_by_the_places_of_a_model(tmp_path, with_target):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": np.arange(60) % 7 + 0.5, "b": rng.choice(["u", "v"], 60)})
    frame["y"] = np.where(frame.a > 4, "p", "q")
    model = fasttree.fit(frame, "y")
    for row in frame[:8].to_numpy().tolist():
        cells = row if with_target else row[:2]
        (tmp_path / "new.csv").write_text(",".join(map(str, cells)) + "\n")
        with pytest.warns(UserWarning, match="holds no name of the model's columns"):
            assert model.predict(tmp_path / "new.csv") == [row[2]]
    with pytest.raises(DataFileError, match="looks like a header"):
        load(tmp_path / "new.csv")


@pytest.mark.parametrize(
    "header", ["a,a,y", "a,b,a,a,a.1", "a.1,a,a", "a,,b,,b", "y,a,a", ",Unnamed: 0,a,a"]
)
def test_columns_of_one_name_are_numbered_as_pandas_does(tmp_path, header):
    width = header.count(",") + 1
    rows = [",".join(f"{i * j % 7}.5" for j in range(1, width)) for i in range(30)]
    lines = [f"{row},{'pq'[i % 2]}" for i, row in enumerate(rows)]
    file = tmp_path / "twice.csv"
    file.write_text("\n".join([header, *lines]) + "\n")
    with pytest.warns(UserWarning, match="columns of one name are numbered: ") as said:
        table = load(file, target=-1)
    assert len(said) == 1
    names = [*pd.read_csv(file).columns]
    assert [*table.feature_names, table.target] == names
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fasttree.fit(file, names[-1])
        assert model.predict(file).tolist() == model.predict(pd.read_csv(file)).tolist()


@pytest.mark.parametrize(
    "above",
    [
        "size,size,mark",
        "size,,mark",
        "size,size,",
        "size,,",
    ],
)
@pytest.mark.parametrize("index", [False, True])
@pytest.mark.parametrize("named", [False, True])
def test_the_names_stand_below_a_heading_of_several_columns(tmp_path, above, index, named):
    """Merged cells of a spreadsheet, and the levels of columns of pandas."""
    rows = [f"{i},{row}" if index else row for i, row in enumerate(ROWS)]
    head = [f",{line}" if index else line for line in (above, "width,age,y")]
    head += ["row,,,"] if index and named else []
    head[2:2] = [",cm,n,"] if index and named and above.endswith("k") else []
    table, said = read(tmp_path, *head, *rows)
    assert table.feature_names == ["width", "age"] and table.target == "y"
    assert len(table) == len(ROWS) and "line 1 is a title" in said
    assert [column.kind for column in table.columns] == ["numeric", "numeric"]


@pytest.mark.parametrize("lines", [["What is it?,How old?,Which?"], ["cm,n,text", "f8,i8,str"]])
def test_questions_and_types_below_the_names_are_left_out_aloud(tmp_path, lines):
    table, said = read(tmp_path, "width,age,y", *lines, *ROWS)
    assert len(table) == len(ROWS) and "below the names" in said and repr(lines[0]) in said
    assert [column.kind for column in table.columns] == ["numeric", "numeric"]


@pytest.mark.parametrize(
    "columns", [["a,a,y", "1,2,p"], ["a,a,y", "red,blue,p"], ["a,,y", "1,2,p"]]
)
def test_a_first_row_below_repeated_names_is_a_row(tmp_path, columns):
    names, row = columns
    rows = [f"{i % 3},{i % 4},{'pq'[i % 2]}" if row[0] == "1" else row for i in range(30)]
    table, said = read(tmp_path, names, row, *rows)
    assert len(table) == 31 and "title" not in said


@pytest.mark.parametrize("times", [2, 3, 12])
def test_row_names_that_r_made_of_repeated_rows_are_an_index(tmp_path, times):
    names = [f"{i}.{k}" if k else f"{i}" for k in range(times) for i in range(1, 16)]
    rows = [f'"{name}",{ROWS[i % 40]}' for i, name in enumerate(names)]
    table, said = read(tmp_path, '"","width","age","y"', *rows)
    assert table.feature_names == ["width", "age"] and "is the index of the rows" in said


@pytest.mark.parametrize("n", [5, 30_000])
@pytest.mark.parametrize("text", ['the \\"old\\" one', 'ends in \\"', '\\"', 'a \\"b\\", c'])
def test_quotes_behind_a_backslash_are_read(tmp_path, n, text):
    """What R's write.table and Spark write; also at the ends of the reader's blocks."""
    rows = [f'"{text}",{i % 7},{"pq"[i % 2]}' for i in range(n)]
    table, said = read(tmp_path, "name,age,y", *rows)
    assert table.column("name").levels == (text.replace("\\", ""),) and len(table) == n
    assert "quotes inside cells" in said
    found = read_texts(tmp_path / "a.csv", ["name"])
    assert set(found["name"]) == {text.replace("\\", "")}


def test_a_backslash_at_the_end_of_a_cell_is_no_escape(tmp_path):
    table, said = read(
        tmp_path, "name,y", *[f'"C:\\\\{i % 3}\\","{"pq"[i % 2]}"' for i in range(9)]
    )
    assert table.column("name").levels[0] == "C:\\\\0\\" and not said


def test_texts_that_excel_takes_for_no_numbers_are_their_texts(tmp_path):
    table, _ = read(tmp_path, "a,b,y", *[f'="{i}.5",="00{i}",{"pq"[i % 2]}' for i in range(9)])
    assert table.column("a").kind == "numeric" and table.column("b").levels[0] == "000"
