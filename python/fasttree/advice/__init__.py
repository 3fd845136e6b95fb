"""Which tree for these data? `advise` tries criteria, splits and prunings and recommends one.

``fasttree.advise(frame, "column")`` reports and leaves out identifiers and dates, then
cross-validates a fixed list of candidates on the same folds within a time limit. It returns the
smallest tree within one standard error of the best, with an accuracy that is corrected for the
choice.
"""

from .result import Advice
from .search import advise

__all__ = ["Advice", "advise"]
