"""Columns that predictions carry along, data on standard input, and names of options."""

import csv
import io
import json
import subprocess
import sys
import tempfile

import pytest

import fasttree
from fasttree import datasets
from fasttree.cli import main

IRIS = datasets.load_iris().to_frame()
FEATURES = [name for name in IRIS.columns if name != "class"]


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.json"
    fasttree.fit(datasets.load_iris()).save(path)
    return path


def test_predictions_carry_columns_as_they_are_written(ftree, model, tmp_path):
    file = tmp_path / "new.csv"
    keys = [f"{k:05}" for k in range(150)]
    frame = IRIS[FEATURES].assign(code=keys, note=["a, b"] * 149 + ["=1+1"])
    frame.insert(0, "day", "2024-01-02")
    frame.to_csv(file, index=False)
    _, plain, _ = ftree("predict", model, file)
    code, out, _ = ftree("predict", model, file, "--id", "code", "--id", "note")
    assert code == 0
    rows, expected = list(csv.DictReader(io.StringIO(out))), csv.DictReader(io.StringIO(plain))
    assert list(rows[0]) == ["row", "code", "note", "prediction"]
    assert [row["code"] for row in rows] == keys and rows[0]["note"] == "a, b"
    assert rows[-1]["note"] == "'=1+1"  # no spreadsheet runs it
    assert [row["prediction"] for row in rows] == [row["prediction"] for row in expected]
    # A feature of the model can be carried, too, and other formats give their levels.
    code, out, _ = ftree("predict", model, "iris", "--id", FEATURES[0], "--id", "class")
    assert code == 0 and out.splitlines()[1] == "0,5.1,setosa,setosa"
    assert "accuracy" in ftree("predict", model, "iris", "--id", "class")[2]
    document = tmp_path / "out.json"
    ftree("predict", model, file, "--id", "code", "--json", document, "-o", tmp_path / "o.csv")
    assert json.loads(document.read_text(encoding="utf-8"))["id"] == {"code": keys}
    code, _, err = ftree("predict", model, file, "--id", "nokey")
    assert code == 2 and "nokey" in err and "is not a column" in err


@pytest.mark.parametrize("first", ["", "a,b,y\n", ",a,b,y\n"])
def test_columns_are_carried_by_the_names_that_the_file_is_read_with(ftree, tmp_path, first):
    """With a header, without one, and with an index that has no name."""
    index = first.startswith(",")
    rows = [
        f"{i},{i}.5,{i % 3},{'pq'[i % 2]}"[0 if index else len(str(i)) + 1 :] for i in range(40)
    ]
    file, tree = tmp_path / "data.csv", tmp_path / "tree.json"
    file.write_text(first + "\n".join(rows) + "\n")
    assert ftree("fit", file, "--no-cv", "--model", tree)[0] == 0
    names = ["Unnamed: 0"] * index + (["a", "b", "y"] if first else ["x0", "x1", "class"])
    for place, name in enumerate(names):
        code, out, _ = ftree("predict", tree, file, "--id", name)
        found = [line.split(",")[1] for line in out.splitlines()]
        assert code == 0 and found == [name, *(row.split(",")[place] for row in rows)]
    for wrong in ("", "A"):
        code, _, err = ftree("predict", tree, file, "--id", wrong)
        known = "did you mean 'a'?" if wrong and first else ", ".join(map(repr, names))
        assert code == 2 and f"{wrong!r} is not a column; " in err and known in err


