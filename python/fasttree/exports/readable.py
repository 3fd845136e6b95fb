"""`Readable`: the methods ``to_<format>`` of trees, and how they print.

Each method returns text, or an object that prints as text; no method writes a file or changes the
model. The module of a format is imported on the first call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._checks import integer, listing, shown, whole
from .._checks.speech import worded
from .._checks.words import counted
from .formats import offer_methods
from .words import MAX_LEVELS

if TYPE_CHECKING:
    from .rules import Rules

__all__ = ["Readable"]

MAX_LINES = 60
"""Largest number of lines of a printed tree."""

MAX_PRINTED_LEAVES = 4000
"""Number of leaves above which the full text is not even made before it is cut."""


@offer_methods
class Readable:
    """Exports of a fitted tree, a base class of the tree estimators."""

    def to_text(
        self: Any,
        decimals: int = 6,
        max_depth: int | None = None,
        style: str = "tree",
        *,
        feature_names: Sequence[str] | None = None,
        max_levels: int | None = MAX_LEVELS,
        p_values: bool = False,
    ) -> str:
        """Indented text: one line per branch, leaves as ``label (rows/errors)``, of a regression
        tree ``number (rows/standard deviation)``.

        Args:
            decimals: digits of thresholds after the point.
            max_depth: deepest level shown; None shows all.
            style: ``"tree"``, or, of classes, ``"j48"``: the layout and number format of Weka's
                J48, for which `decimals` and `max_depth` have no effect.
            feature_names: names of the features, in their order, in place of the model's own; for
                the style ``"tree"`` alone.
            max_levels: longest list of levels that is shown in full; of a longer one, the first
                levels and the number of the others. None shows all.
            p_values: whether each test is followed by its adjusted p-value, of a tree grown with
                ``selection="significance"``, in the style ``"tree"`` alone.

        Raises:
            ValueError: an unknown style, J48's of a regression tree, or names that are too few or
                too many.

        Examples:
            >>> import fasttree
            >>> tree = fasttree.fit([[0.0, 1.0], [1.0, 1.0]], ["no", "yes"])
            >>> print(tree.to_text(feature_names=["rain", "wind"]), end="")
            rain <= 0.5: no (1)
            rain > 0.5: yes (1)
        """
        self._check()
        names = None
        if feature_names is not None:
            names = [str(name) for name in listing("feature_names", feature_names)]
            if style != "tree":
                raise ValueError(f"feature_names do not go with style={shown(style)}")
            if len(names) != len(self._schema.names):
                raise ValueError(
                    f"feature_names has {counted(len(names), 'name')}, but the model has "
                    f"{counted(len(self._schema.names), 'feature')}"
                )
        if style == "j48":
            from .j48 import to_j48

            return to_j48(self)
        if style != "tree":
            raise ValueError(f"style={shown(style)} is not known; use 'tree' or 'j48'")
        if max_depth is not None:
            max_depth = integer("max_depth", max_depth, 0)
        decimals = whole(0, 1000)("decimals", decimals)
        from .text import to_text

        return to_text(self, decimals, max_depth, max_levels, names, p_values=p_values)

    def to_dot(
        self, decimals: int = 6, max_depth: int | None = None, max_nodes: int | None = None
    ) -> str:
        """Graphviz DOT text; see `fasttree.exports.dot.to_dot`."""
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
        highlight: Any = None,
    ) -> str:
        """A picture as SVG text; see `fasttree.exports.svg.to_svg`."""
        self._check()
        from .svg import to_svg

        return to_svg(
            self,
            max_depth=max_depth,
            max_nodes=max_nodes,
            empty=empty,
            decimals=decimals,
            highlight=highlight,
        )

    def to_rules(self, *, empty: bool = True) -> Rules:
        """One rule per leaf; see `fasttree.exports.rules.to_rules`."""
        self._check()
        from .rules import to_rules

        return to_rules(self, empty=empty)

    def to_sql(
        self,
        *,
        output: str | None = None,
        table: str | None = None,
        dialect: str = "ansi",
        mixture: bool = True,
    ) -> str:
        """An SQL expression or query that predicts; see `fasttree.exports.sql.to_sql`."""
        self._check()
        from .sql import to_sql

        return to_sql(self, output=output, table=table, dialect=dialect, mixture=mixture)

    def to_python(self) -> str:
        """Source of a Python module that predicts; see `fasttree.exports.python_code.to_python`."""
        self._check()
        from .python_code import to_python

        return to_python(self)

    def to_c(self, *, name: str = "tree") -> str:
        """C99 source that predicts; see `fasttree.exports.c_code.to_c`."""
        self._check()
        from .c_code import to_c

        return to_c(self, name=name)

    def to_onnx(
        self, *, inputs: str = "auto", dtype: str = "float32", name: str = "fasttree"
    ) -> Any:
        """An ``onnx.ModelProto``; see `fasttree.exports.onnx_graph.to_onnx`."""
        self._check()
        from .onnx_graph import to_onnx

        return to_onnx(self, inputs=inputs, dtype=dtype, name=name)

    # -- in a notebook and in print ---------------------------------------------------------------

    def _is_fitted(self) -> bool:
        return hasattr(self, "_model")

    def _head_line(self: Any) -> str:
        """Parameters and sizes in one line."""
        n_nodes, n_leaves, _, depth = self._model.shape
        return f"{self!r}: {counted(n_leaves, 'leaf')}, {counted(n_nodes, 'node')}, depth {depth}"

    def __str__(self: Any) -> str:
        """A head line and the text of a fitted tree, at most 60 lines; else the parameters."""
        if not self._is_fitted():
            return repr(self)
        _, n_leaves, _, _ = self._model.shape
        lines = None
        if n_leaves <= MAX_PRINTED_LEAVES:
            lines = self.to_text().rstrip("\n").split("\n")
        if lines is None or len(lines) > MAX_LINES:
            lines = self._short_text()
        return "\n".join((" ".join(self._head_line().split()), "", *lines))

    def _short_text(self: Any) -> list[str]:
        """As many upper levels as fit into 60 lines, and a line that says how to see all."""
        shown: list[str] = []
        *_, tree_depth = self._model.shape
        for depth in range(tree_depth + 1):
            lines = self.to_text(max_depth=depth).rstrip("\n").split("\n")
            if len(lines) > MAX_LINES:
                shown = shown or lines[:MAX_LINES]
                break
            shown = lines
        return [
            *shown,
            worded(
                "(cut; all: print(model.to_text()), a picture: model.plot())",
                "(cut; save it by --model MODEL; all: ftree show MODEL, a picture: --plot FILE)",
            ),
        ]

    def _repr_html_(self) -> str:
        """The tree as a picture of at most 40 nodes; scikit-learn's diagram before `fit`."""
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
