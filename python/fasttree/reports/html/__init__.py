"""One HTML page for a result: no network, light and dark, sortable tables, curves, rank diagram,
trees.

`page` collects the content, `charts`, `ranks` and `trees` draw SVG, `classes` and `settings` make
tables; the templates hold the layout only. jinja2 is imported when a page is rendered.
"""

from .page import render_html

__all__ = ["render_html"]