def test_a_dash_reads_csv_from_standard_input(ftree, model, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()

    def piped(text, *words):
        stream = io.TextIOWrapper(io.BytesIO(text.encode("utf-8")), encoding="utf-8")
        monkeypatch.setattr("sys.stdin", stream)
        return ftree(*words)

    text = IRIS.to_csv(index=False)
    file = tmp_path / "stdin.csv"
    file.write_text(text, encoding="utf-8")
    for words in (
        ("fit", "-", "--no-cv"),
        ("predict", model, "-"),
        ("datasets", "describe", "-"),
        ("rank", "-"),
    ):
        named = [file if word == "-" else word for word in words]
        assert piped(text, *words)[:2] == ftree(*named)[:2]
    code, _, err = piped("", "fit", "-")
    assert code == 2 and "standard input is empty" in err
    assert not list((tmp_path / "scratch").iterdir())


def test_metric_and_form_are_the_names_everywhere():
    from typer.main import get_command

    from fasttree.cli.app import app

    options = {
        name: {word for p in command.params if not getattr(p, "hidden", False) for word in p.opts}
        for name, command in get_command(app).commands.items()
    }
    assert not any({"--scoring", "--format"} & words for words in options.values())
    assert all("--metric" in options[name] for name in ("cv", "compare", "sweep"))
    assert all("--form" in options[name] for name in ("cv", "compare", "show"))


def hostile_bytes(folder):
    """A file whose names and cells are beyond ASCII and hold control characters."""
    rows = (f"{i},q\x1b]0;title\x07{'İß'[i % 2]}{i % 3},{'ab'[i % 2]}" for i in range(60))
    path = folder / "u.csv"
    path.write_text("\n".join(["größe,name,class", *rows]), encoding="utf-8")
    return path


STREAMS = {
    "all closed": ("<&- >&- 2>&-", 0),
    "stdout full": ("> /dev/full", 2),
    "stderr full": ("2> /dev/full", 0),
    "ended pipe": ("| true", 0),
}


@pytest.mark.parametrize("streams", STREAMS)
def test_work_is_kept_whatever_the_streams_are(tmp_path, streams):
    model = tmp_path / "m.json"
    path, (redirected, code) = hostile_bytes(tmp_path), STREAMS[streams]
    command = f"-m fasttree.cli fit {path} -p max_depth=1 --no-cv -m {model} {redirected}"
    found = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{sys.executable} {command}"], capture_output=True
    )
    assert found.returncode == code, found.stderr
    assert b"Traceback" not in found.stderr and b"defect" not in found.stderr
    assert b"Exception ignored" not in found.stderr
    assert fasttree.load(model).get_n_leaves() > 1
    assert (b"No space left on device" in found.stderr) == (streams == "stdout full")


@pytest.mark.parametrize(
    ("words", "streams"),
    [
        ("--help", ">&-"),
        ("--help", "> /dev/full"),
        ("--version", "> /dev/full"),
        ("fit --help", "| true"),
        ("criteria", "| true"),
    ],
)
def test_texts_that_cannot_be_printed_are_no_traceback(words, streams):
    run = f"{sys.executable} -m fasttree.cli {words} {streams}"
    found = subprocess.run(["bash", "-o", "pipefail", "-c", run], capture_output=True)
    assert found.returncode == (2 if "full" in streams else 0), found.stderr
    assert found.stderr.count(b"\n") == ("full" in streams) and b"Traceback" not in found.stderr


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_letters_that_a_stream_lacks_are_escapes(tmp_path, encoding, monkeypatch):
    path, model, out = hostile_bytes(tmp_path), tmp_path / "m.json", tmp_path / "p.csv"
    said = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr("sys.stdout", said)
    monkeypatch.setattr("sys.stderr", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    assert main(["fit", str(path), "--no-cv", "-m", str(model)]) == 0
    said.flush()
    assert ("İ".encode() if encoding == "utf-8" else rb"\u0130") in said.buffer.getvalue()
    predict = ["predict", str(model), str(path), "--id", "größe", "--id", "name", "-o", str(out)]
    assert main(predict) == 0
    assert "İ" in out.read_text("utf-8") and "größe" in out.read_text("utf-8")


def test_a_terminal_gets_no_control_characters(ftree, tmp_path, monkeypatch):
    path, model = hostile_bytes(tmp_path), tmp_path / "m.json"
    assert ftree("fit", path, "--no-cv", "-m", model)[0] == 0
    for words in (
        ("predict", model, path, "--id", "name"),
        ("predict", model, path, "--id", "name", "--json", "-"),
        ("fit", path, "--no-cv"),
        ("datasets", "describe", path),
    ):
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
        code, out, err = ftree(*words)
        assert code == 0 and "\x1b" not in out + err and "\x07" not in out + err
        assert "title" in out or words[0] == "datasets"


def test_a_file_of_one_row_has_the_columns_of_the_model_and_of_id(ftree, tmp_path):
    lines = [f"{i},{i % 7}.5,{'rst'[i % 3]},{'yn'[i % 7 > 2]}" for i in range(60)]
    (tmp_path / "a.csv").write_text("\n".join(["id,a,b,y", *lines]))
    ftree("fit", tmp_path / "a.csv", "--no-cv", "--model", tmp_path / "m.json")
    (tmp_path / "new.csv").write_text("id,a,b,y\n7,1.5,r,y\n")
    code, out, _ = ftree("predict", tmp_path / "m.json", tmp_path / "new.csv", "--id", "id")
    assert (code, out) == (0, "row,id,prediction\n0,7,y\n")
