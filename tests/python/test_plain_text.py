"""Names that would command a terminal, forge a line or turn the writing are inert in every text
output."""

from __future__ import annotations

import re

import pytest

import fasttree
from fasttree.rendering import Cell, ReportTable
from fasttree.rendering.latex import render_latex
from fasttree.rendering.markdown import render_markdown
from fasttree.rendering.plain_text import one_line
from fasttree.rendering.text import render_text

HOSTILE = [
    "\x1b[31mred\x1b[0m",
    "bell\x07",
    "back\x08\x08",
    "two\nlines: yes (9)",
    "cr\rover",
    "nel\x85ls\u2028ps\u2029",
    "\u202eright to left\u202c",
    "\u2066isolated\u2069",
    "zero\u200bwidth\ufeff",
]
FORBIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)


def tree():
    table = fasttree.Table(
        [[name] for name in HOSTILE] * 2,
        [f"class {name}" for name in HOSTILE] * 2,
        feature_names=[HOSTILE[0] + HOSTILE[3]],
        target=HOSTILE[6],
    )
    return fasttree.fit(table)


FORMS = {
    "text": lambda m: m.to_text(),
    # J48 itself writes two tabs, before its counts
    "j48": lambda m: m.to_text(style="j48").replace(" : \t", " : "),
    "dot": lambda m: m.to_dot(),
    "svg": lambda m: m.to_svg(),
    "rules": lambda m: str(m.to_rules()),
}


@pytest.mark.parametrize("form", FORMS)
def test_no_control_reaches_the_text_of_a_tree(form):
    said = FORMS[form](tree())
    assert FORBIDDEN.search(said) is None


def test_no_line_of_a_tree_is_forged():
    assert len(tree().to_text().splitlines()) == len(HOSTILE)
    assert not any(line.startswith("lines: yes") for line in tree().to_text().splitlines())


@pytest.mark.parametrize("render", [render_text, render_markdown, render_latex])
@pytest.mark.parametrize("name", HOSTILE)
def test_no_control_reaches_a_table(render, name):
    plain = render([ReportTable("a b", ["x y", "z"], [[Cell("c d"), Cell("1")]], notes=["n o"])])
    hostile = ReportTable(name, [name, "z"], [[Cell(name), Cell("1")]], notes=[name])
    said = render([hostile])
    assert FORBIDDEN.search(said) is None
    assert len(said.splitlines()) == len(plain.splitlines())


def test_core_and_package_agree_on_every_character():
    names = [f"a{chr(code)}b{code}" for code in [*range(1, 0x2100), 0xFEFF, *range(0xFFF0, 0xFFFE)]]
    names = [n for n in names if n.encode("utf-8", "ignore").decode() == n]
    model = fasttree.fit(
        [[n] for n in names], [i % 2 for i in range(len(names))], nominal_splits="multiway"
    )
    said = [line.split(" = ", 1)[1].rsplit(":", 1)[0] for line in model.to_text().split("\n")[:-1]]
    levels = sorted(names)
    assert said == [one_line(level) for level in levels]


def test_messages_of_the_command_are_one_line(capfd, tmp_path):
    from fasttree.cli import main

    assert main(["fit", str(tmp_path / "no\x1b[31m\nsuch.csv")]) == 2
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert FORBIDDEN.search(said) is None
