"""One HTML page for a result: no network, light and dark, sortable tables, curves, rank diagram,
trees.

`page` collects what is said, `charts`, `ranks` and `trees` draw SVG, `classes` and `settings` make
tables; the templates hold the layout alone.  jinja2 is loaded when a page is rendered.
"""

from .page import render_html

__all__ = ["render_html"]
