"""What messages say is to be typed."""

import ast
from pathlib import Path

import fasttree


def called(node):
    return {c.func.id for c in ast.walk(node) if isinstance(c, ast.Call) and hasattr(c.func, "id")}


def stuck(source):
    """The f-strings in which a mark of the sentence follows an option to type."""
    for text in ast.walk(ast.parse(source)):
        values = text.values if isinstance(text, ast.JoinedStr) else []
        for typed, then in zip(values, values[1:], strict=False):
            if not isinstance(typed, ast.FormattedValue) or not isinstance(then, ast.Constant):
                continue
            names = called(typed)
            is_typed = names & {"argument", "reading", "typed"} and "in_text" not in names
            if is_typed and then.value[0] in ".,;":
                yield ast.unparse(text)


def test_no_mark_sticks_to_what_is_to_be_typed():
    files = Path(fasttree.__file__).parent.rglob("*.py")
    assert not [one for path in files for one in stuck(path.read_text(encoding="utf-8"))]


def test_a_mark_that_sticks_is_found():
    said = ["f\"leave it out: {argument('drop', names)}.\"", "f'{in_text(argument(1))}, or {a}'"]
    assert [list(stuck(one)) != [] for one in said] == [True, False]
