"""What texts say for a reader: numbers, numbers with a sign or unit, dates, times of day.

The levels of a column of text are looked at, or the classes of a target; nothing is converted here.
O(levels), of many levels a thousand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from .._checks.words import argument, in_text, reading, worded
from .date_texts import date_match, day_of_number

_SIGN = (
    r"(?:[$€£¥₹₽₩₺฿₫₴₪¢]|[A-Z]{0,3}\$|kr\.?|zł|Fr\.|Rs\.?|"
    r"USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|SEK|NOK|DKK|PLN)"
)
SIGNS = re.compile(rf"{_SIGN}|[%‰]")
"""Signs that numbers keep their meaning without, if all have the same."""
_POWERS = {
    **dict.fromkeys(("k", "tsd", "thousand"), 3),
    **dict.fromkeys(("m", "mn", "mio", "million"), 6),
    **dict.fromkeys(("b", "bn", "mrd", "billion"), 9),
}
"""Words behind a number that multiply it by a power of ten."""
_POWER = rf"(?:{'|'.join(sorted(_POWERS, reverse=True))})"
_PERCENT, _TIMES, _UNIT = "numbers with a percent sign", "times or durations", "numbers with a unit"
_NOTE = "numbers with a mark or note"
_CLOCK = r"(?:\d+ days? )?[-+]?\d{1,3}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s*[ap]\.?m\.?)?Z?"
_SPOKEN = r"(?:\d+\s?(?:d|h|m|s)[a-z]{0,6},?\s?){2,}|P(?=\d|T\d)(?:\d+D)?(?:T[\dHMS.]+)?"
"""Durations such as 2h 5m and PT2H5M."""
_CELL = r"[-+−]?\s*(?:\d[\d.,'’\s]*|[.,]\d+)(?:[eE][-+]?\d+)?"
_DRESSED = {
    what: re.compile(
        rf"\s*(?:{form.replace('SIGN', _SIGN).replace('CELL', _CELL)})\s*", re.IGNORECASE
    )
    for what, form in {
        "numbers with a currency sign": (
            rf"\(?[-+−]?\s*SIGN\s*CELL(?P<unit>{_POWER})?-?\)?"
            rf"|\(?CELL(?P<power>{_POWER})?\s*SIGN\)?"
        ),
        _PERCENT: r"CELL\s*[%‰]",
        "numbers in brackets, as of losses": r"\(CELL\)",
        "numbers with the minus behind": r"CELL-",
        "numbers with a typographic minus": r"−\s*\d[\d.,]*",
        _NOTE: r"[~≈]\s*CELL|CELL\s*([*†‡]+|\[\w{1,4}\]|\([^()\s]{1,4}\)|±\s*CELL)|\[CELL\]",
        "numbers with apostrophes or blanks between thousands": (
            r"[-+]?\d{1,3}(?:['’\s]\d{3})+(?:[.,]\d+)?"
        ),
        _TIMES: rf"{_CLOCK}|{_SPOKEN}",
        _UNIT: (r"CELL\s*(?P<unit>[^\W\d_]{1,8}[²³]?(?:/[^\W\d_]{1,4})?|°[CF]?|[\"'])"),
    }.items()
}
"""Texts that are numbers for a reader, by what hides it."""

_STEPS = (
    (r"\(", r"\(", "-"),
    ("−", "−", "-"),
    (r"\d\s*-\s*$", r"^(.*)-\s*$", r"-\1"),
    (r"\[", r"\[.*\]", ""),
    (r"[^\W\d_]\.", r"[^\W\d_]+\.", ""),
)
"""What texts may need: the pattern that shows it, what is replaced, and by what."""

_CLOCKS = (
    (re.compile(r"-?(?:\d+ days? )?\d+:\d{2}:\d{2}(?:\.\d+)?"), ""),
    (re.compile(r"-?\d+:\d{2}"), " + ':00'"),
    (re.compile(_SPOKEN, re.IGNORECASE), ""),
)
"""Times that pandas reads as durations, and what it needs at their ends."""

MOST_WORDS = 3
"""Words among the numbers of a column that are named, at most."""

MOST_UNITS = 3
"""Different units of one column, at most: more are words."""
_PLAIN = re.compile(r"\s*[-+]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][-+]?\d+)?\s*")

TOTAL = re.compile(
    r"(?:(?:grand|sub)?[ -]?totals?|sums?|means?|averages?|avg|median|overall|all|std|"
    r"summe|gesamt|insgesamt|mittelwert|durchschnitt|moyenne|somme)\W*",
    re.IGNORECASE,
)
"""What a row of totals is called."""
COMMA = re.compile(r"\s*[-+]?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?(?:[eE][-+]?\d+)?\s*")
"""1,5 and 1.234,5"""
POINT = re.compile(
    r"\s*[-+]?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?:,\d{2})+,\d{3})(?:\.\d+)?"
    r"(?:[eE][-+]?\d+)?\s*"
)
"""1.5, 1,234.5, and 12,34,567.5 as in India"""
MARKS = ((".", ",", POINT), (",", ".", COMMA))
"""The decimal marks, each with what then separates thousands and the form of numbers."""

_WHOLE = re.compile(r"\s*[-+]?\d+\s*")
_LEADING_ZERO = re.compile(r"\s*[-+]?0\d")

LOOKED_AT = 1000
"""Levels of a column that are read."""


def date_share(levels: Sequence[Any]) -> float:
    """Share of the levels that read as dates or times.

    Examples:
        >>> date_share(("2024-01-31", "2024-02-01")), date_share(("a", "2024-02-01"))
        (1.0, 0.5)
    """
    sample = levels[:: max(1, len(levels) // LOOKED_AT)]
    dates = sum(isinstance(level, str) and date_match(level) is not None for level in sample)
    return dates / len(sample) if sample else 0.0


def _ways(texts: Sequence[str], more: str = "") -> list[tuple[str, str, str]]:
    """The decimal marks by which all texts are numbers, each with what a number with a mark then
    means, and the code that makes numbers of a frame's column of texts."""
    has = {mark: any(mark in text for text in texts) for mark in ".,"}
    sample, ways = "1,500" if has[","] else "1.500", []
    for mark, other, form in MARKS:
        if all(map(form.fullmatch, texts)) and (mark == "." or any(has.values())):
            number = "one and a half" if mark in sample else "fifteen hundred"
            cells = f".str.replace({other!r}, '')" * has[other]
            cells += ".str.replace(',', '.')" * (mark == "," and has[","])
            ways.append((mark, f"{sample} is {number}", f"pandas.to_numeric(column{cells}{more})"))
    return ways


