"""Tests, branches and leaves in words, and text made harmless for the language it is put into.

What
    `condition` says a part of the values of a feature as people write it, ``2 < petal width <= 5``
    or ``outlook in {rainy, sunny}``. Names come from data files and may hold anything; `xml` and
    `one_line` make them inert.
"""

from __future__ import annotations

import math
import re
import unicodedata

from ..rendering.plain_text import one_line
from .reading import Feature, Part, number

__all__ = ["brief", "condition", "fit_width", "one_line", "sides", "text_width", "xml"]

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml(text: object) -> str:
    """Text as the content of an XML element or a quoted attribute.

    Examples:
        >>> xml('<script>"&')
        '&lt;script&gt;&quot;&amp;'
    """
    plain = _FORBIDDEN.sub("\ufffd", one_line(text))
    for sign, word in (
        ("&", "&amp;"),
        ("<", "&lt;"),
        (">", "&gt;"),
        ('"', "&quot;"),
        ("'", "&#39;"),
    ):
        plain = plain.replace(sign, word)
    return plain


def _units(c: str) -> float:
    """Width of a character in units of the font's size."""
    if unicodedata.combining(c):
        return 0.0
    if unicodedata.east_asian_width(c) in "WF":
        return 1.0
    if c in "iljtf.,:;'|!() ":
        return 0.38
    return 0.9 if c in "mwMWQO@%<>=≤" else 0.65


def text_width(text: str, size: float) -> float:
    """About how wide a text is in a proportional sans-serif font of `size` px, in px."""
    return sum(map(_units, text)) * size


def fit_width(text: str, size: float, width: float) -> str:
    """The text, cut with an ellipsis where it is wider than `width` px.

    No more of the text is looked at than fits, however long it is.
    """
    room = width / size
    used, kept = 0.0, 0
    end = _units("\u2026")
    for place, c in enumerate(text):
        used += _units(c)
        if used > room:
            return text[:kept].rstrip() + "\u2026"
        if used + end <= room:
            kept = place + 1
    return text


def sides(feature: Feature, part: Part, decimals: int = 6) -> str:
    """What a branch takes, without the name of the feature: ``<= 2.5``, ``= rainy``, ``is
    missing``."""
    if part.empty:
        return "is missing" if part.missing else "is nothing"
    if part.everything(feature):
        return "is known"
    if part.codes is not None:
        levels = feature.levels or ()
        left = [c for c in range(len(levels)) if c not in part.codes]
        if len(left) == 1 and len(levels) > 2:
            return f"!= {levels[left[0]]}"
        names = [str(levels[c]) for c in sorted(part.codes)]
        return f"= {names[0]}" if len(names) == 1 else f"in {{{', '.join(names)}}}"
    lower, upper = (number(feature.said(end), decimals) for end in (part.lower, part.upper))
    if part.lower == -math.inf:
        return f"<= {upper}"
    if part.upper == math.inf:
        return f"> {lower}"
    return f"in ({lower}, {upper}]"


def brief(feature: Feature, part: Part, decimals: int = 6) -> str:
    """What a branch takes, in as little room as possible: ``≤ 2.5``, ``rainy``, ``missing``."""
    said = sides(feature, part, decimals)
    for long, short in (
        ("<= ", "\u2264 "),
        ("!= ", "\u2260 "),
        ("= ", ""),
        ("is ", ""),
        ("in ", ""),
    ):
        if said.startswith(long):
            return short + said[len(long) :]
    return said


def condition(feature: Feature, part: Part, decimals: int = 6, missing: bool = False) -> str:
    """A part of a feature's values as a condition.

    Args:
        feature, part: what is spoken of.
        decimals: digits of numbers.
        missing: say also what becomes of rows without a value.

    Examples:
        >>> condition(Feature("width", None, None, None), Part(2.0, 5.0))
        '2 < width <= 5'
    """
    name = feature.name
    if (
        not part.empty
        and part.codes is None
        and math.isfinite(part.lower)
        and math.isfinite(part.upper)
    ):
        lower, upper = (number(feature.said(end), decimals) for end in (part.lower, part.upper))
        said = f"{lower} < {name} <= {upper}"
    else:
        said = f"{name} {sides(feature, part, decimals)}"
    if missing and part.missing and not part.empty:
        said += (
            " or missing"
            if part.missing == 1
            else f" (a missing one counts {number(part.missing, 4)})"
        )
    return said
