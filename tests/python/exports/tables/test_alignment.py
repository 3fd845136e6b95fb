"""Alignment of tables by the content of their columns, and wrapping in a terminal."""

import re

import pytest

import fasttree
from fasttree.cli import output
from fasttree.exports.tables.html import STYLE, html_table
from fasttree.exports.tables.latex import render_latex
from fasttree.exports.tables.listing import Records
from fasttree.exports.tables.markdown import render_markdown
from fasttree.exports.tables.table import Cell, ReportTable, is_number_column
from fasttree.exports.tables.text import render_text

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
    titled = render_latex([ReportTable("Leaves (%): mean ranks", TABLE.header, TABLE.rows)])
    assert "\\caption{Leaves (\\%): mean ranks}\n\\label{tab:leaves-mean-ranks}\n" in titled
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
    trace = fasttree.fit("weather", max_leaf_nodes=3).trace_
    assert "1 split, in the order" in trace._repr_html_()
    assert trace._repr_html_().count("<tr>") == 2 and len(trace.to_frame()) == 1


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


def test_cells_keep_their_alignment_under_the_style_sheet_of_jupyter():
    # Its rule `:not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon td` counts two classes and a type.
    rules = re.findall(r"^([^{}<>]+)\{", STYLE, re.MULTILINE)
    cells = [rule for rule in rules if re.search(r"\b(td|th)\b", rule)]
    assert len(cells) >= 5
    for selector in cells:
        assert all(
            one.count(".ft-out") >= 3 for one in re.sub(r":is\([^)]*\)", "td", selector).split(",")
        )


def test_only_columns_of_long_texts_are_kept_wide():
    rows = [["a", "", "short"], ["b", "", "a formula of more than thirty-two characters"]]
    found = html_table(["x", "empty", "long"], rows, wrap=[1, 2])
    assert '<th class="w">empty' in found and '<th class="w l">long' in found


def test_weights_of_divided_rows_have_three_digits():
    frame = fasttree.datasets.load_weather().to_frame()
    frame.loc[0, "outlook"] = None
    tree = fasttree.fit(frame, "play", criterion="info_gain", missing="fractional")
    texts = [
        tree.to_text(),
        tree.to_svg(),
        tree.to_rules(),
        tree.decision_rule(frame.drop(columns="play").iloc[[0]]),
    ]
    for text in map(str, texts):
        assert not re.search(r"\d\\.\d{9}", re.sub(r"<path[^>]*>", "", text))
    assert "yes (1.38/0.385)" in texts[0] and "72 % of weight 1.38" in texts[1]