def converted(texts: Sequence[str], more: str = "") -> str:
    """Code that makes numbers of a frame's column of texts, none of them one of `no_numbers`.

    Args:
        texts: the texts.
        more: further arguments of the code.

    Examples:
        >>> converted(["0.5", "12"])
        'pandas.to_numeric(column)'
        >>> converted(["20241231"])
        'pandas.to_datetime(column, format="%Y%m%d")'
        >>> converted(["338.892", "12"])
        "pandas.to_numeric(column) (1.500 is one and a half) or \
pandas.to_numeric(column.str.replace('.', '')) (1.500 is fifteen hundred)"
    """
    if all(text.isdecimal() and day_of_number(int(text)) for text in texts):
        return f'pandas.to_datetime(column, format="%Y%m%d"{more})'
    ways = _ways(texts, more)
    if len(ways) < 2:
        return ways[0][2] if ways else f"pandas.to_numeric(column{more})"
    return " or ".join(f"{code} ({meaning})" for _, meaning, code in ways)


def dressed_as(levels: Sequence[Any]) -> tuple[str, str] | None:
    """What hides that levels are numbers, with an example (a comma, currency signs, units, times of
    day), and what makes numbers of them; None where they are plain numbers or no numbers.

    Examples:
        >>> dressed_as(("$12.50", "3", "-$4"))[0]
        "numbers with a currency sign ('$12.50', ...)"
        >>> dressed_as(("12.5 kg", "800 g", "3"))[0]
        "numbers with a unit ('12.5 kg', ...)"
        >>> dressed_as(("795", "34,481,000"))[1]
        "read the file with fasttree.datasets.load(path, decimal='.') (1,500 is fifteen hundred) \
(a frame: pandas.to_numeric(column.str.replace(',', '')))"
    """
    sample = levels[:: max(1, len(levels) // LOOKED_AT)]
    if not sample or not all(isinstance(text, str) for text in sample):
        return None
    odd = set(no_numbers(sample))
    if not odd:
        return _with_marks(sample)
    matches = [match for code in sorted(odd) if (match := _dress_of(sample[code])) is not None]
    kinds = Counter(what for what, _ in matches)
    if len(matches) < max(0.95 * len(odd), 1) or (_TIMES in kinds and len(kinds) > 1):
        return None
    what = kinds.most_common(1)[0][0]
    units = {unit for _, match in matches for unit in match.groupdict().values() if unit}
    if len(units) > MOST_UNITS or (len(odd) < 0.1 * len(sample) and what in (_TIMES, _UNIT, _NOTE)):
        return None
    texts = [match[0] for _, match in matches]
    if len(matches) < len(odd) and (mended := without_words(sample)) is not None:
        return f"{what} ({texts[0]!r}, ...) beside {mended[0]!r}", mended[1]
    units = units | {"%"} if _PERCENT in kinds and units else units
    plain = [text for code, text in enumerate(sample) if code not in odd]
    return f"{what} ({texts[0]!r}, ...)", _undressed(what, [*texts, *plain], units)


def _dress_of(text: str) -> tuple[str, re.Match[str]] | None:
    """The first form of `_DRESSED` that a text has, by its name."""
    matches = ((what, form.fullmatch(text)) for what, form in _DRESSED.items())
    return next(((what, match) for what, match in matches if match is not None), None)


def _with_marks(texts: Sequence[str]) -> tuple[str, str] | None:
    """`dressed_as` of texts that are numbers with commas, or with points between thousands."""
    marked = [text for text in texts if "," in text] or [
        text for text in texts if text.count(".") > 1
    ]
    if not marked:
        return None
    ways = _ways(texts)
    if not ways:
        return f"numbers with decimal commas and points ({marked[0]!r}, ...)", "write all alike"
    what = "a comma" if "," in marked[0] else "points between thousands"
    frame = worded(f" (a frame: {converted(texts)})")
    return f"numbers with {what} ({marked[0]!r}, ...)", f"{_read_with(ways)}{frame}"


def _read_with(ways: Sequence[tuple[str, str, str]]) -> str:
    """How a file is read by one of the decimal marks of `_ways`."""
    says = zip((reading, argument), ways, strict=False)
    read = " or ".join(f"{say('decimal', mark)} ({meaning})" for say, (mark, meaning, _) in says)
    return f"read the file with {read}"


def numbers_by_mark(levels: Sequence[Any]) -> dict[str | None, list[float]]:
    """The numbers of levels that all have the same currency or percent sign, once, or none, by each
    decimal mark with which all are numbers, and by None where they are the same by each.

    Examples:
        >>> numbers_by_mark(("1.292,43 €", "-3 €")), numbers_by_mark(("12 €", "$13"))
        ({',': [1292.43, -3.0], None: [1292.43, -3.0]}, {})
        >>> numbers_by_mark(("$1,200", "$7"))
        {'.': [1200.0, 7.0], ',': [1.2, 7.0]}
    """
    texts = [level for level in levels if isinstance(level, str)]
    if not texts or not any(map(str.isdigit, texts[0])):  # most columns of text
        return {}
    signs = {tuple(SIGNS.findall(text)) for text in texts}
    if len(texts) < len(levels) or len(signs) != 1 or len(sign := signs.pop()) > 1:
        return {}
    if sign:  # blanks may separate it, and thousands
        texts = ["".join(SIGNS.sub("", text).split()) for text in texts]
    plain = [text.strip().replace("−", "-") for text in texts]
    numbers: dict[str | None, list[float]] = {
        mark: [float(text.replace(other, "").replace(mark, ".")) for text in plain]
        for mark, other, form in MARKS
        if all(map(form.fullmatch, plain))
    }
    readings = [*numbers.values()]
    return numbers | ({None: readings[0]} if readings and readings[0] == readings[-1] else {})


def without_words(levels: Sequence[Any]) -> tuple[str, str] | None:
    """The first of a few words among levels that are numbers else, with or without a sign, and how
    these are read; None of other levels.

    Examples:
        >>> without_words(("1.5", "2", "3", "4", "n/a"))
        ('n/a', "if missing, read the file with fasttree.datasets.load(path, missing=['n/a']) (a \
frame: pandas.to_numeric(column, errors='coerce'))")
        >>> without_words(("$1,500", "$20", "$3", "$4", "n/a"))[1]
        "if missing, read the file with fasttree.datasets.load(path, missing=['n/a']) and \
decimal='.' (1,500 is fifteen hundred) or decimal=',' (1,500 is one and a half)"
    """
    words = [levels[code] for code in no_numbers(levels) if _dress_of(levels[code]) is None]
    others = [level for level in levels if level not in words]
    read, is_plain = numbers_by_mark(others), are_numbers(others)
    is_few = 0 < len(words) <= min(MOST_WORDS, len(others) / 3)
    if not is_few or not (read or is_plain):
        return None
    plain = [SIGNS.sub("", text).strip() for text in others]
    remedy = f"if missing, read the file with {in_text(reading('missing', words))}"
    if not is_plain and None not in read:
        marks = (f"{argument('decimal', mark)} ({meaning})" for mark, meaning, _ in _ways(plain))
        remedy += f" and {' or '.join(marks)}"
    code = converted(plain, ", errors='coerce'")
    return words[0], remedy + (worded(f" (a frame: {code})") if plain == others else "")


def _undressed(what: str, texts: list[str], units: set[str]) -> str:
    """What makes numbers of texts with signs: code for Python, an example for the shell.

    Args:
        what: the name of what hides them, in `_DRESSED`.
        texts: the texts; the first one has a sign.
        units: their different units.

    Examples:
        >>> _undressed("numbers in brackets", ["(1,5)"], set())
        "use pandas.to_numeric(column.str.replace(r'\\\\(', '-', regex=True)\
.str.replace(r'[^\\\\d,-]', '', regex=True).str.replace(r',', '.', regex=True))"
        >>> _undressed("numbers with a unit", ["1.5K", "12"], {"K"})
        "use pandas.to_numeric(column.str.replace(r'(?<=\\\\d)\\\\s*K.*', 'e3', regex=True)\
.str.replace(r'[^\\\\d.e-]', '', regex=True))"
    """
    if what == _TIMES:
        ends = next((end for form, end in _CLOCKS if all(map(form.fullmatch, texts))), None)
        code = f": pandas.to_timedelta(column{ends}).dt.total_seconds() / 3600"
        return "give numbers, such as hours" + worded(code if ends is not None else "")
    powers = {unit: _POWERS[unit.lower()] for unit in units if unit.lower() in _POWERS}
    if what == _UNIT and powers.keys() <= {"m", "b"}:
        powers = {}  # metres
    signs = {sign for text in texts for sign in re.findall(_SIGN, text)}
    if len(units - powers.keys()) + bool(powers) > 1 or len(signs) > 1:
        return "write them in one unit, as numbers alone"
    # Each step is a replacement in the code; the steps are tried on the texts.
    steps = [step for form, *step in _STEPS if any(re.search(form, text) for text in texts)]
    for unit, power in sorted(powers.items()):
        steps.append([rf"(?<=\d)\s*{unit}.*", f"e{power}"])
    e = "e" if powers else ""
    plain = [re.sub(rf"[^\d.,{e}-]", "", _replaced(text, steps)) for text in texts]
    marks = [mark for mark, _, form in MARKS if all(map(form.fullmatch, plain))]
    has_marks = any("." in one or "," in one for one in plain)
    odd = any(re.search(r"\d[eE][-+]?\d|\d['’\s]+\d{1,2}(?!\d)", text) for text in texts)
    if odd or not marks or (len(marks) > 1 and has_marks):
        is_read = "." in numbers_by_mark(texts)  # once the mark is known
        return _read_with(_ways(plain)) if is_read else "write them as numbers alone"
    steps += [[rf"[^\d{marks[0]}{e}-]", ""], *([[",", "."]] if marks[0] == "," else [])]
    cells = "".join(f".str.replace(r'{old}', {new!r}, regex=True)" for old, new in steps)
    example = f"{float(_replaced(texts[0], steps)):.15g}"
    return worded(
        f"use pandas.to_numeric(column{cells})", f"write numbers alone, such as {example}"
    )


def _replaced(text: str, steps: Sequence[Sequence[str]]) -> str:
    """A text after replacements of patterns."""
    for old, new in steps:
        text = re.sub(old, new, text)
    return text


def hidden_numbers(levels: Sequence[Any]) -> str | None:
    """What dates or numbers the classes of a target are, and what makes numbers of them, or None.

    Examples:
        >>> hidden_numbers(("2024-01-31", "2024-02-01")), hidden_numbers(("1", "2"))
        ('dates as text (2024-01-31, ...): give numbers, such as days', None)
    """
    if date_share(levels) >= 0.95:
        return f"dates as text ({levels[0]}, ...): give numbers, such as days"
    dressed = dressed_as(levels)
    return None if dressed is None else ": ".join(dressed)


def no_numbers(levels: Sequence[Any]) -> list[int]:
    """Codes of the levels that are text and read as no number.

    Examples:
        >>> no_numbers(("1", "2,5", "n/a", "1e3", "1.352,16"))
        [2]
    """
    texts = ((code, level) for code, level in enumerate(levels) if isinstance(level, str))
    return [
        code
        for code, text in texts
        if not any(form.fullmatch(text) for form in (_PLAIN, COMMA, POINT))
    ]


def are_numbers(levels: Sequence[Any], *, fractions: bool = False) -> bool:
    """Whether levels are texts that all read as numbers, none with a zero before other digits.

    Args:
        levels: of a column.
        fractions: some must not be whole.

    Examples:
        >>> are_numbers(("1", "-2.5", "1e3")), are_numbers(("01067", "2")), are_numbers(("1", "a"))
        (True, False, False)
    """
    texts = [level for level in levels if isinstance(level, str)]
    if not texts or len(texts) < len(levels):
        return False
    if fractions and all(_WHOLE.fullmatch(text) for text in texts):
        return False
    return all(
        _PLAIN.fullmatch(text) and not _LEADING_ZERO.match(text) and "," not in text
        for text in texts
    )
