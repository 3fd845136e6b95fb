"""Which tree for these data? `advise` tries criteria, splits and prunings and recommends one.

``fasttree.advise(frame, "column")`` leaves identifiers and dates out and names them (`screening`).
Then it cross-validates a fixed list of candidates (`candidates`) on the same folds within a time
limit (`search`). It returns the smallest tree within one standard error of the best, with an
accuracy or error that is corrected for the choice (`selection`), as an `Advice` (`result`). What
differs between classes and numbers is in `tasks`.
"""

from .result import Advice
from .search import advise

__all__ = ["Advice", "advise"]
