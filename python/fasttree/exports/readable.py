"""`Readable`: the methods ``to_<format>`` of trees, which are the writers of the formats.

Each method returns text, or an object that prints as text; no method writes a file or changes the
model.
"""

from __future__ import annotations

from typing import Any

from . import c_code, dot, python_code, rules, sql, svg, text
from .formats import FORMATS, offer_methods


@offer_methods
class Readable:
    """A base class of the tree estimators with their exports. Each method is the writer of a
    format, whose module documents the options; `FORMATS` adds the formats that are not listed
    here."""

    to_text, to_rules = text.to_text, rules.to_rules
    to_dot, to_svg = dot.to_dot, svg.to_svg
    to_sql, to_python, to_c = sql.to_sql, python_code.to_python, c_code.to_c

    def to_onnx(
        self, *, inputs: str = "auto", dtype: str = "float32", name: str = "fasttree"
    ) -> Any:
        """An ``onnx.ModelProto``, of classes with the outputs ``label`` and ``probabilities``, of a
        number ``variable``; see `fasttree.exports.onnx_graph.to_onnx`, whose modules are imported
        on the first call."""
        return FORMATS["onnx"].write(self, inputs=inputs, dtype=dtype, name=name)
