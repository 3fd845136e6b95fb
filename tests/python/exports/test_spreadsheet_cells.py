"""Text that a spreadsheet would run: written so that it does not in CSV reports and predictions,
and as it is where data are dumped."""

from __future__ import annotations

import csv
import io

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import fasttree
from fasttree import datasets
from fasttree._checks.plain_text import guard_cell, unguard_cell
from fasttree.cli import main
from fasttree.reports import render_csv

LABELS = [
    *("+", "-", "=", "@", "plain", "-2.5", "+1e3"),
    *("=1+1", "=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(1,2)", "--", "'=x", "''@x"),
    *("a,b", 'a "quote"', "it's", "two\nlines", "=two\nlines", ";=1"),
]
HOSTILE = st.text(st.sampled_from("=+-@'\"\t,;1.eEx \n"), max_size=6)


def runs(cell: str) -> bool:
    """Whether a spreadsheet would take a cell for a formula that is more than a number."""
    if len(cell) < 2 or cell[0] not in "=+-@":
        return False
    try:
        float(cell)
    except ValueError:
        return True
    return False


@given(HOSTILE)
def test_a_guarded_cell_is_not_run_and_is_read_back(text):
    cell = guard_cell(text)
    assert not runs(cell) and unguard_cell(cell) == text
    assert cell == text or len(text) > 1
    if not text.startswith(("'", "\t")) and not runs(text):
        assert cell == text


@given(st.lists(st.fixed_dictionaries({"=a": HOSTILE, "b": HOSTILE}), min_size=1, max_size=4))
def test_reports_in_csv_run_nothing_and_keep_every_text(records):
    rows = list(csv.reader(io.StringIO(render_csv(records), newline="")))
    assert not any(runs(cell) for row in rows for cell in row)
    found = [[unguard_cell(cell) for cell in row] for row in rows]
    names = list(records[0])
    assert found == [names, *([one[name] for name in names] for one in records)]
    raw = list(csv.reader(io.StringIO(render_csv(records, raw=True), newline="")))
    assert raw == found


def test_predictions_run_nothing_and_are_read_back(tmp_path, capsys):
    X = np.arange(len(LABELS), dtype=float)[:, None]
    table = fasttree.Table(X, LABELS, feature_names=["=x"])
    fasttree.fit(table).save(tmp_path / "m.json")
    rows = tmp_path / "rows.csv"
    rows.write_text("=x\n" + "".join(f"{float(v)}\n" for v in X[:, 0]))
    out = tmp_path / "out.csv"
    assert main(["predict", str(tmp_path / "m.json"), str(rows), "--proba", "-o", str(out)]) == 0
    capsys.readouterr()
    assert main(["predict", str(tmp_path / "m.json"), str(rows), "--proba"]) == 0
    for text in (out.read_text(encoding="utf-8"), capsys.readouterr().out):
        cells = list(csv.reader(io.StringIO(text, newline="")))
        assert not any(runs(cell) for line in cells for cell in line)
        assert {len(line) for line in cells} == {2 + len(LABELS)}
        found = [line[1] for line in cells[1:]]
        assert [unguard_cell(cell) for cell in found] == LABELS
        assert [c for c in found if len(c) == 1] == ["+", "-", "=", "@"]
        assert "-2.5" in found and "+1e3" in found
        assert {unguard_cell(name)[2:-1] for name in cells[0][2:]} == set(LABELS)
    again = datasets.load(out, target=False)
    assert again.column("prediction").labels().tolist() == LABELS


def test_dumped_data_keep_their_bytes(tmp_path):
    labels = [text for text in LABELS if "\n" not in text]
    table = fasttree.Table({"=a": labels, "b": labels[::-1]}, labels, target="@class")
    datasets.dump_arff(table, tmp_path / "t.arff")
    assert datasets.load(tmp_path / "t.arff").equals(table)
