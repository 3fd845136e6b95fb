"""A fitted tree as SQL: one flat CASE whose conditions are the rules of the leaves.

What
    ``CASE WHEN "petal width" <= 0.8 THEN 'setosa' WHEN ... END``: one WHEN a leaf, conditions on
    one column merged. Nothing is nested, so depth is no matter: parsers give up on nested
    expressions (SQLite at about twenty nested CASEs), not on long lists. NULL is a missing value,
    so is a level that the model does not know; leaves that predict nothing give NULL. Where missing
    values go down several branches (C4.5), the probability of a class is the sum over the leaves of
    its probability times the row's share in the leaf. The label is the class with the largest
    sum. Rows that go to one leaf as a whole are still answered by the plain CASE. Identifiers and
    literals are quoted for the dialect whatever they hold, and numbers are written so that they
    read back as the same double.
Complexity
    O(leaves x features asked for on their paths) characters.
When not to use it
    On columns of type REAL or FLOAT of 32 bits a threshold is compared with a rounded number: cast
    to double precision first.
"""

from __future__ import annotations

import math
from typing import Any

from .reading import Feature, Label, Part, Reading

__all__ = ["DIALECTS", "to_sql"]

DIALECTS = {
    "ansi": ('"', '"', False, ("TRUE", "FALSE")),
    "mysql": ("`", "`", True, ("TRUE", "FALSE")),
    "tsql": ("[", "]", False, ("1", "0")),
}
"""Quotes of identifiers, whether a backslash may escape in a string, and the words for true and
false.

MySQL reads a backslash by its setting NO_BACKSLASH_ESCAPES, which a statement cannot know: a text
that holds one is written as the hexadecimal digits of its UTF-8 bytes.
"""

EQUAL = "1e-9"


