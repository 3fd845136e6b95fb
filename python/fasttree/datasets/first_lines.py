"""What the first lines of a text file are: titles and comments, names of the columns, or rows.

What
    `layout` decides for all delimited text. Lines of other lengths than the rows, and comments, are
    titles. A line that is one cell shorter than the rows is a header above row names, as R's
    ``write.table`` writes it, or the rows end in a separator. Whether a line of their length has
    names is decided by the rows below it: `_evidence` adds, column by column, the logarithm of how
    much more likely its cell is as a name than as a further value of the column. By the rule of
    Good and Turing a value that was not seen in n rows comes next with the probability of (values
    seen once + 1) / (n + 2). So a word above numbers, and a new word above words that repeat, speak
    for names, and a number within the range of its column or a word of its column against.
    `index_of` finds the unnamed columns that count or name the rows.
Complexity
    O(cells of the sampled rows) until the evidence is clear, which few columns suffice for.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from .._checks.words import argument
from ..table.columns import Column
from ..table.data_checks.sentinels import MISSING_WORD
from ..table.date_texts import share_of_dates
from ..table.number_texts import COMMA

PRIOR = 0.5
"""Evidence for names before a cell is read: most files have them."""

RARE = math.log(0.02)
"""Evidence of a cell that is also a value of its column, or a number within the range of its
column."""

SURE = 20.0
"""Evidence from which on no further column is read."""

Row = Sequence[str]
"""The cells of a line."""

IN_DOUBT = 1.0
"""Evidence below which a warning says how the line was read."""

REPEATED = 3.0
"""Evidence for names above which later lines that are equal to the header are no rows."""

_COMMENTS = ("#", "%", "//")
_NO_UNIT = re.compile(r"[-–—.]*|[(\[<].*[)\]>]")
_WORD, _DIGITS = re.compile(r"[^\W\d_]+"), re.compile(r"\d+")


class Layout(NamedTuple):
    """The first lines of a file."""

    above: int
    """Number of records that are no rows: titles, comments and names."""
    width: int
    """Number of columns."""
    header: int | None
    """The record with the names of the columns; None without one."""
    has_row_names: bool
    """Whether the header has no cell for the first column, which holds the names of the rows."""
    notes: list[str]
    """What is unusual about the first lines, in words for a warning."""
    repeats: bool
    """Whether a record with the same cells as the header is a repetition of it, and no row."""

    def names(self, cells: Sequence[str]) -> list[str]:
        """The names of the columns, of the cells of the header; those without one are empty."""
        found = _unmarked([cell.strip() for cell in cells], self.width)
        if all(len(one) > 2 and one[0] == one[-1] == "'" for one in found):
            found = [one[1:-1] for one in found]  # quoted as in ARFF
        return ["", *found] if self.has_row_names else found[: self.width]


def sniff(line: str) -> str:
    """The separator of a line: the first of comma, tab, semicolon and bar in it, else a blank.

    In a line with tabs or semicolons, commas that all lie between digits are decimal commas.

    Examples:
        >>> sniff("a;b;c"), sniff("a, b; c"), sniff("1\\t2"), sniff(" 1.5   2"), sniff("1")
        (';', ',', '\\t', ' ', ',')
        >>> sniff("1,5;2,25;yes")
        ';'
    """
    fallback = " " if " " in line.strip() else ","
    if {"\t", ";"} & set(line):
        line = re.sub(r"(?<=\d),(?=\d)", "", line) if not re.search(r"\D,|,\D", line) else line
    return next((sep for sep in (",", "\t", ";", "|") if sep in line), fallback)


def sniff_lines(lines: Sequence[str]) -> str:
    """The separator of a file: the separator of its first line, unless that line is a title. It is
    taken for one if nearly all other lines have another separator, all the same number of times,
    and the first line does not.

    Examples:
        >>> sniff_lines(["# by x, y", "a;b", "1,5;2", "2;3"]), sniff_lines(["a,b", "1;2,3", "4,5"])
        (';', ',')
        >>> sniff_lines(["Report, Ulm; 2012", "a;b;c", "1,5;2;yes", "2;3;no"])
        ';'
    """
    lines = [line for line in lines if line.strip()][:30]
    if not lines:
        return ","
    first, *others = lines
    for sep in dict.fromkeys(map(sniff, others)):
        if sep == sniff(first):
            continue
        counts = Counter(len(_divided(line, sep)) for line in others)
        width, n = counts.most_common(1)[0]
        is_title = len(_divided(first.strip(), sep)) != width
        if is_title and width > 1 and n >= 0.8 * len(others):
            return sep
    return sniff(first)


def _divided(line: str, sep: str) -> list[str]:
    """The pieces of a line, quoted cells without their text."""
    return re.sub(r'"[^"]*"', "q", line).split(None if sep == " " else sep)


def layout(
    records: Sequence[Row],
    header: bool | None,
    missing: Collection[str],
    known: Collection[str] = (),
) -> Layout:
    """The layout of a file.

    Args:
        records: the cells of its first records, of any lengths; at least one.
        header: whether the first line of full length has names; None: the rows below decide.
        missing: texts that mean a missing cell.
        known: names of a model's columns.

    Examples:
        >>> rows = [["", "a", "y"], ["0", "1.5", "p"], ["1", "2", "q"], ["2", "7", "p"]]
        >>> layout(rows, None, [""])[:4]
        (1, 3, 0, False)
        >>> layout([["a", "y"], *rows[1:]], None, [""])[:4], layout(rows[1:], None, [""])[:4]
        ((1, 3, 0, True), (0, 3, None, False))
        >>> one = [["a", "y"], ["3", "y"]]
        >>> layout(one, None, [""]).header, layout(one, None, [""], ["a", "y"]).header
        (None, 0)
        >>> layout([["3", "u"]], None, [""]).header, layout([["3", "u"]], None, [""], ["a"]).header
        (0, None)
    """
    evidence_of = partial(_evidence, missing=missing, known=known)
    rows = [[cell.strip() for cell in record] for record in records]
    lengths = Counter(map(len, rows[1:] or rows))
    most = max(lengths.values())
    width = next(length for length in map(len, rows) if lengths[length] == most)
    first, notes = 0, []
    while first + 1 < len(rows) and _is_title(rows[first:], width, header, evidence_of):
        first += 1
    if first == 1:
        notes.append("line 1 is a title or comment")
    elif first:
        notes.append(f"the first {first} lines are titles or comments")
    cells, below = _unmarked(rows[first], width), rows[first + 1 :]
    whole = [row for row in below if len(row) == width]
    others = [row for row in whole if row != cells]
    if 1 < len(others) < len(whole) and evidence_of(cells, others) > REPEATED:
        whole = others
    has_row_names, evidence = False, math.inf
    if len(cells) == width - 1 > 0 and header is not False:
        if whole and not any(row[-1] for row in whole):
            width -= 1
            evidence = evidence_of(cells, whole)
            notes.append("the lines end in a separator")
        else:
            has_row_names = True
            notes.append("the first column has the names of the rows, left out")
    elif len(cells) == width or (len(cells) == width + 1 and not cells[-1]):
        evidence = evidence_of(cells[:width], whole)
    else:  # an error that the reader finds in the rows
        width = len(cells)
    if header is None and known and not below and not {*cells} & {*known}:
        evidence = -math.inf
        notes.append("the one line holds no name of the model's columns and is read as values")
    has_header = evidence > 0 if header is None else header
    if header is None and abs(evidence) < IN_DOUBT and len(below) > 1:
        other = f"{'values' if has_header else 'names'}, {argument('header', not has_header)}"
        taken = "names of the columns" if has_header else "values"
        notes.append(f"the line {','.join(cells)[:60]!r} is read as {taken} (if it has {other})")
    if not has_header and width > 1 and not any(row[-1] for row in [cells, *whole]):
        width -= 1
        notes.append("the lines end in a separator")
    units = _units(whole, cells, missing) if header is None and has_header else []
    for row in units:
        notes.append(f"the line {','.join(row)[:60]!r} below the names is units or text, left out")
    above = first + has_header + len(units)
    names_row = first if has_header else None
    repeats = has_header and width > 1 and evidence > 0 and None in map(_value, cells)
    return Layout(above, width, names_row, has_row_names and has_header, notes, repeats)


def _units(rows: Sequence[Row], names: Row, missing: Collection[str]) -> Sequence[Row]:
    """The first rows, three at most, that are units or explanations of those behind them."""
    some = (n for n in (3, 2, 1) if len(rows) > n + 1)
    are = (n for n in some if all(_is_unit(r, rows[n:], names, missing) for r in rows[:n]))
    return rows[: next(are, 0)]


def _is_unit(unit: Row, rows: Sequence[Row], names: Row, missing: Collection[str]) -> bool:
    """Whether a row has units, words or questions where all others have numbers or dates.

    Beside them its cells are empty, marks such as ``-``, in brackets, or, where two columns of
    numbers have units, words that do not occur below. A first column without a name is an index,
    and rows of one cell are notes.
    """
    n_units, n_words, is_index = 0, 0, not names[0]
    if is_index and not any(unit[1:]):  # the name of the index, as pandas writes it
        return bool(unit[0]) and _value(unit[0]) is None
    rows = [unit, *(row for row in rows if sum(map(bool, row)) > 1)]
    for cell, *column in [*zip(*rows, strict=True)][is_index:]:
        known = [text for text in column if text not in missing]
        is_number = all(_value(text) is not None for text in known) or share_of_dates(known) == 1
        if _value(cell) is not None or MISSING_WORD.fullmatch(cell):
            return False
        if cell not in missing and is_number:
            n_units += 1
        elif cell not in missing and not _NO_UNIT.fullmatch(cell):
            if cell in known:
                return False
            n_words += 1
    return len(rows) > 2 and len(unit) > 1 and n_units > min(n_words, 1)


def _is_title(
    rows: Sequence[Row], width: int, header: bool | None, evidence_of: Callable[..., float]
) -> bool:
    """Whether the first row is a title, a comment or an empty line above the table, or groups the
    columns (``size,size,mark`` or ``size,,mark``) whose names stand in the next one; `evidence_of`
    is `_evidence` of cells and rows."""
    cells, after, is_comment = _unmarked(rows[0], width), rows[1:], rows[0][0].startswith(_COMMENTS)
    filled, is_short = sum(map(bool, cells)), len(cells) < width
    if len(cells) < width - 1 or (is_comment and is_short) or len(cells) > width:
        return is_comment or is_short
    if width == 1 or header is False:
        return False
    if filled < 2 and not is_short and (cells[0] or not filled):
        return not filled or (width > 2 and _value(cells[0]) is None)
    groups = cells if cells[0] else cells[1:]
    has_groups = len({*groups, ""}) <= len(groups) and len({*after[0]}) == len(after[0]) == width
    if not is_short and not is_comment and not has_groups:
        return False
    # A title or row names above the header, or a header behind a mark: the next line tells.
    padded = ["", *cells] if is_short else cells
    whole = [row for row in after if len(row) == width]
    own = evidence_of(padded, whole)
    return len(whole) > 1 and evidence_of(whole[0], whole[1:]) > max(own, 0)


def _unmarked(cells: Sequence[str], width: int) -> list[str]:
    """Cells without the mark of a comment, which NumPy writes before the names of columns."""
    if cells[0] in _COMMENTS and len(cells) == width + 1:
        return list(cells[1:])
    return [re.sub(r"^[#%]\s+", "", cells[0]), *cells[1:]]


def _value(cell: str) -> float | None:
    """The number of a cell, with a decimal point or comma; None where it is no number."""
    try:
        return float(cell) if "_" not in cell else None  # Python reads 1_000, data files do not
    except ValueError:
        has_comma = COMMA.fullmatch(cell) is not None
        return float(cell.replace(".", "").replace(",", ".")) if has_comma else None


def _evidence(
    cells: Row, below: Sequence[Row], missing: Collection[str], known: Collection[str]
) -> float:
    """How much more likely cells are names of the columns below than a row of them, as a
    logarithm; words that are `known` as names are rare values."""
    names = [cell for cell in cells if cell not in missing]
    sure = {cell for cell in names if cell in known and _value(cell) is None}
    total = PRIOR + RARE / 2 * (len(names) - len(set(names))) - RARE * len(sure)
    numbered = _are_numbered(cells, below)
    if numbered:
        total += sum(_value(cell) is not None for cell in cells) / 2
    for j, cell in enumerate(cells):
        if cell not in sure and not (numbered and _value(cell) is not None):
            total += _evidence_of(cell, [row[j] for row in below], missing)
        if abs(total) > SURE:
            break
    return total


def _are_numbered(cells: Row, below: Sequence[Row]) -> bool:
    """Whether the numbers among the cells count columns (0, 1, 2 or 2019, 2020), beside an empty
    cell, four or more of them, or out of the range of their columns."""
    places = [j for j, cell in enumerate(cells) if _value(cell) is not None]
    if len(places) < 2 or not below or not _is_even(cells, places) or _is_even(below[0], places):
        return False
    if not cells[0] or len(places) > 3:
        return True
    return all(_evidence_of(cells[j], [row[j] for row in below], ()) > RARE for j in places)


def _is_even(cells: Row, places: Sequence[int]) -> bool:
    """Whether cells are whole numbers of one step."""
    values = [_value(cells[j]) for j in places]
    if any(value is None or not value.is_integer() for value in values):
        return False
    steps = np.diff(np.array(values, dtype=np.float64))
    return bool(steps[0] != 0 and (steps == steps[0]).all())


def _evidence_of(cell: str, column: Sequence[str], missing: Collection[str]) -> float:
    """The evidence of one cell above its column."""
    known = [text for text in column if text not in missing]
    if not known and column:
        return 0.0
    n = len(column) + 2
    if cell in missing:
        return math.log(0.1 / ((n - 1 - len(known)) / n))
    value = _value(cell)
    if value is not None:
        values = [one for one in map(_value, known) if one is not None]
        if 2 * len(values) > len(known):
            outside = not min(values) <= value <= max(values)
            return RARE - (math.log(2 / n) if outside else 0)
    if cell in known:
        return RARE
    # A word that is new: of a form of its own, or one of the values of this form.
    form = _form(cell)
    forms = [_form(text) for text in known]
    alike = [text for text, one in zip(known, forms, strict=True) if one == form] or forms
    once = sum(count == 1 for count in Counter(alike).values())
    return -math.log((once + 1) / n)


def _form(text: str) -> str:
    """The form of a text: each number becomes ``9`` and each word ``a``."""
    if _value(text) is not None:
        return "9"
    return _DIGITS.sub("9", _WORD.sub("a", text))


def index_of(columns: Sequence[Column]) -> bool:
    """Whether the first, unnamed columns of a file are its index: whole numbers of which most occur
    once, with those that R makes of repeated ones (1, 1.1, 1.2), or different texts that are no
    dates.

    Examples:
        >>> index_of([Column("", "numeric", np.array([7.0, 2.0, 4.0]))])
        True
        >>> index_of([Column("", "numeric", np.array([0.5, 2.0, 4.0]))])
        False
        >>> index_of([Column("", "numeric", np.array([1, 2, 1.1, 2.1, 1.2]))])
        True
    """
    cells = np.column_stack([column.numbers() for column in columns])
    texts = [column.levels for column in columns if column.levels is not None]
    parts = np.floor(cells[cells != np.floor(cells)])
    are_counts = np.isin([*parts, *np.round(parts + 0.1, 1)], cells).all()  # NaN is in nothing
    if not are_counts or any(share_of_dates(one) > 0.9 for one in texts):
        return False
    distinct = len(np.unique(cells, axis=0))
    return distinct == len(cells) if texts else 2 * distinct > len(cells)
