"""Files as they come out of spreadsheets: read rightly, or refused or warned of in the words of the
command, with the file, the column, the row and the value, and what to type."""

# ruff: noqa: E402
from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")

import fasttree
from fasttree.datasets import load
from fasttree.table.data_checks import inspect

pytestmark = pytest.mark.usefixtures("quick_advice")

N = 120


def written(tmp_path, cells, *, header="a;b;churn", encoding="utf-8", name="d.csv"):
    """A file with a column of the given cells, one of numbers, and classes."""
    rng = np.random.default_rng(3)
    rows = [f"{cells(i)};{rng.random():.3f};{rng.choice(['no', 'yes'])}" for i in range(N)]
    file = tmp_path / name
    file.write_bytes("\n".join([header, *rows, ""]).encode(encoding))
    return file


NUMBERS = {
    "decimal commas": (lambda i: f"{i % 7},{i % 10}", {}, 1.1),
    "thousands and decimal commas": (lambda i: f"1.{100 + i},50", {}, 1101.5),
    "thousands and decimal points": (lambda i: f"1,{100 + i}.50", {}, 1101.5),
    "millions": (lambda i: f"1,{100 + i},000", {}, 1101000.0),
    "decimals as asked": (lambda i: f"1,{100 + i}", {"decimal": ","}, 1.101),
    "thousands as asked": (lambda i: f"1,{100 + i}", {"decimal": "."}, 1101.0),
    "texts that mean missing": (
        lambda i: "n/a" if i == 9 else "-" if i == 11 else i,
        {"missing": ["n/a", "-"]},
        1.0,
    ),
}


@pytest.mark.parametrize("what", NUMBERS)
@pytest.mark.parametrize("sep", [";", "\t", ","])
def test_numbers_of_spreadsheets_are_numbers(tmp_path, ftree, what, sep):
    cells, words, second = NUMBERS[what]
    file = written(tmp_path, lambda i: f'"{cells(i)}"')
    file.write_text(file.read_text().replace(";", sep))
    table = load(file, **words)
    assert table.columns[0].kind == "numeric"
    assert table.columns[0].values[1] == second
    typed = [f"--{k}={','.join(v) if isinstance(v, list) else v}" for k, v in words.items()]
    model = tmp_path / "m.json"
    code, out, err = ftree("fit", file, "--no-cv", "-m", model, *typed)
    assert code == 0 and "2 features (2 numeric)" in out and "levels" not in err
    code, _, err = ftree("predict", model, file, *typed)
    assert code == 0 and "accuracy" in err
    # What separates the cells is read before any command sees them.
    for command in ("rank", "cv", "compare", "advise") if sep == ";" else ("rank",):
        more = [] if command == "rank" else ["--cv", "1x2"]
        code, out, err = ftree(command, file, *typed, *more)
        assert code == 0, err
        assert "levels" not in err


def test_what_cannot_be_told_is_asked_for(tmp_path, ftree):
    file = written(tmp_path, lambda i: f'"1,{100 + i}"')
    file.write_text(file.read_text().replace(";", ","))
    _, _, err = ftree("fit", file, "--no-cv")
    assert "'a' (numbers with a comma" in err
    assert "--decimal , (" in err and "--decimal . (" in err


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (lambda i: "n/a" if i == 9 else i, ["'n/a' in line 11", "--missing n/a"]),
        (lambda i: "un known" if i == 9 else i, ["'un known' in line 11", "'un known'"]),
        (lambda i: f"{i}{'%‰'[i % 2]}", ["numbers with a percent sign ('0%', ...)"]),
        (lambda i: f"{'$€'[i % 2]} {i}", ["numbers with a currency sign ('$ 0', ...)"]),
    ],
)
@pytest.mark.filterwarnings("ignore:nominal columns")
def test_cells_that_make_numbers_text_are_named(tmp_path, ftree, cells, words):
    file = written(tmp_path, cells)
    _, _, err = ftree("fit", file, "--no-cv")
    assert all(one in err for one in words), err
    assert "identifier" not in err and err.count("'a'") == 1 and "a: " not in err
    with pytest.warns(UserWarning, match="column 'a': .* so its numbers are levels"):
        fasttree.fit(load(file))
    code, out, err = ftree("advise", file)
    assert code == 0 and words[0] in out + err and "missing=" not in err


def test_text_that_is_no_number_is_not_taken_for_one(tmp_path):
    for cells in (lambda i: f"{i % 9}-{i % 5}", lambda i: f"c{i % 20}", lambda i: "12xy"[i % 4]):
        table = load(written(tmp_path, cells))
        assert inspect(table).of("hidden_numbers") == []


def test_excels_line_that_names_the_separator_is_no_header(tmp_path):
    for start in ("sep=;", "SEP=;", '"sep=;"', "\ufeffsep=;"):
        for end in ("\n", "\r\n"):
            file = tmp_path / "sep.csv"
            file.write_bytes(f"{start}{end}a;b;y{end}1,5;2;p{end}2;3;q{end}".encode())
            table = load(file)
            assert table.feature_names == ["a", "b"] and table.X.tolist() == [[1.5, 2], [2, 3]]
    file.write_text("sep=;\na;b;y\n1;2;p\n1;2\n")
    with pytest.raises(ValueError, match="line 4: the line has 2 cells"):
        load(file)
    plain = tmp_path / "plain.csv"
    plain.write_text("sep=,y\n1,p\n2,q\n")
    assert load(plain).feature_names == ["sep="]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_letters_and_signs_of_windows(tmp_path, encoding, ftree):
    file = written(
        tmp_path,
        lambda i: ["5 €", "„grün“", "Zürich"][i % 3],
        header="größe;b;churn",
        encoding=encoding,
    )
    code, out, err = ftree("fit", file, "--no-cv", "-p", "nominal_splits=multiway")
    assert code == 0 and "größe = 5 €" in out and "größe = „grün“" in out
    assert ("d.csv, line 1: this is not UTF-8" in err) == (encoding == "cp1252")


