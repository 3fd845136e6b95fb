"""Texts that a reader takes for numbers: which they are, and what makes numbers of them.

What
    The levels of a column of text, or the classes of a target, may be numbers with a currency sign,
    a unit, a decimal comma or separated thousands, or numbers among which a few cells are words.
    `formatted_numbers` and `stray_word` say which, with a remedy: code for a pandas column, or the
    argument of the function that reads files. `numbers_by_decimal_mark` gives the numbers of texts
    that are read without the help of the user. Nothing else is converted here.
Complexity
    O(length of the texts); in a column with many levels, about `SAMPLE_SIZE` levels are looked at.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from .._checks.words import argument, in_text, reading, worded
from .date_texts import day_of_number, share_of_dates, some_levels

_SIGN = (
    r"(?:[$€£¥₹₽₩₺฿₫₴₪¢]|[A-Z]{0,3}\$|kr\.?|zł|Fr\.|Rs\.?|"
    r"USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|SEK|NOK|DKK|PLN)"
)
SIGNS = re.compile(rf"{_SIGN}|[%‰]")
"""Currency and percent signs: numbers that all have the same one keep their meaning without it."""

_POWERS = {
    **dict.fromkeys(("k", "tsd", "thousand"), 3),
    **dict.fromkeys(("m", "mn", "mio", "million"), 6),
    **dict.fromkeys(("b", "bn", "mrd", "billion"), 9),
}
"""Words behind a number that multiply it by a power of ten, and the power."""

_POWER = rf"(?:{'|'.join(sorted(_POWERS, reverse=True))})"
_CELL = r"[-+−]?\s*(?:\d[\d.,'’\s]*|[.,]\d+)(?:[eE][-+]?\d+)?"
"""A number with any marks between its digits."""

_CLOCK = r"(?:\d+ days? )?[-+]?\d{1,3}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s*[ap]\.?m\.?)?Z?"
_SPOKEN = r"(?:\d+\s?(?:d|h|m|s)[a-z]{0,6},?\s?){2,}|P(?=\d|T\d)(?:\d+D)?(?:T[\dHMS.]+)?"
"""Durations such as 2h 5m and PT2H5M."""

_PERCENT, _TIMES, _UNIT = "numbers with a percent sign", "times or durations", "numbers with a unit"
_NOTE = "numbers with a mark or note"
_NUMBER_FORMATS = {
    name: re.compile(
        rf"\s*(?:{pattern.replace('SIGN', _SIGN).replace('CELL', _CELL)})\s*", re.IGNORECASE
    )
    for name, pattern in {
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
"""Formats in which texts are numbers for a reader, by the name that messages give them."""

_REPLACEMENTS = (
    (r"\(", r"\(", "-"),
    ("−", "−", "-"),
    (r"\d\s*-\s*$", r"^(.*)-\s*$", r"-\1"),
    (r"\[", r"\[.*\]", ""),
    (r"[^\W\d_]\.", r"[^\W\d_]+\.", ""),
)
"""What texts may need before other characters are removed: the pattern that shows the need, the
pattern to replace, and by what."""

_CLOCKS = (
    (re.compile(r"-?(?:\d+ days? )?\d+:\d{2}:\d{2}(?:\.\d+)?"), ""),
    (re.compile(r"-?\d+:\d{2}"), " + ':00'"),
    (re.compile(_SPOKEN, re.IGNORECASE), ""),
)
"""Times that pandas reads as durations, and the code that appends what they lack."""

MAX_WORDS = 3
"""Largest number of different words among the numbers of a column that are named."""

MAX_UNITS = 3
"""Largest number of different units in one column; more are words."""

_PLAIN = re.compile(r"\s*[-+]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][-+]?\d+)?\s*")

TOTAL = re.compile(
    r"(?:(?:grand|sub)?[ -]?totals?|sums?|means?|averages?|avg|median|overall|all|std|"
    r"summe|gesamt|insgesamt|mittelwert|durchschnitt|moyenne|somme)\W*",
    re.IGNORECASE,
)
"""Names of a row of totals."""

COMMA = re.compile(r"\s*[-+]?(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?(?:[eE][-+]?\d+)?\s*")
"""Numbers with a decimal comma: 1,5 and 1.234,5."""

POINT = re.compile(
    r"\s*[-+]?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?:,\d{2})+,\d{3})(?:\.\d+)?"
    r"(?:[eE][-+]?\d+)?\s*"
)
"""Numbers with a decimal point: 1.5, 1,234.5, and 12,34,567.5 as in India."""

DECIMAL_MARKS = ((".", ",", POINT), (",", ".", COMMA))
"""The decimal marks, each with the mark that then separates thousands and the form of numbers."""

_WHOLE = re.compile(r"\s*[-+]?\d+\s*")
_LEADING_ZERO = re.compile(r"\s*[-+]?0\d")


class Reading(NamedTuple):
    """A decimal mark by which texts are numbers.

    Texts such as 1.234 have two readings, and a remedy then shows both.

    Attributes:
        mark: the decimal mark.
        meaning: what a number with a mark then means, such as "1,500 is fifteen hundred".
        code: code that makes numbers of a pandas column of these texts.
    """

    mark: str
    meaning: str
    code: str


def _readings(texts: Sequence[str], more: str = "") -> list[Reading]:
    """The decimal marks by which all texts are numbers; `more` are further arguments of the
    code."""
    has = {mark: any(mark in text for text in texts) for mark in ".,"}
    sample, readings = "1,500" if has[","] else "1.500", []
    for mark, other, form in DECIMAL_MARKS:
        if all(map(form.fullmatch, texts)) and (mark == "." or any(has.values())):
            number = "one and a half" if mark in sample else "fifteen hundred"
            cells = f".str.replace({other!r}, '')" * has[other]
            cells += ".str.replace(',', '.')" * (mark == "," and has[","])
            code = f"pandas.to_numeric(column{cells}{more})"
            readings.append(Reading(mark, f"{sample} is {number}", code))
    return readings


def conversion_code(texts: Sequence[str], more: str = "") -> str:
    """Code that makes numbers, or dates, of a pandas column of texts.

    If the texts can be read in two ways, the code of both follows, each with its meaning.

    Args:
        texts: the texts; each of them reads as a number.
        more: further arguments of the code, such as ``", errors='coerce'"``.

    Examples:
        >>> conversion_code(["0.5", "12"])
        'pandas.to_numeric(column)'
        >>> conversion_code(["20241231"])
        'pandas.to_datetime(column, format="%Y%m%d")'
        >>> conversion_code(["338.892", "12"])
        "pandas.to_numeric(column) (1.500 is one and a half) or \
pandas.to_numeric(column.str.replace('.', '')) (1.500 is fifteen hundred)"
    """
    if all(text.isdecimal() and day_of_number(int(text)) for text in texts):
        return f'pandas.to_datetime(column, format="%Y%m%d"{more})'
    readings = _readings(texts, more)
    if len(readings) < 2:
        return readings[0].code if readings else f"pandas.to_numeric(column{more})"
    return " or ".join(f"{one.code} ({one.meaning})" for one in readings)


def formatted_numbers(levels: Sequence[Any]) -> tuple[str, str] | None:
    """What keeps levels that are numbers for a reader from being read as numbers, and the remedy.

    Args:
        levels: the levels of a column.

    Returns:
        The format with an example (a comma, currency signs, units, times of day), and what makes
        numbers of the levels. None if they are plain numbers or no numbers.

    Examples:
        >>> formatted_numbers(("$12.50", "3", "-$4"))[0]
        "numbers with a currency sign ('$12.50', ...)"
        >>> formatted_numbers(("12.5 kg", "800 g", "3"))[0]
        "numbers with a unit ('12.5 kg', ...)"
        >>> formatted_numbers(("795", "34,481,000"))[1]
        "read the file with fasttree.datasets.load(path, decimal='.') (1,500 is fifteen hundred) \
(a frame: pandas.to_numeric(column.str.replace(',', '')))"
    """
    sample = some_levels(levels)
    if not sample or not all(isinstance(text, str) for text in sample):
        return None
    words = set(codes_of_words(sample))
    if not words:
        return _numbers_with_marks(sample)
    # One format must cover nearly all levels that are not plain numbers.
    found = [one for code in sorted(words) if (one := _number_format_of(sample[code])) is not None]
    counts = Counter(name for name, _ in found)
    if len(found) < max(0.95 * len(words), 1) or (_TIMES in counts and len(counts) > 1):
        return None
    name = counts.most_common(1)[0][0]
    units = {unit for _, match in found for unit in match.groupdict().values() if unit}
    is_rare = len(words) < 0.1 * len(sample)
    if len(units) > MAX_UNITS or (is_rare and name in (_TIMES, _UNIT, _NOTE)):
        return None
    texts = [match[0] for _, match in found]
    if len(found) < len(words) and (stray := stray_word(sample)) is not None:
        return f"{name} ({texts[0]!r}, ...) beside {stray[0]!r}", stray[1]
    units = units | {"%"} if _PERCENT in counts and units else units
    plain = [text for code, text in enumerate(sample) if code not in words]
    return f"{name} ({texts[0]!r}, ...)", _remedy_for_format(name, [*texts, *plain], units)


def _number_format_of(text: str) -> tuple[str, re.Match[str]] | None:
    """The name of the first of `_NUMBER_FORMATS` that a text has, and its match."""
    for name, pattern in _NUMBER_FORMATS.items():
        if (match := pattern.fullmatch(text)) is not None:
            return name, match
    return None


def _numbers_with_marks(texts: Sequence[str]) -> tuple[str, str] | None:
    """`formatted_numbers` of texts that are numbers with commas, or with points between
    thousands."""
    marked = [text for text in texts if "," in text] or [
        text for text in texts if text.count(".") > 1
    ]
    if not marked:
        return None
    readings = _readings(texts)
    if not readings:
        return f"numbers with decimal commas and points ({marked[0]!r}, ...)", "write all alike"
    what = "a comma" if "," in marked[0] else "points between thousands"
    frame = worded(f" (a frame: {conversion_code(texts)})")
    return f"numbers with {what} ({marked[0]!r}, ...)", f"{_read_with(readings)}{frame}"


def _read_with(readings: Sequence[Reading]) -> str:
    """The remedy that reads a file by a decimal mark."""
    # The first mark is written with the name of the function, the second one alone.
    written = zip((reading, argument), readings, strict=False)
    ways = [f"{write('decimal', one.mark)} ({one.meaning})" for write, one in written]
    return f"read the file with {' or '.join(ways)}"


def numbers_by_decimal_mark(levels: Sequence[Any]) -> dict[str | None, list[float]]:
    """The numbers that levels are, by the decimal mark with which all of them are numbers.

    All levels may have the same currency or percent sign, once, or none may have one.

    Returns:
        The numbers by mark, in the order of the levels; under None as well if they are the same by
        each mark. Empty if the levels are no numbers.

    Examples:
        >>> numbers_by_decimal_mark(("1.292,43 €", "-3 €"))
        {',': [1292.43, -3.0], None: [1292.43, -3.0]}
        >>> numbers_by_decimal_mark(("$1,200", "$7"))
        {'.': [1200.0, 7.0], ',': [1.2, 7.0]}
        >>> numbers_by_decimal_mark(("12 €", "$13"))
        {}
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
        for mark, other, form in DECIMAL_MARKS
        if all(map(form.fullmatch, plain))
    }
    readings = [*numbers.values()]
    return numbers | ({None: readings[0]} if readings and readings[0] == readings[-1] else {})


