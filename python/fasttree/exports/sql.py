"""A fitted tree as SQL: one flat CASE whose conditions are the rules of the leaves.

What
    ``CASE WHEN "petal width" <= 0.8 THEN 'setosa' WHEN ... END``: one WHEN per leaf, conditions on
    the same column merged. Nothing is nested, so depth does not matter: parsers fail on nested
    expressions (SQLite at about twenty nested CASEs), not on long lists. NULL is a missing value,
    and so is a level that the model does not know, and a number that the file of the training rows
    gave as missing (``NULLIF("age", 999.0)``). Leaves that predict nothing give NULL. Where missing
    values go down several branches (C4.5), the probability of a class is the sum over the leaves of
    its probability times the row's share of the leaf, and the label is the class with the largest
    sum, and a number is the sum of the leaves' numbers times their shares (sums are added in pairs,
    so that they may differ from the sums of `predict` in the last digits); rows that are not
    divided are still answered by the plain CASE. Identifiers and literals are quoted for the
    dialect, and numbers are written so that they read back as the same double. The year, month and
    weekday of a column of dates are computed in SQL; the column has a date type, or holds texts of
    the form 2024-01-31 (in SQLite always).
Complexity
    O(leaves x features tested on their paths) characters.
When not to use it
    On columns of 32-bit REAL or FLOAT, as thresholds would be compared with rounded numbers: cast
    them to double precision first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from .._checks import one_of, shown
from .answers import Label
from .reading import Reading, ValueSet


def _standard(text: str) -> str:
    """A text as a string literal of the standard: quotes are doubled."""
    return "'" + text.replace("'", "''") + "'"


def _hexadecimal(text: str) -> str:
    """A text as a literal of MySQL. Its setting NO_BACKSLASH_ESCAPES, which a statement cannot
    know, decides whether a backslash is an escape, so a text with one is written as the hexadecimal
    digits of its UTF-8 bytes."""
    if "\\" not in text:
        return _standard(text)
    return f"_utf8mb4 X'{text.encode('utf-8', 'surrogatepass').hex()}'"


def _doubled(text: str) -> str:
    """A text as a literal of Snowflake, in which a backslash is an escape."""
    return _standard(text.replace("\\", "\\\\"))


def _escaped(text: str) -> str:
    """A text as a literal of BigQuery, which has escapes and no doubled quotes."""
    for plain, escape in (("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(plain, escape)
    return f"'{text}'"


class Dialect(NamedTuple):
    """How a family of databases writes names and values.

    Attributes:
        open, close: quotes around an identifier.
        string: writes a text as a literal.
        true, false: the values of a boolean column.
        year, month, weekday: the parts of the date ``{}``; the weekday is 1 for Monday to 7 for
            Sunday.
    """

    open: str = '"'
    close: str = '"'
    string: Callable[[str], str] = _standard
    true: str = "TRUE"
    false: str = "FALSE"
    year: str = "EXTRACT(YEAR FROM CAST({} AS DATE))"
    month: str = "EXTRACT(MONTH FROM CAST({} AS DATE))"
    weekday: str = "EXTRACT(ISODOW FROM CAST({} AS DATE))"


_SUNDAY_FIRST = "MOD(EXTRACT(DAYOFWEEK FROM CAST({} AS DATE)) + 5, 7) + 1"

DIALECTS = {
    "ansi": Dialect(),
    "sqlite": Dialect(
        year="CAST(STRFTIME('%Y', {}) AS INTEGER)",
        month="CAST(STRFTIME('%m', {}) AS INTEGER)",
        weekday="((CAST(STRFTIME('%w', {}) AS INTEGER) + 6) % 7 + 1)",
    ),
    "postgres": Dialect(),
    "duckdb": Dialect(),
    "snowflake": Dialect(string=_doubled, weekday="EXTRACT(DAYOFWEEKISO FROM CAST({} AS DATE))"),
    "bigquery": Dialect("`", "`", _escaped, weekday=f"({_SUNDAY_FIRST})"),
    "mysql": Dialect("`", "`", _hexadecimal, weekday="(WEEKDAY(CAST({} AS DATE)) + 1)"),
    "tsql": Dialect(
        "[",
        "]",
        true="1",
        false="0",
        year="YEAR(CAST({} AS DATE))",
        month="MONTH(CAST({} AS DATE))",
        weekday="((DATEPART(weekday, CAST({} AS DATE)) + @@DATEFIRST + 5) % 7 + 1)",
    ),
}
"""Dialects by name, as `to_sql` takes them."""

NOTHING = ValueSet(codes=frozenset())

EQUAL = "1e-9"
"""Difference below which two probabilities are equal, as in `predict`: sums are rounded."""


class _Writer:
    """Writes names, values and conditions of a tree in one dialect."""

    def __init__(
        self, reading: Reading, dialect: str, table: str | None, parts: dict[str, tuple[str, str]]
    ) -> None:
        self.reading = reading
        self.dialect = DIALECTS[dialect]
        self.table = None if table is None else self.name(table)
        self.prefix = "" if table is None else f"{self.table}."
        self.answers = dict(
            zip(reading.leaves, reading.probabilities(reading.leaves).tolist(), strict=True)
        )
        self.columns = []
        for feature in reading.features:
            name, part = parts.get(feature.name, (feature.name, ""))
            column = self.prefix + self.name(name)
            if part:
                column = getattr(self.dialect, part).replace("{}", column)
            for sentinel in feature.sentinels:
                column = f"NULLIF({column}, {self.literal(sentinel)})"
            self.columns.append(column)
        # Paths share their upper tests: each condition is written once.
        self.condition = cache(self._condition)

    def name(self, text: str) -> str:
        """A quoted identifier."""
        if not text or "\0" in text:
            raise ValueError(f"{text!r} cannot be the name of a column or table in SQL; rename it")
        close = self.dialect.close
        return self.dialect.open + text.replace(close, close * 2) + close

    def literal(self, value: Label | None) -> str:
        """A value as a literal; None is NULL."""
        if value is None:
            return "NULL"
        if isinstance(value, bool):
            return self.dialect.true if value else self.dialect.false
        if isinstance(value, int | float):
            return repr(value)
        if "\0" in value:
            raise ValueError(
                f"the label {value!r} holds a NUL character, which SQL has no way to write"
            )
        return self.dialect.string(value)

    def _among(self, levels: list[Label], one: str, several: str) -> str:
        """A comparison with one level, or with a list of them.

        Args:
            levels: the levels, at least one.
            one: operator before one level.
            several: operator before a list.
        """
        if len(levels) == 1:
            return f"{one} {self.literal(levels[0])}"
        return f"{several} ({', '.join(map(self.literal, levels))})"

    def _condition(self, feature: int, subset: ValueSet, missing: bool) -> str:
        """The condition that a value belongs to a set.

        Args:
            feature: number of the feature.
            subset: the set.
            missing: whether NULL and unknown levels meet the condition as well.
        """
        column = self.columns[feature]
        levels = list(self.reading.features[feature].levels or ())
        if subset.empty:
            return self._unknown(feature, levels) if missing else "1 = 0"
        if subset.codes is not None:
            inside = [levels[c] for c in sorted(subset.codes)]
            outside = [v for c, v in enumerate(levels) if c not in subset.codes]
            if not missing:
                return f"{column} {self._among(inside, '=', 'IN')}"
            return self._unknown(feature, outside) if outside else "1 = 1"
        ends = []
        if subset.lower != -math.inf:
            ends.append(f"{column} > {self.literal(subset.lower)}")
        if subset.upper != math.inf:
            ends.append(f"{column} <= {self.literal(subset.upper)}")
        if not ends:
            return "1 = 1" if missing else f"{column} IS NOT NULL"
        bounds = " AND ".join(ends)
        return f"({column} IS NULL OR {bounds})" if missing else bounds

    def _unknown(self, feature: int, levels: list[Label]) -> str:
        """The condition that a column is NULL or holds none of some levels.

        Args:
            feature: number of the feature.
            levels: the levels.
        """
        column = self.columns[feature]
        if not levels:
            return f"{column} IS NULL"
        return f"({column} IS NULL OR {column} {self._among(levels, '<>', 'NOT IN')})"

    def undivided(self, subsets: dict[int, ValueSet]) -> str | None:
        """The condition of the rows that go to a leaf undivided; None: all rows meet it."""
        conditions = []
        for feature, subset in subsets.items():
            missing = subset.missing == 1
            if not (missing and subset.everything(self.reading.features[feature])):
                conditions.append(self.condition(feature, subset, missing))
        return " AND ".join(conditions) or None

    def share(self, subsets: dict[int, ValueSet]) -> list[str]:
        """Factors whose product is the share of a row that reaches a leaf."""
        factors = []
        undivided = {f: s for f, s in subsets.items() if s.missing in (0.0, 1.0)}
        condition = self.undivided(undivided)
        if condition is not None:
            factors.append(f"CASE WHEN {condition} THEN 1.0 ELSE 0.0 END")
        for feature, subset in subsets.items():
            if feature not in undivided:
                missing = self.condition(feature, NOTHING, True)
                known = "" if subset.empty else self.condition(feature, subset, False)
                known = known and f" WHEN {known} THEN 1.0"
                factors.append(f"CASE WHEN {missing} THEN {subset.missing!r}{known} ELSE 0.0 END")
        return factors

    def case(self, values: dict[int, str], otherwise: str | None = None) -> str:
        """One CASE that gives undivided rows the value of their leaf.

        Args:
            values: expression of the value of each leaf, by the number of its node.
            otherwise: expression for rows that are divided; None: NULL.
        """
        lines = []
        for leaf, subsets in self.reading.paths():
            condition = self.undivided(subsets)
            if condition is None:
                return values[leaf]
            lines.append(f"  WHEN {condition} THEN {values[leaf]}")
        if otherwise is not None:
            lines.append(f"  ELSE {otherwise}")
        return "\n".join(["CASE", *lines, "END"])

    def sums(self) -> list[str]:
        """Probability of each class, or the number, in any row, as a sum over the leaves."""
        terms: list[list[str]] = [[] for _ in self.answers[self.reading.leaves[0]]]
        for leaf, subsets in self.reading.paths():
            share = " * ".join(self.share(subsets)) or "1.0"
            for code, p in enumerate(self.answers[leaf]):
                if p:
                    terms[code].append(f"{p!r} * {share}")
        return [sum_of(of_class) for of_class in terms]

    def columns_of_answers(self, mixed: bool) -> list[str]:
        """Expressions of the probabilities of the classes, or of the number."""
        if mixed:
            return self.sums()
        codes = range(len(self.answers[self.reading.leaves[0]]))
        return [self.case({leaf: repr(p[c]) for leaf, p in self.answers.items()}) for c in codes]

    def written_as(self, output: str, columns: list[str]) -> str:
        """The expressions of an output, or with a table the SELECT of its columns and them.

        Args:
            output: the output, as in `to_sql`.
            columns: the expressions.
        """
        names = ["leaf" if output == "leaf" else "prediction"]
        if output == "proba":
            names = [f"p({label})" for label in self.reading.classes]
        elif self.table is None:
            return columns[0]
        listed = named_list(columns, [self.name(name) for name in names], ",\n")
        if self.table is None:
            return listed
        return f"SELECT {self.prefix}*,\n{listed}\nFROM {self.table}"


def writer_of(model: Any, dialect: str, table: str | None) -> _Writer:
    """The writer of a tree in a dialect.

    Args:
        model: a fitted tree.
        dialect: one of `DIALECTS`.
        table: name of the table whose rows a query reads; None: an expression is written.

    Raises:
        ValueError: an unknown dialect.
    """
    one_of("dialect", dialect, tuple(DIALECTS))
    return _Writer(Reading(model), dialect, table, model._schema.date_parts)


def output_of(output: str | None, served: tuple[str, ...], what: str) -> str:
    """The output that is asked for.

    Args:
        output: its name; None: the first one of `served`.
        served: the outputs that there are.
        what: words for the model, such as "a forest", for the error.

    Raises:
        ValueError: an output that is not served.
    """
    if output is not None and output not in served:
        listed = " or ".join(map(repr, served))
        raise ValueError(f"output={shown(output)} is not known of {what}; use {listed}")
    return output or served[0]


def sum_of(terms: list[str]) -> str:
    """The sum of expressions, added in pairs, so that it is nested O(log terms) deep: parsers limit
    the depth. "0.0" without terms."""
    if not terms:
        return "0.0"
    while len(terms) > 1:
        paired = [f"({a} + {b})" for a, b in zip(terms[::2], terms[1::2], strict=False)]
        terms = paired + terms[len(terms) - len(terms) % 2 :]
    return terms[0]


def to_sql(
    model: Any,
    *,
    output: str | None = None,
    table: str | None = None,
    dialect: str = "ansi",
    mixture: bool = True,
) -> str:
    """A fitted tree as an SQL expression or query.

    Args:
        output: ``"label"``: an expression that gives the predicted class. ``"proba"``: a list of
            expressions, one per class, named ``p(class)``. ``"value"``: an expression that gives
            the number of a regression tree. ``"leaf"``: an expression that gives the leaf's node
            number (where missing values may divide rows, only with ``mixture=False``). None: label
            or value.
        table: name of a table: the result is a ``SELECT`` of all its columns and the output. None:
            the expression alone.
        dialect: ``"ansi"``, ``"sqlite"``, ``"postgres"``, ``"duckdb"``, ``"snowflake"``,
            ``"bigquery"``, ``"mysql"`` (also MariaDB and Spark) or ``"tsql"`` (SQL Server). They
            differ in quotes, in escapes of strings, in true and false, and in the parts of a date:
            without dates the text for SQLite, PostgreSQL and DuckDB is the ``"ansi"`` text, whose
            weekday (``ISODOW``) PostgreSQL and DuckDB have.
        mixture: whether rows that go down several branches because of missing values get the
            mixture of their leaves, which makes up most of the text. If False, they get NULL.

    Returns:
        SQL without a semicolon at its end.

    Warns:
        DataWarning: dates that the training rows write in another form than 2024-01-31, or with a
            time zone.

    Raises:
        ValueError: an unknown output or dialect, an output that the tree does not have, a name or
            label that SQL cannot write (empty, or with a NUL character), or the output ``"leaf"``
            where rows may be divided.

    Examples:
        >>> import fasttree
        >>> print(to_sql(fasttree.fit([[0.0], [1.0]], ["no", "it's"], missing="mode")))
        CASE
          WHEN ("x0" IS NULL OR "x0" <= 0.5) THEN 'no'
          WHEN "x0" > 0.5 THEN 'it''s'
        END
    """
    writer = writer_of(model, dialect, table)
    model._schema.warn_of_cells()
    reading = writer.reading
    served = ("value", "leaf") if reading.predicts_number else ("label", "proba", "leaf")
    what = "a number" if reading.predicts_number else "classes"
    output = output_of(output, served, f"a tree for {what}")
    mixed = mixture and reading.fractional
    if output == "leaf" and mixed:
        raise ValueError(
            "output='leaf' has no answer where missing values go down several branches; use "
            f"{' or '.join(map(repr, served[:-1]))}, mixture=False "
            "(NULL there), or fit with missing='branch' or 'mode'"
        )
    if output == "proba":
        columns = writer.columns_of_answers(mixed)
    elif output == "leaf":
        columns = [writer.case({leaf: str(leaf) for leaf in reading.leaves})]
    elif output == "value":
        values = {leaf: repr(value) for leaf, (value,) in writer.answers.items()}
        columns = [writer.case(values, *(writer.sums() if mixed else ()))]
    else:
        classes = (*reading.classes, None)  # of label -1
        values = {leaf: writer.literal(classes[reading.label[leaf]]) for leaf in reading.leaves}
        columns = [writer.case(values, *([largest(writer, writer.sums())] if mixed else ()))]
    return writer.written_as(output, columns)


def named_list(expressions: list[str], names: list[str], separator: str) -> str:
    """A list of expressions with names, for a SELECT.

    Args:
        expressions: the expressions.
        names: their names.
        separator: text between two of them.
    """
    pairs = zip(expressions, names, strict=True)
    return separator.join(f"{expression} AS {name}" for expression, name in pairs)


def largest(writer: _Writer, sums: list[str]) -> str:
    """The first class with the largest sum, where sums that differ by no more than rounding are
    equal.

    The sums are named in an inner SELECT, so that each is written once.

    Args:
        writer: the writer of the tree.
        sums: the expression of the sum of each class.
    """
    names = [f"ft_p{code}" for code in range(len(sums))]
    cases = []
    for code, name in enumerate(names):
        is_largest = " AND ".join(
            [f"{name} > 0", *(f"{other} - {name} < {EQUAL}" for other in names if other != name)]
        )
        cases.append(f"    WHEN {is_largest} THEN {writer.literal(writer.reading.classes[code])}")
    fields = named_list(sums, names, ",\n    ")
    return (
        "(SELECT CASE\n" + "\n".join(cases) + f"\n  END FROM (SELECT\n    {fields}) AS ft_mixture)"
    )
