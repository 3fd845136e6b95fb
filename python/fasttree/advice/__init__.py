"""Which tree for these data? `advise` tries criteria, splits and prunings and recommends one.

``fasttree.advise(frame, "column")`` leaves identifiers and dates out and names them (`screening`).
Then it cross-validates a fixed list of candidates (`candidates`) on the same folds within a time
limit (`search`). It returns the smallest tree within one standard error of the best, with an
accuracy or error that is corrected for the choice (`selection`), as an `Advice` (`result`). `tasks`
has the parts that differ between classes and numbers.
"""

from .result import Advice
from .search import advise

__all__ = ["Advice", "advise"]