class _Writer:
    """Names, values and conditions in one dialect."""

    def __init__(self, reading: Reading, dialect: str, table: str | None) -> None:
        self.reading = reading
        self.open, self.close, self.backslash, self.booleans = DIALECTS[dialect]
        self.place = "" if table is None else self.name(table) + "."
        self.columns = [self.place + self.name(f.name) for f in reading.features]
        self._said: dict[tuple[int, Part], str] = {}

    def name(self, text: str) -> str:
        """A quoted identifier."""
        if not text or "\0" in text:
            raise ValueError(f"{text!r} cannot be the name of a column or table in SQL; rename it")
        return self.open + text.replace(self.close, self.close * 2) + self.close

    def literal(self, value: Label | None) -> str:
        """A value."""
        if value is None:
            return "NULL"
        if isinstance(value, bool):
            return self.booleans[0 if value else 1]
        if isinstance(value, int | float):
            return repr(value)
        if "\0" in value:
            raise ValueError(
                f"the label {value!r} holds a NUL character, which SQL has no way to write"
            )
        if self.backslash and "\\" in value:
            return f"_utf8mb4 X'{value.encode('utf-8', 'surrogatepass').hex()}'"
        return "'" + value.replace("'", "''") + "'"

    def _listed(self, column: str, levels: list[Label], word: str = "") -> str:
        if len(levels) == 1:
            return f"{column} {'<>' if word else '='} {self.literal(levels[0])}"
        return f"{column} {word}IN ({', '.join(map(self.literal, levels))})"

    def condition(self, feature: int, part: Part, missing: bool) -> str:
        """A part of a column's values; `missing`: NULL (and unknown levels) belong to it."""
        column, asked = self.columns[feature], self.reading.features[feature]
        levels = asked.levels or ()
        if part.empty:
            return self._unknown(column, asked) if missing else "1 = 0"
        if part.codes is not None:
            inside = [levels[c] for c in sorted(part.codes)]
            outside = [v for c, v in enumerate(levels) if c not in part.codes]
            if not missing:
                return self._listed(column, inside)
            if len(outside) == 0:
                return "1 = 1"
            return f"({column} IS NULL OR {self._listed(column, outside, 'NOT ')})"
        ends = []
        if part.lower != -math.inf:
            ends.append(f"{column} > {self.literal(part.lower)}")
        if part.upper != math.inf:
            ends.append(f"{column} <= {self.literal(part.upper)}")
        if not ends:
            return "1 = 1" if missing else f"{column} IS NOT NULL"
        said = " AND ".join(ends)
        if not missing:
            return said
        return f"({column} IS NULL OR {said})"

    def _unknown(self, column: str, asked: Feature) -> str:
        if not asked.levels:
            return f"{column} IS NULL"
        return f"({column} IS NULL OR {self._listed(column, list(asked.levels), 'NOT ')})"

    def known(self, feature: int) -> str:
        """The column has a value that the model knows."""
        column, asked = self.columns[feature], self.reading.features[feature]
        return self._listed(column, list(asked.levels)) if asked.levels else f"{column} IS NOT NULL"

    def whole(self, parts: dict[int, Part]) -> str | None:
        """The condition of a leaf for rows that go there as a whole; None: all do."""
        said = []
        for feature, part in parts.items():
            missing = part.missing == 1
            if not (missing and part.everything(self.reading.features[feature])):
                said.append(self._kept(feature, part, missing))
        return " AND ".join(said) or None

    def _kept(self, feature: int, part: Part, missing: bool) -> str:
        key = (feature, part)
        if key not in self._said:
            self._said[key] = self.condition(feature, part, missing)
        return self._said[key]

    def share(self, parts: dict[int, Part]) -> list[str]:
        """Factors of the share of a leaf in any row."""
        factors = []
        whole = {f: p for f, p in parts.items() if p.missing in (0.0, 1.0)}
        plain = self.whole(whole)
        if plain is not None:
            factors.append(f"CASE WHEN {plain} THEN 1.0 ELSE 0.0 END")
        for feature, part in parts.items():
            if feature in whole:
                continue
            known = "" if part.empty else f" WHEN {self.condition(feature, part, False)} THEN 1.0"
            missing = self._unknown(self.columns[feature], self.reading.features[feature])
            factors.append(f"CASE WHEN {missing} THEN {part.missing!r}{known} ELSE 0.0 END")
        return factors

    def case(self, values: dict[int, str], otherwise: str | None = None) -> str:
        """One CASE over the leaves for rows that go to one leaf as a whole; `otherwise` answers the
        others."""
        lines = []
        for leaf, parts in self.reading.paths():
            said = self.whole(parts)
            if said is None:
                return values[leaf]
            lines.append(f"  WHEN {said} THEN {values[leaf]}")
        if otherwise is not None:
            lines.append(f"  ELSE {otherwise}")
        return "\n".join(["CASE", *lines, "END"])

    def sums(self, shares: dict[int, list[float]]) -> list[str]:
        """Probability of each class as a sum over the leaves, added in pairs so that the expression
        stays shallow."""
        terms: list[list[str]] = [[] for _ in self.reading.classes]
        for leaf, parts in self.reading.paths():
            factors = " * ".join(self.share(parts)) or "1.0"
            for code, p in enumerate(shares[leaf]):
                if p:
                    terms[code].append(f"{p!r} * {factors}")
        return [_added(found) for found in terms]


def _added(terms: list[str]) -> str:
    if not terms:
        return "0.0"
    while len(terms) > 1:
        paired = [f"({a} + {b})" for a, b in zip(terms[::2], terms[1::2], strict=False)]
        terms = paired + terms[len(terms) - len(terms) % 2 :]
    return terms[0]


