"""`CHECKS`: what is looked for in the rows of a fit, in the order in which it is said.

A check is a file of this folder and an entry here. `CONTRIBUTING.md` says how one is added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from . import (
    alike_levels,
    codes,
    constants,
    dates,
    groups,
    hidden_numbers,
    identifiers,
    labels,
    numbers_as_text,
    sentinels,
    stray_rows,
    targets,
    thin_levels,
    whole_dates,
)
from .facts import Finding, TableFacts

Scope = Literal["column", "frame", "fit", "tree"]
"""What a check looks at: each column, of which a fit treats those of frames and files; the columns
of a frame or file together; the rows of every fit; or those of a fit of trees."""

Said = Callable[[Sequence[Finding], TableFacts], Iterable[str]]


def _each_text(found: Sequence[Finding], facts: TableFacts) -> list[str]:
    return [finding.text for finding in found]


@dataclass(frozen=True)
class Check:
    """An entry of the registry.

    Attributes:
        find: what the check finds: of scope "column" a function of `ColumnFacts` that returns a
            `Finding` or None, else one of `TableFacts` that returns several.
        scope: what it looks at.
        say: sentences for all its findings on which no fit acts; None: none are said.
    """

    find: Callable[[Any], Any]
    scope: Scope
    say: Said | None = _each_text


CHECKS: dict[str, Check] = {
    "sentinels": Check(sentinels.find, "frame", sentinels.say),
    "labels": Check(labels.find, "frame", labels.say),
    "groups": Check(groups.find, "frame", groups.say),
    "stray_rows": Check(stray_rows.find, "frame", stray_rows.say),
    "alike_levels": Check(alike_levels.find, "frame", alike_levels.say),
    "codes": Check(codes.find, "frame", codes.say),
    "whole_dates": Check(whole_dates.find, "frame"),
    "thin_levels": Check(thin_levels.find, "tree", thin_levels.say),
    "constant_target": Check(targets.find_constant, "fit"),
    "numbers_as_classes": Check(targets.find_numbers, "fit"),
    # The first of these that finds something in a column decides what a fit does with it.
    "constants": Check(constants.find, "column", constants.say),
    "numbers_as_text": Check(numbers_as_text.find, "column", numbers_as_text.say),
    "dates": Check(dates.find, "column", dates.say),
    "hidden_numbers": Check(hidden_numbers.find, "column", hidden_numbers.say),
    "identifiers": Check(identifiers.find, "column", None),
}
"""The checks by name; a finding has the name as its kind."""
