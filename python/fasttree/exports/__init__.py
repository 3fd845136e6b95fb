"""A fitted tree in other languages: pictures, rules, queries, programs and graphs that predict what
the tree predicts.

One file per format; all of them read the tree through `reading`, which turns every kind of test
into a set of values and a share of the missing ones. `FORMATS` lists them; users call the methods
of the estimator (`Readable`).
"""

from .explorer import Exploration, ExplorerLimits
from .formats import FORMATS, Format
from .readable import Readable
from .rules import Rule, Rules

__all__ = ["FORMATS", "Exploration", "ExplorerLimits", "Format", "Readable", "Rule", "Rules"]