def to_sql(
    model: Any,
    *,
    output: str = "label",
    table: str | None = None,
    dialect: str = "ansi",
    mixture: bool = True,
) -> str:
    """A fitted tree as an SQL expression or query.

    Args:
        model: a fitted `FastTreeClassifier`.
        output: ``"label"``: an expression that gives the predicted class. ``"proba"``: a list of
            expressions, one a class, named ``p(class)``. ``"leaf"``: an expression that gives the
            leaf's node number (where missing values may divide rows, only with ``mixture=False``).
        table: None gives the expression alone; with the name of a table, a whole ``SELECT`` of all
            its columns and the output.
        dialect: ``"ansi"`` (SQLite, PostgreSQL, DuckDB), ``"mysql"`` (MySQL, MariaDB, Spark:
            backquotes, and backslashes in strings) or ``"tsql"`` (SQL Server: brackets, 1 and 0 for
            true and false).
        mixture: False: rows whose missing values send them down several branches give NULL instead
            of the mixture of their leaves, which makes most of the text.

    Returns:
        SQL without a semicolon at its end.

    Raises:
        ValueError: an unknown output or dialect, a name or label that SQL cannot write (empty, or
            with a NUL character), or leaves of rows that are divided.

    Examples:
        >>> import fasttree
        >>> print(to_sql(fasttree.fit([[0.0], [1.0]], ["no", "it's"], missing="mode")))
        CASE
          WHEN ("x0" IS NULL OR "x0" <= 0.5) THEN 'no'
          WHEN "x0" > 0.5 THEN 'it''s'
        END
    """
    if dialect not in DIALECTS:
        raise ValueError(f"dialect={dialect!r} is not known; use {', '.join(map(repr, DIALECTS))}")
    if output not in ("label", "proba", "leaf"):
        raise ValueError(f"output={output!r} is not known; use 'label', 'proba' or 'leaf'")
    reading = Reading(model)
    mixed = mixture and reading.fractional
    if output == "leaf" and mixed:
        raise ValueError(
            "output='leaf' has no answer where missing values go down several branches; use "
            "'label' or 'proba', mixture=False "
            "(NULL there), or fit with missing='branch' or 'mode'"
        )
    writer = _Writer(reading, dialect, table)
    leaves = reading.leaves
    shares = dict(zip(leaves, reading.probabilities(leaves).tolist(), strict=True))
    if output == "proba":
        names = [writer.name(f"p({label})") for label in reading.classes]
        if mixed:
            said = writer.sums(shares)
        else:
            said = [writer.case({n: repr(shares[n][c]) for n in leaves}) for c in range(len(names))]
        expression = ",\n".join(f"{one} AS {name}" for one, name in zip(said, names, strict=True))
    elif output == "leaf":
        expression = writer.case({leaf: str(leaf) for leaf in leaves})
    else:
        expression = _label(writer, shares, mixed)
    if table is None:
        return expression
    named = (
        expression
        if output == "proba"
        else f"{expression} AS {writer.name('prediction' if output == 'label' else 'leaf')}"
    )
    return f"SELECT {writer.place}*,\n{named}\nFROM {writer.name(table)}"


def _label(writer: _Writer, shares: dict[int, list[float]], mixed: bool) -> str:
    """The predicted class."""
    reading = writer.reading
    values = {
        n: writer.literal(reading.classes[reading.label[n]] if reading.label[n] >= 0 else None)
        for n in shares
    }
    if not mixed:
        return writer.case(values)
    sums = writer.sums(shares)
    names = [f"ft_p{code}" for code in range(len(sums))]
    chosen = []
    for code, name in enumerate(names):
        over = " AND ".join(
            [f"{name} > 0", *(f"{other} - {name} < {EQUAL}" for other in names if other != name)]
        )
        chosen.append(f"    WHEN {over} THEN {writer.literal(reading.classes[code])}")
    fields = ",\n    ".join(f"{one} AS {name}" for one, name in zip(sums, names, strict=True))
    otherwise = (
        "(SELECT CASE\n" + "\n".join(chosen) + f"\n  END FROM (SELECT\n    {fields}) AS ft_mixture)"
    )
    return writer.case(values, otherwise)
