"""Fitted trees as pictures, rules, SQL, Python, C and ONNX, and tables of results as text.

There is one module per format; the formats of reports and results are in `tables`. All of them read
the tree through `reading`, which turns every kind of test into one set of values per branch.
`FORMATS` lists the formats; users call the methods of the estimator, which `Readable` gives it.
"""

from .explorer import Exploration, ExplorerLimits
from .formats import FORMATS, Format
from .readable import Readable
from .rules import Rule, Rules

__all__ = ["FORMATS", "Exploration", "ExplorerLimits", "Format", "Readable", "Rule", "Rules"]
