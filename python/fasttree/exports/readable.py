"""`Readable`: what `FastTreeClassifier` can be turned into.

Each method takes a fitted estimator and gives text (or an object that prints as text); nothing is written to a file and nothing of the
model changes. Formats are imported when they are asked for.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Readable"]


class Readable:
    """Other languages for a fitted tree."""

    _model: Any

    def to_text(self, decimals: int = 6, max_depth: int | None = None) -> str:
        """Indented text: a line a branch, leaves as ``label (rows/errors)``."""
        self._check()
        text: str = self._model.to_text(decimals, max_depth)
        return text

    def to_dot(self, decimals: int = 6, max_depth: int | None = None) -> str:
        """Graphviz DOT."""
        self._check()
        text: str = self._model.to_dot(decimals, max_depth)
        return text

    def to_svg(self, *, max_depth: int | None = None, empty: bool = False, decimals: int = 6) -> str:
        """A picture as SVG text without scripts or outside links; see `fasttree.exports.svg.to_svg`."""
        self._check()
        from .svg import to_svg

        return to_svg(self, max_depth=max_depth, empty=empty, decimals=decimals)

    def _check(self) -> None:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
