"""Sections of docstrings have Google's style and keep their shape: one item per parameter,
attribute or error, and what goes on after its first line is indented."""

from __future__ import annotations

import ast
import re
import textwrap
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[3] / "python" / "fasttree"
FILES = sorted(PACKAGE.rglob("*.py"))

ERROR = r"[\w.]*[A-Z]\w*(?:Error|Warning|Interrupt)"
NAMES = r"\*{0,2}\w+(?:, (?:\*{0,2}\w+|\.\.\.))*"
GOOGLE = {"Args": NAMES, "Attributes": NAMES, "Raises": rf"{ERROR}(?:, {ERROR})*"}


def google_faults(doc: str, parameters: set[str]) -> list[str]:
    """Lines of a section that start no item and are not indented, and items inside a line.

    >>> google_faults("Do.\\n\\nArgs:\\n    a: long\\n    words. b: more", {"a", "b"})
    ['not indented: words. b: more', 'inside a line: words. b: more']
    """
    found, section, base = [], None, 0
    for line in doc.split("\n"):
        text, indent = line.strip(), len(line) - len(line.lstrip())
        if text.endswith(":") and text[:-1] in GOOGLE and indent == 0:
            section, base = text[:-1], 0
        elif text and indent == 0:
            section = None
        elif text and section:
            base = base or indent
            if (
                indent == base
                and text != "..."
                and not re.match(rf"{GOOGLE[section]}:(?: |$)", text)
            ):
                found.append(f"not indented: {text}")
            inside = re.finditer(rf"(?<=[.)\]] )({GOOGLE[section]}):(?: |$)", text)
            if any(set(m[1].split(", ")) <= parameters for m in inside):
                found.append(f"inside a line: {text}")
    return found


def numpy_faults(doc: str) -> list[str]:
    """Headings of sections that are underlined, as numpydoc has them.

    >>> numpy_faults("Do.\\n\\nParameters\\n----------\\na : int")
    ['underlined: Parameters']
    """
    sections = "Parameters|Attributes|Returns|Yields|Raises|Notes|References|Examples"
    return [f"underlined: {name}" for name in re.findall(rf"^({sections})\n-+$", doc, re.M)]


def parameters_of(node: ast.AST) -> set[str]:
    """Names of the parameters of a function, or of a class's constructor and fields."""
    names: set[str] = set()
    for one in ast.walk(node) if isinstance(node, ast.ClassDef) else [node]:
        if isinstance(one, ast.FunctionDef) and (one is node or one.name == "__init__"):
            given = one.args
            names |= {a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
        elif isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            names.add(one.target.id)
    return names


def documented(path: Path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
            doc = ast.get_docstring(node)
            if doc:
                yield getattr(node, "name", "the module"), doc, parameters_of(node)


@pytest.mark.parametrize("path", FILES, ids=[str(p.relative_to(PACKAGE)) for p in FILES])
def test_items_of_sections_are_apart_and_indented(path):
    wrong = [
        f"{name}: {fault}"
        for name, doc, parameters in documented(path)
        for fault in [*google_faults(doc, parameters), *numpy_faults(doc)]
    ]
    assert not wrong, "\n".join(wrong)


def test_the_scan_sees_what_was_lost():
    doc = textwrap.dedent(
        """
        Do.

        Args:
            rows: what goes on
            is not indented. seed: and this is another parameter.

        Raises:
            ValueError: always, and
            more.
        """
    )
    assert len(google_faults(doc, {"rows", "seed"})) == 3
