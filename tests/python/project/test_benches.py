"""Records of the benches: one option, one form, and commands that the scripts still know."""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import fasttree

BENCHES = Path(__file__).resolve().parents[3] / "benches"
SCRIPTS = sorted(p for p in BENCHES.glob("*.py") if p.name != "clock.py")
RECORDS = sorted((BENCHES / "record").glob("*.json"))


@pytest.fixture
def clock(tmp_path, monkeypatch):
    """The module, which keeps its records in an empty folder."""
    pytest.importorskip("resource", reason="the benches measure CPU time as Unix counts it")
    spec = importlib.util.spec_from_file_location("clock_of_benches", BENCHES / "clock.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "RECORDS", tmp_path)
    return module


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], ""),
        (["--only", "cv", "predict", "--record"], " --only cv predict --record"),
        (["--data", "{folder}", "--rounds", "3"], " --data DIR --rounds 3"),
        (["--data={folder}/", "--record"], " --data=DIR --record"),
        (["--weka", "{folder}/some where/weka.jar"], " --weka weka.jar"),
        (["--weka", "my jar.jar"], " --weka 'my jar.jar'"),
    ],
)
def test_the_command_is_what_was_typed_without_folders(clock, tmp_path, monkeypatch, words, told):
    given = [word.format(folder=tmp_path) for word in words]
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "some_bench.py"), *given])
    assert clock.command() == "python benches/some_bench.py" + told


def test_a_record_says_when_how_and_where(clock, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["benches/some_bench.py", "--record"])
    clock.keep(
        {"unit": "CPU seconds", "results": [{"cpu_s": np.float64(0.5), "leaves": np.int64(7)}]}
    )
    clock.keep({"results": []}, which="part")
    found = {p.name: json.loads(p.read_text(encoding="utf-8")) for p in tmp_path.iterdir()}
    assert set(found) == {"some_bench.json", "some_bench-part.json"}
    whole = next(record for record in found.values() if "unit" in record)
    assert list(whole) == ["date", "command", "machine", "unit", "results"]
    assert whole["command"] == "python benches/some_bench.py --record"
    assert whole["machine"]["packages"]["fasttree"] == fasttree.__version__
    assert whole["results"] == [{"cpu_s": 0.5, "leaves": 7}]
    said = capsys.readouterr().out
    assert all(f"written: benches/record/{name}\n" in said for name in found)


def test_the_option_is_a_flag(clock):
    parser = argparse.ArgumentParser()
    clock.add_record(parser)
    assert parser.parse_args(["--record"]).record and not parser.parse_args([]).record


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_every_script_keeps_its_record_in_the_same_way(script):
    text = script.read_text(encoding="utf-8")
    assert "add_record(parser)" in text and "keep(" in text
    assert "--record" in text.split('"""')[1], "the docstring does not tell of --record"
    assert "write_text" not in text, "a record is written past `keep`"


@pytest.mark.parametrize("record", RECORDS, ids=lambda p: p.stem)
def test_commands_of_records_name_options_that_exist(record):
    for line in re.findall(r'"command": "(python [^"]*)"', record.read_text(encoding="utf-8")):
        _, script, *words = line.split()
        text = (BENCHES.parent / script).read_text(encoding="utf-8")
        for option in (w.partition("=")[0] for w in words if w.startswith("--")):
            assert option == "--record" or f'"{option}"' in text, f"{script} has no option {option}"
