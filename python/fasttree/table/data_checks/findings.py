"""`inspect(table) -> Findings`: what the checks find in a Table, and what a fit does about it.

What
    A Table is inspected once, and keeps its findings; for a fold of a cross-validation its training
    rows are inspected. `Findings.apply` gives the Table that a fit reads: without identifiers, free
    text and constants, and with year, month and weekday of dates. `Findings.warn` issues warnings
    about these changes, and about all other findings. Only columns of frames and files are treated
    in this way; columns of arrays and Tables are used as they are given.
Complexity
    The cost depends on the checks; each check runs when its findings are first asked for.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ..._checks import one_of, shown
from ..._checks.data_warnings import is_quiet, skipped_checks, warn_caller
from ..._checks.words import argument, some_of, worded
from ..dates import formats_for_new_rows, parse_date_reasons
from ..sources import check_known
from ..table import Table
from .dates import describe_dates
from .facts import ColumnFacts, Finding, TableFacts, cached_per_column
from .registry import CHECKS, Scope
from .unfailing import unfailing

WORDS = ("auto", "as_given")
"""The words of the parameter `columns`."""

COLUMN_CHECKS = {name: check for name, check in CHECKS.items() if check.scope == "column"}
"""The checks of single columns. The first that finds something in a column decides what a fit does
with it."""


def inspect(table: Table, columns: Any = "auto", rows: np.ndarray | None = None) -> Findings:
    """What the checks find in a Table.

    No check runs here; each runs when its findings are asked for. What is found in all rows is kept
    with the Table, so a second call costs nothing.

    Args:
        table: the Table.
        columns: the columns that a fit uses as they are; see `kept_columns`.
        rows: positions of the training rows of a fold; None: all rows.

    Examples:
        >>> cells = {"id": range(60), "x": [0.5, 1.5] * 30}
        >>> inspect(Table(cells)).of("identifiers")[0].text
        'an identifier: a different whole number in every row'
    """
    return Findings(TableFacts(table, rows), columns)


def apply_and_warn(table: Table, columns: Any = "auto") -> Table:
    """The Table that a fit reads, made from the Table of a frame or file, with a warning that says
    which columns were left out or converted.

    The Table itself is returned, without a warning, if its columns are used as they are given.
    `columns` is the parameter of the same name.
    """
    findings = inspect(table, columns)
    if not findings.treats_columns:
        return table
    made = findings.apply()
    findings.warn()
    return made


class Findings:
    """The findings of a Table, for one value of the parameter `columns`.

    Checks run when they are first asked for. `of` gives the findings of one check, `apply` the
    Table that a fit reads, `warn` and `sentences` the texts. Results are kept with the Table, not
    with this object, so several objects share them.
    """

    def __init__(self, facts: TableFacts, columns: Any = "auto") -> None:
        self._facts = facts
        self._kept = kept_columns(columns)

    # -- what was found ---------------------------------------------------------------------------

    def of(self, check: str) -> list[Finding]:
        """The findings of a check, by its name in `CHECKS`; an empty list if it finds nothing.

        For a check of single columns these are only the columns in which it is the first one to
        find something. The list is kept and must not be changed.
        """
        if check in COLUMN_CHECKS:
            return [finding for finding in self.of_columns if finding.kind == check]
        kept = self._facts.findings_by_check
        if check not in kept:
            kept[check] = [replace(finding, kind=check) for finding in _run(check, self._facts)]
        return kept[check]

    def __iter__(self) -> Iterator[Finding]:
        return (finding for check in CHECKS for finding in self.of(check))

    @property
    def of_columns(self) -> list[Finding]:
        """The findings of the checks of single columns, in the order of the columns, at most one
        per column: the first check of the registry that finds something decides what a fit does
        with the column."""
        kept = self._facts.findings_by_check
        if "column" not in kept:
            kept["column"] = _first_findings(self._facts.columns)
        return kept["column"]

    @cached_property
    def _warnings_of_columns(self) -> list[Finding]:
        """The findings in columns that are used as they are given; only columns of text and such
        without a value lead to a warning."""
        findings = _first_findings(self._facts.columns_without_first_number)
        return [finding for finding in findings if CHECKS[finding.kind].sentences is not None]

    @property
    def treats_columns(self) -> bool:
        """Whether a fit may leave out or convert columns. It does so for a frame or file, unless
        the parameter `columns` says that all columns are used as given."""
        return not self._facts.table.as_given and self._kept is not None

    @cached_property
    def treated_findings(self) -> list[Finding]:
        """The findings because of which a fit leaves a column out, or uses parts of it. Columns
        that the parameter `columns` names as given are not among them; the list is empty if all are
        given."""
        if self._kept is None:
            return []
        return [one for one in self.of_columns if one.action and one.column not in self._kept]

    @property
    def reasons(self) -> dict[str, str]:
        """Why a fit does not use columns as they are, by name of the column: "an identifier: ..."
        for example. Model files keep these texts as the reasons of unused columns."""
        return {finding.column: finding.text for finding in self.treated_findings}

    @property
    def leaves_a_column(self) -> bool:
        """Whether a column is left to split on after the treatment; parts of a date count. If none
        is left, a fit uses all columns as they are, because without a feature there is nothing to
        fit."""
        table = self._facts.table
        if any(finding.action == "use parts" for finding in self.treated_findings):
            return True
        return len(table.unused.keys() | self.reasons) < table.n_features

    # -- what a fit does --------------------------------------------------------------------------

    def apply(self) -> Table:
        """The Table that a fit reads; the Table itself if its columns are used as given.

        Raises:
            ValueError: a column that is to be used as it is does not exist or cannot be used so, or
                no column can be used.
        """
        table, kept = self._facts.table, self._kept
        if table.as_given or kept is None:
            return table
        check_known(kept, table.feature_names, "columns")
        for name in table.unused.keys() & kept:
            raise ValueError(
                f"{argument('columns', {name: 'as_given'})}: columns of numbers or levels can be "
                f"used as they are, and {name!r} is none ({table.unused[name]})"
            )
        if len(table.unused) == table.n_features > 0:
            name, why = next(iter(table.unused.items()))
            raise ValueError(f"no column can be split on, such as {name!r} ({why}): give others")
        made = treated(table, self.reasons if self.leaves_a_column else {})
        if made is not table:
            self._facts.share_with(made)
        return made

    # -- what is said -----------------------------------------------------------------------------

    def warn(self, *, of_trees: bool = False, is_described: bool = False) -> None:
        """Warn of how the columns of a frame or file are treated and of what they may mean; if they
        are used as given, of findings on the rows that concern any fit.

        Args:
            of_trees: whether the fit grows trees.
            is_described: whether the caller itself reports how the columns are treated.
        """
        if is_quiet():
            return
        if self.treats_columns:
            checks = [*checks_of_scope("frame"), *(COLUMN_CHECKS if is_described else ())]
            if not is_described and (treatment := self.treatment()):
                warn_caller(treatment)
        else:
            scopes: tuple[Scope, ...] = ("tree", "fit") if of_trees else ("fit",)
            checks = [check for check in checks_of_scope(*scopes) if self.of(check)]
            checks += COLUMN_CHECKS if self._warnings_of_columns else ()
        skipped = skipped_checks()
        for sentence in self.sentences(*(check for check in checks if check not in skipped)):
            warn_caller(sentence)

    def sentences(self, *checks: str) -> list[str]:
        """The sentences of some checks, given by their names, on the findings on which no fit acts.
        The checks run if they have not, and a check that finds nothing has no sentence."""
        return [sentence for check in checks for sentence in self._sentences_of(check)]

    @unfailing(otherwise=())
    def _sentences_of(self, check: str) -> Sequence[str]:
        write = CHECKS[check].sentences
        findings = [] if write is None else self._findings_to_say(check)
        return tuple(write(findings, self._facts)) if write is not None and findings else ()

    def _findings_to_say(self, check: str) -> list[Finding]:
        """The findings of a check on which no fit acts."""
        if self.treats_columns:
            # Rows of one identifier may belong together though no tree splits on it.
            treated_columns = {
                finding.column
                for finding in self.treated_findings
                if (finding.kind, check) != ("identifiers", "groups")
            }
            return [one for one in self.of(check) if one.column not in treated_columns]
        if check in COLUMN_CHECKS:
            return [one for one in self._warnings_of_columns if one.kind == check]
        if CHECKS[check].scope == "fit":
            return self.of(check)
        named = {finding.column for finding in self._warnings_of_columns}
        return [one for one in self.of(check) if one.column not in named]

    @unfailing(otherwise="")
    def treatment(self) -> str:
        """One line on the columns that a fit leaves out, and on the columns from which it uses
        year, month and weekday; "" if there are none.

        It ends with the arguments that prevent the change. Columns that the Table had left out
        already are named as well. If no column would be left, the line says that all are used.
        """
        table = self._facts.table
        reasons = {**table.unused, **self.reasons}
        if not reasons:
            return ""
        dates = parse_date_reasons(reasons)
        left_out = [f"{name!r} ({why})" for name, why in reasons.items() if name not in dates]
        names = [repr(name) for name in reasons if name not in dates and worded("Python")]
        if not self.leaves_a_column:
            return f"no column would be left without {some_of(left_out)}: all are used as they are"
        sentences = [f"columns left out: {some_of(left_out, names)}"] if left_out else []
        if dates:
            read = {
                one.name: describe_dates(one) for one in self._facts.columns if one.name in dates
            }
            described = some_of([read.get(name, repr(name)) for name in dates])
            sentences.append(f"year, month and weekday stand for the dates {described}")
        ways = []
        if not table.unused:  # no Table holds these columns
            ways.append(f"{argument('columns', 'as_given')} uses all columns as they are")
        if example := next((name for name in self.reasons if name not in dates), None):
            one = "one of them" if ways else f"uses {example!r} as it is"
            ways.append(f"{argument('columns', {example: 'as_given'})} {one}")
        return "; ".join([*sentences, *filter(None, [", ".join(ways)])])


def checks_of_scope(*scopes: Scope) -> list[str]:
    """The names of the checks of the given scopes: ``"column"``, ``"frame"``, ``"fit"`` or
    ``"tree"``. They are in the order of the registry, which is the order of their warnings."""
    return [name for name, check in CHECKS.items() if check.scope in scopes]


@unfailing(otherwise=())
def _run(check: str, facts: TableFacts) -> Sequence[Finding]:
    return tuple(CHECKS[check].find(facts))


def _first_findings(columns: Iterable[ColumnFacts]) -> list[Finding]:
    """Column by column, the finding of the first of `COLUMN_CHECKS` that finds something."""
    return [one for one in map(_first_finding, columns) if one is not None]


@unfailing()
def _first_finding(column: ColumnFacts) -> Finding | None:
    for name, check in COLUMN_CHECKS.items():
        finding = cached_per_column(check.find)(column)
        if finding is not None:
            return replace(finding, kind=name)
    return None


def kept_columns(columns: Any) -> list[str] | None:
    """The names of the columns that are used as they are; None: all columns are.

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
    """Whether the parameter `columns` of a tree says that all columns are used as they are. A
    parameter that is left out is ``"auto"``, by which columns are checked."""
    return kept_columns(params.get("columns", "auto")) is None


