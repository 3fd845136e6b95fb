"""Sphinx configuration. Build: ``pip install '.[docs]' && sphinx-build -W docs
docs/_build/html``."""

from __future__ import annotations

import sys
from pathlib import Path

import fasttree
from fasttree.estimators.declaration import GROUPS

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent)]  # extensions; docs.studies

project = "fasttree"
author = "the fasttree developers"
project_copyright = "the fasttree developers"
release = version = fasttree.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
    "criterion_pages",
    "drawn",
    "gallery_texts",
    "generated",
    "mathml",
    "object_pages",
    "playground",
    "source_links",
]
exclude_patterns = ["_build", "examples", "**/sg_execution_times.rst", "sg_execution_times.rst"]
html_theme = "pydata_sphinx_theme"
html_theme_options = {
    "logo": {"text": "fasttree"},
    "navbar_align": "left",
    "show_toc_level": 2,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_title = "fasttree"
html_static_path = ["_static"]
html_extra_path = ["llms.txt"]
html_css_files = ["fasttree.css"]
html_show_sourcelink = False
html_math_renderer = "mathml"
# The prompt and the output are left out of what the button copies.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "/plot_",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "thumbnail_size": (190, 133),
    "min_reported_time": 3600,
    "within_subsection_order": "FileNameSortKey",
    "subsection_order": [
        f"examples/{part}"
        for part in ("trees", "criteria", "comparing", "models", "export", "papers")
    ],
    "capture_repr": (),  # what an example shows, it prints or draws
}

autodoc_default_options = {
    "members": True,
    "member-order": "bysource",
    "exclude-members": ", ".join(
        [
            "get_feature_names_out",  # its text, scikit-learn's, makes a list in a paragraph
            "get_metadata_routing",
            "set_output",
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
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
maximum_signature_line_length = 80
napoleon_use_rtype = False
napoleon_custom_sections = [(f"Parameters of {group}", "params_style") for group in GROUPS]
napoleon_use_ivar = True
# Forty names, listed at "Criteria"; NumPy's long union.
autodoc_type_aliases = {name: name for name in ("SplitCriterion", "ArrayLike", "MaybeArray")}
toc_object_entries_show_parents = "hide"
