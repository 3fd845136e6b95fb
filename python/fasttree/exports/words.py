"""Texts of branches and conditions, and the escaping and fitting of texts in pictures.

`condition` writes a set of values as ``2 < petal width <= 5`` or ``outlook in {rainy, sunny}``;
`branch_text` and `short_branch_text` leave the feature out. Names come from data files and may hold
anything: `xml` and `one_line` make them harmless. Widths of texts are estimates, as the font of the
reader is not known.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import accumulate, takewhile

from .._checks.plain_text import level_text, one_line
from .answers import number
from .reading import Feature, ValueSet

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not allow."""


def xml(text: object) -> str:
    """Text as the content of an XML element or a quoted attribute: escaped, on one line, and
    without characters that XML forbids.

    Examples:
        >>> xml('<script>"&')
        '&lt;script&gt;&quot;&amp;'
    """
    return escape(_FORBIDDEN.sub("\ufffd", one_line(text))).replace("&#x27;", "&#39;")


def _ems(character: str) -> float:
    """Estimated width of a character in a proportional sans-serif font, in units of its size."""
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":  # wide, full width
        return 1.0
    if character in "iljtf.,:;'|!() ":
        return 0.38
    if character in "MW@%":
        return 1.05
    if character in "mwQO<>=≤≠&#+~^" or character > "\u0370":  # Greek, Cyrillic, arrows
        return 0.9
    return 0.8 if character.isupper() and character not in "IJ" else 0.65


def text_width(text: str, size: float) -> float:
    """Estimated width in px of a text in a proportional sans-serif font.

    Args:
        text: the text.
        size: size of the font, px.
    """
    return sum(map(_ems, text)) * size


def fit_width(text: str, size: float, width: float) -> str:
    """The text, with an ellipsis in its middle if it is too wide: long names often begin alike, or
    end alike.

    It reads only as many characters as fit, so that very long names cost nothing.

    Args:
        text: the text.
        size: size of the font, px.
        width: width that it must fit into, px.
    """
    room = width / size
    if _fitting(text, room) == len(text):
        return text
    room -= _ems("\u2026")
    n_first = _fitting(text, room / 2)
    rest = room - text_width(text[:n_first], 1.0)
    n_last = _fitting(reversed(text), rest) if rest > 0 else 0
    return f"{text[:n_first].rstrip()}\u2026{text[len(text) - n_last :].lstrip()}"


def fit_counts(counts: Sequence[str], size: float, width: float) -> str:
    """Phrases such as "yes: 12" with commas, fitted into a width.

    Where they are too wide, long names are shortened; then the last phrases are left out and their
    number is given. Numbers stay whole.

    Args:
        counts: the phrases.
        size: size of the font, px.
        width: width that they must fit into, px.

    Examples:
        >>> fit_counts(["would buy again: 61", "would not buy again: 253"], 11.0, 230.0)
        'would…again: 61, would…again: 253'
    """
    text = ", ".join(counts)
    parts = [phrase.rpartition(": ") for phrase in counts]
    longest = max((text_width(name, size) for name, _, _ in parts), default=0.0)
    while text_width(text, size) > width and longest > NARROWEST_NAME * size:
        longest -= size
        short = [f"{fit_width(name, size, longest)}: {count}" for name, _, count in parts]
        text = ", ".join(short)
    for kept in range(len(parts) - 1, 0, -1):
        if text_width(text, size) <= width:
            break
        text = ", ".join([*short[:kept], f"… {len(parts) - kept} more"])
    return text


def _fitting(text: Iterable[str], room: float) -> int:
    """How many characters at the beginning of a text fit into a width.

    Args:
        text: the characters.
        room: the width, ems.
    """
    return sum(1 for _ in takewhile(lambda used: used <= room, accumulate(map(_ems, text))))


NARROWEST_NAME = 4.0
"""Widths that names of counted classes may be shortened to, ems."""

MAX_LEVELS = 8
"""Longest list of levels that texts and pictures show in full, where the caller does not say."""


def level_list(names: Sequence[str], max_levels: int | None = MAX_LEVELS) -> str:
    """Levels in braces.

    Args:
        names: the levels.
        max_levels: largest number of levels that are all named; of more, the first ones are named
            and the number of the others is given. None: all are named.

    Examples:
        >>> level_list(["red", "green"])
        '{red, green}'
        >>> level_list([f"city{i}" for i in range(47)], 4)
        '{city0, city1, ... 45 more}'
    """
    if max_levels is None or len(names) <= max_levels:
        return f"{{{', '.join(names)}}}"
    kept = max(max_levels - 2, 1)
    return f"{{{', '.join(names[:kept])}, ... {len(names) - kept} more}}"


