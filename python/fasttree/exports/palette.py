"""Colours that colour-blind people tell apart (Okabe & Ito 2008), for every picture of the package.

Eight of them, then the same eight darker, then paler; pictures of more than twenty-four classes or
methods repeat them, so none relies on colour alone.
"""

from __future__ import annotations

__all__ = ["PALETTE", "colour"]

PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#555555")
"""Colours in order."""


def colour(place: int) -> str:
    """Colour of the class or method at a place.

    Examples:
        >>> colour(0), colour(8), colour(16), colour(24)
        ('#0072B2', '#00446B', '#8CC0DC', '#0072B2')
    """
    own, turn = PALETTE[place % len(PALETTE)], place // len(PALETTE) % 3
    if turn == 0:
        return own
    weight, other = ((0.6, 0), (0.45, 255))[turn - 1]
    mixed = (round(weight * int(own[i : i + 2], 16) + (1 - weight) * other) for i in (1, 3, 5))
    return "#" + "".join(f"{channel:02X}" for channel in mixed)
