"""Sphinx configuration. Build: ``pip install '.[docs]' && sphinx-build -W docs
docs/_build/html``."""

from __future__ import annotations

import sys
from pathlib import Path

import fasttree

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent)]  # extensions; docs.studies

project = "fasttree"
author = "the fasttree developers"
project_copyright = "the fasttree developers"
release = version = fasttree.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "generated",
]
exclude_patterns = ["_build", "gallery"]
html_theme = "alabaster"
html_theme_options = {
    "description": "Decision trees whose split criterion is the subject, not a detail",
    "page_width": "1240px",  # wide tables and pictures of several panels
    "body_max_width": "none",
}
html_title = "fasttree"
html_static_path: list[str] = []

autodoc_default_options = {
    "members": True,
    "member-order": "bysource",
    "exclude-members": ", ".join(
        [
            "get_metadata_routing",
            *(
                f"set_{what}_request"
                for what in ("fit", "predict", "predict_proba", "score", "transform")
            ),
        ]
    ),
}
default_role = "code"
# Lists of names in docstrings ("levels, classes: ...") look like links with several targets; they
# are none.
suppress_warnings = ["ref.python"]
autodoc_typehints = "none"
napoleon_use_rtype = False
napoleon_use_ivar = True
