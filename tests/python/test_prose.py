"""Phrases that read oddly in English, or that are no terms of the field, stay out of the texts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
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


def prose(text: str) -> str:
    """A text without code, on one line, so that phrases across lines are found."""
    text = re.sub(r"``[^`]*``|`[^`]*`", " ", text)
    lines = [line for line in text.splitlines() if not re.match(r"\s*(>>>|\.\.\.|\$)", line)]
    return " ".join(" ".join(lines).split())


@pytest.mark.parametrize("odd", ODD)
def test_odd_phrases_stay_out(odd):
    if not (ROOT / "docs").is_dir():
        pytest.skip("the documentation is not here (tests of an installed package)")
    for page in TEXTS:
        if page.suffix not in (".md", ".rst"):
            continue
        found = re.search(f".{{0,40}}(?:{odd}).{{0,30}}", prose(page.read_text(encoding="utf-8")))
        assert not found, f"{page.name}: {found[0]!r}; write: {ODD[odd]}"


MOST_WORDS = 30


def paragraphs(text: str, markup: str) -> Iterator[str]:
    """Paragraphs and list items of a text, without code, examples, tables and headings."""
    if markup == ".md":
        text = re.sub(r"```.*?```", "\n\n", text, flags=re.DOTALL)
    held: list[str] = []
    below: int | None = None  # the indentation under which a directive or a literal block lies
    example, start, listed = False, 0, False
    for line in [*text.splitlines(), ""]:
        words, indent = line.strip(), len(line) - len(line.lstrip())
        if below is not None and (not words or indent > below):
            words = ""
        else:
            below = None
        directive = markup != ".md" and re.match(r"\.\. (?!note|tip|warning|\[)", words)
        if directive or (markup != ".md" and words.endswith("::")):
            below = indent
        example = bool(words) and (example or words.startswith((">>>", "...")))
        item = re.match(r"(?:[-*+]|\d+\.|#\.) +", words)
        term = len(held) == 1 and indent > start and not listed  # of a list of definitions
        apart = not words or directive or re.match(r"[=~|+#-]{3,}|[|#:]\w*", words)
        if apart or item or example or term:
            if held:
                yield " ".join(held)
            held = []
        if not apart and not example:
            if not held:
                start, listed = indent, bool(item)
            held.append(words[item.end() :] if item else words)


def sentences(paragraph: str) -> list[str]:
    """Sentences, in which code, formulas and addresses are one word each."""
    paragraph = re.sub(r":math:`[^`]*`|\]\([^)]*\)", " M ", paragraph)
    paragraph = re.sub(r":\w+:`([^`<]*)[^`]*`", r"\1", paragraph)
    paragraph = re.sub(r"``[^`]*``|`[^`]*`_{0,2}", " X ", paragraph)
    return re.split(r"(?<=[.!?])[\"')*\]]*\s+(?=[\"'(*\[]*[A-Z\d])|:\s+(?=[A-Z])", paragraph)


def words_of(sentence: str) -> int:
    """How many words a sentence has; numbers and signs are none."""
    return len(re.findall(r"[^\W\d_][\w'-]*", sentence))


def long_sentences(text: str, markup: str = ".rst") -> list[str]:
    """The sentences of more than 30 words.

    >>> long_sentences("Short. " + "word " * 31)
    ['word word word word word word word word word word word word']
    """
    found = (one for part in paragraphs(text, markup) for one in sentences(part))
    return [" ".join(one.split()[:12]) for one in found if words_of(one) > MOST_WORDS]


def test_the_measure_sees_sentences():
    assert long_sentences("word " * 30 + ".") == [] != long_sentences("word " * 31)
    assert long_sentences("Word " * 20 + "end. " + "Word " * 20) == []
    assert long_sentences("* " + "word " * 20 + "\n* " + "word " * 20) == []
    assert long_sentences(".. code-block:: python\n\n   " + "word " * 40) == []
    assert long_sentences("word " * 20 + "\n   " + "word " * 20) == []
    assert long_sentences(">>> print(1)\n" + "word " * 40) == []


def test_sentences_of_texts_are_short():
    if not (ROOT / "docs").is_dir():
        pytest.skip("the documentation is not here (tests of an installed package)")
    found = [
        f"{page.name}: {one} ..."
        for page in TEXTS
        if page.suffix in (".md", ".rst")
        for one in long_sentences(page.read_text(encoding="utf-8"), page.suffix)
    ]
    assert not found, f"{len(found)} sentences of more than {MOST_WORDS} words:\n" + "\n".join(
        found
    )


SECTION = re.compile(r"\s*(Args|Attributes|Returns|Raises|Yields):$")


def entries(docstring: str) -> str:
    """A docstring in which each entry of a list of parameters is a paragraph."""
    lines: list[str] = []
    base: int | None = None
    for line in docstring.splitlines():
        indent = len(line) - len(line.lstrip())
        if SECTION.match(line):
            base = indent + 4
            lines += ["", line, ""]
            continue
        if base is not None and line.strip() and indent < base:
            base = None
        if base == indent or re.match(r"\s*[\w*][\w, *]* : ", line):
            lines += ["", line[indent:], ""] if base is None else ["", line[indent:]]
        else:
            lines.append(line)
    return "\n".join(lines)


def test_entries_of_parameters_are_apart():
    words = "word " * 20
    assert long_sentences(entries(f"Say.\n\nArgs:\n    a: {words}\n    b: {words}")) == []
    assert long_sentences(entries(f"Say.\n\na : int\n    {words}\nb : int\n    {words}")) == []


def test_sentences_of_docstrings_are_short():
    found = []
    for path in sorted((ROOT / "python" / "fasttree").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                text = entries(ast.get_docstring(node) or "")
                found += [f"{path.name}: {one} ..." for one in long_sentences(text)]
    assert not found, f"{len(found)} sentences of more than {MOST_WORDS} words:\n" + "\n".join(
        found
    )


def test_pages_print_no_goals():
    if not (ROOT / "docs").is_dir():
        pytest.skip("the documentation is not here (tests of an installed package)")
    sources = [*TEXTS, *(ROOT / "docs" / "_ext").glob("*.py"), *(ROOT / "docs").rglob("written/*")]
    for page in sources:
        found = page.is_file() and re.search(r"\bgoals? [\d{]", page.read_text(encoding="utf-8"))
        assert not found, f"{page.name}: {found[0]!r}: aims of a benchmark are no news to a reader"
