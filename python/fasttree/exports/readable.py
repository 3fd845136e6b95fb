"""`Readable`: what `FastTreeClassifier` can be turned into.

Each method takes a fitted estimator and gives text (or an object that prints as text); nothing is
written to a file and nothing of the model changes. Formats are imported when they are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .formats import offer_methods

if TYPE_CHECKING:
    from .rules import Rules

__all__ = ["Readable"]

PRINTED = 60
"""Lines of a printed tree."""


@offer_methods
class Readable:
    """Other languages for a fitted tree."""

    _model: Any

    def to_text(self, decimals: int = 6, max_depth: int | None = None, style: str = "tree") -> str:
        """Indented text: a line a branch, leaves as ``label (rows/errors)``.

        Args:
            decimals: digits of thresholds and counts.
            max_depth: deepest level shown; None shows all.
            style: ``"tree"``, or ``"j48"``: the layout and number format of Weka's J48 (which knows
                no other digits and no `max_depth`).
        """
        self._check()
        if style == "j48":
            from .j48 import to_j48

            return to_j48(self)
        if style != "tree":
            raise ValueError(f"style={style!r} is not known; use 'tree' or 'j48'")
        text: str = self._model.to_text(decimals, max_depth)
        return text

    def to_dot(
        self, decimals: int = 6, max_depth: int | None = None, max_nodes: int | None = None
    ) -> str:
        """Graphviz DOT with class bars; see `fasttree.exports.dot.to_dot`."""
        self._check()
        from .dot import to_dot

        return to_dot(self, decimals=decimals, max_depth=max_depth, max_nodes=max_nodes)

    def to_svg(
        self,
        *,
        max_depth: int | None = None,
        max_nodes: int | None = 200,
        empty: bool = False,
        decimals: int = 6,
    ) -> str:
        """A picture as SVG text without scripts or outside links; see
        `fasttree.exports.svg.to_svg`."""
        self._check()
        from .svg import to_svg

        return to_svg(
            self, max_depth=max_depth, max_nodes=max_nodes, empty=empty, decimals=decimals
        )

    def to_rules(self, *, empty: bool = True) -> Rules:
        """One rule per leaf, conditions merged, with coverage and confidence; see
        `fasttree.exports.rules.to_rules`."""
        self._check()
        from .rules import to_rules

        return to_rules(self, empty=empty)

    def to_sql(
        self,
        *,
        output: str = "label",
        table: str | None = None,
        dialect: str = "ansi",
        mixture: bool = True,
    ) -> str:
        """An SQL expression, or a query of a table, that gives the class or the probabilities; see
        `fasttree.exports.sql.to_sql`."""
        self._check()
        from .sql import to_sql

        return to_sql(self, output=output, table=table, dialect=dialect, mixture=mixture)

    def to_python(self) -> str:
        """The source of a Python module that predicts without fasttree; see
        `fasttree.exports.python_code.to_python`."""
        self._check()
        from .python_code import to_python

        return to_python(self)

    def to_c(self, *, name: str = "tree") -> str:
        """C99 source that predicts; `name` is the prefix of its functions; see
        `fasttree.exports.c_code.to_c`."""
        self._check()
        from .c_code import to_c

        return to_c(self, name=name)

    def to_onnx(
        self, *, inputs: str = "auto", dtype: str = "float32", name: str = "fasttree"
    ) -> Any:
        """An ``onnx.ModelProto`` with outputs ``label`` and ``probabilities``; see
        `fasttree.exports.onnx_graph.to_onnx`."""
        self._check()
        from .onnx_graph import to_onnx

        return to_onnx(self, inputs=inputs, dtype=dtype, name=name)

    # -- in a notebook and in print ---------------------------------------------------------------

    def _is_fitted(self) -> bool:
        return hasattr(self, "_model")

    def _head_line(self) -> str:
        """Criterion and sizes in one line."""
        n_nodes, n_leaves, _, depth = self._model.shape
        leaf = "leaf" if n_leaves == 1 else "leaves"
        return f"{self!r}: {n_leaves} {leaf}, {n_nodes} nodes, depth {depth}"

    def __str__(self) -> str:
        """A fitted tree as indented text under a head line (at most 60 lines); else the
        parameters."""
        if not self._is_fitted():
            return repr(self)
        lines = self.to_text().rstrip("\n").split("\n") if self._model.shape[1] <= 4000 else None
        if lines is None or len(lines) > PRINTED:
            lines = self._short_text()
        return "\n".join((" ".join(self._head_line().split()), "", *lines))

    def _short_text(self) -> list[str]:
        """The upper levels, as many as are at most 60 lines, and what is left out."""
        shown: list[str] = []
        for depth in range(self._model.shape[3] + 1):
            lines = self.to_text(max_depth=depth).rstrip("\n").split("\n")
            if len(lines) > PRINTED:
                shown = shown or lines[:PRINTED]
                break
            shown = lines
        return [*shown, "(cut; all: print(model.to_text()), a picture: model.plot())"]

    def _repr_html_(self) -> str:
        """The tree as a picture, folded beyond 40 nodes; before `fit` scikit-learn's view."""
        if not self._is_fitted():
            return str(super()._repr_html_())  # type: ignore[misc]
        from .words import xml

        picture = self.to_svg(max_nodes=40)
        head = f"<p><code>{xml(' '.join(self._head_line().split()))}</code></p>"
        return f'<div style="overflow-x:auto">{head}{picture}</div>'

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self._repr_html_()}

    def _check(self) -> None:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
