"""Columns of whole numbers that are codes of categories, by their names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ..._checks.words import argument, some_of
from .facts import Finding, TableFacts

MAX_CODES = 1000
"""Largest number of codes in a column whose name says that it holds codes."""

MAX_FEW_CODES = 12
"""Largest number of codes in another column."""

_NAMED_CODE = re.compile(
    r"(?:^|[_\s.-])(?:code|type|kind|cat|category|group|cluster|region|zone|district|zip|zipcode|"
    r"postcode|plz|country|state|county|city|branch|dept|department|sector|status|gender|sex|race|"
    r"ethnicity|religion|colou?r|brand|model|shop|store|sku)s?$|[a-z](?:Code|Type|Group)$",
    re.IGNORECASE,
)
_NAMED_ID = re.compile(r"(?i:(?:^|[_\s.-])ids?$)|[a-z]I[dD]$")
"""Names of numbers that stand for something else, such as customers or places."""

_GENOTYPE = re.compile(r"(?:rs|snp|chr)[\w.:-]*\d\w*", re.IGNORECASE)


def find(facts: TableFacts) -> Iterator[Finding]:
    """Yield a finding for each column of whole numbers whose name says that they are codes (region,
    zip_code, user_id, rs1234_A). See `code_columns` for which columns these are."""
    yield from (Finding(name, repr(name)) for name in code_columns(facts))


def sentences(found: Sequence[Finding], facts: TableFacts) -> Iterator[str]:
    """One sentence for all columns together, with the argument that reads them as levels. The
    argument is ``"all"`` if every feature is such a column, else the list of their names."""
    names = [finding.column for finding in found]
    as_levels: Any = "all" if len(names) == facts.table.n_features > 1 else names
    yield (
        f"codes of categories, by the name, are read as numbers: {some_of(names)}; as levels: "
        f"{argument('categorical_features', as_levels)}"
    )


def code_columns(facts: TableFacts, *, by_name: bool = True) -> list[str]:
    """Names of numeric columns whose whole numbers may be codes of categories: three or more
    values, with ten rows per value on average.

    Args:
        facts: the rows.
        by_name: whether only columns are meant whose names say so (region, zip_code, user_id,
            rs1234_A); otherwise all with up to 12 values.

    Examples:
        >>> from fasttree import Table
        >>> cells = [[i % 4, i % 7] for i in range(80)]
        >>> facts = TableFacts(Table(cells, [0, 1] * 40, feature_names=["region", "rooms"]))
        >>> code_columns(facts), code_columns(facts, by_name=False)
        (['region'], ['region', 'rooms'])
    """
    if facts.is_genotypes:
        return []
    most, names = MAX_CODES if by_name else MAX_FEW_CODES, facts.table.feature_names
    names_of_codes = []
    for place in facts.places:
        name = names[place]
        if by_name and not (is_named_as_code(name) or _NAMED_ID.search(name.strip())):
            continue
        column = facts.column(place)
        if column.is_nominal or not column.are_whole:
            continue
        if 3 <= column.n_distinct <= min(most, column.n_filled / 10):
            names_of_codes.append(column.name)
    return names_of_codes


def is_named_as_code(name: str) -> bool:
    """Whether the name of a column says that it holds codes of categories.

    Examples:
        >>> is_named_as_code("zip_code"), is_named_as_code("patient")
        (True, False)
    """
    return bool(_NAMED_CODE.search(name.strip()) or _GENOTYPE.fullmatch(name.strip()))
