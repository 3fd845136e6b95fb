"""`FORMATS`: the registry of export formats.

A format is one entry here and one module of this package. Made from the entry are: the estimator's
method ``to_<name>`` (unless `Readable` defines it), ``ftree show --form <name>``, the table in the
documentation, and the tests of every format.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Format:
    """One format.

    Attributes:
        summary: the result in a few words, for tables and help.
        module, function: the writer, ``function(model, **options)``; imported on call.
        method: the call that users write; by default ``to_<name>()``.
        shown: ``shown(model, max_depth, decimals)``, the text that the command writes; by default
            the result of the writer, which takes `max_depth` and `decimals` unless `whole`.
        whole: whether it always shows the whole tree; the command then refuses `max_depth`.
        binary: whether it is bytes; the command then writes them to a file only.
        forests: whether forests have it, too.
        of_forests: the module of the writer for forests; by default `module`.
    """

    summary: str
    module: str = ""
    function: str = ""
    method: str = ""
    shown: Callable[[Any, int | None, int], str | bytes] | None = None
    whole: bool = True
    binary: bool = False
    forests: bool = False
    of_forests: str = ""

    def write(self, model: Any, **options: Any) -> Any:
        """Export a fitted model in this format and return the text or object that the writer makes;
        the options are the writer's. Raises scikit-learn's NotFittedError before a fit. The
        writer's module is imported here, so that formats cost nothing until they are used."""
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(model, "_model")
        own = self.of_forests if hasattr(model, "estimators_") else ""
        module = importlib.import_module(f".{own or self.module}", __package__)
        return getattr(module, self.function)(model, **options)

    def show(
        self, model: Any, max_depth: int | None = None, decimals: int = 6, **options: Any
    ) -> str | bytes:
        """The format as the command writes it.

        Args:
            model: a fitted tree or forest.
            max_depth: deepest level shown; formats with `whole` show all.
            decimals: digits of numbers after the point, in formats for people.
            options: of the writer.
        """
        if not self.whole:
            options = {"max_depth": max_depth, "decimals": decimals, **options}
        shown = self.shown
        written = shown(model, max_depth, decimals) if shown else self.write(model, **options)
        return written if isinstance(written, bytes) else str(written)


FORMATS: dict[str, Format] = {
    "text": Format("indented text", "text", "to_text", whole=False, forests=True),
    "j48": Format("the layout of Weka's J48", "j48", "to_j48", 'to_text(style="j48")'),
    "rules": Format(
        "one rule per leaf, with coverage and confidence",
        "rules",
        "to_rules",
        shown=lambda model, depth, decimals: model.to_rules().to_text(decimals),
    ),
    "dot": Format("a picture as Graphviz DOT", "dot", "to_dot", whole=False),
    "svg": Format("a picture as SVG", "svg", "to_svg", whole=False),
    "sql": Format(
        "an SQL expression or query", "sql", "to_sql", forests=True, of_forests="forest_code"
    ),
    "python": Format(
        "a Python module without dependencies",
        "python_code",
        "to_python",
        forests=True,
        of_forests="forest_code",
    ),
    "c": Format(
        "C99 source without dependencies", "c_code", "to_c", forests=True, of_forests="forest_code"
    ),
    "onnx": Format(
        "an ONNX model",
        "onnx_graph",
        "to_onnx",
        shown=lambda model, depth, decimals: model.to_onnx().SerializeToString(),
        binary=True,
        forests=True,
    ),
    "json": Format(
        "the model file",
        shown=lambda model, depth, decimals: model.to_bytes().decode("utf-8"),
        method="to_bytes()",
        forests=True,
    ),
}
"""Name -> format, in the order of help and documentation."""


def offer_methods(kind: type) -> type:
    """Class decorator: add ``to_<name>(**options)`` for each format that `kind` does not define. So
    a new entry of `FORMATS` is a method of every estimator, without another line."""

    def method_of(form: Format) -> Callable[..., Any]:
        def write(self: Any, **options: Any) -> Any:
            return form.write(self, **options)

        write.__doc__ = f"{form.summary}; see `fasttree.exports.{form.module}.{form.function}`."
        return write

    for name, form in FORMATS.items():
        if form.module and not form.method and not hasattr(kind, f"to_{name}"):
            method = method_of(form)
            method.__name__ = f"to_{name}"
            method.__qualname__ = f"{kind.__name__}.to_{name}"
            setattr(kind, f"to_{name}", method)
    return kind
