"""`CHECKS`: the data checks, in the order in which their warnings are issued.

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
"""What a check looks at: each single column; the columns of a frame or file together; the rows of
every fit; or the rows of a fit of trees."""

Sentences = Callable[[Sequence[Finding], TableFacts], Iterable[str]]
"""A function that writes the warnings of a check, from its findings."""


def _one_per_finding(found: Sequence[Finding], facts: TableFacts) -> list[str]:
    return [finding.text for finding in found]


@dataclass(frozen=True)
class Check:
    """An entry of the registry.

    Attributes:
        find: the check itself: with the scope "column" a function of `ColumnFacts` that returns a
            `Finding` or None, otherwise a function of `TableFacts` that returns several findings.
        scope: what it looks at.
        sentences: writes warnings of all findings on which no fit acts; None: there are none.
    """

    find: Callable[[Any], Any]
    scope: Scope
    sentences: Sentences | None = _one_per_finding


CHECKS: dict[str, Check] = {
    "sentinels": Check(sentinels.find, "frame", sentinels.sentences),
    "labels": Check(labels.find, "frame", labels.sentences),
    "groups": Check(groups.find, "frame", groups.sentences),
    "stray_rows": Check(stray_rows.find, "frame", stray_rows.sentences),
    "alike_levels": Check(alike_levels.find, "frame", alike_levels.sentences),
    "codes": Check(codes.find, "frame", codes.sentences),
    "whole_dates": Check(whole_dates.find, "frame"),
    "thin_levels": Check(thin_levels.find, "tree", thin_levels.sentences),
    "constant_target": Check(targets.find_constant, "fit"),
    "numbers_as_classes": Check(targets.find_numbers, "fit"),
    # The first of these that finds something in a column decides what a fit does with it.
    "constants": Check(constants.find, "column", constants.sentences),
    "numbers_as_text": Check(numbers_as_text.find, "column", numbers_as_text.sentences),
    "dates": Check(dates.find, "column", dates.sentences),
    "hidden_numbers": Check(hidden_numbers.find, "column", hidden_numbers.sentences),
    "identifiers": Check(identifiers.find, "column", None),
}
"""The checks by name; a finding has the name as its kind."""
