"""What is advised in the shell can be typed there: the command that fits the recommended tree, and
methods of pruning with options."""

# ruff: noqa: E402
from __future__ import annotations

import gzip
import json
import shlex

import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")

import fasttree
from fasttree.cli.options import params_of, typed_params
from fasttree.pruning import WORDS, CostComplexity

pytestmark = pytest.mark.usefixtures("quick_advice")


@pytest.mark.parametrize("data", ["weather", "iris", "tic-tac-toe"])
def test_the_command_of_advise_fits_the_recommended_tree(ftree, tmp_path, data):
    model, again = tmp_path / "m.json", tmp_path / "again.json"
    words = ("advise", data, "--work", "quick", "--cv", "1x3", "--prefer", "accurate")
    code, out, err = ftree(*words, "-m", model)
    assert code == 0, err
    assert "import fasttree" not in out and "(ftree:" not in out
    lines = [line for line in out.splitlines() if line.startswith("ftree fit")]
    if data == "weather":
        assert len(lines) <= 1
    for line in lines:
        assert ftree(*shlex.split(line)[1:], "--no-cv", "-m", again)[0] == 0
        assert fasttree.load(again).to_text() == fasttree.load(model).to_text()
    assert lines or "No tree is better" in out


def test_options_of_columns_are_repeated(ftree, tmp_path):
    table = fasttree.datasets.load_iris()
    path = tmp_path / "my iris.csv"
    table.to_frame().to_csv(path, index=False)
    words = ("advise", path, "-t", "class", "--drop", table.feature_names[0], "--work", "quick")
    code, out, err = ftree(*words, "--cv", "1x3")
    assert code == 0, err
    line = next(line for line in out.splitlines() if line.startswith("ftree fit"))
    typed = shlex.split(line)
    assert typed[2] == str(path) and typed[3:7] == [
        "--target", "class", "--drop", table.feature_names[0],
    ]  # fmt: skip


def test_every_candidate_can_be_typed():
    from fasttree.advice.candidates import candidates

    for name in ("iris", "tic-tac-toe"):
        for one in candidates(fasttree.datasets.load(name)):
            words = typed_params(one.params)
            preset = words[1] if words[0] == "--preset" else None
            pairs = dict(zip(words[::2], words[1::2], strict=True))
            typed = [w for flag, w in zip(words[::2], words[1::2], strict=True) if flag == "-p"]
            found = params_of(typed, preset)
            if "-c" in pairs:
                found["criterion"] = pairs["-c"]
            if found.get("pruning") in WORDS:
                found["pruning"] = WORDS[found["pruning"]]
            assert (
                repr(found) == repr({**found, **one.params}) and found.keys() == one.params.keys()
            )


def test_pruning_takes_objects_and_warns_of_a_price_of_zero(ftree, tmp_path):
    model = tmp_path / "m.json"
    typed = 'pruning=CostComplexity(ccp_alpha="cv", rule="min")'
    code, _, err = ftree("fit", "iris", "--no-cv", "-c", "gini", "-p", typed, "-m", model)
    assert code == 0, err
    grown = fasttree.fit("iris", criterion="gini", pruning=CostComplexity("cv", rule="min"))
    assert fasttree.load(model).to_text() == grown.to_text()
    code, _, err = ftree("fit", "iris", "--no-cv", "-p", "pruning=CostComplexity(alpha=1)")
    assert code == 2 and "--param pruning=CostComplexity(alpha=1)" in err
    code, _, err = ftree("fit", "iris", "--no-cv", "-p", "pruning=Simple(1)")
    assert code == 2 and "there are" in err and "CostComplexity" in err
    code, _, err = ftree("fit", "iris", "--no-cv", "-p", "pruning=cost_complexity")
    assert code == 0 and "cuts only splits that gain nothing" in err
    priced = ("-p", "pruning=cost_complexity", "-p", "ccp_alpha=0.02")
    code, out, err = ftree("fit", "iris", "--no-cv", *priced, "--json", "-")
    assert code == 0 and "gain nothing" not in err
    equal = fasttree.fit("iris", pruning="cost_complexity", ccp_alpha=0.02)
    assert json.loads(out)["leaves"] == equal.get_n_leaves()


def test_rows_are_named_by_their_lines(tmp_path, monkeypatch):
    from fasttree.cli.shell import SHELL, line_of

    path = tmp_path / "a.csv"
    forms = {
        "a,b\n1,2\n3,4\n5,6\n": 4,
        "1,2\n3,4\n5,6\n": 3,  # no header
        "sep=;\na;b\n1;2\n\n3;4\n5;6\n": 6,  # and an empty line
        'a,b\n"x\ny",2\n3,4\n5,6\n': 5,  # a cell with a line end
    }
    for text, line in forms.items():
        path.write_text(text)
        monkeypatch.setattr(SHELL, "file", (str(path), 3))
        assert SHELL.data_row(2) == f"line {line}"
        assert text.splitlines()[line - 1].startswith("5")
        assert line_of(str(path), None, 2) == line or text.startswith(("1", "sep"))
        (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text.encode()))
        assert line_of(str(tmp_path / "a.csv.gz"), 3, 2) == line
    # Of other files, and of files with records of another number, the row is told.
    assert line_of(str(path), 30, 2) is None
    monkeypatch.setattr(SHELL, "file", ("iris", 150))
    assert SHELL.data_row(2) == "data row 2 (counted from 0)"
