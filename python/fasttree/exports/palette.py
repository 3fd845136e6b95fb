"""The colours of classes and methods in all pictures, reports and pages.

There are ten colours for light backgrounds and ten for dark ones. They start from Okabe & Ito
(2008) and were moved apart by search, so that every pair is distinct for people with deuteranopia
and protanopia and no two are shades of one hue; each has a contrast of at least 3:1 with its
background. The first three differ by at least 15 in lightness (L*), and the first six by at least
7, so that they differ in print without colours. Tests check all four. After ten colours come paler
and darker ones, then they repeat, so no picture relies on colour alone.

Numbers have a scale of eight colours, from the smallest to the largest. Its lightness grows (in the
same order on both backgrounds), so that it is a scale for everybody; the contrasts are as above.
"""

from __future__ import annotations

PALETTE = (
    "#1B62D7", "#DF7415", "#2D1654", "#405866", "#6D0D8B", "#2B85AF", "#7F6300", "#8B997F",
    "#4D401C", "#362108",
)  # fmt: skip
"""Colours on light backgrounds: blue, orange, dark violet, slate, purple, sky, brown, sage, olive,
umber."""

DARK = (
    "#9194FF", "#FFEE2F", "#A400ED", "#F3A52E", "#719173", "#58E8E1", "#D21418", "#776C8E",
    "#C1F2A5", "#3FC5DD",
)  # fmt: skip
"""Colours on dark backgrounds: blue, yellow, violet, orange, sage, cyan, red, grey, lime, sky."""

VALUES = ("#10265F", "#3B2C86", "#6A2C94", "#97318B", "#BB3D78", "#D44F5D", "#DC6340", "#DB7310")
"""Colours of numbers on light backgrounds, from the smallest to the largest: navy to orange."""

DARK_VALUES = (
    "#6E74EE", "#8B80F4", "#AE88F0", "#D08FDB", "#EC9AB8", "#F8AE93", "#FAC772", "#F9E55B",
)  # fmt: skip
"""Colours of numbers on dark backgrounds, from the smallest to the largest: violet to yellow."""

_DARKER = (0.6, 0)
_PALER = (0.45, 255)
"""Mixtures for classes after the tenth: weight of the colour, and channel mixed in (of 255)."""


def colour(index: int) -> str:
    """Colour of the class or method with an index, on light backgrounds.

    Examples:
        >>> colour(0), colour(10), colour(20), colour(30)
        ('#1B62D7', '#98B8ED', '#103B81', '#1B62D7')
    """
    base, turn = PALETTE[index % len(PALETTE)], index // len(PALETTE) % 3
    if turn == 0:
        return base
    weight, other = (_PALER, _DARKER)[turn - 1]
    channels = (round(weight * int(base[i : i + 2], 16) + (1 - weight) * other) for i in (1, 3, 5))
    return "#" + "".join(f"{channel:02X}" for channel in channels)


def css_colours(style: str, prefix: str) -> str:
    """A style sheet whose comments ``/*light*/`` and ``/*dark*/`` are replaced by the palettes.

    Each palette is written as CSS variables ``--<prefix>0``, ``--<prefix>1``, ..., and the scale of
    numbers as ``--<prefix>v0``, ``--<prefix>v1``, ...

    Args:
        style: the style sheet.
        prefix: first part of the names of the variables.

    Examples:
        >>> css_colours(":root{/*dark*/}", "m")[:28]
        ':root{--m0:#9194FF;--m1:#FFE'
    """
    for name, colours, values in (("light", PALETTE, VALUES), ("dark", DARK, DARK_VALUES)):
        numbered = [*enumerate(colours), *((f"v{i}", value) for i, value in enumerate(values))]
        variables = "".join(f"--{prefix}{i}:{value};" for i, value in numbered)
        style = style.replace(f"/*{name}*/", variables)
    return style
