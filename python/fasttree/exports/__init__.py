"""A fitted tree in other languages: pictures, rules, queries, programs and graphs that predict what
the tree predicts.

One file a format; all of them read the tree through `reading`, which turns every kind of test into
a set of values and a share of the missing ones. The methods of the estimator (`Readable`) are the
door.
"""

from .readable import Readable

__all__ = ["Readable"]
