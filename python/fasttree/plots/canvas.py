"""Figures and axes for all pictures, in colours that colour-blind people tell apart.

A picture without `ax` goes where users of matplotlib expect it: into pyplot's current axes, so that
``plt.show()``, ``plt.savefig`` and a notebook cell show it. `new_figure` and `detached` make
figures that pyplot does not know, freed with their last reference: for files and pages. Colours are
those of `fasttree.exports.palette`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from .._checks import checked, having, maybe, number_in, whole
from ..exports.palette import PALETTE, colour
from ..rendering.saving import replace_file, save_bytes

__all__ = [
    "AXES",
    "PALETTE",
    "axes_of",
    "colour",
    "detached",
    "new_figure",
    "save_picture",
    "save_small",
]

_DETACHED: ContextVar[bool] = ContextVar("fasttree_detached_figures", default=False)

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""Marker shapes of methods, so that colour is not the only difference."""


def _matplotlib() -> Any:
    try:
        import matplotlib.figure
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'fasttree[plots]'") from error
    return matplotlib.figure


AXES = maybe(having("axes of matplotlib", "plot", "get_position", "figure"))
"""The parameter `ax` of a picture."""


@checked(
    rows=whole(1, 64),
    columns=whole(1, 64),
    width=number_in(0.0, 1000.0, above=True),
    height=number_in(0.0, 1000.0, above=True),
)
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
    small = BytesIO()
    image.save(small, format="PNG", optimize=True)
    if hasattr(path, "write"):
        path.write(small.getvalue())
    else:
        save_bytes(path, small.getvalue())


def save_picture(path: str | os.PathLike[str], draw: Callable[[], Any]) -> None:
    """Draw axes on a figure of their own and write it, in the format of the path's suffix (PNG
    without one).

    Examples:
        >>> import pathlib, tempfile
        >>> from fasttree.plots import roc_graph
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "roc.png"
        >>> save_picture(file, lambda: roc_graph({"gini": (0.1, 0.8)}))
        >>> file.read_bytes()[1:4]
        b'PNG'
    """
    form = os.path.splitext(os.fspath(path))[1].lstrip(".") or "png"
    with detached():
        figure = draw().figure
    with replace_file(path) as stream:
        figure.savefig(stream, format=form, dpi=150)


@contextmanager
def detached() -> Iterator[None]:
    """Pictures without `ax` get figures of their own that pyplot does not know.

    Examples:
        >>> from fasttree.plots import roc_graph
        >>> with detached():
        ...     figure = roc_graph({"gini": (0.1, 0.8)}).figure
        >>> import matplotlib.pyplot
        >>> figure.number if hasattr(figure, "number") else "not one of pyplot's"
        "not one of pyplot's"
    """
    token = _DETACHED.set(True)
    try:
        yield
    finally:
        _DETACHED.reset(token)


def axes_of(ax: Any, *, width: float = 7.0, height: float = 4.5) -> Any:
    """The given axes, else pyplot's current axes if nothing is drawn in them, else those of a new
    pyplot figure of `width` x `height` inches."""
    if ax is not None:
        return ax
    _matplotlib()
    if _DETACHED.get():
        return new_figure(width=width, height=height)[1][0]
    import matplotlib.pyplot as plt

    if plt.get_fignums():
        current = plt.gcf()
        if not current.axes:
            return current.add_subplot()
        if _is_empty(plt.gca()):
            return plt.gca()
    return plt.figure(figsize=(width, height), layout="constrained").add_subplot()


def _is_empty(ax: Any) -> bool:
    """Whether nothing was drawn into axes."""
    return not (ax.has_data() or ax.texts or ax.patches) and ax.axison


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
