"""`inspect(table) -> Findings`: what the checks find in a Table, and what is done about it.

What
    A Table is inspected once, and its findings stay with it; for a fold its training rows are
    inspected. `Findings.apply` gives the Table that a fit reads: without identifiers, free text and
    constants, and with year, month and weekday of dates. `warn` says so, and what else was found.
    Only the columns of frames and files are treated; those of arrays and Tables are as given.
Complexity
    That of the checks; each runs when its findings are first asked for.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from ..._checks import one_of, shown
from ..._checks.data_warnings import is_quiet, skipped_checks, warn_caller
from ..._checks.words import argument, some_of, worded
from ..dates import for_other_rows, formats_of
from ..sources import check_known
from ..table import Table
from .dates import reading_of
from .facts import ColumnFacts, Finding, TableFacts, once
from .registry import CHECKS, Check
from .unfailing import unfailing

WORDS = ("auto", "as_given")
"""The words of the parameter `columns`."""


def inspect(table: Table, columns: Any = "auto", rows: np.ndarray | None = None) -> Findings:
    """What the checks find in a Table.

    Args:
        table: the rows.
        columns: as in `kept_columns`.
        rows: numbers of the training rows of a fold; None: all rows.

    Examples:
        >>> cells = {"id": range(60), "x": [0.5, 1.5] * 30}
        >>> inspect(Table(cells)).of("identifiers")[0].text
        'an identifier: a different whole number in every row'
    """
    return Findings(TableFacts(table, rows), columns)


def screened(table: Table, columns: Any = "auto") -> Table:
    """The Table that a fit reads of a frame or file, which says what is done with its columns;
    itself, where these are as given."""
    findings = inspect(table, columns)
    if not findings.acts:
        return table
    made = findings.apply()
    findings.warn()
    return made


class Findings:
    """The findings of a Table, for one value of the parameter `columns`."""

    def __init__(self, facts: TableFacts, columns: Any = "auto") -> None:
        self._facts = facts
        self._keep = kept_columns(columns)

    # -- what was found ---------------------------------------------------------------------------

    def of(self, kind: str) -> list[Finding]:
        """The findings of a check, by its name in `CHECKS`."""
        cache = self._facts.found
        if CHECKS[kind].scope == "column":
            return [finding for finding in self.of_columns if finding.kind == kind]
        if kind not in cache:
            cache[kind] = [replace(finding, kind=kind) for finding in _found(kind, self._facts)]
        return cache[kind]

    def __iter__(self) -> Iterator[Finding]:
        return (finding for kind in CHECKS for finding in self.of(kind))

    @property
    def of_columns(self) -> list[Finding]:
        """Column by column what the first check finds that finds something in it."""
        return self._first_findings("column", OF_COLUMNS)

    def _first_findings(self, key: str, checks: dict[str, Check]) -> list[Finding]:
        """What the first check finds that finds something in a column, column by column; kept by a
        key. Of columns that are used as they are, those of text and with gaps are looked at."""
        facts = self._facts
        if key not in facts.found:
            columns = facts.columns if key == "column" else facts.texts_and_gaps
            findings = (_first_finding(column, checks) for column in columns)
            facts.found[key] = [finding for finding in findings if finding is not None]
        return facts.found[key]

    @property
    def acts(self) -> bool:
        """Whether a fit treats columns: those of a frame or file, unless all are used as given."""
        return not self._facts.table.as_given and self._keep is not None

    @cached_property
    def acted_on(self) -> list[Finding]:
        """The findings for which a fit does not use columns as they are."""
        if self._keep is None:
            return []
        return [
            finding
            for finding in self.of_columns
            if finding.action and finding.column not in self._keep
        ]

    @property
    def reasons(self) -> dict[str, str]:
        """Why a fit does not use columns as they are, by name."""
        return {finding.column: finding.text for finding in self.acted_on}

    @property
    def leaves_any(self) -> bool:
        """Whether a column is left to split on; a fit uses all where none would be."""
        table = self._facts.table
        if any(finding.action == "use parts" for finding in self.acted_on):
            return True
        return len(table.unused.keys() | self.reasons) < table.n_features

    # -- what is done -----------------------------------------------------------------------------

    def apply(self) -> Table:
        """The Table that a fit reads; itself, if its columns are as given.

        Raises:
            ValueError: a column that is to be used as it is, but can't, or that is none; or no
                column can be used.
        """
        table, keep = self._facts.table, self._keep
        if table.as_given or keep is None:
            return table
        check_known(keep, table.feature_names, "columns")
        for name in table.unused.keys() & keep:
            raise ValueError(
                f"{argument('columns', {name: 'as_given'})}: columns of numbers or levels can be "
                f"used as they are, and {name!r} is none ({table.unused[name]})"
            )
        if len(table.unused) == table.n_features > 0:
            name, why = next(iter(table.unused.items()))
            raise ValueError(f"no column can be split on, such as {name!r} ({why}): give others")
        made = treated(table, self.reasons if self.leaves_any else {})
        if made is not table:
            self._facts.hand_on(made)
        return made

    # -- what is said -----------------------------------------------------------------------------

    def warn(self, *, of_trees: bool = False, is_described: bool = False) -> None:
        """Say what is done with the columns of a frame or file and what they may mean; of columns
        as given, what a fit will make of the rows.

        Args:
            of_trees: the fit is one of trees.
            is_described: what is done with the columns is said elsewhere.
        """
        if is_quiet():
            return
        if self.acts:
            kinds = [*kinds_of("frame"), *(SAID_OF_COLUMNS if is_described else ())]
            if not is_described and (done := self.done()):
                warn_caller(done)
        else:
            kinds = [*(kinds_of("tree", "fit") if of_trees else kinds_of("fit"))]
            kinds = [kind for kind in kinds if self.of(kind)]
            kinds += SAID_OF_COLUMNS if self._said_of_columns else ()
        passed_over = skipped_checks()
        for sentence in self.sentences(*(kind for kind in kinds if kind not in passed_over)):
            warn_caller(sentence)

    def sentences(self, *kinds: str) -> list[str]:
        """What some checks say of the findings on which no fit acts."""
        return [sentence for kind in kinds for sentence in self._said(kind)]

    @unfailing(otherwise=())
    def _said(self, kind: str) -> Sequence[str]:
        facts, check = self._facts, CHECKS[kind]
        if check.say is None:
            return ()
        if self.acts:
            # Rows of one identifier may belong together though no tree splits on it.
            reasons = {finding.column for finding in self.acted_on if (finding.kind, kind) != _BOTH}
            findings = [finding for finding in self.of(kind) if finding.column not in reasons]
        elif check.scope == "column":
            findings = [finding for finding in self._said_of_columns if finding.kind == kind]
        else:
            named = {finding.column for finding in self._said_of_columns}
            findings = [
                finding
                for finding in self.of(kind)
                if check.scope == "fit" or finding.column not in named
            ]
        return tuple(check.say(findings, facts)) if findings else ()

    @property
    def _said_of_columns(self) -> list[Finding]:
        """What is said of columns that are used as they are, column by column."""
        return self._first_findings("said", SAID_OF_COLUMNS)

    @unfailing(otherwise="")
    def done(self) -> str:
        """One line on the columns that a fit leaves out, and of which it uses year, month and
        weekday; "" if there are none."""
        reasons = {**self._facts.table.unused, **self.reasons}
        if not reasons:
            return ""
        dates = formats_of(reasons)
        left_out = [f"{name!r} ({why})" for name, why in reasons.items() if name not in dates]
        names = [repr(name) for name in reasons if name not in dates and worded("Python")]
        if not self.leaves_any:
            return f"no column would be left without {some_of(left_out)}: all are used as they are"
        sentences = [f"columns left out: {some_of(left_out, names)}"] if left_out else []
        if dates:
            read = {one.name: reading_of(one) for one in self._facts.texts_and_gaps}
            of = some_of([read.get(name, repr(name)) for name in dates])
            sentences.append(f"year, month and weekday stand for the dates {of}")
        as_given = [name for name in self.reasons if name not in dates][:1]
        ways = []
        if not self._facts.table.unused:  # no Table holds these columns
            ways.append(f"{argument('columns', 'as_given')} uses all columns as they are")
        for name in as_given:
            one = "one of them" if ways else f"uses {name!r} as it is"
            ways.append(f"{argument('columns', {name: 'as_given'})} {one}")
        return "; ".join([*sentences, *filter(None, [", ".join(ways)])])


@cache
def kinds_of(*scopes: str) -> tuple[str, ...]:
    """The checks of some scopes."""
    return tuple(kind for kind, check in CHECKS.items() if check.scope in scopes)


_BOTH = "identifiers", "groups"

OF_COLUMNS = {kind: check for kind, check in CHECKS.items() if check.scope == "column"}

SAID_OF_COLUMNS = {kind: check for kind, check in OF_COLUMNS.items() if check.say is not None}


@unfailing(otherwise=())
def _found(kind: str, facts: TableFacts) -> Sequence[Finding]:
    return tuple(CHECKS[kind].find(facts))


@unfailing()
def _first_finding(column: ColumnFacts, checks: dict[str, Check]) -> Finding | None:
    for kind, check in checks.items():
        finding = once(check.find)(column)
        if finding is not None:
            return replace(finding, kind=kind)
    return None


def kept_columns(columns: Any) -> list[str] | None:
    """The names of the columns that are used as they are; None: all.

    Args:
        columns: ``"auto"``, ``"as_given"``, or a mapping from names of columns to these words.

    Raises:
        ValueError: another value.

    Examples:
        >>> kept_columns("auto"), kept_columns("as_given"), kept_columns({"year": "as_given"})
        ([], None, ['year'])
    """
    if isinstance(columns, Mapping):
        for name, word in columns.items():
            one_of(f"columns[{shown(name)}]", word, WORDS)
        return [str(name) for name, word in columns.items() if word == "as_given"]
    return None if one_of("columns", columns, WORDS) == "as_given" else []


def all_as_given(params: Mapping[str, Any]) -> bool:
    """Whether parameters of a tree say that all columns are used as they are."""
    return kept_columns(params.get("columns", "auto")) is None


def treated(table: Table, reasons: Mapping[str, str]) -> Table:
    """The Table with year, month and weekday of dates, and without the use of other columns."""
    dates = formats_of(reasons)
    others = {name: why for name, why in reasons.items() if name not in dates}
    # The reasons are of the training rows, and so is what they say of a time zone.
    made = table.with_dates(for_other_rows(dates)).with_unused(others)
    if not made.as_given:
        made = copy.copy(made)  # a Table of its own
        made.as_given, made.origin = True, ""
    return made


def of_folds(
    table: Table, columns: Any, folds: Iterable[np.ndarray]
) -> list[tuple[dict[str, str], list[int]]]:
    """What is to be done for the training rows of each fold: reasons, and the numbers of the folds
    for which it is the same.

    Columns of one value are none of them: no tree can split on these.

    Args:
        table: rows.
        columns: as in `kept_columns`.
        folds: training rows of each fold.
    """
    by_treatment: dict[Any, tuple[dict[str, str], list[int]]] = {}
    as_given = kept_columns(columns) is None
    for number, rows in enumerate(folds):
        doing: dict[str, str] = {}
        if not as_given:
            findings = inspect(table, columns, rows)
            if findings.leaves_any:
                acted_on = findings.acted_on
                doing = {
                    finding.column: finding.text
                    for finding in acted_on
                    if finding.kind != "constants"
                }
        key = (tuple(doing), tuple(formats_of(doing).items()))
        by_treatment.setdefault(key, (doing, []))[1].append(number)
    return list(by_treatment.values())