def branch_text(
    feature: Feature, subset: ValueSet, decimals: int = 6, max_levels: int | None = MAX_LEVELS
) -> str:
    """The values that a branch takes, without its feature: ``<= 2.5``, ``= rainy``, ``is missing``.

    Args:
        feature: the feature that is tested.
        subset: the values that the branch takes.
        decimals: digits of thresholds behind the point, at most.
        max_levels: largest number of levels that are all named, as in `level_list`.
    """
    if subset.empty:
        return "is missing" if subset.missing else "is nothing"
    if subset.everything(feature):
        return "is known"
    if subset.codes is not None:
        # The shorter list: the levels that come here, or the levels that do not.
        levels = feature.levels or ()
        among = range(len(levels)) if subset.among is None else subset.among
        codes, others = subset.codes, [c for c in among if c not in subset.codes]
        equal, within = ("=", "in") if len(codes) <= len(others) else ("!=", "not in")
        names = [level_text(levels[c]) for c in sorted(codes if within == "in" else others)]
        return (
            f"{equal} {names[0]}"
            if len(names) == 1
            else f"{within} {level_list(names, max_levels)}"
        )
    lower, upper = _ends(feature, subset, decimals)
    if subset.lower == -math.inf:
        return f"<= {upper}"
    if subset.upper == math.inf:
        return f"> {lower}"
    return f"in ({lower}, {upper}]"


def _ends(feature: Feature, subset: ValueSet, decimals: int) -> tuple[str, str]:
    """Lower and upper end of an interval, as printed.

    Args:
        feature: the feature, which knows the thresholds of its bins.
        subset: the interval.
        decimals: digits behind the point, at most.
    """
    lower, upper = (feature.threshold_of(end) for end in (subset.lower, subset.upper))
    return number(lower, decimals), number(upper, decimals)


def short_branch_text(
    feature: Feature, subset: ValueSet, decimals: int = 6, max_levels: int | None = MAX_LEVELS
) -> str:
    """The values that a branch takes, as short as possible: ``≤ 2.5``, ``rainy``, ``missing``.

    Args:
        feature: the feature that is tested.
        subset: the values that the branch takes.
        decimals: digits of thresholds behind the point, at most.
        max_levels: largest number of levels that are all named, as in `level_list`.
    """
    return respelled(branch_text(feature, subset, decimals, max_levels), SIGNS | SHORT)


SIGNS = {"<= ": "\u2264 ", "!= ": "\u2260 "}
"""Comparisons in ASCII, and their signs."""

SHORT = {"= ": "", "is ": "", "in ": ""}
"""Words with which the text of a branch begins, which pictures leave out."""


def respelled(text: str, spellings: Mapping[str, str]) -> str:
    """The text with another spelling of how it begins.

    Args:
        text: the text.
        spellings: new spelling by the old one; the first one that the text begins with is used.

    Examples:
        >>> respelled("<= 2.5", SIGNS), respelled("= rainy", SIGNS)
        ('≤ 2.5', '= rainy')
    """
    return next(
        (new + text[len(old) :] for old, new in spellings.items() if text.startswith(old)), text
    )


def condition(
    feature: Feature,
    subset: ValueSet,
    decimals: int = 6,
    missing: bool = False,
    max_levels: int | None = MAX_LEVELS,
) -> str:
    """A set of values of a feature as a condition.

    Args:
        feature: the feature.
        subset: the values of it that meet the condition.
        decimals: digits of numbers after the point.
        missing: whether to write how rows without a value meet the condition.
        max_levels: longest list of levels that is written in full; None: all.

    Examples:
        >>> condition(Feature("width", None, None, None), ValueSet(2.0, 5.0))
        '2 < width <= 5'
    """
    interval = subset.codes is None and not subset.empty
    if interval and math.isfinite(subset.lower) and math.isfinite(subset.upper):
        lower, upper = _ends(feature, subset, decimals)
        text = f"{lower} < {feature.name} <= {upper}"
    else:
        text = f"{feature.name} {branch_text(feature, subset, decimals, max_levels)}"
    if missing and subset.missing and not subset.empty:
        if subset.missing == 1:
            text += " or missing"
        else:
            text += f" (a missing one counts {number(subset.missing, 4)})"
    return text