def stray_word(levels: Sequence[Any]) -> tuple[str, str] | None:
    """The first of a few words among levels that otherwise are numbers, with or without a sign, and
    how these words are read as missing cells; None for other levels.

    Examples:
        >>> stray_word(("1.5", "2", "3", "4", "n/a"))
        ('n/a', "if missing, read the file with fasttree.datasets.load(path, missing=['n/a']) (a \
frame: pandas.to_numeric(column, errors='coerce'))")
        >>> stray_word(("$1,500", "$20", "$3", "$4", "n/a"))[1]
        "if missing, read the file with fasttree.datasets.load(path, missing=['n/a']) and \
decimal='.' (1,500 is fifteen hundred) or decimal=',' (1,500 is one and a half)"
    """
    words = [levels[code] for code in codes_of_words(levels)]
    words = [word for word in words if _number_format_of(word) is None]
    others = [level for level in levels if level not in words]
    numbers, is_plain = numbers_by_decimal_mark(others), are_plain_numbers(others)
    are_few = 0 < len(words) <= min(MAX_WORDS, len(others) / 3)
    if not are_few or not (numbers or is_plain):
        return None
    plain = [SIGNS.sub("", text).strip() for text in others]
    remedy = f"if missing, read the file with {in_text(reading('missing', words))}"
    if not is_plain and None not in numbers:
        ways = (f"{argument('decimal', one.mark)} ({one.meaning})" for one in _readings(plain))
        remedy += f" and {' or '.join(ways)}"
    code = conversion_code(plain, ", errors='coerce'")
    return words[0], remedy + (worded(f" (a frame: {code})") if plain == others else "")


