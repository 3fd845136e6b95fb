"""Rows that are no data: units below the names, the names once more, a total at the end.

Readers of delimited files leave units and names out; frames have them as pandas read them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..._checks.words import counted, data_row, worded
from ..number_texts import TOTAL, codes_of_words
from .facts import ColumnFacts, Finding, TableFacts
from .sentinels import MISSING_WORD


def find(facts: TableFacts) -> Iterator[Finding]:
    """Yield up to three findings: a total in the last row, repeated names, units in the first row.

    The evidence is pandas code that gives the frame without the rows. The findings name no column.
    Units are looked for only if no feature has a number in the first row.
    """
    columns = [
        column
        for column in facts.columns_without_first_number
        if column.is_nominal and column.levels
    ]
    last = next((one for one in columns if TOTAL.fullmatch(_unique_text(one, -1))), None)
    if last is not None:
        row = facts.n_rows - 1 if facts.row_numbers is None else int(facts.row_numbers[-1])
        where = worded("the last row", data_row(row))
        text = f"{where} seems to be a total ({_unique_text(last, -1)!r} in column {last.name!r})"
        yield Finding("", text, "frame.iloc[:-1]")
    if facts.n_repeated_headers:
        text = f"the names of the columns stand again in {counted(facts.n_repeated_headers, 'row')}"
        yield Finding("", text, f"frame[frame[{(n := columns[-1].name)!r}] != {n!r}]")
    if not columns or len(facts.columns_without_first_number) < len(
        facts.places
    ):  # the first row has a number
        return
    first = next((one for one in columns if _starts_with_unit(one)), None)
    if first is not None:
        text = (
            f"the first row seems to be units ({_unique_text(first, 0)!r} in column {first.name!r})"
        )
        yield Finding("", text, "frame.iloc[1:]")


def _unique_text(column: ColumnFacts, row: int) -> str:
    """The text of a row if no other row has it, else an empty text."""
    code = int(column.column.values[row])
    return str((column.column.levels or ())[code]) * bool(code >= 0 and column.counts[code] == 1)


def _starts_with_unit(column: ColumnFacts) -> bool:
    """Whether the first cell is the only one that is no number, and not a word for a missing
    cell."""
    cell, levels = _unique_text(column, 0), column.levels
    if not cell.strip("-–—. ") or MISSING_WORD.fullmatch(cell):
        return False
    return [levels[code] for code in codes_of_words(levels)] == [cell]


def sentences(found: Sequence[Finding], facts: TableFacts) -> Iterator[str]:
    """One sentence per finding, which names the rows and gives code that leaves them out. In the
    shell the code is left out: there the file has to be edited."""
    for finding in found:
        frame = worded(f", of a frame by {finding.evidence}")
        yield f"{finding.text}: delete that if it is no data{frame}"
