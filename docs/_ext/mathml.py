"""Formulas as MathML, which browsers draw by themselves: no script, no font and no network."""

from __future__ import annotations

from typing import Any

import latex2mathml.converter
from docutils import nodes


def mathml(latex: str, display: str) -> str:
    """A formula in LaTeX as a MathML element; ``display`` is "inline" or "block"."""
    return latex2mathml.converter.convert(latex, display=display)


def visit_math(self: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    self.body.append(mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def visit_math_block(self: Any, node: nodes.math_block) -> None:
    """Write a formula on a line of its own; wide ones scroll."""
    self.body.append(self.starttag(node, "div", CLASS="math-block"))
    self.body.append(mathml(node.astext(), "block"))
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, Any]:
    """Register MathML as the way in which HTML pages show formulas."""
    app.add_html_math_renderer(
        "mathml",
        inline_renderers=(visit_math, None),
        block_renderers=(visit_math_block, None),
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
