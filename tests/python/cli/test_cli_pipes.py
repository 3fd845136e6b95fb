"""Columns that predictions carry along, data on standard input, and names of options."""

import csv
import io
import json
import tempfile

import pytest

import fasttree
from fasttree import datasets

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