def _remedy_for_format(name: str, texts: list[str], units: set[str]) -> str:
    """What makes numbers of formatted texts: code in Python, an example in the shell.

    Args:
        name: the format, a key of `_NUMBER_FORMATS`.
        texts: texts in that format, and plain numbers after them.
        units: their different units.

    Examples:
        >>> _remedy_for_format("numbers in brackets", ["(1,5)"], set())
        "use pandas.to_numeric(column.str.replace(r'\\\\(', '-', regex=True)\
.str.replace(r'[^\\\\d,-]', '', regex=True).str.replace(r',', '.', regex=True))"
        >>> _remedy_for_format("numbers with a unit", ["1.5K", "12"], {"K"})
        "use pandas.to_numeric(column.str.replace(r'(?<=\\\\d)\\\\s*K.*', 'e3', regex=True)\
.str.replace(r'[^\\\\d.e-]', '', regex=True))"
    """
    if name == _TIMES:
        ends = next((end for form, end in _CLOCKS if all(map(form.fullmatch, texts))), None)
        code = f": pandas.to_timedelta(column{ends}).dt.total_seconds() / 3600"
        return "give numbers, such as hours" + worded(code if ends is not None else "")
    powers = {unit: _POWERS[unit.lower()] for unit in units if unit.lower() in _POWERS}
    if name == _UNIT and powers.keys() <= {"m", "b"}:
        powers = {}  # metres
    signs = {sign for text in texts for sign in re.findall(_SIGN, text)}
    if len(units - powers.keys()) + bool(powers) > 1 or len(signs) > 1:
        return "write them in one unit, as numbers alone"
    # The replacements of the code are tried on the texts first.
    steps = [step for form, *step in _REPLACEMENTS if any(re.search(form, text) for text in texts)]
    steps += [[rf"(?<=\d)\s*{unit}.*", f"e{power}"] for unit, power in sorted(powers.items())]
    exponent = "e" if powers else ""
    plain = [re.sub(rf"[^\d.,{exponent}-]", "", _replaced(text, steps)) for text in texts]
    marks = [mark for mark, _, form in DECIMAL_MARKS if all(map(form.fullmatch, plain))]
    has_marks = any("." in text or "," in text for text in plain)
    odd_digits = r"\d[eE][-+]?\d|\d['’\s]+\d{1,2}(?!\d)"
    has_odd_digits = any(re.search(odd_digits, text) for text in texts)
    if has_odd_digits or not marks or (len(marks) > 1 and has_marks):
        is_read = "." in numbers_by_decimal_mark(texts)  # once the mark is known
        return _read_with(_readings(plain)) if is_read else "write them as numbers alone"
    steps += [[rf"[^\d{marks[0]}{exponent}-]", ""], *([[",", "."]] if marks[0] == "," else [])]
    cells = "".join(f".str.replace(r'{old}', {new!r}, regex=True)" for old, new in steps)
    example = f"{float(_replaced(texts[0], steps)):.15g}"
    return worded(
        f"use pandas.to_numeric(column{cells})", f"write numbers alone, such as {example}"
    )


