"""The directive ``.. drawn::``: Python code that ends with an expression, an SVG picture as text.

The code runs while the documentation is built, so a picture cannot differ from what the library
draws. ``:alt:`` says what the picture shows.
"""

from __future__ import annotations

import ast
import html
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive, directives


def value_of(code: str) -> str:
    """Run the statements; the value of the last one, an expression."""
    tree = ast.parse(code)
    last = tree.body.pop()
    if not isinstance(last, ast.Expr):
        raise ValueError("the last line must be an expression that gives the picture")
    names: dict[str, Any] = {}
    exec(compile(tree, "<drawn>", "exec"), names)
    return str(eval(compile(ast.Expression(last.value), "<drawn>", "eval"), names))


class Drawn(Directive):
    """A picture made by the library while the documentation is built."""

    has_content = True
    option_spec = {"alt": directives.unchanged_required}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        """The picture within the page, in a box that scrolls."""
        svg = value_of("\n".join(self.content))
        alt = html.escape(self.options["alt"], quote=True)
        box = f'<div class="drawn" role="img" aria-label="{alt}">{svg[svg.index("<svg") :]}</div>'
        return [nodes.raw("", box, format="html")]


def setup(app: Any) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("drawn", Drawn)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
