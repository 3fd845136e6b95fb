"""Links to ``page.rst``, which lead to a page where the sources are shown, lead to it on the site,
too."""

from __future__ import annotations

from typing import Any

from docutils import nodes


def to_pages(app: Any, doctree: nodes.document, _name: str) -> None:
    """Replace the suffix of the sources in relative links by the suffix of the pages."""
    for link in doctree.findall(nodes.reference):
        target = link.get("refuri", "")
        if target.endswith(".rst") and "://" not in target:
            link["refuri"] = target.removesuffix(".rst") + app.builder.link_suffix


def setup(app: Any) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("doctree-resolved", to_pages)
    return {"parallel_read_safe": True}
