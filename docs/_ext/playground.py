"""The directive ``.. playground::``: the criteria playground as one script within its page, so that
it also works when the page is opened from a disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive

from fasttree.exports.palette import css_colours

STYLE = css_colours(":root{/*light*/}\nhtml[data-theme=dark]{/*dark*/}", "pg-c")
FOLDER = Path(__file__).resolve().parents[1] / "playground"


def script() -> str:
    """Formulas and page as one module without imports."""
    formulas = (FOLDER / "criteria.js").read_text(encoding="utf-8")
    page = (FOLDER / "playground.js").read_text(encoding="utf-8")
    lines = [line for line in page.splitlines() if not line.startswith("import ")]
    return formulas.replace("export ", "") + "\n".join(lines) + "\n"


class Playground(Directive):
    """Sliders for a table of counts, and the scores of the criteria on tables."""

    def run(self) -> list[nodes.Node]:
        """An empty box and the script that fills it."""
        html = (
            f'<style>{STYLE}</style>\n<div class="criteria-playground"></div>\n'
            "<noscript><p>The playground needs JavaScript. It runs in this page and needs no "
            "network.</p></noscript>\n"
            f'<script type="module">\n{script()}</script>\n'
        )
        return [nodes.raw("", html, format="html")]


def setup(app: Any) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("playground", Playground)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
