"""Pictures of the gallery say what they show: title and first paragraph of the example.

Without this the text for readers who do not see a picture is the name of the file.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx_gallery.directives import imgsgnode


def describe(app: Any, doctree: nodes.document) -> None:
    """Give the pictures of an example their text."""
    if not app.env.docname.startswith("gallery/"):
        return
    title = next(doctree.findall(nodes.title), None)
    section = next(doctree.findall(nodes.section), nodes.section())
    first = next((p for p in section.children if isinstance(p, nodes.paragraph)), None)
    if title is None or first is None:
        return
    words = f"{title.astext()}. {first.astext()}".replace('"', "'").split()
    for picture in doctree.findall(imgsgnode):
        picture["alt"] = " ".join(words)


def setup(app: Any) -> dict[str, Any]:
    """Register the event."""
    app.connect("doctree-read", describe)
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
