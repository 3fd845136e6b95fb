"""Rows that are no data: units below the names, the names once more, a total at the end.

Readers of delimited files leave units and names out; frames have them as pandas read them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..._checks.words import counted, data_row, worded
from ..texts import TOTAL, no_numbers
from .facts import ColumnFacts, Finding, TableFacts
from .sentinels import MISSING_WORD


def find(facts: TableFacts) -> Iterator[Finding]:
    """The rows; the evidence is code that leaves them out of a frame."""
    columns = [column for column in facts.texts_and_gaps if column.is_nominal and column.levels]
    last = next((one for one in columns if TOTAL.fullmatch(_alone(one, -1))), None)
    if last is not None:
        row = facts.n_rows - 1 if facts.row_numbers is None else int(facts.row_numbers[-1])
        where = worded("the last row", data_row(row))
        text = f"{where} seems to be a total ({_alone(last, -1)!r} in column {last.name!r})"
        yield Finding("", text, "frame.iloc[:-1]")
    if facts.names_again:
        text = f"the names of the columns stand again in {counted(facts.names_again, 'row')}"
        yield Finding("", text, f"frame[frame[{(n := columns[-1].name)!r}] != {n!r}]")
    if not columns or len(facts.texts_and_gaps) < len(facts.places):  # the first row has a number
        return
    first = next((one for one in columns if _is_below_units(one)), None)
    if first is not None:
        text = f"the first row seems to be units ({_alone(first, 0)!r} in column {first.name!r})"
        yield Finding("", text, "frame.iloc[1:]")


def _alone(column: ColumnFacts, row: int) -> str:
    """The text of a row if no other row has it, else nothing."""
    code = int(column.column.values[row])
    return str((column.column.levels or ())[code]) * bool(code >= 0 and column.counts[code] == 1)


def _is_below_units(column: ColumnFacts) -> bool:
    """Whether the first cell alone is no number, and no word or mark for a missing one."""
    cell, levels = _alone(column, 0), column.levels
    if not cell.strip("-–—. ") or MISSING_WORD.fullmatch(cell):
        return False
    return [levels[code] for code in no_numbers(levels)] == [cell]


def say(found: Sequence[Finding], facts: TableFacts) -> Iterator[str]:
    """Names the rows, and what leaves them out."""
    for finding in found:
        frame = worded(f", of a frame by {finding.evidence}")
        yield f"{finding.text}: delete that if it is no data{frame}"
