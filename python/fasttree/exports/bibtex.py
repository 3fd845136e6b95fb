"""Publications, as entries of BibTeX and as one line of text; ``publications.bib`` holds them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_ENTRY = re.compile(r"^@\w+\{(\w+),\n.*?^\}", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^  (\w+) *= \{(.*?)\},$", re.MULTILINE | re.DOTALL)


SOFTWARE = """@software{{fasttree,
  author  = {{{{The fasttree authors}}}},
  title   = {{{{fasttree: decision trees whose split criterion is the subject}}}},
  version = {{{}}},
  year    = {{2026}},
}}"""
"""The entry of this package, with a place for its version."""

OF_PRESETS = {
    "ID3": "quinlan1986",
    "C45": "quinlan1993",
    "CART": "breiman1984",
    "CHAID": "kass1980",
    "CTREE": "hothorn2006",
    "CHEN2013": "chen2013",
    "FMEASURE": "stadler",
    "VILALTA2001": "vilalta2001",
}
"""The publication of each preset."""

OF_COMPARISON = ("nadeau2003", "demsar2006")
"""The tests of a comparison: of pairs of methods on the folds of a data set, of ranks over data
sets."""


@cache
def publications() -> dict[str, str]:
    """Entries of ``publications.bib`` as BibTeX text, by their keys. The file is read on each call;
    `fasttree`'s criteria and prunings refer to these keys."""
    text = Path(__file__).with_name("publications.bib").read_text(encoding="utf-8")
    return {found[1]: found[0] for found in _ENTRY.finditer(text)}


def _plain(text: str) -> str:
    """The text of a field in ASCII, on one line."""
    text = text.replace(r"\"a", "ae").replace(r"\aa", "a").replace("---", ": ")
    return " ".join(re.sub(r"\\(?:[a-z](?=\{)|['`^~])|[{}\\]", "", text).split())


def reference(key: str) -> str:
    """A publication in one line.

    >>> print(reference("kvalseth1987"))
    Kvalseth, Entropy and Correlation: Some Comments, IEEE Transactions on Systems, Man, and \
Cybernetics 17 (1987)
    """
    known = {name: _plain(text) for name, text in _FIELD.findall(publications()[key])}
    *most, last = (name.partition(",")[0] for name in known["author"].split(" and "))
    authors = f"{', '.join(most)} & {last}" if most else last
    place = f", {known['journal']} {known['volume']}" if "journal" in known else ""
    year = f" ({known['year']})" if "year" in known else ""
    return f"{authors}, {known['title']}{place}{year}"
