"""Alignment of tables by the content of their columns, and wrapping in a terminal."""

import re

import pytest

import fasttree
from fasttree.cli import output
from fasttree.rendering import Cell, ReportTable, render_latex, render_markdown, render_text
from fasttree.rendering.alignment import is_number_column
from fasttree.rendering.html import html_table
from fasttree.rendering.listing import Records

TABLE = ReportTable(
    "",
    ["name", "score", "why"],
    [
        [Cell("gini"), Cell("0.5"), Cell("short")],
        [Cell("info_gain"), Cell("12.25"), Cell("a longer text of several words")],
    ],
)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1", "-2.5", "1e-05", "1,234.5"], True),
        (["95.3 (4.1)", "- (-)", "-", ""], True),
        (["0.12 (3) +- 0.01", "12.5 %", "(3/5/2)", "inf"], True),
        (["-", ""], False),
        ([], False),
        (["3.11.2", "2.0.1"], False),
        (["1", "table"], False),
        (["A/G"], False),
    ],
)
def test_columns_of_numbers_are_known_by_their_cells(cells, expected):
    assert is_number_column(cells) is expected


def test_text_is_aligned_to_the_left_and_numbers_to_the_right_in_every_form():
    head, _, first, second = render_text([TABLE]).splitlines()
    assert first.index("short") == second.index("a longer") == head.index("why")
    assert first.index("0.5") + 3 == second.index("12.25") + 5 == head.index("score") + 5
    assert "|:--|--:|:--|" in render_markdown([TABLE])
    assert r"\begin{tabular}{lrl}" in render_latex([TABLE])
    page = html_table(["name", "score"], [["gini", 0.5], ["<b>", None]])
    assert '<td class="n">0.5</td>' in page and "<td>gini</td>" in page and '<th class="n">' in page


def test_the_last_column_of_text_wraps_under_itself():
    narrow = ReportTable("", TABLE.header, TABLE.rows, width=34)
    lines = render_text([narrow]).splitlines()
    assert max(map(len, lines)) <= 34
    start = lines[0].index("why")
    assert lines[3].startswith("info_gain  12.25  a longer text of")
    assert lines[4] == " " * start + "several words"


def test_records_and_notebook_views_align_by_content():
    text = str(Records([{"name": "a", "n": 1}, {"name": "bcd", "n": 20}]))
    assert text.splitlines()[2:] == ["a      1", "bcd   20"]
    page = fasttree.criteria.list_criteria()._repr_html_()
    assert "text-align:right" in page  # the rule of the class of numbers
    assert not re.search(r'<t[dh] class="n"', page)  # all columns are text


def test_criteria_are_readable_in_80_columns(monkeypatch, capsys):
    from fasttree.cli.catalogue import criteria

    monkeypatch.setenv("COLUMNS", "80")
    criteria(None)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    start = next(line for line in lines if line.startswith("name")).index("what it is")
    assert any(line[:start].strip() == "" and line[start:].strip() for line in lines[4:])
    monkeypatch.delenv("COLUMNS")
    assert output.table("", ["a"], []).width is None  # piped output has one line per row
