"""`Readable`: the methods ``to_<format>`` of trees.

Each method returns text, or an object that prints as text; no method writes a file or changes the
model. The module of a format is imported on the first call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .formats import FORMATS, offer_methods
from .words import MAX_LEVELS

if TYPE_CHECKING:
    from .rules import Rules


@offer_methods
class Readable:
    """Exports of a fitted tree, a base class of the tree estimators."""

    def to_text(
        self,
        decimals: int = 6,
        max_depth: int | None = None,
        style: str = "tree",
        *,
        feature_names: Sequence[str] | None = None,
        max_levels: int | None = MAX_LEVELS,
        stability: Any = None,
        p_values: bool = False,
        intervals: Any = None,
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
            stability: what ``model.stability(X, y)`` has found: behind the first branch of each
                test stands the share of the refits that ask the feature (of the root first, below
                it anywhere; of searched nodes the share of the searches that choose it); for the
                style ``"tree"`` alone.
            p_values: whether each test is followed by its adjusted p-value, of a tree grown with
                ``selection="significance"``, in the style ``"tree"`` alone.
            intervals: what ``model.leaf_intervals()`` has found: each leaf has its interval behind
                it; for the style ``"tree"`` alone.

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
        return FORMATS["text"].write(
            self,
            decimals=decimals,
            max_depth=max_depth,
            style=style,
            feature_names=feature_names,
            max_levels=max_levels,
            stability=stability,
            p_values=p_values,
            intervals=intervals,
        )

    def to_dot(
        self,
        decimals: int = 6,
        max_depth: int | None = None,
        max_nodes: int | None = None,
        *,
        show: Sequence[str] = (),
    ) -> str:
        """Graphviz DOT text; see `fasttree.exports.dot.to_dot`."""
        return FORMATS["dot"].write(
            self, decimals=decimals, max_depth=max_depth, max_nodes=max_nodes, show=show
        )

    def to_svg(
        self,
        *,
        max_depth: int | None = None,
        max_nodes: int | None = 200,
        empty: bool = False,
        decimals: int = 6,
        highlight: Any = None,
        show: Sequence[str] = (),
        title: str = "",
        fontsize: float | None = None,
    ) -> str:
        """A picture as SVG text; see `fasttree.exports.svg.to_svg`."""
        return FORMATS["svg"].write(
            self,
            max_depth=max_depth,
            max_nodes=max_nodes,
            empty=empty,
            decimals=decimals,
            highlight=highlight,
            show=show,
            title=title,
            fontsize=fontsize,
        )

    def to_rules(self, *, empty: bool = True) -> Rules:
        """One rule per leaf; see `fasttree.exports.rules.to_rules`."""
        return FORMATS["rules"].write(self, empty=empty)

    def to_sql(
        self,
        *,
        output: str | None = None,
        table: str | None = None,
        dialect: str = "ansi",
        mixture: bool = True,
    ) -> str:
        """An SQL expression or query that predicts; see `fasttree.exports.sql.to_sql`."""
        return FORMATS["sql"].write(
            self, output=output, table=table, dialect=dialect, mixture=mixture
        )

    def to_python(self) -> str:
        """Source of a Python module that predicts; see `fasttree.exports.python_code.to_python`."""
        return FORMATS["python"].write(self)

    def to_c(self, *, name: str = "tree") -> str:
        """C99 source that predicts; see `fasttree.exports.c_code.to_c`."""
        return FORMATS["c"].write(self, name=name)

    def to_onnx(
        self, *, inputs: str = "auto", dtype: str = "float32", name: str = "fasttree"
    ) -> Any:
        """An ``onnx.ModelProto``; see `fasttree.exports.onnx_graph.to_onnx`."""
        return FORMATS["onnx"].write(self, inputs=inputs, dtype=dtype, name=name)
