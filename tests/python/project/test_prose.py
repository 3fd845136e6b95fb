"""Phrases that read oddly in English, or that are no terms of the field, stay out of the texts, the
comments and the docstrings."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
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

# The same in comments of Rust and in comments and docstrings of Python.
ODD_IN_CODE = {
    r"\b(?:[Tt]hat|[Tt]hose) of\b": "the noun again",
    r"(?:^|[.:;] )Of (?!course)": "a sentence with a subject",
    r"^True (?:without|with|of|for|where)\b": "whether ...",
    r"\b[Ss]o many\b": "N, or the name of the number",
    r"\b[Bb]ut (?:for|that)\b": "except",
    r"\bNone: none\b": "None if there is none",
    r"\b(?:none|some|all|most|one|both|two|many|any|neither|several) of (?:which|whom)\b": (
        "two sentences"
    ),
    r", of which\b": "two sentences",
    r"\b(?:once|one (?:call|division|line|look|pass|row|score|step|table|test|value|word)) an? "
    r"(?:node|row|fold|tree|feature|class|level|block|word|step|cell|column|case|value|leaf"
    r"|branch|call|pass|thread|line|table|second|page)\b": "... per ...",
}


def comments_of_rust(text: str) -> Iterator[tuple[int, str]]:
    """The first line and the words of each paragraph of comments."""
    paragraph: list[str] = []
    for number, line in enumerate([*text.splitlines(), ""]):
        whole = re.match(r"\s*//[/!]?(.*)", line)
        if whole and whole[1].strip():
            paragraph.append(whole[1].strip())
            continue
        if paragraph:
            yield number - len(paragraph) + 1, " ".join(paragraph)
            paragraph = []
        if behind := re.search(r"\S.*? // (.*)$", line):
            yield number + 1, behind[1]


def comments_of_python(text: str) -> Iterator[tuple[int, str]]:
    """The first line and the words of each comment and of each paragraph of a docstring."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        line = token.start[0]
        if token.type == tokenize.COMMENT:
            yield line, token.string.lstrip("# ")
        elif token.type == tokenize.STRING and token.string.lstrip("r").startswith('"""'):
            for paragraph in re.split(r"(\n\s*\n)", token.string):
                yield line, " ".join(paragraph.strip('r" \n').split())
                line += paragraph.count("\n")


def odd_comments(file: Path) -> list[str]:
    """What is odd in the comments of a source file, with its line and the remedy."""
    comments = comments_of_rust if file.suffix == ".rs" else comments_of_python
    return [
        f"{file.relative_to(ROOT)}:{line}: {text[max(0, found.start() - 40) : found.end() + 30]!r};"
        f" write: {remedy}"
        for line, text in comments(file.read_text(encoding="utf-8"))
        for odd, remedy in ODD_IN_CODE.items()
        for found in re.finditer(odd, re.sub(r"`[^`]*`", "`...`", text))
    ]


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


@pytest.mark.parametrize("folder", ["src", "python"])
def test_comments_have_no_odd_phrases(folder):
    if not (ROOT / folder).is_dir():
        pytest.skip("the sources are not here (tests of an installed package)")
    files = [*sorted((ROOT / folder).rglob("*.rs")), *sorted((ROOT / folder).rglob("*.py"))]
    found = [line for file in files for line in odd_comments(file)]
    assert not found, "\n".join(found)


def test_pages_print_no_goals():
    if not (ROOT / "docs").is_dir():
        pytest.skip("the documentation is not here (tests of an installed package)")
    sources = [*TEXTS, *(ROOT / "docs" / "_ext").glob("*.py"), *(ROOT / "docs").rglob("written/*")]
    for page in sources:
        found = page.is_file() and re.search(r"\bgoals? [\d{]", page.read_text(encoding="utf-8"))
        assert not found, f"{page.name}: {found[0]!r}: aims of a benchmark are no news to a reader"
