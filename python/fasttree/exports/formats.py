"""`FORMATS`: what a fitted tree can be turned into, as data.

A format is one entry here and one file of this package. The estimator's method ``to_<name>`` (where
`Readable` does not define it by hand), ``ftree show --form <name>``, the table in the
documentation and a test of every format are made from the entry.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["FORMATS", "Format", "offer_methods"]


@dataclass(frozen=True)
class Format:
    """One format.

    Attributes:
        summary: what it gives, for tables and help.
        module, function: where the writer is, ``function(model, **options)``; imported on call.
        method: what a user types; default ``to_<name>()``.
        shown: ``shown(model, max_depth, decimals)``: what the command writes; default: the writer.
        whole: it always tells the whole tree: `max_depth` is refused.
        binary: bytes; the command writes them to a file alone.
        forests: forests have it, too.
    """

    summary: str
    module: str = ""
    function: str = ""
    method: str = ""
    shown: Callable[[Any, int | None, int], str | bytes] | None = None
    whole: bool = True
    binary: bool = False
    forests: bool = False

    def write(self, model: Any, **options: Any) -> Any:
        """What the writer gives for a fitted model."""
        module = importlib.import_module(f".{self.module}", __package__)
        return getattr(module, self.function)(model, **options)

    def show(self, model: Any, max_depth: int | None = None, decimals: int = 6) -> str | bytes:
        """The format as text or bytes, at most so deep and with so many digits where it can."""
        found = self.write(model) if self.shown is None else self.shown(model, max_depth, decimals)
        return found if isinstance(found, bytes) else str(found)


FORMATS: dict[str, Format] = {
    "text": Format(
        "indented text",
        shown=lambda model, depth, decimals: model.to_text(decimals, depth),
        method="to_text()",
        whole=False,
        forests=True,
    ),
    "j48": Format("the layout of Weka's J48", "j48", "to_j48", 'to_text(style="j48")'),
    "rules": Format(
        "one rule per leaf, with coverage and confidence",
        "rules",
        "to_rules",
        shown=lambda model, depth, decimals: model.to_rules().to_text(decimals),
    ),
    "dot": Format(
        "a picture as Graphviz DOT",
        "dot",
        "to_dot",
        shown=lambda model, depth, decimals: model.to_dot(decimals, depth),
        whole=False,
    ),
    "svg": Format(
        "a picture as SVG",
        "svg",
        "to_svg",
        shown=lambda model, depth, decimals: model.to_svg(max_depth=depth, decimals=decimals),
        whole=False,
    ),
    "sql": Format("an SQL expression or query", "sql", "to_sql"),
    "python": Format("a Python module without dependencies", "python_code", "to_python"),
    "c": Format("C99 source without dependencies", "c_code", "to_c"),
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
    """Give a class ``to_<name>(**options)`` for every format that it does not define itself."""

    def method_of(one: Format) -> Callable[..., Any]:
        def write(self: Any, **options: Any) -> Any:
            self._check()
            return one.write(self, **options)

        write.__doc__ = f"{one.summary}; see `fasttree.exports.{one.module}.{one.function}`."
        return write

    for name, one in FORMATS.items():
        if one.module and not one.method and not hasattr(kind, f"to_{name}"):
            method = method_of(one)
            method.__name__ = f"to_{name}"
            method.__qualname__ = f"{kind.__name__}.to_{name}"
            setattr(kind, f"to_{name}", method)
    return kind
