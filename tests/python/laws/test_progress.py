"""Bars of progress in a terminal: nothing of them stays, also after an error or an interrupt."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from ..tools import thinned

pty = pytest.importorskip("pty")
pytest.importorskip("rich")

FAILING = """
import time
import fasttree
calls = []
def own(tables):
    calls.append(1)
    time.sleep(0.03)
    if len(calls) > 12:
        raise {error}
    return tables.max(axis=2).sum(axis=1)
try:
    fasttree.model_selection.cross_validate(
        "wine", [own], cv="5x10", progress=True, max_depth=1, discretize="equal_width"
    )
except ({error}, RuntimeError, KeyboardInterrupt):
    pass
print("END")
"""
CALLS = {
    "cv": ["-m", "fasttree", "cv", "iris", "-c", "gini,mdl", "--cv", "10x10"],
    "compare": ["-m", "fasttree", "compare", "iris", "weather", "-c", "gini,mdl", "--cv=1x10"],
    "advise": ["-m", "fasttree", "advise", "iris"],
    "sweep": ["-m", "fasttree", "sweep", "monks-1", "--cv", "1x3"],
    "forest": [
        "-c",
        "import fasttree; fasttree.FastForestClassifier(300, progress=True).fit('iris');"
        "print('END')",
    ],
    "error": ["-c", FAILING.format(error="ValueError")],
    "interrupt": ["-c", FAILING.format(error="KeyboardInterrupt")],
}
BAR = re.compile("[━╸╺]|#{3}|\\d+/\\d+ |left$")


def written(arguments):
    """What a program writes to a terminal."""
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    program = subprocess.Popen(
        [sys.executable, *arguments], stdin=slave, stdout=slave, stderr=slave, env=environment
    )
    os.close(slave)
    found = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        found += part
    os.close(master)
    assert program.wait() == 0, found.decode(errors="replace")[-2000:]
    return found.decode()


def screen(text):
    """The lines that a terminal shows in the end: letters, line ends, moves up, erased lines."""
    lines: list[list[str]] = [[]]
    row = column = 0
    pattern = r"\x1b\[\??([\d;]*)([A-Za-z])|(\r)|(\n)|([^\x1b])"
    for number, order, start, end, letter in re.findall(pattern, text):
        if letter:
            lines[row].extend(" " * (column + 1 - len(lines[row])))
            lines[row][column] = letter
            column += 1
        elif start:
            column = 0
        elif end:
            row += 1
            lines += [[]] * 0 if row < len(lines) else [[]]
        elif order == "A":
            row = max(0, row - int(number or 1))
        elif order == "K":
            lines[row] = [] if number == "2" else lines[row][:column]
    return ["".join(line).rstrip() for line in lines]


@pytest.mark.parametrize("name", thinned(CALLS, 3))
def test_nothing_of_a_bar_stays_on_the_screen(name):
    text = written(CALLS[name])
    assert BAR.search(text), "no bar was drawn"
    shown = screen(text)
    assert shown[0] and not any(BAR.search(line) for line in shown), shown[:5]
    if CALLS[name][0] == "-c":
        assert shown == ["END", ""]


@pytest.mark.parametrize("error", ["None", "ValueError"])
def test_nothing_of_a_bar_of_text_stays_either(error):
    """Without rich; also where the call fails before the bar is full."""
    failing = FAILING.format(error="ValueError")
    if error == "None":
        failing = failing.replace("len(calls) > 12", "False").replace("5x10", "1x4")
    text = written(["-c", "import sys; sys.modules['rich.console'] = None\n" + failing])
    assert "#" in text and BAR.search(text), "no bar was drawn"
    assert screen(text) == ["END", ""]
