"""Check the spelling of all texts: ``python docs/check_spelling.py`` (from anywhere).

It reads README and its kin, the pages of the site, the introductions of examples, all docstrings
and messages, and the comments that document the core, without code, formulas, roles and literal
blocks. Titles of papers (emphasised, or the sources of criteria) stay as they were published. A
word must be in the dictionary (Hunspell's English, shipped by spylls), be a British form
of one (codespell's table), or be in ``spelling_words.txt``, sorted. American forms of that table
are mistakes. Each finding is a line with file, line number and word; the exit code is 1 then.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import codespell_lib
import spylls.hunspell
from spylls.hunspell import Dictionary

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
OWN_WORDS = HERE / "spelling_words.txt"
TABLE = Path(codespell_lib.__file__).parent / "data" / "dictionary_en-GB_to_en-US.txt"
# American forms in the table that are British words, too: a program, a meter, to license.
ALSO_BRITISH = {
    "acknowledgment", "check", "checked", "checker", "checkers", "checks", "disk", "disks",
    "judgment", "judgments", "licensed", "meter", "meters", "pediatric", "practice", "practices",
    "program", "programs", "license", "licenses", "story", "draft", "tire", "curb", "inquiry",
    "biased", "unbiased", "math",
}  # fmt: skip
SIZES = {"size", "sizes", "sized", "resize", "resized", "seize", "prize", "prized", "sizing"}
# Names of parameters, and words in the titles of papers.
NAMES = {"centers", "fontsize", "discretization", "randomized"}
# Emphasised words that begin with a capital, three or more: *Induction of decision trees*.
TITLE = r"(?<![*\w])\*[A-Z][^*\s]*(?:\s+[^*\s]+){2,}\*(?![*\w])"
SOURCES = HERE / "written" / "criteria.md"  # its last column holds them
MADE = {"_build", "gallery", "objects", "criteria"}  # folders of pages that a build writes
# Directives whose content is prose; that of all others (code, figures, tables) is left out.
PROSE = "note|tip|warning|important|seealso|card|dropdown|admonition|rubric|grid|grid-item|tab-item"


def british_forms() -> dict[str, str]:
    """The American form of each British word that differs."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    pairs = (line.split("->") for line in lines if "->" in line)
    return {british: american.split(",")[0].strip() for british, american in pairs}


def blanked(text: str, pattern: str, flags: int = 0) -> str:
    """A text in which what matches is blank, with all line ends kept."""
    return re.sub(pattern, lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=flags)


def without_blocks(text: str) -> str:
    """A reStructuredText without literal blocks, examples and directives that are no prose."""
    lines: list[str] = []
    below: int | None = None
    example = False
    for line in text.split("\n"):
        words, indent = line.strip(), len(line) - len(line.lstrip())
        if below is not None and (not words or indent > below):
            lines.append("")
            continue
        below = None
        example = bool(words) and (example or words.startswith((">>>", "...")))
        directive = words.startswith(".. ") and not re.match(rf"\.\. (?:{PROSE})::", words)
        if directive or (words.endswith("::") and not words.startswith("..")):
            below = indent
        skipped = directive or example or re.match(r"\.\.|:[\w-]+:( |$)|\+[-=]|=+ ", words)
        lines.append("" if skipped else line)
    return "\n".join(lines)


def prose(text: str, kind: str) -> str:
    """A text with blanks in the place of code, formulas, links, roles and titles."""
    text = blanked(text, TITLE)
    if kind == ".md":
        text = blanked(text, r"```.*?```", re.DOTALL)
        text = blanked(text, r"<[^>]*>|\]\([^)]*\)")
    else:
        text = without_blocks(text)
        text = blanked(text, r":\w+(?::\w+)?:`[^`]*`|<[^>`]*>`")
        text = blanked(text, r"(?m)^ {4,}\*{0,2}\w+(?:, \*{0,2}\w+)*(?=:\s)")  # names of parameters
    text = blanked(text, r"``.*?``", re.DOTALL)
    text = blanked(text, r"`[^`]*`_*", re.DOTALL)
    return blanked(text, r"https?://\S+|\S+@\S+|\"[^\"\n]*\"|\S*[_=^\\$/{}]\S*|\w+\.\w+\S*")


def words(text: str) -> Iterator[tuple[int, str]]:
    """Line and word, for words of three letters and more that are no names of code."""
    for number, line in enumerate(text.split("\n"), 1):
        for found in re.finditer(r"[^\W\d_][\w'\u2019]*", line):
            word = re.sub(r"['\u2019]s?$", "", found[0])
            if len(word) > 2 and not re.search(r"\d|_|.[A-Z]", word):
                yield number, word


def documents() -> Iterator[tuple[Path, int, str, str]]:
    """Each text with its file, the line before its first, and its markup."""
    pages = [*ROOT.glob("*.md"), *HERE.rglob("*.rst"), *HERE.rglob("*.md")]
    for path in sorted(pages):
        if not MADE & set(path.relative_to(ROOT).parts):
            text = path.read_text(encoding="utf-8")
            if path == SOURCES:
                text = blanked(text, r"(?m)\|[^|\n]*\|$")
            yield path, 0, text, path.suffix
    sources = [*(ROOT / "python" / "fasttree").rglob("*.py"), *(HERE / "examples").rglob("*.py")]
    for path in sorted(sources):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        defined = ast.Module | ast.ClassDef | ast.FunctionDef
        docs = {
            node.body[0].value
            for node in ast.walk(tree)
            if isinstance(node, defined) and node.body and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                message = node.value.count(" ") > 2 and not re.search(r"^\s|[;{}=<(]", node.value)
                if node in docs or message:
                    yield path, node.lineno - 1, node.value, ".rst"
    for path in sorted((ROOT / "src").rglob("*.rs")):
        lines = path.read_text(encoding="utf-8").split("\n")
        docs = [re.sub(r"^\s*//[/!]", "", x) if re.match(r"\s*//[/!]", x) else "" for x in lines]
        yield path, 0, "\n".join(docs), ".md"


def main() -> int:
    """Check all texts; a line per finding."""
    american = british_forms()
    wrong_side = {form: british for british, form in american.items()}
    own = set(OWN_WORDS.read_text(encoding="utf-8").split())
    dictionary = Dictionary.from_files(
        str(Path(spylls.hunspell.__file__).parent / "data" / "en" / "en_US")
    )

    @cache
    def mistake(word: str) -> str | None:
        small = word.lower()
        if small in NAMES:
            return None
        if small in wrong_side and small not in ALSO_BRITISH:
            return f"American; write {wrong_side[small]!r}"
        if re.search(r"[^ep]iz(?:e[drs]?|ers|ing|ations?)$", small) and small not in SIZES:
            return "American; write -ise"
        if small in own or small in american or dictionary.lookup(word) or dictionary.lookup(small):
            return None
        return "not in the dictionary, nor in docs/spelling_words.txt"

    found = 0
    seen: set[str] = set()
    for path, before, text, kind in documents():
        for number, word in words(prose(text, kind)):
            seen.add(word.lower())
            if reason := mistake(word):
                print(f"{path.relative_to(ROOT)}:{before + number}: {word}: {reason}")
                found += 1
    listed = OWN_WORDS.read_text(encoding="utf-8").split()
    for place, word in enumerate(listed, 1):
        if word not in seen or word != word.lower() or sorted(listed)[place - 1] != word:
            print(f"{OWN_WORDS.relative_to(ROOT)}:{place}: {word}: unused, or out of order")
            found += 1
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
