"""`Exploration`: the page of the explorer, in a notebook, in a browser or as a file.

The page is one file of at most a few megabytes (see `ExplorerLimits`). A content security policy
forbids all scripts but its own and all external addresses. The scripts in ``static`` are joined to
one in the order of `SCRIPTS`.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cached_property
from html import escape
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import Any

from ..._checks.plain_text import one_line
from ..._checks.saving import save_text
from ..._checks.words import counted
from ..palette import css_colours

SCRIPTS = (
    "tree.js",
    "layout.js",
    "parts.js",
    "pane.js",
    "candidates.js",
    "node.js",
    "row.js",
    "roots.js",
    "explorer.js",
)
"""Files of the script, in the order in which they are joined."""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body class="fx-page">
<noscript><p>This page needs JavaScript, which runs from the page itself.</p></noscript>
<main class="fx" data-fx="fx-data" data-fx-page></main>
{data}
<script>{script}</script>
</body>
</html>
"""


def _static(name: str) -> str:
    """The text of a file in ``static``."""
    return (resources.files(__package__) / "static" / name).read_text(encoding="utf-8")


def component() -> tuple[str, str]:
    """Style sheet and script for a page with explorers.

    The script fills every element of class ``fx`` from the data element that its attribute
    ``data-fx`` names.
    """
    script = "\n".join(_static(name) for name in SCRIPTS)
    style = css_colours(_static("explorer.css"), "fx-c")
    return style, f'"use strict";\n(function () {{\n{script}\n}})();\n'


def data_element(document: dict[str, Any], identity: str) -> str:
    """Data as a script element, which no browser runs and no text can end.

    Args:
        document: the data.
        identity: the id of the element.

    Examples:
        >>> data_element({"name": "</script>"}, "d")
        '<script type="application/json" id="d">{"name":"\\\\u003c/script\\\\u003e"}</script>'
    """
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return f'<script type="application/json" id="{escape(identity)}">{text}</script>'


class Exploration:
    """The result of ``model.explore``: an HTML page, which displays itself in a notebook.

    Args:
        document: the content of the page as plain values.

    Attributes:
        document: the content of the page.

    Examples:
        >>> import fasttree
        >>> found = fasttree.fit("weather").explore("weather")
        >>> found
        Exploration of 1 tree with 8 nodes; found.save("tree.html"), found.open()
        >>> found.html.startswith("<!doctype html>")
        True
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document

    @cached_property
    def html(self) -> str:
        """The page as HTML, with its data, style and script in one document. It is built on first
        use and then kept."""
        style, script = component()
        digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest())
        return PAGE.format(
            digest=digest.decode("ascii"),
            title=escape(one_line(self.document["title"])),
            style=style,
            data=data_element(self.document, "fx-data"),
            script=script,
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file, UTF-8. The file is replaced at once or not at all: an error
        leaves an older file as it was."""
        save_text(path, self.html)

    def open(self) -> Path:
        """Write the page to a new temporary folder, open it in the default browser, and return the
        file. The file is not removed."""
        import tempfile
        import webbrowser

        folder = Path(tempfile.mkdtemp(prefix="fasttree-"))
        file = folder / "explorer.html"
        self.save(file)
        webbrowser.open(file.as_uri())
        return file

    def _repr_html_(self) -> str:
        """The page in a sandboxed frame, which runs its script but cannot reach the notebook."""
        return (
            f'<iframe sandbox="allow-scripts" title="Tree explorer" width="100%" height="680" '
            f'style="border:1px solid #9aa5b4;border-radius:8px" srcdoc="{escape(self.html)}">'
            "</iframe>"
        )

    def __repr__(self) -> str:
        trees = self.document["trees"]
        nodes = sum(tree["nodes"] for tree in trees)
        return (
            f"Exploration of {counted(len(trees), 'tree')} with {counted(nodes, 'node')}; "
            'found.save("tree.html"), found.open()'
        )
