"""Figures and axes for all pictures: made without a window, in colours that colour-blind people
tell apart.

Figures made here belong to nobody's window manager: they are freed with their last reference, and
work without a display. Colours are Okabe & Ito's (2008).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..exports.palette import PALETTE, colour

__all__ = ["PALETTE", "axes_of", "colour", "new_figure", "save_small"]

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""Marker shapes of methods, so that colour is not the only difference."""


def _matplotlib() -> Any:
    try:
        import matplotlib.figure
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'fasttree[plots]'") from error
    return matplotlib.figure


def new_figure(
    rows: int = 1, columns: int = 1, *, width: float = 7.0, height: float = 4.5
) -> tuple[Any, np.ndarray]:
    """A figure of panels, inches; returns it with its axes as a flat array.

    Raises:
        ImportError: matplotlib is not installed; the message names the extra.

    Examples:
        >>> figure, axes = new_figure(1, 2)
        >>> len(axes)
        2
    """
    figure = _matplotlib().Figure(figsize=(width, height), layout="constrained")
    return figure, np.asarray(figure.subplots(rows, columns, squeeze=False)).ravel()


def save_small(figure: Any, path: Any, *, dpi: float = 100, colours: int = 96) -> None:
    """Write a PNG of a palette of `colours`, a third of the size of one in full colour; for
    pictures of few hues.

    Examples:
        >>> import io
        >>> figure, axes = new_figure()
        >>> small, full = io.BytesIO(), io.BytesIO()
        >>> save_small(figure, small)
        >>> figure.savefig(full, dpi=100)
        >>> small.tell() < full.tell()
        True
    """
    from io import BytesIO

    from PIL import Image

    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi)
    buffer.seek(0)
    image = Image.open(buffer).convert("RGB").quantize(colours, dither=Image.Dither.NONE)
    image.save(path, format="PNG", optimize=True)


def axes_of(ax: Any, *, width: float = 7.0, height: float = 4.5) -> Any:
    """The given axes, or those of a new figure of one panel."""
    return new_figure(width=width, height=height)[1][0] if ax is None else ax


def plain_frame(ax: Any, grid: str = "y") -> None:
    """Only the lower and left frame, and faint lines along one axis behind what is drawn."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    ax.grid(axis=grid, color="#dddddd", linewidth=0.8)


def marker(place: int) -> str:
    """Marker of the method at a place."""
    return MARKERS[place % len(MARKERS)]


STYLES = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1.5, 2)))
"""Dashes of curves, in order."""


def curve(ax: Any, place: int, x: Any, y: Any, label: str, *, dots: bool = False) -> None:
    """Draw the curve of the method at a place, in its colour and dashes, with markers where asked
    for."""
    ax.plot(
        np.asarray(x, dtype=float),
        np.asarray(y, dtype=float),
        color=colour(place),
        linewidth=1.8,
        linestyle=STYLES[place % len(STYLES)],
        marker=marker(place) if dots else None,
        markersize=5,
        label=label,
        zorder=3,
    )