REFUSED = {
    "a,b,y\n1,2,0.5\n2,3,0.25\n": "column 'y': Unknown label type: continuous.* 0.5 in line 2: "
    "that is a number \\(--task regression\\); for classes name another: --target NAME, ",
    "a,b,y\n1,2,5\n2,3,cheap\n": "column 'y': line 3 of the target 'y' is 'cheap', which is not a "
    "number: a regression predicts numbers; name another target, or use --task classification",
    "1.5,2,p\n2.5,3,q\n": "'z' is not a column \\(--target\\); the first line was read as values, "
    "so the columns "
    "have no names: .*give the position",
    "a,b,y\n1,2,p\n2,q\n": "line 3: the line has 2 cells but there are 3 columns; write [?] for",
    "a,b,y\n1,2,p\n2,3,4,q\n": "line 3: the line has 4 cells but there are 3 columns; quote",
    'a,b,y\n1,"2,p\n2,3,q\n': "line 2: .* its quote .* is opened here, in cell 2",
    "a,b,y\ninf,2,p\n1,2,q\n": "line 2, column 'a': 'inf' is infinity",
    "a,b,y\n": "there are no rows: the one line that there is looks like a header; --header no",
    "a,b,y\n1,2,\n2,3,?\n": "column 'y': the column taken as the class is empty; name another: --t",
    "": "there are no rows",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refusals_name_the_place_and_what_to_type(tmp_path, ftree, text):
    file = tmp_path / "bad.csv"
    file.write_text(text)
    for command in ("fit", "advise", "rank", "cv", "compare"):
        target = ["-t", "z"] if text.startswith("1.5") else []
        if "0.5" in text or "cheap" in text:
            target = ["--task", "classification" if "0.5" in text else "regression"]
        code, _, err = ftree(command, file, *target)
        assert code == 2 and err.count("\n") == 1
        assert re.search(REFUSED[text], err), err
        assert not re.search(r"\b[a-z_]+=", err.replace(str(file), "")), err


def test_options_of_text_are_refused_for_other_data(tmp_path, ftree):
    for typed, said in (("--decimal=,", "--decimal ,"), ("--missing=a,b", "--missing a,b")):
        code, _, err = ftree("fit", "iris", typed)
        assert code == 2 and f"{said} cannot act: iris is not delimited text" in err
        assert "leave it out" in err
    arff = tmp_path / "a.arff"
    arff.write_text("@relation r\n@attribute a numeric\n@attribute y {p,q}\n@data\n1,p\n2,q\n")
    for words in ({"sep": ";"}, {"header": True}, {"names": ["a"]}, {"decimal": ","}):
        with pytest.raises(ValueError, match=f"{next(iter(words))}=.* cannot act: .*a.arff"):
            load(arff, **words)
        with pytest.raises(ValueError, match="cannot act: iris"):
            load("iris", **words)
    with pytest.raises(ValueError, match="decimal=',' is for a file"):
        fasttree.advise(load("iris"), decimal=",")


def test_predict_names_the_cell_that_is_no_number(tmp_path, ftree):
    model, file = tmp_path / "m.json", written(tmp_path, lambda i: 2 * i)
    assert ftree("fit", file, "--no-cv", "-m", model)[0] == 0
    code, _, err = ftree("predict", model, written(tmp_path, lambda i: "n/a" if i == 9 else i))
    assert code == 2 and "row 9 (counted from 0) holds 'n/a'" in err and "--missing" in err


def test_the_code_of_an_advice_reads_the_file_in_the_same_way(tmp_path):
    rng = np.random.default_rng(0)
    x, code = rng.integers(100, 999, 600), rng.integers(0, 4, 600)
    y = np.where((code % 2 == 0) ^ (rng.random(600) < 0.1), "yes", "no")
    rows = [
        f'"1,{a}";{"n/a" if i == 3 else c};{"" if i == 5 else k}'
        for i, (a, c, k) in enumerate(zip(x, code, y, strict=True))
    ]
    file = tmp_path / "d.csv"
    file.write_text("\n".join(["a;code;y", *rows]))
    words = {"decimal": ".", "missing": ["n/a"], "categorical_features": ["code"]}
    found = fasttree.advise(file, time_limit=None, progress=False, **words)
    space: dict = {}
    exec(found.code, space)
    assert found.model.get_n_leaves() > 1
    assert space["model"].to_text() == found.model.to_text()
    plain = fasttree.advise(file, time_limit=None, progress=False, decimal=".", missing="n/a")
    assert plain.codes == ["code"] and "categorical_features=['code']" in str(plain)
    assert found.codes == []


@pytest.mark.parametrize("filters", ["ignore", "error"])
def test_the_commands_warnings_do_not_depend_on_pythons_filters(tmp_path, filters):
    file = written(tmp_path, lambda i: "n/a" if i == 9 else i)
    done = subprocess.run(
        [sys.executable, "-m", "fasttree", "fit", file, "--no-cv", "--json", "-"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": filters},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "--missing n/a" in done.stderr and json.loads(done.stdout)["leaves"] > 1
