"""Figures, axes, and the style that all plots share: colours, markers, dashes and frames.

A plot without `ax` is drawn into pyplot's current axes, so that ``plt.show()``, ``plt.savefig`` and
a notebook cell show it. `new_figure` and `detached` make figures that pyplot does not register;
they are freed with their last reference, which suits files and HTML pages.
`fasttree.exports.palette` has the colours, which readers with a colour vision deficiency can tell
apart.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks import checked, import_optional, maybe, number_in, object_with, whole_in
from .._checks.saving import replace_file
from ..exports.palette import PALETTE, colour
from ..exports.words import fit_width

__all__ = [
    "AXES",
    "PALETTE",
    "Axes",
    "axes_of",
    "colour",
    "detached",
    "new_figure",
    "save_picture",
    "save_small",
]

if TYPE_CHECKING:
    from matplotlib.axes import Axes
else:
    Axes = Any  # matplotlib is imported by the first plot

_DETACHED: ContextVar[bool] = ContextVar("fasttree_detached_figures", default=False)

LEGEND_WIDTH = 30.0
"""Largest width of a name in a legend, in sizes of its font: about 45 characters."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""Marker shapes of methods, so that colour is not the only difference."""

REFERENCE: dict[str, Any] = {
    "color": "#999999",
    "linewidth": 1,
    "linestyle": (0, (4, 4)),
    "zorder": 1,
}
"""Style of a reference line behind the data: guessing, or perfect calibration."""


BESIDE: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)}
"""Place of a legend to the right of the axes."""


def _matplotlib() -> Any:
    return import_optional(
        "matplotlib.figure", "pictures need matplotlib: pip install 'fasttree[plots]'"
    )


AXES = maybe(object_with("axes of matplotlib", "plot", "get_position", "figure"))
"""Check of the parameter `ax` of all plots: None or axes of matplotlib."""


@checked(
    rows=whole_in(1, 64),
    columns=whole_in(1, 64),
    width=number_in(0.0, 1000.0, above=True),
    height=number_in(0.0, 1000.0, above=True),
)
def new_figure(
    rows: int = 1, columns: int = 1, *, width: float = 7.0, height: float = 4.5
) -> tuple[Any, np.ndarray]:
    """A figure with a grid of axes that pyplot does not register.

    Args:
        rows, columns: shape of the grid, 1 to 64 each.
        width, height: size of the figure, inches, above 0 and at most 1000.

    Returns:
        The figure, and its axes as a flat array of ``rows * columns`` entries, row by row.

    Raises:
        ValueError: an argument outside its range.
        ImportError: matplotlib is not installed; the message names the extra.

    Examples:
        >>> figure, axes = new_figure(1, 2)
        >>> len(axes)
        2
    """
    figure = _matplotlib().Figure(figsize=(width, height), layout="constrained")
    return figure, np.asarray(figure.subplots(rows, columns, squeeze=False)).ravel()


def save_small(figure: Any, path: Any, *, dpi: float = 100, colours: int = 96) -> None:
    """Write a figure of few hues as a PNG with a palette, about a third of the size of a full PNG.

    Args:
        figure: a figure of matplotlib.
        path: a file name, or a binary stream.
        dpi: pixels per inch.
        colours: number of colours in the palette, 1 to 256.

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


def save_picture(path: str | os.PathLike[str], draw: Callable[[], Any]) -> None:
    """Draw a plot on a figure of its own and write it to a file.

    Args:
        path: file to write; its suffix names the format, without one it is PNG.
        draw: function that makes the plot and returns its axes.

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
    """A context in which every plot without `ax` gets a new figure that pyplot does not register.

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
    """The axes that a plot draws into.

    These are `ax` if given, else pyplot's current axes if they are empty, else the axes of a new
    pyplot figure (inside `detached`: always of a new figure).

    Args:
        ax: the axes that the user gives, or None.
        width, height: size of a new figure, inches.
    """
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


def font_size() -> float:
    """The size of texts that matplotlib is set to, in points. Layouts of trees scale with it."""
    return float(_matplotlib().mpl.rcParams["font.size"])


def _is_empty(ax: Any) -> bool:
    """True if nothing was drawn into the axes and they were not switched off."""
    return not (ax.has_data() or ax.texts or ax.patches) and ax.axison


def plain_frame(ax: Any, grid: str = "y") -> None:
    """Remove the upper and right spines, and draw a faint grid behind the data.

    Args:
        ax: the axes.
        grid: the axis whose ticks get lines: "x", "y" or "both".
    """
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    ax.grid(axis=grid, color="#dddddd", linewidth=0.8)


def finish(
    ax: Any,
    title: str,
    grid: str = "y",
    *,
    size: float = 11,
    legend: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Any:
    """Apply settings of the axes, the title and the frame of `plain_frame`, and draw a legend.

    Args:
        ax: the axes.
        title: the title.
        grid: the axis whose ticks get lines: "x", "y" or "both".
        size: size of the title, points.
        legend: options of the legend; None: no legend.
        **settings: settings of the axes, such as ``xlabel``.

    Returns:
        The axes.
    """
    ax.set(**settings)
    ax.set_title(title, fontsize=size)
    plain_frame(ax, grid)
    if legend is not None:
        draw_legend(ax, **legend)
    return ax


def draw_legend(ax: Any, **options: Any) -> None:
    """Draw a legend without a frame; names wider than `LEGEND_WIDTH` lose their middle. Options are
    matplotlib's and replace the defaults."""
    drawn = ax.legend(**{"frameon": False, "fontsize": 9, **options})
    for text in drawn.get_texts():
        text.set_text(fit_width(text.get_text(), 1.0, LEGEND_WIDTH))


def unit_square(ax: Any, title: str, xlabel: str, ylabel: str) -> None:
    """Draw the frame of a curve of shares: axes from 0 to 1, equally long, and the dashed diagonal.

    Args:
        ax: the axes.
        title: the title.
        xlabel, ylabel: labels of the axes.
    """
    ax.plot([0, 1], [0, 1], **REFERENCE)
    ax.set_aspect("equal")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    finish(ax, title, "both", xlabel=xlabel, ylabel=ylabel)


def marker(index: int) -> str:
    """Marker of the method with this index, from 0 on; markers repeat after eight methods."""
    return MARKERS[index % len(MARKERS)]


LINE_STYLES = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1.5, 2)))
"""Line styles of curves by index of the method: solid, dashed, dotted, dash-dotted."""


def curve(ax: Any, index: int, x: Any, y: Any, label: str, *, dots: bool = False) -> None:
    """Draw the curve of a method, in its colour and line style.

    Args:
        ax: the axes.
        index: position of the method, which selects colour, line style and marker.
        x, y: the points, in order.
        label: name of the method, for the legend.
        dots: whether the method's marker stands at every point.
    """
    ax.plot(
        np.asarray(x, dtype=float),
        np.asarray(y, dtype=float),
        color=colour(index),
        linewidth=1.8,
        linestyle=LINE_STYLES[index % len(LINE_STYLES)],
        marker=marker(index) if dots else None,
        markersize=5,
        label=label,
        zorder=3,
    )
