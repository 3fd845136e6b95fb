"""Phrases that read oddly in English, or that are no terms of the field, stay out of the texts."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TEXTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").glob("*.rst")),
    *(
        p
        for part in ("tutorials", "how_to", "explanation")
        for p in (ROOT / "docs" / part).glob("*")
    ),
    *sorted((ROOT / "docs" / "reference").glob("*.rst")),
]

# What is odd, and what to write.
ODD = {
    r"\bby lot\b": "at random",
    r"\bthe door\b": "the interface, or 'use it as'",
    r"\bunder one roof\b": "in one library",
    r"\b(?:is|are) had by\b": "is obtained by",
    r"\bsays? nothing of\b": "say nothing about",
    r"\bsay of each\b": "say about each",
    r"\bonce a (?:node|fold|tree|row)\b": "once per ...",
    r"\ba (?:rule|branch|line) a (?:leaf|value|level|row)\b": "one ... per ...",
    r"\btrip over\b": "fail on",
    r"\bpatience allows\b": "as often as time allows",
    r"\bmade to do harm\b": "hostile",
    r"\bfor no reason\b": "without cause",
    r"\bcan be told\b": "accepts",
    r"\bis dear\b|\bare dear\b|\bdear for\b": "expensive",
    r"\bis no parameter\b": "is not a parameter",
    r"\bNot there:": "Not supported:",
    r"\bworth living in\b": "worth reading",
    r"\bin a hurry\b": "greedy",
    r"\blistens? to\b": "gives weight to",
    r"\bheirs?\b": "largest child",
    r"\bknows? nothing of\b": "does not know",
    r"\b(?:is|are|was) judged by\b": "is scored on, or compared by",
    r"\bas it came\b": "baseline",
}


@cache
def prose(page: Path) -> str:
    """A page without code, on one line, so that phrases across lines are found."""
    text = re.sub(r"``[^`]*``|`[^`]*`", " ", page.read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if not re.match(r"\s*(>>>|\.\.\.|\$)", line)]
    return " ".join(" ".join(lines).split())


@pytest.mark.parametrize("odd", ODD)
def test_odd_phrases_stay_out(odd):
    if not (ROOT / "docs").is_dir():
        pytest.skip("the documentation is not here (tests of an installed package)")
    for page in TEXTS:
        if page.suffix not in (".md", ".rst"):
            continue
        text = prose(page)
        found = re.search(odd, text)
        around = found and text[max(0, found.start() - 40) : found.end() + 30]
        assert not found, f"{page.name}: {around!r}; write: {ODD[odd]}"


def test_pages_print_no_goals():
    if not (ROOT / "docs").is_dir():
        pytest.skip("the documentation is not here (tests of an installed package)")
    sources = [*TEXTS, *(ROOT / "docs" / "_ext").glob("*.py"), *(ROOT / "docs").rglob("written/*")]
    for page in sources:
        found = page.is_file() and re.search(r"\bgoals? [\d{]", page.read_text(encoding="utf-8"))
        assert not found, f"{page.name}: {found[0]!r}: aims of a benchmark are no news to a reader"
