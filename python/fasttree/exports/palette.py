"""The colours of classes and methods, for every picture, report and page of the package.

Eight colours for light grounds and eight for dark ones, at the same places. They follow Okabe & Ito
(2008) and were moved apart by search: every pair stays distinct for people with deuteranopia and
protanopia, and no two are shades of one hue. Each has a contrast of 3 to 1 with its ground. Tests
check all three. Beyond eight come darker and paler ones, then the colours repeat, so no picture
relies on colour alone.
"""

from __future__ import annotations

__all__ = ["DARK", "PALETTE", "colour", "css_colours"]

PALETTE = ("#1B62D7", "#DF7415", "#137B70", "#7C2E8F", "#2C91C6", "#836100", "#889984", "#4C4A45")
"""Colours in order, on light grounds: blue, orange, teal, purple, sky, brown, sage, grey."""

DARK = ("#9194FF", "#E78E05", "#84B9AC", "#A400ED", "#12FFFF", "#D40F1C", "#FFEE2F", "#786E8C")
"""Colours in order, on dark grounds: blue, orange, sage, violet, cyan, red, yellow, grey."""


def colour(place: int) -> str:
    """Colour of the class or method at a place, on light grounds.

    Examples:
        >>> colour(0), colour(8), colour(16), colour(24)
        ('#1B62D7', '#103B81', '#98B8ED', '#1B62D7')
    """
    own, turn = PALETTE[place % len(PALETTE)], place // len(PALETTE) % 3
    if turn == 0:
        return own
    weight, other = ((0.6, 0), (0.45, 255))[turn - 1]
    mixed = (round(weight * int(own[i : i + 2], 16) + (1 - weight) * other) for i in (1, 3, 5))
    return "#" + "".join(f"{channel:02X}" for channel in mixed)


def css_colours(style: str, prefix: str) -> str:
    """A style sheet with the palettes in place of the comments ``/*light*/`` and ``/*dark*/``.

    Examples:
        >>> css_colours(":root{/*dark*/}", "m")[:28]
        ':root{--m0:#9194FF;--m1:#E78'
    """
    for name, colours in (("light", PALETTE), ("dark", DARK)):
        words = "".join(f"--{prefix}{place}:{own};" for place, own in enumerate(colours))
        style = style.replace(f"/*{name}*/", words)
    return style