def treated(table: Table, reasons: Mapping[str, str]) -> Table:
    """The Table with year, month and weekday of dates, in which other columns are unused.

    Args:
        table: the Table.
        reasons: why columns are not used as they are, by name; `date_reason` of dates.
    """
    dates = parse_date_reasons(reasons)
    others = {name: why for name, why in reasons.items() if name not in dates}
    # The reasons are of the training rows, and so is what they say of a time zone.
    made = table.with_dates(formats_for_new_rows(dates)).with_unused(others)
    if not made.as_given:
        made = copy.copy(made)  # a Table of its own
        made.as_given, made.origin = True, ""
    return made


def treatments_by_fold(
    table: Table, columns: Any, folds: Iterable[np.ndarray]
) -> list[tuple[dict[str, str], list[int]]]:
    """How the training rows of each fold are treated, with the numbers of the folds for which it
    is the same.

    Columns of one value are not left out: no tree can split on these.

    Args:
        table: all rows.
        columns: as in `kept_columns`.
        folds: positions of the training rows of each fold.

    Returns:
        Pairs of reasons, as `treated` takes them, and numbers of folds.
    """
    folds_by_treatment: dict[Any, tuple[dict[str, str], list[int]]] = {}
    for number, rows in enumerate(folds):
        reasons: dict[str, str] = {}
        findings = inspect(table, columns, rows)
        if findings.leaves_a_column:
            acted_on = (one for one in findings.treated_findings if one.kind != "constants")
            reasons = {finding.column: finding.text for finding in acted_on}
        key = (tuple(reasons), tuple(parse_date_reasons(reasons).items()))
        folds_by_treatment.setdefault(key, (reasons, []))[1].append(number)
    return list(folds_by_treatment.values())