def _replaced(text: str, steps: Sequence[Sequence[str]]) -> str:
    """A text after replacements, each a pattern and what stands for it."""
    for pattern, replacement in steps:
        text = re.sub(pattern, replacement, text)
    return text


def dates_or_numbers(levels: Sequence[Any]) -> str | None:
    """A description of the dates or formatted numbers that the classes of a target are, with what
    makes numbers of them; None for other classes.

    Examples:
        >>> dates_or_numbers(("2024-01-31", "2024-02-01"))
        'dates as text (2024-01-31, ...): give numbers, such as days'
        >>> dates_or_numbers(("1", "2")) is None
        True
    """
    if share_of_dates(levels) >= 0.95:
        return f"dates as text ({levels[0]}, ...): give numbers, such as days"
    found = formatted_numbers(levels)
    return None if found is None else ": ".join(found)


def codes_of_words(levels: Sequence[Any]) -> list[int]:
    """Codes (positions) of the levels that are texts and no numbers.

    Numbers in any format count as numbers: with a decimal comma, separated thousands, or an
    exponent.

    Examples:
        >>> codes_of_words(("1", "2,5", "n/a", "1e3", "1.352,16"))
        [2]
    """
    return [
        code
        for code, level in enumerate(levels)
        if isinstance(level, str)
        and not any(form.fullmatch(level) for form in (_PLAIN, COMMA, POINT))
    ]


def are_plain_numbers(levels: Sequence[Any], *, fractions: bool = False) -> bool:
    """Whether all levels are texts that Python reads as numbers, none with a leading zero.

    Args:
        levels: the levels of a column.
        fractions: whether some number must have a decimal point or an exponent.

    Examples:
        >>> are_plain_numbers(("1", "-2.5", "1e3")), are_plain_numbers(("1", "a"))
        (True, False)
        >>> are_plain_numbers(("01067", "2"))
        False
    """
    if not levels or not all(isinstance(level, str) for level in levels):
        return False
    if fractions and all(map(_WHOLE.fullmatch, levels)):
        return False
    return all(
        _PLAIN.fullmatch(text) and not _LEADING_ZERO.match(text) and "," not in text
        for text in levels
    )
